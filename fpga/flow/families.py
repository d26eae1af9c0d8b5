"""What differs between device families: synthesis command, nextpnr's options, packing, names of resources."""
from errors import FlowError

# Size option of nextpnr by the device's name.
ICE40 = {"iCE40UP5K": "--up5k", "iCE40UP3K": "--up3k", "iCE40HX8K": "--hx8k", "iCE40HX4K": "--hx4k",
         "iCE40HX1K": "--hx1k", "iCE40LP8K": "--lp8k", "iCE40LP1K": "--lp1k"}
ECP5 = {"LFE5U-12F": "--12k", "LFE5U-25F": "--25k", "LFE5U-45F": "--45k", "LFE5U-85F": "--85k",
        "LFE5UM-25F": "--um-25k", "LFE5UM-45F": "--um-45k", "LFE5UM-85F": "--um-85k",
        "LFE5UM5G-25F": "--um5g-25k", "LFE5UM5G-45F": "--um5g-45k", "LFE5UM5G-85F": "--um5g-85k"}
# 7-series is not placed here: what the parts have (LUT6, flip-flops, DSP48E1, 36 kbit block RAMs).
XC7 = {"xc7a35t": (20800, 41600, 90, 50), "xc7a50t": (32600, 65200, 120, 75),
       "xc7a100t": (63400, 126800, 240, 135), "xc7a200t": (134600, 269200, 740, 365)}
XC7_LUT = {"LUT": 1, "INV": 1, "SRL": 1, "RAM32M": 4, "RAM64M": 4, "RAM32X": 2, "RAM64X": 2, "RAM128X": 4,
           "RAM256X": 4}  # shift registers and RAM in LUTs are LUTs

# The resource whose use is held against the fit margin, and what the report's columns are called:
# nextpnr's resource, or a sum over Yosys' cells by the beginning of their names.
RESOURCES = {
    "ice40": {"margin": "ICESTORM_LC", "pnr": {"cells": "ICESTORM_LC", "dsp": "ICESTORM_DSP",
                                               "bram": "ICESTORM_RAM", "spram": "ICESTORM_SPRAM"},
              "yosys": {"lut": {"SB_LUT4": 1}, "ff": {"SB_DFF": 1}, "carry": {"SB_CARRY": 1}},
              "margin_cells": {"SB_LUT4": 1}},
    "ecp5": {"margin": "TRELLIS_COMB", "pnr": {"lut": "TRELLIS_COMB", "ff": "TRELLIS_FF",
                                               "dsp": "MULT18X18D", "bram": "DP16KD"},
             "yosys": {"carry": {"CCU2C": 1}, "lutram": {"TRELLIS_DPR16X4": 1}},
             "margin_cells": {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6}},
    "gowin": {"margin": "LUT4", "pnr": {"lut": "LUT4", "ff": "DFF", "carry": "ALU", "bram": "BSRAM",
                                        "lutram": "RAM16SDP4"},
              "yosys": {"dsp": {"MULT18X18": 1, "MULT9X9": 0.5, "MULT36X36": 4, "MULTALU": 2, "MULTADDALU": 2}},
              "margin_cells": {"LUT": 1, "ALU": 1}},
    "xc7": {"margin": "lut", "pnr": {},
            "yosys": {"lut": XC7_LUT,
                      "ff": {"FDRE": 1, "FDSE": 1, "FDCE": 1, "FDPE": 1},
                      "dsp": {"DSP48E1": 1}, "bram": {"RAMB36": 1, "RAMB18": 0.5}, "carry": {"CARRY4": 1},
                      "lutram": {"RAM32": 1, "RAM64": 1, "RAM128": 1, "RAM256": 1}},
            "margin_cells": XC7_LUT},
}
BITSTREAM = {"ice40": "bin", "ecp5": "bit", "gowin": "fs"}


def _size(board, table):
    device = board.get("device")
    if device not in table:
        raise FlowError(f"{board.folder}/board.yaml: device '{device}' is none of {', '.join(table)}", 2)
    return table[device]


def xc7_size(board):
    """Resources of a 7-series part, named by its beginning."""
    for part, size in XC7.items():
        if board.get("device").startswith(part):
            return dict(zip(("lut", "ff", "dsp", "bram"), size))
    raise FlowError(f"{board.folder}/board.yaml: device '{board.get('device')}' begins with none of "
                    f"{', '.join(XC7)}", 2)


def synth(board, top):
    """Yosys commands from the elaborated design to the mapped one."""
    more = board.get("yosys", "")
    command = {"ice40": "synth_ice40", "ecp5": "synth_ecp5", "gowin": "synth_gowin",
               "xc7": "synth_xilinx -family xc7"}[board.family]
    if board.family == "ice40" and board.get("device").startswith("iCE40UP"):
        command += " -device u"
    return f"{command} -top {top} {more}".rstrip()


def device_args(board):
    """nextpnr's options for the device and the pins, which lie in the work folder as pins.<suffix>."""
    pins = f"pins{board.pins.suffix}"
    if board.family == "ice40":
        return [_size(board, ICE40), "--package", board.get("package"), "--pcf", pins]
    if board.family == "ecp5":
        return [_size(board, ECP5), "--package", board.get("package"), "--speed", str(board.get("speed")),
                "--lpf", pins]
    return ["--device", board.get("device"), "--vopt", f"family={board.get('gowin_family')}", "--vopt", f"cst={pins}"]


def output_args(board, seed):
    """(option of nextpnr, file) for the routed design."""
    option, suffix = {"ice40": ("--asc", "asc"), "ecp5": ("--textcfg", "config"),
                      "gowin": ("--write", "json")}[board.family]
    return option, f"seed{seed}.{suffix}"


def pack_args(board, routed, bitstream):
    """Arguments of the packer."""
    more = [str(a) for a in board.get("pack", [])]
    if board.family == "ice40":
        return more + [routed, bitstream]
    if board.family == "ecp5":
        return more + ["--input", routed, "--bit", bitstream]
    return more + ["-d", board.get("gowin_family"), "-o", bitstream, routed]


def count(cells, weights):
    """Sum over cells whose name begins with one of `weights`."""
    return sum(n * w for cell, n in cells.items() for begin, w in weights.items() if cell.startswith(begin))


def resources(board, cells, used):
    """{column: {"used", "available"}} from Yosys' cells and nextpnr's utilisation."""
    table = RESOURCES[board.family]
    result = {}
    for column, name in table["pnr"].items():
        if name in used:
            result[column] = {"used": used[name][0], "available": used[name][1]}
    for column, weights in table["yosys"].items():
        result[column] = {"used": count(cells, weights), "available": None}
    if board.family == "ice40" and "cells" in result:  # a logic cell is a LUT, a carry and a flip-flop
        for column in ("lut", "ff", "carry"):
            result[column]["available"] = result["cells"]["available"]
    if board.family == "gowin" and "MULT18X18" in used:  # DSP blocks count as multipliers of 18 bits
        result["dsp"]["available"] = used["MULT18X18"][1]
    if board.family == "xc7":
        for column, size in xc7_size(board).items():
            result[column]["available"] = size
    return result
