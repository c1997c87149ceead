"""torch.nn.utils.rnn: sequences of different lengths side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import create
from engine.tensor import Tensor, make

__all__ = ["pad_sequence", "unpad_sequence"]


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Return sequences in one tensor, the shorter ones filled up."""
    parts = list(sequences)
    longest = max(p.array.shape[0] for p in parts)
    shape = (longest, *parts[0].array.shape[1:])
    size = (len(parts), *shape) if batch_first else (longest, len(parts), *shape[1:])
    out = create.full(size, padding_value, dtype=parts[0].dtype)
    for i, part in enumerate(parts):
        length = part.array.shape[0]
        rows = slice(0, length) if padding_side == "right" else slice(longest - length, longest)
        if batch_first:
            out[i, rows] = part
        else:
            out[rows, i] = part
    return out


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list:
    """Return the sequences without what was filled up."""
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    longest = padded_sequences.array.shape[1]
    steps = np.arange(longest)
    return [
        padded_sequences[i][make(steps < length)] for i, length in enumerate(lengths.array.ravel().tolist())
    ]
