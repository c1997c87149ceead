"""The facts of single tensors: memory shared, replaced or written, numbers read, sparse entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

fact = dataclass(slots=True, eq=False)


@fact
class Detached:
    """`tensor` shows the memory of `source` without its history; `how`: detach, data, or detach_ in place."""

    tensor: Any
    source: Any
    how: str
    value: Any


@fact
class DataReplaced:
    """`tensor.data = source`: the tensor shows the memory of `source` from now on. `before` is an array."""

    tensor: Any
    source: Any
    before: Any
    after: Any


@fact
class ValueRead:
    """The program took numbers out of a tensor; `how`: item, tolist, numpy, float, int, bool, …"""

    tensor: Any
    how: str
    value: Any


@fact
class MemoryWritten:
    """Memory was written by no operation: `by` a layer that moves its "buffer", or perhaps by "numpy"."""

    by: str


@fact
class VersionBumped:
    """Memory was written in place: the counter that all views of it share went from `before` to `after`."""

    tensor: Any
    before: int
    after: int


@fact
class Rebased:
    """A tensor hangs on another node than before, since its memory was written; `before` may be None."""

    tensor: Any
    before: Any
    after: Any


@fact
class SparseAccumulated:
    """What AccumulateGrad was given was sparse: `rows` at `indices` (arrays); `.grad` has `entries` now."""

    node: Any
    tensor: Any
    indices: Any
    rows: Any
    entries: int
    coalesced: bool


@fact
class Coalesced:
    """A sparse tensor's entries with equal indices were added up, and put in order; arrays."""

    indices: Any
    rows: Any
    new_indices: Any
    new_rows: Any
