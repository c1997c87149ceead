"""Sums, means, spreads, norms, extremes, sorting: what one name does with and without `dim`."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine import errors
from engine.apply import apply, reshape_inplace
from engine.dtype import DType
from engine.functions.conversions import cast
from engine.functions.named import named
from engine.functions.shapes import flatten, reshape
from engine.ops.dims import axes
from engine.ops.table import TABLE, F
from engine.tensor import Tensor, make_at
from engine.warned import warn

__all__ = [
    "amax", "amin", "aminmax", "argsort", "corrcoef", "cov", "cumprod", "cumsum", "cumulative_trapezoid",
    "diff", "logsumexp", "max", "mean", "median", "min", "msort", "nanmean", "nanmedian", "nanquantile",
    "nansum", "norm", "prod", "quantile", "sort", "std", "std_mean", "sum", "trapezoid", "trapz", "var",
    "var_mean",
]  # fmt: skip


def dims_of(input: Tensor, dim: Any) -> tuple:
    """Return dimensions as a tuple, as they were given; None means all of them."""
    if dim is None:
        return tuple(range(input.array.ndim))
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    axes(dims, input.array.ndim)
    return dims


# ----- sums, means, products -----
def sum(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None, axis: Any = None
) -> Tensor:
    """Return the sum of all elements, or over some dimensions."""
    dim, input = axis if dim is None else dim, cast(input, dtype)
    if dim is None and not keepdim:
        return F.sum(input)
    return F.sum__dim(input, dims_of(input, dim), keepdim)


def mean(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None, axis: Any = None
) -> Tensor:
    """Return the mean of all elements, or over some dimensions."""
    dim, input = axis if dim is None else dim, cast(input, dtype)
    if dim is None and not keepdim:
        return F.mean(input)
    return F.mean__dim(input, dims_of(input, dim), keepdim)


def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """Return the sum of what is not nan."""
    input = cast(input, dtype)
    return F.nansum(input, None if dim is None else dims_of(input, dim), keepdim)


def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the mean of what is not nan."""
    count = sum(input.isnan().logical_not(), dim, keepdim)
    return nansum(input, dim, keepdim) / count


def prod(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """Return the product of all elements, or along a dimension."""
    input = cast(input, dtype)
    return F.prod(input) if dim is None else F.prod__dim(input, dim, keepdim)


# ----- spreads -----
def _spread(name: str):
    def spread(
        input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
    ) -> Any:
        """Return the spread around the mean, of all elements or along dimensions."""
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if correction is None and (unbiased is not None or dim is not None):
            correction = 1 if unbiased is None else int(unbiased)
        dims = None if dim is None else dims_of(input, dim)
        count = math.prod([input.array.shape[d] for d in (range(input.array.ndim) if dims is None else dims)])
        if not input.array.size or count <= (1 if correction is None else correction):
            warn(errors.few_degrees(name))
        return apply(TABLE[name], input, dims, correction, keepdim)

    spread.__name__ = spread.__qualname__ = name
    return spread


var, std, var_mean, std_mean = map(_spread, ("var", "std", "var_mean", "std_mean"))


# ----- norms, logarithmic sums -----
def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: DType | None = None
) -> Tensor:
    """Return the norm of order p: the root of the sum of |x| ** p."""
    if p == "nuc":
        return nuclear(cast(input, dtype), dim, keepdim)
    order = 2 if p in ("fro", None) else p
    if isinstance(order, str):
        raise RuntimeError(f"norm: the order {order!r} is not available here")
    return F.linalg_vector_norm(
        cast(input, dtype), order, None if dim is None else dims_of(input, dim), keepdim
    )


