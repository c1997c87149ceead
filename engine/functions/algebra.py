"""Products of matrices and tensors that are made of several operations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.errors.warned import CROSS
from engine.functions.reductions import sum
from engine.functions.shapes import movedim
from engine.matmul import matmul, reshape
from engine.ops import errors
from engine.ops.dims import axis
from engine.ops.table import F
from engine.tensor import Tensor
from engine.warned import warn_once

__all__ = ["cross", "einsum", "ger", "inner", "kron", "matrix_power", "outer", "tensordot"]


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Return the outer product: a view of the first, multiplied."""
    for name, tensor in (("self", input), ("vec2", vec2)):
        if tensor.array.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {tensor.array.ndim}-D")
    return F.mul(F.view(input, (input.array.size, 1)), vec2)


ger = outer


def inner(input: Tensor, other: Tensor) -> Tensor:
    """Return the sums of products over the last dimension of both."""
    if not input.array.ndim or not other.array.ndim:
        return F.mul(input, other)
    if input.array.shape[-1] != other.array.shape[-1]:
        raise RuntimeError(errors.inner_sizes(input.array.shape, other.array.shape))
    return tensordot(input, other, ([-1], [-1]))


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Return the sums of products over pairs of dimensions."""
    if isinstance(dims, int):
        dims = (range(a.array.ndim - dims, a.array.ndim), range(dims))
    given = [list(d) for d in dims]
    left, right = ([axis(d, t.array.ndim) for d in ds] for t, ds in zip((a, b), dims, strict=True))
    for d, e, i, j in zip(left, right, *given, strict=True):
        if a.array.shape[d] != b.array.shape[e]:
            i = i if isinstance(dims[0], list) else d - a.array.ndim
            raise RuntimeError(errors.contracted_sizes(a.array.shape[d], i, b.array.shape[e], j))
    free = [[d for d in range(t.array.ndim) if d not in ds] for t, ds in ((a, left), (b, right))]
    shape = (*(a.array.shape[d] for d in free[0]), *(b.array.shape[d] for d in free[1]))
    summed = math.prod(a.array.shape[d] for d in left)
    first = reshaped(F.permute(a, (*free[0], *left)), (-1, summed) if free[0] else (summed,))
    second = reshaped(F.permute(b, (*right, *free[1])), (summed, -1) if free[1] else (summed,))
    if not free[0] and not free[1]:
        return reshape(F.dot(first, second), ())
    first = first if free[0] else F.view(first, (1, summed))
    second = second if free[1] else F.view(second, (summed, 1))
    return reshape(F.mm(first, second), shape)


def reshaped(tensor: Tensor, shape: tuple) -> Tensor:
    """Reshape, unless the shape is the same already and one-dimensional."""
    return tensor if len(shape) == 1 and tensor.array.ndim == 1 else reshape(tensor, shape)


def kron(input: Tensor, other: Tensor) -> Tensor:
    """Return every element of the first times the whole second."""
    ndim = max(input.array.ndim, other.array.ndim)
    own = (1,) * (ndim - input.array.ndim) + input.array.shape
    their = (1,) * (ndim - other.array.ndim) + other.array.shape
    wide = F.unsafe_view(input, tuple(n for size in own for n in (size, 1)))
    tall = F.unsafe_view(other, tuple(n for size in their for n in (1, size)))
    return F.unsafe_view(F.mul(wide, tall), tuple(a * b for a, b in zip(own, their, strict=True)))


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """Return the vector product along a dimension of size 3."""
    if dim is None:
        warn_once("cross", CROSS)
        dim = next((d for d, size in enumerate(input.array.shape) if size == 3), -1)
    return F.linalg_cross(input, other, dim)


def matrix_power(input: Tensor, n: int) -> Tensor:
    """Return a matrix multiplied by itself n times."""
    if n < 0:
        raise RuntimeError("matrix_power: negative powers are not available here")
    if n == 0:
        from engine.create import eye

        return eye(input.array.shape[-1], dtype=input.dtype)
    if n == 1:
        return F.clone(input)
    if n == 3:
        return matmul(matmul(input, input), input)
    result, square = None, None
    while n:
        square = input if square is None else matmul(square, square)
        if n % 2:
            result = square if result is None else matmul(result, square)
        n //= 2
    return result


# ----- einsum ---------------------------------------------------------------------------------------
def einsum(equation: str, *operands: Any) -> Tensor:
    """Return sums of products as an equation of letters says, by way of bmm as PyTorch does it.

    Every operand is brought to the same order of dimensions (first those of the result, then those that
    are summed); then the leftmost two are contracted until one is left.
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    terms, result = _letters(equation.replace(" ", ""), operands)
    order = [*result, *sorted({c for term in terms for c in term} - set(result), key=_rank)]
    for label in result:
        if not any(label in term for term in terms):
            raise RuntimeError(
                f"einsum(): output subscript {label} does not appear in the equation for any input operand"
            )
    parts = [_aligned(t, term, order) for t, term in zip(operands, terms, strict=True)]
    left = [len([p for p in parts if p.array.shape[d] != 1]) for d in range(len(order))]
    while len(parts) > 1:
        first, second = parts.pop(0), parts.pop(0)
        parts.insert(0, _contracted(first, second, range(len(result), len(order)), left))
    if len(order) == len(result):
        return parts[0]
    if len(operands) > 1:
        return F.view(parts[0], parts[0].array.shape[: len(result)])
    return sum(parts[0], tuple(range(len(result), len(order))))


