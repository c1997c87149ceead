"""Normalising layers: of each sample, each channel, each group of channels."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine import modes
from engine.ops import errors
from engine.ops.table import F, op

# fmt: off

inner = partial(op, spelled="")


def standardised(x: np.ndarray, axes: tuple, eps: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (x - mean) / sqrt(variance + eps) in float64, with the mean and the reciprocal of the root."""
    x = x.astype(np.float64)
    mean = x.mean(axes, keepdims=True)
    rstd = 1 / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + eps)
    return (x - mean) * rstd, mean, rstd


def affine(x: np.ndarray, weight, bias) -> np.ndarray:
    """Return x * weight + bias, of whichever is given."""
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def through_standardised(grad, normal, rstd, dims):
    """Return the rule of standardising: (g - mean(g) - normal * mean(g * normal)) * rstd."""
    return (grad - grad.mean(dims, True) - normal * (grad * normal).mean(dims, True)) * rstd


def _to_standardised(grad_output, input, mean, rstd):
    """Return the same for the last dimension of arrays, in the steps and roundings of PyTorch's kernels.

    Gradients through a normalisation often cancel to almost 0; what is left is what rounding made of it.
    """
    part = input.dtype.type(1 / input.shape[-1])
    with_input, alone = (grad_output * input).sum(-1, keepdims=True), grad_output.sum(-1, keepdims=True)
    slope = (alone * mean - with_input) * rstd * rstd * rstd * part
    return rstd * grad_output + slope * input + (-slope * mean - alone * rstd * part)


inner("_to_standardised", _to_standardised)


def by_weight(grad, weight):
    """Multiply by the weight, if there is one."""
    return grad if weight is None else grad * weight


TO_INPUT = "rstd * (g - g.mean(dim) - x * (g * x).mean(dim)), g = grad * weight, x = (input - mean) * rstd"
TO_WEIGHT = "(grad * (input - mean) * rstd).sum(all but the weight's dimensions)"
TO_BIAS = "grad.sum(all but the bias's dimensions)"
TEXTS = {"input": TO_INPUT, "weight": TO_WEIGHT, "bias": TO_BIAS}


# ----- each sample: layer_norm ----------------------------------------------------------------------
def _layer_norm(input, weight, bias, normalized_shape, eps):
    n = len(normalized_shape)
    if tuple(input.shape[input.ndim - n :]) != tuple(normalized_shape):
        raise RuntimeError(errors.normalized_shape(normalized_shape, input.shape))
    normal, mean, rstd = standardised(input, tuple(range(input.ndim - n, input.ndim)), eps)
    return tuple(a.astype(input.dtype) for a in (affine(normal, weight, bias), mean, rstd))


def last(tensor, normalized_shape) -> tuple[int, ...]:
    """Return the dimensions that are normalised: the last ones."""
    return tuple(range(len(tensor.shape) - len(normalized_shape), len(tensor.shape)))


def statistics(input, dims, eps, saved):
    """Return mean and reciprocal deviation: the saved ones, or new ones if they are to be differentiated."""
    if not modes.is_grad_enabled():
        return saved
    mean = input.mean(dims, True)
    return mean, (((input - mean) ** 2).mean(dims, True) + eps).rsqrt()


def layer_input(grad, input, weight, saved, normalized_shape, eps):
    """Return the rule of layer_norm for its input."""
    dims = last(input, normalized_shape)
    mean, rstd = statistics(input, dims, eps, saved)
    grad = by_weight(grad, weight)
    if modes.is_grad_enabled():
        return through_standardised(grad, (input - mean) * rstd, rstd, dims)
    rows = [t.reshape((*t.shape[: -len(dims)], -1)) for t in (grad, input, mean, rstd)]
    return F._to_standardised(*rows).reshape(tuple(input.shape))


def layer_weight(grad, input, saved, normalized_shape, eps):
    """Return the rule of layer_norm for its weight."""
    mean, rstd = statistics(input, last(input, normalized_shape), eps, saved)
    return leading_sum(grad * ((input - mean) * rstd), normalized_shape)


def leading_sum(grad, normalized_shape):
    """Sum over every dimension that is not normalised."""
    lead = tuple(range(len(grad.shape) - len(normalized_shape)))
    return grad.sum(lead) if lead else grad


inner("native_layer_norm", _layer_norm, node="NativeLayerNormBackward0", outputs=3, flows=1, formulas=TEXTS,
   shows=("bias", "weight", "input", "result1", "result2", "normalized_shape"), hides=("eps",),
   input=lambda grad, input, weight, result1, result2, normalized_shape, eps:
   layer_input(grad, input, weight, (result1, result2), normalized_shape, eps),
   weight=lambda grad, input, result1, result2, normalized_shape, eps:
   layer_weight(grad, input, (result1, result2), normalized_shape, eps),
   bias=lambda grad, normalized_shape: leading_sum(grad, normalized_shape))


# ----- each channel: batch_norm ---------------------------------------------------------------------
def _batch_norm(input, weight, bias, running_mean, running_var, training, eps):
    axes = (0, *range(2, input.ndim))
    if training:
        normal, mean, rstd = standardised(input, axes, eps)
    else:
        shape = (1, -1, *(1,) * (input.ndim - 2))
        mean = running_mean.astype(np.float64).reshape(shape)
        rstd = 1 / np.sqrt(running_var.astype(np.float64).reshape(shape) + eps)
        normal = (input - mean) * rstd
    lined = [None if p is None else along_channels(p, input.ndim) for p in (weight, bias)]
    saved = (mean.reshape(-1), rstd.reshape(-1)) if training else (np.zeros(0), np.zeros(0))
    return tuple(a.astype(input.dtype) for a in (affine(normal, *lined), *saved))


