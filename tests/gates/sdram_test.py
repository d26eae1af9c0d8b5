#!/usr/bin/env python3
"""The SDRAM controller as Yosys maps it: test_sdram's cases of ULX3S on the netlist for ECP5, those of
Tang Nano 20K on the netlist for Gowin, with the vendors' cells as Yosys models them.

usage: sdram_test.py BUILD_DIR      (test_sdram is built there)
"""
import pathlib
import shutil
import sys

import gates

SOURCES = ["common/ttpu_fifo.sv", "common/ttpu_rr_arb.sv", "board/ttpu_sdram_ctl.sv", "board/ttpu_sdram.sv"]
# As tests/board/CMakeLists.txt builds the two. (model, family of cells, parameters)
NETLISTS = [
    ("ttpu_sdram_16", "ecp5", {}),
    ("ttpu_sdram_32", "gowin", {"DataBits": 32, "RowBits": 11, "ColBits": 8, "ClkKhz": 60000, "CaptureFall": 1,
                                "TrefiNs": 15600}),
]
OTHERS = ["ttpu_sdram_wide", "ttpu_sdram_slow", "ttpu_sdram_word"]  # linked as they are, not run
BENCH = gates.ROOT / "tests/board/test_sdram.cpp"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    work = build / "gates/sdram"
    shutil.rmtree(work, ignore_errors=True)
    for model, family, params in NETLISTS:
        gates.synthesize(work / model, family, [gates.ROOT / "rtl" / s for s in SOURCES], "ttpu_sdram", params)
        gates.verilate(work / model, family, "ttpu_sdram", name=model)
        print(f"ok   netlist of {model} for {family}", flush=True)
    board = build / "tests/board"
    more = [part for other in OTHERS for part in ("-isystem", board / "verilated" / other, board / f"lib{other}.a")]
    first, second = (work / model for model, _, _ in NETLISTS)
    gates.gtest(first, build, BENCH, more=["-I", second / "model", second / "model.o", *more])
    # Each case but the long one, on both netlists.
    cases = 2 * gates.cases(BENCH, r"TYPED_TEST\(Sdram, (?!EveryWindow)")
    gates.run_cases(first, cases, "--gtest_filter=Sdram/0.*:Sdram/1.*:-*EveryWindow*")
    print(f"ok   {cases} cases of test_sdram on the netlists")
    return 0


if __name__ == "__main__":
    gates.script(main)