def _rank(label: str) -> tuple[int, str]:
    """Order labels as PyTorch does: A-Z, a-z, and what an ellipsis stands for before them."""
    return (0, label) if label[0] == "." else (1, label)


def _letters(equation: str, operands: tuple) -> tuple[list[list[str]], list[str]]:
    """Return the labels of each operand's dimensions and of the result's; an ellipsis becomes .0, .1, ..."""
    inputs, arrow, output = equation.partition("->")
    texts = inputs.split(",")
    if len(texts) != len(operands):
        more = "more operands were provided than specified in the equation"
        fewer = "fewer operands were provided than specified in the equation"
        raise RuntimeError("einsum(): " + (more if len(operands) > len(texts) else fewer))
    hidden = [t.array.ndim - len(text.replace("...", "")) if "..." in text else 0
              for text, t in zip(texts, operands, strict=True)]  # fmt: skip
    most = max(hidden)
    terms = []
    for number, (text, tensor, count) in enumerate(zip(texts, operands, hidden, strict=True)):
        before, _, after = text.partition("...")
        term = [*before, *(f".{i}" for i in range(most - count, most) if "..." in text), *after]
        if len(term) != tensor.array.ndim:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(term)}) does not match the number "
                f"of dimensions ({tensor.array.ndim}) for operand {number} and no ellipsis was given"
            )
        terms.append(term)
    if arrow:
        before, _, after = output.partition("...")
        return terms, [*before, *(f".{i}" for i in range(most) if "..." in output), *after]
    every = [label for term in terms for label in term]
    return terms, sorted({label for label in every if label[0] == "." or every.count(label) == 1}, key=_rank)


def _aligned(tensor: Tensor, term: list[str], order: list[str]) -> Tensor:
    """Bring dimensions into `order`: size 1 for what is lacking, the diagonal of what is there twice."""
    dims: dict[str, int] = {}
    j = 0
    hidden = len([label for label in order if label[0] == "."])
    own = len([label for label in term if label[0] == "."])
    for label in term:
        if label[0] == "." and label == f".{hidden - own}":
            for missing in range(hidden - own):
                tensor = F.unsqueeze(tensor, j)
                dims[f".{missing}"] = j
                j += 1
        if label in dims:
            at = dims[label]
            tensor = movedim(F.diagonal(tensor, 0, at, j), -1, at)
        else:
            dims[label] = j
            j += 1
    for label in order:
        if label not in dims:
            tensor = F.unsqueeze(tensor, j)
            dims[label] = j
            j += 1
    return F.permute(tensor, tuple(dims[label] for label in order))


def _contracted(first: Tensor, second: Tensor, summable: range, left: list[int]) -> Tensor:
    """Multiply two aligned operands, summing what no later operand has."""
    shared, mine, theirs = [], [], []
    for d in summable:
        a, b = first.array.shape[d] != 1, second.array.shape[d] != 1
        if a and b:
            left[d] -= 1
            if left[d] == 1:
                shared.append(d)
                left[d] = 0
        elif left[d] == 1 and (a or b):
            (mine if a else theirs).append(d)
            left[d] = 0
    first = sum(first, tuple(mine), True) if mine else first
    second = sum(second, tuple(theirs), True) if theirs else second
    return _pair(first, second, shared) if shared else F.mul(first, second)


def _pair(first: Tensor, second: Tensor, shared: list[int]) -> Tensor:
    """Contract two operands over shared dimensions: one bmm, with all other dimensions folded."""
    a, b = first.array.shape, second.array.shape
    rest = [d for d in range(len(a)) if d not in shared]
    both = [d for d in rest if a[d] != 1 and b[d] != 1]
    left = [d for d in rest if a[d] != 1 and b[d] == 1]
    right = [d for d in rest if a[d] == 1]
    summed = math.prod(a[d] for d in shared)
    batch = math.prod(a[d] for d in both)
    rows, columns = math.prod(a[d] for d in left), math.prod(b[d] for d in right)
    one = reshape(F.permute(first, (*both, *left, *shared, *right)), (batch, rows, summed))
    two = reshape(F.permute(second, (*both, *shared, *right, *left)), (batch, summed, columns))
    sizes = (*(a[d] for d in (*both, *left)), *(1 for _ in shared), *(b[d] for d in right))
    back = np.argsort((*both, *left, *shared, *right))
    return F.permute(F.view(F.bmm(one, two), sizes), tuple(int(i) for i in back))
