"""Which values a parameter may take, and which a sample. They look at numbers, not at graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.tensor import Tensor, make

__all__ = [
    "boolean", "greater_than", "greater_than_eq", "integer_interval", "interval", "less_than", "nonnegative",
    "positive", "real", "real_vector", "simplex", "unit_interval",
]  # fmt: skip


def bare(value: Any) -> Any:
    """Return a bound as numbers."""
    return value.array if isinstance(value, Tensor) else value


class Constraint:
    """A set of allowed values."""

    bounds: tuple[str, ...] = ()
    is_discrete = False
    event_dim = 0

    def __init__(self, *bounds: Any) -> None:
        for name, bound in zip(self.bounds, bounds, strict=True):
            setattr(self, name, bound)

    def check(self, value: Tensor) -> Tensor:
        """Return where a value is allowed."""
        return make(np.asarray(self.allowed(value.array)))

    def holds(self, value: np.ndarray) -> bool:
        """Return whether all values are allowed."""
        return bool(np.all(self.allowed(value)))

    def allowed(self, value: np.ndarray) -> Any:
        """Return where a value is allowed, as an array of truths."""
        raise NotImplementedError

    def __repr__(self) -> str:
        bounds = ", ".join(f"{name}={getattr(self, name)}" for name in self.bounds)
        return f"{type(self).__name__}({bounds})"


class Real(Constraint):
    """Numbers that are not nan."""

    def allowed(self, value: np.ndarray) -> Any:
        """Return where a value is a number."""
        return value == value


class IndependentConstraint(Constraint):
    """Vectors of numbers that are not nan."""

    event_dim = 1

    def allowed(self, value: np.ndarray) -> Any:
        """Return where a value is a number."""
        return value == value

    def __repr__(self) -> str:
        return "IndependentConstraint(Real(), 1)"


class Boolean(Constraint):
    """Zero and one."""

    is_discrete = True

    def allowed(self, value: np.ndarray) -> Any:
        """Return where a value is 0 or 1."""
        return (value == 0) | (value == 1)


class Simplex(Constraint):
    """Vectors of numbers that are not negative and sum to 1."""

    event_dim = 1

    def allowed(self, value: np.ndarray) -> Any:
        """Return which vectors are probabilities."""
        return (value >= 0).all(-1) & (np.abs(value.sum(-1) - 1) < 1e-6)


class GreaterThan(Constraint):
    """Numbers above a bound."""

    bounds = ("lower_bound",)

    def allowed(self, value: np.ndarray) -> Any:
        """Return where a value is above."""
        return bare(self.lower_bound) < value


class GreaterThanEq(Constraint):
    """Numbers not below a bound."""

    bounds = ("lower_bound",)

    def allowed(self, value: np.ndarray) -> Any:
        """Return where a value is not below."""
        return bare(self.lower_bound) <= value


class LessThan(Constraint):
    """Numbers below a bound."""

    bounds = ("upper_bound",)

    def allowed(self, value: np.ndarray) -> Any:
        """Return where a value is below."""
        return value < bare(self.upper_bound)


class Interval(Constraint):
    """Numbers between two bounds, which are allowed too."""

    bounds = ("lower_bound", "upper_bound")

    def allowed(self, value: np.ndarray) -> Any:
        """Return where a value is between."""
        return (bare(self.lower_bound) <= value) & (value <= bare(self.upper_bound))


class IntegerInterval(Interval):
    """Whole numbers between two bounds, which are allowed too."""

    is_discrete = True

    def allowed(self, value: np.ndarray) -> Any:
        """Return where a value is whole and between."""
        return (value % 1 == 0) & super().allowed(value)


boolean, real, real_vector, simplex = Boolean(), Real(), IndependentConstraint(), Simplex()
positive, nonnegative, unit_interval = GreaterThan(0.0), GreaterThanEq(0.0), Interval(0.0, 1.0)
greater_than, greater_than_eq, less_than = GreaterThan, GreaterThanEq, LessThan
interval, integer_interval = Interval, IntegerInterval
