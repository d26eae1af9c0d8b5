#!/usr/bin/env python3
"""Ways that nextpnr does not time on this board: to and from the SDRAM's pads, to and from the
multipliers. Of each routed way the slowest times of its wires, as nextpnr counts elsewhere, and an
upper bound with the slowest load of a tap on each of them.

usage: build/venv/bin/python fpga/tang_nano_20k/ways.py build/fpga/tang_nano_20k/work/seed1.json [MHZ]

Exit code 1 if, by the wires, nothing is left of half a clock for a way to the SDRAM, of a clock and a half for one that
switches its data pads, or of a clock for a way from it (docs/reference/sdram.md, Timing at the pins).
"""
import importlib.resources
import json
import re
import sys

from apycula import chipdb

SPEED = "C8/I7"
# Set-up of the SDRAM, its access time, set-up of a flip-flop, a pad each way; ns.
T_IS, T_AC, T_SU, T_PAD = 1.5, 6.0, 0.5, 1.0


def wire_times(taps):
    """{class of wire: slowest ns}, `taps` times the slowest load of a tap on each."""
    db = chipdb.load_chipdb(importlib.resources.files("apycula") / "GW2A-18C.msgpack.xz")
    wire, tap, long = (db.timing[SPEED][k] for k in ("wire", "fanout", "glbsrc"))
    return {"0": max(wire["X0"]) + taps * max(tap["X0Fan"]), "1": max(wire["FX1"]) + taps * max(tap["X1Fan"]),
            "2": max(wire["X2"]) + taps * max(tap["X2Fan"]), "8": max(wire["X8"]) + taps * max(tap["X8Fan"]),
            "Q": max(max(tap["QFan"]), max(tap["FFan"])),
            "L": max(max(t) for n, t in long.items() if n.endswith(("SCLK", "SCLK_0")))}


def kind(wire):
    """Class of a wire: 1, 2 or 8 cells long, Q from a cell, L a long line, 0 inside a cell."""
    name = wire.split("/")[-1]
    if re.fullmatch(r"[NSEW]{1,2}[0-9]+", name):
        length = re.search(r"[0-9]", name).group()
        return length if length in "128" else "1"
    return "Q" if re.fullmatch(r"[FQ][0-9]|OF[0-9]", name) else "L" if re.match(r"L[BT]", name) else "0"


def origins(place, source):
    """Where the wire that cell `place` knows as `source` begins, and a pattern of what else it may be.
    W818 at X1 is W810 of X9; SN10 is N111 and S111 at its ends. At the device's edge a wire turns round,
    and a long line has many names: those are found by the pattern, and the slowest is taken."""
    wires = [f"{place}/{source}"]
    m = re.fullmatch(r"([NSEW])([128])([0-9])([0-9])", source)
    if m:
        x, y = map(int, re.fullmatch(r"X([0-9]+)Y([0-9]+)", place).groups())
        dx, dy = {"N": (0, 1), "S": (0, -1), "E": (-1, 0), "W": (1, 0)}[m[1]]
        at = f"X{x + int(m[4]) * dx}Y{y + int(m[4]) * dy}"
        wires += [f"{at}/{m[1]}{m[2]}{m[3]}0", f"{at}/{'SN' if m[1] in 'NS' else 'EW'}{m[3]}0"]
        return wires, re.compile(rf".*/[NSEW]{m[2]}{m[3]}0")
    m = re.match(r"LB|LT", source)
    return wires, re.compile(rf".*/{m[0]}.*" if m else "(?!)")


def longest(routing, times):
    """Upper bound in ns from a net's source to its furthest sink."""
    parts = routing.split(";")
    pending = [(parts[i], parts[i + 1]) for i in range(0, len(parts) - 2, 3)]
    at = {}
    while pending:
        later = []
        for wire, pip in pending:
            place, _, source = pip.split("/") if pip else ("", "", "")
            exact, other = origins(place, source) if pip else ([], None)
            came = [at[w] for w in exact if w in at]
            to_come = [w for w, _ in pending if w != wire and (w in exact or (other and other.fullmatch(w)))]
            if pip and not came and not any(w in exact for w in to_come) and (source[0] != "L" or not to_come):
                came = [t for w, t in at.items() if other.fullmatch(w)]
            if came or not pip:
                at[wire] = max(came, default=0.0) + times[kind(wire)]
            else:
                later.append((wire, pip))
        if len(later) == len(pending):
            raise ValueError(f"no way to {later[0]} in {routing}")
        pending = later
    return max(at.values(), default=0.0)


def group(kind_of_cell, name, port):
    """Which ways a port of a cell ends or begins."""
    if kind_of_cell in ("OBUF", "IOBUF") and "sdram" in name and "sdram_clk" not in name:
        if kind_of_cell == "IOBUF" and port != "I":
            return "to its drivers" if port == "OEN" else "from the SDRAM"
        return "to the SDRAM" if port == "I" else ""
    if kind_of_cell == "MULT9X9" and re.fullmatch(r"(A|B|DOUT)[0-9]+", port):
        return "from multipliers" if port.startswith("DOUT") else "to multipliers"
    return ""


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        module = json.load(f)["modules"]["top"]
    mhz = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
    wires, bound = wire_times(0), wire_times(1)
    nets = {bit: net["attributes"]["ROUTING"] for net in module["netnames"].values() for bit in net["bits"]
            if net["attributes"].get("ROUTING", "").strip()}
    ways = {"to the SDRAM": [], "to its drivers": [], "from the SDRAM": [], "to multipliers": [], "from multipliers": []}
    for name, cell in module["cells"].items():
        for port, bits in cell["connections"].items():
            which = group(cell["type"], name, port)
            if which:
                ways[which] += [(longest(nets[bit], wires), longest(nets[bit], bound)) for bit in bits if bit in nets]
    for what, ns in ways.items():
        if not ns:
            print(f"FAIL no way {what} in {sys.argv[1]}")
            return 1
        print(f"{what:16} {len(ns):5} ways, the longest {max(ns)[0]:.2f} ns, with taps at most {max(n[1] for n in ns):.2f} ns")
    clock = 1000 / mhz
    out = [clock / 2 - T_IS - max(n[i] for n in ways["to the SDRAM"]) for i in (0, 1)]
    drive = [1.5 * clock - T_IS - max(n[i] for n in ways["to its drivers"]) for i in (0, 1)]
    back = [clock - T_AC - T_SU - 2 * T_PAD - max(n[i] for n in ways["from the SDRAM"]) for i in (0, 1)]
    print(f"at {mhz:g} MHz: {out[0]:.2f} ns left to the SDRAM (with taps {out[1]:.2f}), "
          f"{drive[0]:.2f} to its drivers ({drive[1]:.2f}), {back[0]:.2f} from it ({back[1]:.2f})")
    return 0 if min(out[0], drive[0], back[0]) > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
