"""Sparse gradients: the rows that arrive are the dense gradient that is told, and add up when coalesced."""

from __future__ import annotations

import numpy as np

from engine.verify.numbers import Value
from engine.verify.world import World


class Sparse:
    """Follows how many entries each sparse `.grad` has."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.entries: dict[str, int | None] = {}  # None: not known

    def on_grad_set(self, row: dict) -> None:
        """A `.grad` that is None has no entries; of another nothing is known."""
        self.entries[row["tensor"]] = 0 if row["after"] is None else None

    def on_sparse_accumulated(self, row: dict) -> None:
        """Put the rows where they belong: that is the gradient that has arrived."""
        world, last = self.world, self.world.rows[self.world.k - 1]
        if (last["kind"], last.get("node"), last.get("tensor")) != (
            "grad_accumulated", row["node"], row["tensor"],
        ):  # fmt: skip
            world.refuse("node", "the leaf that was accumulated into just now", row["node"])
        arriving = world.value(last["arriving"])
        indices, rows = world.values[row["indices"]], world.values[row["rows"]]
        if arriving is None or not self.are_entries(indices, rows):
            world.refuse("indices", "one row for each index", row["indices"])
            return
        if arriving.whole and indices.whole and rows.whole:
            if not np.allclose(spread(indices, rows, arriving.shape), arriving.array, rtol=1e-5, atol=1e-6):
                world.refuse("rows", f"what adds up to {last['arriving']}", row["rows"])
            world.report.checked += 2
        else:
            world.leave("large")
        self.count(row, last, indices.shape[1])

    def count(self, row: dict, last: dict, new: int) -> None:
        """Entries are added to those that were there; one alone needs no adding up."""
        world, tensor = self.world, row["tensor"]
        before = self.entries.get(tensor, 0 if last["before"] is None else None)
        if before is not None and row["entries"]:
            world.must("entries", before + new, row["entries"])
        if row["coalesced"] and row["entries"] > 1 and new != row["entries"]:
            world.refuse("coalesced", False, True)
        self.entries[tensor] = row["entries"]

    def on_coalesced(self, row: dict) -> None:
        """Every index occurs once, in order, with the sum of its rows."""
        world = self.world
        old = world.values[row["indices"]], world.values[row["rows"]]
        new = world.values[row["new_indices"]], world.values[row["new_rows"]]
        if not (self.are_entries(*old) and self.are_entries(*new)):
            world.refuse("new_indices", "one row for each index", row["new_indices"])
        if not all(value.whole for value in (*old, *new)):
            world.leave("large")
            return
        order = [tuple(index) for index in new[0].array.T]
        if order != sorted({tuple(index) for index in old[0].array.T}):
            world.refuse("new_indices", "each index once, in order", row["new_indices"])
        size = tuple(old[0].array.max(axis=1, initial=-1) + 1) + old[1].shape[1:]
        if not np.allclose(spread(*old, size), spread(*new, size), rtol=1e-5, atol=1e-6):
            world.refuse("new_rows", "the sums of the rows", row["new_rows"])
        world.report.checked += 2

    def are_entries(self, indices: Value, rows: Value) -> bool:
        """Say whether there is one row for each index."""
        return len(indices.shape) == 2 and rows.shape[:1] == indices.shape[1:]


def spread(indices: Value, rows: Value, shape: tuple[int, ...]) -> np.ndarray:
    """Return rows added at their indices, as a dense array."""
    dense = np.zeros(shape)
    np.add.at(dense, tuple(indices.array), rows.array)
    return dense
