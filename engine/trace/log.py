"""What is kept at the moment of a fact so that its rows can be written later. Writes no rows itself.

The facts stand here in order, as the live objects they are. Of what they refer to, the state of before is
kept when it is about to change: memory is copied before it is overwritten, not when a fact mentions it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.stretch import TOLD, Stretch, by_name
from engine.tensor import Tensor

SMALL = 1 << 16  # bytes of memory that are always copied before a write
ROOM = 1 << 25  # bytes of such copies that are kept


class Log:
    """Entries in order, and older states by the number of entries that still mean them.

    The engine tells it (see `events.overwriting` and what follows there) before it changes anything that
    a fact may refer to. `settle` writes the rows of all entries; whatever is too rare or too large to keep
    a copy of is settled first.
    """

    def __init__(self, settle: Callable[[], None]) -> None:
        # Note: later
        self.settle = settle
        self.entries: list[Any] = []
        self.now = 0  # the entry that is being read
        self.kept = 0  # bytes
        self.always = False  # to copy it, even if only the entry that comes now could mean it
        self.written: set[int] = set()  # the entries before which memory was overwritten
        self.roots: dict[int, list[np.ndarray]] = {}  # memory that was written before an entry
        self._memory: dict[int, list[tuple[int, np.ndarray, np.ndarray]]] = {}
        self._arrays: dict[int, list[tuple[int, Any, np.ndarray]]] = {}
        self._saved: dict[int, list[tuple[int, Any, dict]]] = {}

    def unfold(self) -> None:
        """Find what the nodes of whole stretches had saved: until the end of its stretch that is meant."""
        for i, entry in enumerate(self.entries):
            if type(entry) is Stretch:
                for node, _, _, saved, _ in entry.steps:
                    if saved is not None and saved is not TOLD:
                        self._saved.setdefault(id(node), []).append((i + 1, node, by_name(node, saved)))

    def clear(self) -> None:
        """Let go of everything: all rows are written."""
        if self.roots:  # of what was written last the fact may be still to come
            coming = self.roots.get(len(self.entries))
            self.roots = {} if coming is None else {0: coming}
        self.entries.clear()
        self.kept = 0
        if self._memory:
            self._memory, self.written = {}, set()
        if self._arrays:
            self._arrays = {}
        if self._saved:
            self._saved = {}

    # ----- before a change -----
    def overwriting(self, array: np.ndarray) -> None:
        """Copy the memory that is about to be written; views of it may stand in any entry so far."""
        root = owner(array)
        if self.entries or self.always:
            self._copy(array, root)
        self.roots.setdefault(len(self.entries), []).append(root)

    def _copy(self, array: np.ndarray, root: np.ndarray) -> None:
        older = self._memory.get(id(root))
        if older is not None and older[-1][0] == len(self.entries):
            return
        whole = root.base is None and root.flags.c_contiguous
        if not whole or self.kept > ROOM or (root.nbytes > SMALL and root.nbytes > 2 * array.nbytes):
            if self.entries:
                self.settle()
            return
        self.kept += root.nbytes
        self.written.add(len(self.entries))
        self._memory.setdefault(id(root), []).append((len(self.entries), root, root.copy()))

    def replacing(self, tensor: Tensor) -> None:
        """Keep the array that a tensor is about to give up."""
        if self.entries:
            self._arrays.setdefault(id(tensor), []).append((len(self.entries), tensor, tensor.array))

    def releasing(self, node: Any) -> None:
        """Keep what a node has saved, which it is about to drop."""
        if self.entries:
            self._saved.setdefault(id(node), []).append((len(self.entries), node, node.saved))

    @property
    def gave_up_arrays(self) -> bool:
        """Say whether some tensor has been given another array since the first entry."""
        return bool(self._arrays)

    # ----- as it was at the entry that is being read -----
    def array_of(self, tensor: Tensor) -> np.ndarray:
        """Return the array a tensor had."""
        if not self._arrays or id(tensor) not in self._arrays:
            return tensor.array
        older = self._older(self._arrays, tensor)
        return tensor.array if older is None else older

    def as_it_was(self, array: np.ndarray) -> np.ndarray:
        """Return an array with the numbers it had."""
        if self._memory:
            root = owner(array)
            copy = self._older(self._memory, root)
            if copy is not None:
                return seen_through(array, root, copy)
        return array

    def saved_by(self, node: Any) -> dict[str, Any]:
        """Return what a node had saved."""
        if id(node) not in self._saved:
            return node.saved
        older = self._older(self._saved, node)
        return node.saved if older is None else older

    def _older(self, states: dict[int, list], subject: Any) -> Any:
        """Return the first state that was given up after the present entry was made, or None."""
        for until, _, state in states.get(id(subject), ()):
            if until > self.now:
                return state
        return None


def owner(array: np.ndarray) -> np.ndarray:
    """Return the array whose memory another one looks into."""
    while type(array.base) is np.ndarray:
        array = array.base
    return array


def seen_through(array: np.ndarray, root: np.ndarray, copy: np.ndarray) -> np.ndarray:
    """Return the part of `copy` that `array` is of `root`."""
    starts = [each.__array_interface__["data"][0] for each in (array, root)]
    return np.ndarray(array.shape, array.dtype, copy, starts[0] - starts[1], array.strides)
