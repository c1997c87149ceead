"""What puts several numbers into one place, or tensors beside each other: scatters, blocks, pairs."""

from __future__ import annotations

import inspect
import math

import numpy as np

from engine.verify.laws.shapes import diagonal
from engine.verify.laws.table import law
from engine.verify.laws.writing import cut, places

# ----- a part of a copy ---------------------------------------------------------------------------


def slab(dim, index):
    """Return what selects along one dimension."""
    return (*(slice(None),) * dim, index) if dim >= 0 else (..., index, *(slice(None),) * (-dim - 1))


def with_part(self, place, src):
    """Return a copy in which a place holds something else."""
    out = np.array(self)
    out[place] = src
    return out


def on_diagonal(self, src, offset=0, dim1=0, dim2=1):
    """Return a copy with another diagonal."""
    numbers = np.arange(np.size(self)).reshape(np.shape(self))
    out = np.array(self)
    out.reshape(-1)[diagonal(numbers, offset, dim1, dim2)] = src
    return out


law(
    "select_scatter",
    lambda self, src, dim, index: with_part(self, slab(dim, index), src),
    "SelectScatterBackward0",
    exact=True,
    self=lambda g, dim, index: with_part(g, slab(dim, index), 0.0),
    src=lambda g, dim, index: g[slab(dim, index)],
)
law(
    "slice_scatter",
    lambda self, src, dim=0, start=None, end=None, step=1: with_part(
        self, slab(dim, slice(start, end, step)), src
    ),
    "SliceScatterBackward0",
    exact=True,
    self=lambda g, dim, start, end, step: with_part(g, slab(dim, slice(start, end, step)), 0.0),
    src=lambda g, dim, start, end, step: g[slab(dim, slice(start, end, step))],
)
law(
    "diagonal_scatter",
    on_diagonal,
    "DiagonalScatterBackward0",
    exact=True,
    self=lambda g, offset, dim1, dim2: on_diagonal(g, 0.0, offset, dim1, dim2),
    src=lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2),
)


# ----- several numbers in one place ---------------------------------------------------------------
def joined(self, places, values, reduce, include_self=True):
    """Return, per place, the sum, product, mean or extreme of what meets there, one number at a time."""
    out, seen = np.array(self), np.full(np.shape(self), int(include_self))
    spots = np.broadcast_arrays(*places)
    values = np.broadcast_to(values, out[places].shape)
    for at, value in zip(zip(*(s.ravel() for s in spots)), values.ravel()):
        if reduce in ("sum", "mean"):
            new = out[at] + value
        elif reduce == "prod":
            new = out[at] * value
        else:
            larger = np.real(value) > np.real(out[at])
            new = value if larger == (reduce == "amax") else out[at]
        out[at] = new if seen[at] else value
        seen[at] += 1
    return out / np.maximum(seen, 1) if reduce == "mean" else out


def scatter_joined(self, dim, index, src, reduce, include_self=True):
    """Return numbers brought together where an index per element says."""
    spots = places(np.shape(self), dim, index)
    return joined(self, spots, cut(src, index), reduce, include_self)


def rows_joined(self, dim, index, source, reduce, include_self=True):
    """Return numbers brought together where an index per row says."""
    shape = list(np.shape(self))
    shape[dim] = len(np.ravel(index))
    spots = list(np.indices(shape, sparse=True))
    spots[dim] = np.ravel(index).reshape([-1 if d == dim % len(shape) else 1 for d in range(len(shape))])
    return joined(self, tuple(spots), source, reduce, include_self)


def smoothly(together, name, into):
    """Return a derivative by steps; between equal extremes it is shared, as PyTorch does."""

    def pull(g, self, dim, index, reduce, include_self=True, **rest):
        src = rest[name]
        if reduce not in ("amax", "amin"):
            return stepped(together, g, self, dim, index, src, reduce, include_self, into)
        best = together(self, dim, index, src, reduce, include_self)
        own = np.where(self == best, 1.0, 0.0)
        there = spread(together, best, self, dim, index, src)
        theirs = np.where(src == there, 1.0, 0.0)
        number = together(own, dim, index, theirs, "sum", True)
        shared = g / number
        if into == "self":
            touched = together(np.zeros_like(own), dim, index, np.ones_like(src), "sum", True) > 0
            return np.where(touched & (not include_self), 0.0, own * shared)
        return theirs * spread(together, shared, self, dim, index, src)

    empty = inspect.Parameter.empty
    pull.asks = [(n, empty) for n in ("g", "self", "dim", "index", name, "reduce", "include_self")]
    return pull


def spread(together, values, self, dim, index, src):
    """Return, per number that was brought, what stands in its place."""
    where = np.arange(np.size(src), dtype=float).reshape(np.shape(src))
    out = np.zeros(np.shape(src))
    for number in range(where.size):
        one = np.where(where == number, 1.0, 0.0)
        out.reshape(-1)[number] = np.sum(together(np.zeros(np.shape(self)), dim, index, one, "sum") * values)
    return out


def stepped(together, g, self, dim, index, src, reduce, include_self, into):
    """Return what all gradients make of a step of each element of `into`."""
    base = np.asarray(self if into == "self" else src, np.complex128)
    back = np.zeros(base.shape)
    for at in np.ndindex(base.shape):
        moved = base.copy()
        moved[at] += 1e-30j
        pair = (moved, src) if into == "self" else (np.asarray(self, np.complex128), moved)
        made = together(pair[0], dim, index, pair[1], reduce, include_self)
        back[at] = np.sum(g * np.imag(made)) / 1e-30
    return back


