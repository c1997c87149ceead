"""Layers as functions: linear maps, embeddings, dropout, normalisation, padding."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine import events, modes, random
from engine import matmul as products
from engine.nn import errors
from engine.nn.functional.arguments import check_tensors
from engine.numeric.kinds import TITLE
from engine.ops.table import F as rows
from engine.tensor import Tensor, beside, make_at


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return input @ weight.T + bias."""
    check_tensors("linear", input=input, weight=weight)
    return products.linear(input, weight, bias)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return input1 @ weight[k] @ input2 for every k, plus bias."""
    check_tensors("bilinear", input1=input1, input2=input2, weight=weight)
    for i, given in enumerate((input1, input2), 1):
        if given.array.shape[-1] != weight.array.shape[i]:
            raise RuntimeError(errors.bilinear_size(i, given.array.shape[-1], weight.array.shape[i]))
    *batch, first = input1.array.shape
    left, right = input1.reshape(-1, first), input2.reshape(-1, input2.array.shape[-1])
    values = rows._trilinear(left, weight, right).reshape(*batch, weight.array.shape[0])
    return values if bias is None else values + bias


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Return the rows of `weight` that the numbers in `input` name."""
    if not isinstance(input, Tensor):
        raise TypeError(
            f"embedding(): argument 'indices' (position 2) must be Tensor, not {TITLE(type(input))}"
        )
    count = weight.array.shape[0]
    if padding_idx is None:
        padding_idx = -1
    elif not -count <= padding_idx < count:
        raise AssertionError("Padding_idx must be within num_embeddings")
    elif padding_idx < 0:
        padding_idx += count
    if input.dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(errors.index_dtype(input.dtype))
    if weight.array.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if max_norm is not None:
        renormalised(weight, input, max_norm, norm_type)
    return rows.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


def renormalised(weight: Tensor, input: Tensor, max_norm: float, norm_type: float) -> None:
    """Shorten, in place, the rows that are looked up and longer than max_norm."""
    with modes.backward_mode(False):
        for row in np.unique(input.array):
            length = float(np.linalg.norm(weight.array[row].astype(np.float64), norm_type))
            if length > max_norm:
                events.overwriting(weight.array)
                weight.array[row] *= weight.array.dtype.type(max_norm / (length + 1e-7))
        weight.bump()
    events.emit(events.MemoryWritten("buffer"))


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return zeros with a one at each class number."""
    if tensor.dtype is not dtypes.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    index = tensor.array
    if index.size and index.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        if not index.size:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        num_classes = int(index.max()) + 1
    elif index.size and index.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    made = beside(tensor, (index[..., None] == np.arange(num_classes)).astype(np.int64))
    events.emit(events.TensorMade(made))
    return made


# ----- dropout ----------------------------------------------------------------------------------
def _check_p(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def noise(shape: tuple, p: float, input: Tensor) -> Tensor:
    """Return what dropout multiplies by, as a tensor of its own that a trace can show.

    It lies in memory as the input does, and random numbers are drawn in the order of memory.
    """
    array = input.array
    if p == 1:
        made = beside(input, np.zeros((), array.dtype))
    else:
        order = memory_order(array) if shape == array.shape else tuple(range(len(shape)))
        drawn = random.default_generator().dropout_noise(p, tuple(shape[i] for i in order), array.dtype)
        made = make_at(drawn.transpose(np.argsort(order)), input.exotic, input.place)
    events.emit(events.TensorMade(made))
    return made


def memory_order(array: np.ndarray) -> tuple[int, ...]:
    """Return the dimensions from the slowest to the fastest; as they are, unless only permuted."""
    order = sorted(range(array.ndim), key=lambda i: -array.strides[i])
    return tuple(order if array.transpose(order).flags.c_contiguous else range(array.ndim))


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Return the input with each element zeroed with probability p, the others scaled up; in training "
    "only."""
    check_tensors("dropout", input=input)
    _check_p(p)
    if not training or p == 0 or not input.array.size:
        return input
    mask = noise(input.array.shape, p, input)
    return input.mul_(mask) if inplace else input * mask


