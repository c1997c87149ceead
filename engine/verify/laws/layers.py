"""Layers as one operation: normalisations and attention."""

from __future__ import annotations

import math

import numpy as np

from engine.verify.laws.reductions import softmax
from engine.verify.laws.table import SPARED, law


# ----- normalisations -----------------------------------------------------------------------------
def standard(x, axes, eps):
    """Return x with mean 0 and variance 1 over axes, the mean, and one over the deviation."""
    mean = np.mean(x, axes, keepdims=True)
    rstd = 1 / np.sqrt(np.mean((x - mean) ** 2, axes, keepdims=True) + eps)
    return (x - mean) * rstd, mean, rstd


def standard_slope(g, normal, rstd, axes):
    """Return what a standardised tensor passes back: without its mean and its part along `normal`."""
    along = np.mean(g * normal, axes, keepdims=True)
    return rstd * (g - np.mean(g, axes, keepdims=True) - normal * along)


def lined(p, ndim):
    """Return one number per channel in a shape that broadcasts over (N, C, ...)."""
    return p if p is None else p.reshape(-1, *(1,) * (ndim - 2))


def scaled(x, weight, bias=None):
    """Return x * weight + bias, of whichever there is."""
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def last(x, shape):
    """Return the dimensions that a layer norm runs over: the last ones."""
    return tuple(range(x.ndim - len(shape), x.ndim))


def lead(x, shape):
    """Return the other dimensions."""
    return tuple(range(x.ndim - len(shape)))


def layer_norm(input, weight, bias, normalized_shape, eps):
    """Return the layer norm, the means, and one over the deviations."""
    normal, mean, rstd = standard(input, last(input, normalized_shape), eps)
    return scaled(normal, weight, bias), mean, rstd


def layer_slope(g, input, weight, normalized_shape, eps):
    """Return the derivative of a layer norm by its input."""
    axes = last(input, normalized_shape)
    return standard_slope(scaled(g, weight), *standard(input, axes, eps)[::2], axes)


def before_cancelling(g, rstd, axes):
    """Return how large the parts are that `standard_slope` takes from each other."""
    return np.zeros(g.shape) + rstd * np.max(np.abs(g), axes, keepdims=True, initial=0)


layer_slope.rough = lambda g, input, weight, normalized_shape, eps: before_cancelling(
    scaled(g, weight),
    standard(input, last(input, normalized_shape), eps)[2],
    last(input, normalized_shape),
)


law(
    "native_layer_norm",
    layer_norm,
    "NativeLayerNormBackward0",
    input=layer_slope,
    weight=lambda g, input, normalized_shape, eps: np.sum(
        g * standard(input, last(input, normalized_shape), eps)[0], lead(input, normalized_shape)
    ),
    bias=lambda g, normalized_shape: np.sum(g, lead(g, normalized_shape)),
)


def channel_axes(x):
    """Return every dimension but that of the channels."""
    return (0, *range(2, x.ndim))


def batch_standard(input, running_mean, running_var, training, eps):
    """Return what batch norm standardises to: by the batch itself, or by what it has seen before."""
    if training:
        return standard(input, channel_axes(input), eps)
    mean, rstd = lined(running_mean, input.ndim), 1 / np.sqrt(lined(running_var, input.ndim) + eps)
    return (input - mean) * rstd, mean, rstd


def batch_norm(input, weight, bias, training, eps, running_mean=SPARED, running_var=SPARED):
    """Return the batch norm, and the batch's means and one over its deviations if it was trained on."""
    normal, mean, rstd = batch_standard(input, running_mean, running_var, training, eps)
    out = scaled(normal, lined(weight, input.ndim), lined(bias, input.ndim))
    return (out, np.ravel(mean), np.ravel(rstd)) if training else (out, np.zeros(0), np.zeros(0))


def batch_slope(g, input, weight, training, eps, running_mean=SPARED, running_var=SPARED):
    """Return the derivative of batch norm by its input."""
    normal, _, rstd = batch_standard(input, running_mean, running_var, training, eps)
    g = scaled(g, lined(weight, input.ndim))
    return standard_slope(g, normal, rstd, channel_axes(input)) if training else g * rstd


def batch_rough(g, input, weight, training, eps, running_mean=SPARED, running_var=SPARED):
    """Return how large the parts of a batch norm's derivative are."""
    rstd = batch_standard(input, running_mean, running_var, training, eps)[2]
    return before_cancelling(scaled(g, lined(weight, input.ndim)), rstd, channel_axes(input))


