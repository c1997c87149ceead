"""Between tensors and arrays, sharing memory: `t.numpy()`, `torch.from_numpy(a)`, data for `torch.tensor`."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.dtype import DType
from engine.numeric.border import inside, of_tensor, stated
from engine.numeric.kinds import TITLE, floating, generic, held, ndarray, plain, wrapped
from engine.numeric.runs import warn_once
from engine.tensor import Tensor, make

LIST_WARNING = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list "
    "to a single numpy.ndarray with numpy.array() before converting to a tensor."
)
READ_ONLY_WARNING = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
    "writing to this tensor will result in undefined behavior. You may want to copy the array to protect its "
    "data or make it writable before converting it to a tensor. This type of warning will be suppressed for "
    "the rest of this program."
)
NEGATIVE_STRIDE = (
    "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
    "currently supported. (You can probably work around this by making a copy of your array  with "
    "array.copy().) "
)
EITHER = (ndarray, generic)


def numpy(self: Tensor, *, force: bool = False) -> ndarray:
    """Return a tensor's numbers as an array; what is written into one is seen in the other."""
    if force is True:
        return wrapped(of_tensor(self.detach().cpu()))
    return wrapped(of_tensor(self))


def from_numpy(array: Any) -> Tensor:
    """Return an array's numbers as a tensor; what is written into one is seen in the other."""
    if type(array) is not ndarray:
        raise TypeError(f"expected np.ndarray (got {TITLE(type(array))})")
    return stated(make(memory(array)))


def memory(array: ndarray) -> np.ndarray:
    """Return the memory of an array as a tensor can hold it, or refuse as PyTorch does."""
    real = held(array)
    dtypes.from_numpy(real.dtype)
    if any(stride < 0 for stride in real.strides):
        raise ValueError(NEGATIVE_STRIDE)
    if not real.flags.writeable:
        warn_once(READ_ONLY_WARNING)
    return real.view()


def numbers_of(value: Any) -> np.ndarray:
    """Return the numbers of an array or scalar, for a tensor of the same dtype."""
    return memory(value) if type(value) is ndarray else np.asarray(inside(value))


def dtype_of_scalars(values: list) -> DType | None:
    """Return the dtype of a list of numbers if there are NumPy's among them; each has its own."""
    if not any(isinstance(value, generic) for value in values):
        return None
    found = None
    for value in values:
        own = dtypes.from_numpy(inside(value).dtype) if isinstance(value, generic) else None
        own = own or dtypes.result_dtype_of_number(value)
        found = own if found is None else dtypes.promote_types(found, own)
    return found


def unwrapped(values: list) -> list:
    """Return a list of numbers with Python's own in place of NumPy's."""
    return [plain(value) if isinstance(value, generic) else value for value in values]


def warn_of_list() -> None:
    """Say that a list of arrays is a slow way to make a tensor."""
    warn_once(LIST_WARNING)


def assignable(value: Any) -> bool:
    """Return whether PyTorch takes a NumPy value in `t[0] = value`: its odd floats and arrays it does not."""
    if isinstance(value, floating):
        return inside(value).dtype == np.float64
    return isinstance(value, int) if isinstance(value, generic) else type(value) is not ndarray
