"""Activations: what sits between the layers of a network."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from engine.ops.arithmetic import NONE, no_derivative
from engine.ops.elementary import exactly
from engine.ops.kinds import FLOATS, only
from engine.ops.special import erf
from engine.ops.table import F, op

# fmt: off

activation = partial(op, spelled="")  # found in nn.functional; the few that torch itself has say so


def zero(array: np.ndarray) -> np.generic:
    """Return 0 of an array's own kind."""
    return array.dtype.type(0)


def logistic(x: np.ndarray) -> np.ndarray:
    """Return 1 / (1 + exp(-x))."""
    return 1 / (1 + exactly(np.exp, -x))


def _relu(self):
    if self.dtype == np.bool_:
        raise RuntimeError("Boolean inputs not supported for relu")
    larger = np.maximum(self, zero(self))
    larger += zero(self)  # the larger of -0 and 0 may be either
    return larger


def dropped_where(drop: np.ndarray, array: np.ndarray) -> np.ndarray:
    """Return an array with +0 where `drop` says so: np.where(drop, 0, array), in half the time.

    A float is dropped by clearing all its bits: drop - 1 is 0 or, in whole numbers, a mask of ones.
    """
    if not array.ndim:
        return zero(array) if drop else array
    bits = _BITS.get(array.dtype)
    if bits is None:
        return np.where(drop, zero(array), array)
    keep = np.subtract(drop.view(np.int8), 1, dtype=np.int8).astype(bits)
    keep &= array.view(bits)
    return keep.view(array.dtype)


_BITS = {np.dtype(f"f{size}"): np.dtype(f"i{size}") for size in (2, 4, 8)}


# ----- kinked -----------------------------------------------------------------------------------
op("relu", _relu, node="ReluBackward0",
   spelled="method function inplace", formulas={"self": "grad * (result > 0)"},
   self=lambda grad, result: F.threshold_backward(grad, result, 0))
op("threshold_backward", lambda grad_output, self, threshold: dropped_where(self <= threshold, grad_output),
   node="ThresholdBackwardBackward0", formulas={"grad_output": "grad * (self > threshold)", "self": "0"},
   grad_output=lambda grad, self, threshold: F.threshold_backward(grad, self, threshold),
   self=lambda grad: F.zeros_like(grad))
activation("threshold", lambda self, threshold, value:
   np.where(self <= threshold, np.asarray(value).astype(self.dtype), self),
   node="ThresholdBackward0", formulas={"self": "grad * (self > threshold)"},
   self=lambda grad, self, threshold: F.threshold_backward(grad, self, threshold))
op("threshold.inplace", lambda self, threshold, value:
   np.where(self <= threshold, np.asarray(value).astype(self.dtype), self),
   node="ThresholdBackward1", formulas={"self": "grad * (self > threshold)"},
   self=lambda grad, self, threshold: F.threshold_backward(grad, self, threshold))
def _leaky_relu(self, negative_slope=0.01):
    return np.where(self > 0, self, self * self.dtype.type(negative_slope))


activation("leaky_relu", only(FLOATS, "leaky_relu_cpu", _leaky_relu),
   node="LeakyReluBackward0", formulas={"self": "where(self > 0, grad, grad * negative_slope)"},
   self=lambda grad, self, negative_slope: F.leaky_relu_backward(grad, self, negative_slope))
op("leaky_relu.inplace", only(FLOATS, "leaky_relu_cpu", _leaky_relu),
   node="LeakyReluBackward1", formulas={"self": "where(result > 0, grad, grad * negative_slope)"},
   self=lambda grad, result, negative_slope: F.leaky_relu_backward(grad, result, negative_slope))
op("leaky_relu_backward", lambda grad_output, self, negative_slope:
   np.where(self > 0, grad_output, grad_output * grad_output.dtype.type(negative_slope)),
   node="LeakyReluBackwardBackward0",
   formulas={"grad_output": "where(self > 0, grad, grad * negative_slope)", "self": "0"},
   grad_output=lambda grad, self, negative_slope: F.leaky_relu_backward(grad, self, negative_slope),
   self=lambda grad: F.zeros_like(grad))
