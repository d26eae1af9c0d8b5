"""What nextpnr's log says: use of the device, frequency of each clock, critical paths. All versions from 0.4 on."""
import dataclasses
import re

USE = re.compile(r"^Info:\s+(\w+):\s*(\d+)\s*/\s*(\d+)\s+\d+%", re.M)
CLOCK = re.compile(r"Max frequency for clock\s+'([^']+)':\s*([\d.]+) MHz(?: \((PASS|FAIL) at ([\d.]+) MHz\))?")
PATH = re.compile(r"Critical path report for clock '([^']+)'")
STEP = re.compile(r"^Info:\s+(?:(clk-to-q|routing|logic|setup|source|hold)\s+)?(-?[\d.]+)\s+(-?[\d.]+)\s+"
                  r"(Source|Setup|Net)\s+(\S+)(.*)$")
PLACE = re.compile(r"^Info:\s+(\S+\.s?vh?:[\d.\-]+)\s*$")


@dataclasses.dataclass
class Clock:
    """A clock after routing, MHz."""
    name: str
    mhz: float
    wanted: float

    @property
    def met(self):
        return self.mhz >= self.wanted


def utilisation(text):
    """{resource: (used, available)} as after packing; the last figure of each resource counts."""
    return {m[1]: (int(m[2]), int(m[3])) for m in USE.finditer(text)}


def clocks(text):
    """Clocks of the last report in the log, the one after routing."""
    found = {}
    for m in CLOCK.finditer(text):
        found[m[1]] = Clock(m[1], float(m[2]), float(m[4] or 0))
    return list(found.values())


def critical_path(text, clock):
    """Steps of the last critical path of `clock`: dicts with kind, ns, total_ns, name, places (source lines)."""
    steps, inside = [], False
    for line in text.splitlines():
        started = PATH.search(line)
        if started:
            inside = started[1] == clock
            if inside:
                steps = []
            continue
        if not inside:
            continue
        step = STEP.match(line)
        place = PLACE.match(line)
        if step:
            kind = step[1] or {"Source": "logic", "Setup": "setup", "Net": "routing"}[step[4]]
            steps.append({"kind": kind, "ns": float(step[2]), "total_ns": float(step[3]),
                          "name": step[5], "places": []})
        elif place and steps and not place[1].startswith("/"):
            steps[-1]["places"].append(place[1])
        elif not line.startswith("Info:") or "ns logic" in line:
            inside = False
    return steps


def short(name):
    """A cell's or net's name up to where Yosys appends the names of mapped cells, and its pin or bit."""
    return re.sub(r"_(?:LUT4|CCU2C|PFUMX|L6MUX21|TRELLIS_\w+?|SB_[A-Z0-9]+?|DFF\w*?|ALU|MUX2_LUT\d)_.*?((?:\.\w+|\[\d+\])?)$",
                  r"~\1", name)


def show_path(steps):
    """The path as text, a line a step, source lines beside the nets that have them."""
    rows = [f"  {'ns':>6} {'total':>7}  {'':8} {'':1}"]
    for s in steps:
        where = f"   {', '.join(s['places'])}" if s["places"] else ""
        rows.append(f"  {s['ns']:6.2f} {s['total_ns']:7.2f}  {s['kind']:8} {short(s['name'])}{where}")
    logic = sum(s["ns"] for s in steps if s["kind"] != "routing")
    wires = sum(s["ns"] for s in steps if s["kind"] == "routing")
    rows.append(f"  {logic:.2f} ns in logic, {wires:.2f} ns in wires")
    return "\n".join(rows[1:])


def errors(text):
    """Lines that nextpnr calls errors; if it fell over instead, the wires that it found no way for."""
    return (re.findall(r"^ERROR: .*$", text, re.M)
            or [f"no way for a wire: {line}" for line in re.findall(r"^Warning: (Failed to find a route .*)$", text, re.M)])
