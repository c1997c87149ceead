"""Windows for signals, and a few other ways to make or count numbers."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from engine import create, random
from engine import dtype as dtypes
from engine.dtype import DType
from engine.functions.named import kind
from engine.numeric.kinds import TITLE
from engine.ops.bessel import scaled
from engine.ops.kinds import refuse_unless
from engine.tensor import Tensor

__all__ = [
    "bartlett_window", "blackman_window", "hamming_window", "hann_window", "histogram", "kaiser_window",
    "nonzero_static", "randint_like", "range", "scalar_tensor", "unravel_index",
]  # fmt: skip


# ----- windows --------------------------------------------------------------------------------------
def _window(name: str, shape: Any, *options: tuple[str, float]):
    def window(
        window_length: int, periodic: bool = True, *given: float, dtype: DType | None = None,
        requires_grad: bool = False, device: Any = None, layout: Any = None, **named: float,
    ) -> Tensor:  # fmt: skip
        if window_length < 0:
            raise RuntimeError(
                f"{name} requires non-negative window_length, got window_length={window_length}"
            )
        dtype = dtype or dtypes.default_dtype()
        found = [*given, *(named.get(n, value) for n, value in options[len(given) :])]
        numbers = [real(name, value) for value in found]
        if window_length == 1:
            return create.finished(np.ones(1), dtype, requires_grad)
        count = window_length + (1 if periodic else 0)
        turn = np.arange(count) / max(count - 1, 1)
        return create.finished(shape(turn, *numbers)[:window_length], dtype, requires_grad)

    window.__name__ = window.__qualname__ = name
    window.__doc__ = "Return a window that rises from the edges to 1 in the middle."
    return window


def real(function: str, value: Any) -> Any:
    """Return a number as Python's own, or refuse what is none: it is about to meet an array."""
    value = create.plain_number(value)
    if type(value) not in (int, float, bool):
        raise TypeError(f"{function}(): expected a number, but got {TITLE(type(value))}")
    return value


def _kaiser(turn: np.ndarray, beta: float) -> np.ndarray:
    inner = beta * np.sqrt(np.maximum(1 - (2 * turn - 1) ** 2, 0))
    return scaled(0, inner) * np.exp(inner) / (scaled(0, np.array(beta)) * math.exp(beta))


hann_window = _window("hann_window", lambda t: 0.5 - 0.5 * np.cos(2 * np.pi * t))
hamming_window = _window(
    "hamming_window", lambda t, a, b: a - b * np.cos(2 * np.pi * t), ("alpha", 0.54), ("beta", 0.46)
)
blackman_window = _window(
    "blackman_window", lambda t: 0.42 - 0.5 * np.cos(2 * np.pi * t) + 0.08 * np.cos(4 * np.pi * t)
)
bartlett_window = _window("bartlett_window", lambda t: 1 - np.abs(2 * t - 1))
kaiser_window = _window("kaiser_window", _kaiser, ("beta", 12.0))


# ----- others ---------------------------------------------------------------------------------------
def range(
    start: Any = 0, end: Any = None, step: Any = 1, *, dtype: DType | None = None,
    requires_grad: bool = False, device: Any = None,
) -> Tensor:  # fmt: skip
    """Return start, start + step, ... up to and with end; PyTorch advises arange."""
    warnings.warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is "
        "inconsistent with Python's range builtin. Instead, use torch.arange, which produces values in "
        "[start, end).",
        UserWarning,
        stacklevel=2,
    )
    low, high = (0, start) if end is None else (start, end)
    low, high, step = (real("range", value) for value in (low, high, step))
    count = math.floor((high - low) / step + 1)
    return create.finished(
        low + np.arange(count, dtype=np.float64) * step, dtype or dtypes.default_dtype(), requires_grad
    )


def scalar_tensor(s: Any, *, dtype: DType | None = None, requires_grad: bool = False, **_: Any) -> Tensor:
    """Return a tensor of one number without dimensions, a float unless asked otherwise."""
    return create.finished(np.asarray(s), dtype or dtypes.default_dtype(), requires_grad)


def randint_like(
    input: Tensor, low: int, high: int | None = None, *, generator: Any = None, dtype: DType | None = None,
    requires_grad: bool = False, device: Any = None,
) -> Tensor:  # fmt: skip
    """Return random integers in the shape and dtype of a tensor."""
    bounds = (0, low) if high is None else (low, high)
    source = generator or random.default_generator()
    return create.finished(source.randint(*bounds, input.array.shape), dtype or input.dtype, requires_grad)


def unravel_index(indices: Tensor, shape: Any) -> tuple:
    """Return, per dimension, where the elements with these numbers stand in a tensor of a shape."""
    if indices.array.dtype.kind not in "iu":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    return tuple(create.finished(np.asarray(part)) for part in np.unravel_index(indices.array, sizes))


def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """Return the indices of what is not 0 in a given number of rows."""
    found = np.argwhere(input.array)[:size]
    out = np.full((size, input.array.ndim), fill_value, np.int64)
    out[: len(found)] = found
    return create.finished(out)


def histogram(
    input: Tensor, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """Return how many elements fall into each interval, and where the intervals end."""
    array = input.array
    refuse_unless("f", "histogramdd", array)
    if isinstance(bins, Tensor):
        edges = bins.array
    else:
        low, high = range if range is not None else (array.min(), array.max())
        low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
        edges = np.linspace(low, high, bins + 1).astype(array.dtype)
    shares = None if weight is None else weight.array.ravel()
    found = np.histogram(array.ravel(), edges, weights=shares, density=density)[0]
    parts = (create.finished(found.astype(array.dtype)), create.finished(np.array(edges)))
    return kind("histogram", ("hist", "bin_edges"))(parts)
