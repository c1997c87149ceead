"""Elementary functions of one argument: exponentials, logarithms, angles, rounding."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from engine.ops.arithmetic import NONE, no_formula, pointwise
from engine.ops.kinds import FLOATS, NUMBERS, only
from engine.ops.table import F, op

# fmt: off

smooth = partial(pointwise, promote="float")  # whole numbers are taken as floats
not_in_place = partial(op, promote="float")


def exactly(function: np.ufunc, array: np.ndarray) -> np.ndarray:
    """Evaluate in float64 and round once, which is closest to PyTorch's own last digit."""
    kind = array.dtype
    if kind is not SINGLE and kind not in NARROW:
        return function(array)
    if type(function) is not ufunc:
        return function(array.astype(DOUBLE)).astype(kind)
    if not array.ndim:
        return kind.type(float(function(float(array))))
    wide = array.astype(DOUBLE)
    return function(wide, wide).astype(kind)


SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
NARROW = frozenset((SINGLE, np.dtype(np.float16)))
ufunc = np.ufunc


def one_less_square(array: np.ndarray) -> np.ndarray:
    """Return 1 - x ** 2, rounded once, as PyTorch's kernel does: near 1 and -1 it matters."""
    if array.dtype != np.float32:
        return 1 - array * array
    wide = array.astype(np.float64)
    return (1 - wide * wide).astype(array.dtype)


# ----- exponentials, logarithms -----
smooth("exp", lambda self: exactly(np.exp, self), node="ExpBackward0",
   self=lambda grad, result: grad * result)
smooth("exp2", lambda self: exactly(np.exp2, self), node="Exp2Backward0",
   formulas={"self": "grad * result * log(2)"},
   self=lambda grad, result: grad * result * 0.6931471805599453)
smooth("expm1", lambda self: exactly(np.expm1, self), node="Expm1Backward0",
   self=lambda grad, result: grad * (result + 1))
smooth("log", lambda self: exactly(np.log, self), node="LogBackward0",
   self=lambda grad, self: grad / self)
smooth("log2", lambda self: exactly(np.log2, self), node="Log2Backward0",
   formulas={"self": "grad / (self * log(2))"},
   self=lambda grad, self: grad / (self * 0.6931471805599453))
smooth("log10", lambda self: exactly(np.log10, self), node="Log10Backward0",
   formulas={"self": "grad / (self * log(10))"},
   self=lambda grad, self: grad / (self * 2.3025850929940456))
smooth("log1p", lambda self: exactly(np.log1p, self), node="Log1PBackward0",
   self=lambda grad, self: grad / (self + 1))

# ----- angles -----
smooth("sin", lambda self: exactly(np.sin, self), node="SinBackward0",
   self=lambda grad, self: grad * self.cos())
smooth("cos", lambda self: exactly(np.cos, self), node="CosBackward0",
   self=lambda grad, self: grad * -self.sin())
smooth("tan", lambda self: exactly(np.tan, self), node="TanBackward0",
   self=lambda grad, result: grad * (1 + result ** 2))
smooth("asin", lambda self: exactly(np.arcsin, self), node="AsinBackward0",
   self=lambda grad, self: grad * (-self * self + 1).rsqrt())
smooth("acos", lambda self: exactly(np.arccos, self), node="AcosBackward0",
   self=lambda grad, self: grad * -(-self * self + 1).rsqrt())
smooth("atan", lambda self: exactly(np.arctan, self), node="AtanBackward0",
   self=lambda grad, self: grad / (self * self + 1))
smooth("sinh", lambda self: exactly(np.sinh, self), node="SinhBackward0",
   self=lambda grad, self: grad * self.cosh())
smooth("cosh", lambda self: exactly(np.cosh, self), node="CoshBackward0",
   self=lambda grad, self: grad * self.sinh())
