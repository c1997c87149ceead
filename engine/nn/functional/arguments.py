"""Refusing arguments of functions before they reach an operation, in PyTorch's words."""

from __future__ import annotations

from typing import Any

from engine.nn import errors
from engine.tensor import Tensor


def check_tensors(name: str, **given: Any) -> None:
    """Refuse arguments that are no tensors."""
    for position, (argument, value) in enumerate(given.items(), 1):
        if not isinstance(value, Tensor):
            raise TypeError(errors.no_tensor(name, argument, position, value))


def check_convolution(
    input: Tensor, weight: Tensor, bias: Tensor | None, groups: int, options: dict[str, tuple]
) -> None:
    """Refuse weights, biases and windows that do not fit, before the sizes of the input are looked at."""
    if weight.array.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if bias is not None and bias.dtype is not input.dtype:
        raise RuntimeError(errors.bias_dtype(input.dtype, bias.dtype))
    if weight.dtype is not input.dtype:
        raise RuntimeError(errors.scalar_type(input.dtype, weight.dtype))
    if any(p < 0 for p in options["padding"]):
        raise RuntimeError("negative padding is not supported")
    if any(s <= 0 for s in options["stride"]):
        raise RuntimeError("non-positive stride is not supported")
    if any(d <= 0 for d in options["dilation"]):
        raise RuntimeError(f"dilation should be greater than zero, but got {list(options['dilation'])}")
    out = weight.array.shape[0]
    if out < groups:
        raise RuntimeError(errors.few_channels(groups, weight.array.shape))
    if out % groups:
        raise RuntimeError(errors.uneven_channels(groups, weight.array.shape))


def check_bias(weight: Tensor, bias: Tensor | None, channels: int) -> None:
    """Refuse a bias that has not one element per output channel."""
    if bias is not None and bias.array.shape != (channels,):
        raise RuntimeError(errors.bias_size(weight.array.shape, channels, bias.array.shape))
