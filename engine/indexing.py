"""`x[...]` and `x[...] = ...`: the chain of selects, slices and one advanced index that PyTorch makes.

Source: csrc/autograd/python_variable_indexing.cpp.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import errors
from engine.apply import apply_inplace
from engine.numeric import exchange
from engine.numeric.kinds import TITLE, ndarray
from engine.ops.table import TABLE, F
from engine.tensor import Tensor, beside, make, writable
from engine.warned import warn

END = 2**63 - 1


def getitem(tensor: Tensor, index: Any) -> Tensor:
    """Return the part of `tensor` that `index` names: a view, or a copy for advanced indexing."""
    if type(index) in (ndarray, tuple):
        index = without_arrays(index)
    single = _single(tensor, index)
    if single is not None:
        return single
    part, advanced = basic(tensor, index if isinstance(index, tuple) else (index,))
    if advanced is None:
        return F.alias(part) if part is tensor else part
    return F.index(part, advanced)


def without_arrays(index: Any) -> Any:
    """Return an index with tensors in place of NumPy's arrays."""
    if type(index) is ndarray:
        return make(exchange.memory(index))
    return tuple([make(exchange.memory(i)) if type(i) is ndarray else i for i in index])


def _single(tensor: Tensor, index: Any) -> Tensor | None:
    """Handle an index that is no tuple, which always leaves its own node."""
    if isinstance(index, bool):
        return None
    if isinstance(index, int) or is_integer(index):
        if not tensor.array.ndim:
            raise errors.index_error(errors.index_zero_dim())
        return F.select(tensor, 0, integer(index))
    if isinstance(index, slice):
        if not tensor.array.ndim:
            raise errors.index_error("slice() cannot be applied to a 0-dim tensor.")
        return F.slice(tensor, 0, *bounds(index, tensor.array.shape[0]))
    if index is None:
        return F.unsqueeze(tensor, 0)
    return F.alias(tensor) if index is Ellipsis else None


def is_integer(value: Any) -> bool:
    """Return whether a tensor acts as an int: 0-d and whole, and no byte, which is a mask."""
    return isinstance(value, Tensor) and not value.array.ndim and value.array.dtype.kind == "i"


def integer(value: Any) -> int:
    """Return an index as a Python int."""
    return int(value.array) if isinstance(value, Tensor) else int(value)


def bounds(part: slice, size: int) -> tuple[int, int, int]:
    """Return start, end and step as the Slice node saves them."""
    step = 1 if part.step is None else integer(part.step)
    if step <= 0:
        raise ValueError("step must be greater than zero")
    start = 0 if part.start is None else integer(part.start)
    end = END if part.stop is None else integer(part.stop)
    return start, end, step


def basic(tensor: Tensor, index: tuple) -> tuple[Tensor, tuple | None]:
    """Apply ints, slices, None and Ellipsis left to right; return what tensors are left to index with."""
    taken = sum(_dims_of(i) for i in index)
    if taken > tensor.array.ndim:
        raise errors.index_error(errors.too_many_indices(tensor.array.ndim))
    dim, advanced, own = 0, {}, 0
    for item in index:
        if isinstance(item, bool):
            tensor = F.unsqueeze(tensor, dim)
            advanced[dim] = make(np.array([0] if item else [], np.int64))
            dim += 1
        elif isinstance(item, int) or is_integer(item):
            tensor, own = F.select(tensor, dim, _checked(item, tensor, dim, own)), own + 1
        elif isinstance(item, slice):
            start, end, step = bounds(item, tensor.array.shape[dim])
            if not (start == 0 and end >= tensor.array.shape[dim] and step == 1):
                tensor = F.slice(tensor, dim, start, end, step)
            dim, own = dim + 1, own + 1
        elif item is None:
            tensor, dim = F.unsqueeze(tensor, dim), dim + 1
        elif item is Ellipsis:
            skip = tensor.array.ndim - dim - _after(index)
            dim, own = dim + skip, own + skip
        else:
            for chosen in _as_indices(item, tensor, dim):
                advanced[dim] = chosen
                width = chosen.array.ndim if chosen.array.dtype.kind == "b" else 1
                dim, own = dim + width, own + width
    if not advanced:
        return tensor, None
    covered = {
        d for at, i in advanced.items() if i.array.dtype.kind == "b" for d in range(at + 1, at + i.array.ndim)
    }
    return tensor, tuple(advanced.get(d) for d in range(max(advanced) + 1) if d not in covered)


