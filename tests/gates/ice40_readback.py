#!/usr/bin/env python3
"""Verilog of what an iCE40 UP5K bitstream configures: icebox_vlog gives logic cells, block RAMs with their
contents, pins and PLL; it leaves out DSP blocks and SPRAM, which are added here from icebox's database.

usage: ice40_readback.py BITSTREAM.bin PINS.pcf PACKAGE OUT.v      (top module `top`; work files beside OUT.v)
"""
import pathlib
import re
import shutil
import subprocess
import sys

# Widths of the parameters of SB_MAC16 that are more than a bit.
WIDE = ["TOPOUTPUT_SELECT", "TOPADDSUB_LOWERINPUT", "TOPADDSUB_CARRYSELECT",
        "BOTOUTPUT_SELECT", "BOTADDSUB_LOWERINPUT", "BOTADDSUB_CARRYSELECT"]


def vlog(asc, pins, package):
    """icebox_vlog's text; the pin file without options, which it does not read."""
    plain = asc.with_suffix(".pcf")
    plain.write_text("".join(re.sub(r"^set_io .*?([\w\[\]]+)[ \t]+(\w+)[ \t]*$", r"set_io \1 \2", line) + "\n"
                             for line in pins.read_text(encoding="utf-8").splitlines()), encoding="utf-8")
    return subprocess.run(["icebox_vlog", "-l", "-d", package, "-p", str(plain), "-n", "top", str(asc)],
                          stdout=subprocess.PIPE, text=True, timeout=500, check=True).stdout


def nets_of(text):
    """{(x, y, wire): net} from the comments that icebox_vlog puts behind the declaration of each net."""
    nets, net = {}, None
    for line in text.splitlines():
        if m := re.match(r"(?:wire|reg) (\w+)(?: = 0)?;$", line):
            net = m.group(1)
        elif net and (m := re.match(r"// \((\d+), (\d+), '(.*)'\)$", line)):
            nets[int(m.group(1)), int(m.group(2)), m.group(3)] = net
        elif line and not line.startswith("assign"):
            net = None
    return nets


class Extra:
    """Instances of the blocks that icebox_vlog leaves out."""

    def __init__(self, icebox, config, nets):
        self.icebox, self.config, self.nets, self.text = icebox, config, nets, []

    def bit(self, where):
        x, y, name = where
        entry = next(e for e in self.config.tile_db(x, y) if e[1:3] == ["IpConfig", name])
        return int(self.icebox.tileconfig(self.config.tile(x, y)).match(entry[0]))

    def port(self, seg, output=False):
        if seg in self.nets:
            return self.nets[seg]
        # Not connected: inputs are 0, a clock enable 1.
        return "" if output else "1'b1" if seg[2] == "lutff_global/cen" else "1'b0"

    def ports(self, db, widths, outputs):
        def bit(name, seg):
            net = self.port(seg, name in outputs)
            if not net:  # an output that goes nowhere
                net = f"nowhere_{len(self.text)}"
                self.text.append(f"wire {net};")
            return net

        result = []
        for name in sorted({m.group(1) if (m := re.match(r"(\w+)_\d+$", n)) else n for n in db}):
            segs = [db[f"{name}_{i}"] for i in range(widths[name] - 1, -1, -1)] if name in widths else [db[name]]
            result.append(f"  .{name}({{{', '.join(bit(name, s) for s in segs)}}})")
        return ",\n".join(result)

    def dsp(self, x, y):
        db = self.config.get_dsp_nets_db(x, y)
        if db["CLK"] not in self.nets:
            return False
        bits = {n: self.bit(w) for n, w in self.config.get_dsp_config_db(x, y).items()}
        given = {w: f"2'b{bits.pop(w + '_1')}{bits.pop(w + '_0')}" for w in WIDE}
        given.update({n: f"1'b{b}" for n, b in bits.items()})
        ports = self.ports(db, {"A": 16, "B": 16, "C": 16, "D": 16, "O": 32}, {"O", "CO"})
        self.text.append("SB_MAC16 #(\n" + ",\n".join(f"  .{n}({v})" for n, v in sorted(given.items()))
                         + f"\n) dsp_{x}_{y} (\n{ports},\n  .ACCUMCI(1'b0), .SIGNEXTIN(1'b0)\n);")
        return True

    def spram(self, where, db):
        db = dict(db)
        if not self.bit(db.pop("SPRAM_EN")):
            return False
        ports = self.ports(db, {"ADDRESS": 14, "DATAIN": 16, "DATAOUT": 16, "MASKWREN": 4}, {"DATAOUT"})
        self.text.append(f"SB_SPRAM256KA spram_{where[0]}_{where[1]}_{where[2]} (\n{ports}\n);")
        return True


