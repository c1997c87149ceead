"""Older orders of arguments: the factor first, as in `p.add_(-0.1, p.grad)`. PyTorch takes them and warns."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from engine import errors
from engine.tensor import Tensor
from engine.warned import warn_once

NUMBERS = (int, float)
ONE = {"add": "alpha", "sub": "alpha", "addcmul": "value", "addcdiv": "value"}  # name -> its factor
TENSORS = {
    "add": ("other",),
    "sub": ("other",),
    "addcmul": ("tensor1", "tensor2"),
    "addcdiv": ("tensor1", "tensor2"),
}
TWO = {"addmm": ("mat1", "mat2"), "addmv": ("mat", "vec"), "addr": ("vec1", "vec2"),
       "addbmm": ("batch1", "batch2"), "baddbmm": ("batch1", "batch2")}  # fmt: skip


def named_tensors(names: tuple[str, ...]) -> str:
    """Return parameters as PyTorch's signatures write them."""
    return ", ".join(f"Tensor {name}" for name in names)


def with_factor_first(name: str, function: Callable, method: bool) -> Callable:
    """Return a function of one factor that also takes it as the first argument after the tensor."""
    plain = name.removesuffix("_")
    factor, tensors = ONE[plain], TENSORS[plain]
    own, out = ("", "") if method else ("Tensor input, ", ", Tensor out = None")
    tail = "" if method else ", *, Tensor out = None"
    old = f"{own}Number {factor}, {named_tensors(tensors)}{tail}"
    text = errors.older_overload(name, old, f"{own}{named_tensors(tensors)}, *, Number {factor} = 1{out}")

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 2 + len(tensors) and isinstance(args[1], NUMBERS) and isinstance(args[2], Tensor):
            warn_once("overload", text)
            return function(args[0], *args[2:], **{factor: args[1]}, **kwargs)
        return function(*args, **kwargs)

    return call


def with_factors_first(name: str, method: Callable) -> Callable:
    """Return a method of two factors that also takes them, or the first of them, before the tensors."""
    tensors = TWO[name.removesuffix("_")]

    @functools.wraps(method)
    def call(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        count = len(args) - 2
        if count not in (1, 2) or not all(isinstance(value, NUMBERS) for value in args[:count]):
            return method(self, *args, **kwargs)
        factors = ("beta", "alpha")[:count]
        old = ", ".join([*(f"Number {factor}" for factor in factors), named_tensors(tensors)])
        new = f"{named_tensors(tensors)}, *, Number beta = 1, Number alpha = 1"
        warn_once("overload", errors.older_overload(name, old, new))
        return method(self, *args[count:], **dict(zip(factors, args)), **kwargs)

    return call


def method(name: str, function: Callable) -> Callable:
    """Return a method that takes the older order too, if it ever had one."""
    plain = name.removesuffix("_")
    if plain in ONE:
        return with_factor_first(name, function, True)
    return with_factors_first(name, function) if plain in TWO else function


def function(name: str, function: Callable) -> Callable:
    """Return a function of `torch` that takes the older order too, if it ever had one."""
    return with_factor_first(name, function, False) if name in ONE else function
