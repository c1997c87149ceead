"""Losses: how far from a target, element by element, then averaged or summed."""

from __future__ import annotations

import inspect

import numpy as np

from engine.verify.laws.activations import sigmoid
from engine.verify.laws.table import asks, law

NONE, MEAN, SUM = 0, 1, 2
EMPTY = inspect.Parameter.empty


def reduce(losses, reduction):
    """Return losses as they are, or their mean or sum."""
    return losses if reduction == NONE else np.mean(losses) if reduction == MEAN else np.sum(losses)


def share(g, x, reduction):
    """Return the gradient that each element's loss gets."""
    return g / np.size(x) if reduction == MEAN else g


def loss(name: str, node: str, each, slope, other=None) -> None:
    """Add a loss of `self` and `target`; `slope` is by self, `other` by target (or the opposite of slope)."""

    def by_self(g, self, target, reduction=MEAN, **rest):
        return share(g, np.add(self, target), reduction) * slope(self, target, **rest)

    def by_target(g, self, target, reduction=MEAN, **rest):
        found = -slope(self, target, **rest) if other is None else other(self, target, **rest)
        return share(g, np.add(self, target), reduction) * found

    def forward(self, target, reduction=MEAN, **rest):
        return reduce(each(self, target, **rest), reduction)

    for made, names in ((by_self, ("g",)), (by_target, ("g",)), (forward, ())):
        extra = [(n, d) for n, d in asks(each) if n not in ("self", "target")]
        made.asks = [
            *((n, EMPTY) for n in names),
            ("self", EMPTY),
            ("target", EMPTY),
            ("reduction", MEAN),
            *extra,
        ]
    law(name, forward, node, self=by_self, target=by_target)


def squared_corner(d, corner):
    """Return d ** 2 / 2 near 0, a straight line beyond the corner."""
    return np.where(np.abs(d) < corner, d * d / 2, corner * (np.abs(d) - corner / 2))


def clipped_log(x):
    """Return log(x), not below -100."""
    return np.maximum(np.log(x), -100)


loss(
    "mse_loss",
    "MseLossBackward0",
    lambda self, target: (self - target) ** 2,
    lambda self, target: 2 * (self - target),
)
loss(
    "smooth_l1_loss",
    "SmoothL1LossBackward0",
    lambda self, target, beta=1.0: (
        squared_corner(self - target, beta) / beta if beta else np.abs(self - target)
    ),
    lambda self, target, beta=1.0: np.clip((self - target) / beta, -1, 1) if beta else np.sign(self - target),
)
loss(
    "huber_loss",
    "HuberLossBackward0",
    lambda self, target, delta=1.0: squared_corner(self - target, delta),
    lambda self, target, delta=1.0: np.clip(self - target, -delta, delta),
)
loss(
    "soft_margin_loss",
    "SoftMarginLossBackward0",
    lambda self, target: np.log1p(np.exp(-target * self)),
    lambda self, target: -target * sigmoid(-target * self),
)


# ----- probabilities of yes and no ------------------------------------------------------------------
def weighed(x, weight):
    """Return losses times their weights, if there are any."""
    return x if weight is None else x * weight


loss(
    "binary_cross_entropy",
    "BinaryCrossEntropyBackward0",
    lambda self, target, weight=None: weighed(
        -target * clipped_log(self) - (1 - target) * clipped_log(1 - self), weight
    ),
    lambda self, target, weight=None: weighed((self - target) / np.maximum((1 - self) * self, 1e-12), weight),
    lambda self, target, weight=None: weighed(np.log(1 - self) - np.log(self), weight),
)


def log_sigmoid(x):
    """Return log(sigmoid(x)) without overflow."""
    return -np.logaddexp(0, -x)


def positive(target, pos_weight):
    """Return the weight of the positive part."""
    return target if pos_weight is None else target * pos_weight


