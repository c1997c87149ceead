"""Which kinds of numbers an operation takes: PyTorch names its kernel when it refuses one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.ops import errors

FLOATS, NUMBERS, WHOLE = "fc", "fciu", "iub"
OPERATORS = frozenset(("add", "sub", "mul", "div"))  # forwards that are one operator of Python's
# Forwards that take NumPy's scalars as well as arrays: of one number, a scalar costs a tenth of an array.
ON_SCALARS = OPERATORS | frozenset(
    "neg pow exp log sin cos tanh tanh_backward sigmoid sigmoid_backward sqrt zeros_like "
    "threshold_backward".split()
)


def only(kinds: str, kernel: str, forward: Callable) -> Callable:
    """Return a forward that refuses arrays of other kinds (NumPy's letters) than it has a kernel for."""

    @functools.wraps(forward)
    def checked(*args: Any) -> Any:
        refuse_unless(kinds, kernel, args[0])
        return forward(*args)

    return checked


def refuse_unless(kinds: str, kernel: str, array: Any) -> None:
    """Raise PyTorch's error unless an array is of one of the kinds."""
    found = np.asarray(array).dtype
    if found.kind not in kinds:
        raise errors.not_implemented_for(kernel, dtypes.from_numpy(found))
