"""What programs ask about a tensor's memory, and writing into it element by element."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from engine import create, errors, events, modes
from engine.functions.inplace import copy_
from engine.tensor import Tensor
from engine.warned import warn


def written(self: Tensor, values: list) -> Tensor:
    """Write values, in order, into a tensor: a copy of a tensor that holds them."""
    return copy_(self, create.finished(np.array(values).reshape(self.array.shape), self.dtype))


def apply_(self: Tensor, callable: Any) -> Tensor:
    """Replace each element by what a function makes of it."""
    if self.requires_grad:
        raise RuntimeError(
            "Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead."
        )
    made = [callable(value) for value in self.array.ravel().tolist()]
    return written(self, made)


def map_(self: Tensor, other: Tensor, callable: Any) -> Tensor:
    """Replace each element by what a function makes of it and of the one beside it."""
    if self.requires_grad:
        raise RuntimeError(
            "Can't call map_() on Variable that requires grad. Use var.detach().map_() instead."
        )
    beside = np.broadcast_to(other.array, self.array.shape).ravel().tolist()
    made = [callable(*pair) for pair in zip(self.array.ravel().tolist(), beside, strict=True)]
    return written(self, made)


def resize_(self: Tensor, *sizes: Any, memory_format: Any = None) -> Tensor:
    """Give the tensor itself another shape; it keeps as many of its numbers as fit."""
    shape = create.size_of(sizes)
    if self.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    size = int(np.prod(shape))
    flat = self.array.reshape(-1)
    if size > flat.size:
        flat = np.concatenate([flat, np.zeros(size - flat.size, flat.dtype)])
    events.replacing(self)
    self.array = flat[:size].reshape(shape)
    return self


def into(out: Tensor, result: Tensor) -> Tensor:
    """Put a result into `out`, which is given its shape: where that was another one, PyTorch warns."""
    if out.array.shape != result.array.shape:
        if out.array.size:
            warn(errors.resized_out(out.array.shape, result.array.shape))
        resize_(out, *result.array.shape)
    return copy_(out, result)


def check_out(name: str, tensors: Any) -> None:
    """Refuse `out=` where autograd would have to follow."""
    if modes.is_grad_enabled() and any(isinstance(each, Tensor) and each.requires_grad for each in tensors):
        raise RuntimeError(errors.out_requires_grad(name))


def taking_out(function: Callable) -> Callable:
    """Return a function that also takes `out=`, a tensor to put its result into."""
    if "out" in inspect.signature(function).parameters:
        return function

    @functools.wraps(function)
    def call(*args: Any, out: Tensor | None = None, **kwargs: Any) -> Any:
        if out is None:
            return function(*args, **kwargs)
        given = [each for value in args for each in (value if isinstance(value, (list, tuple)) else (value,))]
        check_out(function.__name__, (*given, *kwargs.values(), out))
        with modes.no_grad():
            return into(out, function(*args, **kwargs))

    return call


class Storage:
    """The memory a tensor looks into, as far as programs ask for it: where it is and how large."""

    def __init__(self, tensor: Tensor) -> None:
        root = tensor.array
        while isinstance(root.base, np.ndarray):
            root = root.base
        self._where, self._bytes = int(root.ctypes.data), int(root.nbytes)

    def data_ptr(self) -> int:
        """Return the address; equal addresses mean shared memory."""
        return self._where

    def nbytes(self) -> int:
        """Return the size in bytes."""
        return self._bytes

    size = __len__ = nbytes


def storage_offset(self: Tensor) -> int:
    """Return where the tensor begins in its memory, in elements."""
    root = self.array
    while isinstance(root.base, np.ndarray):
        root = root.base
    return (self.array.ctypes.data - root.ctypes.data) // self.array.itemsize
