"""What every `.grad` was last seen to hold, so that a write in place can be told as before and after."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from engine.tensor import Tensor


class Grads:
    """The last value of every `.grad`, by the id of its tensor. `write` returns the id of a value."""

    def __init__(self, write: Callable[[Any], str | None]) -> None:
        self._write = write
        self._last: dict[str, tuple[weakref.ref, str | None]] = {}

    def note(self, name: str, tensor: Tensor, grad: Any) -> None:
        """A row has just told what `.grad` of this tensor holds."""
        self._last[name] = (weakref.ref(tensor), self._write(grad))

    def written(self, tensor: Tensor) -> Iterator[tuple[str, str | None, str | None]]:
        """Yield (id, before, after) for each tensor whose `.grad` shares memory with what was written."""
        for name, (reference, before) in list(self._last.items()):
            owner = reference()
            grad = None if owner is None else owner.grad_tensor
            if grad is not None and np.may_share_memory(grad.array, tensor.array):
                after = self._write(grad)
                self._last[name] = (reference, after)
                yield name, before, after
