"""Losses that are one node in PyTorch. `reduction`: 0 none, 1 mean, 2 sum."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine import dtype as dtypes
from engine import errors as words
from engine import sums
from engine.ops import errors
from engine.ops.arithmetic import NONE as NO_DERIVATIVE
from engine.ops.arithmetic import no_derivative
from engine.ops.elementary import exactly
from engine.ops.kinds import FLOATS, only
from engine.ops.table import F, op

# fmt: off

NONE, MEAN, SUM = 0, 1, 2
loss = partial(op, spelled="")  # found in nn.functional


def reduced(values: np.ndarray, reduction: int) -> np.ndarray:
    """Return all losses, their mean or their sum."""
    if reduction == NONE:
        return values
    total = sums.sum_all(np.ascontiguousarray(values).reshape(values.shape))
    return total / values.dtype.type(values.size) if reduction == MEAN else total


def shared(gradient: np.ndarray, reduction: int) -> np.ndarray:
    """Divide a gradient among the elements of a mean."""
    return gradient / gradient.dtype.type(gradient.size) if reduction == MEAN else gradient


def averaged(grad, tensor, reduction):
    """The same for tensors, inside a rule of a rule: `tensor` is what the mean was taken of."""
    return grad / max(tensor.numel(), 1) if reduction == MEAN else grad


def summed(each, reduction):
    """Reduce what goes back to the first gradient as the loss itself was reduced."""
    return each if reduction == NONE else each.mean() if reduction == MEAN else each.sum()


def by_reduction(text: str) -> str:
    """Return a rule's text with the division that a mean brings."""
    return f"{text} / self.numel() if reduction == 1 else {text}"


def summed_by(text: str) -> str:
    """Return the text of what goes back to the first gradient: reduced as the loss itself was."""
    return f"({text}).mean() if reduction == 1 else ({text}).sum() if reduction == 2 else {text}"


def weighted_by(text: str) -> str:
    """Return a rule's text with the weights that a loss may have."""
    return f"({text} if weight is None else {text} * weight)"


# ----- squares --------------------------------------------------------------------------------------
def _mse_backward(grad_output, self, target, reduction):
    factor = 2.0 / self.size if reduction == MEAN else 2.0
    return self.dtype.type(factor) * (self - target) * grad_output


loss("mse_loss", only(FLOATS, "mse_cpu", lambda self, target, reduction=MEAN:
   reduced((self - target) ** 2, reduction)),
   node="MseLossBackward0", promote="arith",
   formulas={"self": by_reduction("grad * 2 * (self - target)"),
             "target": by_reduction("grad * 2 * (target - self)")},
   self=lambda grad, self, target, reduction: F.mse_loss_backward(grad, self, target, reduction),
   target=lambda grad, self, target, reduction: F.mse_loss_backward(grad, target, self, reduction))
op("mse_loss_backward", _mse_backward, node="MseLossBackwardBackward0",
   formulas={"grad_output": summed_by("grad * 2 * (self - target)"),
             "self": by_reduction("2 * grad * grad_output"),
             "target": by_reduction("-2 * grad * grad_output")},
   grad_output=lambda grad, self, target, reduction: summed(2 * (self - target) * grad, reduction),
   self=lambda grad, grad_output, self, reduction: averaged(2 * (grad * grad_output), self, reduction),
   target=lambda grad, grad_output, self, reduction: averaged(-2 * (grad * grad_output), self, reduction))


# ----- squares near 0, lines far away ---------------------------------------------------------------
def _smooth_l1(self, target, reduction=MEAN, beta=1.0):
    away, bound = np.abs(self - target), self.dtype.type(beta)
    half = self.dtype.type(0.5)
    return reduced(np.where(away < bound, half * away * away / bound, away - half * bound), reduction)


def _smooth_l1_backward(grad_output, self, target, reduction, beta):
    away, bound = self - target, self.dtype.type(beta)
    slope = np.where(np.abs(away) < bound, away / bound, np.sign(away))
    return shared(slope * grad_output, reduction)


def _huber(self, target, reduction=MEAN, delta=1.0):
    away, bound = np.abs(self - target), self.dtype.type(delta)
    half = self.dtype.type(0.5)
    return reduced(np.where(away < bound, half * away * away, bound * (away - half * bound)), reduction)


