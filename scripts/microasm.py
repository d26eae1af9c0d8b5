#!/usr/bin/env python3
"""Assemble the microcode of the microprogrammed core.

usage: scripts/microasm.py [--check] [--partial]           generate all files in the repository
       scripts/microasm.py --n N [--list FILE] [--rom FILE] [--partial] [SOURCE ...]

Without --n the generated files are written: the package of opcodes and the ROMs (rtl/micro/), and
headers for the timing model (sim/timing/generated/). With --check nothing is written: exit 1 names
each file that differs from what the sources say. With --n one ROM is assembled for N lanes from
the given sources, or those of rtl/micro/code/ in their order: --list writes a listing, --rom an
image that the program micro_run loads, - stands for the standard output. --partial lets labels be
missing (they count as address 0; each is named on stderr).

Statements, one a line, `; comment`:
  label:             global; `%label:` is local to the global label before it, or to its macro
  .reg name [count]  registers, numbered from 0 in order        .equ name expr      a constant
  .alias name register   another name for a register
  .if expr / .elif expr / .else / .endif                        .error text         ends assembly
  .macro name args / .endm  in the body an argument's name stands for the operand
Operands: a register is `name`, `name+1`, `name[*]` (plus the lane); `#expr` is an immediate. `op.r`
repeats over the lanes. Forms of the ops (uisa.yaml names each op's):
  da d, a | dab d, a, b or #imm8 | di d, #imm16 | ld d, [a+#imm8] or [a+b] | st [a+#imm8], b
  stp [a+#imm8] | lanes: op a, repeatable
  mfs d, SPR | mts SPR, a | a: op a | branch a, b or #imm8, label | jump label | call link, label
  flag FLAG, label | flagcall FLAG, link, label       also: `ret a` = jr a; `la d, label` = li
Expressions know N, NUM_*, sizes (VMEM_BYTES, LMEM_QUEUES ...), REG_*, WIN_*, CNT_* (byte offset in
the counters' window), OP_*, ERR_*, UNIT_*, enum values (DTYPE_S8), F_<instruction>_<field>_LSB and
_BITS (bit number in the instruction of 128 bits; of the common fields F_<field>_LSB).
"""
import argparse
import pathlib
import re
import sys

import yaml

import generate
from microasm_expr import names_in, suggestion
from microasm_out import cpp_isa, cpp_rom, listing, rom_text, sv_isa, sv_rom
from microasm_parse import AsmError, Parser

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = ROOT / "rtl" / "micro" / "code"
ORDER = ["registers", "main", "host", "scalar", "dma", "mxu", "vpu", "vpu_run"]
OPERANDS = {"da": 2, "dab": 3, "di": 2, "ld": 2, "st": 2, "stp": 1, "mfs": 2, "mts": 2, "a": 1, "lanes": 1,
            "branch": 3, "jump": 1, "call": 2, "flag": 2, "flagcall": 3}
REPEATABLE = ("da", "dab", "di", "ld", "mts", "lanes")
RPT, BI, VB, VA, VD = 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 29


def load_uisa():
    with open(CODE / "uisa.yaml", encoding="utf-8") as f:
        return yaml.safe_load(f)


def micro_config(cfgs, n):
    """The named configuration of the microprogrammed core with N lanes."""
    for name, c in cfgs["configs"].items():
        if c["micro"] and c["n"] == n:
            return name, generate.derive(c)
    sys.exit(f"microasm: no microprogrammed configuration with n = {n} in sw/isa/configs.yaml")


