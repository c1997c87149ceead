"""Powers and roots."""

from __future__ import annotations

import math

import numpy as np

from engine import errors
from engine.ops.arithmetic import pointwise
from engine.ops.kinds import refuse_unless
from engine.ops.table import F, op

# fmt: off


def power(base, exponent):
    """Return base ** exponent as PyTorch rounds it: small whole exponents by multiplication."""
    if isinstance(base, np.ndarray) and base.dtype.kind in "iub" and np.asarray(exponent).dtype.kind in "iub":
        if np.any(np.asarray(exponent) < 0):
            raise RuntimeError(errors.negative_power())
        if base.dtype == np.bool_ and np.asarray(exponent).dtype == np.bool_:
            refuse_unless("iu", "pow", base)
        return np.power(base, exponent)
    if isinstance(exponent, (int, float)) and not isinstance(exponent, bool):
        quick = _WHOLE.get(exponent)
        if quick is not None:
            return quick(base)
    low = np.result_type(base, exponent) if not np.isscalar(exponent) else base.dtype
    return np.power(np.asarray(base, np.float64), np.asarray(exponent, np.float64)).astype(low)


_WHOLE = {
    2: lambda x: x * x, 3: lambda x: x * x * x, 1: lambda x: x.copy(), 0.5: np.sqrt,
    -1: lambda x: 1 / x, -2: lambda x: 1 / (x * x), 0: np.ones_like,
}  # fmt: skip


def _of_number(self, exponent):
    if np.asarray(exponent).dtype.kind in "iu":  # 2 ** -1 of whole numbers is 0 here, an error elsewhere
        found = np.power(np.abs(self), np.where(exponent < 0, 0, exponent))
        sign = np.where((self < 0) & (exponent % 2 == 1), -1, 1)
        return np.where((exponent < 0) & (np.abs(self) != 1), 0, found * sign).astype(exponent.dtype)
    return power(np.asarray(self, exponent.dtype), exponent)


def log(base: float) -> float:
    """Return the natural logarithm of a number, with PyTorch's values where Python has none."""
    return math.log(base) if base > 0 else -math.inf if base == 0 else math.nan


op("pow", lambda self, exponent: power(self, exponent), node="PowBackward0", promote="pow", spelled="",
   self=lambda grad, self, exponent: F.zeros_like(self) if exponent == 0
   else grad * (exponent * self ** (exponent - 1)))
op("pow.Tensor", lambda self, exponent: power(self, exponent), node="PowBackward1", promote="arith",
   shows=("result",),
   formulas={"self": "where(exponent == 0, 0, grad * (exponent * self ** (exponent - 1)))",
             "exponent": "grad * where((self == 0) & (exponent >= 0), 0, result * self.log())"},
   self=lambda grad, self, exponent: F.where(exponent == 0, 0.0, grad * (exponent * self ** (exponent - 1))),
   exponent=lambda grad, self, exponent, result:
   grad * F.where(F.logical_and(self == 0, exponent >= 0), 0.0, result * self.log()))
op("pow.Base", _of_number, node="PowBackward2", promote="arith", shows=("self",),
   exponent=lambda grad, self, exponent, result:
   grad * F.where(exponent >= 0, 0.0, result * log(self)) if self == 0 else grad * (result * log(self)))
pointwise("reciprocal", lambda self: 1 / self, node="ReciprocalBackward0", promote="float",
   self=lambda grad, result: -grad * (result * result))
pointwise("sqrt", lambda self: np.sqrt(self), node="SqrtBackward0", promote="float",
   self=lambda grad, result: grad / (2 * result))
pointwise("rsqrt", lambda self: 1 / np.sqrt(self), node="RsqrtBackward0", promote="float",
   self=lambda grad, result: -0.5 * grad * result ** 3)
