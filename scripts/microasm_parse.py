"""First pass of the microassembler: files to a list of statements with addresses.

Macros, conditions, constants, registers and labels are dealt with here; the operands of the
instructions are left as text for the second pass.
"""
import dataclasses
import re

from microasm_expr import ExprError, evaluate

NAME = r"[A-Za-z_]\w*"
MAX_DEPTH = 32          # of macros that use macros
MAX_ERRORS = 20


class AsmError(Exception):
    """Lines `file:line: text` of all that is wrong."""


@dataclasses.dataclass
class Statement:
    """An instruction before its operands are looked at."""
    where: str
    file: str
    op: str
    operands: list
    address: int
    scope: str          # before a local label
    text: str


@dataclasses.dataclass
class Macro:
    where: str
    args: list
    lines: list         # (where, file, text)


def strip_comment(text):
    return text.split(";", 1)[0].strip()


def split_operands(text):
    """At the commas outside of brackets."""
    parts, depth, now = [], 0, ""
    for ch in text:
        depth += (ch in "([") - (ch in ")]")
        if ch == "," and depth == 0:
            parts.append(now.strip())
            now = ""
        else:
            now += ch
    if now.strip() or parts:
        parts.append(now.strip())
    return parts


class Parser:
    """Reads sources in order. Afterwards: statements, labels, registers, constants."""

    def __init__(self, constants, max_registers):
        self.constants = dict(constants)
        self.given = set(constants)
        self.max_registers = max_registers
        self.registers = {}         # name -> (number, count, where)
        self.next_register = 0
        self.labels = {}            # name -> (address, where)
        self.statements = []
        self.macros = {}
        self.errors = []
        self.expansions = 0
        self.scope = ""
        self.conditions = []        # (where, taken now, ever taken, else seen)
        self.collecting = None      # macro that is being defined

    def error(self, where, text):
        self.errors.append(f"{where}: error: {text}")
        if len(self.errors) >= MAX_ERRORS:
            raise AsmError("\n".join(self.errors))

    def symbols(self):
        """Constants and numbers of registers, for expressions."""
        return {**{n: r[0] for n, r in self.registers.items()}, **self.constants}

    def evaluate(self, where, text):
        try:
            return evaluate(text, self.symbols())
        except ExprError as e:
            self.error(where, str(e))
            return 0

    def parse(self, name, text):
        """One file."""
        self.scope = ""
        lines = [(f"{name}:{i}", name, line) for i, line in enumerate(text.splitlines(), 1)]
        self.lines(lines, 0)
        if self.collecting:
            self.error(self.collecting[1].where, f"macro `{self.collecting[0]}` without .endm")
            self.collecting = None
        for where, *_ in self.conditions:
            self.error(where, ".if without .endif")
        self.conditions = []

    def lines(self, lines, depth):
        for where, file, raw in lines:
            text = strip_comment(raw)
            if not text:
                continue
            word = text.split(None, 1)[0]
            if self.collecting:
                if word == ".endm":
                    self.macros[self.collecting[0]] = self.collecting[1]
                    self.collecting = None
                elif word == ".macro":
                    self.error(where, "a macro inside of a macro")
                else:
                    self.collecting[1].lines.append((where, file, raw))
                continue
            if self.condition(where, word, text):
                continue
            if all(c[1] for c in self.conditions):
                self.line(where, file, text, depth)

    def condition(self, where, word, text):
        """True if the line was .if, .else or .endif."""
        if word == ".if":
            live = all(c[1] for c in self.conditions)
            value = bool(self.evaluate(where, text[3:])) if live else False
            self.conditions.append([where, value, value, False])
        elif word == ".elif":
            if not self.conditions or self.conditions[-1][3]:
                self.error(where, ".elif without .if")
            else:
                top = self.conditions[-1]
                live = all(c[1] for c in self.conditions[:-1]) and not top[2]
                top[1] = bool(self.evaluate(where, text[5:])) if live else False
                top[2] = top[2] or top[1]
        elif word == ".else":
            if not self.conditions or self.conditions[-1][3]:
                self.error(where, ".else without .if")
            else:
                top = self.conditions[-1]
                top[1], top[3] = not top[2], True
        elif word == ".endif":
            if not self.conditions:
                self.error(where, ".endif without .if")
            else:
                self.conditions.pop()
        else:
            return False
        return True

    def line(self, where, file, text, depth):
        while m := re.match(rf"(%?{NAME})\s*:\s*", text):
            self.label(where, m.group(1))
            text = text[m.end():]
        if not text:
            return
        word, _, rest = text.partition(" ")
        word, rest = word.strip(), rest.strip()
        if "\t" in word:
            word, _, more = word.partition("\t")
            rest = f"{more} {rest}".strip()
        if word.startswith("."):
            self.directive(where, word, rest)
        elif word in self.macros:
            self.expand(where, word, split_operands(rest), depth)
        else:
            self.statements.append(Statement(where, file, word, split_operands(rest),
                                             len(self.statements), self.scope, text))

    def label(self, where, name):
        if name.startswith("%"):
            name = self.scope + name
        else:
            self.scope = name
        if name in self.labels:
            self.error(where, f"label `{name}` is also at {self.labels[name][1]}")
        self.labels[name] = (len(self.statements), where)

    def new_name(self, where, name):
        """True if a register or constant may get this name."""
        if not re.fullmatch(NAME, name):
            self.error(where, f"`{name}` is no name")
        elif name in self.given:
            self.error(where, f"`{name}` is a name of the assembler")
        elif name in self.constants:
            self.error(where, f"`{name}` is a constant already")
        elif name in self.registers:
            self.error(where, f"`{name}` is a register already, at {self.registers[name][2]}")
        else:
            return True
        return False

    def directive(self, where, word, rest):
        name, _, tail = rest.partition(" ")
        if word == ".reg":
            if self.new_name(where, name):
                count = self.evaluate(where, tail) if tail.strip() else 1
                if count < 1:
                    self.error(where, f"`{name}`: {count} registers")
                elif self.next_register + count > self.max_registers:
                    self.error(where, f"`{name}`: no register left of {self.max_registers}")
                else:
                    self.registers[name] = (self.next_register, count, where)
                    self.next_register += count
        elif word == ".alias":
            if self.new_name(where, name):
                self.registers[name] = (self.evaluate(where, tail), 1, where)
        elif word == ".equ":
            if self.new_name(where, name):
                self.constants[name] = self.evaluate(where, tail)
        elif word == ".macro":
            words = re.split(r"[,\s]+", rest)
            if not re.fullmatch(NAME, words[0]):
                self.error(where, ".macro needs a name")
                return
            if words[0] in self.macros:
                self.error(where, f"macro `{words[0]}` is also at {self.macros[words[0]].where}")
            self.collecting = (words[0], Macro(where, [w for w in words[1:] if w], []))
        elif word == ".error":
            self.error(where, rest)
        else:
            self.error(where, f"unknown directive {word}")

    def expand(self, where, name, values, depth):
        macro = self.macros[name]
        if len(values) != len(macro.args):
            self.error(where, f"macro `{name}` takes {len(macro.args)} operands, got {len(values)}")
            return
        if depth >= MAX_DEPTH:
            self.error(where, f"macro `{name}` uses itself")
            return
        self.expansions += 1
        outer, self.scope = self.scope, f"{name}@{self.expansions}"
        # a local label that comes in as an operand belongs to the one who gave it
        table = {a: (outer + v if v.startswith("%") else v) for a, v in zip(macro.args, values)}
        lines = []
        for at, file, raw in macro.lines:
            text = strip_comment(raw)
            if table:
                text = re.sub(rf"(?<![%\w]){NAME}", lambda m: table.get(m.group(0), m.group(0)), text)
            lines.append((f"{where} ({at})", file, text))
        self.lines(lines, depth + 1)
        self.scope = outer
