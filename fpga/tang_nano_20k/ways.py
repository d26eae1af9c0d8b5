#!/usr/bin/env python3
"""Ways that nextpnr does not time on this board: to and from the SDRAM's pads, to and from the
multipliers. An upper bound of each routed wire, from apycula's table of the device's slowest wires.

usage: build/venv/bin/python fpga/tang_nano_20k/ways.py build/fpga/tang_nano_20k/work/seed1.json [MHZ]

Exit code 1 if the SDRAM's commands and data differ by more than half a clock leaves (set-up of
1.5 ns apart), or its data come later than the falling edge takes them: docs/reference/sdram.md, Timing.
"""
import importlib.resources
import json
import re
import sys

from apycula import chipdb

SPEED = "C8/I7"
PADS = ("OBUF", "IOBUF")
# Set-up of the SDRAM, its access time, set-up of a flip-flop and a pad's own delay each way, in ns.
T_IS, T_AC, T_SU, T_PAD = 1.5, 6.0, 0.5, 1.0


def wire_times():
    """{class of wire: slowest ns, with the load of one tap}"""
    db = chipdb.load_chipdb(importlib.resources.files("apycula") / "GW2A-18C.msgpack.xz")
    wire, fan = db.timing[SPEED]["wire"], db.timing[SPEED]["fanout"]
    return {"0": max(wire["X0"]) + max(fan["X0Fan"]), "1": max(wire["FX1"]) + max(fan["X1Fan"]),
            "2": max(wire["X2"]) + max(fan["X2Fan"]), "8": max(wire["X8"]) + max(fan["X8Fan"]),
            "Q": max(max(fan["QFan"]), max(fan["FFan"])),
            "L": max(max(t) for n, t in db.timing[SPEED]["glbsrc"].items() if n.endswith(("SCLK", "SCLK_0")))}


def kind(wire):
    """Class of a wire by its name: [NSEW]{1,2,8}.. go so many cells, the rest stays in its cell."""
    name = wire.split("/")[-1]
    if re.fullmatch(r"[NSEW]{1,2}[0-9]+", name):
        length = re.search(r"[0-9]", name).group()
        return length if length in "128" else "1"
    return "Q" if re.fullmatch(r"[FQ][0-9]|OF[0-9]", name) else "L" if name.startswith("L") else "0"


def origins(place, source):
    """Where the wire that cell `place` knows as `source` may begin, the first choice alone if it is there:
    W818 at X1 is W810 of X9; at the device's edge a wire turns round; SN10 is N111 and S111 at its ends."""
    x, y = map(int, re.fullmatch(r"X([0-9]+)Y([0-9]+)", place).groups())
    m = re.fullmatch(r"([NSEW])([128])([0-9])([0-9])", source)
    if not m:
        return [f"{place}/{source}"], None
    toward, length, number, steps = m[1], m[2], m[3], int(m[4])
    dx, dy = {"N": (0, 1), "S": (0, -1), "E": (-1, 0), "W": (1, 0)}[toward]
    at = f"X{x + steps * dx}Y{y + steps * dy}"
    both = "SN" if toward in "NS" else "EW"
    return ([f"{place}/{source}", f"{at}/{toward}{length}{number}0", f"{at}/{both}{number}0"],
            re.compile(rf".*/[NSEW]{length}{number}0"))


def longest(routing, times):
    """Upper bound in ns from a net's source to its furthest sink."""
    parts = routing.split(";")
    pending = [(parts[i], parts[i + 1]) for i in range(0, len(parts) - 2, 3)]
    at = {}
    while pending:
        later = []
        for wire, pip in pending:
            if not pip:
                at[wire] = times[kind(wire)]
                continue
            place, _, source = pip.split("/")
            exact, turned = origins(place, source)
            if re.match(r"LB|LT", source):  # long lines: a trunk (LT) and its branches (LBO, LB)
                turned = re.compile(rf".*/{source[:2]}.*")
            came = [at[w] for w in exact if w in at]
            if not came and turned and not any(w == e for w, _ in pending for e in exact):
                waits = any(turned.fullmatch(w) and w != wire for w, _ in pending)
                came = [] if waits and source[0] == "L" else [t for w, t in at.items() if turned.fullmatch(w)]
            if came:
                at[wire] = max(came) + times[kind(wire)]
            else:
                later.append((wire, pip))
        if len(later) == len(pending):
            raise ValueError(f"no way to {later[0]} in {routing}")
        pending = later
    return max(at.values(), default=0.0)


def main():
    module = json.load(open(sys.argv[1], encoding="utf-8"))["modules"]["top"]
    mhz = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
    times = wire_times()
    nets = {bit: net["attributes"]["ROUTING"] for net in module["netnames"].values() for bit in net["bits"]
            if net["attributes"].get("ROUTING", "").strip()}
    ways = {"to the SDRAM": [], "from the SDRAM": [], "to multipliers": [], "from multipliers": []}

    def group(cell, name, port):
        if cell["type"] in PADS and "sdram" in name and "sdram_clk" not in name:
            return "to the SDRAM" if port in ("I", "OEN") else "from the SDRAM" if cell["type"] == "IOBUF" else ""
        if cell["type"] == "MULT9X9" and re.fullmatch(r"(A|B|DOUT)[0-9]+", port):
            return "from multipliers" if port.startswith("DOUT") else "to multipliers"
        return ""

    for name, cell in module["cells"].items():
        for port, bits in cell["connections"].items():
            which = group(cell, name, port)
            ways.get(which, []).extend(longest(nets[bit], times) for bit in bits if which and bit in nets)
    for what, ns in ways.items():
        if not ns:
            print(f"FAIL no way {what} in {sys.argv[1]}")
            return 1
        print(f"{what:16} {len(ns):5} ways, at most {min(ns):.2f} to {max(ns):.2f} ns")
    clock = 1000 / mhz
    out = clock / 2 - T_IS - max(ways["to the SDRAM"])
    back = clock - T_AC - T_SU - 2 * T_PAD - max(ways["from the SDRAM"])
    print(f"at {mhz:g} MHz: {out:.2f} ns left to the SDRAM, {back:.2f} ns from it")
    return 0 if out > 0 and back > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
