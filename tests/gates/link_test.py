#!/usr/bin/env python3
"""A board's link as Yosys maps it: every case of test_loopback on the netlists for ECP5 and for Gowin, with the
vendors' cells as Yosys models them.

usage: link_test.py BUILD_DIR      (test_loopback is built there)
"""
import pathlib
import shutil
import sys

import gates

BENCH = gates.ROOT / "tests/board/test_loopback.cpp"
TOP = gates.ROOT / "rtl/board/ttpu_board_link.sv"
MODEL = "ttpu_board_loopback"
PARAMS = {"Header": 1, "ClkKhz": 60000}  # as tests/board/CMakeLists.txt builds it


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    work = build / "gates/link"
    shutil.rmtree(work, ignore_errors=True)
    cases = gates.cases(BENCH, r"TEST\(Loopback, ")
    for family in "ecp5", "gowin":
        folder = work / family
        files, _ = gates.closure(TOP, family)
        gates.synthesize(folder, family, files, "ttpu_board_link", PARAMS)
        gates.verilate(folder, family, "ttpu_board_link", name=MODEL)
        gates.gtest(folder, build, BENCH)
        gates.run_cases(folder, cases)
        print(f"ok   {cases} cases of test_loopback on the netlist for {family}", flush=True)
    return 0


if __name__ == "__main__":
    gates.script(main)