loss(
    "binary_cross_entropy_with_logits",
    "BinaryCrossEntropyWithLogitsBackward0",
    lambda self, target, weight=None, pos_weight=None: weighed(
        -positive(target, pos_weight) * log_sigmoid(self) - (1 - target) * log_sigmoid(-self), weight
    ),
    lambda self, target, weight=None, pos_weight=None: weighed(
        (1 - target) * sigmoid(self) - positive(target, pos_weight) * sigmoid(-self), weight
    ),
    lambda self, target, weight=None, pos_weight=None: weighed(
        log_sigmoid(-self) - positive(log_sigmoid(self), pos_weight), weight
    ),
)


# ----- many classes, one margin -----------------------------------------------------------------------
def margins(self, target, margin, weight, reduction):
    """Return by how much each class comes too near to the target's, the targets, and each one's weight."""
    rows, own = self.reshape(-1, self.shape[-1]), np.reshape(target, -1)
    each = np.arange(len(own))
    others = np.arange(rows.shape[1]) != own[:, None]
    gaps = np.where(others, np.maximum(margin - rows[each, own][:, None] + rows, 0), 0)
    factor = np.ones(own.shape) if weight is None else weight[own]
    return gaps, own, factor[:, None] / rows.shape[1] / (len(own) if reduction == MEAN else 1)


def multi_margin(self, target, p=1, margin=1.0, weight=None, reduction=MEAN):
    """Return the mean over classes of max(0, margin - own + other) ** p."""
    gaps, _, factor = margins(self, target, margin, weight, reduction)
    each = np.sum(gaps**p * factor, 1)
    return np.sum(each) if reduction != NONE or self.ndim < 2 else each


def multi_margin_slope(g, self, target, p=1, margin=1.0, weight=None, reduction=MEAN):
    """Return what each class gets that comes too near; its own class gets all of it back."""
    gaps, own, factor = margins(self, target, margin, weight, reduction)
    back = p * gaps ** (p - 1) * (gaps > 0) * factor * np.reshape(g, (-1, 1))
    back[np.arange(len(own)), own] = -np.sum(back, 1)
    return back.reshape(self.shape)


law("multi_margin_loss", multi_margin, "MultiMarginLossBackward0", self=multi_margin_slope)
law(
    "multi_margin_loss_backward",
    lambda grad_output, self, target, p, margin, weight, reduction: multi_margin_slope(
        grad_output, self, target, p, margin, weight, reduction
    ),
)


# ----- negative log-likelihood ------------------------------------------------------------------------
def chosen(self, target, weight, ignore_index):
    """Return where each target's class stands in self, and how much each counts."""
    classes = 1 if np.ndim(self) > 1 else 0
    counts = np.not_equal(target, ignore_index)
    safe = np.where(counts, target, 0)
    where = list(np.indices(np.shape(target), sparse=True))
    where.insert(classes, safe)
    return tuple(where), np.where(counts, 1.0 if weight is None else weight[safe], 0.0)


def nll(self, target, weight=None, reduction=MEAN, ignore_index=-100):
    """Return minus the chosen log-probabilities by weight, and the total weight."""
    where, weights = chosen(self, target, weight, ignore_index)
    each, total = np.where(weights == 0, 0.0, -weights * self[where]), np.sum(weights)
    if reduction == NONE:
        return each, np.zeros(())
    return np.sum(each) / (total if reduction == MEAN else 1), total


def nll_slope(g, self, target, weight=None, reduction=MEAN, ignore_index=-100):
    """Return zeros with minus each weight at the chosen class."""
    where, weights = chosen(self, target, weight, ignore_index)
    back = np.zeros(np.shape(self))
    back[where] = -weights * g / (np.sum(weights) if reduction == MEAN else 1)
    return back


for _name, _node in (("nll_loss nll_loss_nd", "NllLossBackward0"), ("nll_loss2d", "NllLoss2DBackward0")):
    law(_name, nll, _node, self=nll_slope)