batch_slope.rough = batch_rough


law(
    "native_batch_norm",
    batch_norm,
    "NativeBatchNormBackward0",
    input=batch_slope,
    weight=lambda g, input, training, eps, running_mean=SPARED, running_var=SPARED: np.sum(
        g * batch_standard(input, running_mean, running_var, training, eps)[0], channel_axes(input)
    ),
    bias=lambda g: np.sum(g, channel_axes(g)),
)


def in_groups(x, N, group):
    """Return (samples, groups, all the rest)."""
    return x.reshape(N, group, -1)


def group_norm(input, weight, bias, N, group, eps):
    """Return the group norm, the means, and one over the deviations."""
    normal, mean, rstd = standard(in_groups(input, N, group), (2,), eps)
    out = scaled(normal.reshape(input.shape), lined(weight, input.ndim), lined(bias, input.ndim))
    return out, mean.reshape(N, group), rstd.reshape(N, group)


def group_slope(gs, input, weight, N, group, eps):
    """Return the derivative of group norm by its input, through each of its results."""
    x = in_groups(input, N, group)
    normal, _, rstd = standard(x, (2,), eps)
    back = np.zeros(x.shape)
    if gs[0] is not None:
        back += standard_slope(
            in_groups(scaled(gs[0], lined(weight, input.ndim)), N, group), normal, rstd, (2,)
        )
    if gs[1] is not None:
        back += gs[1][..., None] / x.shape[2]
    if gs[2] is not None:
        back -= gs[2][..., None] * normal * rstd**2 / x.shape[2]
    return back.reshape(input.shape)


def group_rough(gs, input, weight, N, group, eps):
    """Return how large the parts of a group norm's derivative are."""
    g = in_groups(scaled(gs[0], lined(weight, input.ndim)), N, group)
    return before_cancelling(g, standard(in_groups(input, N, group), (2,), eps)[2], (2,)).reshape(input.shape)


group_slope.rough = group_rough


law(
    "native_group_norm",
    group_norm,
    "NativeGroupNormBackward0",
    input=group_slope,
    weight=lambda g, input, N, group, eps: np.sum(
        g * standard(in_groups(input, N, group), (2,), eps)[0].reshape(input.shape), channel_axes(input)
    ),
    bias=lambda g: np.sum(g, channel_axes(g)),
)


# ----- attention ----------------------------------------------------------------------------------
def scores(query, key, is_causal, attn_mask, scale):
    """Return how much each query looks at each key, before softmax, and the factor in it."""
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    found = query @ np.swapaxes(key, -1, -2) * factor
    if attn_mask is not None:
        found = np.where(attn_mask, found, -np.inf) if attn_mask.dtype == bool else found + attn_mask
    if is_causal:
        found = np.where(np.tri(*found.shape[-2:], dtype=bool), found, -np.inf)
    return found, factor


def attention(query, key, value, is_causal=False, attn_mask=None, scale=None):
    """Return the values, mixed by how much each is looked at, and the logarithms of the sums."""
    found, _ = scores(query, key, is_causal, attn_mask, scale)
    top = np.max(found, -1, keepdims=True)
    return softmax(found, -1) @ value, (np.log(np.sum(np.exp(found - top), -1)) + top[..., 0])


def score_slope(g, query, key, value, is_causal, attn_mask, scale):
    """Return what the scores get, times their factor."""
    found, factor = scores(query, key, is_causal, attn_mask, scale)
    weights, flow = softmax(found, -1), g @ np.swapaxes(value, -1, -2)
    return weights * (flow - np.sum(weights * flow, -1, keepdims=True)) * factor


law(
    "_scaled_dot_product_flash_attention_for_cpu",
    attention,
    "ScaledDotProductFlashAttentionForCpuBackward0",
    query=lambda g, query, key, value, is_causal=False, attn_mask=None, scale=None: (
        score_slope(g, query, key, value, is_causal, attn_mask, scale) @ key
    ),
    key=lambda g, query, key, value, is_causal=False, attn_mask=None, scale=None: (
        np.swapaxes(score_slope(g, query, key, value, is_causal, attn_mask, scale), -1, -2) @ query
    ),
    value=lambda g, query, key, is_causal=False, attn_mask=None, scale=None: (
        np.swapaxes(softmax(scores(query, key, is_causal, attn_mask, scale)[0], -1), -1, -2) @ g
    ),
)
