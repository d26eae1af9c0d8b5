#!/usr/bin/env python3
"""The digits network (models/digits_s8.onnx, 128 images) on the simulated chip `nano`: cycles by unit, and
images a second at the clock of the iCEBreaker's checked-in report (fpga/icebreaker/report.json).

usage: bench_digits.py BUILD_DIR [--mhz CLOCK]

The memory answers after 4 cycles, as block RAM on the chip does. Cycles are exact and the same in each run: the
program's first, which also decodes each instruction once. Exit status 1 if the outputs are not those of the
golden model.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
IMAGES, LATENCY = 128, 4


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--mhz", type=float, help="clock in place of the board's")
    args = parser.parse_args()
    mhz = args.mhz or json.loads((ROOT / "fpga" / "icebreaker" / "report.json").read_text("utf-8"))["clock_mhz"]
    ttpu = pathlib.Path(args.build) / "bin" / "ttpu"
    with tempfile.TemporaryDirectory() as folder:
        image = pathlib.Path(folder) / "digits.ttpu"
        subprocess.run([ttpu, "compile", ROOT / "models" / "digits_s8.onnx", "--config", "nano", "--batch", str(IMAGES),
                        "-o", image], check=True, stdout=subprocess.DEVNULL, timeout=60)
        run = subprocess.run([ttpu, "run", image, "--device", "rtl", "--latency", str(LATENCY), "--input", "x=random:1",
                              "--check", "golden", "--json"], stdout=subprocess.PIPE, text=True, timeout=300)
    if run.returncode:
        sys.exit(1)
    counters = json.loads(run.stdout)["counters"]
    busy = {unit: counters[unit]["busy"] for unit in ("vpu", "scalar", "mxw", "mxs", "dma0", "dma1")}
    total = counters["cycles"]
    rows = [("vector unit", busy["vpu"]),
            ("scalar core, with issuing and, once, decoding", busy["scalar"]),
            ("matrix unit: weights and starts, rows that are waited for", busy["mxw"] + busy["mxs"]),
            ("DMA: images and weights in, answers out", busy["dma0"] + busy["dma1"])]
    if sum(cycles for _, cycles in rows) != total:
        sys.exit(f"bench_digits: the units' busy cycles are not the run's {total}")
    print("| unit | cycles | an image |\n|---|---|---|")
    for what, cycles in rows + [("all", total)]:
        print(f"| {what} | {cycles:,} | {cycles / IMAGES:,.0f} |")
    for what, cycles in (("without DMA", total - rows[3][1]), ("with DMA", total)):
        print(f"{what}: {cycles / IMAGES:,.0f} cycles an image, {mhz * 1e6 * IMAGES / cycles:,.0f} images a second "
              f"at {mhz:g} MHz")


if __name__ == "__main__":
    main()