def _checked(item: Any, tensor: Tensor, dim: int, own: int) -> int:
    index, size = integer(item), tensor.array.shape[dim]
    if not -size <= index < size:
        raise errors.index_error(errors.index_range(index, own, size))
    return index


def _dims_of(item: Any) -> int:
    """Return how many dimensions of the tensor one index uses up."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    if isinstance(item, Tensor) and is_mask(item):
        return item.array.ndim
    return 1


def is_mask(item: Tensor) -> bool:
    """Return whether a tensor says yes or no of each element: bools, or bytes as of old."""
    return item.array.dtype.kind == "b" or item.array.dtype == np.uint8


def _after(index: tuple) -> int:
    """Return how many dimensions the indices behind the Ellipsis use up."""
    at = next(i for i, item in enumerate(index) if item is Ellipsis)
    return sum(_dims_of(i) for i in index[at + 1 :])


def _as_indices(item: Any, tensor: Tensor, dim: int) -> list[Tensor]:
    """Return a list, mask or tensor as index tensors, one per dimension it covers."""
    if isinstance(item, (list, tuple, range)):
        from engine.create import from_nested

        item = make(from_nested(list(item), None)[0]) if len(item) else make(np.zeros(0, np.int64))
    if not isinstance(item, Tensor):
        raise errors.index_error(errors.index_kind(item))
    if item.array.dtype == np.uint8:
        if not item.array.ndim:
            return [beside(item, item.array != 0)]
        warn(errors.UINT8_INDEX)
        item = beside(item, item.array != 0)
    kind = item.array.dtype
    if kind.kind == "b":
        for d, size in enumerate(item.array.shape):
            if size != tensor.array.shape[dim + d]:
                raise errors.index_error(errors.mask_shape(item.array.shape, d, tensor.array.shape))
        return [item]
    if kind.kind not in "iu":
        raise errors.index_error(errors.index_dtype())
    return [item]


def setitem(tensor: Tensor, index: Any, value: Any) -> None:
    """Write `value` into the part that `index` names, in place, keeping the graph right."""
    if not isinstance(value, (Tensor, int, float, complex)) or not exchange.assignable(value):
        raise TypeError(f"can't assign a {TITLE(type(value))} to a {tensor.dtype.type_name}")
    if type(index) in (ndarray, tuple):
        index = without_arrays(index)
    bytes_alone = isinstance(index, Tensor) and index.array.dtype == np.uint8
    if bytes_alone and (not isinstance(value, Tensor) or not value.array.ndim):
        raise RuntimeError(errors.MASK_OF_BYTES)
    part, advanced = basic(tensor, index if isinstance(index, tuple) else (index,))
    if advanced is not None:
        filled = value if isinstance(value, Tensor) else make(np.asarray(value, tensor.array.dtype))
        apply_inplace(TABLE["index_put"], part, advanced, filled, False)
    elif not isinstance(value, Tensor) or not value.array.ndim:
        if not writable(part.array):
            raise RuntimeError(errors.overlapping_write())
        apply_inplace(TABLE["fill.Tensor"], part, value)
    else:
        copy_into(part, value)


def copy_into(part: Tensor, value: Tensor) -> None:
    """Copy `value` into `part`, dropping leading size-1 dimensions and expanding, as PyTorch does."""
    shape = value.array.shape
    lead = next((i for i, size in enumerate(shape) if size != 1), len(shape))
    if shape != part.array.shape:
        if lead:
            value = F.view(value, shape[lead:])
        if value.array.shape != part.array.shape:
            value = F.expand(value, part.array.shape)
    apply_inplace(TABLE["copy"], part, value)
