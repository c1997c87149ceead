"""Tensors from data: `torch.tensor`, the factories, the random ones."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine import errors, events, random
from engine.dtype import DType
from engine.local import state
from engine.numeric import exchange
from engine.numeric.kinds import TITLE, generic, ndarray
from engine.tensor import Size, Tensor, make

NUMBERS = (bool, int, float, complex)


def finished(
    array: Any, dtype: DType | None = None, requires_grad: bool = False, place: Any = None
) -> Tensor:
    """Wrap an array a factory made, ask for grad if wanted, and state that it was made.

    It is at `place`, or where factories make tensors just now (device.py: making_at).
    """
    exotic = dtype if dtype is not None and dtype.is_odd else None
    tensor = make(array if dtype is None else dtype.hold(np.asarray(array)), exotic)
    if requires_grad:
        if tensor.dtype.category < dtypes.FLOAT:
            raise RuntimeError(errors.only_float_requires_grad())
        tensor.requires = True
    here = state()
    if here.inference:
        tensor.inference = True
    if here.placed:
        tensor.place = place or here.making
    events.emit(events.TensorMade(tensor))
    return tensor


# ----- from data -----
def tensor(
    data: Any, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a new tensor holding a copy of `data`: a number, nested lists of numbers, or a tensor."""
    if isinstance(data, Tensor):
        warnings.warn(errors.TENSOR_OF_TENSOR, UserWarning, stacklevel=3)
        return finished(data.array.copy(), dtype or data.dtype, requires_grad)
    return finished(*from_nested(data, dtype), requires_grad)


def as_tensor(data: Any, dtype: DType | None = None, device: Any = None) -> Tensor:
    """Return `data` itself if it is a tensor of that dtype, else a new tensor."""
    if isinstance(data, Tensor):
        return data if dtype in (None, data.dtype) else data.to(dtype)
    if type(data) is ndarray:  # which shares its memory, unless that has to be another kind of number
        array = exchange.memory(data)
        return finished(array, dtype or dtypes.from_numpy(array.dtype))
    return tensor(data, dtype=dtype)


def from_nested(data: Any, dtype: DType | None) -> tuple[np.ndarray, DType]:
    """Return the array and dtype of a number or nested lists, or refuse ragged ones as PyTorch does."""
    if isinstance(data, exchange.EITHER):
        array = exchange.numbers_of(data)
        dtype = dtype or dtypes.from_numpy(array.dtype)
        return np.array(dtype.hold(array)), dtype
    shape = shape_of(data)
    flat: list[Any] = []
    _flatten(data, shape, 0, flat)
    if dtype is None:
        dtype = exchange.dtype_of_scalars(flat) or inferred(flat)
    flat = exchange.unwrapped(flat)
    try:
        array = np.array(flat, dtype.numpy if dtype.category or not flat else None)
    except OverflowError:
        raise RuntimeError("Overflow when unpacking long long") from None
    return dtype.hold(array).reshape(shape), dtype


def shape_of(data: Any) -> tuple[int, ...]:
    """Return the shape of nested lists, judged by their first elements."""
    shape = []
    while isinstance(data, (list, tuple, range)):
        shape.append(len(data))
        if not data:
            break
        data = data[0]
    if isinstance(data, Tensor):
        shape.extend(data.array.shape)
    elif type(data) is ndarray:
        if not data.ndim:
            raise TypeError("len() of unsized object")
        if len(shape) == 1:
            exchange.warn_of_list()
        shape.extend(data.shape)
    return tuple(shape)


def _flatten(data: Any, shape: tuple, depth: int, flat: list) -> None:
    if depth == len(shape):
        if isinstance(data, Tensor) and data.array.size == 1:
            data = data.array.item()
        if isinstance(data, (list, tuple)):
            raise ValueError("only one element tensors can be converted to Python scalars")
        if not isinstance(data, (*NUMBERS, generic)):
            if isinstance(data, str) and depth:
                raise ValueError(f"too many dimensions '{type(data).__name__}'")
            if hasattr(type(data), "__float__") and not isinstance(data, str):
                data = float(data)
            else:
                raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
        flat.append(data)
        return
    if isinstance(data, Tensor):
        data = data.array.tolist()
    elif type(data) is ndarray:
        data = list(data)
    if not isinstance(data, (list, tuple, range)):
        raise TypeError("not a sequence")
    if len(data) != shape[depth]:
        raise ValueError(errors.ragged(shape[depth], depth, len(data)))
    for item in data:
        _flatten(item, shape, depth + 1, flat)


