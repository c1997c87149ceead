"""Kinds of numbers: the dtypes, how they mix, and how an array is held as one. Knows no Tensor."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar, Token
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from engine.numeric.kinds import TITLE

BOOL, INT, FLOAT, COMPLEX = range(4)  # categories: a result never falls below its operands'
VECTOR, SCALAR, NUMBER = range(3)  # ranks: tensor with dim >= 1, 0-d tensor, Python number


@dataclass(frozen=True, eq=False, slots=True)
class DType:
    """One kind of number. There is exactly one object per kind, so compare with `is`."""

    name: str
    numpy: np.dtype  # what holds it; bfloat16 is held as float32 values that fit in bfloat16
    category: int
    itemsize: int
    short: str  # "Float", as in "result type Float can't be cast ..."
    c_name: str  # "float", as in "... to have the same dtype, but got: float != double"
    type_name: str  # "torch.FloatTensor", as in tensor.type()

    def __repr__(self) -> str:
        return "torch." + self.name

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return by_name, (self.name,)

    @property
    def is_floating_point(self) -> bool:
        return self.category == FLOAT

    @property
    def is_complex(self) -> bool:
        return self.category == COMPLEX

    @property
    def is_odd(self) -> bool:
        """Return whether NumPy has no such kind, so that another one holds it."""
        return self.name in ("bfloat16", "complex32")

    @property
    def is_signed(self) -> bool:
        return self.name not in ("bool", "uint8")

    @property
    def legacy(self) -> str:
        """Return the name in "[torch.FloatTensor [2]] is at version 1"; newer kinds have an odd one."""
        return f"CPU{self.short}Type" if self.name in _WITHOUT_LEGACY_NAME else self.type_name

    def to_complex(self) -> DType:
        """Return the complex kind of this precision."""
        if self is float16 or self is complex32:
            return complex32
        return complex128 if self is float64 or self is complex128 else complex64

    def to_real(self) -> DType:
        """Return the kind of the real part."""
        return {"complex32": float16, "complex64": float32, "complex128": float64}.get(self.name, self)

    def hold(self, array: np.ndarray) -> np.ndarray:
        """Return the values as an array of this kind, rounded or wrapped as a conversion does."""
        if self.category < COMPLEX and array.dtype.kind == "c":
            array = array.real if self.category > BOOL else array != 0
        if array.dtype != self.numpy:
            with np.errstate(all="ignore"):
                array = array.astype(self.numpy)
        return round_to_bfloat16(array) if self is bfloat16 else array


_WITHOUT_LEGACY_NAME = ("bool", "bfloat16", "complex32", "complex64", "complex128")
_ROWS = (
    # name, held as, category, bytes, short, C++ name, word in torch.<word>Tensor
    ("bool", "bool", BOOL, 1, "Bool", "bool", "Bool"),
    ("uint8", "uint8", INT, 1, "Byte", "unsigned char", "Byte"),
    ("int8", "int8", INT, 1, "Char", "signed char", "Char"),
    ("int16", "int16", INT, 2, "Short", "short int", "Short"),
    ("int32", "int32", INT, 4, "Int", "int", "Int"),
    ("int64", "int64", INT, 8, "Long", "long int", "Long"),
    ("float16", "float16", FLOAT, 2, "Half", "c10::Half", "Half"),
    ("bfloat16", "float32", FLOAT, 2, "BFloat16", "c10::BFloat16", "BFloat16"),
    ("float32", "float32", FLOAT, 4, "Float", "float", "Float"),
    ("float64", "float64", FLOAT, 8, "Double", "double", "Double"),
    ("complex64", "complex64", COMPLEX, 8, "ComplexFloat", "c10::complex<float>", "ComplexFloat"),
    ("complex128", "complex128", COMPLEX, 16, "ComplexDouble", "c10::complex<double>", "ComplexDouble"),
    ("complex32", "complex64", COMPLEX, 4, "ComplexHalf", "c10::complex<c10::Half>", "ComplexHalf"),
)
DTYPES: dict[str, DType] = {
    name: DType(name, np.dtype(held), category, size, short, c_name, f"torch.{word}Tensor")
    for name, held, category, size, short, c_name, word in _ROWS
}
bool_ = DTYPES["bool"]
uint8, int8, int16, int32, int64 = (DTYPES[n] for n in ("uint8", "int8", "int16", "int32", "int64"))
float16, bfloat16 = DTYPES["float16"], DTYPES["bfloat16"]
float32, float64 = DTYPES["float32"], DTYPES["float64"]
complex32, complex64, complex128 = (DTYPES[n] for n in ("complex32", "complex64", "complex128"))

ALIASES: dict[str, DType] = {
    "short": int16, "int": int32, "long": int64, "half": float16, "float": float32,
    "double": float64, "cfloat": complex64, "cdouble": complex128,
}  # fmt: skip

_OF_NUMPY = {dtype.numpy: dtype for dtype in DTYPES.values() if not dtype.is_odd}
_BY_NUMBER = {dtype.numpy.num: dtype for dtype in _OF_NUMPY.values()}
_default: ContextVar[DType] = ContextVar("default_dtype", default=float32)


def by_name(name: str) -> DType:
    """Return the dtype called `name`, an alias included."""
    return DTYPES.get(name) or ALIASES[name]


OF_PYTHON = {float: float64, int: int64, bool: bool_, complex: complex128}


def asked(value: Any, function: str) -> DType:
    """Return the dtype an argument names, or refuse it; Python's own types stand for the widest kinds."""
    if isinstance(value, DType):
        return value
    if isinstance(value, type) and value in OF_PYTHON:
        return OF_PYTHON[value]
    raise TypeError(f"{function}(): argument 'dtype' must be torch.dtype, not {TITLE(type(value))}")


