"""Several matrices or points at once: products in the cheapest order, blocks, all distances, slopes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from engine import create
from engine import dtype as dtypes
from engine.functions.joining import cat, tensor_split
from engine.ops.dims import axes
from engine.ops.table import F
from engine.tensor import Tensor

__all__ = ["block_diag", "cdist", "chain_matmul", "dsplit", "gradient", "vander"]


def block_diag(*tensors: Any) -> Tensor:
    """Return the matrix that has the given ones along its diagonal."""
    tensors = tuple(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    return F.block_diag(tensors)


# ----- products in the cheapest order ---------------------------------------------------------------
def chain_matmul(*matrices: Any) -> Tensor:
    """Return the product of matrices; the older name of linalg.multi_dot."""
    warnings.warn(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
        "torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than multiple "
        "parameters.",
        UserWarning,
        stacklevel=2,
    )
    matrices = matrices[0] if len(matrices) == 1 and isinstance(matrices[0], (list, tuple)) else matrices
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    return matrices[0] if len(matrices) == 1 else multi_dot(matrices)


def multi_dot(tensors: Any) -> Tensor:
    """Return the product of two or more matrices, in the order that takes fewest multiplications."""
    parts = list(tensors)
    if len(parts) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(parts)}")
    shape: list[int] = []
    for place, dim, at in ((0, 0, 0), (-1, 1, -1)):
        if parts[place].array.ndim == 1:
            parts[place] = F.unsqueeze(parts[place], dim)
        else:
            shape.append(parts[place].array.shape[at])
    if len(parts) == 2:
        found = F.mm(*parts)
    elif len(parts) == 3:
        a, b, c = parts
        (n, k), (_, m), (_, q) = (t.array.shape for t in parts)
        left_first = n * k * m + n * m * q <= k * m * q + n * k * q
        found = F.mm(F.mm(a, b), c) if left_first else F.mm(a, F.mm(b, c))
    else:
        found = _product(parts, _cheapest([p.array.shape for p in parts]), 0, len(parts) - 1)
    return F.view(found, tuple(shape))


def _cheapest(shapes: list) -> dict:
    """Return, for every part of a chain, after which matrix to cut it in two."""
    sizes, count = [shapes[0][0], *(s[1] for s in shapes)], len(shapes)
    cost, cut = {(i, i): 0 for i in range(count)}, {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            options = [
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            ]
            cost[i, j], cut[i, j] = min(options)
    return cut


def _product(parts: list, cut: dict, i: int, j: int) -> Tensor:
    if i == j:
        return parts[i]
    k = cut[i, j]
    first = _product(parts, cut, i, k)
    return F.mm(first, _product(parts, cut, k + 1, j))


# ----- distances ------------------------------------------------------------------------------------
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str | None = None) -> Tensor:
    """Return the distance of every row of x1 to every row of x2."""
    for number, given in ((1, x1), (2, x2)):
        if given.array.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, X{number} got: {given.array.ndim}D")
    if x1.array.shape[-1] != x2.array.shape[-1]:
        raise RuntimeError(
            "X1 and X2 must have the same number of columns. "
            f"X1: {x1.array.shape[-1]} X2: {x2.array.shape[-1]}"
        )
    for number, given in ((1, x1), (2, x2)):
        if not given.dtype.is_floating_point:
            raise RuntimeError(
                f"cdist only supports floating-point dtypes, X{number} got: {given.dtype.short}"
            )
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    batch = np.broadcast_shapes(x1.array.shape[:-2], x2.array.shape[:-2])
    x1, x2 = (
        t if t.array.shape[:-2] == batch else F.expand(t, (*batch, *t.array.shape[-2:])) for t in (x1, x2)
    )
    return F.cdist(x1, x2, float(p))


def dsplit(input: Tensor, indices_or_sections: Any) -> tuple:
    """Cut along the third dimension."""
    if input.array.ndim < 3:
        raise RuntimeError(
            "torch.dsplit requires a tensor with at least 3 dimension, but got a tensor with "
            f"{input.array.ndim} dimensions!"
        )
    return tensor_split(input, indices_or_sections, 2)


# ----- slopes of sampled functions ------------------------------------------------------------------
def gradient(input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> tuple:
    """Return the slopes of a function sampled on a grid: central differences, one-sided at the edges."""
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    dims = axes(dim, input.array.ndim)
    steps = [spacing] * len(dims) if isinstance(spacing, (int, float)) else list(spacing)
    for over in dims:
        if input.array.shape[over] <= edge_order:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple(_slopes(input, over, step, edge_order) for over, step in zip(dims, steps, strict=True))


def _slopes(input: Tensor, dim: int, step: Any, edge_order: int) -> Tensor:
    if isinstance(step, Tensor):
        raise RuntimeError("torch.gradient: coordinates as spacing are not available here; a number is")
    size = input.array.shape[dim]

    def part(start: int, end: int) -> Tensor:
        return F.slice(input, dim, start, end, 1)

    def difference(after: tuple, before: tuple) -> Tensor:
        subtracted = part(*before)
        return part(*after) - subtracted

    # the order of these lines is the order in which PyTorch's compiler evaluates them
    middle = F.div__Scalar(difference((2, size), (0, size - 2)), 2)
    if edge_order == 1:
        first = F.div__Scalar(difference((1, 2), (0, 1)), step)
        last = F.div__Scalar(difference((size - 1, size), (size - 2, size - 1)), step)
    else:
        third, second = F.mul__Scalar(part(2, 3), 0.5), F.mul__Scalar(part(1, 2), 2)
        first = F.div__Scalar(F.mul__Scalar(part(0, 1), -1.5) + second - third, step)
        third = F.mul__Scalar(part(size - 1, size), 1.5)
        second = F.mul__Scalar(part(size - 2, size - 1), 2)
        last = F.div__Scalar(F.mul__Scalar(part(size - 3, size - 2), 0.5) - second + third, step)
    return cat((first, F.div__Scalar(middle, step), last), dim)


# ----- powers as columns ----------------------------------------------------------------------------
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Return the powers of each element as a row; built in place, so that it has no usable derivative."""
    if x.array.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.array.size if N is None else N
    whole = x.array.dtype.kind in "iub"
    table = create.empty(x.array.size, count, dtype=dtypes.int64 if whole else x.dtype)
    if count > 0:
        table.select(1, 0).fill_(1)
    if count > 1:
        rest = F.slice(table, 1, 1, count, 1)
        rest.copy_(F.unsqueeze(x, 1))
        rest.copy_(F.cumprod(rest, 1))
    return table if increasing else F.flip(table, (1,))


def vander_of_linalg(x: Tensor, *, N: int | None = None) -> Tensor:
    """Return the powers 0, 1, 2, ... of each element along a new last dimension."""
    count = x.array.shape[-1] if N is None else N
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    wide = F.expand(F.unsqueeze(x, -1), (*x.array.shape, count - 1))
    ones = create.ones(*x.array.shape, 1, dtype=x.dtype)
    return cat((ones, F.cumprod(wide, -1)), -1)