def inferred(flat: list) -> DType:
    """Return the dtype of a list of numbers: the highest category among them."""
    kinds = {type(v) for v in flat}
    if complex in kinds:
        return dtypes.default_complex_dtype()
    if float in kinds or not flat:
        return dtypes.default_dtype()
    return dtypes.bool_ if kinds == {bool} else dtypes.int64


def legacy_array(data: tuple) -> np.ndarray:
    """Return the array of `torch.Tensor(...)`: sizes, or one list, always in the default dtype."""
    held = dtypes.default_dtype()
    if len(data) == 1 and isinstance(data[0], Tensor):
        return held.hold(data[0].array)
    if len(data) == 1 and type(data[0]) is ndarray:
        return held.hold(exchange.memory(data[0]))
    if len(data) == 1 and isinstance(data[0], (list, tuple)) and not isinstance(data[0], Size):
        return from_nested(data[0], held)[0]
    if len(data) == 1 and isinstance(data[0], generic) and not isinstance(data[0], int):
        raise TypeError(f"new(): data must be a sequence (got {TITLE(type(data[0]))})")
    return np.zeros(size_of(data), held.numpy)


def size_of(size: tuple) -> tuple[int, ...]:
    """Return the sizes given one by one or as one tuple or list."""
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        size = tuple(size[0])
    for s in size:
        if isinstance(s, Tensor):
            continue
        if not isinstance(s, int):
            raise TypeError(f"expected size to be int, but got {type(s).__name__}")
        if s < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {s}: {list(size)}")
    return tuple(int(s) for s in size)


def plain_number(value: Any) -> Any:
    """Return a number as one of Python's own; an object of a learner's own must never meet an array."""
    if isinstance(value, Tensor):
        return value.array.item()
    return value if type(value) in NUMBERS else float(value)


# ----- factories -----
def _factory(fill: Any):
    def make_filled(
        *size: Any, dtype: DType | None = None, device: Any = None, requires_grad: bool = False, **_: Any
    ) -> Tensor:
        """Return a tensor of the given size filled with one value."""
        size = _.pop("size", size if len(size) != 1 else size[0])
        shape = size_of(size if isinstance(size, tuple) else (size,))
        dtype = dtype or dtypes.default_dtype()
        return finished(np.full(shape, fill, dtype.numpy), dtype, requires_grad)

    return make_filled


zeros = _factory(0)
ones = _factory(1)
empty = _factory(0)


