"""Convolutions of 1, 2 or 3 spatial dimensions, and what makes windows into columns and back.

Everything rests on three sums over the same windows: outputs from inputs and weights, and the two gradients.
A transposed convolution is the input's gradient of a plain one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from engine.ops import errors
from engine.ops.table import F, op

# fmt: off

inner = partial(op, spelled="")


@dataclass(frozen=True)
class Grid:
    """How windows lie on an input: one entry per spatial dimension in each field."""

    stride: tuple
    padding: tuple
    dilation: tuple
    groups: int = 1

    def reach(self, kernel: tuple) -> tuple[int, ...]:
        """Return how many places a window covers, its gaps included."""
        return tuple(d * (k - 1) + 1 for d, k in zip(self.dilation, kernel, strict=True))

    def outputs(self, sizes: tuple, kernel: tuple) -> tuple[int, ...]:
        """Return how many windows there are along each dimension."""
        rows = zip(sizes, self.padding, self.reach(kernel), self.stride, strict=True)
        return tuple((n + 2 * p - r) // s + 1 for n, p, r, s in rows)


def padded(x: np.ndarray, padding: tuple, value: Any = 0) -> np.ndarray:
    """Return an array with a margin around its last dimensions."""
    around = [(0, 0)] * (x.ndim - len(padding)) + [(p, p) for p in padding]
    return np.pad(x, around, constant_values=value) if any(padding) else x


def windows(x: np.ndarray, kernel: tuple, grid: Grid) -> np.ndarray:
    """Return a view (..., outputs..., kernel...) of an array that is already padded."""
    n = len(kernel)
    counts = Grid(grid.stride, (0,) * n, grid.dilation).outputs(x.shape[-n:], kernel)
    steps = x.strides[-n:]
    strides = (
        *x.strides[:-n],
        *(s * t for s, t in zip(steps, grid.stride, strict=True)),
        *(s * d for s, d in zip(steps, grid.dilation, strict=True)),
    )
    return np.lib.stride_tricks.as_strided(x, (*x.shape[:-n], *counts, *kernel), strides, writeable=False)


def spread(pieces: np.ndarray, sizes: tuple, grid: Grid) -> np.ndarray:
    """Add windows (..., outputs..., kernel...) back to where they came from: the inverse of `windows`."""
    n = len(sizes)
    counts, kernel = pieces.shape[-2 * n : -n], pieces.shape[-n:]
    wide = tuple(s + 2 * p for s, p in zip(sizes, grid.padding, strict=True))
    out = np.zeros((*pieces.shape[: -2 * n], *wide), pieces.dtype)
    for place in np.ndindex(*kernel):
        rows = zip(place, grid.dilation, grid.stride, counts, strict=True)
        where = tuple(slice(k * d, k * d + s * (c - 1) + 1, s) for k, d, s, c in rows)
        out[(..., *where)] += pieces[(..., *place)]
    return out[(..., *(slice(p, p + s) for p, s in zip(grid.padding, sizes, strict=True)))]


# ----- the three sums -----------------------------------------------------------------------------
def _grouped(array: np.ndarray, axis: int, groups: int) -> np.ndarray:
    shape = array.shape
    return array.reshape(*shape[:axis], groups, shape[axis] // groups, *shape[axis + 1 :])


def convolve(x: np.ndarray, weight: np.ndarray, grid: Grid) -> np.ndarray:
    """Return the outputs (N, O, ...) of inputs (N, C, ...) and weights (O, C / groups, ...)."""
    n = x.ndim - 2
    parts = windows(_grouped(padded(x, grid.padding), 1, grid.groups), weight.shape[2:], grid)
    weights = _grouped(weight, 0, grid.groups)
    out = [
        np.tensordot(parts[:, g], weights[g], ([1, *range(2 + n, 2 + 2 * n)], [1, *range(2, 2 + n)]))
        for g in range(grid.groups)
    ]
    return np.ascontiguousarray(np.moveaxis(np.concatenate(out, -1), -1, 1))


def to_input(grad: np.ndarray, weight: np.ndarray, sizes: tuple, grid: Grid) -> np.ndarray:
    """Return the gradient of the inputs, given their spatial sizes."""
    grads, weights = _grouped(grad, 1, grid.groups), _grouped(weight, 0, grid.groups)
    n, out = len(sizes), []
    for g in range(grid.groups):
        pieces = np.tensordot(grads[:, g], weights[g], ([1], [0]))  # (N, outputs..., C, kernel...)
        out.append(spread(np.moveaxis(pieces, 1 + n, 1), sizes, grid))
    return np.ascontiguousarray(np.concatenate(out, 1))


def to_weight(grad: np.ndarray, x: np.ndarray, kernel: tuple, grid: Grid) -> np.ndarray:
    """Return the gradient of the weights."""
    n = x.ndim - 2
    parts = windows(_grouped(padded(x, grid.padding), 1, grid.groups), kernel, grid)
    grads = _grouped(grad, 1, grid.groups)
    shared = [0, *range(2, 2 + n)]
    out = [np.tensordot(grads[:, g], parts[:, g], (shared, shared)) for g in range(grid.groups)]
    return np.ascontiguousarray(np.concatenate(out, 0))


# ----- convolution, plain or transposed -------------------------------------------------------------
def check(x: np.ndarray, weight: np.ndarray, grid: Grid, transposed: bool) -> None:
    """Refuse sizes that do not fit, in PyTorch's words."""
    wanted = weight.shape[0] if transposed else weight.shape[1] * grid.groups
    if x.shape[1] != wanted:
        text = errors.conv_transpose_channels if transposed else errors.conv_channels
        raise RuntimeError(text(grid.groups, weight.shape, x.shape, wanted))
    wide = [n + 2 * p for n, p in zip(x.shape[2:], grid.padding, strict=True)]
    reach = grid.reach(weight.shape[2:])
    if not transposed and any(w < r for w, r in zip(wide, reach, strict=True)):
        raise RuntimeError(errors.conv_kernel(wide, reach))


