"""Arithmetic element by element: sums, products, quotients, remainders, and what is fused from them."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine import dtype as dtypes
from engine import errors as words
from engine.ops import errors
from engine.ops.kinds import FLOATS, NUMBERS, only, refuse_unless
from engine.ops.table import F, op

# fmt: off

pointwise = partial(op, spelled="method function inplace")


def fused(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return x * y + z rounded once (a fused multiply-add), as PyTorch's CPU kernels compute it."""
    out = np.result_type(x, z)
    if out != np.float32:
        return x * y + z
    return (np.multiply(x, y, dtype=np.float64) + z).astype(out)


def scaled(grad, factor):
    """Multiply unless the factor is 1, as PyTorch's rules do (maybe_multiply)."""
    return grad if factor == 1 else grad * factor


# ----- sums, products ---------------------------------------------------------------------------
def _times_alpha(self, other, alpha):
    kind = np.result_type(self, other)
    if kind.kind in "iub" and isinstance(alpha, float):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return fused(np.asarray(other, kind), np.asarray(alpha).astype(kind), self)


def _add(self, other, alpha=1):
    return self + other if alpha == 1 else _times_alpha(self, other, alpha)


def _sub(self, other, alpha=1):
    if alpha == 1:
        try:
            return self - other
        except TypeError:  # NumPy refuses to subtract bools too
            raise RuntimeError(errors.subtract_bools()) from None
    if np.asarray(self).dtype == np.asarray(other).dtype == np.bool_:
        raise RuntimeError(errors.subtract_bools())
    return _times_alpha(self, other, -alpha)


def _rsub(self, other, alpha=1):
    return _sub(other, self, alpha)


def _neg(self):
    if self.dtype == np.bool_:
        raise RuntimeError(errors.negate_bool())
    return -self


def sign(array: np.ndarray) -> np.ndarray:
    """Return -1, 0 or 1; 0 for nan, as PyTorch has it."""
    if array.dtype == np.bool_:
        return array.copy()
    found = np.sign(array)
    return np.where(np.isnan(found), found.dtype.type(0), found) if array.dtype.kind == "f" else found


pointwise("add", _add, node="AddBackward0", promote="arith", shows=("alpha",), scalar="add.Scalar",
   self=lambda grad: grad,
   other=lambda grad, alpha: grad if alpha == 1 else grad * alpha)
op("add.Scalar", _add, node="AddBackward1", promote="arith",
   self=lambda grad: grad)
op("sub", _sub, node="SubBackward0", promote="arith", shows=("alpha",), scalar="sub.Scalar",
   spelled="inplace",
   self=lambda grad: grad,
   other=lambda grad, alpha: -grad if alpha == 1 else -grad * alpha)
op("sub.Scalar", _sub, node="SubBackward1", promote="arith",
   self=lambda grad: grad)
op("rsub", _rsub, node="RsubBackward0", promote="arith", shows=("alpha",), spelled="",
   self=lambda grad, alpha: -grad if alpha == 1 else -grad * alpha,
   other=lambda grad: grad)
op("rsub.Scalar", _rsub, node="RsubBackward1", promote="arith", shows=("alpha",),
   self=lambda grad, alpha: -grad if alpha == 1 else -grad * alpha)
pointwise("mul", lambda self, other: self * other, node="MulBackward0", promote="arith", scalar="mul.Scalar",
   self=lambda grad, other: grad * other,
   other=lambda grad, self: grad * self)
op("mul.Scalar", lambda self, other: self * other, node="MulBackward1", promote="arith",
   self=lambda grad, other: grad * other)
pointwise("neg", _neg, node="NegBackward0",
   self=lambda grad: -grad)
pointwise("abs", only(NUMBERS, "abs_cpu", lambda self: np.abs(self)), node="AbsBackward0",
   self=lambda grad, self: grad * self.sgn())
pointwise("sgn", lambda self: sign(self), node="SgnBackward0", shows=("self", "result"),
   self=lambda grad: F.zeros_like(grad))
pointwise("sign", lambda self: sign(self), node="SignBackward0",
   self=lambda grad: F.zeros_like(grad))
op("zeros_like", lambda self: np.zeros(self.shape, self.dtype), spelled="")
op("new_zeros", lambda self, shape: np.zeros(shape, self.dtype), spelled="")
op("new_ones", lambda self, shape: np.ones(shape, self.dtype), spelled="")


# ----- quotients --------------------------------------------------------------------------------
def _nonzero(self, other):
    if np.result_type(self, other).kind in "iu" and not np.all(other):
        raise RuntimeError("ZeroDivisionError")
    return other


def _floor_divide(self, other):
    refuse_unless(NUMBERS, "div_floor_cpu", self)
    return np.floor_divide(self, _nonzero(self, other))


def _remainder(self, other):
    refuse_unless(NUMBERS, "remainder_cpu", self)
    return np.mod(self, _nonzero(self, other))


def _fmod(self, other):
    refuse_unless(NUMBERS, "fmod_cpu", self)
    return np.fmod(self, _nonzero(self, other))


