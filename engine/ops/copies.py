"""Operations that lay the same numbers out anew: repeated, turned, shifted, cut to a triangle, padded."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.ops import errors
from engine.ops.dims import axes, axis
from engine.ops.kinds import NUMBERS, refuse_unless
from engine.ops.shape import diagonal_of
from engine.ops.table import F, op
from engine.tensor import make

# fmt: off

inner = partial(op, spelled="")


# ----- repeated -----------------------------------------------------------------------------------
def _repeat(self, repeats):
    if len(repeats) < self.ndim:
        raise RuntimeError(errors.repeat_dims())
    return np.tile(self, repeats)


def unrepeated(grad, repeats, sizes):
    """Sum a gradient over the copies: each repeated dimension is split into (copies, size)."""
    if 0 in repeats:
        return F.new_zeros(grad, sizes)
    extra = len(repeats) - len(sizes)
    shape, copies = list(repeats[:extra]), list(range(extra))
    for times, size in zip(repeats[extra:], sizes, strict=True):
        if times != 1:
            copies.append(len(shape))
            shape.append(times)
        shape.append(size)
    grad = grad if tuple(shape) == tuple(grad.shape) else grad.reshape(tuple(shape))
    return grad.sum(tuple(copies)) if copies else grad


inner("repeat", _repeat, node="RepeatBackward0",
   formulas={"self": "grad.reshape(repeats x self_sym_sizes).sum(over the copies)"},
   self=lambda grad, repeats, self_sym_sizes: unrepeated(grad, repeats, self_sym_sizes))

# ----- turned, shifted ------------------------------------------------------------------------------
inner("flip", lambda self, dims: np.flip(self, axes(tuple(dims), self.ndim) if dims else ()).copy(),
   node="FlipBackward0",
   self=lambda grad, dims: F.flip(grad, dims))


def _roll(self, shifts, dims=()):
    if dims and len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    over = tuple(axis(d, self.ndim) for d in dims)
    return np.roll(self, shifts, over) if dims else np.roll(self, shifts[0])


inner("roll", _roll, node="RollBackward0", formulas={"self": "grad.roll(-shifts, dims)"},
   self=lambda grad, shifts, dims: F.roll(grad, tuple(-s for s in reversed(shifts)), tuple(reversed(dims))))
op("rot90", lambda self, k=1, dims=(0, 1): np.rot90(self, k, dims).copy(), node="Rot90Backward0",
   self=lambda grad, k, dims: grad.rot90(-k, dims))



def _channel_shuffle(self, groups):
    if self.ndim < 3:
        raise RuntimeError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(self.shape)}"
        )
    n, c, *rest = self.shape
    if groups <= 0:
        raise RuntimeError(
            f"Number of groups to divide channels in must be positive. Value of groups:{groups}"
        )
    if c % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {c} channels and {groups} groups."
        )
    return self.reshape(n, groups, c // groups, *rest).swapaxes(1, 2).reshape(self.shape).copy()


op("channel_shuffle", _channel_shuffle, node="ChannelShuffleBackward0", spelled="function",
   formulas={"self": "channel_shuffle(grad, grad.shape[1] / groups)"},
   self=lambda grad, groups: F.channel_shuffle(grad, grad.shape[1] // groups))


# ----- triangles, diagonals -------------------------------------------------------------------------
def triangle(name: str, cut):
    """Return a forward that keeps one side of a diagonal."""

    def forward(self, diagonal):
        if self.ndim < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        return cut(self, diagonal)

    return lambda self, diagonal=0: forward(self, diagonal)


op("tril", triangle("tril", np.tril), node="TrilBackward0", spelled="method function inplace",
   self=lambda grad, diagonal: grad.tril(diagonal))
op("triu", triangle("triu", np.triu), node="TriuBackward0", spelled="method function inplace",
   self=lambda grad, diagonal: grad.triu(diagonal))


def _diag_embed(self, offset=0, dim1=-2, dim2=-1):
    size, ndim = self.shape[-1] + abs(offset), self.ndim + 1
    first, second = axis(dim1, ndim), axis(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    rest = iter(self.shape[:-1])
    out = np.zeros([size if d in (first, second) else next(rest) for d in range(ndim)], self.dtype)
    diagonal_of(out, offset, first, second)[...] = self
    return out


op("diag_embed", _diag_embed, node="DiagEmbedBackward0",
   self=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2))


def _trace(self):
    refuse_unless(NUMBERS, "trace", self)
    if self.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {self.ndim}")
    return np.trace(self, dtype=np.int64 if self.dtype.kind in "iu" else self.dtype)


def on_diagonal(grad, sizes):
    """Write one gradient onto the whole diagonal of zeros."""
    flat = F.new_zeros(grad, (sizes[0] * sizes[1],))
    positions = np.arange(0, min(sizes) * (sizes[1] + 1), sizes[1] + 1)
    return F.index_fill__Tensor(flat, 0, make(positions), grad).reshape(sizes)


op("trace", _trace, node="TraceBackward0", formulas={"self": "grad * eye(self_sym_sizes)"},
   self=lambda grad, self_sym_sizes: on_diagonal(grad, self_sym_sizes))


# ----- padded -------------------------------------------------------------------------------------
def _pad(self, pad, value=0):
    if len(pad) % 2 or len(pad) > 2 * self.ndim:
        raise RuntimeError(errors.padding_length(len(pad), self.ndim))
    around = [(0, 0)] * (self.ndim - len(pad) // 2)
    around += [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]
    kept = zip(self.shape, around, strict=True)
    inside = tuple(slice(max(0, -low), n - max(0, -high)) for n, (low, high) in kept)
    return np.pad(self[inside], [(max(0, a), max(0, b)) for a, b in around], constant_values=value)


inner("constant_pad_nd", _pad, node="ConstantPadNdBackward0", formulas={"self": "grad without the padding"},
   self=lambda grad, pad: F.constant_pad_nd(grad, tuple(-p for p in pad)))


# ----- padded with its own edge ---------------------------------------------------------------------
def _shown(size: int, low: int, high: int, mirrored: bool) -> np.ndarray:
    """Return which element each place of the result shows."""
    places = np.arange(-low, size + high)
    if not mirrored:
        return places.clip(0, size - 1)
    places = np.abs(places)
    return np.where(places >= size, 2 * (size - 1) - places, places)


def _edges(self, padding, mirrored: bool):
    for i in range(0, len(padding), 2):
        over = self.ndim - 1 - i // 2
        self = self.take(_shown(self.shape[over], padding[i], padding[i + 1], mirrored), over)
    return self


def _unedged(grad_output, sizes, padding, mirrored: bool):
    for i in range(0, len(padding), 2):
        over = grad_output.ndim - 1 - i // 2
        narrow = [sizes[d] if d == over else n for d, n in enumerate(grad_output.shape)]
        out = np.zeros(narrow, grad_output.dtype)
        shown = _shown(sizes[over], padding[i], padding[i + 1], mirrored)
        np.add.at(np.moveaxis(out, over, 0), shown, np.moveaxis(grad_output, over, 0))
        grad_output = out
    return grad_output


def edge_padding(name: str, node: str, mirrored: bool) -> None:
    """Add the rows of one kind of padding in one number of dimensions: the operation, and its rule."""
    inner(name, lambda self, padding: _edges(self, padding, mirrored), node=f"{node}Backward0",
       formulas={"self": "zeros(self.shape) with grad added where each element is shown"},
       self=lambda grad, self, padding: getattr(F, f"{name}_backward")(grad, self, padding))
    inner(f"{name}_backward",
       lambda grad_output, self, padding: _unedged(grad_output, self.shape, padding, mirrored),
       node=f"{node}BackwardBackward0", formulas={"grad_output": f"{name}(grad, padding)", "self": "0"},
       grad_output=lambda grad, padding: getattr(F, name)(grad, padding),
       self=lambda grad, self: F.zeros_like(self))


for _n in (1, 2, 3):
    edge_padding(f"reflection_pad{_n}d", f"ReflectionPad{_n}D", True)
    edge_padding(f"replication_pad{_n}d", f"ReplicationPad{_n}D", False)


# ----- channels and pixels ----------------------------------------------------------------------------
def _shuffled(self, upscale_factor):
    *batch, channels, height, width = self.shape
    r = upscale_factor
    if channels % (r * r):
        raise RuntimeError(errors.pixel_shuffle(channels, r))
    parts = self.reshape(-1, channels // (r * r), r, r, height, width).transpose(0, 1, 4, 2, 5, 3)
    return parts.reshape(*batch, channels // (r * r), height * r, width * r)


def _unshuffled(self, downscale_factor):
    *batch, channels, height, width = self.shape
    r = downscale_factor
    parts = self.reshape(-1, channels, height // r, r, width // r, r).transpose(0, 1, 3, 5, 2, 4)
    return parts.reshape(*batch, channels * r * r, height // r, width // r)


op("pixel_shuffle", _shuffled, node="PixelShuffleBackward0", spelled="function",
   self=lambda grad, upscale_factor: F.pixel_unshuffle(grad, upscale_factor))
op("pixel_unshuffle", _unshuffled, node="PixelUnshuffleBackward0", spelled="function",
   self=lambda grad, downscale_factor: F.pixel_shuffle(grad, downscale_factor))
