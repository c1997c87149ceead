"""Rules of rules: the nodes that a backward pass makes when it is to be differentiated itself."""

from __future__ import annotations

import numpy as np

from engine.verify.laws.activations import sigmoid
from engine.verify.laws.picking import looked_up, selected, sliced
from engine.verify.laws.reductions import summed
from engine.verify.laws.shapes import diagonal, windows
from engine.verify.laws.table import law, nothing

# ----- slopes of functions of one argument ----------------------------------------------------------
law(
    "tanh_backward",
    lambda grad_output, output: grad_output * (1 - output * output),
    "TanhBackwardBackward0",
    smooth="grad_output output",
)
law(
    "sigmoid_backward",
    lambda grad_output, output: grad_output * (output - output * output),
    "SigmoidBackwardBackward0",
    smooth="grad_output output",
)
law(
    "log_sigmoid_backward",
    lambda grad_output, self: grad_output * sigmoid(-self),
    "LogSigmoidBackwardBackward0",
    smooth="grad_output self",
)
law(
    "softplus_backward",
    lambda grad_output, self, beta=1, threshold=20: (
        grad_output * np.where(np.real(self * beta) > threshold, 1.0, sigmoid(self * beta))
    ),
    "SoftplusBackwardBackward0",
    smooth="grad_output self",
)
law(
    "hardswish_backward",
    lambda grad_output, self: (
        grad_output * np.where(np.real(self) <= -3, 0.0, np.where(np.real(self) < 3, self / 3 + 0.5, 1.0))
    ),
    "HardswishBackwardBackward0",
    smooth="grad_output self",
)
law(
    "elu_backward",
    None,
    "EluBackwardBackward0",
    grad_output=lambda g, alpha, scale, input_scale, is_result, self_or_result: (
        g * elu_slope(self_or_result, alpha, scale, input_scale, is_result)
    ),
    self_or_result=lambda g, grad_output, alpha, scale, input_scale, is_result, self_or_result: (
        g
        * grad_output
        * np.where(
            self_or_result < 0,
            input_scale * (1 if is_result else elu_slope(self_or_result, alpha, scale, input_scale, False)),
            0.0,
        )
    ),
)


def elu_slope(x, alpha, scale, input_scale, is_result):
    """Return the slope of elu, from its argument or from its value."""
    left = (
        input_scale * (x + alpha * scale)
        if is_result
        else input_scale * alpha * scale * np.exp(x * input_scale)
    )
    return np.where(x <= 0, left, scale)


# ----- kept or cut off ------------------------------------------------------------------------------
def gate(name, node, keeps, into="grad_output"):
    """Add a slope that lets a gradient through, or does not, by its second argument."""
    law(name, None, node, exact=True, **{into: keeps}, self=nothing)


gate(
    "threshold_backward",
    "ThresholdBackwardBackward0",
    lambda g, self, threshold: np.where(self > threshold, g, 0.0),
)
gate(
    "leaky_relu_backward",
    "LeakyReluBackwardBackward0",
    lambda g, self, negative_slope: np.where(self > 0, g, g * negative_slope),
)
gate(
    "hardtanh_backward",
    "HardtanhBackwardBackward0",
    lambda g, self, min_val, max_val: np.where((self > min_val) & (self < max_val), g, 0.0),
)
gate(
    "softshrink_backward",
    "SoftshrinkBackwardBackward0",
    lambda g, self, lambd: np.where(np.abs(self) > np.float32(lambd), g, 0.0),
)
gate(
    "hardshrink_backward",
    "HardshrinkBackwardBackward0",
    lambda g, self, lambd: np.where(np.abs(self) > np.float32(lambd), g, 0.0),
    "grad_out",
)

# ----- slopes of softmax ----------------------------------------------------------------------------
law(
    "_softmax_backward_data",
    lambda grad_output, output, dim: output * (grad_output - summed(output * grad_output, dim, True)),
    "SoftmaxBackwardDataBackward0",
    steps="grad_output output",
)
law(
    "_log_softmax_backward_data",
    lambda grad_output, output, dim: grad_output - np.exp(output) * summed(grad_output, dim, True),
    "LogSoftmaxBackwardDataBackward0",
    steps="grad_output output",
)


# ----- slopes of losses -----------------------------------------------------------------------------
def by(x, reduction):
    """Return by how many elements a mean divides."""
    return np.size(x) if reduction == 1 else 1


law(
    "mse_loss_backward",
    lambda grad_output, self, target, reduction=1: grad_output * 2 * (self - target) / by(self, reduction),
    "MseLossBackwardBackward0",
    steps="grad_output",
    self=lambda g, grad_output, reduction=1, self=None: 2 * g * grad_output / by(self, reduction),
    target=lambda g, grad_output, reduction=1, self=None: -2 * g * grad_output / by(self, reduction),
)
law(
    "soft_margin_loss_backward",
    lambda grad_output, self, target, reduction=1: (
        -grad_output * target * sigmoid(-target * self) / by(self, reduction)
    ),
    "SoftMarginLossBackwardBackward0",
    steps="grad_output self",
)
law(
    "binary_cross_entropy_backward",
    lambda grad_output, self, target, weight, reduction=1: (
        grad_output
        * (self - target)
        / (self * (1 - self))
        * (1 if weight is None else weight)
        / by(self, reduction)
    ),
    "BinaryCrossEntropyBackwardBackward0",
    steps="grad_output self target",
)
law(
    "smooth_l1_loss_backward",
    lambda grad_output, self, target, reduction=1, beta=1.0: (
        grad_output
        * np.where(
            np.abs(np.real(self - target)) < beta, (self - target) / beta, np.sign(np.real(self - target))
        )
        / by(self, reduction)
    ),
    "SmoothL1LossBackwardBackward0",
    steps="grad_output self target",
)
law(
    "huber_loss_backward",
    lambda grad_output, self, target, reduction=1, delta=1.0: (
        grad_output
        * np.where(
            np.abs(np.real(self - target)) < delta, self - target, delta * np.sign(np.real(self - target))
        )
        / by(self, reduction)
    ),
    "HuberLossBackwardBackward0",
    steps="grad_output self target",
)

# ----- slopes of what picks and moves -----------------------------------------------------------------
law(
    "", None, "SelectBackwardBackward0", exact=True, grad_output=lambda g, dim, index: selected(g, dim, index)
)
law(
    "",
    None,
    "SliceBackwardBackward0",
    exact=True,
    grad_output=lambda g, dim, start, end, step: sliced(g, dim, start, end, step),
)
law(
    "",
    None,
    "DiagonalBackwardBackward0",
    exact=True,
    grad_output=lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2),
)
law(
    "",
    None,
    "UnfoldBackwardBackward0",
    exact=True,
    grad_in=lambda g, dim, size, step: windows(g, dim, size, step),
)
law(
    "",
    None,
    "EmbeddingDenseBackwardBackward0",
    exact=True,
    grad_output=lambda g, indices, padding_idx: np.where(
        np.expand_dims(indices == padding_idx, -1), 0.0, looked_up(g, indices)
    ),
)