def _rounded(self, other, rounding_mode):
    if rounding_mode == "floor":
        return _floor_divide(self, other)
    if rounding_mode != "trunc":
        raise RuntimeError(errors.rounding_mode(rounding_mode))
    kind = np.result_type(self, other)
    return np.trunc(np.divide(self, _nonzero(self, other))).astype(kind)


def no_derivative(name: str):
    """Return the rule of an operation that PyTorch cannot differentiate: it refuses."""

    def rule(grad):
        raise RuntimeError(words.not_differentiable(name))

    return rule


def no_formula(what: str):
    """Return the rule of an input for which PyTorch lists an operation but no formula: it refuses too."""

    def rule(grad):
        raise NotImplementedError(words.no_formula(what))

    return rule


pointwise("div", lambda self, other: self / other, node="DivBackward0", promote="divide", scalar="div.Scalar",
   self=lambda grad, other: grad / other,
   other=lambda grad, self, other: -grad * ((self / other) / other))
op("div.Scalar", lambda self, other: self / other, node="DivBackward1", promote="divide",
   self=lambda grad, other: grad / other)
op("div.rounded", _rounded, node="DivBackward2", promote="arith",
   self=lambda grad, other, rounding_mode: F.zeros_like(grad),
   other=lambda grad, self, other, rounding_mode: F.zeros_like(grad))
NONE = "not implemented: PyTorch has no derivative here"
for _row, _said in (("floor_divide", "floor_divide"), ("floor_divide.inplace", "floor_divide_")):
    op(_row, _floor_divide, node="NotImplemented", promote="arith", spelled="",
       formulas={"self": NONE, "other": NONE}, self=no_derivative(_said), other=no_derivative(_said))
    op(f"{_row}.Scalar", _floor_divide, node="NotImplemented", promote="arith", spelled="",
       formulas={"self": NONE}, self=no_derivative(_said))
op("remainder", _remainder, node="RemainderBackward1",
   promote="arith", formulas={"other": "-grad * floor(self / other)"},
   self=lambda grad: grad,
   other=lambda grad, self, other: -grad * F.div__rounded(self, other, "floor"))
op("remainder.Scalar", _remainder, node="RemainderBackward0",
   promote="arith",
   self=lambda grad: grad)
op("remainder.Base", _remainder, node="NotImplemented",
   promote="arith", formulas={"other": NONE},
   other=no_derivative("remainder"))
op("fmod", _fmod, node="FmodBackward1", promote="arith",
   formulas={"other": "-grad * trunc(self / other)"},
   self=lambda grad: grad,
   other=lambda grad, self, other: -grad * F.div__rounded(self, other, "trunc"))
op("fmod.Scalar", _fmod, node="FmodBackward0", promote="arith",
   self=lambda grad: grad)


# ----- several at once --------------------------------------------------------------------------
def _addcmul(self, tensor1, tensor2, value=1):
    refuse_unless(NUMBERS, "addcmul_cpu_out", self)
    return fused(tensor1 if value == 1 else tensor1 * tensor1.dtype.type(value), tensor2, self)


def _addcdiv(self, tensor1, tensor2, value=1):
    if np.result_type(self, tensor1, tensor2).kind in "iub":
        raise RuntimeError(errors.addcdiv_integers())
    return self + tensor1.dtype.type(value) * tensor1 / tensor2


def same_or_broadcast(own: tuple, other: tuple) -> None:
    """Refuse shapes that do not broadcast."""
    text = words.broadcast(own, other)
    if text.startswith("The size"):
        raise RuntimeError(text)


def _lerp(self, end, weight):
    if self.dtype != end.dtype:
        raise RuntimeError(errors.lerp_dtypes(*map(dtypes.from_numpy, (self.dtype, end.dtype))))
    same_or_broadcast(self.shape, end.shape)
    refuse_unless(FLOATS, "lerp_kernel_" + ("tensor" if isinstance(weight, np.ndarray) else "scalar"), self)
    weight = np.asarray(weight, self.dtype)
    near = fused(weight, end - self, self)
    far = fused(-(end - self), 1 - weight, end)
    return np.where(np.abs(weight) < 0.5, near, far)


pointwise("addcmul", _addcmul, node="AddcmulBackward0", promote="three", shows=("value",),
   self=lambda grad: grad,
   tensor1=lambda grad, tensor2, value: grad * (tensor2 * value),
   tensor2=lambda grad, tensor1, value: grad * (tensor1 * value))
pointwise("addcdiv", _addcdiv, node="AddcdivBackward0", promote="three", shows=("tensor2", "value"),
   self=lambda grad: grad,
   tensor1=lambda grad, tensor2, value: grad * (value / tensor2),
   tensor2=lambda grad, tensor1, tensor2, value: -grad * (value * tensor1 / (tensor2 * tensor2)))
op("lerp", _lerp, node="LerpBackward1", shows=("weight",),
   self=lambda grad, weight: grad * (1 - weight),
   end=lambda grad, weight: grad * weight,
   weight=lambda grad, self, end: grad * (end - self))
op("lerp.Scalar", _lerp, node="LerpBackward0",
   self=lambda grad, weight: grad * (1 - weight),
   end=lambda grad, weight: grad * weight)
