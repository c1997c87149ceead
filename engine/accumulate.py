"""AccumulateGrad: how what arrives at a leaf gets into its `.grad`. Source: PyTorch's accumulate_grad.h."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from engine import errors, events, sparse
from engine.node import AccumulateGrad
from engine.sparse import SparseTensor
from engine.tensor import Tensor, make_at


def accumulate(node: AccumulateGrad, grad: Any, call: Any) -> Iterator[Any]:
    """Add what arrived to the leaf's `.grad`, as accumulate_grad.h does for dense gradients."""
    leaf = node.variable
    before = after = leaf.grad_tensor
    kept = None if before is None else before.array.copy() if call.watched else before.array
    how = "nothing"
    if grad is not None and leaf.requires:
        if leaf.node is not None:
            raise RuntimeError(errors.leaf_in_graph())
        with events.observed_by(None):
            free = not leaf.hooks and id(grad) not in call.held and all(grad is not g for g in call.grads)
            after, how = accumulated(leaf, before, grad, call.create_graph, free)
        leaf.grad_tensor = after
    if call.watched:
        yield events.GradAccumulated(
            node, leaf, kept, None if grad is None else grad.array,
            None if after is None else after.array, how,
        )  # fmt: skip
        if isinstance(grad, SparseTensor):
            kept = isinstance(after, SparseTensor)
            entries = (after._nnz(), after.is_coalesced()) if kept else (0, False)
            yield events.SparseAccumulated(node, leaf, grad.entry_indices, grad.entry_values, *entries)
    for hook in list((leaf.post_hooks or {}).values()):
        answer = hook(leaf)
        if answer is not None and answer is not leaf:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        if call.watched:
            yield events.HookRan(node, "after .grad was written", hook, leaf.grad_tensor, leaf.grad_tensor)
    return []


def accumulated(
    leaf: Tensor, before: Any, grad: Tensor, create_graph: bool, free: bool
) -> tuple[Tensor, str]:
    """Return the leaf's new `.grad` and how it came about: stored, added in place, or added anew.

    A first gradient that nobody else holds (`free`) and that is laid out as the leaf becomes `.grad`
    itself, not a copy of it. That is PyTorch's rule; it looks at the tensor, not at its memory, so two
    leaves reached through views of one gradient share it (Note: memory).
    """
    if isinstance(grad, SparseTensor) or isinstance(before, SparseTensor):
        return sparse.accumulated(before, grad)
    if before is not None:
        if create_graph:
            return before + grad, "added"
        before.write(before.array + grad.array)
        return before, "added in place"
    if create_graph:
        return grad.copied_for_grad(), "stored"
    array = grad.array
    if not (free and array.flags.writeable and same_layout(array, leaf.array)):
        array = np.empty_like(leaf.array)
        array[...] = grad.array
    return make_at(array, leaf.exotic, leaf.place), "stored"


def same_layout(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether two arrays of one shape step through memory alike (obeys_layout_contract)."""
    if a.strides == b.strides and 0 not in a.strides:
        return True
    return all([(x == y if n > 1 else x != 0) for x, y, n in zip(a.strides, b.strides, a.shape, strict=True)])
