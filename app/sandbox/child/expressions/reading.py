"""Is a text a formula? Only if that is certain: its signs, functions and names say so, and Python does not.

A formula has a name that nothing binds or a function that Python does not know, and no sign of a program.
"""

from __future__ import annotations

import ast
import builtins
import difflib
from dataclasses import dataclass, field

from app.sandbox.child.expressions.functions import BOTH, CONSTANTS, FUNCTIONS, OTHER_NAMES, TAKES, known
from app.sandbox.child.expressions.spelling import Statement, Trouble, spelled
from app.sandbox.child.expressions.tokens import Token, tokens
from app.sandbox.child.mending.parsing import parsed

PROGRAMS = frozenset(
    "torch np nn numpy plt tf self cls print model optimizer criterion exit quit help".split()
)
MATHEMATICS = frozenset("+ - * / @ ** | √ [".split())
RESERVED = "_sg"
KINDS = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.Call, ast.Name, ast.Constant, ast.Subscript, ast.Tuple,
    ast.List, ast.Attribute, ast.Load, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult, ast.Pow, ast.USub,
    ast.UAdd,
)  # fmt: skip
DEEPEST = 150
MOST_NAMES = 24
FARTHEST = 15  # the largest index


@dataclass(slots=True)
class Line:
    """One statement that has been understood."""

    target: str | None
    text: str
    tree: ast.expr


@dataclass(slots=True)
class Formula:
    """What a text says, or why it cannot be: its lines, its free names in order, values given in the text."""

    lines: list[Line] = field(default_factory=list)
    free: list[str] = field(default_factory=list)
    given: dict[str, object] = field(default_factory=dict)
    trouble: Trouble | None = None


def formula(text: str) -> Formula | None:
    """Return a text read as a formula, or None where it is none or might be a program. Never raises."""
    found = tokens(text)
    read = spelled(found) if found and any(is_sign(token) for token in found) else None
    if read is None or not read[0]:
        return None
    statements, troubles = read
    trees = [_tree(statement.text) for statement in statements]
    if any(tree is None for tree in trees) or not _is_formula(text, statements, trees):
        return None
    unknown = _unknown(text, statements)
    if unknown is None:
        return None
    if unknown or troubles:
        return Formula(trouble=(unknown + troubles)[0])
    return _formula(statements, trees)


def is_sign(token: Token) -> bool:
    """Return whether a sign is one of mathematics: words and brackets alone are prose."""
    return (
        token.kind in ("number", "raised", "turned") or token.text in MATHEMATICS or bool(known(token.text))
    )


def _tree(text: str) -> ast.expr | None:
    """Return the tree of a value if it holds nothing but what formulas hold."""
    module = parsed(text)
    if module is None or len(module.body) != 1 or not isinstance(module.body[0], ast.Expr):
        return None
    tree = module.body[0].value
    return tree if _is_plain(tree) else None


def _is_plain(tree: ast.expr) -> bool:
    level = [tree]
    for _ in range(DEEPEST):
        if not level:
            return True
        if not all(isinstance(node, KINDS) and _is_allowed(node) for node in level):
            return False
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return False


def _is_allowed(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=value):
            return type(value) in (int, float)
        case ast.Call(func=ast.Name(), args=[_, *_], keywords=[]):
            return True
        case ast.Call() | ast.Starred():
            return False
        case ast.Subscript(slice=index):
            return all(_is_index(each) for each in (index.elts if isinstance(index, ast.Tuple) else [index]))
    return True


def _is_index(node: ast.expr) -> bool:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _is_index(inner)
        case ast.Constant(value=int(value)):
            return value <= FARTHEST
    return False


def _names(statements: list[Statement]) -> tuple[list[str], set[str]]:
    """Return the names that are used before anything binds them, in order, and those that are bound."""
    bound: set[str] = set()
    free: list[str] = []
    for statement in statements:
        for name in statement.names:
            if name not in bound and name not in free and name not in CONSTANTS:
                free.append(name)
        if statement.target:
            bound.add(statement.target)
    return free, bound