def _channelwise(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """Return the input with whole channels zeroed."""
    _check_p(p)
    if not training or p == 0 or not input.array.size:
        return input
    if input.array.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    shape = (*input.array.shape[:2], *[1] * (input.array.ndim - 2))
    mask = noise(shape, p, input)
    return input.mul_(mask) if inplace else input * mask


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Return the input with whole channels of (N, C, L) zeroed."""
    _check_p(p)
    if input.array.ndim not in (2, 3):
        raise RuntimeError(errors.dropout1d(input.array.ndim))
    if input.array.ndim == 2:
        return _channelwise(input.unsqueeze(0), p, training, inplace).squeeze(0)
    return _channelwise(input, p, training, inplace)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Return the input with whole channels of (N, C, H, W) zeroed."""
    _check_p(p)
    ndim = input.array.ndim
    if ndim not in (3, 4):
        warnings.warn(errors.channel_dropout("dropout2d", ndim, 2, "3D or 4D"), UserWarning, stacklevel=2)
    if ndim == 3:
        warnings.warn(errors.DROPOUT2D, UserWarning, stacklevel=2)
    return _channelwise(input, p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Return the input with whole channels of (N, C, D, H, W) zeroed."""
    _check_p(p)
    ndim = input.array.ndim
    if ndim not in (4, 5):
        warnings.warn(errors.channel_dropout("dropout3d", ndim, 3, "4D or 5D"), UserWarning, stacklevel=2)
    if ndim == 4:
        return _channelwise(input.unsqueeze(0), p, training, inplace).squeeze(0)
    return _channelwise(input, p, training, inplace)


def _alpha(input: Tensor, p: float, training: bool, shape: tuple) -> Tensor:
    _check_p(p)
    if not training or p == 0 or not input.array.size:
        return input
    low = 1.7580993408473766
    a = 1.0 / math.sqrt((low * low * p + 1) * (1 - p))
    kind = input.array.dtype.type
    keep = random.default_generator().bernoulli_(1 - p, shape).astype(input.array.dtype)
    shift = (keep - kind(1)) * kind(low * a) + kind(low * a * p)
    return input * beside(input, keep * kind(a)) + beside(input, shift)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Return dropout for selu networks: dropped elements get selu's lowest value, mean and variance stay."""
    return _alpha(input, p, training, input.array.shape)


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Return alpha dropout of whole channels."""
    return _alpha(input, p, training, (*input.array.shape[:2], *[1] * (input.array.ndim - 2)))


# ----- normalisation ----------------------------------------------------------------------------
def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Return the input with mean 0 and variance 1 over its last dimensions, scaled and shifted."""
    if isinstance(normalized_shape, int):
        raise TypeError(
            "layer_norm(): argument 'normalized_shape' (position 2) must be tuple of ints, not int"
        )
    shape = tuple(normalized_shape)
    if not shape or input.array.shape[-len(shape) :] != shape:
        raise RuntimeError(errors.normalized_shape(shape, input.array.shape))
    _only_floats(input, "LayerNormKernelImpl")
    return rows.native_layer_norm(input, weight, bias, shape, eps)[0]


def _only_floats(input: Tensor, kernel: str) -> None:
    if not input.dtype.is_floating_point:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype.short}'")


def rms_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """Return the input divided by its root mean square over its last dimensions, scaled."""
    shape = tuple(normalized_shape)
    if input.array.shape[-len(shape) :] != shape:
        raise RuntimeError(errors.normalized_shape(shape, input.array.shape))
    eps = float(np.finfo(input.array.dtype).eps) if eps is None else eps
    dims = tuple(range(input.array.ndim - len(shape), input.array.ndim))
    square = rows.mean__dim(input**2, dims, True)
    result = input * rows.add__Scalar(square, eps).rsqrt()
    return result if weight is None else result * weight


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Return the input with mean 0 and variance 1 per channel, over the batch or by running statistics."""
    shape = input.array.shape
    if training and int(np.prod(shape)) // shape[1] == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {input.shape}"
        )
    given = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    for name, value in given.items():
        if value is None and not training and name.startswith("running"):
            raise RuntimeError(f"{name} must be defined in evaluation mode")
        if value is not None and value.array.size != shape[1]:
            raise RuntimeError(f"{name} should contain {shape[1]} elements not {value.array.size}")
    _only_floats(input, "batch_norm")
    out = rows.native_batch_norm(input, weight, bias, running_mean, running_var, training, eps)
    if training and running_mean is not None:
        _update_statistics(input.array, running_mean, running_var, momentum)
    return out[0]


def _update_statistics(array: np.ndarray, running_mean: Tensor, running_var: Tensor, momentum: float) -> None:
    """Move the running mean and the (unbiased) running variance towards this batch's, uncounted as in "
    "PyTorch."""
    dims = tuple(i for i in range(array.ndim) if i != 1)
    wide = array.astype(np.float64)
    count = array.size // array.shape[1]
    for running, now in (
        (running_mean, wide.mean(dims)),
        (running_var, wide.var(dims) * (count / (count - 1))),
    ):
        events.overwriting(running.array)
        running.array[...] = momentum * now.astype(array.dtype) + (1 - momentum) * running.array
    events.emit(events.MemoryWritten("buffer"))


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Return the input with mean 0 and variance 1 per channel and example."""
    n, c, *rest = input.array.shape
    if use_input_stats and math.prod(rest) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    repeated = [None if v is None else v.repeat(n) for v in (weight, bias)]
    wide = input.reshape(1, n * c, *rest)
    return rows.native_batch_norm(wide, *repeated, None, None, True, eps)[0].view(n, c, *rest)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Return the input with mean 0 and variance 1 per group of channels and example."""
    if input.array.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.array.ndim}")
    n, c, *rest = input.array.shape
    if c % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(input.array.shape)} and num_groups={num_groups}"
        )
    return rows.native_group_norm(input, weight, bias, n, c, math.prod(rest), num_groups, eps)[0]


