"""Windows sliding over grids: convolutions, pooling, columns; and grids made larger."""

from __future__ import annotations

import math

import numpy as np

from engine.verify.laws.table import law


def pair(x, n=2):
    """Return a setting per dimension."""
    x = x if isinstance(x, tuple) else (x,)
    return x * n if len(x) == 1 else x


def reach(kernel, dilation):
    """Return how far a window reaches along each dimension."""
    return tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True))


def fitting(sizes, kernel, stride, padding, dilation, ceil_mode=False):
    """Return how many windows fit along each dimension; the last must start inside."""
    counts = []
    for n, k, s, p in zip(sizes, reach(kernel, dilation), stride, padding, strict=True):
        count = (math.ceil if ceil_mode else math.floor)((n + 2 * p - k) / s) + 1
        counts.append(count - (ceil_mode and (count - 1) * s >= n + p))
    return tuple(counts)


def places(sizes, kernel, stride, padding, dilation, counts):
    """Return, per window and place in it, which element of the flat grid lies there; its size for none."""
    flat, inside = np.zeros((1, 1), np.int64), np.ones((1, 1), bool)
    for n, k, s, p, d, count in zip(sizes, kernel, stride, padding, dilation, counts, strict=True):
        at = np.arange(count)[:, None] * s - p + np.arange(k) * d
        flat = (flat[:, None, :, None] * n + at[None, :, None, :]).reshape(len(flat) * count, -1)
        within = (at >= 0) & (at < n)
        inside = (inside[:, None, :, None] & within[None, :, None, :]).reshape(flat.shape)
    return np.where(inside, flat, math.prod(sizes))


def seen(x, where, blank=0.0):
    """Return what lies at places of a flat grid; `blank` outside of it."""
    return np.concatenate([x, np.full((*x.shape[:-1], 1), blank, x.dtype)], -1)[..., where]


def added(flows, where, size):
    """Return a flat grid of zeros with flows added at their places."""
    out = np.zeros((*flows.shape[: -where.ndim], size + 1))
    np.add.at(np.moveaxis(out, -1, 0), where, np.moveaxis(flows, (-2, -1), (0, 1)))
    return out[..., :-1]


