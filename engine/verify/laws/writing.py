"""What writes into a part of a tensor: fill, copy, scatter, masks. The part's old values get nothing."""

from __future__ import annotations

import numpy as np

from engine.verify.laws.picking import along, gathered, indexed, rows
from engine.verify.laws.table import law, summed_to

law(
    "fill full_like fill_scalar",
    lambda self, value: np.broadcast_to(value, np.shape(self)),
    "FillBackward0 FillBackward1 FillBackward2 FillBackward3",
    exact=True,
    flat="self",
    value=lambda g: np.sum(g),
)
law("zero", lambda self: np.zeros_like(self), "ZeroBackward0", exact=True, flat="self")
law(
    "copy",
    lambda self, src: np.broadcast_to(src, np.shape(self)),
    "CopyBackwards",
    exact=True,
    flat="self",
    src=lambda g: g,
)


law(
    "",
    None,
    "EqBackward0 NeBackward0 LtBackward0 LeBackward0 GtBackward0 GeBackward0 "
    "EqBackward1 NeBackward1 LtBackward1 LeBackward1 GtBackward1 GeBackward1",
    flat="self other",
)
law("", None, "AsinhBackward1 AcoshBackward1 AtanhBackward1")  # these only refuse


# ----- by a mask ----------------------------------------------------------------------------------
def scattered_by_mask(self, mask, source):
    """Return self with the elements of source, in order, where a mask is true."""
    mask = np.broadcast_to(mask, np.broadcast_shapes(np.shape(self), mask.shape))
    out = np.array(np.broadcast_to(self, mask.shape))
    out[mask] = np.ravel(source)[: int(mask.sum())]
    return out


def picked_by_mask(g, mask, source_sym_sizes):
    """Return the gradients where a mask is true, then zeros for what was not used of the source."""
    taken = g[np.broadcast_to(mask, g.shape)]
    out = np.zeros(int(np.prod(source_sym_sizes)))
    out[: taken.size] = taken
    return np.reshape(out, source_sym_sizes)


law(
    "masked_fill",
    lambda self, mask, value: np.where(mask, value, self),
    "MaskedFillBackward0 MaskedFillBackward1",
    exact=True,
    self=lambda g, mask: np.where(mask, 0.0, g),
    value=lambda g, mask: np.sum(np.where(mask, g, 0.0)),
)
law(
    "masked_scatter",
    scattered_by_mask,
    "MaskedScatterBackward0",
    exact=True,
    self=lambda g, mask: np.where(mask, 0.0, g),
    source=picked_by_mask,
)


# ----- by one index per element -------------------------------------------------------------------
def places(shape, dim, index):
    """Return, as index arrays, where each element of `index` points."""
    grids = list(np.indices(index.shape, sparse=True))
    if grids:
        grids[dim % len(shape)] = index
    return tuple(grids)


def cut(src, index):
    """Return as much of a source as there are indices."""
    return src[tuple(slice(n) for n in index.shape)] if np.ndim(src) else src


def scattered(self, dim, index, src=None, value=None):
    """Return self with elements written where indices point."""
    out = np.array(self)
    out[places(out.shape, dim, index)] = cut(value if src is None else src, index)
    return out


def scatter_added(self, dim, index, src):
    """Return self with elements added where indices point."""
    out = np.array(self)
    np.add.at(out, places(out.shape, dim, index), cut(src, index))
    return out


law(
    "scatter",
    scattered,
    "ScatterBackward0 ScatterBackward1",
    exact=True,
    self=lambda g, dim, index: scattered(g, dim, index, 0.0),
    src=lambda g, dim, index: gathered(g, dim, index),
)
law(
    "scatter_add",
    scatter_added,
    "ScatterAddBackward0",
    self=lambda g: g,
    src=lambda g, dim, index: gathered(g, dim, index),
)


# ----- by whole rows ------------------------------------------------------------------------------
def row_at(out, dim, index):
    """Return where whole rows stand."""
    return along(dim, np.ravel(index), out.ndim) if out.ndim else ()


def rows_added(self, dim, index, source, alpha=1):
    """Return self with alpha * source added to rows."""
    out = np.array(self)
    np.add.at(out, row_at(out, dim, index), source * alpha if alpha != 1 else source)
    return out


def rows_written(self, dim, index, value):
    """Return self with rows written."""
    out = np.array(self)
    out[row_at(out, dim, index)] = value
    return out


law(
    "index_add",
    rows_added,
    "IndexAddBackward0",
    self=lambda g: g,
    source=lambda g, dim, index, source_sym_sizes, alpha=1: (
        np.broadcast_to(np.reshape(rows(g, dim, index), source_sym_sizes), source_sym_sizes) * alpha
    ),
)
law(
    "index_copy",
    lambda self, dim, index, source: rows_written(self, dim, index, source),
    "IndexCopyBackward0",
    exact=True,
    self=lambda g, dim, index: rows_written(g, dim, index, 0.0),
    source=lambda g, dim, index: rows(g, dim, index),
)
law(
    "index_fill",
    rows_written,
    "IndexFillBackward0 IndexFillBackward1",
    exact=True,
    self=lambda g, dim, index: rows_written(g, dim, index, 0.0),
    value=lambda g, dim, index: np.sum(rows(g, dim, np.unique(index))),
)


# ----- by index arrays ----------------------------------------------------------------------------
def put_at(self, indices, values, accumulate=False):
    """Return self with values written, or added, where index arrays point."""
    out, where = np.array(self), tuple(slice(None) if i is None else i for i in indices)
    if accumulate:
        np.add.at(out, where, values)
    else:
        out[where] = values
    return out


def put_flat(self, index, source, accumulate=False):
    """Return self with a source written, or added, at places of the flat tensor."""
    out = np.array(self)
    (np.add.at if accumulate else np.put)(out.reshape(-1), np.ravel(index), np.ravel(source))
    return out


law(
    "index_put _index_put_impl",
    put_at,
    "IndexPutBackward0 IndexPutImplBackward0",
    exact=True,
    self=lambda g, indices, accumulate=False: g if accumulate else put_at(g, indices, 0.0),
    values=lambda g, indices, values_sym_sizes: summed_to(indexed(g, indices), values_sym_sizes),
)
law(
    "put",
    put_flat,
    "PutBackward0",
    exact=True,
    self=lambda g, index, accumulate=False: g if accumulate else put_flat(g, index, np.zeros(np.size(index))),
    source=lambda g, index, source_sym_sizes: np.reshape(np.take(np.ravel(g), index), source_sym_sizes),
)
