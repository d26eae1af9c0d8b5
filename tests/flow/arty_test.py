#!/usr/bin/env python3
"""The script for Vivado of the Arty A7, run by tclsh against a stub of Vivado's commands: in both
variants it ends with a bitstream and a report; a clock that is not met, a source that is missing and
an unknown command fail it. Every port of the top has its pin, and the devices are large enough.

usage: arty_test.py BUILD_DIR
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "fpga/flow"))
# pylint: disable=wrong-import-position
import boards
import families
import pins_test
import pll
import sources
import synth
import vivado

STUB = ROOT / "tests/flow/vivado_stub.tcl"


def check(condition, what, output=""):
    print(f"{'ok  ' if condition else 'FAIL'} {what}", flush=True)
    if not condition and output:
        print(output)
    return bool(condition)


def prepare(board, folder):
    """The work folder as the flow leaves it; gives the script."""
    files = sources.closure(board)
    mhz, clock = pll.clocking(board)
    chosen = synth.parameters(board, clock)
    synth.prepare(board, files, folder, "")
    script = folder / "build.tcl"
    script.write_text(vivado.bitstream_script(board, files, chosen, mhz))
    return script, files, chosen, mhz


def vivado_run(folder, setup="0.123", hold="0.045"):
    return subprocess.run(["tclsh", STUB, "build.tcl", setup, hold], cwd=folder, capture_output=True,
                          text=True, timeout=60)


def variant(name, folder):
    board = boards.load(ROOT / "fpga", "arty", name)
    work = folder / name / "work"
    work.mkdir(parents=True)
    script, files, chosen, mhz = prepare(board, work)
    bitstream, report = folder / name / "arty.bit", work / "report.json"
    good = check(not any("cells" in p.parts for p in files if f"{{{sources.relative(board, p)}}}" in script.read_text())
                 and any("cells" in p.parts for p in files), f"{name}: Vivado's own cells are not ours")

    r = vivado_run(work)
    text = r.stdout + r.stderr
    good &= check(r.returncode == 0 and bitstream.exists(), f"{name}: ends with a bitstream", text)
    got = json.loads(report.read_text()) if report.exists() else {}
    good &= check((got.get("lut"), got.get("ff"), got.get("dsp"), got.get("bram")) == (12345, 23456, 128, 100.5)
                  and got["part"] == board.get("device") and abs(got["fmax_mhz"] - 1000 / (1000 / mhz - 0.123)) < 0.1,
                  f"{name}: and a report of what Vivado said", f"{text}{got}")
    pins = re.search(r"^ports (.*)$", r.stdout, re.M)
    good &= check(pins and sorted(pins[1].replace("{", "").replace("}", "").split())
                  == sorted(pins_test.ports(board.top.read_text())), f"{name}: every port has its pin, and no other", text)

    for setup, hold in (("-0.300", "0.045"), ("0.300", "-0.010")):
        bitstream.touch()
        r = vivado_run(work, setup, hold)
        text = r.stdout + r.stderr
        good &= check(r.returncode == 1 and "MISSED" in text and "Destination: " in text and not bitstream.exists()
                      and not report.exists(), f"{name}: slack {setup}, {hold}: fails with the path, no bitstream", text)

    first = work / sources.relative(board, files[0])
    first.rename(f"{first}.gone")
    r = vivado_run(work)
    good &= check(r.returncode != 0 and first.name in r.stdout + r.stderr, f"{name}: a missing source is named",
                  r.stdout + r.stderr)
    pathlib.Path(f"{first}.gone").rename(first)
    whole = script.read_text()
    script.write_text(whole.replace("opt_design\n", "optimise_design\n", 1))
    r = vivado_run(work)
    good &= check(r.returncode != 0 and "optimise_design" in r.stderr, f"{name}: the stub refuses an unknown command",
                  r.stdout + r.stderr)

    # What the array and the host's memory take, by themselves, of the device.
    size = families.xc7_size(board)
    n = chosen_int(chosen, "N")
    blocks = n * n // (2 if chosen_int(chosen, "MulStyle") == 3 else 1)  # 3: two products a block
    good &= check(blocks <= size["dsp"], f"{name}: {n}x{n} in {blocks} of {size['dsp']} DSP blocks")
    bits = 8 * (chosen_int(chosen, "HbmBytes") + chosen_int(chosen, "VmemBanks") * chosen_int(chosen, "VmemRows") * 4 * n
                + 2 * chosen_int(chosen, "AccRows") * 4 * n + 16 * chosen_int(chosen, "ImemWords"))
    good &= check(bits <= size["bram"] * 32768, f"{name}: memories of {bits // 8192} KiB in {size['bram'] * 4} KiB")
    return good


def chosen_int(chosen, name):
    return int(chosen[name])


def main():
    if not shutil.which("tclsh"):
        print("FAIL no tclsh: run scripts/setup.sh sim")
        return 1
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for name in ("100t", "35t"):
            good &= variant(name, pathlib.Path(folder))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