# ----- convolution --------------------------------------------------------------------------------
def grouped(x, weight, groups):
    """Return an image and its weights with groups, channels, and space in dimensions of their own."""
    n = len(x)
    return (x.reshape(n, groups, x.shape[1] // groups, -1),
            weight.reshape(groups, weight.shape[0] // groups, weight.shape[1], -1))  # fmt: skip


def convolved(x, weight, stride, padding, dilation, groups):
    """Return weighted sums over windows: every weight times what lies under it."""
    kernel = weight.shape[2:]
    counts = fitting(x.shape[2:], kernel, stride, padding, dilation)
    where = places(x.shape[2:], kernel, stride, padding, dilation, counts)
    flat, weights = grouped(x, weight, groups)
    out = np.einsum("ngclk,gock->ngol", seen(flat, where), weights)
    return out.reshape(len(x), weight.shape[0], *counts)


def spread_back(g, weight, sizes, stride, padding, dilation, groups):
    """Return what each element of the input gets: the sum over the windows it lay in."""
    kernel = weight.shape[2:]
    where = places(sizes, kernel, stride, padding, dilation, g.shape[2:])
    flows, weights = grouped(g, weight, groups)
    spread = np.einsum("ngol,gock->ngclk", flows, weights)
    return added(spread, where, math.prod(sizes)).reshape(len(g), -1, *sizes)


def weight_back(g, x, kernel, stride, padding, dilation, groups):
    """Return what each weight gets: all that lay under it, times the gradients there."""
    where = places(x.shape[2:], kernel, stride, padding, dilation, g.shape[2:])
    flat = x.reshape(len(x), groups, x.shape[1] // groups, -1)
    flows = g.reshape(len(g), groups, g.shape[1] // groups, -1)
    found = np.einsum("ngol,ngclk->gock", flows, seen(flat, where))
    return found.reshape(g.shape[1], x.shape[1] // groups, *kernel)


def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    """Return a convolution, or its transpose, plus a bias per channel."""
    if transposed:
        rows = zip(
            input.shape[2:], stride, padding, reach(weight.shape[2:], dilation), output_padding, strict=True
        )
        sizes = tuple((n - 1) * s - 2 * p + k + o for n, s, p, k, o in rows)
        out = spread_back(input, weight, sizes, stride, padding, dilation, groups)
    else:
        out = convolved(input, weight, stride, padding, dilation, groups)
    return out if bias is None else out + bias.reshape(-1, *(1,) * (out.ndim - 2))


def to_input(g, weight, input_sym_sizes, stride, padding, dilation, transposed, groups):
    """Return the derivative of a convolution by its input."""
    if transposed:
        return convolved(g, weight, stride, padding, dilation, groups)
    return spread_back(g, weight, input_sym_sizes[2:], stride, padding, dilation, groups)


def to_weight(g, input, weight_sym_sizes, stride, padding, dilation, transposed, groups):
    """Return the derivative of a convolution by its weights."""
    g, input = (input, g) if transposed else (g, input)
    return weight_back(g, input, weight_sym_sizes[2:], stride, padding, dilation, groups)


law(
    "convolution",
    convolution,
    "ConvolutionBackward0",
    input=to_input,
    weight=to_weight,
    bias=lambda g: np.sum(g, axis=(0, *range(2, g.ndim))),
)


# ----- pooling ------------------------------------------------------------------------------------
def pooled(x, kernel_size, stride, padding, dilation, ceil_mode):
    """Return the places and number of a pooling's windows."""
    kernel, padding, dilation = pair(kernel_size), pair(padding), pair(dilation)
    stride = pair(stride) if stride else kernel
    counts = fitting(x.shape[-2:], kernel, stride, padding, dilation, ceil_mode)
    return places(x.shape[-2:], kernel, stride, padding, dilation, counts), counts


def flat(x):
    """Return images with their two dimensions of space as one."""
    return x.reshape(*x.shape[:-2], -1)


def largest(self, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    """Return the largest of each window, and in second place itself, to hold places against."""
    where, counts = pooled(self, kernel_size, stride, padding, dilation, ceil_mode)
    best = np.max(seen(flat(self), where, -np.inf), -1).reshape(*self.shape[:-2], *counts)
    return best, best


def at_places(g, self_sym_sizes, result1):
    """Return zeros with each gradient added where the largest stood."""
    images = np.zeros((math.prod(self_sym_sizes[:-2]), math.prod(self_sym_sizes[-2:])))
    np.add.at(images, (np.arange(len(images))[:, None], result1.reshape(len(images), -1)),
              g.reshape(len(images), -1))  # fmt: skip
    return images.reshape(self_sym_sizes)


def divisors(x, counts, kernel_size, stride, padding, count_include_pad, divisor_override):
    """Return by what the sum of each window is divided."""
    kernel, padding, sides = pair(kernel_size), pair(padding), []
    for n, k, s, p, count in zip(
        x.shape[-2:], kernel, pair(stride) if stride else kernel, padding, counts, strict=True
    ):
        first = np.arange(count) * s - p
        last = np.minimum(first + k, n + p)
        sides.append(last - first if count_include_pad else np.minimum(last, n) - np.maximum(first, 0))
    return divisor_override or np.outer(*sides)


def means(
    self, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """Return the mean of each window."""
    where, counts = pooled(self, kernel_size, stride, padding, 1, ceil_mode)
    sums = np.sum(seen(flat(self), where), -1).reshape(*self.shape[:-2], *counts)
    return sums / divisors(self, counts, kernel_size, stride, padding, count_include_pad, divisor_override)


def cut(size, count):
    """Return the parts that adaptive pooling cuts a dimension into."""
    return [slice(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def adaptive(function):
    """Return a pooling into a given number of parts."""

    def forward(self, output_size):
        rows, columns = (cut(n, c) for n, c in zip(self.shape[-2:], output_size, strict=True))
        parts = [[function(self[..., r, c], axis=(-2, -1)) for c in columns] for r in rows]
        return np.moveaxis(np.array(parts), (0, 1), (-2, -1))

    return forward


def adaptive_largest(self, output_size):
    """Return the largest of each part, and in second place itself, to hold places against."""
    best = adaptive(np.max)(self, output_size)
    return best, best


law("max_pool2d_with_indices", largest, "MaxPool2DWithIndicesBackward0", exact=True, picks=1, self=at_places)
law(
    "adaptive_max_pool2d", adaptive_largest, "AdaptiveMaxPool2DBackward0", exact=True, picks=1, self=at_places
)
law("avg_pool2d", means, "AvgPool2DBackward0", steps="self")
law("_adaptive_avg_pool2d", adaptive(np.mean), "AdaptiveAvgPool2DBackward0", steps="self")


# ----- windows as columns -------------------------------------------------------------------------
def columns(self, kernel_size, dilation, padding, stride):
    """Return the windows of images as columns of matrices."""
    counts = fitting(self.shape[-2:], kernel_size, stride, padding, dilation)
    where = places(self.shape[-2:], kernel_size, stride, padding, dilation, counts)
    found = np.swapaxes(seen(flat(self), where), -1, -2)
    return found.reshape(*self.shape[:-3], -1, found.shape[-1])


def images(self, output_size, kernel_size, dilation, padding, stride):
    """Return images from columns, added up where windows overlap."""
    counts = fitting(output_size, kernel_size, stride, padding, dilation)
    where = places(output_size, kernel_size, stride, padding, dilation, counts)
    parts = np.swapaxes(self.reshape(*self.shape[:-2], -1, math.prod(kernel_size), self.shape[-1]), -1, -2)
    return added(parts, where, math.prod(output_size)).reshape(*parts.shape[:-2], *output_size)


law("im2col", columns, "Im2ColBackward0", moves="self")
law(
    "col2im",
    images,
    "Col2ImBackward0",
    self=lambda g, kernel_size, dilation, padding, stride: columns(g, kernel_size, dilation, padding, stride),
)


# ----- made larger --------------------------------------------------------------------------------
def nearest(self, output_size, scales_h=None, scales_w=None, scales=None):
    """Return each new element as a copy of the nearest old one, rounded down."""
    for d, n in enumerate(output_size, self.ndim - len(output_size)):
        scale = scales if len(output_size) == 1 else (scales_h, scales_w)[d - self.ndim]
        ratio = np.float32(1 / scale if scale else self.shape[d] / n)
        self = np.take(self, np.minimum((np.arange(n) * ratio).astype(int), self.shape[d] - 1), d)
    return self


def bilinear(self, output_size, align_corners, scales_h=None, scales_w=None):
    """Return each new element as a mixture of its neighbours along both dimensions."""
    for d, (n, scale) in enumerate(zip(output_size, (scales_h, scales_w), strict=True), self.ndim - 2):
        old = self.shape[d]
        if align_corners:
            at = np.arange(n) * ((old - 1) / (n - 1) if n > 1 else 0)
        else:
            at = np.maximum((np.arange(n) + 0.5) * (1 / scale if scale else old / n) - 0.5, 0)
        low = np.minimum(np.floor(at).astype(int), old - 1)
        part = (at - low).reshape(-1, *(1,) * (self.ndim - 1 - d))
        self = np.take(self, low, d) * (1 - part) + np.take(self, np.minimum(low + 1, old - 1), d) * part
    return self


law(
    "upsample_nearest2d upsample_nearest1d",
    nearest,
    "UpsampleNearest2DBackward0 UpsampleNearest1DBackward0",
    moves="self",
)
law("upsample_bilinear2d", bilinear, "UpsampleBilinear2DBackward0", steps="self")
