"""The border: the only place where values go in to NumPy and come out again. Knows no function by name.

In: exact Python numbers, short words, lists and tuples of those, and our own objects; never an object of a
learner's class, which NumPy would call. Out: Python's values and our own. Errors are said anew.
"""

from __future__ import annotations

import warnings
from collections import deque, namedtuple
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import cache
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine import errors, events, modes
from engine.numeric import sizes
from engine.numeric.failures import plainly
from engine.numeric.kinds import (
    OF_NUMPY,
    REAL,
    REAL_ABSTRACT,
    TITLE,
    dtype,
    dtype_of,
    generic,
    held,
    ndarray,
    plain,
    real_dtype,
    scalar_of,
    wrapped,
)
from engine.tensor import Tensor, make

EXACT = frozenset((int, float, complex, bool, type(None), type(Ellipsis)))
NUMBERS = frozenset((int, float, complex, bool))
KEPT = (bool, int, float, complex, str, bytes, type(None))
LONGEST_WORD = 64  # 'reduced', 'ij,jk->ik': what a word may be long
LONGEST_MESSAGE = 1_000
DEEPEST = 64  # NumPy's own limit

TEXTLESS = ("full", "full_like", "tile", "repeat", "resize", "broadcast_to", "outer", "kron")
MASKABLE = frozenset(
    """all any sum prod max min amax amin mean std var nansum nanprod nanmax nanmin nanmean nanstd nanvar
copyto""".split()
)

WRAP_WARNING = (
    "__array_wrap__ must accept context and return_scalar arguments (positionally) in the future. "
    "(Deprecated NumPy 2.0)"
)
COPY_WARNING = (
    "__array__ implementation doesn't accept a copy keyword, so passing copy=False failed. __array__ must "
    "implement 'dtype' and 'copy' keyword arguments. To learn more, see the migration guide "
    "https://numpy.org/devdocs/numpy_2_0_migration_guide.html#adapting-to-changes-in-the-copy-keyword"
)
FAULTS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
faults: ContextVar[dict[str, str] | None] = ContextVar("numpy_errstate", default=None)


# ----- in ------------------------------------------------------------------------------------------
def inside(value: Any) -> Any:
    """Return what NumPy gets for a learner's value, or refuse it."""
    kind = type(value)
    if kind in EXACT:
        return value
    if kind is ndarray:
        return held(value)
    if isinstance(value, generic):
        return REAL[kind](plain(value))
    if isinstance(value, Tensor):
        return of_tensor(value)
    if isinstance(value, (list, tuple, range, deque)):
        return nested(value, [0])
    if kind is slice:
        return slice(inside(value.start), inside(value.stop), inside(value.step))
    if kind is str and len(value) <= LONGEST_WORD:
        return value
    if kind is dtype or isinstance(value, type):
        return REAL_ABSTRACT.get(value) or real_dtype(value).type
    for python in (int, float, complex):
        if isinstance(value, python):
            return python.__pos__(value)
    if isinstance(value, dtypes.DType):
        raise TypeError(f"Cannot interpret '{value!r}' as a data type")
    raise TypeError(f"numpy takes numbers, lists and arrays here, not '{TITLE(kind)}'")


def nested(values: Any, seen: list[int], depth: int = 1) -> Any:
    """Return a list or tuple with everything in it brought in."""
    items = values if type(values) in (list, tuple, range) else list(_exact(values))
    seen[0] += len(items)
    sizes.check(seen[0])
    if depth > DEEPEST:
        raise ValueError("setting an array element with a sequence. The requested array is too deep.")
    if NUMBERS.issuperset(map(type, items)):
        return items if type(items) is not range else list(items)
    found = []
    for item in items:
        if isinstance(item, (list, tuple, range, deque)):
            found.append(nested(item, seen, depth + 1))
            continue
        if isinstance(item, str):
            raise TypeError("arrays hold numbers here, not text")
        found.append(inside(item))
        if isinstance(item, (ndarray, Tensor)):
            seen[0] += found[-1].size
            sizes.check(seen[0])
    return tuple(found) if isinstance(values, tuple) else found


def _exact(values: Any) -> Iterable:
    """Iterate as the built-in class does, whatever a subclass says."""
    for python in (list, tuple, deque):
        if isinstance(values, python):
            return python.__iter__(values)
    return values