def constants(n):
    """Names that any microcode may use, with their values for N lanes."""
    isa, regs, cfgs = (generate.load(f) for f in ("isa.yaml", "registers.yaml", "configs.yaml"))
    generate.prepare(isa)
    _, c = micro_config(cfgs, n)
    names = {"N": n, "ISA_VERSION": isa["version"]}
    for r in regs["registers"]:
        names[f"REG_{r['name']}"] = r["offset"]
        if "reset" in r:
            names[f"REG_{r['name']}_RESET"] = r["reset"]
    for w in regs["windows"]:
        names[f"WIN_{w['name']}"], names[f"WIN_{w['name']}_BYTES"] = w["offset"], w["bytes"]
    counters = [name for name, _ in generate.counters(isa, regs)]
    for i, name in enumerate(counters):
        names[f"CNT_{name}"] = 8 * i
    names.update(NUM_COUNTERS=len(counters), NUM_PLAIN_COUNTERS=len(regs["counters"]),
                 NUM_STATES=len(regs["unit_states"]), NUM_UNITS=len(isa["units"]))
    for u in isa["units"]:
        names[f"UNIT_{u['name']}"] = u["value"]
    for name, e in isa["enums"].items():
        for v in e["values"]:
            names[f"{name.upper()}_{v['name']}"] = v["value"]
    for e in isa["errors"]:
        names[f"ERR_{e['name']}"] = e["value"]
    for f in isa["common"]:
        names[f"F_{f['name'].upper()}_LSB"], names[f"F_{f['name'].upper()}_BITS"] = f["lsb"], f["bits"]
    for ins in isa["instructions"]:
        names[f"OP_{ins['name']}"] = ins["opcode"]
        names[f"F_{ins['name']}_END"] = generate.BODY_LSB + ins["used"]
        for f in ins["fields"]:
            field = f"F_{ins['name']}_{f['name'].upper()}"
            names[f"{field}_LSB"], names[f"{field}_BITS"] = f["lsb"], f["bits"]
    for key in ("vmem_bytes", "imem_words", "smem_words", "queue_depth", "vpu_stages", "dma_channels"):
        names[key.upper()] = c[key]
    names["ACC_TOTAL"] = 2 * c["acc_rows"]
    # the local memory, in bytes: VMEM first
    at = c["vmem_bytes"]
    queues = sum(u["name"] not in ("SCALAR", "ICI") for u in isa["units"])
    for name, size in (("IMEM", 16 * c["imem_words"]), ("SMEM", 4 * c["smem_words"]),
                       ("QUEUES", 16 * queues * c["queue_depth"]), ("COUNTERS", 8 * len(counters))):
        names[f"LMEM_{name}"] = at
        at += size
    # the rest of a power of two, or of three quarters of one
    names["LMEM_SPILL"] = at
    size = 1 << (at - 1).bit_length()
    names["LMEM_BYTES"] = 3 * size // 4 if at <= 3 * size // 4 else size
    return names


