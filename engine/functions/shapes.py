"""Other shapes of the same numbers: what is spelled with sizes one by one, or covers several operations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import errors
from engine import matmul as products
from engine.dtype import DType
from engine.ops.dims import axes, axis
from engine.ops.table import F
from engine.tensor import Tensor, make_at

__all__ = [
    "adjoint", "as_strided", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_to", "diag", "diagflat",
    "expand", "expand_as", "flatten", "flip", "fliplr", "flipud", "movedim", "narrow", "permute", "ravel",
    "repeat", "repeat_interleave", "reshape", "reshape_as", "roll", "squeeze", "sum_to_size", "t", "tile",
    "unflatten", "view", "view_as",
]  # fmt: skip


def sizes(given: tuple) -> tuple[int, ...]:
    """Return sizes given one by one or as one tuple."""
    if len(given) == 1 and isinstance(given[0], (tuple, list)):
        given = tuple(given[0])
    for s in given:
        if not isinstance(s, (int, Tensor)):
            raise TypeError(f"sizes must be ints, but got {type(s).__name__}")
    return tuple(int(s) for s in given)


# ----- views --------------------------------------------------------------------------------------
def view(self: Tensor, *shape: Any) -> Tensor:
    """Return the same memory in another shape, or refuse."""
    if len(shape) == 1 and isinstance(shape[0], DType):
        if shape[0] is self.dtype:
            return F.alias(self)
        raise RuntimeError("viewing a tensor as another dtype is not available here; use .to(dtype)")
    return F.view(self, sizes(shape))


def reshape(input: Tensor, *shape: Any) -> Tensor:
    """Return another shape: a view where possible, else a copy."""
    return products.reshape(input, sizes(shape))


def view_as(self: Tensor, other: Tensor) -> Tensor:
    """View in the shape of another tensor."""
    return F.view(self, other.array.shape)


def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """Reshape to the shape of another tensor."""
    return products.reshape(self, other.array.shape)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Merge dimensions start_dim .. end_dim into one."""
    shape = input.array.shape
    if not shape:
        return reshape(input, (1,))
    low, high = axis(start_dim, len(shape)), axis(end_dim, len(shape))
    if low > high:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if low == high:
        return input
    return reshape(input, (*shape[:low], math.prod(shape[low : high + 1]), *shape[high + 1 :]))


def ravel(input: Tensor) -> Tensor:
    """Return all elements in one dimension."""
    return reshape(contiguous(input), (-1,))


def contiguous(input: Tensor) -> Tensor:
    """Return the tensor with its memory in order."""
    return input if input.array.flags.c_contiguous else F.contiguous(input)


def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """Cut one dimension into several."""
    over, shape = axis(dim, input.array.ndim), input.array.shape
    return F.view(input, (*shape[:over], *sizes_with_one_open(shape[over], tuple(sizes)), *shape[over + 1 :]))


def sizes_with_one_open(total: int, parts: tuple[int, ...]) -> tuple[int, ...]:
    """Return sizes with a -1 among them worked out."""
    known = math.prod(p for p in parts if p != -1)
    found = tuple(total // known if p == -1 and known else p for p in parts)
    if math.prod(found) != total:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(parts)} don't multiply up to the size of dim 0 ({total}) in "
            "the input tensor"
        )
    return found


def expand(self: Tensor, *size: Any) -> Tensor:
    """Stretch dimensions of size 1 without copying."""
    return F.expand(self, sizes(size))


def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Expand to the shape of another tensor."""
    return F.expand(self, other.array.shape)


def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """Expand to a shape."""
    return F.expand(input, sizes((size,)))


def permute(input: Tensor, *dims: Any) -> Tensor:
    """Reorder the dimensions."""
    return F.permute(input, sizes(dims))


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Move dimensions elsewhere; the others keep their order."""
    ndim = input.array.ndim
    given = [(d,) if isinstance(d, int) else tuple(d) for d in (source, destination)]
    old, new = ([axis(d, ndim) for d in dims] for dims in given)
    if len(old) != len(new):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(given[0])} dims) should contain the "
            f"same number of dims as destination ({list(given[1])} dims)"
        )
    rest = iter(d for d in range(ndim) if d not in old)
    return F.permute(input, tuple(old[new.index(d)] if d in new else next(rest) for d in range(ndim)))


def adjoint(input: Tensor) -> Tensor:
    """Exchange the last two dimensions."""
    return F.transpose(input, -2, -1)


