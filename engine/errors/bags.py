"""Messages about bags of embeddings, alignments and several labels at once."""

from __future__ import annotations

from typing import Any

import numpy as np

OFFSETS_MISSING = "offsets has to be a 1D Tensor but got None"


def offsets_of_rows(offsets: Any) -> str:
    return (
        "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
        f"sequences. However, found offsets of type <class 'torch.{type(offsets).__name__}'>"
    )


def weights_shape(input: Any, weights: Any) -> str:
    return (
        f"embedding_bag: If per_sample_weights ({weights}) is not None, then it must have the same shape as "
        f"the input ({input})"
    )


def weights_mode(mode: str) -> str:
    return (
        "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
        f"(got mode='{mode}'). Please open a feature request on GitHub."
    )


def embedding_bag_refused(table: tuple, indices: np.ndarray, offsets: np.ndarray, dtype: Any) -> None:
    """Refuse indices and offsets that name no rows, or no bags."""
    if indices.dtype not in (np.int64, np.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {dtype.type_name} instead (while checking arguments for embedding_bag)"
        )
    if offsets.size and offsets[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position "
            f"0. However, got {offsets[0]}\n[ torch.LongTensor{{}} ]"
        )
    if offsets.size and offsets[-1] > indices.size:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {indices.size} but got offsets[-1] of "
            f"{offsets[-1]}"
        )
    wrong = np.flatnonzero((indices < 0) | (indices >= table[0]))
    if wrong.size:
        raise RuntimeError(
            f"Index {wrong[0]} of input takes value {indices[wrong[0]]} which is not in the valid range "
            f"[0, {table[0]})"
        )


def check_labels(scores: np.ndarray, target: np.ndarray, dtype: Any) -> None:
    """Refuse targets that do not fit the scores."""
    if scores.shape != target.shape:
        raise RuntimeError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(scores.shape)}"
        )
    if target.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {dtype.short}")
    if target.size and (target.min() < -1 or target.max() >= scores.shape[-1]):
        raise RuntimeError("argument #2 'target' is out of range")


def check_alignment(probs: tuple, targets: tuple, lengths: tuple, counts: tuple, blank: int) -> None:
    """Refuse lengths that do not fit the sequences or the labels."""
    steps, batch, classes = probs
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    for name, given in (("input_lengths", lengths), ("target_lengths", counts)):
        if len(given) != batch:
            raise RuntimeError(f"{name} must be of size batch_size")
    where = "(while checking arguments for ctc_loss_allocate_outputs)"
    if len(targets) > 1 and targets[1] < max(counts, default=0):
        raise RuntimeError(
            f"Expected tensor to have size at least {max(counts)} at dimension 1, but got size {targets[1]} "
            f"for argument #2 'targets' {where}"
        )
    for length in lengths:
        if length > steps:
            raise RuntimeError(
                f"Expected input_lengths to have value at most {steps}, but got value {length} {where}"
            )
