"""torch.nn.init: first values of parameters, the same numbers as PyTorch's for the same seed."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from engine import events, random
from engine.tensor import Tensor

__all__ = [
    "_calculate_fan_in_and_fan_out", "calculate_gain", "constant", "constant_", "dirac", "dirac_", "eye",
    "eye_", "kaiming_normal", "kaiming_normal_", "kaiming_uniform", "kaiming_uniform_", "normal", "normal_",
    "ones_", "orthogonal", "orthogonal_", "sparse", "sparse_", "trunc_normal_", "uniform", "uniform_",
    "xavier_normal", "xavier_normal_", "xavier_uniform", "xavier_uniform_", "zeros_",
]  # fmt: skip


def fill(tensor: Tensor, op: str, values: Any, **options: Any) -> Tensor:
    """Overwrite a tensor, leaving no node, and state it as the operation in place that PyTorch runs."""
    tensor.write(values)
    watch = events.observer()
    if watch is not None:
        names, given = ("self", *options), (tensor, *options.values())
        watch(events.OpApplied((SimpleNamespace(name=op), None, names, given, (tensor,), True)))
    return tensor


def source(generator: Any) -> random.Generator:
    """Return the generator to draw from."""
    return generator or random.default_generator()


# ----- how large -----
def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """Return by how much to scale weights so that a nonlinearity keeps the size of its input."""
    if nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, (int, float))):
            raise ValueError(f"negative_slope {param} not a valid number")
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


_LINEAR = (
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "sigmoid",
)  # fmt: skip
_GAINS = dict.fromkeys(_LINEAR, 1) | {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}


def fans(tensor: Tensor) -> tuple[int, int]:
    """Return how many inputs feed one output, and how many outputs one input feeds."""
    shape = tensor.array.shape
    if len(shape) < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def fan(tensor: Tensor, mode: str) -> int:
    """Return the fan that a mode names."""
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return fans(tensor)[mode == "fan_out"]


def is_empty(tensor: Tensor) -> bool:
    """Return whether there is nothing to fill, and warn if so."""
    if 0 not in tensor.array.shape:
        return False
    warnings.warn("Initializing zero-element tensors is a no-op", UserWarning, stacklevel=3)
    return True


# ----- plain values -----
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one value."""
    return fill(tensor, "fill", val, value=val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return fill(tensor, "zero", 0)


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with the identity."""
    if tensor.array.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return fill(tensor, "eye", np.eye(*tensor.array.shape))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill convolution weights so that each channel passes through unchanged."""
    shape = tensor.array.shape
    if len(shape) not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = shape[0] // groups
    values = np.zeros(shape, tensor.array.dtype)
    middle = tuple(size // 2 for size in shape[2:])
    for group in range(groups):
        for d in range(min(per_group, shape[1])):
            values[(group * per_group + d, d, *middle)] = 1
    return fill(tensor, "dirac", values)


# ----- drawn values -----
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with numbers from [a, b)."""
    values = source(generator).uniform(tensor.array.shape, a, b, tensor.array.dtype)
    return fill(tensor, "uniform", values, **{"from": a, "to": b})


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with normal numbers."""
    values = source(generator).normal(tensor.array.shape, mean, std, tensor.array.dtype)
    return fill(tensor, "normal", values, mean=mean, std=std)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Tensor:
    """Fill with normal numbers, drawn again until all lie in [a, b]."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect.",
            UserWarning,
            stacklevel=2,
        )
    likely = (math.erf((b - mean) / std / math.sqrt(2)) - math.erf((a - mean) / std / math.sqrt(2))) / 2
    draw = _cut_normal if likely > 0.3 else _accepted_uniform
    values = draw(source(generator), tensor.array, mean, std, (a, b))
    return fill(tensor, "normal", values, mean=mean, std=std, a=a, b=b)


def _cut_normal(
    drawn: random.Generator, like: np.ndarray, mean: float, std: float, bounds: tuple
) -> np.ndarray:
    """Draw normal numbers, all anew as long as any is out of bounds; keep those that are not."""
    low, high = (like.dtype.type(bound) for bound in bounds)
    values = drawn.normal(like.shape, mean, std, like.dtype)
    while (out := (values < low) | (values > high)).any():
        values = np.where(out, drawn.normal(like.shape, mean, std, like.dtype), values)
    return values


def _accepted_uniform(
    drawn: random.Generator, like: np.ndarray, mean: float, std: float, bounds: tuple
) -> np.ndarray:
    """Draw uniform numbers and keep each as often as the normal density there says: for far tails."""
    peak = -0.5 * ((max(bounds[0], min(mean, bounds[1])) - mean) / std) ** 2
    values, waiting = np.empty_like(like), np.ones(like.shape, bool)
    while waiting.any():
        candidates = drawn.uniform(like.shape, *bounds, like.dtype)
        values = np.where(waiting, candidates, values)
        density = ((candidates - like.dtype.type(mean)) / like.dtype.type(std)) ** 2 * like.dtype.type(-0.5)
        with np.errstate(divide="ignore"):
            accepted = np.log(drawn.uniform(like.shape, 0.0, 1.0, like.dtype)) <= density - like.dtype.type(
                peak
            )
        waiting &= ~accepted
    return values


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill from a symmetric range that suits as many inputs as outputs (Glorot and Bengio)."""
    std = gain * math.sqrt(2.0 / float(sum(fans(tensor))))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with normal numbers that suit as many inputs as outputs (Glorot and Bengio)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(sum(fans(tensor)))), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Fill from a symmetric range that keeps the size of what passes through (He et al.)."""
    if is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * (calculate_gain(nonlinearity, a) / math.sqrt(fan(tensor, mode)))
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Fill with normal numbers that keep the size of what passes through (He et al.)."""
    if is_empty(tensor):
        return tensor
    return normal_(tensor, 0, calculate_gain(nonlinearity, a) / math.sqrt(fan(tensor, mode)), generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Fill with a matrix whose rows (or columns) are orthogonal and of length `gain`."""
    array = tensor.array
    if array.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if not array.size:
        return tensor
    rows, columns = array.shape[0], array.size // array.shape[0]
    flat = source(generator).normal((rows, columns), 0, 1, array.dtype)
    q, r = np.linalg.qr(flat.T if rows < columns else flat)
    q = q * np.sign(np.diag(r))
    q = q.T if rows < columns else q
    return fill(tensor, "orthogonal", q.reshape(array.shape) * array.dtype.type(gain), gain=gain)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Fill a matrix with normal numbers, and zeros in a share of each column."""
    if tensor.array.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.array.shape
    values = source(generator).normal((rows, columns), 0, std, tensor.array.dtype)
    for column in range(columns):
        order = random.default_generator().randperm(rows)
        values[order[: math.ceil(sparsity * rows)], column] = 0
    return fill(tensor, "sparse", values, sparsity=sparsity, std=std)


# ----- names that were given up -----
def _renamed(function: Callable) -> Callable:
    """Return a function under its old name without underscore, which warns."""
    new = function.__name__
    old = new[:-1]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(
            f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.", FutureWarning, stacklevel=2
        )
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = old
    return call


uniform, normal, constant, eye = _renamed(uniform_), _renamed(normal_), _renamed(constant_), _renamed(eye_)
dirac, orthogonal, sparse = _renamed(dirac_), _renamed(orthogonal_), _renamed(sparse_)
xavier_uniform, xavier_normal = _renamed(xavier_uniform_), _renamed(xavier_normal_)
kaiming_uniform, kaiming_normal = _renamed(kaiming_uniform_), _renamed(kaiming_normal_)
_calculate_fan_in_and_fan_out = fans