def nuclear(input: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """Return the sum of the singular values."""
    first, second = (-2, -1) if dim is None else dim
    rest = [d for d in range(input.array.ndim) if d not in axes((first, second), input.array.ndim)]
    order = (*rest, *axes((first, second), input.array.ndim))
    values = F.linalg_svd(F.permute(input, order), False, input.requires_grad)[1]
    found = F.sum__dim(values, (-1,), keepdim)
    return F.unsqueeze(found, -1) if keepdim else found


def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """Return log(sum(exp(input))) along dimensions, without overflow."""
    return F.logsumexp(input, dims_of(input, dim), keepdim)


# ----- extremes -----
def _extreme(name: str, binary: str):
    def extreme(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        """Return the extreme of all elements, of a dimension (with indices), or of two tensors."""
        if isinstance(dim, Tensor) or other is not None:
            return apply(TABLE[binary], input, dim if other is None else other)
        return apply(TABLE[name], input) if dim is None else named(TABLE[f"{name}.dim"], input, dim, keepdim)

    extreme.__name__ = extreme.__qualname__ = name
    return extreme


max, min = _extreme("max", "maximum"), _extreme("min", "minimum")


def _middle(name: str):
    def middle(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        """Return the lower median of all elements, or along a dimension with indices."""
        return apply(TABLE[name], input) if dim is None else named(TABLE[f"{name}.dim"], input, dim, keepdim)

    middle.__name__ = middle.__qualname__ = name
    return middle


median, nanmedian = _middle("median"), _middle("nanmedian")


def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Return the largest element over dimensions; ties share the gradient."""
    return F.amax(input, dims_of(input, dim), keepdim)


def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Return the smallest element over dimensions; ties share the gradient."""
    return F.amin(input, dims_of(input, dim), keepdim)


def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the smallest and the largest element."""
    return named(TABLE["aminmax"], input, dim, keepdim)


# ----- order -----
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Return the elements in order along a dimension, and where they stood."""
    return named(TABLE["sort"], input, dim, descending)


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Return where the elements stand that `sort` puts in order."""
    return F.sort(input, dim, descending)[1]


def msort(input: Tensor) -> Tensor:
    """Sort along the first dimension."""
    return F.sort(input, 0, False)[0]


def cumsum(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """Return the running sums along a dimension."""
    return F.cumsum(cast(input, dtype), dim)


def cumprod(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """Return the running products along a dimension."""
    return F.cumprod(cast(input, dtype), dim)


def diff(input: Tensor, n: int = 1, dim: int = -1) -> Tensor:
    """Return each element less the one before it, n times."""
    for _ in range(n):
        size = input.array.shape[axes(dim, input.array.ndim)[0]]
        before = F.slice(input, dim, 0, size - 1, 1)  # made first, as C++ does: it runs last in backward
        input = F.sub(F.slice(input, dim, 1, size, 1), before)
    return input


def quantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """Return what a share q of the elements lies below, between neighbours in proportion."""
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    over = 0 if dim is None else axes(dim, input.array.ndim)[0]
    lined = flatten(input) if dim is None else input
    ordered = F.sort(lined if over == lined.array.ndim - 1 else F.transpose(lined, over, -1), -1, False)[0]
    ordered = F.view(ordered, ordered.array.shape)
    shares = np.atleast_1d(q.array if isinstance(q, Tensor) else np.asarray(q, input.array.dtype))
    places = shares * (ordered.array.shape[-1] - 1)
    shape = (*ordered.array.shape[:-1], places.size)
    ends = (np.broadcast_to(f(places), shape).astype(np.int64) for f in (np.floor, np.ceil))
    low, high = (make_at(end, None, input.place) for end in ends)
    weight = make_at((places - np.floor(places)).astype(input.array.dtype), None, input.place)
    found = F.lerp(F.gather(ordered, -1, low), F.gather(ordered, -1, high), weight)
    if isinstance(q, Tensor) and q.array.ndim:
        return F.permute(found, (found.array.ndim - 1, *range(found.array.ndim - 1)))
    if keepdim:
        return reshape(found, (1,) * input.array.ndim) if dim is None else F.transpose(found, over, -1)
    return reshape_inplace(TABLE["squeeze.inplace"], found, -1)


def nanquantile(input: Tensor, q: Any) -> Tensor:
    """Return the quantile of what is not nan, of all elements."""
    return quantile(F.masked_select(input, input.isnan().logical_not()), q)


# ----- areas, covariances -----
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """Return the area under a line through the points."""
    (over,) = axes(dim, y.array.ndim)
    size = y.array.shape[over]
    if x is not None:
        wide = diff(x, dim=-1 if x.array.ndim == 1 else dim)
        return sum((F.slice(y, over, 0, size - 1, 1) + F.slice(y, over, 1, size, 1)) * wide, dim) / 2
    ends = F.select(y, over, 0) + F.select(y, over, -1)
    return F.mul__Scalar(F.sub(sum(y, dim), F.mul__Scalar(ends, 0.5)), dx)


trapz = trapezoid


def cumulative_trapezoid(y: Tensor, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """Return the running areas under a line through the points."""
    (over,) = axes(dim, y.array.ndim)
    size = y.array.shape[over]
    pairs = F.slice(y, over, 1, size, 1) + F.slice(y, over, 0, size - 1, 1)
    return F.cumsum(F.mul__Scalar(pairs, dx / 2), dim)


def cov(input: Tensor, *, correction: int = 1) -> Tensor:
    """Return the covariances of the rows."""
    if input.array.ndim > 2:
        raise RuntimeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input.array.ndim} dimensions"
        )
    input = input if input.array.ndim == 2 else F.view(input, (1, -1))
    count = input.array.shape[1]
    if count <= correction:
        warn(errors.FEW_OBSERVATIONS)
    away = input - F.unsqueeze(sum(input, 1) / count, 1)
    return F.squeeze(F.mm(away, F.t(away)) / builtins.max(count - correction, 0))


def corrcoef(input: Tensor) -> Tensor:
    """Return the correlations of the rows."""
    found = cov(input)
    if not found.array.ndim:
        return found / found
    deviation = F.diagonal(found).sqrt()
    return F.clamp(found / F.view(deviation, (-1, 1)) / F.view(deviation, (1, -1)), -1, 1)
