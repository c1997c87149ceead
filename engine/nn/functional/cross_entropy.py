"""Cross entropies as functions: how surprised predicted probabilities are by what was right."""

from __future__ import annotations

import math
from typing import Any

from engine.nn import errors
from engine.nn.functional.arguments import check_tensors
from engine.nn.functional.losses import reduction_number
from engine.ops.table import F as rows
from engine.tensor import Tensor, beside


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return how surprised softmax(input) is by the target: class numbers, or a probability per class."""
    check_tensors("cross_entropy_loss", input=input, target=target)
    number = reduction_number(reduction, size_average, reduce)
    dim = 0 if input.array.ndim == 1 else 1
    if input.array.shape == target.array.shape:
        if not target.dtype.is_floating_point:
            raise RuntimeError(errors.probability_dtype(target.dtype))
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return _with_probabilities(input, target, weight, number, label_smoothing, dim)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    logs = input.log_softmax(dim)
    if label_smoothing > 0.0:
        return _smoothed(logs, target, weight, number, ignore_index, label_smoothing, dim)
    return _nll(logs, target, weight, number, ignore_index)


def _with_probabilities(input, target, weight, number, smoothing, dim) -> Tensor:
    """Cross entropy with a probability per class; composed as in PyTorch."""
    logs = input.log_softmax(dim)
    if smoothing > 0.0:
        share = smoothing / input.array.shape[dim]
        target = rows.add__Scalar(rows.mul__Scalar(target, 1 - smoothing), share)
    terms = logs * target
    if weight is not None:
        shape = [1] * input.array.ndim
        shape[dim] = weight.array.shape[0]
        terms = terms * weight.view(shape)
    if number == 0:
        return -terms.sum(dim)
    total = -terms.sum()
    if number == 2:
        return total
    rows_of = 1 if input.array.ndim == 1 else input.array.size // input.array.shape[1]
    return rows.div__Scalar(total, rows_of)


def _smoothed(logs, target, weight, number, ignore_index, smoothing, dim) -> Tensor:
    """Cross entropy with part of the target spread over all classes; composed as in PyTorch."""
    nll = _nll(logs, target, weight, number, ignore_index)
    if weight is not None:
        shape = [1] * logs.array.ndim
        shape[dim] = weight.array.shape[0]
        smooth = -(logs * weight.view(shape)).sum(dim)
    else:
        smooth = -logs.sum(dim)
    ignored = beside(target, target.array == ignore_index)
    smooth = smooth.masked_fill(ignored, 0.0)
    if number == 1 and weight is not None:
        kept = weight.array[target.array[~ignored.array]]
        smooth = smooth.sum() / beside(target, kept.sum())
    elif number == 1:
        smooth = smooth.sum() / beside(target, ignored.array.size - ignored.array.sum())
    elif number == 2:
        smooth = smooth.sum()
    share = smoothing / logs.array.shape[dim]
    spread = rows.mul__Scalar(smooth, share)  # PyTorch's compiler evaluates the right side first
    return rows.add(rows.mul__Scalar(nll, 1 - smoothing), spread)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return -input at the target's class; `input` holds log-probabilities."""
    return _nll(input, target, weight, reduction_number(reduction, size_average, reduce), ignore_index)


def _nll(input: Tensor, target: Tensor, weight: Any, number: int, ignore_index: int) -> Tensor:
    dims = input.array.ndim
    if dims != 1 and input.array.shape[0] != (target.array.shape or (1,))[0]:
        raise ValueError(errors.batch_sizes(input.array.shape[0], (target.array.shape or (1,))[0]))
    if dims <= 2:
        if target.array.ndim > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if weight is not None and weight.array.shape != input.array.shape[-1:]:
            raise RuntimeError(errors.class_weights(input.array.shape[-1], weight.array.shape))
        return rows.nll_loss(input, target, weight, number, ignore_index)[0]
    n, c, *rest = input.array.shape
    if (n, *rest) != target.array.shape:
        raise RuntimeError(f"Expected target size {[n, *rest]}, got {list(target.array.shape)}")
    if dims == 4:
        return rows.nll_loss2d(input, target, weight, number, ignore_index)[0]
    flat = math.prod(rest)
    input, target = input.reshape(n, c, 1, flat), target.reshape(n, 1, flat)
    out = rows.nll_loss2d(input, target, weight, number, ignore_index)[0]
    return out.view(n, *rest) if number == 0 else out


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return how surprised probabilities are by targets between 0 and 1."""
    number = reduction_number(reduction, size_average, reduce)
    if target.array.shape != input.array.shape:
        raise ValueError(errors.bce_sizes(target.shape, input.shape))
    if weight is not None:
        weight = weight.expand(input.array.shape)
    return rows.binary_cross_entropy(input, target, weight, number)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Return binary cross entropy of sigmoid(input), computed so that it cannot overflow."""
    number = reduction_number(reduction, size_average, reduce)
    if target.array.shape != input.array.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    return rows.binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)
