"""Activations: what sits between the layers of a network."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from engine.verify.laws.special import erf
from engine.verify.laws.table import law, size_of

pointwise = partial(law, pointwise=True)

HALF, TWICE_PI = 0.5, 2 * math.pi


def real(x):
    """Return the real part: on an imaginary step, what comparisons look at."""
    return np.real(x)


def sigmoid(x):
    """Return 1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-x))


# ----- bent at a corner: the slope at the corner is a convention ----------------------------------
pointwise(
    "relu",
    lambda self: np.maximum(self, 0),
    "ReluBackward0",
    exact=True,
    self=lambda g, y: np.where(y > 0, g, 0.0),
)
pointwise(
    "threshold",
    lambda self, threshold, value: np.where(self > threshold, self, value),
    "ThresholdBackward0 ThresholdBackward1",
    exact=True,
    self=lambda g, self, threshold: np.where(self > threshold, g, 0.0),
)
pointwise(
    "leaky_relu",
    lambda self, negative_slope=0.01: self * np.where(self > 0, 1.0, negative_slope),
    "LeakyReluBackward0 LeakyReluBackward1",
    self=lambda g, self, negative_slope=0.01: g * np.where(self > 0, 1.0, negative_slope),
)
pointwise(
    "hardtanh",
    lambda self, min_val=-1.0, max_val=1.0: np.clip(self, min_val, max_val),
    "HardtanhBackward0",
    exact=True,
    self=lambda g, self, min_val=-1.0, max_val=1.0: np.where((min_val < self) & (self < max_val), g, 0.0),
)
pointwise(
    "hardsigmoid",
    lambda self: np.clip(self / 6 + HALF, 0, 1),
    "HardsigmoidBackward0",
    self=lambda g, self: np.where(np.abs(self) < 3, g * np.float32(1 / 6), 0.0),
)
pointwise(
    "hardswish",
    lambda self: self * np.clip(self / 6 + HALF, 0, 1),
    "HardswishBackward0",
    self=lambda g, self: g * np.where(self <= -3, 0.0, np.where(self >= 3, 1.0, self / 3 + HALF)),
)
pointwise(
    "softshrink",
    lambda self, lambd=0.5: np.sign(self) * np.maximum(np.abs(self) - lambd, 0),
    "SoftshrinkBackward0",
    self=lambda g, self, lambd=0.5: np.where(np.abs(self) > np.float32(lambd), g, 0.0),
)
pointwise(
    "hardshrink",
    lambda self, lambd=0.5: np.where(np.abs(self) > np.float32(lambd), self, 0.0),
    "HardshrinkBackward0",
    exact=True,
    self=lambda g, self, lambd=0.5: np.where(np.abs(self) > np.float32(lambd), g, 0.0),
)
pointwise(
    "_prelu_kernel",
    lambda self, weight: np.where(self > 0, self, self * weight),
    "PreluKernelBackward0",
    self=lambda g, self, weight: np.where(self > 0, g, g * weight),
    weight=lambda g, self: np.where(self > 0, 0.0, g * self),
)


# ----- exponential on the left --------------------------------------------------------------------
def elu(self, alpha=1.0, scale=1.0, input_scale=1.0):
    """Return scale * x to the right of 0, scale * alpha * (exp(x * input_scale) - 1) to the left."""
    return scale * np.where(
        real(self) > 0, self, alpha * np.expm1(input_scale * np.where(real(self) > 0, 0, self))
    )


pointwise(
    "elu",
    elu,
    "EluBackward0 EluBackward1",
    self=lambda g, self, alpha=1.0, scale=1.0, input_scale=1.0: (
        g * scale * np.where(self > 0, 1.0, alpha * input_scale * np.exp(np.minimum(self * input_scale, 0)))
    ),
)
pointwise(
    "celu",
    lambda self, alpha=1.0: elu(self, alpha, 1.0, 1 / alpha),
    "CeluBackward0 CeluBackward1",
    self=lambda g, self, alpha=1.0: g * np.where(self > 0, 1.0, np.exp(np.minimum(self / alpha, 0))),
)
pointwise("selu", lambda self: elu(self, 1.6732632423543772, 1.0507009873554805, 1.0))


# ----- smooth -------------------------------------------------------------------------------------
def below(x):
    """Return how much of a normal distribution lies below x."""
    return HALF + HALF * erf(x / math.sqrt(2))


def gelu(self, approximate="none"):
    """Return x times how likely a normal number is below it, or the approximation by tanh."""
    if approximate == "none":
        return self * below(self)
    return self * sigmoid(2 * math.sqrt(2 / math.pi) * (self + 0.044715 * self**3))


def gelu_slope(g, self, approximate="none"):
    """Return gradient times the slope of `gelu`."""
    if approximate == "none":
        return g * (below(self) + self * np.exp(-HALF * self * self) / math.sqrt(TWICE_PI))
    step = 1e-30
    return g * np.imag(gelu(self + 1j * step, approximate)) / step


pointwise("gelu", gelu, "GeluBackward0", self=gelu_slope)
pointwise(
    "silu",
    lambda self: self * sigmoid(self),
    "SiluBackward0",
    self=lambda g, self: g * (sigmoid(self) + self * sigmoid(self) * sigmoid(-self)),
)
pointwise("mish", lambda self: self * np.tanh(np.log1p(np.exp(self))), "MishBackward0", smooth="self")
pointwise(
    "softplus",
    lambda self, beta=1, threshold=20: np.where(
        real(self * beta) > threshold, self, np.log1p(np.exp(beta * self)) / beta
    ),
    "SoftplusBackward0",
    self=lambda g, self, beta=1, threshold=20: (
        g * np.where(self * beta > threshold, 1.0, sigmoid(beta * self))
    ),
)
pointwise(
    "log_sigmoid",
    lambda self: (-np.logaddexp(0, -self), np.exp(-size_of(self))),
    "LogSigmoidBackward0",
    self=lambda g, self: g * sigmoid(-self),
)


def leaking(x, self, noise, lower, upper, training):
    """Return x, times a slope below zero: a drawn one in training."""
    return np.where(np.real(self) > 0, x, x * (noise if training else (lower + upper) / 2))


pointwise(
    "rrelu_with_noise",
    lambda self, noise, lower, upper, training: leaking(self, self, noise, lower, upper, training),
    "RreluWithNoiseBackward0",
    self=lambda g, self, noise, lower, upper, training: leaking(g, self, noise, lower, upper, training),
)
pointwise(
    "rrelu_with_noise_backward",
    lambda grad_output, self, noise, lower, upper, training: leaking(
        grad_output, self, noise, lower, upper, training
    ),
    "RreluWithNoiseBackwardBackward0",
    grad_output=lambda g, self, noise, lower, upper, training: leaking(
        g, self, noise, lower, upper, training
    ),
    flat="self",
)


def glu(self, dim=-1):
    """Return the first half times the sigmoid of the second."""
    value, gate = np.split(self, 2, dim)
    return value * sigmoid(gate)


law("glu", glu, "GluBackward0", steps="self")
