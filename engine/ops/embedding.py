"""Looking up rows of a table of weights."""

from __future__ import annotations

import numpy as np

from engine import dtype as dtypes
from engine.errors import index_error
from engine.ops import errors
from engine.ops.table import F, op
from engine.sparse import embedding_grad

# fmt: off


def _embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    if indices.dtype not in (np.int64, np.int32):
        raise RuntimeError(errors.embedding_indices(dtypes.from_numpy(indices.dtype)))
    if indices.size and not (0 <= indices.min() and indices.max() < weight.shape[0]):
        raise index_error(errors.out_of_range_in_self())
    return weight[indices]


def _embedding_backward(grad_output, indices, num_weights, padding_idx, scale_grad_by_freq):
    flat, rows = indices.reshape(-1), grad_output.reshape(-1, grad_output.shape[-1])
    if scale_grad_by_freq:
        rows = rows / np.bincount(flat, minlength=num_weights)[flat][:, None].astype(rows.dtype)
    keep = flat != padding_idx
    out = np.zeros((num_weights, grad_output.shape[-1]), grad_output.dtype)
    np.add.at(out, flat[keep], rows[keep])
    return out


def looked_up(grad, indices, padding_idx):
    """Return the rows of a gradient that the indices name, 0 where they name the padding."""
    rows = F.index_select(grad, 0, indices.reshape((-1,)))
    if padding_idx >= 0:
        rows = rows.masked_fill((indices.reshape((-1,)) == padding_idx).unsqueeze(1), 0)
    return rows.reshape((*indices.shape, grad.shape[1]))


op("embedding", _embedding, node="EmbeddingBackward0", spelled="",
   formulas={"weight": "zeros(weight) with the rows of grad added at [indices]"},
   weight=lambda grad, indices, weight_sym_argsize_0, padding_idx, scale_grad_by_freq, sparse:
   embedding_grad(grad, indices, weight_sym_argsize_0, padding_idx) if sparse
   else F.embedding_dense_backward(grad, indices, weight_sym_argsize_0, padding_idx, scale_grad_by_freq))
op("embedding_dense_backward", _embedding_backward, node="EmbeddingDenseBackwardBackward0",
   formulas={"grad_output": "grad[indices] if padding_idx < 0 "
             "else (indices != padding_idx).unsqueeze(-1) * grad[indices]"},
   grad_output=lambda grad, indices, padding_idx: looked_up(grad, indices, padding_idx))
