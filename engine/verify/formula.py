"""Reads a rule's formula as it is shown, and calculates it. Understands expressions, and says so of all else.

Grammar: an expression; `... with a = ..., b = ...` for names of its own; `... where ...` for the elements
that it speaks of. Nothing of a text is ever run by Python: its tree is walked, and only known words count.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from engine.verify.laws.table import FORWARD, Lacking, asks
from engine.verify.vocabulary import BINARY, COMPARED, CONSTANTS, UNARY, WORDS

LONGEST = 1_000  # characters of a formula
MOST = 4_000_000  # elements of what any part of it makes
APART = re.compile(r" with (?=\w+ = )| where (?=.)")


class Beyond(Exception):
    """A formula that is more than an expression."""


class Formula:
    """One formula: `asks` are its terms, calling it with them calculates it."""

    def __init__(self, body: ast.expr, bound: list[ast.keyword], place: ast.expr | None) -> None:
        self.body = body
        self.bound = bound
        self.place = place
        own = [each.arg for each in bound]
        names = names_in(body).union(*(names_in(each.value) for each in bound))
        names |= names_in(place) if place is not None else set()
        self.asks = [(name, inspect.Parameter.empty) for name in sorted(names - {*own, *CONSTANTS})]

    def __call__(self, /, **terms: Any) -> Any:
        """Return what the formula gives for its terms."""
        scope = {**CONSTANTS, **terms}
        for each in self.bound:
            scope[each.arg] = evaluate(each.value, scope)
        return evaluate(self.body, scope)

    def spoken(self, terms: dict[str, Any]) -> Any:
        """Return for which elements the formula says anything."""
        return True if self.place is None else evaluate(self.place, {**CONSTANTS, **terms})


@lru_cache(maxsize=2048)
def read_formula(text: str) -> Formula | None:
    """Return a formula that can be calculated, or None if it says it in words."""
    if len(text) > LONGEST:
        return None
    head, *rest = APART.split(text)
    signs = [found[0].strip() for found in APART.finditer(text)]
    try:
        body = ast.parse(head, mode="eval").body
        bound: list[ast.keyword] = []
        place = None
        for sign, part in zip(signs, rest):
            if sign == "with":
                call = ast.parse(f"f({part})", mode="eval").body
                bound += call.keywords if isinstance(call, ast.Call) and not call.args else [None]
            else:
                place = ast.parse(part, mode="eval").body
        for each in (body, *(each.value for each in bound), *([] if place is None else [place])):
            check(each)
    except (SyntaxError, ValueError, AttributeError, Beyond, RecursionError, MemoryError):
        return None
    return Formula(body, bound, place)


def names_in(tree: ast.AST) -> set[str]:
    """Return the names of an expression that are no functions."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}


def check(node: ast.AST) -> None:
    """Refuse what `evaluate` does not know."""
    match node:
        case ast.BinOp(op=op) if type(op) in BINARY:
            pass
        case ast.UnaryOp(op=op) if type(op) in UNARY:
            pass
        case ast.Compare(ops=ops) if all(type(op) in COMPARED for op in ops):
            pass
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args, keywords=named):
            if name not in WORDS and name not in FORWARD or any(w.arg is None for w in named):
                raise Beyond
            inside = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            for child in (*inside, *args, *(w.value for w in named)):
                check(child)
            return
        case ast.Constant(value=int() | float() | bool() | None | str()) | ast.Attribute(attr="T" | "shape"):
            pass
        case ast.Name() | ast.Tuple() | ast.IfExp() | ast.BoolOp() | ast.Subscript():
            pass
        case ast.operator() | ast.unaryop() | ast.cmpop() | ast.boolop() | ast.expr_context():
            return
        case _:
            raise Beyond
    for child in ast.iter_child_nodes(node):
        check(child)


def evaluate(node: ast.AST, terms: dict[str, Any]) -> Any:
    """Return what a checked expression gives for its terms."""
    made = part(node, terms, lambda child: evaluate(child, terms))
    if isinstance(made, np.ndarray) and made.size > MOST:
        raise ValueError("too large")
    return made


def part(node: ast.AST, terms: dict[str, Any], of: Callable[[ast.AST], Any]) -> Any:
    """Return what one node of the tree gives, of its children what `of` says."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            if name not in terms:
                raise Lacking(name)
            return terms[name]
        case ast.BinOp(left=left, op=op, right=right):
            return BINARY[type(op)](number(of(left)), number(of(right)))
        case ast.UnaryOp(op=op, operand=operand):
            return UNARY[type(op)](of(operand))
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides, held = [of(left), *map(of, others)], True
            for op, a, b in zip(ops, sides, sides[1:]):
                held = np.logical_and(held, COMPARED[type(op)](a, b))
            return held
        case ast.BoolOp(op=op, values=values):
            return (all if isinstance(op, ast.And) else any)(bool(of(value)) for value in values)
        case ast.IfExp(test=test, body=body, orelse=other):
            return of(body) if bool(of(test)) else of(other)
        case ast.Tuple(elts=parts):
            return tuple(of(each) for each in parts)
        case ast.Subscript(value=value, slice=index):
            return picked(of(value), of(index))
        case ast.Attribute(value=value, attr=name):
            found = of(value)
            turned = name == "T" and np.ndim(found) > 1
            return np.swapaxes(found, -1, -2) if turned else found if name == "T" else np.shape(found)
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=named):
            return applied(name, [of(each) for each in parts], {w.arg: of(w.value) for w in named})
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=parts, keywords=named):
            given = [of(value), *(of(each) for each in parts)]
            return applied(name, given, {w.arg: of(w.value) for w in named})
    raise Beyond


def number(value: Any) -> Any:
    """Return what can be calculated with; a text or a tuple would be repeated."""
    if isinstance(value, (str, tuple, list)):
        raise TypeError("no number")
    return value


def applied(name: str, given: list[Any], named: dict[str, Any]) -> Any:
    """Return what a function or an operation makes of its arguments; of several results the first."""
    sizes = [each for each in (*given, *named.values()) if isinstance(each, tuple)]
    if any(type(n) is int and abs(n) > MOST for each in (*sizes, given) for n in each):
        raise ValueError("too large")
    if any(all(type(n) is int for n in each) and abs(math.prod(each)) > MOST for each in sizes):
        raise ValueError("too large")
    if name in WORDS:
        return WORDS[name](*given, **named)
    function = FORWARD[name]
    takes = [n for n, _ in asks(function)]
    made = function(**dict(zip(takes, given)), **named)
    return made[0] if isinstance(made, (tuple, list)) else made


def picked(value: Any, index: Any) -> Any:
    """Return one gradient of several, 0 if nothing arrived there, or the elements at indices."""
    if isinstance(value, (list, tuple)):
        found = value[int(index)]
        return 0.0 if found is None else found
    if isinstance(index, list):
        index = tuple(slice(None) if each is None else each for each in index)
    return np.asarray(value)[index]