def _huber_backward(grad_output, self, target, reduction, delta):
    if self.dtype != target.dtype:
        raise RuntimeError(errors.loss_dtypes(*map(dtypes.from_numpy, (target.dtype, self.dtype))))
    away, bound = self - target, self.dtype.type(delta)
    return shared(np.where(np.abs(away) < bound, away, bound * np.sign(away)) * grad_output, reduction)


def curved(grad, grad_output, self, target, reduction, bound, steepness):
    """Return the second derivative of a loss that is a parabola within `bound` and a line outside."""
    inside = (self - target).abs() < bound
    return averaged(grad * grad_output * steepness, self, reduction) * inside


def slope_of(backward, grad, self, target, reduction, bound):
    """Return what goes back to the first gradient: the slopes, reduced as the loss was."""
    ones = F.new_ones(self, tuple(grad.shape))
    return summed(grad * backward(ones, self, target, NONE, bound), reduction)


SMOOTH = "grad * where(abs(self - target) < beta, (self - target) / beta, sign(self - target))"
HUBER = "grad * where(abs(self - target) < delta, self - target, delta * sign(self - target))"
loss("smooth_l1_loss", only(FLOATS, "smooth_l1_cpu", _smooth_l1), node="SmoothL1LossBackward0",
   promote="arith",
   formulas={"self": by_reduction(SMOOTH), "target": by_reduction("-" + SMOOTH)},
   self=lambda grad, self, target, reduction, beta:
   F.smooth_l1_loss_backward(grad, self, target, reduction, beta),
   target=lambda grad, self, target, reduction, beta:
   F.smooth_l1_loss_backward(grad, target, self, reduction, beta))
op("smooth_l1_loss_backward", _smooth_l1_backward, node="SmoothL1LossBackwardBackward0",
   formulas={"grad_output": summed_by(SMOOTH),
             "self": by_reduction("grad * grad_output / beta * (abs(self - target) < beta)"),
             "target": by_reduction("-grad * grad_output / beta * (abs(self - target) < beta)")},
   grad_output=lambda grad, self, target, reduction, beta:
   slope_of(F.smooth_l1_loss_backward, grad, self, target, reduction, beta),
   self=lambda grad, grad_output, self, target, reduction, beta:
   curved(grad, grad_output, self, target, reduction, beta, 1 / beta),
   target=lambda grad, grad_output, self, target, reduction, beta:
   -curved(grad, grad_output, self, target, reduction, beta, 1 / beta))
loss("huber_loss", only(FLOATS, "huber_cpu", _huber), node="HuberLossBackward0", promote="arith",
   formulas={"self": by_reduction(HUBER), "target": by_reduction("-" + HUBER)},
   self=lambda grad, self, target, reduction, delta:
   F.huber_loss_backward(grad, self, target, reduction, delta),
   target=lambda grad, self, target, reduction, delta:
   F.huber_loss_backward(grad, target, self, reduction, delta))
op("huber_loss_backward", _huber_backward, node="HuberLossBackwardBackward0",
   formulas={"grad_output": summed_by(HUBER),
             "self": by_reduction("grad * grad_output * (abs(self - target) < delta)"),
             "target": by_reduction("-grad * grad_output * (abs(self - target) < delta)")},
   grad_output=lambda grad, self, target, reduction, delta:
   slope_of(F.huber_loss_backward, grad, self, target, reduction, delta),
   self=lambda grad, grad_output, self, target, reduction, delta:
   curved(grad, grad_output, self, target, reduction, delta, 1),
   target=lambda grad, grad_output, self, target, reduction, delta:
   -curved(grad, grad_output, self, target, reduction, delta, 1))


# ----- margins ----------------------------------------------------------------------------------------
def _soft_margin_backward(grad_output, self, target, reduction):
    power = exactly(np.exp, -target * self)
    share = -target / self.dtype.type(self.size) if reduction == MEAN else -target
    return share * power / (1 + power) * grad_output


loss("soft_margin_loss", lambda self, target, reduction=MEAN:
   reduced(exactly(np.log1p, exactly(np.exp, -target * self)), reduction),
   node="SoftMarginLossBackward0", promote="arith",
   formulas={"self": by_reduction("-target * sigmoid(-target * self) * grad")},
   self=lambda grad, self, target, reduction: F.soft_margin_loss_backward(grad, self, target, reduction))
