"""Reads a rule's formula as it is shown. Understands plain arithmetic, and says so of everything else."""

from __future__ import annotations

import ast
import inspect
import math
import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from engine.verify.laws.table import Lacking, over

BINARY = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: lambda x, y: np.power(np.asarray(x, np.result_type(x, np.float64)), y),
    ast.MatMult: operator.matmul, ast.BitAnd: np.logical_and, ast.BitOr: np.logical_or,
}  # fmt: skip
UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: np.logical_not}
COMPARED = {
    ast.Eq: np.equal, ast.NotEq: np.not_equal, ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
}  # fmt: skip
CONSTANTS = {"pi": math.pi, "nan": math.nan, "inf": math.inf}
ONE = {  # functions of one number, also as methods
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "abs": np.abs, "sign": np.sign, "sgn": np.sign, "floor": np.floor,
    "trunc": np.trunc, "isnan": np.isnan, "isfinite": np.isfinite, "zeros_like": np.zeros_like,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "reciprocal": lambda x: 1 / x,
    "softplus": lambda x: np.log1p(np.exp(x)), "max": np.maximum,
}  # fmt: skip
METHODS = {  # what else a tensor can be asked for
    "t": lambda x: x.T, "numel": np.size, "sum": lambda x, dim=None, keepdim=None: summed(x, dim, keepdim),
    "mean": lambda x, dim=None, keepdim=None: averaged(x, dim, keepdim),
    "expand": np.broadcast_to, "reshape": np.reshape, "transpose": np.swapaxes, "outer": np.outer,
    "unsqueeze": lambda x, dim: np.expand_dims(x, over(dim, x.ndim + len(np.atleast_1d(dim)))),
    "squeeze": np.squeeze, "flip": np.flip, "cumsum": lambda x, dim: np.cumsum(x, dim), "mv": operator.matmul,
    "bmm": operator.matmul, "tril": np.tril, "triu": np.triu,
}  # fmt: skip


def summed(x: np.ndarray, dim: Any = None, keepdim: bool | None = None) -> np.ndarray:
    """Return sums over dimensions; a formula that does not say whether these stay means it either way."""
    if dim is not None and keepdim is None:
        raise Lacking("keepdim")
    return np.sum(x, axis=over(dim, np.ndim(x)), keepdims=bool(keepdim))


def averaged(x: np.ndarray, dim: Any = None, keepdim: bool | None = None) -> np.ndarray:
    """Return means over dimensions."""
    sums = summed(x, dim, keepdim)
    return sums * (sums.size / x.size)


class Beyond(Exception):
    """A formula that is more than arithmetic."""


@lru_cache(maxsize=512)
def read_formula(text: str) -> Callable | None:
    """Return a formula as a function of its terms, or None if it is more than plain arithmetic."""
    try:
        tree = ast.parse(text, mode="eval").body
        names = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - FUNCTIONS)
        check(tree)
    except (SyntaxError, Beyond, RecursionError):
        return None

    def function(**terms: Any) -> Any:
        return evaluate(tree, {**CONSTANTS, **terms})

    function.asks = [(name, inspect.Parameter.empty) for name in names if name not in CONSTANTS]
    return function


FUNCTIONS = {*ONE, "where"}


def check(node: ast.AST) -> None:
    """Refuse what `evaluate` does not know."""
    match node:
        case ast.BinOp(op=op) if type(op) not in BINARY:
            raise Beyond
        case ast.Call(func=ast.Name(id=name)) if name not in FUNCTIONS:
            raise Beyond
        case ast.Call(func=ast.Attribute(attr=name)) if name not in ONE and name not in METHODS:
            raise Beyond
        case (
            ast.Call(func=ast.Name() | ast.Attribute())
            | ast.BinOp()
            | ast.UnaryOp()
            | ast.Compare()
            | ast.Name()
        ):
            pass
        case ast.Constant(value=int() | float() | bool()) | ast.Attribute(attr="T" | "shape") | ast.Tuple():
            pass
        case ast.Attribute(attr=name) if name in ONE or name in METHODS:
            pass
        case ast.operator() | ast.unaryop() | ast.cmpop() | ast.expr_context() | ast.keyword():
            pass
        case _:
            raise Beyond
    for child in ast.iter_child_nodes(node):
        check(child)


def evaluate(node: ast.AST, terms: dict[str, Any]) -> Any:
    """Return what a checked formula gives for its terms."""

    def of(child: ast.AST) -> Any:
        return evaluate(child, terms)

    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            if name not in terms:
                raise Lacking(name)
            return terms[name]
        case ast.BinOp(left=left, op=op, right=right):
            return BINARY[type(op)](of(left), of(right))
        case ast.UnaryOp(op=op, operand=operand):
            return UNARY[type(op)](of(operand))
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides, held = [left, *others], True
            for op, a, b in zip(ops, sides, sides[1:]):
                held = np.logical_and(held, COMPARED[type(op)](of(a), of(b)))
            return held
        case ast.Tuple(elts=parts):
            return tuple(of(part) for part in parts)
        case ast.Attribute(value=value, attr=name):
            return np.transpose(of(value)) if name == "T" else np.shape(of(value))
        case ast.Call(func=ast.Name(id="where"), args=parts):
            return np.where(*(of(part) for part in parts))
        case ast.Call(func=ast.Name(id=name), args=parts):
            return ONE[name](*(of(part) for part in parts))
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=parts, keywords=named):
            function = METHODS.get(name) or ONE[name]
            return function(of(value), *(of(part) for part in parts), **{w.arg: of(w.value) for w in named})
    raise Beyond
