"""Bags of rows of a table: their sums, means or maxima, without the rows themselves. One row per bag."""

from __future__ import annotations

import numpy as np

from engine import dtype as dtypes
from engine.errors import embedding_bag_refused
from engine.ops.table import F, op
from engine.sparse import embedding_grad
from engine.tensor import beside

# fmt: off

SUM, MEAN, MAX = 0, 1, 2


def bag_of(indices, offsets):
    """Return the number of the bag that each index is in."""
    return np.searchsorted(offsets, np.arange(indices.size), "right") - 1


def _embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=SUM, sparse=False,
                   per_sample_weights=None, include_last_offset=False, padding_idx=-1):
    embedding_bag_refused(weight.shape, indices, offsets, dtypes.from_numpy(indices.dtype))
    starts = offsets[:-1] if include_last_offset else offsets
    count, bags = len(starts), bag_of(indices, starts)
    keep = indices != padding_idx
    rows = weight[indices]
    rows = rows if per_sample_weights is None else rows * per_sample_weights[:, None]
    sizes = np.bincount(bags[keep], minlength=count)
    plain = mode == SUM and padding_idx < 0
    told = (np.zeros(0, np.int64) if plain else bags, np.zeros(count, np.int64) if plain else sizes)
    if mode == MAX:
        found, places = largest(rows, indices, bags, keep, count)
        return found, *told, places
    found = np.zeros((count, weight.shape[1]), weight.dtype)
    np.add.at(found, bags[keep], rows[keep])
    if mode == MEAN:
        found = found / np.maximum(sizes, 1)[:, None].astype(weight.dtype)
    return found, *told, told[1]


def largest(rows, indices, bags, keep, count):
    """Return the maxima of each bag, and the row of the table that each is from."""
    found, places = np.zeros((count, rows.shape[1]), rows.dtype), np.zeros((count, rows.shape[1]), np.int64)
    for bag in range(count):
        own = np.flatnonzero((bags == bag) & keep)
        if own.size:
            first = rows[own].argmax(0)
            found[bag], places[bag] = rows[own].max(0), indices[own][first]
    return found, places


def shares(grad, indices, offsets, mode, bag_size, per_sample_weights, include_last_offset):
    """Return what each index gets of its bag's gradient."""
    bags = bag_of(indices, offsets[:-1] if include_last_offset else offsets)
    rows = grad[bags]
    if mode == MEAN:
        rows = rows / bag_size[bags][:, None].astype(grad.dtype)
    return rows if per_sample_weights is None else rows * per_sample_weights[:, None]


def frequencies(indices, num_weights):
    """Return what each index's share is divided by. PyTorch counts the k-th smallest of all indices instead
    of the k-th different one, so a row may be divided by how often another one was looked up."""
    counts = np.bincount(indices, minlength=num_weights)
    divisors = np.ones(num_weights)
    different = np.unique(indices)
    divisors[different] = counts[np.sort(indices)[: len(different)]]
    return divisors[indices]


def _embedding_bag_backward(grad, indices, offsets, result1, result2, result3, num_weights,
                            scale_grad_by_freq, mode, per_sample_weights, include_last_offset, padding_idx):
    out = np.zeros((num_weights, grad.shape[1]), grad.dtype)
    if mode == MAX:
        whole = np.flatnonzero(result2)
        for column in range(grad.shape[1]):
            np.add.at(out[:, column], result3[whole, column], grad[whole, column])
        return out
    rows = shares(grad, indices, offsets, mode, result2, per_sample_weights, include_last_offset)
    if scale_grad_by_freq:
        rows = rows / frequencies(indices, num_weights)[:, None].astype(rows.dtype)
    keep = indices != padding_idx
    np.add.at(out, indices[keep], rows[keep])
    return out


def sparse_rows(grad, indices, offsets, mode, result2, rows, include_last_offset, padding_idx):
    """Return the same as entries of a sparse tensor, one per index."""
    held = [None if t is None else t.array for t in (grad, indices, offsets, result2)]
    each = shares(*held[:3], mode, held[3], None, include_last_offset)
    return embedding_grad(beside(grad, each), indices, rows, padding_idx)


def no_second(grad):
    """Refuse the derivative of the derivative, which PyTorch does not have."""
    raise NotImplementedError("the derivative for '_embedding_bag_backward' is not implemented.")


NOT_THERE = "not implemented: PyTorch has no derivative here"
op("embedding_bag", _embedding_bag, node="EmbeddingBagBackward0", outputs=4, flows=1, spelled="",
   formulas={"weight": "zeros(weight) with each bag's share of grad added at [indices]",
             "per_sample_weights": "(weight[indices] * grad of the index's bag).sum(1)"},
   weight=lambda grad, indices, offsets, result1, result2, result3, weight_sym_argsize_0,
   scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx:
   sparse_rows(grad, indices, offsets, mode, result2, weight_sym_argsize_0, include_last_offset, padding_idx)
   if sparse else F._embedding_bag_backward(
       grad, indices, offsets, result1, result2, result3, weight_sym_argsize_0, scale_grad_by_freq, mode,
       per_sample_weights, include_last_offset, padding_idx),
   per_sample_weights=lambda grad, weight, indices, offsets, include_last_offset:
   F._embedding_bag_weights_backward(grad, weight, indices, offsets, include_last_offset))
op("_embedding_bag_backward", _embedding_bag_backward, node="EmbeddingBagBackwardBackward0",
   formulas={"grad": NOT_THERE}, grad=no_second)
op("_embedding_bag_weights_backward",
   lambda grad, weight, indices, offsets, include_last_offset:
   (weight[indices] * shares(grad, indices, offsets, SUM, None, None, include_last_offset)).sum(1),
   node="EmbeddingBagPerSampleWeightsBackwardBackward0",
   formulas={"grad": NOT_THERE, "weight": NOT_THERE}, grad=no_second, weight=no_second)
