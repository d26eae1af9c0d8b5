#!/usr/bin/env python3
"""The microassembler: words bit by bit, macros, conditions, local labels, and that it names what is wrong."""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ASSEMBLER = ROOT / "scripts" / "microasm.py"

GOOD = """
.reg X N
.reg YA N
.reg T0
.reg T1
.reg L1
.alias LINK L1
.equ TWELVE 3 * 4
.macro add64 lo, value, where
  iadd lo, lo, value
  addc lo+1, lo+1, #0
  beq lo, #0, where
%own: bne lo, #0, %own
.endm
start:
  li T0, #F_DMA_LOAD_IMM_H_LSB   ; 45
%mine:
  add64 T0, #1, %mine
  iadd.r X[*], X[*], YA[*]
  ld T0, [T1+#8]
  ld T0, [X+1+T1]
  st [T0+#TWELVE], X+2
  mts MXW+3, T0
  mts.r MXW[*], YA[*]
  mfs T1, CYCLES
  bf MXBUSY, start
  callf HREQ, L1, start
  call LINK, sub
.if N == 8
  exts.r X[*], T0
.elif N == 4 && !(1 == 2)
  extz.r X[*], T0
.else
.error neither
.endif
  sel.r X[*], YA[*], T0
  bltu T1, T0, sub
  lin T1, #0xfffe
  la T0, sub
sub:
  ret L1
  stp [T0+#4]
  pack.r X[*]
"""
# op [35:30] vd va vb bi rpt 0 d [23:16] a b; with N = 4: X 0, YA 4, T0 8, T1 9, L1 10
def word(op, d=0, a=0, b=0, vd=0, va=0, vb=0, bi=0, rpt=0):
    return op << 30 | vd << 29 | va << 28 | vb << 27 | bi << 26 | rpt << 25 | d << 16 | a << 8 | b


def branch(op, a, b, target, bi=0):
    return (op << 30 | (target >> 10) << 29 | bi << 26 | (target >> 8 & 3) << 24 | (target & 255) << 16 |
            a << 8 | b)


EXPECTED = [
    word(28, 8, 0, 45, bi=1), word(1, 8, 8, 1, bi=1), word(23, 9, 9, 0, bi=1), branch(40, 8, 0, 1, 1),
    branch(41, 8, 0, 4, 1), word(1, 0, 0, 4, vd=1, va=1, vb=1, rpt=1), word(32, 8, 9, 8, bi=1),
    word(32, 8, 1, 9), word(38, 12, 8, 2, vd=1, rpt=1), word(36, 67, 8), word(36, 64, 4, vd=1, va=1, rpt=1),
    word(35, 9, 0, 0, bi=1), 50 << 30 | 1 << 27 | 0, 54 << 30 | 0 << 27 | 1 << 26 | 10 << 16 | 0,
    47 << 30 | 1 << 26 | 10 << 16 | 20, word(19, 0, 8, vd=1, bi=1, rpt=1),
    word(30, 0, 4, 8, vd=1, va=1, rpt=1), branch(44, 9, 8, 20), word(29, 9, 0xff, 0xfe, bi=1),
    word(28, 8, 0, 20, bi=1), word(49, 0, 10), word(39, 4, 8, vd=1, rpt=1), word(20, 0, 0, vd=1, va=1, rpt=1)]

BAD = [  # text, line, message
    ("  iad X, X, X\n", 1, "unknown operation `iad`, did you mean `iadd`?"),
    ("  iadd Z, X, X\n", 1, "`Z` is no register"),
    ("  iadd X, X, #256\n", 1, "immediate 256 is not in 0..255"),
    ("  li X, #65536\n", 1, "immediate 65536 is not in 0..65535"),
    ("\n  jmp nowhere\n", 2, "no label `nowhere`"),
    ("a:\n  jmp a\na:\n", 3, "label `a` is also at"),
    ("  iadd X[*], X, X\n", 1, "[*] without .r"),
    ("  st.r [X], X\n", 1, "`st` cannot be repeated"),
    ("  beq X, #1\n", 1, "`beq` takes 3 operands, got 2"),
    ("  mts CYCLE, X\n", 1, "`CYCLE` is no SPR, did you mean `CYCLES`?"),
    ("  bf BUSY, x\nx:\n", 1, "`BUSY` is no flag"),
    ("  li X, #OP_ADDX\n", 1, "unknown name `OP_ADDX`, did you mean"),
    (".if 1\n", 1, ".if without .endif"),
    (".endif\n", 1, ".endif without .if"),
    (".macro m a\n  li a, #1\n.endm\n  m X, X\n", 4, "macro `m` takes 1 operands, got 2"),
    (".macro m\n  m\n.endm\n  m\n", 4, "uses itself"),
    (".macro m a\n  li a, #70000\n.endm\n  m X\n", 4, "immediate 70000"),
    (".reg X 2\n", 1, "`X` is a register already"),
    (".reg BIG 300\n", 1, "no register left of 256"),
    (".equ N 3\n", 1, "`N` is a name of the assembler"),
    ("  ald.r X[*], X[*]\n", 1, "does not move with the lane"),
    ("  li X, #1 / 0\n", 1, "division by zero"),
    (".error enough\n", 1, "enough"),
    ("".join(f"  li X, #{i}\n" for i in range(2049)), None, "2049 words"),
]


def assemble(text, *options, prefix=".reg X N\n"):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "x.mc"
        registers = pathlib.Path(folder) / "registers.mc"
        source.write_text(text, "utf-8")
        registers.write_text(prefix, "utf-8")
        r = subprocess.run([sys.executable, ASSEMBLER, "--n", "4", "--rom", "-", *options, registers, source],
                           capture_output=True, text=True, timeout=60)
        return r.returncode, r.stdout, r.stderr


def main():
    failed = 0

    def check(name, good, detail=""):
        nonlocal failed
        print(f"{'ok  ' if good else 'FAIL'} {name}{'' if good else ': ' + detail}")
        failed += not good

    status, output, errors = assemble(GOOD, prefix="")
    words = [int(line.split()[1], 16) for line in output.splitlines() if line.startswith("word ")]
    check("the good source is taken", status == 0, errors)
    for i in range(max(len(words), len(EXPECTED))):
        got = f"{words[i]:09x}" if i < len(words) else "nothing"
        expected = f"{EXPECTED[i]:09x}" if i < len(EXPECTED) else "nothing"
        if got != expected:
            check(f"word {i}", False, f"expected {expected}, got {got}")
    check("its words", words == EXPECTED)
    check("its labels", "label 20 sub" in output and "label 0 start" in output, output)
    check("its registers", "reg 8 1 T0" in output and "reg 4 4 YA" in output, output)
    for text, line, message in BAD:
        status, _, errors = assemble(text)
        where = f"x.mc:{line}" if line else ""
        check(message, status != 0 and message in errors and where in errors, f"got {errors!r}")
    status, _, errors = assemble("  jmp nowhere\n", "--partial")
    check("--partial lets a label be missing and names it", status == 0 and "nowhere" in errors, errors)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