activation("hardtanh", lambda self, min_val=-1.0, max_val=1.0:
   np.minimum(np.maximum(self, self.dtype.type(min_val)), self.dtype.type(max_val)),
   node="HardtanhBackward0", formulas={"self": "grad * ((min_val < self) & (self < max_val))"},
   self=lambda grad, self, min_val, max_val: F.hardtanh_backward(grad, self, min_val, max_val))
op("hardtanh_backward", lambda grad_output, self, min_val, max_val:
   np.where((self <= min_val) | (self >= max_val), zero(grad_output), grad_output),
   node="HardtanhBackwardBackward0",
   formulas={"grad_output": "grad * ((min_val < self) & (self < max_val))", "self": "0"},
   grad_output=lambda grad, self, min_val, max_val: F.hardtanh_backward(grad, self, min_val, max_val),
   self=lambda grad: F.zeros_like(grad))
SIXTH = float(np.float32(1 / 6))  # PyTorch multiplies by this in float64 too
activation("hardsigmoid", lambda self: np.minimum(np.maximum(self + 3, 0), 6) / self.dtype.type(6),
   node="HardsigmoidBackward0",
   formulas={"self": "where((-3 < self) & (self < 3), grad / 6, 0)"},
   self=lambda grad, self: F.hardsigmoid_backward(grad, self))
op("hardsigmoid_backward", lambda grad_output, self:
   np.where((self > -3) & (self < 3), grad_output * self.dtype.type(SIXTH), zero(self)),
   node="NotImplemented", formulas={"grad_output": NONE, "self": NONE},
   grad_output=no_derivative("hardsigmoid_backward"), self=no_derivative("hardsigmoid_backward"))
activation("hardswish", lambda self: self * np.minimum(np.maximum(self + 3, 0), 6) / self.dtype.type(6),
   node="HardswishBackward0",
   formulas={"self": "where(self <= -3, 0, where(self < 3, grad * (self / 3 + 0.5), grad))"},
   self=lambda grad, self: F.hardswish_backward(grad, self))
op("hardswish_backward", lambda grad_output, self: np.where(
       self <= -3, zero(self),
       np.where(self < 3, grad_output * (self / 3 + self.dtype.type(0.5)), grad_output)),
   node="HardswishBackwardBackward0",
   formulas={"grad_output": "where(self <= -3, 0, where(self < 3, grad * (self / 3 + 0.5), grad))",
             "self": "where((-3 < self) & (self < 3), grad * grad_output / 3, 0)"},
   grad_output=lambda grad, self: F.hardswish_backward(grad, self),
   self=lambda grad, grad_output, self:
   F.where(F.logical_and(self > -3.0, self < 3.0), grad * grad_output / 3.0, 0.0))


def _softshrink(self, lambd=0.5):
    bound = self.dtype.type(lambd)
    return np.where(self > bound, self - bound, np.where(self < -bound, self + bound, self * 0))


def _cut(grad, self, lambd):
    return np.where(np.abs(self) <= self.dtype.type(lambd), zero(grad), grad)


activation("softshrink", only(FLOATS, "softshrink_cpu", _softshrink), node="SoftshrinkBackward0",
   formulas={"self": "where(abs(self) <= lambd, 0, grad)"},
   self=lambda grad, self, lambd: F.softshrink_backward(grad, self, lambd))
op("softshrink_backward", lambda grad_output, self, lambd: _cut(grad_output, self, lambd),
   node="SoftshrinkBackwardBackward0",
   formulas={"grad_output": "where(abs(self) <= lambd, 0, grad)", "self": "0"},
   grad_output=lambda grad, self, lambd: F.softshrink_backward(grad, self, lambd),
   self=lambda grad: F.zeros_like(grad))
op("hardshrink", lambda self, lambd=0.5: _cut(self, self, lambd), node="HardshrinkBackward0",
   formulas={"self": "where(abs(self) <= lambd, 0, grad)"},
   self=lambda grad, self, lambd: F.hardshrink_backward(grad, self, lambd))