op("soft_margin_loss_backward", _soft_margin_backward, node="SoftMarginLossBackwardBackward0",
   formulas={"grad_output": summed_by("-target * sigmoid(-target * self) * grad"),
             "self": by_reduction("grad * grad_output * target ** 2 * sigmoid(self) * (1 - sigmoid(self))")},
   grad_output=lambda grad, self, target, reduction:
   summed(grad * -target * (-target * self).sigmoid(), reduction),
   self=lambda grad, grad_output, self, target, reduction:
   averaged(grad * grad_output * bend(-target * self) * target * target, self, reduction))


def bend(x):
    """Return the slope of the sigmoid."""
    sigmoid = x.sigmoid()
    return (1 - sigmoid) * sigmoid


def away_from(self, target):
    """Return the scores of rows (N, C), and each row's score of its own class as a column."""
    rows = self.reshape(-1, self.shape[-1])
    return rows, np.take_along_axis(rows, target.reshape(-1, 1), 1)


def _multi_margin(self, target, p=1, margin=1.0, weight=None, reduction=MEAN):
    rows, own = away_from(self, target)
    gap = np.maximum(margin - own + rows, 0) ** p
    np.put_along_axis(gap, target.reshape(-1, 1), 0, 1)
    gap = gap if weight is None else gap * weight[target.reshape(-1, 1)]
    each = (gap.sum(1) / rows.shape[1]).astype(self.dtype)
    return reduced(each if self.ndim > 1 else each[0] if reduction == NONE else each, reduction)


def _multi_margin_backward(grad_output, self, target, p, margin, weight, reduction):
    rows, own = away_from(self, target)
    gap = np.maximum(margin - own + rows, 0)
    slope = (np.ones_like(gap) if p == 1 else 2 * gap) * (gap > 0)
    slope = slope if weight is None else slope * weight[target.reshape(-1, 1)]
    np.put_along_axis(slope, target.reshape(-1, 1), 0, 1)
    np.put_along_axis(slope, target.reshape(-1, 1), 0 - slope.sum(1, keepdims=True), 1)
    slope /= rows.shape[1] * (len(rows) if reduction == MEAN else 1)
    flow = np.reshape(grad_output, (-1, 1)) if np.ndim(grad_output) else grad_output
    return (slope * flow).reshape(self.shape).astype(self.dtype)


MARGIN = "grad / C * (margin - self[target] + self > 0), less the sum of these at [target]"
loss("multi_margin_loss", _multi_margin, node="MultiMarginLossBackward0", formulas={"self": MARGIN},
   self=lambda grad, self, target, p, margin, weight, reduction:
   F.multi_margin_loss_backward(grad, self, target, p, margin, weight, reduction))
op("multi_margin_loss_backward", _multi_margin_backward, node="NotImplemented",
   formulas={"grad_output": NO_DERIVATIVE, "self": NO_DERIVATIVE},
   grad_output=no_derivative("multi_margin_loss_backward"), self=no_derivative("multi_margin_loss_backward"))


# ----- binary cross-entropy ---------------------------------------------------------------------------
EPSILON = float(np.float32(1e-12))


def weighted(each, weight):
    """Multiply by weights, if there are any."""
    return each if weight is None else each * weight


def _bce(self, target, weight=None, reduction=MEAN):
    outside = np.stack([~((x >= 0) & (x <= 1)) for x in (self, target)], -1)
    if outside.any():  # PyTorch looks at the elements in turn, at input and target of each
        raise RuntimeError(errors.outside_zero_one(("input", "target")[int(outside.argmax()) % 2]))
    lowest = self.dtype.type(-100)
    low = np.maximum(exactly(np.log1p, -self), lowest)
    each = (target - 1) * low - target * np.maximum(exactly(np.log, self), lowest)
    return reduced(weighted(each, weight), reduction)


def _bce_backward(grad_output, self, target, weight, reduction):
    floor = np.maximum((1 - self) * self, self.dtype.type(EPSILON))
    return shared(weighted(grad_output * (self - target) / floor, weight), reduction)


