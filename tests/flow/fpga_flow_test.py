#!/usr/bin/env python3
"""The FPGA flow with its tools, on a small design for the iCE40 UP5K, in a build folder whose name has a space:
a bitstream; missed timing, missing room, broken sources, a missing tool and Ctrl-C, none of which leaves one.

usage: fpga_flow_test.py
Fails where there is no Yosys with read_slang or no nextpnr: scripts/setup.sh sim installs them.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TINY = ROOT / "tests/flow/fpga_boards"
BAD = []


def check(condition, what, output=""):
    """One result; the output is shown if it is bad."""
    print(f"{'ok  ' if condition else 'FAIL'} {what}", flush=True)
    if not condition:
        BAD.append(what)
        print(output)


def command(build, boards, *words):
    """The flow's command line."""
    return [sys.executable, str(ROOT / "fpga/flow/fpga.py"), "--build", str(build), "--boards", str(boards), *words]


def run(build, boards, *words, env=None):
    """(status, output) of the flow."""
    r = subprocess.run(command(build, boards, *words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, timeout=300, check=False, env=env)
    return r.returncode, r.stdout


def left(build, variant="plain"):
    """Bitstream and report that lie there."""
    folder = build / "fpga" / f"tiny-{variant}"
    return [p.name for p in (folder / "tiny.bin", folder / "report.json") if p.exists()]


def good_build(build):
    """A bitstream, its report and netlist; the second time synthesis is spared."""
    status, output = run(build, TINY, "build", "tiny", "--seeds", "2")
    check(status == 0 and left(build) == ["tiny.bin", "report.json"], "a bitstream and its report", output)
    if status:
        return
    folder = build / "fpga/tiny-plain"
    report = json.loads((folder / "report.json").read_text())
    fmax = report["fmax_mhz"]
    check(list(fmax) == ["1", "2"] and fmax[str(report["best_seed"])] == max(fmax.values()) >= 36,
          "the best of two seeds meets 36 MHz", output)
    use = report["resources"]
    check(20 < use["lut"]["used"] < 200 and use["cells"]["available"] == 5280, "use of the device", str(use))
    check("0." in report["tools"]["yosys"] and report["tools"]["nextpnr"].split()[-1][0].isdigit(),
          "versions of the tools", str(report["tools"]))
    check((folder / "tiny.bin").stat().st_size > 100000, "the bitstream is a whole one", output)
    check("SB_PLL40_PAD" in (folder / "netlist.v").read_text() and (folder / "netlist.json").exists(),
          "the netlist is kept, with the device's own cells")
    status, output = run(build, TINY, "build", "tiny", "--seeds", "1")
    check(status == 0 and "nothing changed" in output, "a second build keeps the netlist", output)


def failures(build):
    """Each fails with its reason, and takes the older bitstream away."""
    status, output = run(build, TINY, "build", "tiny", "--seeds", "2", "--mhz", "150")
    check(status == 1 and "MISSED by every seed" in output and not left(build), "missed timing", output)
    check(output.count(" routing ") >= 2 and "rtl/board/ttpu_uart_rx.sv:" in output and "Try:" in output,
          "... shows the critical path with lines of source", output)
    status, output = run(build, TINY, "build", "tiny", "--variant", "tight")
    check(status == 1 and "stay free, the goal is 99.9 %" in output and not left(build, "tight"), "too little room", output)
    status, output = run(build, TINY, "build", "tiny", "--mhz", "1000")
    check(status == 2 and "cannot make 1000" in output, "a clock that the PLL cannot make", output)
    status, output = run(build, TINY, "flash", "tiny")
    check(status == 2 and "no bitstream yet" in output, "flash without a bitstream", output)


def wrong_words(build):
    """What no command line means ends at once, and says of which variable it was."""
    for words, said in ((("tiny", "--seeds", "0"), "SEEDS=0: must be"), (("tiny", "--seeds", "abc"), "SEEDS=abc: must be"),
                        (("tiny", "--seeds", "999999999"), "from 1 to 1000"),
                        (("tiny", "--seed", "1.5"), "SEED=1.5: must be"), (("tiny", "--jobs", "-1"), "JOBS=-1: must be"),
                        (("tiny", "--sites"), "names no file of sites"),
                        (("tiny", "--mhz", "nan"), "MHZ=nan: must be"), (("tiny", "--mhz", "inf"), "MHZ=inf: must be"),
                        (("tiny", "--mhz", "0"), "MHZ=0: must be"), (("../fpga_boards/tiny",), "no such board"),
                        (("--variant", "plain"), "VARIANT=plain: of which board?")):
        status, output = run(build, TINY, "build", *words)
        check(status == 2 and said in output and "Traceback" not in output, f"wrong: {' '.join(words)}", output)


def broken_source(build, folder):
    """The file and line of an error are named."""
    boards = folder / "broken boards"
    shutil.copytree(TINY, boards)
    top = boards / "tiny/top.sv"
    top.write_text(top.read_text().replace(".data_o(data)", ".nowhere_o(data)"))
    status, output = run(build, boards, "build", "tiny")
    check(status == 1 and "tiny/top.sv:" in output and "nowhere" in output and not left(build),
          "an error in a source, with its place", output)


def pins_of_boards(build, folder):
    """Each iCE40 board's top with a chip of next to nothing in it, which is quick: nextpnr takes its pins and its PLL."""
    boards = folder / "pins"
    shutil.copytree(ROOT / "fpga/icebreaker", boards / "icebreaker")
    board = boards / "icebreaker/board.yaml"
    board.write_text("".join(line for line in board.read_text().splitlines(True) if not line.startswith("apart:")))
    header = (ROOT / "rtl/board/ttpu_board.sv").read_text().partition("\n);")[0]
    (boards / "icebreaker/ttpu_board.sv").write_text(
        f"{header}\n);\n  assign irq_o = 1'b0;\n  always_ff @(posedge clk_i) begin\n    uart_tx_o <= uart_rx_i;\n"
        "    busy_o <= uart_tx_o;\n    error_o <= busy_o && rst_ni;\n  end\nendmodule\n")
    for variant in ("v1", "upduino"):
        status, output = run(build, boards, "build", "icebreaker", "--variant", variant, "--seeds", "1")
        check(status == 0 and (build / f"fpga/icebreaker-{variant}/icebreaker.bin").exists(),
              f"pins and PLL of icebreaker {variant}", output)


def missing_tool(build, folder):
    """Without nextpnr, and with TTPU_NO_INSTALL, the message says what to install."""
    path = folder / "bin"
    path.mkdir()
    for tool in pathlib.Path("/usr/bin").iterdir():
        if not tool.name.startswith(("nextpnr", "ice", "yowasp")):
            (path / tool.name).symlink_to(tool)
    status, output = run(build, TINY, "build", "tiny", env=dict(os.environ, PATH=str(path), TTPU_NO_INSTALL="1"))
    check(status == 3 and "no nextpnr-ice40" in output and "scripts/setup.sh fpga-ice40" in output, "a missing tool", output)


def nextpnr_that(folder, name, what):
    """PATH with a nextpnr-ice40 before the real one that does `what`, a case of the shell over its arguments."""
    place = folder / name
    place.mkdir(exist_ok=True)
    script = place / "nextpnr-ice40"
    script.write_text(f'#!/bin/sh\ncase " $* " in {what};; esac\nexec {shutil.which("nextpnr-ice40")} "$@"\n')
    script.chmod(0o755)
    return dict(os.environ, PATH=f"{place}:{os.environ['PATH']}")


def seeds_that_fail(build, folder):
    """A seed that cannot be placed is left out; it is an error if none can. A tool that never ends is stopped."""
    env = nextpnr_that(folder, "bad seed", '*" --seed 1 "*) echo "ERROR: Unable to place cell"; exit 1')
    status, output = run(build, TINY, "build", "tiny", "--seeds", "2", env=env)
    check(status == 0 and "failed with seed 1" in output and "Unable to place" in output
          and "(seed 2)" in output and left(build) == ["tiny.bin", "report.json"], "one seed of two fails", output)
    status, output = run(build, TINY, "build", "tiny", "--seeds", "1", env=env)
    check(status == 1 and "Unable to place" in output and "no seed could be" in output and not left(build),
          "every seed fails", output)
    slow = nextpnr_that(folder, "endless", '*" --seed "*) exec sleep 300')
    text = (f"import sys; sys.path.insert(0, {str(ROOT / 'fpga/flow')!r}); import work, fpga; work.LIMIT = 20; "
            "sys.argv = ['fpga'] + sys.argv[1:]; fpga.main()")
    r = subprocess.run([sys.executable, "-c", text, *command(build, TINY, "build", "tiny", "--seeds", "1")[2:]],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200, check=False, env=slow)
    check(r.returncode != 0 and "was not done after" in r.stdout and "seed1.log" in r.stdout and not left(build),
          "a tool that never ends", r.stdout)


def interrupted(build, folder, how):
    """Ctrl-C, or SIGTERM to the flow alone, while a tool works: soon over, nothing left, no tool left running."""
    shutil.rmtree(build / "fpga", ignore_errors=True)
    # A nextpnr that never ends with a seed.
    env = nextpnr_that(folder, "slow", '*" --seed "*) exec sleep 300')
    with subprocess.Popen(command(build, TINY, "build", "tiny", "--seeds", "50"), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, start_new_session=True, env=env) as p:
        deadline = time.time() + 120
        started = build / "fpga/tiny-plain/work/seed1.log"
        while not started.exists() and p.poll() is None and time.time() < deadline:
            time.sleep(0.02)
        if how == "Ctrl-C":
            os.killpg(p.pid, signal.SIGINT)
        else:
            p.terminate()
        output = p.communicate(timeout=60)[0]
    check(p.returncode == 130 and "interrupted" in output and not left(build), how, output)
    alive = subprocess.run(["pgrep", "-g", str(p.pid)], stdout=subprocess.PIPE, text=True, check=False).stdout
    check(not alive.strip(), "... leaves no tool running", alive)


def main():
    """All checks; the exit code."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        build = folder / "a build"
        good_build(build)
        wrong_words(build)
        failures(build)
        broken_source(build, folder)
        pins_of_boards(build, folder)
        seeds_that_fail(build, folder)
        missing_tool(build, folder)
        interrupted(build, folder, "Ctrl-C")
        interrupted(build, folder, "SIGTERM")
    print(f"{len(BAD)} failed")
    return 1 if BAD else 0


if __name__ == "__main__":
    sys.exit(main())
