"""Putting tensors together and taking them apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import errors
from engine.functions.shapes import atleast_1d, atleast_2d, atleast_3d, reshape
from engine.ops import errors as words
from engine.ops.dims import axis
from engine.ops.table import F
from engine.tensor import Tensor
from engine.warned import warn_once

__all__ = [
    "broadcast_tensors", "cartesian_prod", "cat", "chunk", "column_stack", "concat", "concatenate",
    "dstack", "hsplit", "hstack", "meshgrid", "row_stack", "split", "stack", "tensor_split",
    "unsafe_chunk", "unsafe_split", "vsplit", "vstack",
]  # fmt: skip


# ----- together -----------------------------------------------------------------------------------
def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Join tensors along a dimension they have."""
    tensors = tuple(tensors)
    if not tensors:
        raise ValueError(words.no_tensors("cat"))
    return F.cat(tensors, dim)


concat = concatenate = cat


def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Join tensors along a new dimension."""
    tensors = tuple(tensors)
    if not tensors:
        raise RuntimeError(words.no_tensors("stack"))
    return F.stack(tensors, dim)


def _several(found: Any) -> tuple:
    return found if isinstance(found, tuple) else (found,)


def hstack(tensors: Any) -> Tensor:
    """Join tensors side by side: vectors end to end, matrices column-wise."""
    parts = _several(atleast_1d(tensors))
    return cat(parts, 0 if parts[0].array.ndim == 1 else 1)


def vstack(tensors: Any) -> Tensor:
    """Join tensors as rows."""
    return cat(_several(atleast_2d(tensors)), 0)


row_stack = vstack


def dstack(tensors: Any) -> Tensor:
    """Join tensors along the third dimension."""
    return cat(_several(atleast_3d(tensors)), 2)


def column_stack(tensors: Any) -> Tensor:
    """Join vectors as columns."""
    return cat(tuple(reshape(t, (t.array.size, 1)) if t.array.ndim <= 1 else t for t in tensors), 1)


# ----- apart --------------------------------------------------------------------------------------
def split(
    tensor: Tensor, split_size_or_sections: Any = None, dim: int = 0, *, split_size: Any = None
) -> tuple:
    """Cut into views of a given size, or of given sizes."""
    wanted = split_size_or_sections if split_size is None else split_size
    if isinstance(wanted, int):
        return F.split(tensor, wanted, dim)
    return F.split_with_sizes(tensor, tuple(wanted), dim)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple:
    """Cut into a number of views."""
    if not input.array.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    return F.split(input, -(-input.array.shape[axis(dim, input.array.ndim)] // chunks), dim)


def unsafe_split(tensor: Tensor, split_size: int, dim: int = 0) -> tuple:
    """Cut into copies of a given size, which may be written."""
    return F.unsafe_split(tensor, split_size, dim)


def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple:
    """Cut into a number of copies, which may be written."""
    return F.unsafe_split(input, -(-input.array.shape[axis(dim, input.array.ndim)] // chunks), dim)


def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple:
    """Cut into parts of nearly the same size, or at given places."""
    over = axis(dim, input.array.ndim)
    size = input.array.shape[over]
    if isinstance(indices_or_sections, int):
        large, rest = divmod(size, indices_or_sections)
        places = np.cumsum([large + (i < rest) for i in range(indices_or_sections)]).tolist()[:-1]
    else:
        places = list(indices_or_sections)
    ends = zip([0, *places], [*places, size], strict=True)
    return tuple(F.slice(input, dim, start, end, 1) for start, end in ends)


def hsplit(input: Tensor, indices_or_sections: Any) -> tuple:
    """Cut along the columns."""
    return tensor_split(input, indices_or_sections, 0 if input.array.ndim == 1 else 1)


def vsplit(input: Tensor, indices_or_sections: Any) -> tuple:
    """Cut along the rows."""
    return tensor_split(input, indices_or_sections, 0)


# ----- against each other -------------------------------------------------------------------------
def broadcast_tensors(*tensors: Any) -> tuple:
    """Expand tensors to the shape they broadcast to."""
    tensors = tuple(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    shape: tuple = ()
    for tensor in tensors:
        try:
            shape = np.broadcast_shapes(shape, tensor.array.shape)
        except ValueError:
            raise RuntimeError(errors.broadcast(shape, tensor.array.shape)) from None
    return tuple(t if t.array.shape == shape else F.expand(t, shape) for t in tensors)


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple:
    """Return the coordinates of a grid, one tensor per axis."""
    if indexing is None:
        warn_once("meshgrid", errors.MESHGRID, level=1)
    tensors = tuple(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    for tensor in tensors:
        if tensor.array.ndim > 1:
            raise RuntimeError(
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: "
                f"{tensor.array.tolist()}"
            )
    swapped = indexing == "xy" and len(tensors) > 1
    order = (1, 0, *range(2, len(tensors))) if swapped else range(len(tensors))
    lined = [tensors[i] for i in order]
    shape = tuple(t.array.size for t in lined)
    grids = [
        F.expand(F.view(t, (*(1,) * d, -1, *(1,) * (len(shape) - d - 1))), shape) for d, t in enumerate(lined)
    ]
    return tuple(grids[i] for i in order)


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Return every combination of elements, one row each."""
    if len(tensors) == 1:
        return tensors[0]
    return stack([reshape(grid, (-1,)) for grid in meshgrid(*tensors)], 1)