def bce_slope(grad, self, target, weight):
    """Return the slope of the loss times `grad`, as tensors."""
    return weighted((self - target) / ((1 - self) * self).clamp(min=EPSILON) * grad, weight)


def bce_curve(grad, grad_output, self, target, weight, reduction):
    """Return the second derivative: (self ** 2 - 2 * self * target + target) / (self * (1 - self)) ** 2."""
    each = (self * self - 2 * self * target + target) / ((self + EPSILON) ** 2 * (1 - self + EPSILON) ** 2)
    return averaged(weighted(each * grad * grad_output, weight), self, reduction)


def bce_target_slope(grad, grad_output, self, weight, reduction):
    """Return how the slope changes with the target: -1 / (self * (1 - self))."""
    floor = ((1 - self) * self).clamp(min=EPSILON)
    return averaged(weighted(-(grad * grad_output) / floor, weight), self, reduction)


def bce_target(grad, self, weight, reduction):
    """Return the rule for the target: log(1 - self) - log(self)."""
    return averaged(weighted(-self.logit() * grad, weight), self, reduction)


BCE = weighted_by("grad * (self - target) / max(self * (1 - self), 1e-12)")
BCE_TARGET = weighted_by("grad * (log(1 - self) - log(self))")
BCE_CURVE = weighted_by("grad * grad_output * (self ** 2 - 2 * self * target + target) "
                        "/ ((self + 1e-12) * (1 - self + 1e-12)) ** 2")
BCE_BOTH = weighted_by("-grad * grad_output / max(self * (1 - self), 1e-12)")
loss("binary_cross_entropy", _bce, node="BinaryCrossEntropyBackward0", shows=("target",),
   formulas={"self": by_reduction(BCE), "target": by_reduction(BCE_TARGET)},
   self=lambda grad, self, target, weight, reduction:
   F.binary_cross_entropy_backward(grad, self, target, weight, reduction),
   target=lambda grad, self, weight, reduction: bce_target(grad, self, weight, reduction))
op("binary_cross_entropy_backward", _bce_backward, node="BinaryCrossEntropyBackwardBackward0",
   formulas={"grad_output": summed_by(BCE),
             "self": by_reduction(BCE_CURVE),
             "target": by_reduction(BCE_BOTH)},
   grad_output=lambda grad, self, target, weight, reduction:
   summed(bce_slope(grad, self, target, weight), reduction),
   self=lambda grad, grad_output, self, target, weight, reduction:
   bce_curve(grad, grad_output, self, target, weight, reduction),
   target=lambda grad, grad_output, self, weight, reduction:
   bce_target_slope(grad, grad_output, self, weight, reduction))


def _bce_logits(self, target, weight=None, pos_weight=None, reduction=MEAN):
    if target.dtype.kind in "iu":
        raise RuntimeError(words.result_type(*map(dtypes.from_numpy, (self.dtype, target.dtype))))
    x = self.astype(np.float64)
    softplus = np.log1p(np.exp(-np.abs(x))) + np.maximum(-x, 0)  # -log(sigmoid(x))
    factor = 1 if pos_weight is None else (pos_weight - 1) * target + 1
    each = ((1 - target) * x + factor * softplus).astype(target.dtype)  # written into 1 - target
    return reduced(weighted(each, weight), reduction)


def logits_slope(grad, self, target, weight, pos_weight, reduction):
    """Return the rule for logits: sigmoid(self) - target, weighted where targets are positive."""
    if pos_weight is None:
        slope = (self.sigmoid() - target) * grad
    else:
        t = pos_weight * target
        slope = ((t + 1 - target) * self.sigmoid() - t) * grad
    return averaged(weighted(slope, weight), self, reduction)


def logits_target(grad, self, weight, pos_weight, reduction):
    """Return the rule for the target of logits: -self, weighted where targets are positive."""
    if pos_weight is None:
        slope = -self * grad
    else:
        slope = (F.log_sigmoid(-self)[0] - pos_weight * F.log_sigmoid(self)[0]) * grad
    return averaged(weighted(slope, weight), self, reduction)


LOGITS = weighted_by("(grad * (sigmoid(self) - target) if pos_weight is None else grad * "
                     "((pos_weight * target + 1 - target) * sigmoid(self) - pos_weight * target))")
