"""Attention as a function: softmax(q k^T / sqrt(d)) v."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.apply import needs_grad
from engine.nn.functional.layers import dropout
from engine.ops.table import F as rows
from engine.tensor import Tensor, beside


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Return values averaged by how well their keys match each query."""
    if is_causal and attn_mask is not None:
        raise RuntimeError("Explicit attn_mask should not be set when is_causal=True")
    if query.array.ndim == 4 and not dropout_p and not needs_grad(attn_mask):
        mask = bias_of(attn_mask, False, query)
        return rows._scaled_dot_product_flash_attention_for_cpu(
            query, key, value, 0.0, is_causal, mask, scale
        )[0]
    root = math.sqrt(1 / math.sqrt(query.array.shape[-1]) if scale is None else scale)
    scores = rows.mul__Scalar(query, root) @ rows.mul__Scalar(key.transpose(-2, -1), root)
    mask = bias_of(attn_mask, is_causal, scores)
    weights = rows._safe_softmax(scores if mask is None else scores + mask, -1)
    return dropout(weights, dropout_p) @ value


def bias_of(mask: Any, is_causal: bool, scores: Tensor) -> Tensor | None:
    """Return a mask as numbers to add: 0 where attention is allowed, -inf where it is not."""
    if is_causal:
        mask = beside(scores, np.tri(*scores.array.shape[-2:], dtype=bool))
    if mask is None or mask.array.dtype.kind != "b":
        return mask
    kind = scores.array.dtype.type
    return beside(mask, np.where(mask.array, kind(0), kind(-np.inf)))