def _convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    grid = Grid(stride, padding, dilation, groups)
    check(input, weight, grid, transposed)
    if transposed:
        reach = grid.reach(weight.shape[2:])
        rows = zip(input.shape[2:], stride, padding, reach, output_padding, strict=True)
        out = to_input(input, weight, tuple((n - 1) * s - 2 * p + r + o for n, s, p, r, o in rows), grid)
    else:
        out = convolve(input, weight, grid)
    return out if bias is None else out + bias.reshape(-1, *(1,) * (out.ndim - 2))


def _to_input(grad_output, weight, sizes, stride, padding, dilation, transposed, groups):
    grid = Grid(stride, padding, dilation, groups)
    if transposed:
        return convolve(grad_output, weight, grid)
    return to_input(grad_output, weight, sizes[2:], grid)


def _to_weight(grad_output, input, sizes, stride, padding, dilation, transposed, groups):
    grid = Grid(stride, padding, dilation, groups)
    if transposed:
        grad_output, input = input, grad_output
    return to_weight(grad_output, input, sizes[2:], grid)


def over_channels(grad):
    """Sum a gradient over everything but its channels."""
    return grad.sum((0, *range(2, len(grad.shape))))


inner("convolution", _convolution, node="ConvolutionBackward0",
   # PyTorch's one rule gives all its gradients, so it saves both factors, whatever is asked
   shows=("input", "weight", "bias_sym_sizes_opt", "output_padding", "stride", "padding", "dilation",
          "transposed", "groups"),
   hides=("input_sym_sizes", "weight_sym_sizes"),
   formulas={"input": "conv_transpose(grad, weight)",
             "weight": "conv(input, grad): the inputs under each weight, times grad",
             "bias": "grad.sum(all but the channels)"},
   input=lambda grad, weight, input_sym_sizes, stride, padding, dilation, transposed, groups:
   F._convolution_to_input(grad, weight, input_sym_sizes, stride, padding, dilation, transposed, groups),
   weight=lambda grad, input, weight_sym_sizes, stride, padding, dilation, transposed, groups:
   F._convolution_to_weight(grad, input, weight_sym_sizes, stride, padding, dilation, transposed, groups),
   bias=lambda grad: over_channels(grad))
inner("_convolution_to_input", _to_input, node="ConvolutionBackwardBackward0",
   formulas={"grad_output": "conv(grad, weight)", "weight": "conv(grad, grad_output)"},
   grad_output=lambda grad, weight, stride, padding, dilation, transposed, groups, grad_output_sym_sizes:
   flowing(grad, weight, grad_output_sym_sizes, stride, padding, dilation, transposed, groups),
   weight=lambda grad, grad_output, weight_sym_sizes, stride, padding, dilation, transposed, groups:
   F._convolution_to_weight(
       grad_output, grad, weight_sym_sizes, stride, padding, dilation, transposed, groups))
inner("_convolution_to_weight", _to_weight, node="ConvolutionBackwardBackward0",
   formulas={"grad_output": "conv(input, grad)", "input": "conv_transpose(grad_output, grad)"},
   grad_output=lambda grad, input, stride, padding, dilation, transposed, groups, grad_output_sym_sizes:
   flowing(input, grad, grad_output_sym_sizes, stride, padding, dilation, transposed, groups),
   input=lambda grad, grad_output, input_sym_sizes, stride, padding, dilation, transposed, groups:
   F._convolution_to_input(grad_output, grad, input_sym_sizes, stride, padding, dilation, transposed, groups))


def flowing(input, weight, sizes, stride, padding, dilation, transposed, groups):
    """Run the convolution itself again, in a rule of a rule; the result has the first gradient's sizes."""
    if transposed:
        return F._convolution_to_input(input, weight, sizes, stride, padding, dilation, False, groups)
    return F.convolution(input, weight, None, stride, padding, dilation, False, (0,) * len(stride), groups)


# ----- windows as columns ---------------------------------------------------------------------------
def _im2col(self, kernel_size, dilation, padding, stride):
    x = self if self.ndim == 4 else self[None]
    parts = windows(padded(x, padding), kernel_size, Grid(stride, padding, dilation))
    n, c, h, w = parts.shape[:4]
    out = parts.transpose(0, 1, 4, 5, 2, 3).reshape(n, c * kernel_size[0] * kernel_size[1], h * w)
    return out if self.ndim == 4 else out[0]


def _col2im(self, output_size, kernel_size, dilation, padding, stride):
    x, grid = self if self.ndim == 3 else self[None], Grid(stride, padding, dilation)
    counts = grid.outputs(output_size, kernel_size)
    parts = x.reshape(x.shape[0], -1, *kernel_size, *counts).transpose(0, 1, 4, 5, 2, 3)
    out = spread(parts, output_size, grid)
    return out if self.ndim == 3 else out[0]


inner("im2col", _im2col, node="Im2ColBackward0",
   formulas={"self": "fold(grad): every window added to where it came from"},
   self=lambda grad, self_sym_sizes, kernel_size, dilation, padding, stride:
   F.col2im(grad, tuple(self_sym_sizes[-2:]), kernel_size, dilation, padding, stride))
inner("col2im", _col2im, node="Col2ImBackward0", formulas={"self": "unfold(grad)"},
   self=lambda grad, kernel_size, dilation, padding, stride:
   F.im2col(grad, kernel_size, dilation, padding, stride))