def along_channels(values, ndim: int):
    """Return one value per channel in a shape that broadcasts over (N, C, ...)."""
    return values.reshape((1, -1, *(1,) * (ndim - 2)))


def channel_statistics(input, saved, running, eps, training):
    """Return mean and reciprocal deviation per channel as the forward used them."""
    ndim = len(input.shape)
    if not training:
        return along_channels(running[0], ndim), along_channels((running[1] + eps).rsqrt(), ndim)
    if not modes.is_grad_enabled():
        return along_channels(saved[0], ndim), along_channels(saved[1], ndim)
    return statistics(input, (0, *range(2, ndim)), eps, saved)


def _batch_input(grad_output, input, weight, mean, rstd):
    """Return the same for arrays, rounded where PyTorch's kernel rounds: gradients here often cancel."""
    axes, count = (0, *range(2, input.ndim)), input.dtype.type(input.size // mean.size)
    away = input - mean
    share = (grad_output * away).sum(axes, keepdims=True) * rstd * rstd / count
    out = (grad_output - grad_output.sum(axes, keepdims=True) / count - away * share) * rstd
    return out if weight is None else out * weight


inner("_batch_norm_to_input", _batch_input)


def batch_input(grad, input, weight, statistics, training):
    """Return the rule of batch_norm for its input; fixed statistics only scale."""
    mean, rstd = statistics
    if training and not modes.is_grad_enabled():
        lined = None if weight is None else along_channels(weight, len(input.shape))
        return F._batch_norm_to_input(grad, input, lined, mean, rstd)
    grad = by_weight(grad, None if weight is None else along_channels(weight, len(input.shape)))
    if not training:
        return grad * rstd
    return through_standardised(grad, (input - mean) * rstd, rstd, (0, *range(2, len(input.shape))))


def channel_sum(grad):
    """Sum over everything but the channels."""
    return grad.sum((0, *range(2, len(grad.shape))))


def batch_weight(grad, input, statistics):
    """Return the rule of batch_norm for its weight."""
    mean, rstd = statistics
    return channel_sum(grad * ((input - mean) * rstd))


inner("native_batch_norm", _batch_norm, node="NativeBatchNormBackward0", outputs=3, flows=1,
   formulas={**TEXTS, "input": "grad * weight * rstd, less what the batch's own mean and variance take back"},
   shows=("eps", "input", "running_mean", "running_var", "training", "weight", "result1", "result2"),
   input=lambda grad, input, weight, result1, result2, running_mean, running_var, eps, training:
   batch_input(grad, input, weight, channel_statistics(
       input, (result1, result2), (running_mean, running_var), eps, training), training),
   weight=lambda grad, input, result1, result2, running_mean, running_var, eps, training:
   batch_weight(grad, input, channel_statistics(
       input, (result1, result2), (running_mean, running_var), eps, training)),
   bias=lambda grad: channel_sum(grad))


# ----- each group of channels: group_norm -----------------------------------------------------------
def _group_norm(input, weight, bias, N, C, HxW, group, eps):
    normal, mean, rstd = standardised(input.reshape(N, group, -1), (2,), eps)
    lined = [None if p is None else along_channels(p, input.ndim) for p in (weight, bias)]
    results = (affine(normal.reshape(input.shape), *lined), mean.reshape(N, group), rstd.reshape(N, group))
    return tuple(a.astype(input.dtype) for a in results)


def grouped(tensor, N, group):
    """Return (N, groups, everything else)."""
    return tensor.reshape((N, group, -1))


def group_input(grads, input, weight, saved, N, group, eps):
    """Return the rule of group_norm for its input, through each of its three results."""
    x = grouped(input, N, group)
    mean, rstd = group_statistics(x, saved, eps)
    normal, total = (x - mean) * rstd, None
    if grads[0] is not None:
        grad = by_weight(grads[0], None if weight is None else along_channels(weight, len(input.shape)))
        grad = grouped(grad, N, group)
        if modes.is_grad_enabled():
            total = through_standardised(grad, normal, rstd, (2,))
        else:
            total = F._to_standardised(grad, x, mean, rstd)
    if grads[1] is not None:
        part = (grads[1].unsqueeze(2) / x.shape[2]).expand(tuple(x.shape))
        total = part if total is None else total + part
    if grads[2] is not None:
        part = grads[2].unsqueeze(2) * -normal * rstd ** 2 / x.shape[2]
        total = part if total is None else total + part
    return total.reshape(tuple(input.shape))


def group_weight(grad, input, saved, N, group, eps):
    """Return the rule of group_norm for its weight."""
    x = grouped(input, N, group)
    mean, rstd = group_statistics(x, saved, eps)
    return channel_sum(grad * ((x - mean) * rstd).reshape(tuple(input.shape)))


def group_statistics(x, saved, eps):
    """Return mean and reciprocal deviation of each group."""
    return statistics(x, (2,), eps, tuple(s.unsqueeze(2) for s in saved))


inner("native_group_norm", _group_norm, node="NativeGroupNormBackward0", outputs=3,
   formulas={name: text.replace("grad", "grads[0]") for name, text in TEXTS.items()},
   shows=("N", "C", "HxW", "group", "eps", "input", "weight", "result1", "result2"),
   input=lambda grads, input, weight, result1, result2, N, group, eps:
   group_input(grads, input, weight, (result1, result2), N, group, eps),
   weight=lambda grads, input, result1, result2, N, group, eps:
   None if grads[0] is None else group_weight(grads[0], input, (result1, result2), N, group, eps),
   bias=lambda grads: None if grads[0] is None else channel_sum(grads[0]))