class Assembler:
    """Second pass: operands to words."""

    def __init__(self, uisa, parser, partial=False):
        self.uisa, self.parser, self.partial = uisa, parser, partial
        self.ops = {o["name"]: o for o in uisa["ops"]}
        self.sprs = {s["name"]: s["nr"] for s in uisa["sprs"]}
        self.flags = {f["name"]: f["nr"] for f in uisa["flags"]}
        self.missing = {}
        self.now = None

    def error(self, text):
        self.parser.error(self.now.where, f"{text}: {self.now.text}")

    def number(self, text, low, high, what):
        value = self.parser.evaluate(self.now.where, text)
        if not low <= value <= high:
            self.error(f"{what} {value} is not in {low}..{high}")
            return low
        return value

    def register(self, text):
        """(number, per lane)"""
        lane = text.endswith("[*]")
        text = text[:-3].strip() if lane else text.strip()
        if text.startswith("#"):
            self.error(f"`{text}` is an immediate, a register is wanted")
            return 0, lane
        used = names_in(text)
        if not used & set(self.parser.registers):
            hint = "".join(suggestion(u, list(self.parser.registers)) for u in sorted(used)[:1])
            self.error(f"`{text}` is no register{hint}")
            return 0, lane
        return self.number(text, 0, self.uisa["registers"] - 1, "register"), lane

    def special(self, text, table, what, top):
        used = names_in(text)
        known = used & set(table)
        if len(known) != 1:
            self.error(f"`{text}` is no {what}" + "".join(
                suggestion(u, list(table)) for u in sorted(used)[:1]))
            return 0
        name = known.pop()
        value = self.number(re.sub(rf"\b{name}\b", str(table[name]), text), 0, top, what)
        return value

    def label(self, text):
        name = self.now.scope + text if text.startswith("%") else text
        if name in self.parser.labels:
            return self.parser.labels[name][0]
        if self.partial:
            self.missing.setdefault(name, self.now.where)
        else:
            self.error(f"no label `{text}`{suggestion(name, list(self.parser.labels))}")
        return 0

    def d(self, text):
        number, lane = self.register(text)
        return number << 16 | (VD if lane else 0)

    def a(self, text):
        number, lane = self.register(text)
        return number << 8 | (VA if lane else 0)

    def b(self, text):
        if text.startswith("#"):
            return BI | self.number(text[1:], 0, 255, "immediate")
        number, lane = self.register(text)
        return number | (VB if lane else 0)

    def memory(self, text):
        """(register, offset) of `[register + offset]`"""
        m = re.fullmatch(r"\[(.*)\]", text)
        if not m:
            self.error(f"`{text}` is no memory operand: [a], [a+#imm] or [a+b]")
            return "", "#0"
        inner = m.group(1).strip()
        if m := re.fullmatch(r"(.*?)\+\s*(#.*)", inner):
            return m.group(1).strip(), m.group(2).strip()
        # [a+b]: a plus is an offset of a register number if a constant follows
        for i in reversed(range(len(inner))):
            if inner[i] == "+" and names_in(inner[i:]) & set(self.parser.registers):
                return inner[:i].strip(), inner[i + 1:].strip()
        return inner, "#0"

    def word(self, statement):
        """The 36 bits of a statement."""
        self.now = statement
        op, rpt, operands = statement.op, False, statement.operands
        if op.endswith(".r"):
            op, rpt = op[:-2], True
        if op == "ret":
            op = "jr"
        is_la = op == "la"
        if is_la:
            op = "li"
        if op not in self.ops:
            self.error(f"unknown operation `{op}`{suggestion(op, list(self.ops))}")
            return 0
        entry = self.ops[op]
        form, word = entry["form"], entry["nr"] << 30
        if len(operands) != OPERANDS[form] or "" in operands:
            self.error(f"`{op}` takes {OPERANDS[form]} operands, got {len(operands)}")
            return 0
        if rpt and form not in REPEATABLE:
            self.error(f"`{op}` cannot be repeated")
        word |= RPT if rpt else 0
        always = sum({"bi": BI, "vd": VD, "rpt": RPT}[bit] for bit in entry.get("always", []))
        if is_la:
            return word | always | self.d(operands[0]) | self.label(operands[1])
        word |= getattr(self, f"form_{form}")(*operands)
        if rpt and form == "lanes":  # it writes nothing, but the ROM has repeats with d[*] only
            word |= VD
        if not rpt and form not in ("jump", "flag", "flagcall", "branch") and word & (VA | VB | VD):
            self.error("[*] without .r")
        if op == "ald" and word & VA:
            self.error("the row of `ald` does not move with the lane")
        if op in ("exts", "extz") and word & VA:
            self.error(f"the source of `{op}` moves by itself, write it without [*]")
        return word | always

    def form_da(self, d, a):
        return self.d(d) | self.a(a)

    def form_dab(self, d, a, b):
        return self.d(d) | self.a(a) | self.b(b)

    def form_di(self, d, value):
        if not value.startswith("#"):
            self.error(f"`{value}` is no immediate (#expr)")
            return 0
        return self.d(d) | self.number(value[1:], 0, 0xffff, "immediate")

    def form_ld(self, d, memory):
        a, offset = self.memory(memory)
        return self.d(d) | self.a(a) | self.b(offset)

    def form_stp(self, memory):
        a, offset = self.memory(memory)
        if not offset.startswith("#"):
            self.error("a store takes [a] or [a+#imm]")
            return 0
        return self.number(offset[1:], 0, 255, "offset") << 16 | self.a(a)

    def form_st(self, memory, b):
        number, lane = self.register(b)
        return self.form_stp(memory) | number | (VB if lane else 0)

    def form_mfs(self, d, spr):
        return self.d(d) | self.special(spr, self.sprs, "SPR", 255)

    def form_mts(self, spr, a):
        lane = spr.endswith("[*]")
        spr = spr[:-3] if lane else spr
        return (VD if lane else 0) | self.special(spr, self.sprs, "SPR", 255) << 16 | self.a(a)

    def form_a(self, a):
        return self.a(a)

    form_lanes = form_a

    def form_branch(self, a, b, label):
        target = self.label(label)
        word = self.a(a) | self.b(b)
        if word & (VA | VB):
            self.error("[*] in a branch")
        return word | (target >> 10 & 1) << 29 | (target >> 8 & 3) << 24 | (target & 255) << 16

    def form_jump(self, label):
        return self.label(label)

    def form_call(self, link, label):
        return self.d(link) | self.label(label)

    def form_flag(self, flag, label):
        return self.special(flag, self.flags, "flag", 7) << 27 | self.label(label)

    def form_flagcall(self, flag, link, label):
        return self.special(flag, self.flags, "flag", 7) << 27 | self.d(link) | self.label(label)

    def run(self):
        words = [self.word(s) for s in self.parser.statements]
        if len(words) > 1 << self.uisa["address_bits"]:
            self.parser.errors.append(f"error: {len(words)} words, beyond what a jump can reach")
        if self.parser.errors:
            raise AsmError("\n".join(self.parser.errors))
        return words


