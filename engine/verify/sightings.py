"""Tensors that come into view without a row that made them: what they hold, and whose memory it is."""

from __future__ import annotations

import re

from engine.verify.program import Program
from engine.verify.unseen import candidates, fits, memory_of
from engine.verify.world import World, same

VALUE = re.compile(r"\s*=\s*(.*?)\s*")
SLOT = re.compile(r"(\w+)\.grad")
GRAD_CALL = re.compile(r"(?:\w+\.)*grad\(")
OTHER = re.compile(r"materialize_grads|is_grads_batched|hook|no_grad")
WRITES = ("op_applied", "parameter_updated", "grad_accumulated", "aliases_changed", "error", "limit")
KEPT = 1 << 12  # elements of what is always kept until its row is written


class Sightings:
    """Checks the field `seen`, which rows have that name tensors of which no row has told."""

    def __init__(self, world: World, program: Program) -> None:
        self.world = world
        self.program = program
        self.newest = [0, 0]  # the highest number of a value until the row before, and until this one
        self.passed: tuple[list[int], set[str | None]] | None = (
            None  # where the last pass stands, what it gave
        )

    def on_backward_began(self, row: dict) -> None:
        """A pass may be one whose gradients are its results."""
        self.passed = (row["at"], set()) if row["at"] is not None and row["api"] == "autograd.grad" else None

    def on_grad_captured(self, row: dict) -> None:
        """A gradient is a result."""
        if self.passed is not None:
            self.passed[1].add(row["grad"])

    def before(self, row: dict) -> None:
        """What a tensor is said to hold is what it is known to hold, or may hold for all that was shown."""
        self.newest = [self.newest[1], self.world.newest]
        if row["kind"] not in ("names_bound", "op_applied"):
            return
        world, seen = self.world, row.get("seen", {})
        shown = set(row.get("names", {}).values()) | {w.get("tensor") for _, w in row.get("args", ())}
        if "seen" in row and not seen:
            world.refuse("seen", "a tensor", "none")
        for tensor, v in seen.items():
            if tensor not in shown:
                world.refuse("seen", "tensors that the row names", tensor)
            if not fits(memory_of(world.values[v]), world.tensors[tensor]):
                world.refuse("seen", f"a value of the shape and dtype of {tensor}", v)
            self.look(row, tensor, v)
        for tensor in row.get("names", {}).values():
            if tensor not in world.holds and not self.too_late(tensor):
                world.refuse("seen", f"what {tensor} holds, which no row has told", sorted(seen))

    def look(self, row: dict, tensor: str, v: str) -> None:
        """Hold a claim against what is known of a tensor; if that is nothing, against what has been shown."""
        world = self.world
        held = world.is_held(tensor, v)
        if held or (held is False and world.may_hold(tensor, world.values[v])):
            world.report.checked += 1
            return
        if held is False and tensor not in world.guessed and not world.program.unseen_writes:
            world.refuse("seen", f"what {tensor} holds", v)
        results = self.results(row)
        if results is not None and v not in results:
            world.refuse("seen", f"a gradient that the pass has given: {sorted(filter(None, results))}", v)
        known = next((m for m in candidates(world, tensor, row) if same(m, world.values[v])), None)
        world.hold(tensor, memory_of(world.values[v]) if known is None else known)
        world.guessed.add(tensor)
        if results is None and (known is None or int(v[1:]) > self.newest[0]):
            world.leave("unknown", tensor)
        else:
            world.report.checked += 1

    def results(self, row: dict) -> set[str | None] | None:
        """Return what `g = w.grad` or `g, = torch.autograd.grad(...)` may bind, None of other statements."""
        if row["kind"] != "names_bound" or row["at"] is None:
            return None
        _, _, line, end = row["at"]
        bound = VALUE.fullmatch(self.program.lines[line - 1][end:])
        if bound is None:
            return None
        owner = SLOT.fullmatch(bound[1])
        if owner is not None and self.program.flat:
            tensor = self.world.bound.get(owner[1])
            return {self.world.grads[tensor]} if tensor in self.world.grads else None
        start, stop = end + bound.start(1), end + bound.end(1)
        if self.passed is None or tuple(self.passed[0]) != (line, start, line, stop):
            return None
        return self.passed[1] if GRAD_CALL.match(bound[1]) and not OTHER.search(bound[1]) else None

    def too_late(self, tensor: str) -> bool:
        """Say whether a tensor may have been written, too large to be kept, before its row was."""
        world, k = self.world, self.world.k
        while k < len(world.rows) - 1 and world.rows[k]["kind"] == "names_bound":
            k += 1
        size = 1
        for n in world.tensors[tensor]["shape"]:
            size *= n
        return size > KEPT or world.rows[k]["kind"] in WRITES
