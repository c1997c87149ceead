"""Activations of more than one element: softmax, gates, a slope that is learned."""

from __future__ import annotations

import numpy as np

from engine import dtype as dtypes
from engine.ops import errors
from engine.ops.activations import logistic, zero
from engine.ops.arithmetic import fused
from engine.ops.dims import at, axis
from engine.ops.elementary import exactly
from engine.ops.table import F, op

# fmt: off


def _floats(name: str, array: np.ndarray, over: int) -> np.ndarray:
    if array.dtype.kind not in "fc":
        kernel = "lastdim_kernel_impl" if over == max(array.ndim - 1, 0) else "kernel_impl"
        raise errors.not_implemented_for(f"{name}_{kernel}", dtypes.from_numpy(array.dtype))
    return array.astype(np.float64)


LANES = 8  # floats that are added at a time


def added_up(array: np.ndarray, over: int) -> np.ndarray:
    """Return sums along a dimension, in the order in which PyTorch's softmax kernels add float32.

    One after the other; along the last dimension, if it is long, eight at a time, and then those in pairs.
    """
    length = array.shape[over]
    if over < array.ndim - 1 or length < 2 * LANES or array.dtype != np.float32:
        return np.add.accumulate(array, over).take([-1], over)
    padded = np.zeros((*array.shape[:-1], -(-length // LANES) * LANES), array.dtype)
    padded[..., :length] = array
    lanes = np.add.accumulate(padded.reshape(*array.shape[:-1], -1, LANES), -2)[..., -1, :]
    while lanes.shape[-1] > 1:
        half = lanes.shape[-1] // 2
        lanes = lanes[..., :half] + lanes[..., half:]
    return lanes


def _softmax(self, dim):
    over = axis(dim, self.ndim)
    x = _floats("softmax", self, over)
    if self.dtype == np.float32 and self.size and self.ndim:
        powers = exactly(np.exp, self - self.max(over, keepdims=True))
        sums = added_up(powers, over)
        return powers * (self.dtype.type(1) / sums) if over == self.ndim - 1 else powers / sums
    powers = np.exp(x - (x.max(over, keepdims=True) if self.ndim else x)) if self.size else x
    return (powers / (powers.sum(over, keepdims=True) if self.ndim else powers)).astype(self.dtype)


def _log_softmax(self, dim):
    """Return the logarithm of softmax, rounded at every step: near 0 the sum's last digit is what shows."""
    over = axis(dim, self.ndim)
    _floats("log_softmax", self, over)
    if not self.ndim or not self.size:
        return np.zeros_like(self)
    shifted = self - self.max(over, keepdims=True)
    return shifted - exactly(np.log, exactly(np.exp, shifted).sum(over, keepdims=True))


def total(array: np.ndarray, dim: int) -> np.ndarray:
    """Return sums along one dimension, kept as a dimension of 1; of a 0-d array the array itself."""
    return added_up(array, axis(dim, array.ndim)) if array.ndim and array.size else array


def weighted_total(array: np.ndarray, weights: np.ndarray, dim: int) -> np.ndarray:
    """Return sums of products along one dimension; but for the last one each is added as it is made."""
    over = axis(dim, array.ndim) if array.ndim else 0
    if array.dtype != np.float32 or over >= array.ndim - 1 or not array.size:
        return total(array * weights, dim)
    found = np.zeros_like(array.take([0], over))
    for i in range(array.shape[over]):
        found = fused(array.take([i], over), weights.take([i], over), found)
    return found


op("softmax", _softmax, node="SoftmaxBackward0", spelled="",
   formulas={"self": "result * (grad - (grad * result).sum(dim, keepdim=True))"},
   self=lambda grad, dim, result: F._softmax_backward_data(grad, result, dim))
op("_safe_softmax", lambda self, dim: np.nan_to_num(_softmax(self, dim), nan=0.0),
   node="SafeSoftmaxBackward0",
   formulas={"self": "result * (grad - (grad * result).sum(dim, keepdim=True))"},
   self=lambda grad, dim, result: F._softmax_backward_data(grad, result, dim))
op("_softmax_backward_data",
   lambda grad_output, output, dim: output * (grad_output - weighted_total(grad_output, output, dim)),
   node="SoftmaxBackwardDataBackward0",
   formulas={"grad_output": "output * (grad - (grad * output).sum(dim, keepdim=True))",
             "output": "grad_output * grad - (output * grad_output).sum(dim, keepdim=True) * grad "
             "- grad_output * (output * grad).sum(dim, keepdim=True)"},
   grad_output=lambda grad, output, dim: F._softmax_backward_data(grad, output, dim),
   output=lambda grad, grad_output, output, dim:
   grad_output * grad - (output * grad_output).sum(dim, True) * grad
   - grad_output * (output * grad).sum(dim, True))
op("log_softmax", _log_softmax, node="LogSoftmaxBackward0", spelled="",
   formulas={"self": "grad - exp(result) * grad.sum(dim, keepdim=True)"},
   self=lambda grad, dim, result: F._log_softmax_backward_data(grad, result, dim))
op("_log_softmax_backward_data", lambda grad_output, output, dim:
   fused(-exactly(np.exp, output), total(grad_output, dim), grad_output),
   node="LogSoftmaxBackwardDataBackward0",
   formulas={"grad_output": "grad - (grad * exp(output)).sum(dim, keepdim=True)",
             "output": "-grad_output.sum(dim, keepdim=True) * exp(output) * grad"},
   grad_output=lambda grad, output, dim: grad - (grad * output.exp()).sum(dim, True),
   output=lambda grad, grad_output, output, dim: -grad_output.sum(dim, True) * output.exp() * grad)


# ----- gates ------------------------------------------------------------------------------------
def halves(array, dim: int) -> tuple:
    """Return both halves of an array or tensor along a dimension."""
    sizes = array.shape
    over = axis(dim, len(sizes))
    if sizes[over] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {over} is size {sizes[over]}")
    half = sizes[over] // 2
    return array[at(over, slice(None, half))], array[at(over, slice(half, None))]


def _glu(self, dim=-1):
    if not self.ndim:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    value, gate = halves(self, dim)
    return value * logistic(gate)


def _glu_slope(grad_output, self, dim):
    value, gate = halves(self, dim)
    sigmoid = logistic(gate)
    slopes = (sigmoid * grad_output, (1 - sigmoid) * sigmoid * value * grad_output)
    return np.concatenate(slopes, axis(dim, self.ndim))


def glu_flow(grad, self, dim):
    """Return the rule of glu's rule for what flows in: each half times its slope, added."""
    slopes = F.glu_backward(F.new_ones(self, halves(self.array, dim)[0].shape), self, dim)
    first, second = halves(grad * slopes, dim)
    return first + second


def glu_curve(grad, grad_output, self, dim):
    """Return the rule of glu's rule for its input: value * sigmoid(gate) differentiated twice."""
    to_value, to_gate = halves(grad, dim)
    value, gate = halves(self, dim)
    sigmoid = gate.sigmoid()
    slope = grad_output * sigmoid * (1 - sigmoid)
    return F.cat((to_gate * slope, (to_value + to_gate * value * (1 - 2 * sigmoid)) * slope), dim)


HALVES = "with value = first_half(self, dim), s = sigmoid(second_half(self, dim))"
PARTS = "a = first_half(grad, dim), b = second_half(grad, dim)"
op("glu", _glu, node="GluBackward0", spelled="",
   formulas={"self": f"cat((grad * s, grad * value * s * (1 - s)), dim) {HALVES}"},
   self=lambda grad, self, dim: F.glu_backward(grad, self, dim))
op("glu_backward", _glu_slope, node="GluBackwardBackward0",
   formulas={"grad_output": f"a * s + b * value * s * (1 - s) {HALVES}, {PARTS}",
             "self": "cat((b * t, (a + b * value * (1 - 2 * s)) * t), dim) "
                     f"{HALVES}, {PARTS}, t = grad_output * s * (1 - s)"},
   grad_output=lambda grad, self, dim: glu_flow(grad, self, dim),
   self=lambda grad, grad_output, self, dim: glu_curve(grad, grad_output, self, dim))


# ----- a slope that is learned ------------------------------------------------------------------
def _prelu_slopes(grad_output, self, weight):
    return (np.where(self > 0, grad_output, grad_output * weight),
            np.where(self > 0, zero(self), self * grad_output))


def prelu_flow(grads, self, weight):
    """Return the rule of prelu's rules for what flows in, from either of their results."""
    to_self, to_weight = grads
    right = 0.0 if to_self is None else to_self
    left = 0.0 if to_self is None else to_self * weight
    return F.where(self >= 0, right, left if to_weight is None else left + to_weight * self)


op("_prelu_kernel", lambda self, weight: np.where(self > 0, self, self * weight), node="PreluKernelBackward0",
   formulas={"self": "where(self > 0, grad, grad * weight)", "weight": "where(self > 0, 0, grad * self)"},
   self=lambda grad, self, weight: F._prelu_kernel_backward(grad, self, weight)[0],
   weight=lambda grad, self, weight: F._prelu_kernel_backward(grad, self, weight)[1])
op("_prelu_kernel_backward", _prelu_slopes, node="PreluKernelBackwardBackward0", outputs=2,
   formulas={"grad_output": "where(self >= 0, grads[0], grads[0] * weight + grads[1] * self)",
             "self": "where(self >= 0, 0, grads[1] * grad_output)",
             "weight": "where(self >= 0, 0, grads[0] * grad_output)"},
   grad_output=lambda grads, self, weight: prelu_flow(grads, self, weight),
   self=lambda grads, grad_output, self:
   F.zeros_like(self) if grads[1] is None else F.where(self >= 0, 0.0, grad_output * grads[1]),
   weight=lambda grads, grad_output, self:
   F.zeros_like(self) if grads[0] is None else F.where(self >= 0, 0.0, grad_output * grads[0]))