law(
    "scatter_reduce",
    scatter_joined,
    "ScatterReduceBackward0",
    self=smoothly(scatter_joined, "src", "self"),
    src=smoothly(scatter_joined, "src", "src"),
)
law(
    "index_reduce",
    rows_joined,
    "IndexReduceBackward0",
    self=smoothly(rows_joined, "source", "self"),
    source=smoothly(rows_joined, "source", "source"),
)


# ----- beside each other --------------------------------------------------------------------------
def corner(sizes, slot):
    """Return the rows and columns of a block among blocks of these sizes."""
    flat = [(1,) * (2 - len(s)) + tuple(s) for s in sizes]
    row, column = (sum(s[k] for s in flat[:slot]) for k in (0, 1))
    return slice(row, row + flat[slot][0]), slice(column, column + flat[slot][1])


def blocks(tensors):
    """Return the matrix with the given ones along its diagonal."""
    sizes = [np.shape(t) for t in tensors]
    last = corner(sizes, len(sizes) - 1)
    out = np.zeros((last[0].stop, last[1].stop))
    for slot, tensor in enumerate(tensors):
        out[corner(sizes, slot)] = tensor
    return out


def block(g, tensors_sym_sizes, slot):
    """Return the gradient of one block; that of a row keeps its two dimensions, and is summed later."""
    size, part = tensors_sym_sizes[slot], g[corner(tensors_sym_sizes, slot)]
    return part if len(size) == 1 else np.reshape(part, size)


def shuffled(self, groups):
    """Return the channels with one of each group in turn."""
    channels = np.shape(self)[1]
    order = [g * (channels // groups) + k for k in range(channels // groups) for g in range(groups)]
    return self[:, order]


law(
    "block_diag",
    blocks,
    "BlockDiagBackward0",
    exact=True,
    tensors=block,
)
law(
    "channel_shuffle",
    shuffled,
    "ChannelShuffleBackward0",
    exact=True,
    self=lambda g, groups: shuffled(g, g.shape[1] // groups),
)


# ----- all pairs ----------------------------------------------------------------------------------
def length(away, p):
    """Return the p-norm along the last dimension."""
    size = np.abs(away)
    if p == 0:
        return np.sum(size != 0, axis=-1).astype(float)
    return np.max(size, axis=-1) if math.isinf(p) else np.sum(size**p, axis=-1) ** (1 / p)


def pull_of(g, away, p):
    """Return what the differences get from their lengths; nothing where they are 0."""
    size, whole = np.abs(away), length(away, p)[..., None]
    if p == 0:
        slope = np.zeros_like(away)
    elif math.isinf(p):
        slope = np.sign(away) * (size == whole)
    elif p == 1:
        slope = np.sign(away)
    else:
        slope = np.where((whole == 0) | (size == 0), 0.0, np.sign(away) * (size / whole) ** (p - 1))
    return slope * g[..., None]


def differences(x1, x2):
    """Return every row of x1 less every row of x2."""
    return x1[..., :, None, :] - x2[..., None, :, :]


def pairs(self):
    """Return row numbers of all pairs, the smaller first."""
    return np.array([(i, j) for i in range(len(self)) for j in range(i + 1, len(self))], int).reshape(-1, 2).T


def both_ends(g, self, p):
    """Return what the points of all pairs get: one end the slope, the other end against it."""
    first, second = pairs(self)
    flow, out = pull_of(g, self[first] - self[second], p), np.zeros(np.shape(self))
    for i, j, each in zip(first, second, flow):
        out[i] += each
        out[j] -= each
    return out


law(
    "cdist",
    lambda x1, x2, p: length(differences(x1, x2), p),
    "CdistBackward0",
    x1=lambda g, x1, x2, p: np.sum(pull_of(g, differences(x1, x2), p), axis=-2),
    x2=lambda g, x1, x2, p: -np.sum(pull_of(g, differences(x1, x2), p), axis=-3),
)
law(
    "pdist",
    lambda self, p=2.0: length(np.subtract(*(self[rows] for rows in pairs(self))), p),
    "PdistBackward0",
    self=both_ends,
)


def shortened(self, p, dim, maxnorm):
    """Return rows cut to a length, at which the ones that are shorter stay."""
    lengths = row_lengths(self, p, dim)
    return np.where(np.real(lengths) > maxnorm, self * (maxnorm / (lengths + 1e-7)), self)


def row_lengths(self, p, dim):
    """Return the length of every slice along a dimension."""
    others = tuple(d for d in range(np.ndim(self)) if d != dim % np.ndim(self))
    size = np.where(np.real(self) < 0, -self, self)
    return np.sum(size**p, axis=others, keepdims=True) ** (1 / p)


law("renorm", shortened, "RenormBackward0", steps="self")


def directed(v, g, dim=0):
    """Return v scaled to lengths g, and the lengths it had."""
    others = tuple(d for d in range(np.ndim(v)) if d != dim % np.ndim(v))
    lengths = np.sum(v * v, axis=others, keepdims=True) ** 0.5
    return [v * (g / lengths), lengths]


def along(g, v, dim):
    """Return what a length gets: the gradient along the direction. (For v, `g` would have two meanings.)"""
    others = tuple(d for d in range(np.ndim(v)) if d != dim % np.ndim(v))
    return np.sum(g * v, axis=others, keepdims=True) / np.sum(v * v, axis=others, keepdims=True) ** 0.5


law("_weight_norm_interface", directed, "WeightNormInterfaceBackward0", g=along)
