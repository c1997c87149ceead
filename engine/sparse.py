"""Sparse COO tensors, as far as gradients of `Embedding(sparse=True)` need them.

An entry is an index and a row of values; an index may occur several times until `coalesce()`. To
whatever does not know about sparse tensors, `array` is the dense equivalent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine import events, format
from engine.tensor import Tensor, make


class SparseTensor(Tensor):
    """A tensor given by entries: `entry_indices` (dims, n) int64 and `entry_values` (n, ...)."""

    entry_indices: np.ndarray
    entry_values: np.ndarray
    full_size: tuple
    is_summed: bool

    def __init__(self, indices: np.ndarray, values: np.ndarray, size: tuple, coalesced: bool = False) -> None:
        self.entry_indices = indices
        self.entry_values = values
        self.full_size = tuple(size)
        self.is_summed = coalesced or indices.shape[1] < 2

    @property
    def array(self) -> np.ndarray:
        """Return the dense equivalent, made anew: writing into it changes nothing."""
        dense = np.zeros(self.full_size, self.entry_values.dtype)
        np.add.at(dense, tuple(self.entry_indices), self.entry_values)
        return dense

    @property
    def dtype(self) -> Any:
        return dtypes.from_numpy(self.entry_values.dtype)

    @property
    def is_sparse(self) -> bool:
        return True

    @property
    def layout(self) -> str:
        return "torch.sparse_coo"

    def __repr__(self) -> str:
        node = self.node
        return format.sparse_text(
            self.entry_indices, self.entry_values, self.full_size, self.dtype,
            grad_fn=None if node is None else node.type_name, requires_grad=self.requires,
        )  # fmt: skip

    __str__ = __repr__

    # ----- what a learner can ask -----
    def _nnz(self) -> int:
        return self.entry_indices.shape[1]

    def is_coalesced(self) -> bool:
        """Return whether every index occurs once, in order."""
        return self.is_summed

    def coalesce(self) -> SparseTensor:
        """Return the same tensor with one entry per index: duplicates added, indices sorted."""
        if self.is_summed:
            return self
        flat = np.ravel_multi_index(tuple(self.entry_indices), self.full_size[: len(self.entry_indices)])
        unique, where = np.unique(flat, return_inverse=True)
        values = np.zeros((unique.size, *self.entry_values.shape[1:]), self.entry_values.dtype)
        np.add.at(values, where, self.entry_values)
        indices = np.stack(np.unravel_index(unique, self.full_size[: len(self.entry_indices)]))
        indices = indices.astype(np.int64)
        events.emit(events.Coalesced(self.entry_indices, self.entry_values, indices, values))
        return SparseTensor(indices, values, self.full_size, True)

    def indices(self) -> Tensor:
        """Return the indices of a coalesced tensor."""
        self._must_be_summed("indices")
        return make(self.entry_indices)

    def values(self) -> Tensor:
        """Return the values of a coalesced tensor."""
        self._must_be_summed("values")
        return make(self.entry_values)

    def _must_be_summed(self, what: str) -> None:
        if not self.is_summed:
            raise RuntimeError(f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() first")

    def _indices(self) -> Tensor:
        return make(self.entry_indices)

    def _values(self) -> Tensor:
        return make(self.entry_values)

    def to_dense(self) -> Tensor:
        """Return the dense equivalent."""
        return make(self.array)

    def detach(self) -> SparseTensor:
        """Return the same entries without history."""
        return SparseTensor(self.entry_indices, self.entry_values, self.full_size, self.is_summed)

    def clone(self) -> SparseTensor:
        """Return a copy."""
        return SparseTensor(
            self.entry_indices.copy(), self.entry_values.copy(), self.full_size, self.is_summed
        )

    # ----- arithmetic that gradients need -----
    def __add__(self, other: Any) -> Any:
        if isinstance(other, SparseTensor):
            return joined(self, other)
        if isinstance(other, Tensor):
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        return NotImplemented

    def __radd__(self, other: Any) -> Any:
        return make(other.array + self.array) if isinstance(other, Tensor) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Tensor) and other.array.size == 1:
            other = other.array.item()
        if isinstance(other, (int, float)):
            return SparseTensor(self.entry_indices, self.entry_values * other, self.full_size, self.is_summed)
        return NotImplemented

    __rmul__ = __mul__

    def write_entries(self, other: SparseTensor) -> None:
        """Append the entries of `other` in place."""
        both = joined(self, other)
        events.changing()
        self.entry_indices, self.entry_values, self.is_summed = both.entry_indices, both.entry_values, False
        self.bump()

    def zero_(self) -> SparseTensor:
        """Drop all entries in place."""
        events.changing()
        self.entry_indices, self.entry_values = self.entry_indices[:, :0], self.entry_values[:0]
        self.bump()
        return self


def joined(first: SparseTensor, second: SparseTensor) -> SparseTensor:
    """Return the entries of both, those of `first` first."""
    indices = np.concatenate([first.entry_indices, second.entry_indices], 1)
    values = np.concatenate([first.entry_values, second.entry_values])
    return SparseTensor(indices, values, first.full_size)


def embedding_grad(grad: Tensor, indices: Tensor, rows: int, padding_idx: int = -1) -> SparseTensor:
    """Return the gradient of looked-up rows: one entry per index in order, those at `padding_idx` removed."""
    flat = indices.array.reshape(1, -1)
    values = grad.array.reshape(flat.size, -1)
    if padding_idx >= 0:
        kept = flat[0] != padding_idx
        flat, values = flat[:, kept], values[kept]
    return SparseTensor(flat.astype(np.int64), values.copy(), (rows, values.shape[1]))


def accumulated(before: Tensor | None, grad: Tensor) -> tuple[Tensor, str]:
    """Return a leaf's new `.grad` where what was there or what arrives is sparse (accumulate_grad.h)."""
    if before is None:
        return grad.clone(), "stored"
    if isinstance(before, SparseTensor):
        if isinstance(grad, SparseTensor):
            before.write_entries(grad)
            return before, "added in place"
        return make(grad.array + before.array), "added"
    before.write(before.array + grad.array)
    return before, "added in place"