def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Drop dimensions of size 1: all, one, or several."""
    if dim is None:
        return F.squeeze(input)
    return F.squeeze__dim(input, dim) if isinstance(dim, int) else F.squeeze__dims(input, tuple(dim))


def t(input: Tensor) -> Tensor:
    """Transpose a matrix; a vector is a view of itself."""
    if input.array.ndim > 2:
        raise RuntimeError(errors.t_dims(input.array.ndim))
    return F.t(input)


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """Return the part of a dimension that begins at start."""
    start = int(start)
    (over,) = axes(dim, input.array.ndim)
    size = input.array.shape[over]
    if not -size <= start <= size:
        raise errors.index_error(
            f"start out of range (expected to be in range of [{-size}, {size}], but got {start})"
        )
    start = start + size if start < 0 else start
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return F.slice(input, dim, start, start + length, 1)


def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """Return the memory seen with another geometry."""
    return F.as_strided(input, tuple(size), tuple(stride), storage_offset)


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return a matrix's diagonal, or a matrix with a diagonal."""
    if input.array.ndim == 1:
        return F.diag_embed(input, diagonal)
    if input.array.ndim != 2:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.array.ndim}D")
    return F.diagonal_copy(input, diagonal)


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """Return a matrix with all elements on a diagonal."""
    return F.diag_embed(reshape(contiguous(input), (-1,)), offset)


# ----- at least so many dimensions ------------------------------------------------------------------
def _atleast(ndim: int):
    def atleast(*tensors: Any) -> Any:
        """Return tensors with size-1 dimensions added where there are too few."""
        if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
            tensors = tuple(tensors[0])
        found = tuple(_widened(t, ndim) for t in tensors)
        return found[0] if len(found) == 1 else found

    atleast.__name__ = f"atleast_{ndim}d"
    return atleast


def _widened(tensor: Tensor, ndim: int) -> Tensor:
    have = tensor.array.ndim
    if not have:
        return reshape(tensor, (1,) * ndim)
    if have == 1 and ndim > 1:
        tensor = F.unsqueeze(tensor, 0)
    return F.unsqueeze(tensor, -1) if ndim == 3 and have < 3 else tensor


atleast_1d, atleast_2d, atleast_3d = _atleast(1), _atleast(2), _atleast(3)


# ----- copies ---------------------------------------------------------------------------------------
def repeat(self: Tensor, *repeats: Any) -> Tensor:
    """Return copies side by side, so many along each dimension."""
    return F.repeat(self, sizes(repeats))


def tile(input: Tensor, *dims: Any) -> Tensor:
    """The same; missing numbers of copies are 1."""
    dims = sizes(dims)
    return F.repeat(input, (1,) * (input.array.ndim - len(dims)) + dims)


def repeat_interleave(
    input: Tensor, repeats: Any, dim: int | None = None, *, output_size: Any = None
) -> Tensor:
    """Return each element so many times, one after another."""
    if dim is None:
        input, dim = flatten(input), 0
    over = axis(dim, input.array.ndim)
    if isinstance(repeats, Tensor):
        index = np.repeat(np.arange(input.array.shape[over]), repeats.array)
        return F.index_select(input, over, make_at(index, None, input.place))
    shape = input.array.shape
    wide = F.unsqueeze(input, over + 1)
    wide = F.expand(wide, (*shape[: over + 1], repeats, *shape[over + 1 :]))
    return flatten(F.contiguous(wide), over, over + 1)


def flip(input: Tensor, *dims: Any) -> Tensor:
    """Reverse the order along dimensions."""
    return F.flip(input, sizes(dims))


def fliplr(input: Tensor) -> Tensor:
    """Reverse the columns."""
    if input.array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return F.flip(input, (1,))


def flipud(input: Tensor) -> Tensor:
    """Reverse the rows."""
    return F.flip(input, (0,))


def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """Shift elements along dimensions; what falls out comes in again at the other end."""
    dims = () if dims is None else dims
    return F.roll(input, *(tuple((v,) if isinstance(v, int) else v) for v in (shifts, dims)))


def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """Sum over what broadcasting would have stretched: one sum, then a view without the leading ones."""
    shape, own = sizes(size), self.array.shape
    if not shape and own:
        return F.sum(self)
    lead = len(own) - len(shape)
    dims = (*range(lead), *(i for i in range(lead, len(own)) if shape[i - lead] == 1 and own[i] != 1))
    out = F.sum__dim(self, dims, True) if dims else self
    return F.view(out, shape) if lead else out
