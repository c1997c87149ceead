"""What picks elements by place: select, slice, index, gather, masks. Where each stood is the derivative."""

from __future__ import annotations

import numpy as np

from engine.verify.laws.table import law


def along(dim, what, ndim):
    """Return an index that takes `what` along one dimension and everything along the others."""
    return tuple(what if d == dim % ndim else slice(None) for d in range(ndim))


def selected(self, dim, index):
    """Return one place along a dimension, the dimension gone; a view, also of a single number."""
    return self[(*along(dim, index, self.ndim), ...)]


def sliced(self, dim=0, start=None, end=None, step=1):
    """Return every step-th place from start to end along a dimension."""
    return self[along(dim, slice(start, end, step), self.ndim)]


def indexed(self, indices):
    """Return what index arrays pick; None stands for all of a dimension."""
    return self[tuple(slice(None) if i is None else i for i in indices)]


def rows(self, dim, index):
    """Return whole rows along a dimension."""
    return np.take(self, np.ravel(index), axis=dim) if self.ndim else self


def gathered(self, dim, index, sparse_grad=False):
    """Return one element per index along a dimension."""
    if not self.ndim:
        return self
    cut = tuple(slice(None) if d == dim % self.ndim else slice(n) for d, n in enumerate(index.shape))
    return np.take_along_axis(self[cut], index, dim)


def masked(self, mask):
    """Return the elements where a mask is true."""
    shape = np.broadcast_shapes(np.shape(self), mask.shape)
    return np.broadcast_to(self, shape)[np.broadcast_to(mask, shape)]


def looked_up(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    """Return a row of a table per index."""
    return weight[indices]


def table_slope(g, weight_sym_sizes, indices, padding_idx=-1, scale_grad_by_freq=False):
    """Return a table of zeros with each gradient added to the row it was looked up in."""
    back, flat = np.zeros(weight_sym_sizes), np.ravel(indices)
    flows = np.reshape(g, (flat.size, -1))
    if scale_grad_by_freq:
        flows = flows / np.array([np.sum(flat == i) for i in flat])[:, None]
    keeps = flat != padding_idx
    np.add.at(back, flat[keeps], flows[keeps])
    return back


law("select", selected, "SelectBackward0", view=True, moves="self")
law("slice narrow", sliced, "SliceBackward0", view=True, moves="self")
law("index", indexed, "IndexBackward0", moves="self")
law("index_select", rows, "IndexSelectBackward0", moves="self")
law("gather take_along_dim", gathered, "GatherBackward0", moves="self")
law("take", lambda self, index: np.take(np.ravel(self), index), "TakeBackward0", moves="self")
law("masked_select", masked, "MaskedSelectBackward0", moves="self")
law("nonzero", lambda self: np.argwhere(self), exact=True)
law("embedding", looked_up, "EmbeddingBackward0", exact=True, weight=table_slope)
