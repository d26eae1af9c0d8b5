"""Expressions of the microassembler: integers, names, + - * / % << >> & | ^ ~, comparisons, && || !.

Python's parser reads them (no other syntax of it is let through); a truth value is 0 or 1.
"""
import ast
import difflib
import operator
import re

BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
          ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.LShift: operator.lshift,
          ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
          ast.BitXor: operator.xor}
COMPARE = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
           ast.Gt: operator.gt, ast.GtE: operator.ge}


class ExprError(Exception):
    """What is wrong with an expression, for the one who wrote it."""


def suggestion(name, names):
    """', did you mean X?' if some known name is close."""
    near = difflib.get_close_matches(name, names, 1)
    return f", did you mean `{near[0]}`?" if near else ""


def _value(node, names, text):
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return int(node.value)
    if isinstance(node, ast.Name):
        if node.id not in names:
            raise ExprError(f"unknown name `{node.id}`{suggestion(node.id, names)}")
        return names[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        left, right = _value(node.left, names, text), _value(node.right, names, text)
        if right == 0 and isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            raise ExprError(f"division by zero in `{text}`")
        if right < 0 and isinstance(node.op, (ast.LShift, ast.RShift)):
            raise ExprError(f"negative shift in `{text}`")
        return BINARY[type(node.op)](left, right)
    if isinstance(node, ast.UnaryOp):
        operand = _value(node.operand, names, text)
        if isinstance(node.op, ast.USub):
            return -operand
        if isinstance(node.op, ast.Invert):
            return ~operand
        if isinstance(node.op, ast.Not):
            return int(not operand)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARE:
        return int(COMPARE[type(node.ops[0])](_value(node.left, names, text),
                                              _value(node.comparators[0], names, text)))
    if isinstance(node, ast.BoolOp):
        values = [_value(v, names, text) != 0 for v in node.values]
        return int(all(values) if isinstance(node.op, ast.And) else any(values))
    raise ExprError(f"cannot read `{text}`")


def names_in(text):
    """Identifiers of an expression."""
    return set(re.findall(r"(?<![\w])[A-Za-z_]\w*", text))


def evaluate(text, names):
    """Value of an expression; raises ExprError."""
    python = text.strip().replace("&&", " and ").replace("||", " or ")
    python = re.sub(r"!(?!=)", " not ", python)
    python = re.sub(r"(?<!/)/(?!/)", "//", python).strip()
    try:
        tree = ast.parse(python, mode="eval")
    except (SyntaxError, ValueError):
        raise ExprError(f"cannot read `{text.strip()}`") from None
    return _value(tree.body, names, text.strip())
