"""Activations as functions. Most are one operation of the table, under PyTorch's signature."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from engine import random
from engine.apply import apply, apply_inplace
from engine.numeric.kinds import TITLE
from engine.ops.table import TABLE
from engine.ops.table import F as rows
from engine.tensor import Tensor, beside


def run(name: str, input: Any, *options: Any, inplace: bool = False) -> Tensor:
    """Apply a row of the table, or write its result into the input."""
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {TITLE(type(input))}")
    if inplace:
        return apply_inplace(TABLE.get(f"{name}.inplace") or TABLE[name], input, *options)
    return apply(TABLE[name], input, *options)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(0, x)."""
    return run("relu", input, inplace=inplace)


def relu_(input: Tensor) -> Tensor:
    """Write max(0, x) into the input."""
    return run("relu", input, inplace=True)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x held between 0 and 6."""
    return hardtanh(input, 0.0, 6.0, inplace)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x held between two values."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return run("hardtanh", input, min_val, max_val, inplace=inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return x, below zero times a slope."""
    return run("leaky_relu", input, negative_slope, inplace=inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x, below zero alpha * (exp(x) - 1)."""
    return run("elu", input, alpha, inplace=inplace)


SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return a scaled elu that keeps mean 0 and variance 1."""
    return run("elu", input, SELU_ALPHA, SELU_SCALE, inplace=inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x, below zero alpha * (exp(x / alpha) - 1)."""
    return run("celu", input, alpha, inplace=inplace)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """Return x times the share of normal numbers below x."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return run("gelu", input, approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x * sigmoid(x)."""
    return run("silu", input, inplace=inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x * tanh(softplus(x))."""
    return run("mish", input, inplace=inplace)


def sigmoid(input: Tensor) -> Tensor:
    """Return 1 / (1 + exp(-x))."""
    return run("sigmoid", input)


def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent."""
    return run("tanh", input)


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """Return log(1 + exp(beta * x)) / beta; x itself where beta * x is large."""
    return run("softplus", input, beta, threshold)


def softsign(input: Tensor) -> Tensor:
    """Return x / (1 + |x|)."""
    return input / (input.abs() + 1)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x / 6 + 1 / 2 held between 0 and 1."""
    return run("hardsigmoid", input, inplace=inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x * hardsigmoid(x)."""
    return run("hardswish", input, inplace=inplace)


def logsigmoid(input: Tensor) -> Tensor:
    """Return log(sigmoid(x))."""
    return run("log_sigmoid", input)[0]


def tanhshrink(input: Tensor) -> Tensor:
    """Return x - tanh(x)."""
    return input - input.tanh()


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return x moved towards zero by lambd."""
    if lambd < 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd:g}.")
    return run("softshrink", input, lambd)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return x, but 0 within lambd of zero."""
    return run("hardshrink", input, lambd)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return x, but a value where x is not above a threshold."""
    return run("threshold", input, threshold, value, inplace=inplace)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Return x, below zero times a learned slope: one, or one per channel."""
    dims = input.array.ndim
    if weight.array.size != 1:
        channels = input.array.shape[1] if dims > 1 else 1
        if not dims:
            raise RuntimeError("Not allow zero-dim input tensor.")
        if channels != weight.array.size:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{weight.array.size} and channel size = {channels}."
            )
    if dims != weight.array.ndim:
        shape = [1] * dims
        if dims > 1:
            shape[1] = weight.array.size
        weight = weight.reshape(shape)
    return rows._prelu_kernel(input, weight)


def rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """Return x, below zero times a slope: the middle of the range, or in training a random one each."""
    noise = np.ones_like(input.array)
    if training:  # one number for each element that is not above zero, in order
        below = input.array <= 0
        drawn = random.default_generator().uniform((int(below.sum()),), lower, upper, np.float64)
        noise[below] = drawn
    return run("rrelu_with_noise", input, beside(input, noise), lower, upper, training, inplace=inplace)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Return the first half times the sigmoid of the second."""
    if not input.array.ndim:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return run("glu", input, dim)


# ----- along a dimension -----
def implicit_dim(name: str, ndim: int) -> int:
    """Return the dimension that PyTorch guesses if none is given, and warn."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an "
        "argument.",
        UserWarning,
        stacklevel=4,
    )
    return 0 if ndim in (0, 1, 3) else 1


def _along(name: str, row: str, input: Tensor, dim: int | None, dtype: Any) -> Tensor:
    if dim is None:
        dim = implicit_dim(name, input.array.ndim)
    return run(row, input if dtype is None else input.to(dtype), dim)


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Return exp(x) divided by its sum along a dimension."""
    return _along("softmax", "softmax", input, dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Return the logarithm of softmax."""
    return _along("log_softmax", "log_softmax", input, dim, dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Return softmax of -x."""
    return _along("softmin", "softmax", -input, dim, dtype)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Draw from a softened categorical distribution; `hard` rounds, with the gradient of the soft one."""
    draw = random.default_generator().exponential(logits.array.shape, 1.0, logits.array.dtype)
    gumbels = -beside(logits, draw).log()
    soft = ((logits + gumbels) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    return beside(soft, soft.array * 0).scatter_(dim, index, 1.0) - soft.detach() + soft