def of_tensor(tensor: Tensor) -> np.ndarray:
    """Return a tensor's numbers, sharing its memory, or refuse as PyTorch does."""
    if tensor.place is not None:
        raise TypeError(errors.numpy_of_device(tensor.place))
    if tensor.requires_grad:
        raise RuntimeError(errors.numpy_of_grad())
    if getattr(tensor, "is_sparse", False):
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")
    if tensor.exotic is dtypes.bfloat16:
        raise TypeError("Got unsupported ScalarType BFloat16")
    return tensor.array.view()


def refuse(name: str, args: tuple, named: dict[str, Any]) -> None:
    """Refuse what would show memory that nobody has written to, and large arrays of text."""
    if "where" in named and name not in MASKABLE:
        raise TypeError(f"{name}(where=...) is not available here; use numpy.where")
    words = [value for value in (*args, *named.values()) if type(value) is str]
    if name == "pad" and "empty" in words:
        raise ValueError("numpy.pad(mode='empty') is not available here")
    if words and name in TEXTLESS:
        raise TypeError("arrays hold numbers here, not text")


# ----- out -----------------------------------------------------------------------------------------
def outside(value: Any, given: Iterable = ()) -> Any:
    """Return what a learner gets for NumPy's result: the array given, if that is what came back."""
    if type(value) is np.ndarray:
        for each in given:
            if type(each) is ndarray and held(each) is value:
                return each
        dtype_of(value.dtype)
        return wrapped(value)
    if isinstance(value, np.generic):
        return str(value) if isinstance(value, np.str_) else scalar_of(value)
    if isinstance(value, KEPT):
        return value
    if isinstance(value, np.dtype):
        return dtype_of(value)
    if isinstance(value, tuple):
        parts = [outside(each, given) for each in value]
        fields = getattr(value, "_fields", None)
        return tuple(parts) if fields is None else _record(type(value).__name__, fields)(*parts)
    if isinstance(value, list):
        return [outside(each, given) for each in value]
    if isinstance(value, dict):
        return {outside(key): outside(each, given) for key, each in value.items()}
    if isinstance(value, type) and value in OF_NUMPY:
        return OF_NUMPY[value]
    raise TypeError(f"a numpy.{type(value).__name__} is not available here")


@cache
def _record(name: str, fields: tuple[str, ...]) -> type:
    """Return the named tuple of one result, such as what `linalg.eigh` gives."""
    return namedtuple(name, fields, module=__name__)


def as_tensor(value: Any, quiet: bool = False) -> Any:
    """Return NumPy's result as the tensors it becomes when a tensor went in."""
    if isinstance(value, tuple):
        return tuple(as_tensor(each, quiet) for each in value)
    if not quiet:
        warnings.warn(WRAP_WARNING, DeprecationWarning, stacklevel=4)
    array = np.asarray(value)
    return stated(make(array.astype(np.uint8) if array.dtype == np.bool_ else array))


def stated(tensor: Tensor) -> Tensor:
    """State that a tensor was made from data."""
    tensor.inference = modes.is_inference_mode_enabled()
    events.emit(events.TensorMade(tensor))
    return tensor


# ----- over there ----------------------------------------------------------------------------------
def compute(function: Callable, given: Iterable, named: dict[str, Any] | None = None) -> Any:
    """Call NumPy with values that are inside already; return its own result. Errors are said plainly."""
    given = tuple(given)
    events.changing()
    for each in (*given, *(named or {}).values()):
        if type(each) is np.ndarray:
            events.overwriting(each)  # perhaps: it is not told which
    try:
        with np.errstate(**(faults.get() or FAULTS)):
            return function(*given, **(named or {}))
    except Exception as error:  # said again below, outside: what is caught here holds NumPy's objects
        failure = plainly(error)
    finally:
        events.emit(events.MemoryWritten("numpy"))
    raise failure


def call(function: Callable, args: tuple, named: dict[str, Any] | None = None) -> Any:
    """Bring values in, call NumPy, bring the result out."""
    named = named or {}
    found = compute(function, [inside(a) for a in args], {k: keyword(k, v) for k, v in named.items()})
    return outside(found, (*args, *named.values()))


def keyword(name: str, value: Any) -> Any:
    """Return what NumPy gets for a named argument."""
    if name == "dtype":
        return None if value is None else real_dtype(value)
    if name == "err_msg" and type(value) is str:
        return value[:LONGEST_MESSAGE]
    return inside(value)
