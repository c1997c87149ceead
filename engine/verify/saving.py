"""Saved tensors that go through hooks, and checkpoints: what is left out is what comes back."""

from __future__ import annotations

from engine.verify.numbers import kind_of
from engine.verify.world import World

PLACEHOLDER = "Placeholder"  # what a checkpoint keeps instead of a tensor


class Saving:
    """Follows what was packed, and the checkpoints that are being run for the first or second time."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.packed: set[str] = set()  # values that went into hooks
        self.running: list[tuple[dict, list[str]]] = []  # checkpoints, and what they left out
        self.left_out: dict[str, list[list[str]]] = {}  # by function, what its runs have left out
        self.again: list[tuple[dict, list[str]]] = []
        self.unpacked: dict[str, int] = {}  # by node, the number of the last that came back
        self.pending: list[dict] = []  # what was packed for an operation that is still to come

    def on_saved_packed(self, row: dict) -> None:
        """What is packed is there: a tensor holds it, or the operation that follows has made it."""
        world, v = self.world, row["value"]
        later = (r for r in world.rows[world.k :] if r["kind"] == "op_applied")
        made = next(later, {"values": []})["values"]
        if v in made or next(world.holders(world.values[v]), None) or v in world.arriving:
            world.report.checked += 1
        else:
            world.leave("packed", row["hook"])
        if row["packed"] is not None:
            known = row["packed"] == v or next(world.holders(world.values[row["packed"]]), None)
            world.report.checked += bool(known)
            if not known:
                world.leave("own", row["hook"])
        if row["kept"] == PLACEHOLDER:
            if not self.running:
                world.refuse("kept", "a checkpoint_began before it", row["kept"])
            self.running[-1][1].append(v)
        elif self.again:
            self.again[-1][1].append(v)
        self.packed.add(v)
        self.pending.append(row)

    def on_op_applied(self, row: dict) -> None:
        """What hooks keep for an operation is what it says is kept as something else than a tensor."""
        mine = [each for each in self.pending if each["at"] == row["at"]]
        if row["node"] is None or not mine:
            return
        elsewhere = [label for label, tensor, v in row["saved"] if tensor is None and v is None]
        told = sum(each["packed"] is None for each in mine)
        if len(elsewhere) != told or len(row["saved"]) != len(mine):
            self.world.refuse("saved", f"{len(mine)} that hooks have packed", row["saved"])
        self.pending = [each for each in self.pending if each["at"] != row["at"]]

    def on_saved_unpacked(self, row: dict) -> None:
        """What comes back is what went in, unless the program's own hook says otherwise."""
        world = self.world
        self.come_back(row)
        if row["value"] in self.packed:
            world.report.checked += 1
        elif row["kept"] == PLACEHOLDER and self.likeness(row["value"]) in map(self.likeness, self.packed):
            world.leave("own", row["hook"])  # made again, from running statistics that have moved since
        elif row["kept"] == PLACEHOLDER:
            world.refuse("value", "a value that was left out", row["value"])
        else:
            world.leave("own", row["hook"])

    def come_back(self, row: dict) -> None:
        """From now on the node's rules read what its hook gives: in the order in which it was packed."""
        world, node = self.world, row["node"]
        if node not in world.made_at:
            return
        labels = [label for label, _, _ in world.rows[world.made_at[node]]["saved"]]
        count = self.unpacked[node] = self.unpacked.get(node, -1) + 1
        if labels and world.applications.get(node):
            world.applications[node][labels[count % len(labels)]] = world.values[row["value"]]

    def on_checkpoint_began(self, row: dict) -> None:
        """A function runs for the first time."""
        self.running.append((row, []))

    def on_checkpoint_ended(self, row: dict) -> None:
        """It has left out what rows tell; each tensor's bytes count once."""
        world = self.world
        while self.running and self.running[-1][0]["at"] != row["at"] and "except" in world.trace["source"]:
            self.running.pop()
        if not self.running:
            world.refuse("kind", "a checkpoint_began before it", row["kind"])
        began, out = self.running.pop()
        world.must("function", began["function"], row["function"])
        if began["reentrant"] != (row["tensors"] is None) or (row["tensors"] is None) != (
            row["bytes"] is None
        ):
            world.refuse("tensors", "a number, unless nothing is recorded", row["tensors"])
        if row["tensors"] is None:
            return
        world.must("tensors", len(out), row["tensors"])
        sizes = [bytes_of(world, v) for v in out]
        least = sum(bytes_of(world, v) for v in set(out))
        if not least <= row["bytes"] <= sum(sizes):
            world.refuse("bytes", f"between {least} and {sum(sizes)}", row["bytes"])
        self.left_out.setdefault(row["function"], []).append(out)

    def on_recompute_began(self, row: dict) -> None:
        """A function runs for the second time."""
        self.again.append((row, []))

    def on_recompute_ended(self, row: dict) -> None:
        """What it has saved now is what was left out at first; the last of it may have stopped it."""
        world = self.world
        if not self.again:
            world.refuse("kind", "a recompute_began before it", row["kind"])
        began, found = self.again.pop()
        self.pending = []  # the last of it may have stopped the operation that it was for
        world.must("function", began["function"], row["function"])
        if row["tensors"] is None:
            return
        first = self.left_out.get(row["function"], [])
        alike = [[self.likeness(v) for v in out[: len(found)]] for out in first if len(out) == row["tensors"]]
        wanted = [out for out in alike if out == [self.likeness(v) for v in found]]
        if not wanted:
            world.refuse("tensors", f"what was left out: {first}", found)
        world.must("early", len(found) < row["tensors"], row["early"])

    def likeness(self, v: str) -> tuple:
        """Return what a checkpoint compares: numbers may differ, as running statistics have moved since."""
        value = self.world.values[v]
        return value.dtype, value.shape

    def ended(self) -> None:
        """What began has ended, unless an exception came between."""
        last = self.world.rows[-1]["kind"] if self.world.rows else ""
        if last in ("error", "limit") or "except" in self.world.trace["source"]:
            return
        for row, _ in (*self.running, *self.again):
            where = len(self.world.rows) - 1
            self.world.refuse("kind", f"the end of {row['kind']} of {row['function']}", "the end", where)


def bytes_of(world: World, v: str) -> int:
    """Return how many bytes the elements of a value take."""
    value, count = world.values[v], 1
    for size in value.shape:
        count *= size
    return count * kind_of(value.dtype).itemsize
