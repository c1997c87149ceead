"""Hooks, gradients taken for a caller, gradients retained: what looks at the gradients of a node."""

from __future__ import annotations

from engine.verify.backward import Backward
from engine.verify.calls import STAGES, Visit
from engine.verify.world import World

MOMENTS = ("tensor", "before the node", "after the node", "after .grad was written")


class Hooks:
    """Checks the rows of what was asked for beforehand: hooks, captures, `retain_grad()`."""

    def __init__(self, world: World, backward: Backward) -> None:
        self.world = world
        self.backward = backward
        self.nodes: set[str] = set()  # where hooks run
        self.registered: list[tuple[str, str, str]] = []  # owner, when, name

    def before(self, row: dict) -> None:
        """While hooks may run at a node, its gradients are what they look at."""
        calls = self.backward.calls
        visit = calls[-1].visit if calls else None
        waits = visit is not None and visit.node in self.nodes and visit.stage < STAGES["node_ran"]
        self.world.inflight = [g for g in visit.grads if g is not None] if waits else []

    def on_hook_ran(self, row: dict) -> None:
        """A hook was given what was there; what it returned goes on."""
        world, when = self.world, row["when"]
        if when not in STAGES:
            world.refuse("when", "a moment at which hooks run", when)
        visit = self.backward.visiting(row, when)
        alike = sum(row["hook"] == name and w.split()[0] == when.split()[0] for _, w, name in self.registered)
        if not alike:
            world.refuse("hook", "a hook that was registered", row["hook"])
        visit.ran[row["hook"], when] += 1
        if visit.ran[row["hook"], when] > alike * max(len(visit.grads), len(visit.outs)):
            world.refuse("hook", "each hook once", row["hook"])
        if when == "after .grad was written":
            tensor = world.nodes[visit.node].get("variable")
            world.must("before", world.grads.get(tensor), row["before"])
            world.must("after", row["before"], row["after"])
            return
        given = visit.outs if when == "after" else visit.grads
        if row["before"] not in given and given:
            world.refuse("before", given, row["before"])
        self.check_hooked(row, visit)
        if given:
            given[given.index(row["before"])] = row["after"]
        visit.hooked = visit.hooked or when == "after"

    def check_hooked(self, row: dict, visit: Visit) -> None:
        """What a hook returned must be what it was given, or something the program has made."""
        world, after = self.world, row["after"]
        seen = visit.made | {row["before"]}
        if after is None or after in seen or next(world.holders(world.values[after]), None):
            world.report.checked += 1
        else:
            world.refuse("after", f"{row['before']}, or a value the hook has made", after)
        visit.made = set()
        world.arrive(after)

    def on_grad_captured(self, row: dict) -> None:
        """A gradient was taken for the caller: of a node that runs, before its hooks; else after them."""
        call, visit = self.backward.current(row), self.backward.visiting(row, "grad_captured")
        if f"captured {row['input_nr']}" in visit.seen:
            self.world.refuse("kind", "each gradient taken once", row["kind"])
        visit.seen.add(f"captured {row['input_nr']}")
        source = visit.arrived if visit.executes else visit.grads
        number = row["input_nr"]
        wanted = source[number] if number < len(source) else None
        if (row["node"], number) not in call.captures:
            self.world.refuse("node", f"one of {sorted(call.captures)}", [row["node"], number])
        self.world.must_be("grad", wanted, row["grad"])
        self.world.arrive(row["grad"])

    def on_grad_retained(self, row: dict) -> None:
        """`retain_grad()` adds what arrived to a tensor's `.grad`."""
        visit = self.backward.visiting(row, "grad_retained")
        if row["tensor"] not in self.backward.retains:
            self.world.refuse("tensor", "a tensor whose gradient is retained", row["tensor"])
        if row["arriving"] not in visit.grads:
            self.world.refuse("arriving", visit.grads, row["arriving"])
        self.backward.grads.added(row)

    # ----- asked for beforehand -------------------------------------------------------------------
    def on_hook_registered(self, row: dict) -> None:
        """Remember a hook."""
        if row["when"] not in MOMENTS:
            self.world.refuse("when", "a moment for which hooks are registered", row["when"])
        self.registered.append((row["owner"], row["when"], row["hook"]))
        owner = row["owner"]
        edge = [owner] if owner[0] == "n" else self.backward.graph.edge_of(owner)
        self.nodes |= {edge[0]} if edge else set()

    def on_retain_grad(self, row: dict) -> None:
        """Remember that a tensor's gradient is to be kept."""
        self.backward.retains.add(row["tensor"])
