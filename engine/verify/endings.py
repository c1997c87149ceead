"""How a trace ends: what an error is said to come from, and that the last row and the outcome agree."""

from __future__ import annotations

import re

from engine.verify.world import World

SECOND = "Trying to backward through the graph a second time"
CHANGED = "has been modified by an inplace operation"
VERSIONS = re.compile(r"is at version (\d+); expected version (\d+) instead")


class Endings:
    """Checks error and limit rows, and the outcome."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.running: str | None = None  # the node that was entered last

    def before(self, row: dict) -> None:
        """Nothing comes after an error or a limit."""
        if self.world.k and self.world.rows[self.world.k - 1]["kind"] in ("error", "limit"):
            self.world.refuse("kind", "the end of the trace", row["kind"])

    def on_node_entered(self, row: dict) -> None:
        """Remember which node runs."""
        self.running = row["node"]

    def on_error(self, row: dict) -> None:
        """Hold an error's cause against the row that is said to have brought it about."""
        world, cause = self.world, row["cause"]
        if row["node"] is not None and row["node"] != self.running:
            world.refuse("node", self.running, row["node"])
        expects = (
            "freed" if row["message"].startswith(SECOND) else "changed" if CHANGED in row["message"] else None
        )
        if row["node"] in world.freed_at or expects != "freed":
            expects = expects if row["node"] is not None else None
            if cause is None and expects == "freed":
                world.refuse("cause", f"row {world.freed_at[row['node']]}, which freed {row['node']}", None)
        if cause is None:
            return
        if cause["what"] != expects or not cause["by"] < world.k:
            world.refuse("cause", expects, cause)
            return
        by = world.rows[cause["by"]]
        world.must("cause.at", by["at"], cause["at"])
        if cause["what"] == "freed":
            world.must("cause.by", world.freed_at.get(row["node"]), cause["by"])
        else:
            self.check_changed(row, cause, by)

    def check_changed(self, row: dict, cause: dict, by: dict) -> None:
        """What changed a saved tensor wrote it, after the node had saved it."""
        world, tensor = self.world, cause["tensor"]
        writes = by["kind"] == "parameter_updated" and by["tensor"] == tensor
        writes |= by["kind"] == "op_applied" and by["inplace"] and by["outputs"] == [tensor]
        if not writes:
            world.refuse("cause.by", f"a row that writes {tensor} in place", cause["by"])
        made = world.made_at.get(row["node"], -1)
        first = [k for k in world.written_at.get(tensor, []) if k > made]
        if not first or cause["by"] != first[0]:
            world.refuse("cause.by", f"the first write after row {made}: {first[:1]}", cause["by"])
        versions = VERSIONS.search(row["message"])
        if versions is not None and not int(versions[1]) > int(versions[2]):
            world.refuse("message", "a version above the one that was saved", versions[0])

    def ended(self) -> None:
        """The outcome says what the last row says."""
        world, outcome = self.world, self.world.trace["outcome"]
        last = world.rows[-1] if world.rows else {"kind": "none"}
        row = len(world.rows) - 1
        kind = "error" if outcome["kind"] == "refused" else outcome["kind"]
        if kind == "finished":
            if last["kind"] in ("error", "limit"):
                world.refuse("outcome.kind", last["kind"], "finished", row)
            return
        if last["kind"] != kind:
            world.refuse("outcome.kind", last["kind"], outcome["kind"], row)
            return
        for field in {"error": ("type", "message", "at"), "limit": ("limit", "message", "at")}[kind]:
            if outcome["kind"] == "refused" and field == "type":
                wanted = "SyntaxError" if outcome["code"] == "syntax" else "NotAllowed"
                if last["type"] != wanted:
                    world.refuse("outcome.code", last["type"], outcome["code"], row)
                continue
            if last[field] != outcome[field]:
                world.refuse(f"outcome.{field}", last[field], outcome[field], row)
        if outcome["kind"] == "refused" and len(world.rows) != 1:
            world.refuse("outcome.kind", "a single row", f"{len(world.rows)} rows", row)
