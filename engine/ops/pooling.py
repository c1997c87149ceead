"""Pooling windows of an image, and making images larger."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.ops import errors
from engine.ops.conv import Grid, spread, windows
from engine.ops.dims import pair
from engine.ops.table import F, op

# fmt: off

inner = partial(op, spelled="")


# ----- where windows lie ----------------------------------------------------------------------------
def _grid(kernel_size, stride, padding, dilation=(1, 1)) -> tuple[tuple, Grid]:
    kernel = pair(kernel_size)
    return kernel, Grid(pair(stride or kernel), pair(padding), pair(dilation))


def _margins(sizes, kernel, grid: Grid, ceil_mode: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return how many windows there are, and how much is missing after the image for the last of them."""
    counts, missing = [], []
    for n, k, s, p, d in zip(sizes[-2:], kernel, grid.stride, grid.padding, grid.dilation, strict=True):
        reach = d * (k - 1) + 1
        span = n + 2 * p - reach
        count = (-(-span // s) if ceil_mode else span // s) + 1
        if ceil_mode and (count - 1) * s >= n + p:  # the last window must start inside
            count -= 1
        counts.append(count)
        missing.append(max(0, (count - 1) * s + reach - (n + p)))
    if min(counts) < 1:
        raise RuntimeError(errors.pooled_size((1, *sizes) if len(sizes) < 3 else sizes, counts))
    return tuple(counts), tuple(missing)


def _windows(x, kernel, grid: Grid, ceil_mode: bool, value) -> np.ndarray:
    """Return all windows (..., rows, columns, kernel...) of an image with a margin of `value`."""
    counts, missing = _margins(x.shape, kernel, grid, ceil_mode)
    around = [(0, 0)] * (x.ndim - 2) + list(zip(grid.padding, missing, strict=True))
    parts = windows(np.pad(x, around, constant_values=value), kernel, grid)
    return parts[..., : counts[0], : counts[1], :, :]


# ----- the largest ----------------------------------------------------------------------------------
def _max_pool(self, kernel_size, stride=(), padding=(0, 0), dilation=(1, 1), ceil_mode=False):
    kernel, grid = _grid(kernel_size, stride, padding, dilation)
    lowest = -np.inf if self.dtype.kind == "f" else np.iinfo(self.dtype).min
    parts = _windows(self, kernel, grid, ceil_mode, lowest)
    numbers = np.arange(self.shape[-2] * self.shape[-1]).reshape(self.shape[-2:])
    places = _windows(numbers, kernel, grid, ceil_mode, -1)
    flat = parts.reshape(*parts.shape[:-2], -1)
    best = np.where(places.reshape(*places.shape[:-2], -1) < 0, lowest, flat).argmax(-1)[..., None]
    spots = np.broadcast_to(places.reshape(*places.shape[:-2], -1), flat.shape)
    return np.take_along_axis(flat, best, -1)[..., 0], np.take_along_axis(spots, best, -1)[..., 0]


def _to_places(grad_output, self, indices):
    sizes = self.shape
    out = np.zeros((*sizes[:-2], sizes[-2] * sizes[-1]), grad_output.dtype).reshape(-1, sizes[-2] * sizes[-1])
    flat = indices.reshape(len(out), -1)
    np.add.at(out, (np.arange(len(out))[:, None], flat), grad_output.reshape(flat.shape))
    return out.reshape(sizes)


def from_places(grad, indices):
    """Return what stands at the places a pooling took its values from."""
    flat = grad.reshape((*grad.shape[:-2], -1))
    return flat.gather(-1, indices.reshape((*indices.shape[:-2], -1))).reshape(tuple(indices.shape))


PLACES = {"self": "zeros(self.shape) with grad added where each maximum stood"}
inner("max_pool2d_with_indices", _max_pool, node="MaxPool2DWithIndicesBackward0", outputs=2, formulas=PLACES,
   shows=("kernel_size", "stride", "padding", "dilation", "ceil_mode"),
   self=lambda grad, self, result1: F.max_pool2d_with_indices_backward(grad, self, result1))
op("max_pool2d_with_indices_backward", _to_places, node="MaxPool2DWithIndicesBackwardBackward0",
   formulas={"grad_output": "grad at the place of each maximum", "self": "0"},
   grad_output=lambda grad, indices: from_places(grad, indices),
   self=lambda grad: F.zeros_like(grad))


def _parts(size: int, count: int) -> list[slice]:
    """Return the parts an adaptive pooling cuts a dimension into; they may overlap."""
    return [slice(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def _adaptive_max(self, output_size):
    rows, columns = (_parts(n, c) for n, c in zip(self.shape[-2:], output_size, strict=True))
    numbers = np.arange(self.shape[-2] * self.shape[-1]).reshape(self.shape[-2:])
    values = np.zeros((*self.shape[:-2], len(rows), len(columns)), self.dtype)
    indices = np.zeros(values.shape, np.int64)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            flat = self[..., row, column].reshape(*self.shape[:-2], -1)
            values[..., i, j] = flat.max(-1)
            indices[..., i, j] = numbers[row, column].reshape(-1)[flat.argmax(-1)]
    return values, indices


inner("adaptive_max_pool2d", _adaptive_max, node="AdaptiveMaxPool2DBackward0", outputs=2, formulas=PLACES,
   self=lambda grad, self, result1: F.adaptive_max_pool2d_backward(grad, self, result1))
op("adaptive_max_pool2d_backward", _to_places, node="AdaptiveMaxPool2DBackwardBackward0",
   formulas={"grad_output": "grad at the place of each maximum", "self": "0"},
   grad_output=lambda grad, indices: from_places(grad, indices),
   self=lambda grad: F.zeros_like(grad))


# ----- the mean -------------------------------------------------------------------------------------
def _counts(x, kernel, grid: Grid, ceil_mode, count_include_pad, divisor_override) -> np.ndarray:
    """Return by what each window's sum is divided."""
    counts, _ = _margins(x.shape, kernel, grid, ceil_mode)
    if divisor_override:
        return np.full(counts, divisor_override)
    found = []
    for n, k, s, p, c in zip(x.shape[-2:], kernel, grid.stride, grid.padding, counts, strict=True):
        start = np.arange(c) * s - p
        end = np.minimum(start + k, n + p)
        found.append(end - start if count_include_pad else np.minimum(end, n) - np.maximum(start, 0))
    return found[0][:, None] * found[1]


def _avg_pool(
    self, kernel_size, stride=(), padding=(0, 0), ceil_mode=False, count_include_pad=True,
    divisor_override=None,
):
    kernel, grid = _grid(kernel_size, stride, padding)
    sums = _windows(self, kernel, grid, ceil_mode, 0).astype(np.float64).sum((-2, -1))
    counts = _counts(self, kernel, grid, ceil_mode, count_include_pad, divisor_override)
    return (sums / counts).astype(self.dtype)


def _avg_pool_backward(
    grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
):
    kernel, grid = _grid(kernel_size, stride, padding)
    each = grad_output / _counts(self, kernel, grid, ceil_mode, count_include_pad, divisor_override)
    pieces = np.broadcast_to(each[..., None, None], (*each.shape, *kernel))
    _, missing = _margins(self.shape, kernel, grid, ceil_mode)
    wide = tuple(n + max(m - p, 0) for n, m, p in zip(self.shape[-2:], missing, grid.padding, strict=True))
    return spread(pieces, wide, grid)[..., : self.shape[-2], : self.shape[-1]].astype(grad_output.dtype)


inner("avg_pool2d", _avg_pool, node="AvgPool2DBackward0",
   formulas={"self": "every element's share: grad / (size of its window), added over its windows"},
   self=lambda grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override:
   F.avg_pool2d_backward(
       grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override))
op("avg_pool2d_backward", _avg_pool_backward, node="AvgPool2DBackwardBackward0",
   formulas={"grad_output": "avg_pool2d(grad)", "self": "0"},
   grad_output=lambda grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override:
   F.avg_pool2d(grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override),
   self=lambda grad, self: F.zeros_like(self))


def _shares(size: int, count: int) -> np.ndarray:
    """Return the matrix (count, size) that takes the mean of each part."""
    matrix = np.zeros((count, size))
    for i, part in enumerate(_parts(size, count)):
        matrix[i, part] = 1 / (part.stop - part.start)
    return matrix


def _resampled(x, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Multiply an image by a matrix from the left and by one from the right."""
    return (rows @ x.astype(np.float64) @ columns.T).astype(x.dtype)


inner("_adaptive_avg_pool2d", lambda self, output_size:
   _resampled(self, _shares(self.shape[-2], output_size[0]), _shares(self.shape[-1], output_size[1])),
   node="AdaptiveAvgPool2DBackward0",  shows=("self",),
   formulas={"self": "every element's share: grad / (size of its part), added over its parts"},
   self=lambda grad, self: F._adaptive_avg_pool2d_backward(grad, self))
op("_adaptive_avg_pool2d_backward", lambda grad_output, self: _resampled(
       grad_output, _shares(self.shape[-2], grad_output.shape[-2]).T,
       _shares(self.shape[-1], grad_output.shape[-1]).T),
   node="AdaptiveAvgPool2DBackwardBackward0",
   formulas={"grad_output": "adaptive_avg_pool2d(grad)", "self": "0"},
   grad_output=lambda grad, grad_output_sym_sizes:
   F._adaptive_avg_pool2d(grad, tuple(grad_output_sym_sizes[-2:])),
   self=lambda grad, self: F.zeros_like(self))


# ----- larger ---------------------------------------------------------------------------------------
def nearest(size: int, count: int, scale: float | None) -> np.ndarray:
    """Return the matrix (count, size) that copies the nearest element."""
    step = np.float32(size / count if not scale else 1 / scale)
    source = np.minimum((np.arange(count, dtype=np.float32) * step).astype(int), size - 1)
    return np.eye(size)[source]


def linear(size: int, count: int, align_corners: bool, scale: float | None) -> np.ndarray:
    """Return the matrix (count, size) that mixes the two neighbours of each place."""
    if align_corners:
        place = np.arange(count) * ((size - 1) / (count - 1) if count > 1 else 0.0)
    else:
        place = np.maximum((np.arange(count) + 0.5) * (size / count if not scale else 1 / scale) - 0.5, 0)
    low = np.minimum(place.astype(int), size - 1)
    high = np.minimum(low + 1, size - 1)
    part = (place - low)[:, None]
    return np.eye(size)[low] * (1 - part) + np.eye(size)[high] * part


def _nearest2d(self, output_size, scales_h=None, scales_w=None):
    rows = nearest(self.shape[-2], output_size[0], scales_h)
    return _resampled(self, rows, nearest(self.shape[-1], output_size[1], scales_w))


def _nearest2d_backward(grad_output, output_size, input_size, scales_h, scales_w):
    return _resampled(grad_output, nearest(input_size[-2], output_size[0], scales_h).T,
                      nearest(input_size[-1], output_size[1], scales_w).T)


COPIES = {"self": "the sum of grad over the copies of each element"}
inner("upsample_nearest2d", _nearest2d, node="UpsampleNearest2DBackward0", formulas=COPIES,
   self=lambda grad, output_size, self_sym_sizes, scales_h, scales_w:
   F.upsample_nearest2d_backward(grad, output_size, self_sym_sizes, scales_h, scales_w))
op("upsample_nearest2d_backward", _nearest2d_backward, node="UpsampleNearest2DBackwardBackward0",
   formulas={"grad_output": "upsample(grad)"},
   grad_output=lambda grad, output_size, scales_h, scales_w:
   F.upsample_nearest2d(grad, output_size, scales_h, scales_w))
inner("upsample_nearest1d", lambda self, output_size, scales=None:
   (self.astype(np.float64) @ nearest(self.shape[-1], output_size[0], scales).T).astype(self.dtype),
   node="UpsampleNearest1DBackward0", formulas=COPIES,
   self=lambda grad, output_size, self_sym_sizes, scales:
   F.upsample_nearest1d_backward(grad, output_size, self_sym_sizes, scales))
op("upsample_nearest1d_backward", lambda grad_output, output_size, input_size, scales:
   (grad_output.astype(np.float64) @ nearest(input_size[-1], output_size[0], scales)
    ).astype(grad_output.dtype),
   node="UpsampleNearest1DBackwardBackward0", formulas={"grad_output": "upsample(grad)"},
   grad_output=lambda grad, output_size, scales: F.upsample_nearest1d(grad, output_size, scales))


def _bilinear(self, output_size, align_corners, scales_h=None, scales_w=None):
    rows = linear(self.shape[-2], output_size[0], align_corners, scales_h)
    return _resampled(self, rows, linear(self.shape[-1], output_size[1], align_corners, scales_w))


def _bilinear_backward(grad_output, output_size, input_size, align_corners, scales_h, scales_w):
    rows = linear(input_size[-2], output_size[0], align_corners, scales_h)
    return _resampled(grad_output, rows.T, linear(input_size[-1], output_size[1], align_corners, scales_w).T)


inner("upsample_bilinear2d", _bilinear, node="UpsampleBilinear2DBackward0",
   formulas={"self": "grad shared among the neighbours that were mixed, by their weights"},
   self=lambda grad, output_size, self_sym_sizes, align_corners, scales_h, scales_w:
   F.upsample_bilinear2d_backward(grad, output_size, self_sym_sizes, align_corners, scales_h, scales_w))
op("upsample_bilinear2d_backward", _bilinear_backward, node="UpsampleBilinear2DBackwardBackward0",
   formulas={"grad_output": "upsample(grad)"},
   grad_output=lambda grad, output_size, align_corners, scales_h, scales_w:
   F.upsample_bilinear2d(grad, output_size, align_corners, scales_h, scales_w))
