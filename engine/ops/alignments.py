"""CTC: how likely a labelling is, over all its alignments with a sequence. One row."""

from __future__ import annotations

import numpy as np

from engine.ops.arithmetic import NONE as NO_DERIVATIVE
from engine.ops.arithmetic import no_derivative
from engine.ops.table import F, op

# fmt: off


def spaced(labels, blank):
    """Return labels with a blank before, between and after them, and where a blank may be passed over."""
    prime = np.full(2 * len(labels) + 1, blank)
    prime[1::2] = labels
    passes = np.zeros(len(prime), bool)
    passes[2:] = (prime[2:] != blank) & (prime[2:] != prime[:-2])
    return prime, passes


def added(*logs):
    """Return the logarithm of the sum of what these are the logarithms of."""
    top = np.maximum.reduce(logs)
    top = np.where(np.isneginf(top), 0, top).astype(logs[0].dtype)
    return np.log(sum(np.exp(log - top) for log in logs)) + top


def shifted(log, by):
    """Return values moved by some places to the right (or, less than 0, to the left); -inf moves in."""
    out = np.full_like(log, -np.inf)
    if by > 0:
        out[by:] = log[:-by]
    else:
        out[:by] = log[-by:]
    return out


def forward_paths(log_probs, prime, passes):
    """Return by step and label the logarithm of the probability of all paths that end there."""
    alpha = np.full((len(log_probs), len(prime)), -np.inf, log_probs.dtype)
    alpha[0, :2] = log_probs[0, prime[:2]]
    for t in range(1, len(log_probs)):
        before = alpha[t - 1]
        jumped = np.where(passes, shifted(before, 2), -np.inf).astype(before.dtype)
        alpha[t] = added(before, shifted(before, 1), jumped) + log_probs[t, prime]
    return alpha


def backward_paths(log_probs, prime, passes):
    """Return the same of all paths that begin there."""
    beta = np.full((len(log_probs), len(prime)), -np.inf, log_probs.dtype)
    beta[-1, -2:] = log_probs[-1, prime[-2:]]
    may = np.append(passes[2:], [False, False])[: len(prime)]
    for t in range(len(log_probs) - 2, -1, -1):
        after = beta[t + 1]
        jumped = np.where(may, shifted(after, -2), -np.inf).astype(after.dtype)
        beta[t] = added(after, shifted(after, -1), jumped) + log_probs[t, prime]
    return beta


def labels_of(targets, lengths, i):
    """Return the labels of one sequence: a row, or a stretch of all labels one after the other."""
    start = 0 if targets.ndim > 1 else sum(lengths[:i])
    return (targets[i] if targets.ndim > 1 else targets)[start : start + lengths[i]]


def _ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, zero_infinity=False):
    steps, batch = log_probs.shape[:2]
    widest = 2 * max([*(targets.shape[1:]), *target_lengths][:1] or [0]) + 1
    losses = np.zeros(batch, log_probs.dtype)
    alphas = np.zeros((batch, steps, max(widest, 2 * max(target_lengths) + 1)), log_probs.dtype)
    for i, (length, count) in enumerate(zip(input_lengths, target_lengths, strict=True)):
        prime, passes = spaced(labels_of(targets, target_lengths, i), blank)
        alpha = forward_paths(log_probs[:length, i], prime, passes)
        alphas[i, :length] = -np.inf
        alphas[i, :length, : len(prime)] = alpha
        last = alpha[-1, -2:] if count else np.append(alpha[-1, -1:], -np.inf)
        losses[i] = -added(*last[::-1].astype(log_probs.dtype))
    return losses, alphas


def _ctc_loss_backward(grad, log_probs, targets, input_lengths, target_lengths, result0, result1, blank,
                       zero_infinity):
    out = np.zeros_like(log_probs)
    for i, length in enumerate(input_lengths):
        if zero_infinity and np.isposinf(result0[i]):
            continue
        here = log_probs[:length, i]
        prime, passes = spaced(labels_of(targets, target_lengths, i), blank)
        both = result1[i, :length, : len(prime)] + backward_paths(here, prime, passes)
        through = np.full_like(here, -np.inf)
        for place, label in enumerate(prime):
            through[:, label] = added(through[:, label], both[:, place])
        out[:length, i] = (np.exp(here) - np.exp(through + result0[i] - here)) * grad[i]
    return out


op("_ctc_loss", _ctc_loss, node="CtcLossBackward0", outputs=2, flows=1, spelled="",
   formulas={"log_probs":
             "grad * (exp(log_probs) - exp(all paths through each label + result0 - log_probs))"},
   log_probs=lambda grad, log_probs, targets, input_lengths, target_lengths, result0, result1, blank,
   zero_infinity: F._ctc_loss_backward(
       grad, log_probs, targets, input_lengths, target_lengths, result0, result1, blank, zero_infinity))
op("_ctc_loss_backward", _ctc_loss_backward, node="NotImplemented",
   formulas={"grad": NO_DERIVATIVE, "log_probs": NO_DERIVATIVE},
   grad=no_derivative("_ctc_loss_backward"), log_probs=no_derivative("_ctc_loss_backward"))


# ----- several labels at once --------------------------------------------------------------------
def _multilabel(self, target, reduction=1):
    rows, labels = self.reshape(-1, self.shape[-1]), target.reshape(-1, self.shape[-1])
    marked = np.zeros_like(rows)
    each = np.zeros(len(rows))
    for i, own in enumerate(own_labels(labels)):
        marked[i, own] = 1
        gaps = np.maximum(1 - rows[i, own][:, None] + rows[i, marked[i] == 0], 0)
        each[i] = gaps.sum(dtype=np.float64)
    if reduction == 0:
        each = (each / rows.shape[1]).astype(self.dtype)
        return each if self.ndim > 1 else each[0], marked.reshape(self.shape)
    total = each.sum() / rows.shape[1] / (len(rows) if reduction == 1 else 1)
    return self.dtype.type(total), marked.reshape(self.shape)


def own_labels(labels):
    """Return for each example its labels: those before the first -1."""
    return [row[: (row < 0).argmax() if (row < 0).any() else row.size] for row in labels]


def _multilabel_backward(grad, self, target, reduction, is_target):
    rows, labels = self.reshape(-1, self.shape[-1]), target.reshape(-1, self.shape[-1])
    marks, out = is_target.reshape(rows.shape), np.zeros_like(rows)
    share = self.dtype.type(1 / rows.shape[1] / (len(rows) if reduction == 1 else 1))
    for i, own in enumerate(own_labels(labels)):
        near = (1 - rows[i, own][:, None] + rows[i] > 0) & (marks[i] == 0)
        np.subtract.at(out[i], own, near.sum(1) * share)
        out[i] += near.sum(0) * share
    flow = np.reshape(grad, (-1, 1)) if np.ndim(grad) else grad
    return (out * flow).reshape(self.shape).astype(self.dtype)


NEAR = "grad / C * (other classes less than 1 below a label), less the sum of these at the label"
op("multilabel_margin_loss", _multilabel, node="MultilabelMarginLossBackward0", spelled="",
   outputs=("output", "is_target"), flows=1, formulas={"self": NEAR},
   self=lambda grad, self, target, reduction, is_target:
   F.multilabel_margin_loss_backward(grad, self, target, reduction, is_target))
op("multilabel_margin_loss_backward", _multilabel_backward, node="NotImplemented",
   formulas={"grad": NO_DERIVATIVE, "self": NO_DERIVATIVE},
   grad=no_derivative("multilabel_margin_loss_backward"),
   self=no_derivative("multilabel_margin_loss_backward"))
