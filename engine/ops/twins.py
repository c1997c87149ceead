"""Rules on bare arrays: the very text of a rule, compiled to run on arrays instead of on tensors.

A rule that consists of operators and calls of rows (`grad * other`, `F.tanh_backward(grad, result)`,
`grad * self.cos()`) means the same on arrays of one dtype, and costs a fraction there. Nothing is written
twice: the twin is the rule's own source with another `F`. Rules that ask more of their arguments have none.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from engine import events
from engine.ops.kinds import ON_SCALARS
from engine.ops.table import TABLE, Op, body_of
from engine.tensor import make

Twin = tuple[int, Callable | None, tuple[str, ...], bool]
SIGNS = (ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.expr_context)
WHOLE = (
    ast.BinOp,
    ast.BoolOp,
    ast.UnaryOp,
    ast.Compare,
    ast.IfExp,
    ast.Constant,
    ast.Call,
    ast.Tuple,
    ast.Subscript,
)
SAME = ("expand",)  # methods that, as rules call them, are the row of that name
BUILTIN = {"max": max, "min": min, "len": len}


class Rows:
    """What `F` is for a twin: the rows of the table, from arrays to arrays."""

    def __getattr__(self, name: str) -> Callable:
        row = TABLE[name.replace("__", ".")]
        call = row.forward if plain(row) else through_tensors(row)
        setattr(self, name, call)
        return call


ROWS = Rows()


def plain(row: Op) -> bool:
    """Return whether applying a row is nothing but its forward, for arrays of one float dtype."""
    return row.promote in (None, "float") and row.outputs == 1 and not row.variadic


def through_tensors(row: Op) -> Callable:
    """Return a row as a function of arrays; promotion is left to `apply`."""
    from engine.apply import apply

    def call(*args: Any) -> Any:
        given = [make(a) if isinstance(a, (np.ndarray, np.generic)) else a for a in args]
        watch = events.look_away()
        try:
            out = apply(row, *given)
        finally:
            events.look_back(watch)
        return tuple([o.array for o in out]) if isinstance(out, tuple) else out.array

    return call


def raised(base: Any, exponent: Any) -> Any:
    """Return base ** exponent, for arrays, as the rows have it."""
    if type(exponent) is int and exponent == 1:
        return base  # not a copy: nobody writes into what a rule calculates with
    numbers = type(base) in NUMBERS, type(exponent) in NUMBERS  # NumPy's float64 is none of these
    if numbers == (False, True):
        return TABLE["pow"].forward(base, exponent)
    return (
        base**exponent
        if all(numbers)
        else getattr(ROWS, "pow__Base" if numbers[0] else "pow__Tensor")(base, exponent)
    )


NUMBERS = frozenset((int, float, bool))


def expansion(node: ast.AST) -> list[ast.expr] | None:
    """Return what `value.expand(sizes)` expands and to which sizes; None for any other expression."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    return [node.func.value, *node.args] if node.func.attr == "expand" and len(node.args) == 1 else None


def spread(value: np.ndarray, sizes: tuple[int, ...], divisor: Any) -> np.ndarray:
    """Return value.expand(sizes) / divisor. One number is divided once, and not once for each element."""
    if value.ndim or type(divisor) not in NUMBERS:
        return ROWS.expand(value, sizes) / divisor
    out = np.empty(sizes, value.dtype)
    out[...] = value / divisor
    return out


class Unfit(Exception):
    """A rule does more than a twin can."""


class Rewriter(ast.NodeTransformer):
    """Turns methods that are rows into calls of `F`, and refuses what arrays do otherwise than tensors."""

    def __init__(self, rule: FunctionType) -> None:
        self.rule = rule
        self.locals = frozenset(rule.__code__.co_varnames[: rule.__code__.co_argcount])
        self.world: dict[str, Any] = {"F": ROWS}
        self.on_scalars = True

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, WHOLE + SIGNS):
            raise Unfit
        return super().generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:  # noqa: N802
        if isinstance(node.op, ast.Div) and (parts := expansion(node.left)):
            self.world["spread"], self.on_scalars = spread, False
            return ast.Call(ast.Name("spread", ast.Load()), [*map(self.visit, (*parts, node.right))], [])
        if not isinstance(node.op, ast.Pow):
            return self.generic_visit(node)
        self.world["raised"] = raised
        return ast.Call(ast.Name("raised", ast.Load()), [self.visit(node.left), self.visit(node.right)], [])

    def visit_Name(self, node: ast.Name) -> ast.AST:  # noqa: N802 - ast's name
        if node.id not in self.locals:
            self.world[node.id] = self.known(node.id)
        return node

    def known(self, name: str) -> Any:
        """Return what a global name is for the twin: a number, or the twin of a function."""
        if name in BUILTIN and name not in self.rule.__globals__:
            return BUILTIN[name]
        value = self.rule.__globals__.get(name)
        found = value if type(value) in (int, float) else twin(value) if callable(value) else None
        if found is None:
            raise Unfit
        self.on_scalars &= getattr(found, "on_scalars", True)
        return found

    def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802
        function = node.func
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise Unfit
        args = [self.visit(a) for a in node.args]
        if isinstance(function, ast.Name):
            return ast.Call(self.visit(function), args, [])
        if not isinstance(function, ast.Attribute):
            raise Unfit
        self.on_scalars &= function.attr in ON_SCALARS
        if isinstance(function.value, ast.Name) and function.value.id == "F":
            return ast.Call(function, args, [])
        row = TABLE.get(function.attr)
        if row is None or "method" not in row.spelled and function.attr not in SAME:
            raise Unfit
        called = ast.Attribute(ast.Name("F", ast.Load()), function.attr, ast.Load())
        return ast.Call(called, [self.visit(function.value), *args], [])


@functools.cache
def twin(rule: Callable) -> Callable | None:
    """Return the rule on arrays, or None if its text does more than operators and calls of rows.

    What it calls by name must be functions of the operations that have twins themselves.
    """
    if not isinstance(rule, FunctionType) or rule.__closure__:
        return None
    rewriter = Rewriter(rule)
    try:
        body = rewriter.visit(body_of(rule))
    except (Unfit, ValueError):
        return None
    written = ast.Expression(ast.Lambda(arguments(rule), body))
    code = compile(ast.fix_missing_locations(written), "<twin>", "eval")
    made = eval(code, rewriter.world)  # noqa: S307 - our own source
    made.on_scalars = rewriter.on_scalars
    return made


def arguments(rule: FunctionType) -> ast.arguments:
    """Return the rule's parameters; defaults are plain values."""
    parameters = inspect.signature(rule).parameters
    defaults = [ast.Constant(p.default) for p in parameters.values() if p.default is not p.empty]
    return ast.arguments([], [ast.arg(name) for name in parameters], None, [], [], None, defaults)


def twins(op: Op) -> tuple[Twin, ...]:
    """Return (slot, rule on arrays, what it reads besides grad, whether it takes NumPy's scalars as well).

    In the order in which they are evaluated. The rule is None where it has no twin or asks for `grads` or
    `needs`.
    """
    if op.twins is None:
        found = []
        for slot, rule, reads in op.calls:
            simple = reads[:1] == ("grad",) and not {"grads", "needs"} & set(reads)
            made = twin(rule) if simple else None
            found.append((slot, made, reads[1:], made is not None and made.on_scalars))
        op.twins = tuple(found)
    return op.twins
