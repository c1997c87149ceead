"""Losses as functions. Those that are one node in PyTorch are one row here; the others are composed as "
"there."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from engine import errors as words
from engine import events
from engine.functions.joining import broadcast_tensors
from engine.nn import errors
from engine.nn.functional.activations import logsigmoid
from engine.nn.functional.distance import pairwise_distance
from engine.ops.table import F as rows
from engine.tensor import Tensor, beside

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def reduction_number(reduction: str, size_average: Any = None, reduce: Any = None) -> int:
    """Return how a reduction is written in a node; the two old flags still win."""
    if size_average is not None or reduce is not None:
        averaged = size_average is None or size_average
        reduction = "none" if reduce is False else "mean" if averaged else "sum"
        warnings.warn(errors.old_reduction(reduction), UserWarning, stacklevel=1)
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return REDUCTIONS[reduction]


def reduced(values: Tensor, number: int) -> Tensor:
    """Return each loss, their mean or their sum."""
    return values if number == 0 else values.mean() if number == 1 else values.sum()


def broadcast(input: Tensor, target: Tensor, weight: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return both in the shape they have together, with a warning if that is not the shape of each."""
    for given in (target, input):
        if not isinstance(given, Tensor):
            raise AttributeError(errors.missing_attribute(type(given).__name__, "size"))
    if target.array.shape != input.array.shape:
        warnings.warn(words.target_size(target.shape, input.shape), UserWarning, stacklevel=3)
    both = broadcast_tensors(input, target)
    if weight is not None and weight.array.shape != input.array.shape:
        raise ValueError("Weights and input must have the same size.")
    return both


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Return the squared differences: their mean, their sum, or each."""
    input, target = broadcast(input, target, weight)
    number = reduction_number(reduction, size_average, reduce)
    if weight is None:
        return rows.mse_loss(input, target, number)
    return weighted((input - target) ** 2, weight, number)


def weighted(values: Tensor, weight: Tensor, number: int) -> Tensor:
    """Return losses times weights; their mean is taken over the weights."""
    values = values * weight
    if number == 1:
        return values.sum() / weight.sum()
    return reduced(values, number)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Return the absolute differences: their mean, their sum, or each."""
    input, target = broadcast(input, target, weight)
    number = reduction_number(reduction, size_average, reduce)
    values = (input - target).abs()
    return reduced(values, number) if weight is None else weighted(values, weight, number)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Return squares of small differences and absolute values of large ones, joined at beta."""
    input, target = broadcast(input, target)
    number = reduction_number(reduction, size_average, reduce)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return reduced((input - target).abs(), number)
    return rows.smooth_l1_loss(input, target, number, beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Return squares of small differences and delta times large ones."""
    input, target = broadcast(input, target, weight)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    number = reduction_number(reduction)
    if weight is None:
        return rows.huber_loss(input, target, number, delta)
    return reduced(rows.huber_loss(input, target, 0, delta) * weight, number)


# ----- likelihoods ------------------------------------------------------------------------------
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """Return target * (log(target) - input); `input` holds log-probabilities."""
    if reduction == "mean":
        warnings.warn(errors.KL_MEAN, UserWarning, stacklevel=2)
    number = reduction_number("sum" if reduction == "batchmean" else reduction, size_average, reduce)
    if not input.array.dtype.kind == target.array.dtype.kind == "f":
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:  # here and below PyTorch's compiler evaluates the right side first
        distance = target - input
        values = target.exp() * distance
    else:
        product = target * input
        values = rows.xlogy(target, target) - product
    total = reduced(values, number)
    return total / input.array.shape[0] if reduction == "batchmean" and input.array.ndim else total


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: Any = None,
    eps: float = 1e-8,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log-likelihood of counts; `input` is the (log of the) expected count."""
    number = reduction_number(reduction, size_average, reduce)
    if log_input:
        product = target * input
        values = input.exp() - product
    else:
        values = input - target * rows.add__Scalar(input, eps).log()
    if full:
        extra = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        values = values + extra.masked_fill(target <= 1, 0)
    return reduced(values, number)


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """Return the negative log-likelihood of normal numbers of mean `input` and variance `var`."""
    number = reduction_number(reduction)
    if not isinstance(var, Tensor):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = beside(input, np.full_like(input.array, var))
    if var.array.shape != input.array.shape and var.array.shape == input.array.shape[:-1]:
        var = var.unsqueeze(-1)
    if (var.array < 0).any():
        raise ValueError("var has negative entry/entries")
    var = var.clone()
    events.overwriting(var.array)
    np.maximum(var.array, var.array.dtype.type(eps), out=var.array)
    values = 0.5 * (var.log() + (input - target) ** 2 / var)
    return reduced(values + 0.5 * math.log(2 * math.pi) if full else values, number)


# ----- margins ----------------------------------------------------------------------------------
def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return x where the target is 1, and what is missing to the margin where it is -1."""
    number = reduction_number(reduction, size_average, reduce)
    zeros = beside(input, np.zeros_like(input.array))
    apart = rows.where(beside(target, target.array != 1), rows.clamp_min(minus(margin, input), 0), zeros)
    near = rows.where(beside(target, target.array != -1), input, zeros)
    return reduced(apart + near, number)


def minus(number: float, input: Tensor) -> Tensor:
    """Return number - x as PyTorch's losses build it: a subtraction from a 0-d tensor."""
    return beside(input, np.asarray(number, input.array.dtype)) - input


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return by how much the pairs miss the wanted order."""
    number = reduction_number(reduction, size_average, reduce)
    values = rows.clamp_min(rows.add__Scalar(-target * (input1 - input2), margin), 0)
    return reduced(values, number)


def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """Return log(1 + exp(-target * x))."""
    return rows.soft_margin_loss(input, target, reduction_number(reduction, size_average, reduce))


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return by how much the positive is not nearer than the negative by the margin."""
    number = reduction_number(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = far.minimum(pairwise_distance(positive, negative, p, eps))
    return reduced(rows.clamp_min(rows.add__Scalar(near, margin) - far, 0), number)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Any = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return by how much the positive is not nearer than the negative, by any distance."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return reduced(rows.clamp_min(margin + near - far, 0), REDUCTIONS[reduction])


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return 1 - cos where the target is 1, and what exceeds the margin where it is -1."""
    number = reduction_number(reduction, size_average, reduce)
    dim = target.array.ndim
    product = (input1 * input2).sum(dim)
    lengths = [rows.add__Scalar((x * x).sum(dim), 1e-12) for x in (input1, input2)]
    cosine = product / (lengths[0] * lengths[1]).sqrt()
    zeros = beside(cosine, np.zeros_like(cosine.array))
    near, apart = minus(1, cosine), rows.clamp_min(rows.sub__Scalar(cosine, margin), 0)
    near = rows.where(beside(target, target.array == 1), near, zeros)
    apart = rows.where(beside(target, target.array == -1), apart, zeros)
    return reduced(near + apart, number)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return by how much the other classes come within the margin of the right one."""
    number = reduction_number(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    return rows.multi_margin_loss(input, target, p, margin, weight, number)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return binary cross entropy of sigmoid(input), averaged over the classes."""
    number = reduction_number(reduction, size_average, reduce)
    values = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        values = values * weight
    last = input.array.ndim - 1
    return reduced(values.sum(last) / input.array.shape[last], number)