def from_numpy(numpy: np.dtype) -> DType:
    """Return the dtype of an array, or refuse as PyTorch does."""
    try:
        return _OF_NUMPY[np.dtype(numpy)]
    except KeyError:
        raise TypeError(
            f"can't convert np.ndarray of type {np.dtype(numpy).type.__module__}."
            f"{np.dtype(numpy).type.__name__}. The only supported types are: float64, float32, float16, "
            "complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
        ) from None


def of_array(array: np.ndarray) -> DType:
    """Return the dtype of an array; the quick way for arrays that the engine made itself."""
    return _BY_NUMBER.get(array.dtype.num) or from_numpy(array.dtype)


def round_to_bfloat16(array: np.ndarray) -> np.ndarray:
    """Round float32 values to the nearest that 8 bits of precision can hold, ties to even."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    rounded = ((bits + np.uint32(0x7FFF) + odd) & np.uint32(0xFFFF0000)).view(np.float32)
    return np.where(np.isnan(array), np.float32("nan"), rounded.reshape(array.shape))


@lru_cache(maxsize=1024)
def operand(number: float, kind: np.dtype) -> Any:
    """Return a number, not 0, as an array of no dimensions: what NumPy makes of it each time it meets one.

    Meeting an array costs it half the time. (0 and -0 are equal and would be taken for one another.)
    """
    try:
        array = np.array(number, kind)
    except OverflowError:
        return number
    array.flags.writeable = False
    return array


# ----- the default ------------------------------------------------------------------------------
def default_dtype() -> DType:
    """Return the dtype of a tensor made of Python floats."""
    return _default.get()


def default_complex_dtype() -> DType:
    """Return the dtype of a tensor made of Python complex numbers."""
    return _default.get().to_complex()


def set_default_dtype(dtype: DType) -> Token[DType]:
    """Let Python floats become `dtype` from now on in this context."""
    if dtype.category != FLOAT:
        raise TypeError("only floating-point types are supported as the default type")
    return _default.set(dtype)


def result_dtype_of_number(x: object) -> DType:
    """Return the dtype a bare Python number stands for."""
    if isinstance(x, (bool, np.bool_)):
        return bool_
    if isinstance(x, (int, np.integer)):
        return int64
    if isinstance(x, (float, np.floating)):
        return default_dtype()
    if isinstance(x, (complex, np.complexfloating)):
        return default_complex_dtype()
    raise ValueError(f"not a number: {x!r}")


# ----- promotion --------------------------------------------------------------------------------
@cache
def promote_types(a: DType, b: DType) -> DType:
    """Return the smallest kind that can stand for both."""
    if a is b:
        return a
    low, high = sorted((a, b), key=lambda dtype: (dtype.category, dtype.itemsize))
    if low.category == FLOAT and high.category == COMPLEX:
        return promote_types(low.to_complex(), high)
    if {low, high} == {uint8, int8}:
        return int16
    if {low, high} == {float16, bfloat16}:
        return float32
    return high


def promote(operands: Iterable[tuple[DType, int]]) -> DType:
    """Return the dtype of a result of operands given as (dtype, rank), rank VECTOR, SCALAR or NUMBER.

    A lower rank matters only if its category is higher than that of every higher rank.
    """
    operands = tuple(operands)
    first = operands[0][0]
    for dtype, _ in operands:
        if dtype is not first:
            return _promote(operands)
    return first


@lru_cache(maxsize=4096)
def _promote(operands: tuple[tuple[DType, int], ...]) -> DType:
    best: list[DType | None] = [None, None, None]
    for dtype, rank in operands:
        held = best[rank]
        best[rank] = dtype if held is None else promote_types(held, dtype)
    result = best[NUMBER]
    for rank in (SCALAR, VECTOR):
        result = _combine(best[rank], result)
    assert result is not None
    return result


def _combine(higher: DType | None, lower: DType | None) -> DType | None:
    if higher is None or lower is None:
        return higher or lower
    if lower.category <= higher.category:
        return higher
    if higher.category == FLOAT:
        return higher.to_complex()
    return promote_types(higher, lower)


def can_cast(source: DType, target: DType) -> bool:
    """Return whether an in-place result of kind `source` may be written into a `target` tensor."""
    return source.category <= target.category