op("hardshrink_backward", lambda grad_out, self, lambd: _cut(grad_out, self, lambd),
   node="HardshrinkBackwardBackward0",
   formulas={"grad_out": "where(abs(self) <= lambd, 0, grad)", "self": "0"},
   grad_out=lambda grad, self, lambd: F.hardshrink_backward(grad, self, lambd),
   self=lambda grad: F.zeros_like(grad))


def _rrelu(self, noise, lower, upper, training):
    return np.where(self > 0, self, self * (noise if training else self.dtype.type((lower + upper) / 2)))


def _rrelu_slope(grad_output, self, noise, lower, upper, training):
    slope = noise if training else self.dtype.type((lower + upper) / 2)
    return np.where(self > 0, grad_output, grad_output * slope)


activation("rrelu_with_noise", _rrelu, node="RreluWithNoiseBackward0",
   formulas={"self": "where(self > 0, grad, grad * noise) if training "
             "else where(self > 0, grad, grad * (lower + upper) / 2)"},
   self=lambda grad, self, noise, lower, upper, training:
   F.rrelu_with_noise_backward(grad, self, noise, lower, upper, training))
op("rrelu_with_noise_backward", _rrelu_slope, node="RreluWithNoiseBackwardBackward0",
   formulas={"grad_output": "where(self > 0, grad, grad * noise) if training "
             "else where(self > 0, grad, grad * (lower + upper) / 2)",
             "self": "0"},
   grad_output=lambda grad, self, noise, lower, upper, training:
   F.rrelu_with_noise_backward(grad, self, noise, lower, upper, training),
   self=lambda grad: F.zeros_like(grad))


# ----- exponential on the left ------------------------------------------------------------------
def _elu(self, alpha=1.0, scale=1, input_scale=1):
    low = (exactly(np.expm1, self * self.dtype.type(input_scale)) * self.dtype.type(alpha)).astype(self.dtype)
    return np.where(self <= 0, low * self.dtype.type(scale), self * self.dtype.type(scale))


def _elu_slope(grad_output, alpha, scale, input_scale, is_result, self_or_result):
    kind, x = grad_output.dtype.type, self_or_result
    if is_result:
        left = kind(input_scale) * (x + kind(alpha * scale))
    else:
        left = kind(input_scale * alpha * scale) * exactly(np.exp, x * kind(input_scale))
    return np.where(x <= 0, grad_output * left, grad_output * kind(scale)).astype(grad_output.dtype)


PLAIN = "scale == 1 and input_scale == 1"
ELU = (f"where(self <= 0, grad * alpha * exp(self), grad) if {PLAIN} else "
       "where(self <= 0, grad * input_scale * alpha * scale * exp(self * input_scale), grad * scale)")
ELU_RESULT = (f"where(result <= 0, grad * (result + alpha), grad) if {PLAIN} else "
              "where(result <= 0, grad * input_scale * (result + alpha * scale), grad * scale)")
activation("elu", only(FLOATS, "elu_cpu", _elu), node="EluBackward0", formulas={"self": ELU},
   self=lambda grad, self, alpha, scale, input_scale:
   F.elu_backward(grad, alpha, scale, input_scale, False, self))
op("elu.inplace", _elu, node="EluBackward1",
   formulas={"self": ELU_RESULT},
   self=lambda grad, result, alpha, scale, input_scale:
   F.elu_backward(grad, alpha, scale, input_scale, True, result))
activation("celu", only(FLOATS, "elu_cpu", lambda self, alpha=1.0: _elu(self, alpha, 1, 1 / alpha)),
   node="CeluBackward0",
   formulas={"self": "where(self <= 0, grad * exp(self / alpha), grad)"},
   self=lambda grad, self, alpha: F.elu_backward(grad, alpha, 1, 1 / alpha, False, self))
op("celu.inplace", lambda self, alpha=1.0: _elu(self, alpha, 1, 1 / alpha), node="CeluBackward1",
   formulas={"self": "where(result <= 0, grad * (result / alpha + 1), grad)"},
   self=lambda grad, result, alpha: F.elu_backward(grad, alpha, 1, 1 / alpha, True, result))