def with_pll_pad(text, icebox, config, package, pins):
    """icebox_vlog leaves the pad that feeds the PLL unconnected: it is the port at that pin."""
    pads = {tuple(icebox.pllinfo_db[p]["PLLOUT_A"]) for p in config.pll_list()}
    numbers = {str(e[0]) for e in config.pinloc_db(package) if tuple(e[1:4]) in pads}
    names = [m.group(1) for m in re.finditer(r"(?m)^set_io .*?(\w+)[ \t]+(\w+)[ \t]*$", pins) if m.group(2) in numbers]
    if len(names) != 1:
        raise SystemExit(f"ice40_readback: not one port at the PLL's pad: {names}")
    # Parameters that say how the PLL is fed and divided, of which this project's model takes some.
    text, n = re.subn(r"\.PACKAGEPIN\(\w+\)", f".PACKAGEPIN({names[0]})", text)
    if n != 1:
        raise SystemExit(f"ice40_readback: {n} PLLs fed by a pad, not 1")
    drop = ("DELAY_ADJUSTMENT_MODE_\\w+|SHIFTREG_DIV_MODE|FDA_\\w+|ENABLE_ICEGATE|TEST_MODE|EXTFEEDBACK|DYNAMICDELAY|"
            "LATCHINPUTVALUE|SDO|SDI|SCLK")
    text = re.sub(rf"(?m)^  \.(?:{drop})\(.*\),?\n", "", text)
    return re.sub(r",\n(\) PLL_|\);)", r"\n\1", text)


def read_back(bitstream, pins, package, out):
    """Writes `out`; gives {"dsp": n, "spram": n, "ram": n}."""
    sys.path.insert(0, str(pathlib.Path(shutil.which("icebox_vlog")).resolve().parent))
    import icebox  # comes with the tool, is no package of Python's
    asc = out.with_suffix(".asc")
    subprocess.run(["iceunpack", str(bitstream), str(asc)], check=True, timeout=100)
    text = vlog(asc, pins, package)
    config = icebox.iceconfig()
    config.read_file(str(asc))
    extra = Extra(icebox, config, nets_of(text))
    counts = {"dsp": sum(extra.dsp(x, y) for x, y in sorted(config.dsp_tiles[0])),
              "spram": sum(extra.spram(w, db) for w, db in sorted(icebox.spram_db[config.device].items())),
              "ram": text.count("\nSB_RAM40_4K")}
    text = with_pll_pad(text, icebox, config, package, pins.read_text(encoding="utf-8"))
    # Ports are declared again among the nets, as wire or reg: legal behind a list of names only.
    head = re.search(r"(?m)^module top \((.*)\);$", text)
    ports = head.group(1).split(", ")
    text = text.replace(head.group(0), f"module top ({', '.join(p.split()[-1] for p in ports)});\n"
                        + "\n".join(f"{p};" for p in ports))
    lines = [line for line in text.splitlines() if not line.startswith(("/* DSP", "//", "Reading"))]
    end = max(i for i, line in enumerate(lines) if line == "endmodule")
    out.write_text("\n".join(lines[:end] + extra.text + ["endmodule", ""]), encoding="utf-8")
    return counts


def main():
    if len(sys.argv) != 5:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    print(read_back(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
