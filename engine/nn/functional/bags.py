"""Bags of embeddings, and losses over alignments and several labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import create
from engine.errors import bags as words
from engine.nn.functional.layers import renormalised
from engine.nn.functional.losses import reduction_number
from engine.ops.table import F as rows
from engine.tensor import Tensor, beside

MODES = {"sum": 0, "mean": 1, "max": 2}


def embedding_bag(
    input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None,
    norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
    per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:  # fmt: skip
    """Return the sum, mean or maximum of the rows of `weight` that each bag of indices names."""
    if per_sample_weights is not None and input.array.shape != per_sample_weights.array.shape:
        raise ValueError(words.weights_shape(input.shape, per_sample_weights.shape))
    if not weight.array.ndim == 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.array.ndim}")
    if input.array.ndim == 2:
        if offsets is not None:
            raise ValueError(words.offsets_of_rows(offsets))
        count, length = input.array.shape
        offsets = create.arange(0, input.array.size, max(length, 1))[:count]
        input = input.reshape((-1,))
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape((-1,))
    elif input.array.ndim == 1:
        if offsets is None:
            raise ValueError(words.OFFSETS_MISSING)
        if offsets.array.ndim != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.array.ndim}")
    if mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(words.weights_mode(mode))
    if max_norm is not None:
        renormalised(weight, input, max_norm, norm_type)
    padding = -1 if padding_idx is None else padding_idx % weight.array.shape[0]
    return rows.embedding_bag(
        weight, input, offsets, scale_grad_by_freq, MODES[mode], sparse, per_sample_weights,
        include_last_offset, padding,
    )[0]  # fmt: skip


def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """Return by how much other classes come within 1 of those that an example has."""
    number = reduction_number(reduction, size_average, reduce)
    words.check_labels(input.array, target.array, target.dtype)
    return rows.multilabel_margin_loss(input, target, number)[0]


def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: str = "mean", zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    """Return minus the logarithm of the probability of each labelling, over all its alignments."""
    number = reduction_number(reduction)
    lengths, counts = (listed(value) for value in (input_lengths, target_lengths))
    alone = log_probs.array.ndim == 2
    batch = log_probs.unsqueeze(1) if alone else log_probs
    words.check_alignment(batch.array.shape, targets.array.shape, lengths, counts, blank)
    loss = rows._ctc_loss(batch, targets, lengths, counts, blank, zero_infinity)[0]
    if zero_infinity:
        loss = rows.where(loss == np.inf, create.zeros((), dtype=loss.dtype), loss)
    if number == 1:
        return (loss / beside(loss, np.maximum(counts, 1).astype(loss.array.dtype))).mean()
    if number == 2:
        return loss.sum()
    return loss.squeeze(0) if alone else loss


def listed(lengths: Any) -> tuple[int, ...]:
    """Return lengths as whole numbers, however they were given."""
    if isinstance(lengths, Tensor):
        lengths = lengths.array.reshape(-1).tolist()
    return tuple([int(n) for n in (lengths if isinstance(lengths, (list, tuple)) else [lengths])])
