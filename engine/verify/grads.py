"""Every `.grad`: set, emptied, added to. What it was before is what the last row about it has left."""

from __future__ import annotations

import re

import numpy as np

from engine.verify.laws.table import FORWARD
from engine.verify.unseen import memory_of
from engine.verify.world import World, same

ADDED = "gradients_summed"
WRITTEN = re.compile(r"(\w+)\.grad(?:\.data|\.detach\(\))?\.\w+_\(.*\)")
REGROUPED = re.compile(
    r"param_groups\s*(?:=|\.)|[\"']params[\"']\]|\b(?:set|del)attr\b|\b(?:add_module|register_\w*parameter)\b"
)  # may take parameters away from an optimiser or a module
HOWS = {"nothing", "stored", "stolen", "copied", "added", "added in place"}


class Grads:
    """Follows the `.grad` of every tensor."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.zeroing: dict | None = None  # the zero_grad row that is being carried out
        self.due: set[str] = set()  # tensors whose `.grad` it must still empty
        self.owned: dict[str, set[str]] = {}  # whose `.grad` an owner was seen to empty
        self.told: str | None = None  # the tensor whose `.grad` the row before has written in place
        self.stored: dict[str, list[str]] = {}  # tensors whose `.grad` may be one and the same gradient

    def check_before(self, row: dict) -> None:
        """Hold what `.grad` is said to have been against what it was left as."""
        world, tensor = self.world, row["tensor"]
        known = world.grads.get(tensor)
        if row["before"] == known:
            return
        twins = next((group for group in self.stored.values() if tensor in group), [])
        if any(world.grads.get(twin) == row["before"] for twin in twins):
            return  # two leaves were given the same gradient, and the other one has been added to
        memory, value = world.grad_memory.get(tensor), world.value(row["before"])
        if memory is not None and value is not None and same(memory, value):
            return  # written through another tensor
        if tensor not in world.grads and row["before"] is not None and tensor not in world.holds:
            return  # a tensor that no row has made
        world.refuse("before", known, row["before"])

    def leave(self, tensor: str, v: str | None, in_place: bool = False) -> None:
        """Remember what a `.grad` holds now."""
        world = self.world
        world.grads[tensor] = v
        if v is None:
            world.grad_memory.pop(tensor, None)
            return
        memory, value = world.grad_memory.get(tensor), world.values[v]
        if in_place and value.whole and isinstance(memory, np.ndarray) and memory.shape == value.shape:
            memory[...] = value.array
        else:
            world.grad_memory[tensor] = memory_of(value)

    def on_op_applied(self, row: dict) -> None:
        """An operation in place on `x.grad`, as the program writes it, is followed by what it has become."""
        text = self.world.program.text(row["at"]) if row["inplace"] and row["at"] else ""
        written = WRITTEN.fullmatch(text)
        tensor = self.world.bound.get(written[1]) if written else None
        if tensor is not None and self.world.grads.get(tensor) is not None:
            self.told = tensor

    def on_zero_grad(self, row: dict) -> None:
        """An optimiser or a module is about to empty the `.grad` of what it holds."""
        self.zeroing = row
        known = self.owned.get(row["owner"], set()) if self.same_owner(row["owner"]) else set()
        self.due = {tensor for tensor in known if self.world.grads.get(tensor) is not None}

    def same_owner(self, name: str) -> bool:
        """Say whether a name is that of one thing all the time, which keeps its parameters."""
        program = self.world.program
        return program.given[name] == 1 and not REGROUPED.search(program.source)

    def before(self, row: dict) -> None:
        """What zero_grad empties is emptied at once; what is written through `x.grad` is told at once."""
        if self.told is not None and (row["kind"], row.get("tensor")) != ("grad_set", self.told):
            if row["kind"] not in ("error", "limit"):
                self.world.refuse("kind", f"grad_set of {self.told}", row["kind"])
        self.told = None
        if row["kind"] == "aliases_changed":
            return
        if row["kind"] == "grad_set" and row["cause"] == "zero_grad":
            self.due.discard(row["tensor"])
            return
        if self.due and row["kind"] not in ("error", "limit"):
            self.world.refuse("kind", f"grad_set of {sorted(self.due)}", row["kind"])
        self.zeroing, self.due = None, set()

    def on_grad_set(self, row: dict) -> None:
        """A `.grad` was assigned, emptied or written in place."""
        world, cause, after = self.world, row["cause"], row["after"]
        self.check_before(row)
        if cause == "zero_grad":
            zeroing = self.zeroing
            if zeroing is None or zeroing["at"] != row["at"]:
                world.refuse("cause", "a zero_grad row before it", cause)
            elif zeroing["set_to_none"]:
                world.must("after", None, after)
                world.report.checked += 1
            else:
                before = world.value(row["before"])
                world.derive([("after", after)], FORWARD["zero"], "zero", {"self": before})
            if zeroing is not None:
                self.owned.setdefault(zeroing["owner"], set()).add(row["tensor"])
            self.leave(row["tensor"], after, in_place=True)
            return
        if cause == "assigned":
            self.assigned(row)
            return
        if cause == "numpy" and world.program.shares_arrays:
            self.leave(row["tensor"], after, in_place=True)
            world.leave("unknown", row["tensor"])
            return
        self.written(row)

    def assigned(self, row: dict) -> None:
        """A tensor, or None, was assigned: what is given must be there already."""
        world, after = self.world, row["after"]
        self.leave(row["tensor"], after)
        if after is None:
            world.report.checked += 1
            return
        holder = next(world.holders(world.values[after]), None)
        if holder is not None:
            world.report.checked += 1
            world.grad_memory[row["tensor"]] = world.holds[holder]
        elif after in world.arriving or after in world.grads.values():
            world.report.checked += 1
        else:
            world.leave("assigned")

    def written(self, row: dict) -> None:
        """The operation in place before this row has written what `.grad` is."""
        world, k = self.world, self.world.k - 1
        while k >= 0 and world.rows[k]["kind"] in ("grad_set", "names_bound"):
            k -= 1
        cause = world.rows[k] if k >= 0 else {}
        if cause.get("kind") != "op_applied" or not cause["inplace"] or cause["op"] != row["cause"]:
            world.refuse("cause", f"the operation in place of row {k}", row["cause"])
        elif cause["outputs"] and world.value(row["after"]).shape == world.value(cause["values"][0]).shape:
            world.must_be("after", cause["values"][0], row["after"])
        self.leave(row["tensor"], row["after"], in_place=True)

    # ----- by backward ------------------------------------------------------------------------------
    def accumulated(self, row: dict) -> None:
        """A leaf's `.grad` was added to by AccumulateGrad."""
        world, how = self.world, row["how"]
        none, first = row["arriving"] is None, row["before"] is None
        if how not in HOWS or none != (how == "nothing") or (not none and first == how.startswith("added")):
            wanted = "nothing" if none else "stored" if first else "added or added in place"
            world.refuse("how", wanted, how)
        self.check_before(row)
        self.sum(row)
        if first and not none:
            group = self.stored.setdefault(row["arriving"], [])
            group.append(row["tensor"])
            world.twins.update(group if len(group) > 1 else ())
        self.leave(row["tensor"], row["after"], how == "added in place")

    def added(self, row: dict) -> None:
        """A `.grad` that is retained was added to."""
        self.check_before(row)
        self.sum(row)
        self.leave(row["tensor"], row["after"])

    def sum(self, row: dict) -> None:
        """Derive what `.grad` is after something has arrived."""
        world = self.world
        before, arriving = world.value(row["before"]), world.value(row["arriving"])
        if before is None or arriving is None:
            world.must_be("after", row["arriving"] or row["before"], row["after"])
        else:
            world.derive(
                [("after", row["after"])], FORWARD[ADDED], ADDED, {"before": before, "added": arriving}
            )
