"""How a tensor is written out, character for character as PyTorch does. Reads arrays, knows no Tensor."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from engine.dtype import DType, bool_, default_complex_dtype, default_dtype, int64

INDENT = len("tensor(")


# ----- options ----------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class PrintOptions:
    """What `set_printoptions` sets."""

    precision: int = 4  # digits after the point
    threshold: float = 1000  # more elements than this are summarised
    edgeitems: int = 3  # shown at either end of a summarised dimension
    linewidth: int = 80
    sci_mode: bool | None = None  # None: decided by the values


_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}
_options: ContextVar[PrintOptions] = ContextVar("print_options", default=_PROFILES["default"])


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how tensors are written; what is not given stays, except `sci_mode`."""
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    changes = {name: value for name, value in given.items() if value is not None}
    _options.set(replace(_PROFILES.get(profile or "", _options.get()), **changes, sci_mode=sci_mode))


def get_printoptions() -> dict[str, Any]:
    """Return the options in force, by name."""
    return asdict(_options.get())


@contextmanager
def printoptions(**given: Any) -> Iterator[None]:
    """Change how tensors are written inside the block."""
    before = _options.get()
    set_printoptions(**given)
    try:
        yield
    finally:
        _options.set(before)


# ----- one number -------------------------------------------------------------------------------
class Column:
    """How every number of one tensor is written, so that they line up."""

    def __init__(self, values: np.ndarray, options: PrintOptions) -> None:
        self.write: Callable[[Any], str] = str
        if values.dtype.kind == "f":
            values = values[np.isfinite(values) & (values != 0)].astype(np.float64)
            self.write = _number_writer(values, options)
        self.width = max((len(self.write(value)) for value in values.ravel().tolist()), default=1)

    def __call__(self, value: Any) -> str:
        return self.write(value).rjust(self.width)


def _number_writer(values: np.ndarray, options: PrintOptions) -> Callable[[float], str]:
    """Choose between 1., 1.0000 and 1.0000e+00 from the nonzero finite values."""
    whole = bool((values == np.ceil(values)).all())
    scientific = options.sci_mode
    if values.size == 0:
        scientific = False
    elif scientific is None:
        low, high = np.abs(values).min(), np.abs(values).max()
        with np.errstate(over="ignore"):
            scientific = bool(high / low > 1000.0 or high > 1.0e8 or low < 1.0e-4)
    if whole and not scientific:
        return lambda value: f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"
    pattern = f"{{:.{options.precision}{'e' if scientific else 'f'}}}"
    return pattern.format


class ComplexColumn:
    """A column for the real parts and one for the imaginary parts."""

    def __init__(self, values: np.ndarray, options: PrintOptions) -> None:
        self.real, self.imag = Column(values.real, options), Column(values.imag, options)
        self.width = self.real.width + self.imag.width + 1

    def __call__(self, value: complex) -> str:
        imag = self.imag(value.imag).lstrip()
        return self.real(value.real) + ("" if imag[0] in "+-" else "+") + imag + "j"


