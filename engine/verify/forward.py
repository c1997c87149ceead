"""The rows of the forward pass: what each operation made of what its arguments held."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.verify import slices
from engine.verify.arguments import arguments, check_arguments, check_labels
from engine.verify.derive import UNREAD
from engine.verify.graph import RESHAPED, Graph
from engine.verify.large import total_wrong
from engine.verify.laws.drawn import DRAWN
from engine.verify.laws.table import EACH, FORWARD, PICKS, TROUBLE, VIEWS, asks, call
from engine.verify.numbers import Value
from engine.verify.overlap import InTurn, looks_elsewhere
from engine.verify.picks import judge_picked
from engine.verify.unseen import Unseen
from engine.verify.world import Held, World, same

Before = dict[str, Held | None]  # what each tensor held before the operation


class Forward:
    """Checks tensors as they are made, and operations as they are applied."""

    def __init__(self, world: World, graph: Graph) -> None:
        self.world = world
        self.graph = graph
        self.unseen = Unseen(world)

    def on_tensor_made(self, row: dict) -> None:
        """A constructor made a tensor: its numbers are the program's own."""
        world, tensor = self.world, row["tensor"]
        if tensor in world.holds:
            world.refuse("tensor", "a tensor that does not exist yet", tensor)
        self.fits_table(tensor, row["value"], "value")
        world.make(tensor, row["value"])

    def fits_table(self, tensor: str, v: str, claim: str) -> None:
        """Hold the shape and dtype of what a tensor holds against its entry."""
        entry, value = self.world.tensors[tensor], self.world.values[v]
        shape = self.world.shape(tensor) if self.world.row.get("inplace") else tuple(entry["shape"])
        if (entry["dtype"], shape) != (value.dtype, value.shape):
            wanted = f"{entry['dtype']} of shape {list(shape)}"
            self.world.refuse(claim, wanted, f"{value.dtype} of shape {list(value.shape)}")

    # ----- one operation --------------------------------------------------------------------------
    def on_op_applied(self, row: dict) -> None:
        """Derive what an operation made, hold what it saved against what was there, then let it happen."""
        world, inplace = self.world, row["inplace"]
        name = row["op"].removesuffix("_") if inplace else row["op"]
        if len(row["outputs"]) != len(row["values"]) or (inplace and len(row["outputs"]) != 1):
            world.refuse("values", f"one for each of {row['outputs']}", row["values"])
        before: Before = {w["tensor"]: world.holds.get(w["tensor"]) for _, w in row["args"] if "tensor" in w}
        if inplace:
            self.find_written(row, before)
        else:
            for tensor, v in zip(row["outputs"], row["values"]):
                self.fits_table(tensor, v, "values")
        for _, tensor, v in row["saved"] if world.about else ():
            if tensor is not None and v is not None:
                world.settle(tensor, v)
        for tensor, memory in self.unseen.guess(row, name, before).items():
            before[tensor] = memory
            world.hold(tensor, memory)
        check_arguments(world, row, name)
        met = self.met(row, before) if inplace else {}
        if inplace:
            before = {t: m.copy() if isinstance(m, np.ndarray) else m for t, m in before.items()}
        known = arguments(row, before)
        self.judge(row, name, known, met)
        self.saved(row, name, before)
        self.let_happen(row, name)
        if row["node"] is not None:
            world.applications[row["node"]] = self.application(row, name, known)
        self.graph.applied(row, name)

    def find_written(self, row: dict, before: Before) -> None:
        """Check which tensor is written in place; one whose shape changes appears as it was, unnamed."""
        world, (output,) = self.world, row["outputs"]
        first = row["args"][0][1].get("tensor") if row["args"] else None
        if first == output:
            if row["op"] not in RESHAPED:
                self.fits_table(output, row["values"][0], "values")
        elif row["op"] in RESHAPED and first is not None and world.holds.get(first) is None:
            before[first] = world.holds.get(output)
        else:
            world.refuse("outputs", f"[{first}], which is written in place", row["outputs"])

    def met(self, row: dict, before: Before) -> dict[str, np.ndarray]:
        """Return the operands that look into the memory that is written, at other places than are written."""
        written = before.get(row["outputs"][0])
        found = {n: before.get(what.get("tensor")) for n, what in row["args"]}
        return {n: memory for n, memory in found.items() if looks_elsewhere(written, memory)}

    def judge(self, row: dict, name: str, known: dict, met: dict[str, np.ndarray]) -> None:
        """Derive the results, or hold them against what the program has computed itself."""
        world, function = self.world, FORWARD.get(name)
        if met and function is not None and (name in EACH or name == "copy"):
            function = InTurn(function, world.holds[row["outputs"][0]], met)
        claims = [(f"values[{i}]", v) for i, v in enumerate(row["values"])]
        if name in DRAWN:
            return
        if name in ("sum", "mean") and known.get("dim") is None and is_large(known.get("self")):
            wrong = total_wrong(known["self"], world.values[row["values"][0]], name == "mean")
            if wrong is not None:
                world.refuse("values[0]", wrong, row["values"][0])
            world.report.checked += 1
        elif name in PICKS:
            judge_picked(world, row, name, known, claims)
        elif function is None and row["outputs"] and all(t in world.holds for t in row["outputs"]):
            for tensor, (claim, v) in zip(row["outputs"], claims):  # a Function whose inside has been seen
                if not world.is_held(tensor, v):
                    world.refuse(claim, f"what {tensor} holds", v)
                world.report.checked += 1
        else:
            world.derive(claims, function, name, known)

    # ----- what a node keeps ----------------------------------------------------------------------
    def saved(self, row: dict, name: str, before: Before) -> None:
        """Hold what a node keeps for backward against what was there."""
        world, outputs = self.world, dict(zip(row["outputs"], row["values"]))
        check_labels(world, row, name)
        for i, (label, tensor, v) in enumerate(row["saved"]):
            claim, itself = f"saved[{i}]", row["inplace"] and label == "self"
            if v is None:
                continue
            if tensor in outputs and not itself:
                world.must_be(claim, outputs[tensor], v)
            elif row["inplace"] and v in row["values"] and tensor in world.sharing(row["outputs"][0]):
                world.report.checked += 1  # it looks into the memory that has just been written
            else:
                named = tensor or next((w.get("tensor") for n, w in row["args"] if n == label), None)
                self.must_hold(claim, named, before.get(named or ""), v)

    def must_hold(self, claim: str, tensor: str | None, memory: Held | None, v: str) -> None:
        """Hold a saved value against what a tensor held."""
        world = self.world
        if memory is None and v not in world.row["values"]:
            world.leave("packed")
        elif memory is None or same(memory, world.values[v]):
            world.report.checked += 1
        else:
            world.refuse(claim, f"what {tensor} held", v)

    def application(self, row: dict, name: str, known: dict[str, Any]) -> dict[str, Any]:
        """Return what a node's rules may read: arguments, results, what was saved, as it is now."""
        world, made = self.world, [self.world.values[v] for v in row["values"]]
        known = {n: x.copy() if isinstance(x, np.ndarray) else x for n, x in known.items()}
        known |= {"y": made[0], "ys": made, "result": made[0]} if made else {}
        known |= {f"result{i}": value for i, value in enumerate(made)}
        known |= {
            label: world.values[v] for label, _, v in row["saved"] if v is not None and "[" not in label
        }
        if row["inplace"] and world.nodes[row["node"]]["name"] == "AsStridedBackward0":
            slices.inner(world, row, name, known)  # the node undoes the view; what was done hangs on its root
            return {}
        return known

    # ----- what follows from it -------------------------------------------------------------------
    def let_happen(self, row: dict, name: str) -> None:
        """Put the results where they belong: into memory of their own, or that they share."""
        world = self.world
        views = self.views(row, name) if name in VIEWS else []
        if row["inplace"] and not views:
            world.write(row["outputs"][0], row["values"][0])
            return
        for tensor, v, view in zip(row["outputs"], row["values"], [*views, *[None] * len(row["outputs"])]):
            if view is not None and same(view, world.values[v]):
                world.hold(tensor, view)
                if row["inplace"]:
                    world.written_at.setdefault(tensor, []).append(world.k)
            elif not world.is_held(tensor, v):
                world.make(tensor, v)

    def views(self, row: dict, name: str) -> list[np.ndarray]:
        """Return an operation's results as views of its argument's memory, if they are."""
        tensor = row["outputs"][0] if row["inplace"] else row["args"][0][1].get("tensor")
        memory, known = self.world.holds.get(tensor), arguments(row, {})
        if not isinstance(memory, np.ndarray):
            return []
        known["self"] = memory
        if any(known.get(n) is UNREAD for n, _ in asks(FORWARD[name])):
            return []
        try:
            made = call(FORWARD[name], known)
        except (KeyError, *TROUBLE):
            return []
        made = list(made) if isinstance(made, (tuple, list)) else [made]
        return made if all(np.shares_memory(memory, view) or not view.size for view in made) else []


def is_large(thing: Any) -> bool:
    """Say whether only a sample of something is written."""
    return isinstance(thing, Value) and not thing.whole