def _is_formula(text: str, statements: list[Statement], trees: list[ast.expr]) -> bool:
    """Return whether a text that could be a formula certainly is one, and no program."""
    free, bound = _names(statements)
    words = {name for statement in statements for name, _ in statement.calls}
    if any(name in PROGRAMS or name.startswith(RESERVED) for name in bound | set(free)):
        return False
    targets = [statement.target for statement in statements if statement.target]
    if len(set(targets)) < len(targets) or bound & (set(free) | set(CONSTANTS)):
        return False
    if any(hasattr(builtins, name) for name in free) or len(free) + len(bound) > MOST_NAMES:
        return False
    last = trees[-1].id if isinstance(trees[-1], ast.Name) else None
    if last is not None and last not in bound:
        return False
    if not any(isinstance(node, ast.BinOp | ast.Call) for tree in trees for node in ast.walk(tree)):
        return False
    python = all(not statement.math for statement in statements) and parsed(text) is not None
    own = {name for name in words if name in FUNCTIONS and not hasattr(builtins, name)}
    return bool(free) or bool(own) or not python


def _unknown(text: str, statements: list[Statement]) -> list[Trouble] | None:
    """Return what is wrong with functions; None if the text may well be a program that calls its own."""
    found = []
    math = any(statement.math for statement in statements) or parsed(text) is None
    spelled_so = [*FUNCTIONS, *OTHER_NAMES]
    for statement in statements:
        for name, token in statement.calls:
            if name in FUNCTIONS:
                continue
            near = difflib.get_close_matches(name.lower(), spelled_so, 1, 0.72)
            if hasattr(builtins, name) or name in PROGRAMS or not (near or math):
                return None
            kind, better = ("near", near[0]) if near else ("function", "")
            found.append(Trouble(kind, name, token.start, token.end, better))
    return found


def _formula(statements: list[Statement], trees: list[ast.expr]) -> Formula:
    made = Formula()
    made.free, _ = _names(statements)
    targets = [statement.target for statement in statements]
    for statement, tree in zip(statements, trees, strict=True):
        name, value = statement.target, literal(tree)
        if name and value is not None and targets.count(name) == 1 and name not in made.free:
            made.given[name] = value
            continue
        calls = sorted((n for n in ast.walk(tree) if isinstance(n, ast.Call)), key=lambda n: n.col_offset)
        for call, (_, token) in zip(calls, statement.calls, strict=True):
            if not _takes(call):
                said = str(len(call.args))
                made.trouble = Trouble("arguments", call.func.id, token.start, token.end, said)
                return made
        names_a_line = not name and isinstance(tree, ast.Name) and tree.id in targets
        if not (names_a_line and made.lines and made.lines[-1].target == tree.id):
            made.lines.append(Line(name, statement.text, tree))
    if not made.lines:
        made.trouble = Trouble("nothing", "", statements[-1].start, statements[-1].end)
    made.free = [*made.given, *made.free]
    return made


def _takes(call: ast.Call) -> bool:
    name, count = call.func.id, len(call.args)
    if name in BOTH:
        return count in (1, 2)
    return name not in FUNCTIONS or count == TAKES.get(FUNCTIONS[name].kind, 1)


def literal(tree: ast.expr) -> object | None:
    """Return the number, list or matrix of numbers that a value is, or None."""
    try:
        value = ast.literal_eval(tree)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if shape_of(value) is not None else None


def shape_of(value: object) -> tuple[int, ...] | None:
    """Return the shape of a number, of a list of numbers or of a matrix; None for anything else."""
    if type(value) in (int, float):
        return () if abs(value) < 1e38 else None
    if type(value) is not list or not value or len(value) > 64:
        return None
    shapes = {shape_of(each) for each in value}
    inner = shapes.pop()
    return (len(value), *inner) if not shapes and inner is not None and len(inner) < 2 else None
