"""Operations on whole numbers: common divisors and multiples, shifted bits. None has a derivative."""

from __future__ import annotations

import numpy as np

from engine.ops.arithmetic import pointwise
from engine.ops.kinds import refuse_unless

# fmt: off


def of_whole(function: np.ufunc, kernel: str):
    """Return a forward on two operands that refuses numbers with fractions."""

    def forward(self, other):
        refuse_unless("iu", kernel, self)
        return function(self, other)

    return lambda self, other: forward(self, other)


def _left(self, other):
    wide = np.logical_or(np.less(other, 0), np.greater_equal(other, np.asarray(self).dtype.itemsize * 8))
    return np.where(wide, 0, np.left_shift(self, np.where(wide, 0, other))).astype(np.asarray(self).dtype)


def _right(self, other):
    last = np.asarray(self).dtype.itemsize * 8 - 1
    wide = np.logical_or(np.less(other, 0), np.greater(other, last))
    return np.right_shift(self, np.where(wide, last, other)).astype(np.asarray(self).dtype)


pointwise("gcd", of_whole(np.gcd, "gcd_cpu"), promote="arith")
pointwise("lcm", of_whole(np.lcm, "lcm_cpu"), promote="arith")
pointwise("bitwise_left_shift", of_whole(_left, "lshift_cpu"), promote="arith")
pointwise("bitwise_right_shift", of_whole(_right, "rshift_cpu"), promote="arith")
