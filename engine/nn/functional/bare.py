"""Losses and layers as `torch` spells them: all by position, the reduction as a number (0: none)."""

from __future__ import annotations

from typing import Any

from engine.nn.functional import layers, losses
from engine.nn.functional.cross_entropy import binary_cross_entropy_with_logits as _with_logits
from engine.tensor import Tensor

WORDS = ("none", "mean", "sum")


def kl_div(input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False) -> Tensor:
    """Return target * (log(target) - input)."""
    values = losses.kl_div(input, target, reduction="none", log_target=log_target)
    return losses.reduced(values, reduction)


def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int
) -> Tensor:
    """Return the negative log-likelihood of counts."""
    return losses.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=WORDS[reduction])


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Any = None, pos_weight: Any = None, reduction: int = 0
) -> Tensor:
    """Return the cross entropy of sigmoid(input) and probabilities."""
    return _with_logits(input, target, weight, reduction=WORDS[reduction], pos_weight=pos_weight)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 0) -> Tensor:
    """Return x where the target is 1, and what is missing to the margin where it is -1."""
    return losses.hinge_embedding_loss(input, target, margin, reduction=WORDS[reduction])


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """Return 1 - cos where the target is 1, and what exceeds the margin where it is -1."""
    return losses.cosine_embedding_loss(input1, input2, target, margin, reduction=WORDS[reduction])


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """Return by how much the pairs miss the wanted order."""
    return losses.margin_ranking_loss(input1, input2, target, margin, reduction=WORDS[reduction])


def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2,
    eps: float = 1e-6, swap: bool = False, reduction: int = 0,
) -> Tensor:  # fmt: skip
    """Return by how much the positive is not nearer than the negative by the margin."""
    return losses.triplet_margin_loss(
        anchor, positive, negative, margin, p, eps, swap, reduction=WORDS[reduction]
    )


def embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:  # fmt: skip
    """Return the rows of `weight` that indices name."""
    return layers.embedding(
        indices, weight, None if padding_idx == -1 else padding_idx,
        scale_grad_by_freq=scale_grad_by_freq, sparse=sparse,
    )  # fmt: skip


def group_norm(
    input: Tensor, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:  # fmt: skip
    """Return the input with mean 0 and variance 1 in each group of channels."""
    return layers.group_norm(input, num_groups, weight, bias, eps)


def batch_norm(
    input: Tensor, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool,
    momentum: float, eps: float, cudnn_enabled: bool,
) -> Tensor:  # fmt: skip
    """Return the input with mean 0 and variance 1 in each channel."""
    return layers.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(
    input: Tensor, weight: Any, bias: Any, running_mean: Any, running_var: Any, use_input_stats: bool,
    momentum: float, eps: float, cudnn_enabled: bool,
) -> Tensor:  # fmt: skip
    """Return the input with mean 0 and variance 1 in each channel of each sample."""
    return layers.instance_norm(
        input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps
    )


def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Return dropout for selu networks."""
    return layers.alpha_dropout(input, p, train)


def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Zero elements of the input with probability p and scale the others up."""
    return layers.dropout(input, p, train, True)


OFFERED = (
    alpha_dropout, dropout_,
    kl_div, poisson_nll_loss, binary_cross_entropy_with_logits, hinge_embedding_loss, cosine_embedding_loss,
    margin_ranking_loss, triplet_margin_loss, embedding, group_norm, batch_norm, instance_norm,
)  # fmt: skip
