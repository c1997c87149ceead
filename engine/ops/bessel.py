"""Modified Bessel functions of the first kind, orders 0 and 1, also scaled by exp(-|x|)."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.ops.elementary import exactly, smooth
from engine.ops.table import F, op

# fmt: off

TINY = 1.1920928955078125e-07  # nearer to 0 the slope is that at 0
LARGE = 30.0  # beyond it the asymptotic series is exact to the last digit
inner = partial(op, promote="float", spelled="")


def scaled(order: int, x: np.ndarray) -> np.ndarray:
    """Return exp(-|x|) I_order(x): the power series, for large |x| the asymptotic one."""
    size = np.abs(np.asarray(x, np.float64))
    near, far = np.minimum(size, LARGE), np.maximum(size, LARGE)
    term = np.where(near == 0, 1.0, (near / 2) ** order) if order else np.ones_like(near)
    term = np.where((near == 0) & (order > 0), 0.0, term)
    total = term
    for k in range(1, 120):
        term = term * (near / 2) ** 2 / (k * (k + order))
        total = total + term
    tail = step = np.ones_like(far)
    for k in range(1, 20):
        step = step * ((2 * k - 1) ** 2 - 4 * order**2) / (8 * far * k)
        tail = tail + step
    found = np.where(size <= LARGE, total * np.exp(-near), tail / np.sqrt(2 * np.pi * far))
    found = np.where(np.isnan(x), x, found)
    return found * np.sign(x) if order else found


def whole(order: int):
    """Return I_order as a function of arrays."""
    return lambda self: exactly(lambda x: scaled(order, x) * np.exp(np.abs(x)), self)


def slope_of_i1(self, result, start):
    """Return the slope of I_1 (or of its scaled form): start(x) - result / x, and 1/2 at 0."""
    away = self.abs() > TINY
    safe = F.where(away, self, TINY)
    return F.where(away, start(safe) - result * safe.reciprocal(), 0.5)


smooth("i0", whole(0), node="I0Backward0",
   formulas={"self": "grad * i1(self)"},
   self=lambda grad, self: grad * F.special_i1(self))
inner("special_i1", whole(1), node="SpecialI1Backward0",
   formulas={"self": "grad * (i0(self) - result / self)"},
   self=lambda grad, self, result: grad * slope_of_i1(self, result, F.i0))
inner("special_i0e", lambda self: exactly(partial(scaled, 0), self), node="SpecialI0EBackward0",
   formulas={"self": "grad * (i1e(self) - sgn(self) * result)"},
   self=lambda grad, self, result: grad * (F.special_i1e(self) - self.sgn() * result))
inner("special_i1e", lambda self: exactly(partial(scaled, 1), self), node="SpecialI1EBackward0",
   formulas={"self": "grad * (i0e(self) - result * (sgn(self) + 1 / self))"},
   self=lambda grad, self, result: grad * slope_of_i1e(self, result))


def slope_of_i1e(self, result):
    """Return the slope of exp(-|x|) I_1(x), 1/2 at 0."""
    away = self.abs() > TINY
    safe = F.where(away, self, TINY)
    return F.where(away, F.special_i0e(safe) - result * (safe.sgn() + safe.reciprocal()), 0.5)