def full(
    size: Any, fill_value: Any, *, dtype: DType | None = None, requires_grad: bool = False, device: Any = None
) -> Tensor:
    """Return a tensor of one value; its dtype is that of the value."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    dtype = dtype or dtypes.result_dtype_of_number(value)
    return finished(
        np.full(size_of((size,) if isinstance(size, int) else tuple(size)), value, dtype.numpy),
        dtype,
        requires_grad,
    )


def _like(fill: Any):
    def make_like(
        input: Tensor, *, dtype: DType | None = None, requires_grad: bool = False, **_: Any
    ) -> Tensor:
        """Return a tensor of the same shape (and dtype, unless given) filled with one value."""
        dtype = dtype or input.dtype
        array = np.empty_like(input.array, dtype.numpy)
        array[...] = fill
        return finished(array, dtype, requires_grad)

    return make_like


zeros_like, ones_like, empty_like = _like(0), _like(1), _like(0)


def full_like(input: Tensor, fill_value: Any, **options: Any) -> Tensor:
    """Return a tensor of the same shape holding one value."""
    return _like(fill_value)(input, **options)


def arange(
    *bounds: Any,
    start: Any = None,
    end: Any = None,
    step: Any = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
) -> Tensor:
    """Return start, start + step, ... up to but without end."""
    given = [b.item() if isinstance(b, Tensor) else b for b in bounds]
    low, high, by = 0, end, step
    if len(given) == 1:
        high = given[0]
    elif given:
        low, high = given[0], given[1]
        by = given[2] if len(given) > 2 else step
    low = start if start is not None else low
    by = 1 if by is None else by
    whole = all(isinstance(v, int) for v in (low, high, by))
    dtype = dtype or (dtypes.int64 if whole else dtypes.default_dtype())
    if by == 0:
        raise RuntimeError("step must be nonzero")
    if (high - low) * by < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = math.ceil((high - low) / by)
    values = low + np.arange(count, dtype=np.int64 if whole else np.float64) * by
    return finished(values, dtype, requires_grad)


def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
) -> Tensor:
    """Return `steps` evenly spaced values from start to end, both included."""
    start, end, steps = plain_number(start), plain_number(end), int(steps)
    dtype = dtype or dtypes.default_dtype()
    kind = dtype.numpy.type
    step = kind((kind(end) - kind(start)) / kind(max(steps - 1, 1)))
    index = np.arange(steps)
    low = kind(start) + step * index.astype(dtype.numpy)
    high = kind(end) - step * (steps - 1 - index).astype(dtype.numpy)
    return finished(np.where(index < steps // 2, low, high), dtype, requires_grad)


def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
) -> Tensor:
    """Return the identity matrix."""
    return finished(np.eye(n, m), dtype or dtypes.default_dtype(), requires_grad)


# ----- random -----
def _random(draw: str):
    def make_random(
        *size: Any,
        generator: Any = None,
        dtype: DType | None = None,
        device: Any = None,
        requires_grad: bool = False,
        **_: Any,
    ) -> Tensor:
        """Return random numbers, the same as PyTorch's for the same seed."""
        size = _.pop("size", size if len(size) != 1 else size[0])
        shape = size_of(size if isinstance(size, tuple) else (size,))
        dtype = dtype or dtypes.default_dtype()
        source = generator or random.default_generator()
        return finished(getattr(source, draw)(shape, dtype=dtype.numpy), dtype, requires_grad)

    return make_random


rand, randn = _random("uniform"), _random("normal")


def rand_like(input: Tensor, **options: Any) -> Tensor:
    """Return uniform random numbers of the same shape."""
    return rand(tuple(input.array.shape), **{"dtype": input.dtype, **options})


def randn_like(input: Tensor, **options: Any) -> Tensor:
    """Return normal random numbers of the same shape."""
    return randn(tuple(input.array.shape), **{"dtype": input.dtype, **options})


def randint(
    *bounds: Any,
    size: Any = None,
    low: int | None = None,
    high: int | None = None,
    generator: Any = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
    device: Any = None,
) -> Tensor:
    """Return random integers from low (0 if not given) up to but without high."""
    given = list(bounds)
    if size is None:
        size = given.pop()
    if given:
        low, high = (0, given[0]) if len(given) == 1 else given
    source = generator or random.default_generator()
    values = source.randint(low or 0, high, size_of(tuple(size)))
    return finished(values, dtype or dtypes.int64, requires_grad)


def randperm(n: int, *, generator: Any = None, dtype: DType | None = None, device: Any = None) -> Tensor:
    """Return the numbers 0 .. n-1 in random order."""
    return finished((generator or random.default_generator()).randperm(n), dtype or dtypes.int64)


def normal(
    mean: Any, std: Any = 1.0, size: Any = None, *, generator: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return normal random numbers of a given mean and deviation: numbers with a size, or tensors."""
    if size is None:
        shape = (mean if isinstance(mean, Tensor) else std).array.shape
    else:
        shape = size_of(tuple(size))
    parts = [v.array if isinstance(v, Tensor) else v for v in (mean, std)]
    kinds = [v.dtype.numpy for v in (mean, std) if isinstance(v, Tensor) and v.array.dtype.kind == "f"]
    kind = kinds[0] if kinds else dtypes.default_dtype().numpy
    draw = (generator or random.default_generator()).normal(shape, dtype=kind)
    return finished((draw * parts[1] + parts[0]).astype(kind), None, requires_grad)


def manual_seed(seed: int) -> Any:
    """Start the default generator anew."""
    return random.default_generator().manual_seed(int(seed))