not_in_place("asinh", lambda self: exactly(np.arcsinh, self), node="AsinhBackward0",
   self=lambda grad, self: grad * (self ** 2 + 1).rsqrt())
not_in_place("acosh", lambda self: exactly(np.arccosh, self), node="AcoshBackward0",
   self=lambda grad, self: grad * (self * self - 1).rsqrt())
not_in_place("atanh", lambda self: exactly(np.arctanh, self), node="AtanhBackward0",
   self=lambda grad, self: grad * 1 / (1 - self ** 2))
smooth("deg2rad", lambda self: self * self.dtype.type(math.pi / 180), node="Deg2RadBackward0",
   formulas={"self": "grad * pi / 180"},
   self=lambda grad: grad * (math.pi / 180))
smooth("rad2deg", lambda self: self * self.dtype.type(180 / math.pi), node="Rad2DegBackward0",
   formulas={"self": "grad * 180 / pi"},
   self=lambda grad: grad * (180 / math.pi))

op("asinh.inplace", lambda self: exactly(np.arcsinh, self), node="AsinhBackward1", promote="float",
   formulas={"self": NONE}, self=no_formula("inplace version of asinh"))
op("acosh.inplace", lambda self: exactly(np.arccosh, self), node="AcoshBackward1", promote="float",
   formulas={"self": NONE}, self=no_formula("inplace version of acosh"))
op("atanh.inplace", lambda self: exactly(np.arctanh, self), node="AtanhBackward1", promote="float",
   formulas={"self": NONE}, self=no_formula("inplace version of atanh"))

# ----- squashed between two bounds -----
smooth("tanh", lambda self: exactly(np.tanh, self), node="TanhBackward0",
   formulas={"self": "grad * (1 - result ** 2)"},
   self=lambda grad, result: F.tanh_backward(grad, result))
op("tanh_backward", lambda grad_output, output: grad_output * one_less_square(output),
   node="TanhBackwardBackward0", formulas={"grad_output": "grad * (1 - output ** 2)"},
   grad_output=lambda grad, output: F.tanh_backward(grad, output),
   output=lambda grad, grad_output, output: grad * (-2 * output * grad_output))
smooth("sigmoid", lambda self: 1 / (1 + exactly(np.exp, -self)), node="SigmoidBackward0",
   formulas={"self": "grad * (1 - result) * result"},
   self=lambda grad, result: F.sigmoid_backward(grad, result))
op("sigmoid_backward", lambda grad_output, output: grad_output * (1 - output) * output,
   node="SigmoidBackwardBackward0", formulas={"grad_output": "grad * (1 - output) * output"},
   grad_output=lambda grad, output: F.sigmoid_backward(grad, output),
   output=lambda grad, grad_output, output: grad * grad_output * (-2 * output + 1))

# ----- steps: flat between their jumps -----
def stepwise(function: np.ufunc):
    """Return a forward that leaves whole numbers as they are."""
    forward = lambda self: function(self) if self.dtype.kind == "f" else self.copy()  # noqa: E731
    return only(NUMBERS, f"{function.__name__}_vml_cpu", forward)


pointwise("floor", stepwise(np.floor), node="FloorBackward0",
   self=lambda grad: F.zeros_like(grad))
pointwise("ceil", stepwise(np.ceil), node="CeilBackward0",
   self=lambda grad: F.zeros_like(grad))
pointwise("round", stepwise(np.round), node="RoundBackward0",
   self=lambda grad: F.zeros_like(grad))
pointwise("trunc", stepwise(np.trunc), node="TruncBackward0",
   self=lambda grad: F.zeros_like(grad))
op("round.decimals", only(FLOATS, "round_cpu", lambda self, decimals:
   np.round(self, decimals).astype(self.dtype)), node="RoundBackward1",
   self=lambda grad: F.zeros_like(grad))
pointwise("frac", only(FLOATS, "frac_cpu", lambda self: self - np.trunc(self)), node="FracBackward0",
   self=lambda grad: grad)
