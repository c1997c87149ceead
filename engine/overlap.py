"""Writing in place while other views of the same memory are read: `x -= x[:, :1]` sees what it has written.

PyTorch's loops run over the memory of what is written, fastest dimension innermost, and do not look out for
that (TensorIterator.cpp, Loops.h). A row that is dense for all is taken in blocks of 64 bytes, for which a
number that stays the same along the row is read once, at the start; everything else goes element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from engine.tensor import Tensor

BLOCK = 64  # bytes: two vectors of AVX2


def overlaps(written: Tensor, others: tuple) -> bool:
    """Say whether an operand looks into the memory that is written, at other places than are written."""
    counter = written.counter
    if counter is None:
        return False
    for other in others:
        if isinstance(other, Tensor) and other.counter is counter and other is not written:
            here, there = written.array, other.array
            if here.__array_interface__["data"] != there.__array_interface__["data"] or (
                here.strides != there.strides or here.shape != there.shape
            ):
                return np.may_share_memory(here, there)
    return False


def in_turn(forward: Callable[..., Any], arrays: list[Any]) -> np.ndarray:
    """Return what `forward` gives if each element is written before the next is read. Writes nothing."""
    written = arrays[0]
    before = written.copy()
    order = sorted(range(written.ndim), key=lambda d: -abs(written.strides[d]))
    operands = [
        np.broadcast_to(a, written.shape).transpose(order) if isinstance(a, np.ndarray) else a for a in arrays
    ]
    operands[0] = written.transpose(order)
    for rows in rows_of(operands):
        target, start = rows[0], 0
        constant = [isinstance(r, np.ndarray) and r.strides[0] == 0 for r in rows]
        if dense(rows, constant):
            kept = [r.copy() if same else r for r, same in zip(rows, constant)]
            step = BLOCK // target.itemsize
            while start + step <= len(target):
                target[start : start + step] = forward(*part(kept, start, step))
                start += step
        for i in range(start, len(target)):
            target[i : i + 1] = forward(*part(rows, i, 1))
    after = written.copy()
    written[...] = before
    return after


def rows_of(operands: list[Any]) -> Iterator[list[Any]]:
    """Yield the operands' innermost rows in the order of memory; dimensions that run on are one."""
    shape = operands[0].shape
    arrays = [a for a in operands if isinstance(a, np.ndarray)]
    first = len(shape) - 1
    while first > 0 and all(a.strides[first - 1] == shape[first] * a.strides[first] for a in arrays):
        first -= 1
    flat = [a.reshape(*shape[:first], -1) if isinstance(a, np.ndarray) else a for a in operands]
    for index in np.ndindex(shape[:first]):
        yield [a[index] if isinstance(a, np.ndarray) else a for a in flat]


def dense(rows: list[Any], constant: list[bool]) -> bool:
    """Say whether rows lie element after element, but for one that stays the same."""
    steps = [
        same or not isinstance(r, np.ndarray) or r.strides[0] == r.itemsize for r, same in zip(rows, constant)
    ]
    return all(steps) and sum(constant) <= 1 and not constant[0]


def part(rows: list[Any], start: int, count: int) -> list[Any]:
    """Return `count` elements of every row, and what is no row as it is."""
    return [r[start : start + count] if isinstance(r, np.ndarray) else r for r in rows]
