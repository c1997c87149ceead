"""The words of formulas: signs, functions, and what a tensor can be asked for, on float64 arrays."""

from __future__ import annotations

import ast
import math
import operator
from typing import Any

import numpy as np

from engine.verify.laws.special import erf
from engine.verify.laws.table import Lacking, over


def power(x: Any, y: Any) -> Any:
    """Return x ** y in floating point."""
    return np.power(np.asarray(x, np.result_type(x, np.float64)), y)


def divided(x: Any, y: Any) -> Any:
    """Return x / y; a division by 0 gives what it gives in floating point."""
    return np.true_divide(x, y)


def same(x: Any, y: Any) -> Any:
    """Say whether two things are the same thing, for `is None`."""
    return x is y


def negated(x: Any) -> Any:
    """Return -x, of several numbers each."""
    return tuple(-each for each in x) if isinstance(x, tuple) else -x


BINARY = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: divided, ast.Pow: power,
    ast.MatMult: operator.matmul, ast.BitAnd: np.logical_and, ast.BitOr: np.logical_or,
}  # fmt: skip
UNARY = {
    ast.USub: negated,
    ast.UAdd: operator.pos,
    ast.Invert: np.logical_not,
    ast.Not: operator.not_,
}
COMPARED = {
    ast.Eq: lambda x, y: np.equal(x, y) if not isinstance(y, str) else x == y,
    ast.NotEq: lambda x, y: np.not_equal(x, y) if not isinstance(y, str) else x != y,
    ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal,
    ast.Is: same, ast.IsNot: lambda x, y: x is not y,
}  # fmt: skip
CONSTANTS = {"pi": math.pi, "nan": math.nan, "inf": math.inf}


def summed(x: np.ndarray, dim: Any = None, keepdim: bool | None = None) -> np.ndarray:
    """Return sums over dimensions; of a formula that does not say whether these stay nothing can be told."""
    if dim is not None and keepdim is None:
        raise Lacking("keepdim")
    return np.sum(x, axis=over(dim, np.ndim(x)), keepdims=bool(keepdim))


def averaged(x: np.ndarray, dim: Any = None, keepdim: bool | None = None) -> np.ndarray:
    """Return means over dimensions."""
    sums = summed(x, dim, keepdim)
    return sums / (np.size(x) / max(np.size(sums), 1))


def unsqueezed(x: Any, dim: Any) -> np.ndarray:
    """Return an array with dimensions of size 1 put in."""
    return np.expand_dims(x, over(dim, np.ndim(x) + len(np.atleast_1d(dim))))


def count(sizes: tuple, dim: Any) -> int:
    """Return how many elements dimensions of these sizes have together."""
    return math.prod(sizes[d] for d in over(dim, len(sizes)))


def product_of_others(x: np.ndarray, dim: Any = None) -> np.ndarray:
    """Return for each element the product of all the others, or of those along a dimension."""
    if dim is None:
        return product_of_others(np.reshape(x, -1), 0).reshape(np.shape(x))
    if not np.ndim(x):
        return np.ones_like(x)
    size = x.shape[dim]
    parts = [np.prod(np.delete(x, i, dim), axis=dim, keepdims=True) for i in range(size)]
    return np.concatenate(parts, dim) if parts else x


def arrived(parts: Any) -> list[np.ndarray]:
    """Return gradients if all of them have arrived: of one that has not, nobody knows the shape."""
    if any(each is None for each in parts):
        raise Lacking("a gradient that did not arrive")
    return [np.asarray(each) for each in parts]


def halves(x: np.ndarray, dim: int) -> list[np.ndarray]:
    """Return both halves of an array along a dimension."""
    return np.split(x, 2, dim)


def inverse(x: Any) -> Any:
    """Return the inverse of a matrix, or the order that undoes an order of dimensions."""
    return tuple(int(i) for i in np.argsort(x)) if isinstance(x, tuple) else np.linalg.inv(x)


def solved(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the x with a @ x == b, which may be a vector."""
    return np.linalg.solve(a, b[..., None])[..., 0] if np.ndim(b) == 1 else np.linalg.solve(a, b)


def summed_to_size(x: np.ndarray, sizes: tuple) -> np.ndarray:
    """Return sums over what was expanded to have other sizes."""
    lead = np.ndim(x) - len(sizes)
    x = np.sum(x, axis=tuple(range(lead)))
    return np.sum(x, axis=tuple(d for d, n in enumerate(sizes) if n == 1 != x.shape[d]), keepdims=True)


def softplus(x: Any) -> Any:
    """Return log(1 + exp(x))."""
    return np.logaddexp(0, x)


WORDS = {  # functions and methods alike: exp(x) is x.exp()
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "abs": np.abs, "sign": np.sign, "sgn": np.sign, "floor": np.floor,
    "trunc": np.trunc, "isnan": np.isnan, "isfinite": np.isfinite, "zeros_like": np.zeros_like,
    "rsqrt": lambda x: 1 / np.sqrt(x), "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "reciprocal": lambda x: divided(1.0, x), "softplus": softplus, "log_sigmoid": lambda x: -softplus(-x),
    "max": np.maximum, "where": np.where,
    "normal_cdf": lambda x: (1 + erf(x / math.sqrt(2))) / 2,
    "normal_pdf": lambda x: np.exp(-np.square(x) / 2) / math.sqrt(2 * math.pi),
    "t": lambda x: x.T, "numel": np.size, "sum": summed, "mean": averaged, "count": count,
    "product_of_others": product_of_others, "sum_to_size": summed_to_size, "unsqueeze": unsqueezed,
    "expand": np.broadcast_to, "reshape": np.reshape, "transpose": np.swapaxes, "outer": np.outer,
    "squeeze": np.squeeze, "flip": lambda x, dims: np.flip(x, over(dims, np.ndim(x))),
    "cumsum": lambda x, dim: np.cumsum(x, dim) if np.ndim(x) else x, "mv": operator.matmul,
    "inverse": inverse, "solve": solved, "permute": np.transpose,
    "bmm": operator.matmul, "tril": np.tril, "triu": np.triu, "to": lambda x, *_: x,
    "eye": lambda sizes: np.eye(*sizes), "cat": lambda parts, dim: np.concatenate(arrived(parts), dim),
    "stack": lambda parts, dim: np.stack(arrived(parts), dim),
    "first_half": lambda x, dim: halves(x, dim)[0], "second_half": lambda x, dim: halves(x, dim)[1],
}  # fmt: skip
