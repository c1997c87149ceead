"""Scaled dot-product attention as the one node that PyTorch's CPU build makes of it."""

from __future__ import annotations

import math

import numpy as np

from engine.ops.table import F, op

# fmt: off


def _scores(query, key, attn_mask, is_causal, scale):
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = query.astype(np.float64) @ np.swapaxes(key, -1, -2) * factor
    if attn_mask is not None:
        scores = np.where(attn_mask, scores, -np.inf) if attn_mask.dtype == np.bool_ else scores + attn_mask
    if is_causal:
        rows, columns = scores.shape[-2:]
        scores = np.where(np.tri(rows, columns, dtype=bool), scores, -np.inf)
    return scores


def _attention(query, key, value, dropout_p=0.0, is_causal=False, attn_mask=None, scale=None):
    scores = _scores(query, key, attn_mask, is_causal, scale)
    top = scores.max(-1, keepdims=True)
    logsumexp = np.log(np.exp(scores - top).sum(-1, keepdims=True)) + top
    output = (np.exp(scores - logsumexp) @ value.astype(np.float64)).astype(query.dtype)
    laid_out = np.ascontiguousarray(output.swapaxes(1, 2)).swapaxes(1, 2)  # rows of all heads side by side
    return laid_out, logsumexp[..., 0].astype(query.dtype)


def attended(query, key, is_causal, attn_mask, scale):
    """Return the attention weights and the factor of the scores, from tensors."""
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = query @ key.transpose(-2, -1) * factor
    if attn_mask is not None:
        if attn_mask.array.dtype == np.bool_:
            scores = scores.masked_fill(attn_mask.logical_not(), -math.inf)
        else:
            scores = scores + attn_mask
    if is_causal:
        hidden = F.new_ones(scores, tuple(scores.shape[-2:])).triu(1) > 0
        scores = scores.masked_fill(hidden, -math.inf)
    return F.softmax(scores, -1), factor


def score_slope(grad, query, key, value, options):
    """Return the gradient of the scores: that of a softmax whose result was multiplied by value."""
    weights, factor = attended(query, key, *options)
    flow = grad @ value.transpose(-2, -1)
    return weights * (flow - (flow * weights).sum(-1, True)) * factor


SLOPE = "weights * (grad @ value.T - (grad @ value.T * weights).sum(-1)) * scale"
op("_scaled_dot_product_flash_attention_for_cpu", _attention,
   node="ScaledDotProductFlashAttentionForCpuBackward0",
   outputs=("output", "logsumexp"), flows=1, shows=("output", "logsumexp", "dropout_p", "value"),
   formulas={"query": f"{SLOPE} @ key", "key": f"({SLOPE}).T @ query", "value": "weights.T @ grad"},
   query=lambda grad, query, key, value, is_causal, attn_mask, scale:
   score_slope(grad, query, key, value, (is_causal, attn_mask, scale)) @ key,
   key=lambda grad, query, key, value, is_causal, attn_mask, scale:
   score_slope(grad, query, key, value, (is_causal, attn_mask, scale)).transpose(-2, -1) @ query,
   value=lambda grad, query, key, is_causal, attn_mask, scale:
   attended(query, key, is_causal, attn_mask, scale)[0].transpose(-2, -1) @ grad)