# ----- padding ----------------------------------------------------------------------------------
def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Return the input with a border: pairs (before, after) from the last dimension backwards."""
    pad = tuple(pad)
    if mode == "constant":
        return rows.constant_pad_nd(input, pad, 0 if value is None else value)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    sides = len(pad) // 2
    if mode == "circular" or input.array.ndim not in (sides + 1, sides + 2):
        return _wrapped(input, pad, mode)
    if mode == "reflect":
        _check_reflection(input, pad)
    return getattr(rows, f"{PAD_ROWS[mode]}_pad{sides}d")(input, pad)


def _check_reflection(input: Tensor, pad: tuple) -> None:
    """Refuse a border that is wider than what it mirrors."""
    for pair in range(len(pad) // 2):
        before, after = pad[2 * pair : 2 * pair + 2]
        dim = input.array.ndim - 1 - pair
        if max(before, after) >= input.array.shape[dim]:
            raise RuntimeError(errors.reflection(4 + 2 * pair, (before, after), dim, input.array.shape))


PAD_ROWS = {"reflect": "reflection", "replicate": "replication"}


def _wrapped(input: Tensor, pad: tuple, mode: str) -> Tensor:
    """Return the input with a border taken from its own opposite side."""
    if mode != "circular":
        raise NotImplementedError(
            "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now"
        )
    return _around(input, [(input.array.ndim - 1 - i, *pad[2 * i : 2 * i + 2]) for i in range(len(pad) // 2)])


def _around(input: Tensor, borders: list[tuple[int, int, int]]) -> Tensor:
    """Write the input into the middle of a new tensor, then its sides onto the opposite borders."""
    size = list(input.array.shape)
    for dim, before, after in borders:
        size[dim] += before + after
    out = make_at(np.zeros(size, input.array.dtype), input.exotic, input.place)
    events.emit(events.TensorMade(out))
    middle = out
    for dim, before, after in borders:
        middle = rows.slice(middle, dim, max(before, 0), size[dim] - max(after, 0), 1)
        input = rows.slice(input, dim, max(-before, 0), input.array.shape[dim] - max(-after, 0), 1)
    middle.copy_(input)
    for dim, before, after in borders:
        low, high = max(before, 0), size[dim] - max(after, 0)
        if before > 0:
            left = rows.slice(out, dim, 0, before, 1)
            left.copy_(rows.slice(out, dim, high - before, high, 1))
        if after > 0:
            right = rows.slice(out, dim, size[dim] - after, size[dim], 1)
            right.copy_(rows.slice(out, dim, low, low + after, 1))
    return out
