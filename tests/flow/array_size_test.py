#!/usr/bin/env python3
"""Case C8, first half: a build with an array size that is not supported says so and names the size.

usage: array_size_test.py
The matrix unit is simulated for its first moment with N = 6; it must stop with the size.
"""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SIZE = 6
MAIN = """#include "Vttpu_mxu.h"
int main(int argc, char** argv) {
  VerilatedContext context;
  context.commandArgs(argc, argv);
  Vttpu_mxu top{&context};
  top.eval();
}
"""


def main():
    packages = [f"rtl/pkg/ttpu_{p}_pkg.sv" for p in ("isa", "reg")] + ["rtl/pkg/ttpu_pkg.sv"]
    packages += ["rtl/common/ttpu_fp_pkg.sv", "rtl/common/ttpu_fp_pipe_pkg.sv", "rtl/mxu/ttpu_mxu_pkg.sv"]
    modules = ["rtl/common/ttpu_skid.sv"]
    modules += sorted(str(p.relative_to(ROOT)) for p in (ROOT / "rtl/mxu").glob("*.sv")
                      if not p.name.endswith("_pkg.sv"))
    # Warnings are not fatal here: the one message that is looked for must not be cut off by them.
    with tempfile.TemporaryDirectory() as folder:
        main_file = pathlib.Path(folder) / "main.cpp"
        main_file.write_text(MAIN, encoding="utf-8")
        build = subprocess.run(
            ["verilator", "--cc", "--exe", "--build", "--assert", "-Wno-fatal", "-Wno-lint",
             f"-GN={SIZE}", "-GHasFp=0", "-GAccRows=16", "-GVmemBytes=4096", "--top-module",
             "ttpu_mxu", "--Mdir", folder, *packages, *modules, str(main_file)],
            cwd=ROOT, capture_output=True, text=True, timeout=400, check=False)
        program = pathlib.Path(folder) / "Vttpu_mxu"
        if program.exists():
            run = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
            output, code = run.stdout + run.stderr, run.returncode
        else:  # refused already when it was elaborated
            output, code = build.stdout + build.stderr, build.returncode
    good = code != 0 and f"array of {SIZE} is not supported" in output
    print(output[-2000:])
    print("ok   C8: the size is refused by name" if good else f"FAIL C8: exit {code}, size not named")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
