"""The activations that `torch` itself offers; all of them are in nn.functional."""

from __future__ import annotations

import numpy as np

from engine import random
from engine.apply import apply_inplace
from engine.dtype import DType
from engine.functions.conversions import cast
from engine.ops.table import TABLE, F
from engine.tensor import Tensor, make_at

__all__ = [
    "celu", "celu_", "log_softmax", "prelu", "rrelu", "selu", "selu_", "softmax", "threshold", "threshold_",
]  # fmt: skip

SELU = (1.6732632423543772, 1.0507009873554805)  # alpha and scale that keep mean 0 and variance 1


def softmax(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    """Return exp(input), scaled to sum to 1 along a dimension."""
    return F.softmax(cast(input, dtype), dim)


def log_softmax(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    """Return the logarithm of softmax."""
    return F.log_softmax(cast(input, dtype), dim)


def selu(input: Tensor) -> Tensor:
    """Return the self-normalising exponential unit."""
    return F.elu(input, *SELU, 1)


def celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Return max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""
    return F.celu(input, alpha)


def threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    """Return the elements above a threshold, and `value` for the others."""
    return F.threshold(input, threshold, value)


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Write celu(x) into the input."""
    return apply_inplace(TABLE["celu.inplace"], input, alpha)


def selu_(input: Tensor) -> Tensor:
    """Write selu(x) into the input."""
    return apply_inplace(TABLE["elu.inplace"], input, *SELU, 1)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """Write `value` over the elements that are not above a threshold."""
    return apply_inplace(TABLE["threshold.inplace"], input, threshold, value)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Return max(0, x) + weight * min(0, x), one weight for all or one per channel."""
    ndim, count = input.array.ndim, weight.array.size
    if weight.dtype is not input.dtype:
        raise RuntimeError(
            f"prelu: Type promoting not supported. Got {input.dtype.c_name} and {weight.dtype.c_name}"
        )
    channels = input.array.shape[1] if ndim > 1 else 1
    if count != 1 and channels != count:
        raise RuntimeError(
            f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {count} and "
            f"channel size = {channels}."
        )
    if weight.array.ndim != ndim:
        weight = F.view(weight, (1, count, *(1,) * (ndim - 2)) if ndim > 1 else (1,) * ndim)
    return F._prelu_kernel(input, weight)


def rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """Return leaky_relu with slopes drawn at random while training, with their mean otherwise."""
    below = input.array <= 0
    noise = np.ones_like(input.array)
    if training:
        drawn = random.default_generator().fractions(int(below.sum()), np.float64)
        noise[below] = drawn * (upper - lower) + lower
    return F.rrelu_with_noise(input, make_at(noise, None, input.place), lower, upper, training)
