"""Distributions of real numbers: normal, uniform, exponential."""

from __future__ import annotations

import math
from typing import Any

from engine import create, modes, random
from engine.distributions import constraints
from engine.distributions.distribution import Distribution, shape_of, together
from engine.ops.table import F
from engine.tensor import Tensor


class Normal(Distribution):
    """The normal distribution of a mean and a standard deviation."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = together(loc, scale)
        super().__init__(shape_of(self.loc, loc, scale), (), validate_args)

    @property
    def mean(self) -> Tensor:
        """Return the mean."""
        return self.loc

    mode = mean

    @property
    def stddev(self) -> Tensor:
        """Return the standard deviation."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """Return the square of the standard deviation."""
        return F.pow(self.stddev, 2)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw without leaving a trace in the graph."""
        shape = self._extended_shape(sample_shape)
        with modes.backward_mode(False):
            return create.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw as mean + standard normal numbers * deviation."""
        noise = create.randn(self._extended_shape(sample_shape), dtype=self.loc.dtype)
        stretched = noise * self.scale
        return self.loc + stretched

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._checked(value)
        variance = self.scale**2
        width = self.scale.log()
        from_mean = -((value - self.loc) ** 2)
        return from_mean / (2 * variance) - width - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        """Return the share of numbers below a value."""
        self._checked(value)
        return 0.5 * (1 + ((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)).erf())

    def icdf(self, value: Tensor) -> Tensor:
        """Return the number below which a share lies."""
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Tensor:
        """Return the logarithm of the deviation, and a constant."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()


class Uniform(Distribution):
    """All numbers between two bounds, alike."""

    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = together(low, high)
        super().__init__(shape_of(self.low, low, high), (), validate_args)

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """Return that each bound limits the other."""
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @property
    def support(self) -> Any:
        """Return the interval between the bounds."""
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        """Return the middle."""
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        """Return nan: no number is likelier than another."""
        return math.nan * self.high

    @property
    def stddev(self) -> Tensor:
        """Return the standard deviation."""
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Tensor:
        """Return the square of the width over 12."""
        return F.pow(self.high - self.low, 2) / 12

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw as lower bound + fraction * width."""
        fraction = create.rand(self._extended_shape(sample_shape), dtype=self.low.dtype)
        return self.low + fraction * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return minus the logarithm of the width inside, -inf outside."""
        self._checked(value)
        above, below = self.low.le(value).type_as(self.low), self.high.gt(value).type_as(self.low)
        inside = above.mul(below).log()
        return inside - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        """Return how far into the interval a value lies."""
        self._checked(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        """Return the number that far into the interval."""
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        """Return the logarithm of the width."""
        return (self.high - self.low).log()


class Exponential(Distribution):
    """Waiting times for something that happens at a rate."""

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = together(rate)
        super().__init__(shape_of(self.rate, rate), (), validate_args)

    @property
    def mean(self) -> Tensor:
        """Return 1 / rate."""
        return self.rate.reciprocal()

    stddev = mean

    @property
    def mode(self) -> Tensor:
        """Return 0."""
        return create.zeros_like(self.rate)

    @property
    def variance(self) -> Tensor:
        """Return 1 / rate ** 2."""
        return F.pow(self.rate, -2)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw standard waiting times, over the rate."""
        shape, kind = self._extended_shape(sample_shape), self.rate.array.dtype
        return create.finished(random.default_generator().exponential(shape, 1.0, kind)) / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        """Return log(rate) - rate * value."""
        self._checked(value)
        start = self.rate.log()
        return start - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        """Return the share of shorter times."""
        self._checked(value)
        return 1 - (-self.rate * value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        """Return the time that a share is shorter than."""
        return -(-value).log1p() / self.rate

    def entropy(self) -> Tensor:
        """Return 1 - log(rate)."""
        return 1.0 - self.rate.log()