op("elu_backward", _elu_slope, node="EluBackwardBackward0",
   formulas={"grad_output": "grad * where(self_or_result <= 0, "
             "input_scale * (self_or_result + alpha * scale), scale) "
             "if is_result else grad * where(self_or_result <= 0, "
             "input_scale * alpha * scale * exp(self_or_result * input_scale), scale)",
             "self_or_result": "grad * grad_output * input_scale * (self_or_result < 0) "
             "if is_result else where(self_or_result < 0, grad * grad_output * input_scale ** 2 "
             "* alpha * scale * exp(self_or_result * input_scale), 0)"},
   grad_output=lambda grad, alpha, scale, input_scale, is_result, self_or_result:
   F.elu_backward(grad, alpha, scale, input_scale, is_result, self_or_result),
   self_or_result=lambda grad, grad_output, alpha, scale, input_scale, is_result, self_or_result:
   F.elu_backward(grad * grad_output * input_scale, alpha, scale, input_scale, is_result, self_or_result)
   * (self_or_result < 0) if not is_result
   else grad * grad_output * input_scale * (self_or_result < 0))


# ----- smooth -----------------------------------------------------------------------------------
def normal_cdf(x: np.ndarray) -> np.ndarray:
    """Return how likely a normal number is below x, in float64."""
    return (1 + erf(np.asarray(x, np.float64) / math.sqrt(2))) / 2


def _gelu_inner(x):
    return math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)


def _gelu(self, approximate="none"):
    x = np.asarray(self, np.float64)
    if approximate == "none":
        return (x * normal_cdf(x)).astype(self.dtype)
    if approximate != "tanh":
        raise RuntimeError("approximate argument must be either none or tanh.")
    return (0.5 * x * (1 + np.tanh(_gelu_inner(x)))).astype(self.dtype)


def _gelu_slope(grad_output, self, approximate="none"):
    x = np.asarray(self, np.float64)
    if approximate == "none":
        slope = normal_cdf(x) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    else:
        t = np.tanh(_gelu_inner(x))
        slope = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)
    return (grad_output * slope).astype(self.dtype)


def gelu_curve(grad, grad_output, self, approximate):
    """Return the rule of the rule of gelu: the second derivative of x * cdf(x), or of its approximation."""
    if approximate == "none":
        density = (-self * self / 2).exp() / math.sqrt(2 * math.pi)
        return grad * grad_output * density * (2 - self * self)
    factor, cube = math.sqrt(2 / math.pi), 0.044715
    t = ((self + cube * self**3) * factor).tanh()
    first = (1 + 3 * cube * self * self) * factor
    bend = (1 - t * t) * (first + 0.5 * self * (6 * cube * factor * self) - self * t * first * first)
    return grad * grad_output * bend


TANHS = ("with t = tanh(sqrt(2 / pi) * (self + 0.044715 * self ** 3)), "
         "u = sqrt(2 / pi) * (1 + 3 * 0.044715 * self ** 2)")
activation("gelu", only(FLOATS, "GeluKernelImpl", _gelu), node="GeluBackward0",
   formulas={"self": "grad * (normal_cdf(self) + self * normal_pdf(self)) if approximate == 'none' "
             f"else grad * ((1 + t) / 2 + self * (1 - t ** 2) / 2 * u) {TANHS}"},
   self=lambda grad, self, approximate: F.gelu_backward(grad, self, approximate))
op("gelu_backward", _gelu_slope, node="GeluBackwardBackward0",
   formulas={"grad_output": "grad * (normal_cdf(self) + self * normal_pdf(self)) if approximate == 'none' "
             f"else grad * ((1 + t) / 2 + self * (1 - t ** 2) / 2 * u) {TANHS}",
             "self": "grad * grad_output * normal_pdf(self) * (2 - self ** 2) if approximate == 'none' else "
             "grad * grad_output * (1 - t ** 2) "
             "* (u + self * (3 * 0.044715 * sqrt(2 / pi) * self - t * u ** 2)) "
             f"{TANHS}"},
   grad_output=lambda grad, self, approximate: F.gelu_backward(grad, self, approximate),
   self=lambda grad, grad_output, self, approximate: gelu_curve(grad, grad_output, self, approximate))
