"""What a write in place does: one more version, and another node that the tensor hangs on."""

from __future__ import annotations

from engine.verify.graph import LOOSE, Graph
from engine.verify.world import World

BESIDE = (
    "names_bound",
    "grad_set",
    "aliases_changed",
    "version_bumped",
    "rebased",
)  # rows that may follow the write


class Rebasing:
    """Follows versions, and the node of every tensor as rows tell it."""

    def __init__(self, world: World, graph: Graph) -> None:
        self.world = world
        self.graph = graph
        self.versions: dict[str, int] = {}
        self.hangs: dict[str, str | None] = {}

    def on_op_applied(self, row: dict) -> None:
        """A new tensor hangs on the node that made it."""
        if not row["inplace"]:
            self.hangs |= dict.fromkeys(row["outputs"], row["node"])

    def on_detached(self, row: dict) -> None:
        """A tensor that was cut hangs on nothing."""
        self.hangs[row["tensor"]] = None

    def write(self) -> dict:
        """Return the operation in place that the row is about: the last row that is none of its own."""
        k = self.world.k - 1
        while k >= 0 and self.world.rows[k]["kind"] in BESIDE:
            k -= 1
        return self.world.rows[k] if k >= 0 else {"kind": "none"}

    def on_version_bumped(self, row: dict) -> None:
        """Each write counts once; the counter never goes back."""
        world, tensor, write = self.world, row["tensor"], self.write()
        if write["kind"] != "op_applied" or not write["inplace"] or write["outputs"] != [tensor]:
            world.refuse("tensor", f"what row {world.k - 1} has written", tensor)
        if world.rows[world.k - 1]["kind"] == "version_bumped":
            world.refuse("kind", "one more version for one write", "version_bumped")
        world.must("after", row["before"] + 1, row["after"])
        if row["before"] < self.versions.get(tensor, 0):
            world.refuse("before", f"at least {self.versions[tensor]}", row["before"])
        self.versions[tensor] = row["after"]

    def on_rebased(self, row: dict) -> None:
        """The node before is the one that rows have told; the new one leads to it, or is a write's own."""
        world, tensor, after = self.world, row["tensor"], row["after"]
        entry, write = world.nodes[after], self.write()
        world.must("before", self.hangs.get(tensor, row["before"]), row["before"])
        if row["before"] == after:
            world.refuse("after", "another node than before", after)
        own = write["kind"] == "op_applied" and write["inplace"] and write["node"] == after
        if not own and entry["name"] not in LOOSE:
            world.refuse("after", f"the node of a write, or one of {LOOSE}", f"{after}: {entry['name']}")
        if entry["name"] == "CopySlices" and row["before"] is not None:
            leads = entry["edges"][0] and entry["edges"][0][0]
            world.must(f"node {after}.edges[0]", row["before"], leads)
        seq, was = entry["seq"], world.nodes[row["before"]]["seq"] if row["before"] else None
        if seq is not None and was is not None and seq <= was:
            world.refuse(f"node {after}.seq", f"a number above {was}", seq)
        self.hangs[tensor] = after
        if not own:
            self.graph.producer[tensor] = [after, 0]
