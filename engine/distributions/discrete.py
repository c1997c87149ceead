"""Distributions of classes: yes or no, and one of several."""

from __future__ import annotations

import math
from typing import Any

from engine import create, modes
from engine import dtype as dtypes
from engine.distributions import constraints
from engine.distributions.distribution import Distribution, lazy, shape_of, together
from engine.functions import bernoulli, broadcast_tensors, finfo, multinomial
from engine.ops.table import F
from engine.tensor import Size, Tensor

NOT_ONE = "Either `probs` or `logits` must be specified, but not both."


def apart(probs: Tensor) -> Tensor:
    """Return probabilities kept away from 0 and 1 by the smallest step, so that logarithms exist."""
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


class Bernoulli(Distribution):
    """1 with a probability, else 0; given as the probability or as its log-odds."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        if (probs is None) == (logits is None):
            raise ValueError(NOT_ONE)
        given = logits if probs is None else probs
        (held,) = together(given)
        self.__dict__["logits" if probs is None else "probs"] = held
        super().__init__(shape_of(held, given), (), validate_args)

    @lazy
    def logits(self) -> Tensor:
        """Return log(p) - log(1 - p)."""
        held = apart(self.probs)
        return held.log() - (-held).log1p()

    @lazy
    def probs(self) -> Tensor:
        """Return sigmoid(logits)."""
        return self.logits.sigmoid()

    @property
    def param_shape(self) -> Size:
        """Return the shape of the parameter."""
        return (self.__dict__.get("probs", self.__dict__.get("logits"))).shape

    @property
    def mean(self) -> Tensor:
        """Return the probability."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """Return the likelier of 0 and 1, nan if both are alike."""
        return (self.probs >= 0.5).to(self.probs).masked_fill(self.probs == 0.5, math.nan)

    @property
    def variance(self) -> Tensor:
        """Return p * (1 - p)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw without leaving a trace in the graph."""
        shape = self._extended_shape(sample_shape)
        with modes.backward_mode(False):
            return bernoulli(self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability."""
        self._checked(value)
        logits, value = together(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, None, None, 0)

    def entropy(self) -> Tensor:
        """Return how uncertain the outcome is."""
        logits = self.logits
        return F.binary_cross_entropy_with_logits(logits, self.probs, None, None, 0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return 0 and 1."""
        return listed(create.arange(2, dtype=self.probs.dtype), self._batch_shape, expand)


def listed(values: Tensor, batch_shape: tuple, expand: bool) -> Tensor:
    """Return values along a new first dimension, for all distributions side by side."""
    values = values.view((-1, *(1 for _ in batch_shape)))
    return values.expand((-1, *batch_shape)) if expand else values


class Categorical(Distribution):
    """One of several classes; given as probabilities, which are made to sum to 1, or as logits."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        if (probs is None) == (logits is None):
            raise ValueError(NOT_ONE)
        given, name = (logits, "logits") if probs is None else (probs, "probs")
        if given.array.ndim < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is None:
            self.__dict__[name] = logits - F.logsumexp(logits, (-1,), True)
        else:
            self.__dict__[name] = probs / probs.sum(-1, keepdim=True)
        super().__init__(given.array.shape[:-1], (), validate_args)

    @lazy
    def logits(self) -> Tensor:
        """Return the logarithms of the probabilities."""
        return apart(self.probs).log()

    @lazy
    def probs(self) -> Tensor:
        """Return softmax(logits)."""
        return F.softmax(self.logits, -1)

    @property
    def param_shape(self) -> Size:
        """Return the shape of the parameter."""
        return (self.__dict__.get("probs", self.__dict__.get("logits"))).shape

    @property
    def support(self) -> Any:
        """Return the numbers of the classes."""
        return constraints.integer_interval(0, self.param_shape[-1] - 1)

    @property
    def mean(self) -> Tensor:
        """Return nan: classes have no mean."""
        return create.full(self._extended_shape(), math.nan, dtype=self.probs.dtype)

    variance = mean

    @property
    def mode(self) -> Tensor:
        """Return the likeliest class."""
        return self.probs.argmax(-1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw class numbers."""
        flat = self.probs.reshape((-1, self.param_shape[-1]))
        drawn = multinomial(flat, math.prod(sample_shape), True)
        return drawn.T.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of a class."""
        self._checked(value)
        value = value.long().unsqueeze(-1)
        value, logs = broadcast_tensors(value, self.logits)
        return logs.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        """Return how uncertain the class is."""
        logs = self.logits.clamp(min=finfo(self.logits.dtype).min)
        return -(logs * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all class numbers."""
        return listed(create.arange(self.param_shape[-1], dtype=dtypes.int64), self._batch_shape, expand)