LOGITS_TARGET = weighted_by("(grad * -self if pos_weight is None else "
                            "grad * (log_sigmoid(-self) - pos_weight * log_sigmoid(self)))")
loss("binary_cross_entropy_with_logits", _bce_logits, node="BinaryCrossEntropyWithLogitsBackward0",
   shows=("target",),
   formulas={"self": by_reduction(LOGITS), "target": by_reduction(LOGITS_TARGET)},
   self=lambda grad, self, target, weight, pos_weight, reduction:
   logits_slope(grad, self, target, weight, pos_weight, reduction),
   target=lambda grad, self, weight, pos_weight, reduction:
   logits_target(grad, self, weight, pos_weight, reduction))


# ----- negative log-likelihood: of vectors (N, C) and of images (N, C, H, W) ---------------------------
def chosen(shape: tuple, target: np.ndarray, ignore_index: int) -> tuple[tuple, np.ndarray]:
    """Return where each target's class stands, as index arrays, and which targets count."""
    if target.dtype not in (np.int64, np.uint8):
        raise RuntimeError(errors.target_dtype(dtypes.from_numpy(target.dtype)))
    counts = target != ignore_index
    if len(shape) <= 2 and target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    classes = shape[1] if len(shape) > 1 else shape[0]
    wrong = target[counts & ((target < 0) | (target >= classes))]
    if wrong.size:
        raise words.index_error(errors.target_out_of_bounds(int(wrong.ravel()[0])))
    safe = np.where(counts, target, 0)
    if len(shape) == 1:
        return (safe,), counts
    grids = list(np.indices(target.shape, sparse=True))
    return (grids[0], safe, *grids[1:]), counts


def _nll(self, target, weight=None, reduction=MEAN, ignore_index=-100):
    classes = self.shape[1] if self.ndim > 1 else self.shape[0]
    if weight is not None and weight.shape != (classes,):
        raise RuntimeError(errors.class_weights(classes, weight.shape))
    where, counts = chosen(self.shape, target, ignore_index)
    each = self.dtype.type(1) if weight is None else weight[np.where(counts, target, 0)]
    shares = np.where(counts, each, 0).astype(self.dtype)
    total = shares.sum(dtype=self.dtype)
    losses = -shares * self[where]
    if reduction == NONE:
        return np.where(counts, losses, 0).astype(self.dtype), self.dtype.type(0)
    summed_up = sums.sum_all(np.ascontiguousarray(losses).reshape(losses.shape))
    return summed_up / total if reduction == MEAN else summed_up, total


def _nll_backward(grad_output, self, target, weight, reduction, ignore_index, total_weight):
    where, counts = chosen(self.shape, target, ignore_index)
    each = self.dtype.type(1) if weight is None else weight[np.where(counts, target, 0)]
    shares = np.where(counts, each, 0).astype(self.dtype)
    out = np.zeros_like(self)
    flow = -shares * grad_output / (total_weight if reduction == MEAN else self.dtype.type(1))
    out[where] = np.where(counts, flow, 0)
    return out


NLL = "(-grad * one_hot(target) if weight is None else -grad * weight[target] * one_hot(target))"
NLL = f"{NLL} / total_weight if reduction == 1 else {NLL}"
for _name, _node in (("nll_loss", "NllLoss"), ("nll_loss2d", "NllLoss2D")):
    loss(_name, _nll, node=f"{_node}Backward0", outputs=("output", "total_weight"), flows=1,
       formulas={"self": NLL},
       self=lambda grad, self, target, weight, reduction, ignore_index, total_weight: (
           F.nll_loss_backward if len(self.shape) < 3 else F.nll_loss2d_backward)(
           grad, self, target, weight, reduction, ignore_index, total_weight))
    op(f"{_name}_backward", _nll_backward, node=f"{_node}BackwardBackward0",
       formulas={"grad_output": "nll_loss(grad, target, weight, reduction)", "self": "0"},
       grad_output=lambda grad, target, weight, reduction, ignore_index: (
           F.nll_loss if len(grad.shape) < 3 else F.nll_loss2d)(
           grad, target, weight, reduction, ignore_index)[0],
       self=lambda grad: F.zeros_like(grad))
