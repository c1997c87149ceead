"""Does a text parse, and where not? Never raises, whatever the text."""

from __future__ import annotations

import ast
import warnings

NOTEBOOK = {"In", "Out"}


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
    """Return whether a text parses, and not only because `In [3]: x` looks like an annotation."""
    tree = parsed(text)
    if tree is None:
        return False
    return not any(_is_cell(node) for node in tree.body) or bool(bound_names(tree) & NOTEBOOK)


def _is_cell(node: ast.stmt) -> bool:
    match node:
        case ast.AnnAssign(target=ast.Subscript(value=ast.Name(id=name))):
            return name in NOTEBOOK
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
