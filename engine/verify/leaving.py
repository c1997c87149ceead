"""Where numbers leave the graph: memory shared without its history, replaced, or read by the program."""

from __future__ import annotations

from engine.verify.program import Program
from engine.verify.world import World

CUTS = ("detach", "data", "detach_")
READS = ("item", "tolist", "numpy", "float", "int", "complex", "bool", "index")


class Leaving:
    """Checks what is shared, and that what is read is what is there."""

    def __init__(self, world: World, program: Program) -> None:
        self.world = world
        self.program = program

    def on_detached(self, row: dict) -> None:
        """The new tensor shows the same memory; the source is not changed, unless it is cut in place."""
        world, tensor, source = self.world, row["tensor"], row["source"]
        if row["how"] not in CUTS:
            world.refuse("how", f"one of {CUTS}", row["how"])
        if (row["how"] == "detach_") != (tensor == source):
            world.refuse("tensor", "another tensor than its source", tensor)
        self.shows(source, row["value"], "value")
        if row["how"] == "detach_":
            return
        if tensor in world.holds:
            world.refuse("tensor", "a tensor that does not exist yet", tensor)
        if world.tensors[tensor]["node"] is not None and tensor not in self.written():
            world.refuse("tensor", "a tensor without a node", tensor)
        self.share(tensor, source, row["value"])

    def on_data_replaced(self, row: dict) -> None:
        """A tensor shows the memory of another one from now on."""
        tensor = row["tensor"]
        self.shows(tensor, row["before"], "before")
        self.shows(row["source"], row["after"], "after")
        self.share(tensor, row["source"], row["after"])

    def on_value_read(self, row: dict) -> None:
        """What the program takes is what the tensor holds."""
        if row["how"] not in READS:
            self.world.refuse("how", f"one of {READS}", row["how"])
        self.shows(row["tensor"], row["value"], "value")

    def shows(self, tensor: str, v: str, claim: str) -> None:
        """Hold a claimed value against what a tensor holds, if that is known."""
        world = self.world
        held = world.is_held(tensor, v)
        if held is False and not world.may_hold(tensor, world.values[v]):
            world.refuse(claim, f"what {tensor} holds", v)
        if held is None and not self.is_gradient(tensor, v):
            world.make(tensor, v)
            world.leave("unknown", tensor)
        else:
            world.report.checked += 1

    def is_gradient(self, tensor: str, v: str) -> bool:
        """Say whether a tensor that no row has made may be a `.grad`, and believe it then."""
        world = self.world
        owner = next((t for t, grad in world.grads.items() if grad == v), None)
        if owner is not None:
            world.hold(tensor, world.grad_memory.get(owner, world.values[v].array))
        elif v in world.inflight or v in world.arriving:  # what a hook was given
            world.make(tensor, v)
            return True
        return owner is not None

    def share(self, tensor: str, source: str, v: str) -> None:
        """Let a tensor look into the memory of another."""
        world, memory = self.world, self.world.holds.get(source)
        if memory is None:
            world.make(tensor, v)
        else:
            world.hold(tensor, memory)

    def written(self) -> set[str]:
        """Return the tensors that operations in place have changed, now or later."""
        rows = self.world.rows
        return {t for r in rows if r["kind"] == "op_applied" and r["inplace"] for t in r["outputs"]}