def sources():
    """The microcode's files in their order."""
    return [CODE / f"{name}.mc" for name in ORDER if (CODE / f"{name}.mc").exists()]


def assemble(n, paths=None, partial=False):
    """(parser, words) of the microcode for N lanes; raises AsmError."""
    uisa = load_uisa()
    parser = Parser(constants(n), uisa["registers"])
    for path in paths if paths is not None else sources():
        path = pathlib.Path(path).resolve()
        name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)
        try:
            parser.parse(name, path.read_text(encoding="utf-8"))
        except OSError as e:
            sys.exit(f"microasm: {e}")
    assembler = Assembler(uisa, parser, partial)
    words = assembler.run()
    for name, where in sorted(assembler.missing.items()):
        print(f"{where}: warning: no label `{name}`, taken as 0", file=sys.stderr)
    return parser, words


def outputs(partial):
    """{path: text} of all generated files."""
    uisa, cfgs = load_uisa(), generate.load("configs.yaml")
    out = {"rtl/micro/ttpu_micro_pkg.sv": sv_isa(uisa),
           "sim/timing/generated/micro_isa.h": cpp_isa(uisa)}
    roms = {}
    for n in sorted(c["n"] for c in cfgs["configs"].values() if c["micro"]):
        roms[n] = assemble(n, partial=partial)
        if len(roms[n][1]) > uisa["rom_words"]:
            sys.exit(f"microasm: {len(roms[n][1])} words for {n} lanes, a ROM holds {uisa['rom_words']}")
        out[f"rtl/micro/ttpu_micro_rom{n}_pkg.sv"] = sv_rom(n, roms[n][1])
    out["sim/timing/generated/micro_rom.h"] = cpp_rom(roms)
    return out


def write(path, text):
    if path == "-":
        sys.stdout.write(text)
    else:
        pathlib.Path(path).write_text(text, encoding="utf-8")


def main():
    arguments = argparse.ArgumentParser(description=__doc__,
                                        formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--n", type=int)
    arguments.add_argument("--list")
    arguments.add_argument("--rom")
    arguments.add_argument("--partial", action="store_true")
    arguments.add_argument("source", nargs="*")
    args = arguments.parse_args()
    if args.n is None and (args.list or args.rom or args.source):
        arguments.error("--list, --rom and sources go with --n")
    try:
        if args.n is None:
            generate.update(outputs(args.partial), args.check)
            return
        parser, words = assemble(args.n, args.source or None, args.partial)
    except AsmError as e:
        sys.exit(str(e))
    if args.list:
        write(args.list, listing(parser, words))
    if args.rom:
        write(args.rom, rom_text(args.n, parser, words))
    sizes = {}
    for s in parser.statements:
        sizes[pathlib.Path(s.file).name] = sizes.get(pathlib.Path(s.file).name, 0) + 1
    print(f"n {args.n}: {len(words)} words, {parser.next_register} registers; " +
          ", ".join(f"{f} {k}" for f, k in sizes.items()), file=sys.stderr)


if __name__ == "__main__":
    main()
