#!/usr/bin/env python3
"""Every port of each board's top has one pin, and no pin has two: some placers choose a pin by themselves for a
port that the pin file forgets.

usage: pins_test.py
"""
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "fpga/flow"))
# pylint: disable=wrong-import-position
import boards

# (port, pin) in a line of a pin file; comments are gone by then.
LINES = {
    ".pcf": r"set_io\b.*?(\w+(?:\[\d+\])?)\s+(\w+)\s*$",
    ".lpf": r'LOCATE COMP "([^"]+)" SITE "(\w+)"',
    ".cst": r'IO_LOC\s+"([^"]+)"\s+(\w+)',
    ".xdc": r"PACKAGE_PIN\s+(\w+).*?get_ports\s+\{?(\w+(?:\[\d+\])?)",
}
# Of the Tang Nano 20K: wires inside the package, which the tools know by their names.
INSIDE = re.compile(r"I?O_sdram_\w+(\[\d+\])?")


def ports(top):
    """Names of a top's ports, buses by bit."""
    text = re.sub(r"//[^\n]*", "", top)
    header = text[text.index(") (") + 3:text.index(");")]
    names = []
    for width, name in re.findall(r"\b(?:input|output|inout)\s+(?:logic|wire)\s*(?:\[(\d+):0\])?\s*(\w+)", header):
        names += [f"{name}[{i}]" for i in range(int(width) + 1)] if width else [name]
    return names


def pins(path):
    """(port, pin) of a pin file, in its order."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        line = re.sub(r"^\s*(#|//).*", "", line)
        for one, other in re.findall(LINES[path.suffix], line):
            found.append((other, one) if path.suffix == ".xdc" else (one, other))
    return found


def faults(top, pin_file):
    """What does not fit between a top and its pin file."""
    wanted = [p for p in ports(top) if not INSIDE.fullmatch(p)]
    given = pins(pin_file)
    named, used = [p for p, _ in given], [p for _, p in given]
    return ([f"port {p} has no pin" for p in wanted if p not in named]
            + [f"{p} is no port" for p in named if p not in wanted]
            + [f"port {p} has two pins" for p in sorted(set(named)) if named.count(p) > 1]
            + [f"pin {p} has two ports" for p in sorted(set(used)) if used.count(p) > 1])


class Pins(unittest.TestCase):
    """All boards; and that each fault is seen."""

    def test_every_board(self):
        for name in boards.names(ROOT / "fpga"):
            for variant in boards.variants(ROOT / "fpga", name):
                with self.subTest(board=name, variant=variant):
                    board = boards.load(ROOT / "fpga", name, variant)
                    self.assertEqual(faults(board.top.read_text(encoding="utf-8"), board.pins), [])

    def test_faults(self):
        top = "module top #(\n) (\n  input  logic clk,  // in\n  output logic [1:0] led\n);"
        good = {".pcf": "set_io clk 35\nset_io -pullup yes led[0] 1\nset_io led[1] 2\n# set_io led[2] 3\n",
                ".cst": '// x\nIO_LOC "clk" 35;\nIO_LOC "led[0]" 1;\nIO_LOC "led[1]" 2;\n'}
        with tempfile.TemporaryDirectory() as folder:
            for suffix, text in good.items():
                file = pathlib.Path(folder) / f"pins{suffix}"

                def of(changed, file=file):
                    file.write_text(changed, encoding="utf-8")
                    return faults(top, file)
                self.assertEqual(of(text), [])
                self.assertEqual(of(text.replace("led[1]", "led[2]", 1)), ["port led[1] has no pin", "led[2] is no port"])
                self.assertEqual(of(text.replace("led[1]", "led[0]", 1)), ["port led[1] has no pin", "port led[0] has two pins"])
                self.assertEqual(of(text.replace("35", "2")), ["pin 2 has two ports"])


if __name__ == "__main__":
    unittest.main()