activation("silu", only(FLOATS, "silu_cpu", lambda self: self / (1 + exactly(np.exp, -self))),
   node="SiluBackward0",
   formulas={"self": "grad * sigmoid(self) * (1 + self * (1 - sigmoid(self)))"},
   self=lambda grad, self: silu_slope(grad, self, self.sigmoid()))
activation("mish", lambda self: self * exactly(np.tanh, exactly(np.log1p, exactly(np.exp, self))),
   node="MishBackward0",
   formulas={"self": "grad * (t + self * sigmoid(self) * (1 - t ** 2)) with t = tanh(softplus(self))"},
   self=lambda grad, self: mish_slope(grad, self, self.exp().log1p().tanh()))


def silu_slope(grad, self, sigmoid):
    """Return the rule of x * sigmoid(x)."""
    return grad * sigmoid * (1 + self * (1 - sigmoid))


def mish_slope(grad, self, squashed):
    """Return the rule of x * tanh(softplus(x))."""
    return grad * (squashed + self * self.sigmoid() * (1 - squashed * squashed))


def _softplus(self, beta=1, threshold=20):
    scaled = self * self.dtype.type(beta)
    low = np.minimum(scaled, self.dtype.type(threshold))
    smooth = exactly(np.log1p, exactly(np.exp, low)) / self.dtype.type(beta)
    return np.where(scaled > threshold, self, smooth)


def _softplus_slope(grad_output, self, beta, threshold):
    scaled = self * self.dtype.type(beta)
    power = exactly(np.exp, np.minimum(scaled, self.dtype.type(threshold)))
    return np.where(scaled > threshold, grad_output, grad_output * power / (power + 1))


activation("softplus", only(FLOATS, "softplus_cpu", _softplus), node="SoftplusBackward0",
   formulas={"self": "where(self * beta > threshold, grad, grad * sigmoid(self * beta))"},
   self=lambda grad, self, beta, threshold: F.softplus_backward(grad, self, beta, threshold))
op("softplus_backward", _softplus_slope, node="SoftplusBackwardBackward0",
   formulas={"grad_output": "where(self * beta > threshold, grad, grad * sigmoid(self * beta))",
             "self": "where(self * beta > threshold, 0, grad * grad_output * beta * s * (1 - s)) "
             "with s = sigmoid(self * beta)"},
   grad_output=lambda grad, self, beta, threshold: F.softplus_backward(grad, self, beta, threshold),
   self=lambda grad, grad_output, self, beta, threshold:
   softplus_curve(grad * grad_output, (self * beta).sigmoid(), beta, self * beta > threshold))


def softplus_curve(grad, sigmoid, beta, straight):
    """Return the rule of the rule of softplus: the slope of the sigmoid, 0 where softplus is a line."""
    return (grad * (1 - sigmoid) * sigmoid * beta).masked_fill(straight, 0.0)


def _log_sigmoid(self):
    buffer = exactly(np.exp, -np.abs(self))
    return np.minimum(self, zero(self)) - exactly(np.log1p, buffer), buffer


activation("log_sigmoid", only(FLOATS, "log_sigmoid_cpu", _log_sigmoid), node="LogSigmoidBackward0",
   outputs=("output", "buffer"), flows=1,
   formulas={"self": "grad * sigmoid(-self)"},
   self=lambda grad, self, buffer: F.log_sigmoid_backward(grad, self, buffer))
def _log_sigmoid_slope(grad_output, self, buffer):
    low, power = self < 0, exactly(np.exp, -np.abs(self))
    most, sign = np.where(low, 1, 0), np.where(low, 1, -1)
    return grad_output * (most.astype(self.dtype) - sign.astype(self.dtype) * (power / (1 + power)))


op("log_sigmoid_backward", _log_sigmoid_slope,
   node="LogSigmoidBackwardBackward0",
   formulas={"grad_output": "grad * sigmoid(-self)",
             "self": "-grad * grad_output * sigmoid(self) * (1 - sigmoid(self))"},
   grad_output=lambda grad, self, buffer: F.log_sigmoid_backward(grad, self, buffer),
   self=lambda grad, grad_output, self: -(grad * grad_output) * self.sigmoid() * (1 - self.sigmoid()))
