"""Does a text parse, and where not? Never raises, whatever the text."""

from __future__ import annotations

import ast
import warnings

from app.sandbox.child.mending.draft import NEWLINE
from app.sandbox.child.mending.gutters import LABELS, numbered

NOTEBOOK = {"In", "Out"}
ENTITIES = {"gt", "lt", "amp", "quot", "apos", "nbsp"}
SHOWN = {"tensor", "array"}


def parsed(text: str) -> ast.Module | None:
    """Return the syntax tree of a text, or None."""
    return None if isinstance(found := _parse(text), Exception) else found


def fault(text: str) -> SyntaxError | None:
    """Return why a text does not parse, if Python can say."""
    return found if isinstance(found := _parse(text), SyntaxError) else None


def _parse(text: str) -> ast.Module | Exception:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return error


def is_right(text: str) -> bool:
    """Return whether a text parses, and not only because what surrounds code looks like Python by chance."""
    tree = parsed(text)
    if tree is None:
        return False
    chance = _by_chance(tree)
    return not (chance and chance - bound_names(tree)) and not _is_beside(tree, text)


def _by_chance(tree: ast.Module) -> set[str]:
    """Return names that a program would have to bind for it to mean what it says.

    `In [3]: x` is an annotation, `x &gt; 0` two statements, `4 // 结果` a division, `tensor(3.)` a call and
    the `python` above a code box a name.
    """
    found: set[str] = set()
    for i, node in enumerate(tree.body):
        match node:
            case ast.AnnAssign(target=ast.Subscript(value=ast.Name(id=name))) if name in NOTEBOOK:
                found.add(name)
            case ast.Expr(value=ast.Name(id=name)) if name in LABELS and i < 2:
                found.add(name)
            case ast.Expr(value=ast.Call(func=ast.Name(id=name))) if name in SHOWN:
                found |= {name, "*"}
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(op=ast.BitAnd(), right=ast.Name(id=name)) if name in ENTITIES:
                found.add(name)
            case ast.BinOp(op=ast.FloorDiv(), right=ast.Name(id=name)) if not name.isascii():
                found.add(name)
    return found


def _is_beside(tree: ast.Module, text: str) -> bool:
    """Return whether a text is line numbers and then their lines, or a notebook's file."""
    match tree.body:
        case [ast.Expr(value=ast.Dict(keys=[ast.Constant(), *_] as keys))]:
            return any(isinstance(key, ast.Constant) and key.value == "cells" for key in keys)
        case [ast.Expr(value=ast.Constant(value=int())), *_] | [
            *_, ast.Expr(value=ast.Constant(value=int()))
        ]:  # fmt: skip
            return bool(numbered(NEWLINE.split(text)))
    return False


def bound_names(tree: ast.AST) -> set[str]:
    """Return every name that a program gives a meaning anywhere."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name.partition(".")[0])
            case ast.ExceptHandler(name=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name) if name:
                found.add(name)
            case ast.MatchMapping(rest=name) if name:
                found.add(name)
            case ast.Global(names=several) | ast.Nonlocal(names=several):
                found.update(several)
    return found


def used_names(tree: ast.AST) -> list[str]:
    """Return every name that a program asks for, in the order of the text."""
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    return list(dict.fromkeys(node.id for node in nodes))
