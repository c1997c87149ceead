"""Methods with a trailing underscore that cover several operations, or change the tensor's own shape."""

from __future__ import annotations

from typing import Any

from engine import dtype as dtypes
from engine.apply import apply_inplace, reshape_inplace
from engine.errors.warned import COMPLEX_TO_REAL
from engine.ops.table import TABLE, F
from engine.tensor import Tensor, beside, strides_of
from engine.warned import warn_once


def _write(name: str, tensor: Tensor, *args: Any) -> Tensor:
    return apply_inplace(TABLE[name], tensor, *args)


def _by_operand(name: str, scalar: str):
    """Return the in-place form of an operation that has one row for tensors and one for numbers."""

    def call(self: Tensor, other: Any) -> Tensor:
        return _write(name if isinstance(other, Tensor) else scalar, self, other)

    call.__name__ = name.partition(".")[0] + "_"
    return call


def _plain(name: str):
    """Return the in-place form of an operation that has a row of its own for it."""

    def call(self: Tensor) -> Tensor:
        return _write(name, self)

    call.__name__ = name.partition(".")[0] + "_"
    return call


def div_(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Divide in place."""
    if rounding_mode is None:
        return _write("div", self, other)
    return _write("div.rounded", self, other, rounding_mode)


def lerp_(self: Tensor, end: Tensor, weight: Any) -> Tensor:
    """Move toward `end` in place."""
    return _write("lerp" if isinstance(weight, Tensor) else "lerp.Scalar", self, end, weight)


def clamp_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Keep within bounds in place."""
    tensors = isinstance(min, Tensor) or isinstance(max, Tensor)
    return _write("clamp.Tensor" if tensors else "clamp", self, min, max)


def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Write a value where a mask is true."""
    return _write("masked_fill.Tensor" if isinstance(value, Tensor) else "masked_fill", self, mask, value)


def index_fill_(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Write a value into the rows that an index names."""
    return _write("index_fill.Tensor" if isinstance(value, Tensor) else "index_fill", self, dim, index, value)


def scatter_(self: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None) -> Tensor:
    """Write values where an index says."""
    src = value if src is None else src
    return _write("scatter" if isinstance(src, Tensor) else "scatter.value", self, dim, index, src)


def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Copy `src` into this tensor."""
    if src.array.dtype.kind == "c" and dtypes.BOOL < self.dtype.category < dtypes.COMPLEX:
        warn_once("complex", COMPLEX_TO_REAL)
        src = src if src.requires_grad else beside(src, src.array.real.copy())
    return _write("copy", self, src)


def fill_(self: Tensor, value: Any) -> Tensor:
    """Set every element to a value."""
    return _write("fill.Tensor" if isinstance(value, Tensor) else "fill.Scalar", self, value)


def zero_(self: Tensor) -> Tensor:
    """Set every element to 0."""
    return _write("zero", self)


def square_(self: Tensor) -> Tensor:
    """Square in place."""
    return _write("pow", self, 2)


def float_power_(self: Tensor, exponent: Any) -> Tensor:
    """Raise to a power in place; only double precision can hold it."""
    if self.dtype is not dtypes.float64:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {self.dtype.short} but the operation's result "
            "requires dtype Double"
        )
    return METHODS["pow_"](self, exponent)


def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Write a value onto the diagonal, which is a view."""
    if self.array.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    sizes = self.array.shape
    if self.array.ndim > 2 and len(set(sizes)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    step = sum(strides_of(self.array))
    count = min(sizes)
    if wrap and self.array.ndim == 2 and sizes[0] > sizes[1] + 1:
        count = -(-self.array.size // step)
    fill_(F.as_strided(self, (count,), (step,), None), fill_value)
    return self


# ----- another shape for the tensor itself ----------------------------------------------------------
def t_(self: Tensor) -> Tensor:
    """Transpose the matrix itself."""
    if self.array.ndim > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self.array.ndim}D")
    return reshape_inplace(TABLE["t.inplace"], self)


def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Exchange two dimensions of the tensor itself."""
    return reshape_inplace(TABLE["transpose.inplace"], self, dim0, dim1)


def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """Give the tensor itself a dimension of size 1."""
    return reshape_inplace(TABLE["unsqueeze.inplace"], self, dim)


def squeeze_(self: Tensor, dim: int | None = None) -> Tensor:
    """Take dimensions of size 1 from the tensor itself."""
    if dim is None:
        return reshape_inplace(TABLE["squeeze.inplace_all"], self)
    return reshape_inplace(TABLE["squeeze.inplace"], self, dim)


METHODS = {
    "div_": div_, "divide_": div_, "true_divide_": div_, "lerp_": lerp_, "clamp_": clamp_, "clip_": clamp_,
    "masked_fill_": masked_fill_, "index_fill_": index_fill_, "scatter_": scatter_, "copy_": copy_,
    "fill_": fill_, "zero_": zero_, "square_": square_, "t_": t_, "transpose_": transpose_,
    "swapaxes_": transpose_,
    "swapdims_": transpose_, "unsqueeze_": unsqueeze_, "squeeze_": squeeze_,
    "pow_": _by_operand("pow.Tensor", "pow"), "remainder_": _by_operand("remainder", "remainder.Scalar"),
    "floor_divide_": _by_operand("floor_divide.inplace", "floor_divide.inplace.Scalar"),
    "fmod_": _by_operand("fmod", "fmod.Scalar"), "xlogy_": _by_operand("xlogy", "xlogy.Scalar"),
    "clamp_min_": _by_operand("clamp_min.Tensor", "clamp_min"),
    "clamp_max_": _by_operand("clamp_max.Tensor", "clamp_max"),
    **{f"{name}_": _plain(f"{name}.inplace") for name in ("asinh", "acosh", "atanh")},
    "float_power_": float_power_, "fill_diagonal_": fill_diagonal_,
    **{f"{n}_": _by_operand(f"{n}.inplace.Tensor", f"{n}.inplace") for n in "eq ne lt le gt ge".split()},
}  # fmt: skip
