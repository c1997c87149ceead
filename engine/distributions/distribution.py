"""What every distribution shares: shapes, the checks of parameters and of values, and how it prints."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from engine import create, modes
from engine import dtype as dtypes
from engine.distributions import constraints
from engine.functions import broadcast_tensors
from engine.tensor import Size, Tensor

NUMBERS = (bool, int, float)


class lazy(functools.cached_property):
    """A parameter that is worked out from another one when it is first asked for, always recorded."""

    def __init__(self, function: Callable[[Any], Tensor]) -> None:
        def recorded(self: Any) -> Tensor:
            with modes.backward_mode(True):
                return function(self)

        recorded.__doc__ = function.__doc__
        super().__init__(recorded)


def together(*values: Any) -> tuple:
    """Return numbers and tensors as tensors of one shape."""
    for value in values:
        if not isinstance(value, (Tensor, *NUMBERS)):
            raise ValueError(
                "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
                "__torch_function__."
            )
    kinds = [v.dtype for v in values if isinstance(v, Tensor)]
    dtype = kinds[0] if kinds else dtypes.default_dtype()
    return broadcast_tensors(*(v if isinstance(v, Tensor) else create.tensor(v, dtype=dtype) for v in values))


def shape_of(parameter: Tensor, *given: Any) -> tuple:
    """Return the shape of a distribution with this parameter: () if all was given as numbers."""
    return () if all(isinstance(v, NUMBERS) for v in given) else parameter.array.shape


class Distribution:
    """A distribution, or several side by side: `batch_shape` of them, each sample of `event_shape`."""

    has_rsample = False
    has_enumerate_support = False
    arg_constraints: Any = {}
    support: Any = constraints.real
    _validate_args = True

    def __init__(
        self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None
    ) -> None:
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        for name, constraint in self.arg_constraints.items() if self._validate_args else ():
            if name in self.__dict__ and not constraint.holds(self.__dict__[name].array):
                value = self.__dict__[name]
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                    f"distribution {self!r} to satisfy the constraint {constraint!r}, but found invalid "
                    f"values:\n{value}"
                )

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Switch the checks on or off for distributions made from now on: here they stay on."""
        if value not in (True, False):
            raise ValueError

    # ----- shapes -----
    @property
    def batch_shape(self) -> Size:
        """Return the shape of the distributions side by side."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """Return the shape of one sample of one of them."""
        return self._event_shape

    def _extended_shape(self, sample_shape: Any = ()) -> tuple:
        return (*tuple(sample_shape), *self._batch_shape, *self._event_shape)

    def expand(self, batch_shape: Any) -> Distribution:
        """Return the distribution as so many side by side, without copying."""
        new = object.__new__(type(self))
        shape = tuple(batch_shape)
        for name in self.arg_constraints:
            if name in self.__dict__:
                own = self.__dict__[name].array.shape[len(self._batch_shape) :]
                new.__dict__[name] = self.__dict__[name].expand((*shape, *own))
        new._batch_shape, new._event_shape = Size(shape), self._event_shape
        return new

    # ----- what each distribution says -----
    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw without leaving a trace in the graph."""
        with modes.backward_mode(False):
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw so that gradients reach the parameters."""
        raise NotImplementedError

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability, or of its density, at a value."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of what is not above a value."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """Return the value below which a sample lies with a given probability."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """Return how uncertain a sample is."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all values a sample can have."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """Return exp(entropy)."""
        return self.entropy().exp()

    @property
    def stddev(self) -> Tensor:
        """Return the root of the variance."""
        return self.variance.sqrt()

    # ----- checks -----
    def _validate_sample(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        own, wanted = value.shape, Size(self._batch_shape + self._event_shape)
        start = len(own) - len(self._event_shape)
        if tuple(own[max(start, 0) :]) != tuple(self._event_shape):
            raise ValueError(
                f"The right-most size of value must match event_shape: {own} vs {self._event_shape}."
            )
        for i, j in zip(reversed(own), reversed(wanted), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {own} vs {wanted}."
                )
        if not self.support.holds(value.array):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(own)}) to be within the "
                f"support ({self.support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def _checked(self, value: Any) -> None:
        if self._validate_args:
            self._validate_sample(value)

    def __repr__(self) -> str:
        held = {n: self.__dict__[n] for n in self.arg_constraints if n in self.__dict__}
        texts = [f"{n}: {v if v.array.size == 1 else v.shape}" for n, v in held.items()]
        return f"{type(self).__name__}({', '.join(texts)})"


class Independent(Distribution):
    """A distribution some of whose side-by-side dimensions count as one sample."""

    def __init__(
        self, base_distribution: Distribution, reinterpreted_batch_ndims: int,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        shape, count = base_distribution.batch_shape, reinterpreted_batch_ndims
        if count > len(shape):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                f"{count} vs {len(shape)}"
            )
        cut = len(shape) - count
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, count
        super().__init__(shape[:cut], shape[cut:] + base_distribution.event_shape, validate_args)

    @property
    def has_rsample(self) -> bool:
        """Return whether gradients can pass through samples."""
        return self.base_dist.has_rsample

    @property
    def mean(self) -> Tensor:
        """Return the mean."""
        return self.base_dist.mean

    @property
    def variance(self) -> Tensor:
        """Return the variance."""
        return self.base_dist.variance

    @property
    def mode(self) -> Tensor:
        """Return the likeliest value."""
        return self.base_dist.mode

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw without leaving a trace in the graph."""
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw so that gradients reach the parameters."""
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the sum of the logarithms over what counts as one sample."""
        return summed(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        """Return the sum of the entropies over what counts as one sample."""
        return summed(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"Independent({self.base_dist!r}, {self.reinterpreted_batch_ndims})"


def summed(value: Tensor, dims: int) -> Tensor:
    """Return the sum over the last dimensions."""
    if not dims:
        return value
    return value.reshape((*value.array.shape[: value.array.ndim - dims], -1)).sum(-1)
