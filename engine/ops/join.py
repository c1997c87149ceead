"""Operations that put tensors together, and that cut one into pieces: one node each, with many ends."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.ops import errors
from engine.ops.dims import at, axis
from engine.ops.table import F, op

# fmt: off

inner = partial(op, spelled="")


# ----- together -----------------------------------------------------------------------------------
def _cat(tensors, dim=0):
    parts = [t for t in tensors if t.shape != (0,)] or list(tensors)
    over = axis(dim, parts[0].ndim)
    if not parts[0].ndim:
        raise RuntimeError("zero-dimensional tensor (at position 0) cannot be concatenated")
    for number, part in enumerate(parts):
        if part.ndim != parts[0].ndim:
            raise RuntimeError(errors.cat_ndims(parts[0].ndim, part.ndim))
        for d, (wanted, got) in enumerate(zip(parts[0].shape, part.shape, strict=True)):
            if d != over and wanted != got:
                raise RuntimeError(errors.cat_sizes(over, wanted, got, number))
    return np.ascontiguousarray(np.concatenate(parts, over))


def _stack(tensors, dim=0):
    for number, part in enumerate(tensors):
        if part.shape != tensors[0].shape:
            raise RuntimeError(errors.stack_sizes(tensors[0].shape, part.shape, number))
    return np.ascontiguousarray(np.stack(tensors, axis(dim, tensors[0].ndim + 1)))


def narrowed(grad, dim, sizes):
    """Cut a gradient into the pieces that were joined along `dim`."""
    pieces, start = [], 0
    for size in sizes:
        if size == (0,) and len(grad.shape) > 1:
            pieces.append(F.new_zeros(grad, (0,)))
            continue
        end = start + size[axis(dim, len(size))]
        pieces.append(F.slice(grad, dim, start, end, 1))
        start = end
    return pieces


inner("cat", _cat, node="CatBackward0", variadic=True, hides=("tensors_sym_sizes",),
   formulas={"tensors": "grad[start:end] along dim: the part that came from this tensor"},
   tensors=lambda grad, dim, tensors_sym_sizes: narrowed(grad, dim, tensors_sym_sizes))
inner("stack", _stack, node="StackBackward0", variadic=True,
   formulas={"tensors": "grad.select(dim, i): the part that came from this tensor"},
   tensors=lambda grad, dim, needs: [F.select(grad, dim, i) for i in range(len(needs))])


def _block_diag(tensors):
    for number, part in enumerate(tensors):
        if part.ndim > 2:
            raise RuntimeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. "
                f"Input {number} has {part.ndim} dimensions"
            )
    blocks = [np.atleast_2d(t) for t in tensors]
    out = np.zeros(np.sum([b.shape for b in blocks], 0), blocks[0].dtype)
    row = column = 0
    for block in blocks:
        out[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return out


def blocks_of(grad, sizes):
    """Cut the gradient of a block matrix into its blocks, in the shapes they came in."""
    pieces, row, column = [], 0, 0
    for size in sizes:
        height, width = (1,) * (2 - len(size)) + tuple(size)
        piece = F.slice(F.slice(grad, 0, row, row + height, 1), 1, column, column + width, 1)
        for _ in range(2 - len(size)):
            piece = F.squeeze__dim(piece, -1)  # of a row, that does nothing; backward sums it
        pieces.append(piece)
        row, column = row + height, column + width
    return pieces


inner("block_diag", _block_diag, node="BlockDiagBackward0", variadic=True,
   formulas={"tensors": "grad[rows, columns]: the block that came from this tensor"},
   tensors=lambda grad, tensors_sym_sizes: blocks_of(grad, tensors_sym_sizes))


# ----- apart: one node, several views ---------------------------------------------------------------
def _pieces(self, dim, sizes):
    over, start, out = axis(dim, self.ndim), 0, []
    for size in sizes:
        out.append(self[at(over, slice(start, start + size))])
        start += size
    return tuple(out)


def even_sizes(total: int, size: int) -> list[int]:
    """Return the sizes of the pieces that `split(size)` makes; the last may be smaller."""
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    if not size and total:
        raise RuntimeError(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {total}"
        )
    return [min(size, total - start) for start in range(0, total, size or 1)] or [0]


def _split(self, split_size, dim=0):
    if not self.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    return _pieces(self, dim, even_sizes(self.shape[axis(dim, self.ndim)], split_size))


def _split_with_sizes(self, split_sizes, dim=0):
    over = axis(dim, self.ndim)
    if sum(split_sizes) != self.shape[over]:
        raise RuntimeError(errors.split_sizes(self.shape[over], over, split_sizes))
    return _pieces(self, over, split_sizes)


def filled(grads, shapes):
    """Return the gradients of a node's outputs with zeros for those that never came."""
    like = next(g for g in grads if g is not None)
    return tuple(F.new_zeros(like, s) if g is None else g for g, s in zip(grads, shapes, strict=True))


def _shapes(sizes, dim, pieces):
    over = axis(dim, len(sizes))
    return [(*sizes[:over], n, *sizes[over + 1 :]) for n in pieces]


def joined(grads, sizes, dim, pieces):
    """Put the gradients of pieces together again."""
    return F.cat(filled(grads, _shapes(sizes, dim, pieces)), dim)


def split_joined(grads, sizes, split_size, dim):
    """The same for pieces of one size."""
    return joined(grads, sizes, dim, even_sizes(sizes[axis(dim, len(sizes))], split_size))


CAT = {"self": "cat(grads, dim)"}
inner("split", _split, node="SplitBackward0", view=True, outputs=-1, formulas=CAT,
   self=lambda grads, split_size, dim, self_sym_sizes: split_joined(grads, self_sym_sizes, split_size, dim))
inner("split_with_sizes", _split_with_sizes, node="SplitWithSizesBackward0", view=True, outputs=-1,
   formulas=CAT,
   spelled="method function",
   self=lambda grads, split_sizes, dim, self_sym_sizes: joined(grads, self_sym_sizes, dim, split_sizes))
inner("unsafe_split", lambda self, split_size, dim=0: tuple(p.copy() for p in _split(self, split_size, dim)),
   node="UnsafeSplitBackward0", outputs=-1, formulas=CAT,
   self=lambda grads, split_size, dim, self_sym_sizes: split_joined(grads, self_sym_sizes, split_size, dim))


def _unbind(self, dim=0):
    if not self.ndim:
        raise errors.dimension_too_small("unbind")
    return tuple(np.moveaxis(self, axis(dim, self.ndim), 0)[i, ...] for i in range(self.shape[dim]))


def restacked(grads, sizes, dim):
    """Stack the gradients of the slices again."""
    over = axis(dim, len(sizes))
    return F.stack(filled(grads, [(*sizes[:over], *sizes[over + 1 :])] * len(grads)), dim)


op("unbind", _unbind, node="UnbindBackward0", view=True, outputs=-1, formulas={"self": "stack(grads, dim)"},
   hides=("self_sym_sizes",),
   self=lambda grads, dim, self_sym_sizes: restacked(grads, self_sym_sizes, dim))
