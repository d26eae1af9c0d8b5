#!/usr/bin/env python3
"""The layer check finds what it is there for: each violation planted in a small tree is named."""
import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "check_layers.py"
MXU = "module ttpu_mxu(input logic clk_i);\nendmodule\n"
GOOD = {
    "sw/isa/isa.h": "", "sim/golden/machine.h": '#include "isa/isa.h"\n',
    "sw/runtime/device.h": '#include "isa/isa.h"\n', "tb/axi.h": '#include "verilated.h"\n',
    "sw/runtime/rtl/back.cpp": '#include "runtime/device.h"\n#include "Vttpu_chip.h"\n',
    "rtl/mxu/ttpu_mxu.sv": MXU, "rtl/vpu/ttpu_vpu.sv": "module ttpu_vpu;\n// ttpu_mxu\nendmodule\n",
    "rtl/chip/ttpu_chip.sv": "module ttpu_chip;\nttpu_mxu u ();\nendmodule\n",
    "tests/x/x_test.cpp": '#include "tb/axi.h"\n#include "golden/machine.h"\n',
}
BAD = [
    ("sim/golden/machine.h", '#include "runtime/device.h"\n', "sim/golden must not include sw/runtime"),
    ("sw/isa/isa.h", '#include "golden/machine.h"\n', "sw/isa must not include sim/golden"),
    ("sw/runtime/device.h", '#include "tb/axi.h"\n', "sw/runtime must not include tb"),
    ("sw/runtime/device.h", "#include <verilated.h>\n", "may know Verilator"),
    ("sim/golden/machine.h", '#include "Vttpu_mxu.h"\n', "may know Verilator"),
    ("sim/new/new.h", "", "belongs to no layer"),
    ("rtl/vpu/ttpu_vpu.sv", "module ttpu_vpu;\nttpu_mxu u ();\nendmodule\n", "vpu must not use ttpu_mxu"),
    ("rtl/vpu/ttpu_vpu.sv", "module ttpu_other;\nendmodule\n", "must define ttpu_vpu"),
]


def run(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        r = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True, timeout=60)
        return r.returncode, r.stdout + r.stderr


def main():
    status, output = run(GOOD)
    failed = 0
    if status:
        failed += 1
        print(f"FAIL the good tree is refused:\n{output}")
    for path, text, message in BAD:
        status, output = run(dict(GOOD, **{path: text}))
        if status == 0 or message not in output:
            failed += 1
            print(f"FAIL {path}: expected '{message}', got:\n{output}")
        else:
            print(f"ok   {message}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
