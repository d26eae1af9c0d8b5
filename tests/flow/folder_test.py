#!/usr/bin/env python3
"""Cases C33 and C32: a copy of the checkout in a folder with a space builds and passes under
`make -j`; then one character of its RTL is broken, and the run fails, names the test, and leaves a
wave of the failure with its view.

usage: folder_test.py BUILD_DIR
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# One character each: one that no longer parses, one that still builds and does the wrong thing.
FAULTS = [
    ("rtl/common/ttpu_fifo.sv", "endmodule", "endmodul", "(does not build)"),
    ("rtl/common/ttpu_fifo.sv", "push_ready_o = count_q != ", "push_ready_o = count_q == ", "Fifo"),
]


def copy_checkout(to):
    if to.exists():
        shutil.rmtree(to)
    shutil.copytree(ROOT, to, symlinks=True,
                    ignore=lambda d, names: [n for n in names if n == ".git" or n == "__pycache__" or
                                             (pathlib.Path(d) == ROOT and n.startswith("build"))])


def make(folder, *arguments, waves="0"):
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith(("MAKE", "MFLAGS", "TTPU_", "GTEST_", "CTEST_"))
                   and k not in ("BUILD", "SEED", "TEST")}
    r = subprocess.run(["make", "-j2", *arguments, "JOBS=2"], cwd=folder, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, timeout=500,
                       env=dict(environment, TTPU_NO_INSTALL="1", TTPU_WAVES=waves))
    return r.returncode, r.stdout


def check(condition, what, output):
    print(f"{'ok  ' if condition else 'FAIL'} {what}", flush=True)
    if not condition:
        print(output)
        sys.exit(1)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve() / "flow" / "a folder with a space"
    copy_checkout(folder)
    status, output = make(folder, "test-common")
    check(status == 0 and re.search(r"^[1-9]\d* passed, 0 failed$", output, re.M),
          "C33: builds and passes in a folder with a space, under make -j", output)
    for path, old, new, named in FAULTS:
        source = folder / path
        good = source.read_text("utf-8")
        check(old in good, f"the fault can be planted: {old}", good)
        source.write_text(good.replace(old, new, 1), "utf-8")
        status, output = make(folder, "test", "TEST=test_common|tb_test", waves="1")
        source.write_text(good, "utf-8")
        check(status != 0, f"C32: '{new}' fails the run", output)
        check(re.search(rf"^  test_common.*{re.escape(named)}", output, re.M) and
              re.search(r"^[1-9]\d* passed, [1-9]\d* failed$", output, re.M) and not re.search(r"^  tb_test ", output, re.M),
              f"C32: '{new}' names the test, and no other", output)
    # The last fault built and failed when it ran.
    wave, view = (folder / "build" / "waves" / f"test_common.{end}" for end in ("fst", "gtkw"))
    check(wave.exists() and view.exists() and "make waves TEST=test_common" in output,
          "the failure left a wave and its view", output)
    status, output = make(folder, "test-common")
    check(status == 0, "mended, it passes again", output)
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
