"""Refusing arguments that are no tensors, with PyTorch's words, before anything is computed."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from engine.numeric.kinds import TITLE
from engine.tensor import Tensor


def wrong_argument(function: str, name: str, position: int, value: Any) -> TypeError:
    """Return the error of an argument that had to be a tensor; positions are counted from 1."""
    kind = TITLE(type(value))
    return TypeError(f"{function}(): argument '{name}' (position {position}) must be Tensor, not {kind}")


def checked(function: Callable, first: int = 1) -> Callable:
    """Return a function that refuses anything but tensors for the parameters annotated so.

    `first` is the number of the first parameter: a method's is 0, since what it is called on is not counted.
    """
    parameters = inspect.signature(function).parameters.values()
    places = tuple(
        (i, p.name)
        for i, p in enumerate(parameters)
        if p.annotation == "Tensor" and p.kind == p.POSITIONAL_OR_KEYWORD
    )
    if not places:
        return function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for position, name in places:
            value = args[position] if position < len(args) else kwargs.get(name)
            if not isinstance(value, Tensor) and (value is not None or position < len(args)):
                shown = "input" if name == "self" else name
                raise wrong_argument(function.__name__, shown, position + first, value)
        return function(*args, **kwargs)

    return call
