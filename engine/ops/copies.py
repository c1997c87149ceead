"""Operations that lay the same numbers out anew: repeated, turned, shifted, cut to a triangle, padded."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.ops import errors
from engine.ops.dims import axes, axis
from engine.ops.shape import diagonal_of
from engine.ops.table import F, op

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
inner("flip", lambda self, dims: np.flip(self, axes(tuple(dims), self.ndim) if dims else ()).copy(), node="FlipBackward0",
   self=lambda grad, dims: F.flip(grad, dims))


def _roll(self, shifts, dims=()):
    if dims and len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    return np.roll(self, shifts, tuple(axis(d, self.ndim) for d in dims)) if dims else np.roll(self, shifts[0])


inner("roll", _roll, node="RollBackward0", formulas={"self": "grad.roll(-shifts, dims)"},
   self=lambda grad, shifts, dims: F.roll(grad, tuple(-s for s in reversed(shifts)), tuple(reversed(dims))))
op("rot90", lambda self, k=1, dims=(0, 1): np.rot90(self, k, dims).copy(), node="Rot90Backward0",
   self=lambda grad, k, dims: grad.rot90(-k, dims))

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
    rest = iter(self.shape[:-1])
    out = np.zeros([size if d in (first, second) else next(rest) for d in range(ndim)], self.dtype)
    diagonal_of(out, offset, first, second)[...] = self
    return out


op("diag_embed", _diag_embed, node="DiagEmbedBackward0",
   self=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2))


def _trace(self):
    if self.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {self.ndim}")
    return np.trace(self)


def on_diagonal(grad, sizes):
    """Write one gradient onto the whole diagonal of zeros."""
    flat = F.new_zeros(grad, (sizes[0] * sizes[1],))
    positions = np.arange(0, min(sizes) * (sizes[1] + 1), sizes[1] + 1)
    return F.index_fill__Tensor(flat, 0, positions, grad).reshape(sizes)


op("trace", _trace, node="TraceBackward0", formulas={"self": "grad * eye(self_sym_sizes)"},
   self=lambda grad, self_sym_sizes: on_diagonal(grad, self_sym_sizes))


# ----- padded -------------------------------------------------------------------------------------
def _pad(self, pad, value=0):
    if len(pad) % 2 or len(pad) > 2 * self.ndim:
        raise RuntimeError(errors.padding_length(len(pad), self.ndim))
    around = [(0, 0)] * (self.ndim - len(pad) // 2)
    around += [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]
    inside = tuple(slice(max(0, -low), n - max(0, -high)) for n, (low, high) in zip(self.shape, around, strict=True))
    return np.pad(self[inside], [(max(0, a), max(0, b)) for a, b in around], constant_values=value)


inner("constant_pad_nd", _pad, node="ConstantPadNdBackward0", formulas={"self": "grad without the padding"},
   self=lambda grad, pad: F.constant_pad_nd(grad, tuple(-p for p in pad)))


# The edge padding modes: which element each place of the result shows.
def _shown(size: int, low: int, high: int, mode: str) -> np.ndarray:
    places = np.arange(-low, size + high)
    if mode == "replicate":
        return places.clip(0, size - 1)
    places = np.abs(places)
    return np.where(places >= size, 2 * (size - 1) - places, places)


def _edge_pad(self, pad, mode):
    for i in range(0, len(pad), 2):
        over = self.ndim - 1 - i // 2
        self = self.take(_shown(self.shape[over], pad[i], pad[i + 1], mode), over)
    return self


def _edge_pad_backward(grad_output, sizes, pad, mode):
    for i in range(0, len(pad), 2):
        over = grad_output.ndim - 1 - i // 2
        out = np.zeros([sizes[d] if d == over else n for d, n in enumerate(grad_output.shape)], grad_output.dtype)
        shown = _shown(sizes[over], pad[i], pad[i + 1], mode)
        np.add.at(np.moveaxis(out, over, 0), shown, np.moveaxis(grad_output, over, 0))
        grad_output = out
    return grad_output


for _mode, _word in (("reflect", "Reflection"), ("replicate", "Replication")):
    for _n in (1, 2, 3):
        inner(f"{_mode}_pad{_n}d", _edge_pad, node=f"{_word}Pad{_n}DBackward0", shows=("self",),
           formulas={"self": "zeros(self_sym_sizes) with grad added where each element is shown"},
           self=lambda grad, self_sym_sizes, pad, mode: F._edge_pad_backward(grad, self_sym_sizes, pad, mode))
inner("_edge_pad_backward", _edge_pad_backward, node="EdgePadBackwardBackward0",
   grad_output=lambda grad, pad, mode: F.reflect_pad1d(grad, pad, mode))
