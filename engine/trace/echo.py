"""A bare expression shows its value, as Python's own prompt does. Rewrites the tree, runs nothing.

That goes for the statements of the program itself, one by one. What stands there for its effect is not
repeated: a call that changes something in place (`w.grad.zero_()`), whatever stands inside a loop or another
block, a bare text, which is a remark. So the output of a script stays what Python prints for it.
"""

from __future__ import annotations

import ast
import re

ECHO = "_sg_echo"  # a name that no program can say
SILENT = (ast.Starred, ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
_THING = r"<[^<>]* at 0x[0-9a-f]+>"
NAMELESS = re.compile(rf"\[?{_THING}(?:, {_THING})*\]?")  # tells where a thing lies and nothing about it


def echoing(tree: ast.Module) -> ast.Module:
    """Let each bare expression of a program hand its value to ECHO, at the same place."""
    for statement in tree.body:
        if isinstance(statement, ast.Expr) and speaks(statement.value):
            value = statement.value
            name = ast.copy_location(ast.Name(ECHO, ast.Load()), value)
            statement.value = ast.copy_location(ast.Call(name, [value], []), value)
    return tree


def speaks(value: ast.expr) -> bool:
    """Return whether an expression that stands alone is there for its value."""
    match value:
        case ast.Constant(value=str()):
            return False
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return not name.endswith("_")
    return not isinstance(value, SILENT)


def shown(text: str) -> bool:
    """Return whether a value's text is worth repeating: an address alone is not."""
    return NAMELESS.fullmatch(text) is None