# ----- many numbers -----------------------------------------------------------------------------
class Layout:
    """Where the brackets, line breaks and dots of one tensor go."""

    def __init__(self, array: np.ndarray) -> None:
        self.options = _options.get()
        self.summarised = array.size > self.options.threshold
        shown = _ends(array, self.options.edgeitems) if self.summarised else array
        self.column = (ComplexColumn if array.dtype.kind == "c" else Column)(shown, self.options)

    def text(self, array: np.ndarray, indent: int) -> str:
        """Write the array, given how far to the right its first bracket stands."""
        if array.ndim == 0:
            return self.column(array.item())
        if array.ndim == 1:
            return self._vector(array, indent)
        parts = self._shorten(array, lambda part: self.text(part, indent + 1), "...")
        return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(parts) + "]"

    def _vector(self, array: np.ndarray, indent: int) -> str:
        parts = self._shorten(array, lambda part: self.column(part.item()), " ...")
        if self.summarised and not self.options.edgeitems:
            parts = ["..."]
        per_line = max(1, (self.options.linewidth - indent) // (self.column.width + 2))
        lines = [", ".join(parts[i : i + per_line]) for i in range(0, len(parts), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"

    def _shorten(self, array: np.ndarray, write: Callable[[Any], str], dots: str) -> list[str]:
        edge, length = self.options.edgeitems, len(array)
        if not self.summarised or length <= 2 * edge:
            return [write(array[i, ...]) for i in range(length)]
        head = [write(array[i, ...]) for i in range(edge)]
        return head + [dots] + [write(array[i, ...]) for i in range(length - edge, length)]


def _ends(array: np.ndarray, edge: int) -> np.ndarray:
    """Keep only what a summary shows."""
    if not edge:
        return array if array.ndim < 2 else array[:0]
    for axis, length in enumerate(array.shape):
        if length > 2 * edge:
            array = np.take(array, [*range(edge), *range(length - edge, length)], axis)
    return array


def contents_text(array: np.ndarray, indent: int = INDENT) -> str:
    """Write the values between the parentheses."""
    return Layout(array).text(array, indent) if array.size else "[]"


# ----- a whole tensor ---------------------------------------------------------------------------
def tensor_text(
    array: np.ndarray,
    dtype: DType,
    *,
    grad_fn: str | None = None,
    requires_grad: bool = False,
    parameter: bool = False,
    device: str | None = None,
) -> str:
    """Write a tensor as its repr does; `grad_fn` is the name of the node that made it.

    `device` is told if it is not the CPU.
    """
    suffixes = [] if device is None else [f"device='{device}'"]
    if (array.size == 0 and array.ndim != 1) or (array.size and not _options.get().edgeitems):
        suffixes.append(f"size={tuple(array.shape)}")
    if dtype is not default_dtype() and (array.size == 0 or not _goes_without_saying(dtype)):
        suffixes.append(f"dtype={dtype}")
    suffixes += _history(grad_fn, requires_grad)
    text = _with_suffixes("tensor(" + contents_text(array), suffixes)
    return "Parameter containing:\n" + text if parameter else text


def sparse_text(
    indices: np.ndarray,
    values: np.ndarray,
    shape: tuple[int, ...],
    dtype: DType,
    *,
    grad_fn: str | None = None,
    requires_grad: bool = False,
) -> str:
    """Write a sparse COO tensor as its repr does."""
    parts = []
    for name, array in (("indices", indices), ("values", values)):
        opening = f"{name}=tensor("
        size = "" if array.size else f", size={tuple(array.shape)}"
        parts.append(opening + contents_text(array, INDENT + len(opening)) + size + ")")
    suffixes = [f"size={tuple(shape)}", f"nnz={indices.shape[1]}"]
    if not _goes_without_saying(dtype):
        suffixes.append(f"dtype={dtype}")
    suffixes += ["layout=torch.sparse_coo", *_history(grad_fn, requires_grad)]
    return _with_suffixes("tensor(" + (",\n" + " " * INDENT).join(parts), suffixes, new_line=True)


def _goes_without_saying(dtype: DType) -> bool:
    return dtype in (default_dtype(), default_complex_dtype(), int64, bool_)


def _history(grad_fn: str | None, requires_grad: bool) -> list[str]:
    if grad_fn is not None:
        return [f"grad_fn=<{grad_fn}>"]
    return ["requires_grad=True"] if requires_grad else []


def _with_suffixes(text: str, suffixes: list[str], new_line: bool = False) -> str:
    length = len(text) - text.rfind("\n") + 1  # of the last line, and 2
    for suffix in suffixes:
        if new_line or length + len(suffix) + 2 > _options.get().linewidth:
            text += ",\n" + " " * INDENT + suffix
            length = INDENT + len(suffix)
            new_line = False
        else:
            text += ", " + suffix
            length += len(suffix) + 2
    return text + ")"


# ----- other texts ------------------------------------------------------------------------------
def return_types_text(name: str, fields: Mapping[str, str]) -> str:
    """Write what `max(dim)`, `sort`, ... return: a named tuple of tensors, given each one's text."""
    return f"torch.return_types.{name}(\n" + ",\n".join(f"{k}={v}" for k, v in fields.items()) + ")"


def item_text(array: np.ndarray, spec: str = "") -> str:
    """Write the one number of a 0-d tensor as an f-string does."""
    return format(array.item(), spec)
