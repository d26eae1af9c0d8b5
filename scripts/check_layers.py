#!/usr/bin/env python3
"""Fail on an include or an import that runs against the allowed direction.

usage: scripts/check_layers.py [ROOT]

C++: tests -> tb, sw, sim -> isa. Only the rtl back end, tb and tests know Verilator.
RTL: a block uses itself, common and pkg; only chip and board join blocks.
"""
import pathlib
import re
import sys

# Folder -> what it may include, as folders. The longest match of a file's path counts.
CPP = {
    "sw/isa": {"sw/isa"},
    "sim/golden": {"sim/golden", "sw/isa"},
    "sim/timing": {"sim/timing", "sim/golden", "sw/isa"},
    "sim/energy": {"sim/energy", "sim/golden", "sw/isa"},
    "sim/fabric": {"sim/fabric", "sw/isa"},
    "sim/network": {"sim/network", "sim/fabric", "sw/isa"},
    "sw/network/rtl": {"sw/network", "sim/network", "sim/fabric", "sw/isa"},
    "sw/runtime": {"sw/runtime", "sim/golden", "sw/isa"},
    "sw/compiler": {"sw/compiler", "sw/runtime", "sw/isa"},
    "sw/bench": {"sw/bench", "sw/isa"},
    "sw/bench/rtl": {"sw/bench", "sw/isa"},
    "sw/ttpu": {"sw/ttpu", "sw/bench", "sw/compiler", "sw/runtime", "sw/isa", "sim/golden", "sim/timing",
                "sim/energy", "sim/fabric", "sim/network"},
    "sw/demo": {"sw/demo", "sw/ttpu", "sw/compiler", "sw/runtime", "sw/isa", "sim/golden",
                "sim/timing", "sim/energy"},
    "tb": {"tb", "sim/golden", "sw/isa"},
    "sw/runtime/rtl": {"sw/runtime/rtl", "sw/runtime", "sw/isa", "sim/golden", "tb"},
    "tests": {"tests", "tb", "sw", "sim"},
}
VERILATOR_ALLOWED = ("tb", "sw/runtime/rtl", "sw/bench/rtl", "sw/network/rtl", "tests")
INCLUDE_ROOTS = ("sw", "sim", "")
RTL_SHARED = ("pkg", "common")
RTL_JOINS = ("chip", "board")


def cpp_layer(path):
    fits = [d for d in CPP if path == d or path.startswith(d + "/")]
    return max(fits, key=len) if fits else None


def target_of(root, source, name):
    """Path, relative to root, of the file that an #include "..." names; None if it is not ours."""
    for base in [source.parent] + [root / r for r in INCLUDE_ROOTS]:
        if (base / name).is_file():
            return (base / name).resolve().relative_to(root.resolve()).as_posix()
    return None


def check_cpp(root):
    errors = []
    for top in ("sw", "sim", "tb", "tests"):
        for source in sorted((root / top).rglob("*")):
            if source.suffix not in (".h", ".cpp"):
                continue
            path = source.relative_to(root).as_posix()
            layer = cpp_layer(path)
            if layer is None:
                errors.append(f"{path}: belongs to no layer; add its folder to scripts/check_layers.py")
                continue
            text = source.read_text(encoding="utf-8")
            for number, line in enumerate(text.splitlines(), 1):
                m = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
                if not m:
                    continue
                name = m.group(2)
                if re.match(r"(verilated|V[a-z]\w*\.h$)", name):
                    if not any(path.startswith(d + "/") for d in VERILATOR_ALLOWED):
                        errors.append(f"{path}:{number}: includes {name}: only the rtl back end, tb "
                                      "and tests may know Verilator")
                    continue
                if m.group(1) == "<":
                    continue
                target = target_of(root, source, name)
                if target and not any(target.startswith(d + "/") for d in CPP[layer]):
                    errors.append(f"{path}:{number}: {layer} must not include {target}")
                elif target and layer == "sw/runtime" and target.startswith("sw/runtime/rtl/"):
                    errors.append(f"{path}:{number}: the runtime knows the rtl back end only through "
                                  "the device API")
    return errors


def strip_sv(text):
    """Without comments and strings; line numbers stay."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m.group(0))
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', blank, text, flags=re.S)


def check_rtl(root):
    errors = []
    owner, texts = {}, {}
    for source in sorted((root / "rtl").rglob("*.sv")):
        path = source.relative_to(root).as_posix()
        block = path.split("/")[1]
        texts[path] = (block, strip_sv(source.read_text(encoding="utf-8")))
        names = re.findall(r"^\s*(?:module|package|interface)\s+(\w+)", texts[path][1], re.M)
        for name in names:
            if name in owner:
                errors.append(f"{path}: {name} is also defined in rtl/{owner[name]}")
            owner[name] = block
        if names and names != [source.stem]:
            errors.append(f"{path}: must define {source.stem} and nothing else, not {', '.join(names)}")
    for path, (block, text) in texts.items():
        if block in RTL_JOINS:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for name in re.findall(r"\b\w+\b", line):
                other = owner.get(name)
                if other and other != block and other not in RTL_SHARED:
                    errors.append(f"{path}:{number}: {block} must not use {name} of {other}; only "
                                  "chip joins blocks")
                elif other == "common" and block == "pkg":
                    errors.append(f"{path}:{number}: pkg must not use {name} of common")
    return errors


def main():
    if len(sys.argv) > 1 and sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent
    root = root.resolve()
    errors = check_cpp(root) + check_rtl(root)
    for e in errors:
        print(e)
    print(f"layers: {len(errors)} violations")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
