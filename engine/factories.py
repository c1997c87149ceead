"""The factories as learners call them: where a tensor is to be and of what kind is looked at first."""

from __future__ import annotations

import functools
from typing import Any

from engine import create, errors
from engine import device as devices
from engine import dtype as dtypes
from engine.numeric.kinds import TITLE
from engine.tensor import Tensor

OF_A_TENSOR = ("zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like")
OF_DATA = ("tensor", "as_tensor", "asarray")
ALWAYS_CPU = ("normal", "manual_seed")  # a default device does not count for it
UNPINNED = ("as_tensor", "asarray")  # they have no pin_memory argument
FUNCTIONS = {"asarray": "as_tensor"}


def offered(name: str) -> Any:
    """Return a factory as learners call it: what it is given as `dtype` or `device` is looked at first."""
    function = getattr(create, FUNCTIONS.get(name, name))
    like, of_data = name in OF_A_TENSOR, name in OF_DATA

    @functools.wraps(function)
    def make(*args: Any, dtype: Any = None, device: Any = None, pin_memory: Any = None, **kwargs: Any) -> Any:
        if dtype is not None:
            kwargs["dtype"] = dtypes.asked(dtype, name)
        if pin_memory is not None:
            check_pinned(name, pin_memory)
        of_tensor = (like or of_data) and args and isinstance(args[0], Tensor)
        if device is None and (like or name in ALWAYS_CPU or devices.default() is None):
            place = args[0].place if of_tensor else None
        else:
            place = devices.wanted_or_default(device, name)
        if of_tensor and name != "tensor" and not like and place is not args[0].place:
            return args[0].to(device=place or devices.CPU, **kwargs)
        if place is None:
            return function(*args, **kwargs)
        with devices.making_at(place):
            return function(*args, **kwargs)

    make.__name__ = make.__qualname__ = name
    return make


def check_pinned(name: str, pin_memory: Any) -> None:
    """Refuse pinned memory, which only an accelerator has a use for."""
    if name in UNPINNED:
        raise TypeError(f"{name}() got an unexpected keyword argument 'pin_memory'")
    if type(pin_memory) is not bool:
        raise TypeError(f"{name}(): argument 'pin_memory' must be bool, not {TITLE(type(pin_memory))}")
    if pin_memory:
        raise RuntimeError(errors.NO_PINNED_MEMORY)
