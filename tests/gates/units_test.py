#!/usr/bin/env python3
"""Matrix unit and memories of the boards' chips as Yosys maps them for iCE40 UltraPlus, ECP5 and Gowin, in
simulation with models of the vendors' cells: the cases of tests/micro/test_mxu.cpp, and test_gates_ram.cpp.

usage: units_test.py BUILD_DIR [FAMILY...]
"""
import pathlib
import re
import shutil
import sys
import time

import gates

MICRO = ["rtl/micro/ttpu_micro_ram.sv", "rtl/micro/ttpu_micro_mul2.sv", "rtl/micro/ttpu_micro_mxu.sv"]
RAM = ["rtl/common/ttpu_ram_1r1w.sv", "rtl/common/ttpu_ram_1rw.sv", "tests/gates/gates_ram.sv"]
# family: MulStyle, RAM style, cells for Yosys to know, and cells that each netlist must have: {N: of the matrix unit}, of
# the memories
FAMILIES = {
    "ice40": (1, 1, ["SB_MAC16", "SB_SPRAM256KA"], {4: {"SB_MAC16": 8, "SB_RAM40_4K": 8}}, {"SB_SPRAM256KA": 2}),
    "ecp5": (0, 0, [], {4: {"MULT18X18D": 16}}, {"DP16KD": 5}),
    "gowin": (2, 0, ["MULT9X9"], {4: {"MULT9X9": 16}, 8: {"MULT9X9": 64, "SDPX9B": 8}}, {}),
}
CASES = {4: "MicroMxu.RandomProducts4", 8: "MicroMxu.RandomProducts8OnMult9x9"}  # one case for each N
MXU_BENCH = gates.ROOT / "tests/micro/test_mxu.cpp"


def expect(cells, wanted):
    for cell, count in wanted.items():
        if cells.get(cell) != count:
            raise gates.Failure(f"{count} {cell} are wanted, not {cells}")


def matrix_unit(folder, build, name, n, mul, declared, wanted):
    """The N x N matrix unit's netlist in test_mxu; gives its cells."""
    cells = gates.synthesize(folder, name, [gates.ROOT / f for f in MICRO + declared], "ttpu_micro_mxu",
                             {"N": n, "MulStyle": mul})
    expect(cells, wanted)
    gates.verilate(folder, name, "ttpu_micro_mxu")
    # The bench knows models of other kinds and sizes, too: here they are all this one, and only its case runs.
    for alias in re.findall(r'#include "V(micro_\w+)\.h"', MXU_BENCH.read_text(encoding="utf-8")):
        (folder / f"V{alias}.h").write_text(
            f'#pragma once\n#include "Vttpu_micro_mxu.h"\nusing V{alias} = Vttpu_micro_mxu;\n', encoding="utf-8")
    gates.gtest(folder, build, MXU_BENCH, more=["-I", folder])
    gates.run_cases(folder, 1, f"--gtest_filter={CASES[n]}")
    return cells


def family(work, build, name):
    mul, ram, known, mxu_cells, ram_cells = FAMILIES[name]
    declared = [f"fpga/cells/{name}/{c}.sv" for c in known]
    started = time.time()

    for old in work.glob(f"*_{name}"):
        shutil.rmtree(old)
    for n, wanted in mxu_cells.items():
        cells = matrix_unit(work / f"mxu{n}_{name}", build, name, n, mul, declared, wanted)
        print(f"ok   {name}: {n}x{n} matrix unit {cells}", flush=True)
    folder = work / f"ram_{name}"
    cells = gates.synthesize(folder, name, [gates.ROOT / f for f in RAM + declared], "gates_ram", {"Style": ram})
    expect(cells, ram_cells)
    gates.verilate(folder, name, "gates_ram")
    gates.gtest(folder, build, gates.HERE / "test_gates_ram.cpp")
    gates.run([folder / "test"], folder)
    print(f"ok   {name}: memories {cells} ({time.time() - started:.0f} s)", flush=True)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    work = build / "gates/units"
    status = 0
    for name in sys.argv[2:] or FAMILIES:
        try:
            family(work, build, name)
        except gates.Failure as e:
            print(f"FAIL {name}: {e}", flush=True)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
