"""Named tensors that look into memory which was written: each must be told, with what it shows now."""

from __future__ import annotations

import numpy as np

from engine.verify.program import Program
from engine.verify.world import World, same

WRITES = {
    "tensor": ("op_applied", "parameter_updated"),
    "grad": ("grad_accumulated", "grad_retained", "grad_set"),
    "gradients": ("grad_norm_clipped", "grad_value_clipped"),
}
MEANWHILE = ("grad_set", "aliases_changed", "error", "limit")  # rows before which a change need not be told


class Aliases:
    """Follows what rows have told of every tensor, and which of it memory contradicts."""

    def __init__(self, world: World, program: Program) -> None:
        self.world = world
        self.program = program
        self.told: dict[str, str] = {}
        self.shortened = "max_norm" in program.words  # an embedding may shorten its rows, which no row tells
        self.due: set[str] = set()  # named tensors that show something else since the last write

    # ----- what rows tell -----
    def on_tensor_made(self, row: dict) -> None:
        """A tensor shows what it was made of."""
        self.told[row["tensor"]] = row["value"]

    on_detached = on_tensor_made

    def on_data_replaced(self, row: dict) -> None:
        """A tensor shows other memory from now on."""
        self.told[row["tensor"]] = row["after"]

    def on_op_applied(self, row: dict) -> None:
        """Results show what the operation has made; a write in place may show elsewhere, too."""
        self.told |= dict(zip(row["outputs"], row["values"]))
        if row["inplace"]:
            self.look(row["outputs"][0])

    def on_parameter_updated(self, row: dict) -> None:
        """A step writes a parameter in place."""
        self.told[row["tensor"]] = row["after"]
        self.look(row["tensor"])

    # ----- what must be told -----
    def look(self, written: str) -> None:
        """Find the named tensors that a write has certainly changed."""
        self.due = {t for t in self.outdated(written) if t in self.world.bound.values()}

    def outdated(self, written: str) -> list[str]:
        """Return who certainly looks into a tensor's memory and shows something else than was told."""
        world = self.world
        if written in world.guessed or written in world.about:
            return []
        unsure = world.guessed | world.about | set(world.doubts)
        found = [t for t in world.sharing(written) if t in self.told and t not in unsure]
        return [t for t in found if not same(world.holds[t], world.values[self.told[t]])]

    def before(self, row: dict) -> None:
        """What shows something else must be told at once."""
        if self.due and row["kind"] not in MEANWHILE:
            self.world.refuse("kind", f"aliases_changed of {sorted(self.due)}", row["kind"])

    def on_aliases_changed(self, row: dict) -> None:
        """Hold each claim against the memory that was written; of NumPy's writes only these rows tell."""
        world, listed = self.world, dict(row["tensors"])
        if not listed or len(listed) != len(row["tensors"]):
            world.refuse("tensors", "each tensor that has changed, once", row["tensors"])
        self.check_hand(row)
        for tensor, v in listed.items():
            if self.told.get(tensor) == v:
                world.refuse("tensors", f"another value of {tensor} than row by row before", v)
            if row["by"] == "numpy" and world.holds.get(tensor) is not None:
                world.write(tensor, v)
        for tensor, v in listed.items():
            self.check(row, tensor, v)
        if missing := self.due - set(listed):
            world.refuse("tensors", f"{sorted(missing)}, too", sorted(listed))
        self.told |= listed
        if row["by"] == "numpy":
            for tensor in listed:
                self.due.update(t for t in self.outdated(tensor) if t in world.bound.values())
            if self.due:
                world.refuse("tensors", f"{sorted(self.due)}, too", sorted(listed))
        self.due = set()

    def check(self, row: dict, tensor: str, v: str) -> None:
        """A tensor holds what it is said to show, and looks into what was written."""
        world, written = self.world, row["written"]
        held = world.is_held(tensor, v)
        if held is None and row["by"] == "grad" and world.grads.get(written) == v:
            world.hold(tensor, world.grad_memory[written])
            held = True
        elif held is None or (row["by"] == "buffer" and (tensor in world.about or self.shortened)):
            if row["by"] == "grad" and not self.part_of(v, world.grads.get(written)):
                world.refuse("tensors", f"numbers of the .grad of {written}", v)
            world.make(tensor, v)
            world.leave("unknown", tensor)
            return
        elif not held and not world.may_hold(tensor, world.values[v]):
            world.refuse("tensors", f"what {tensor} holds", v)
        if row["by"] == "numpy":
            world.leave("unknown", tensor)
            return
        world.report.checked += 1
        memory, other = world.holds.get(written), world.holds.get(tensor)
        if row["by"] == "tensor" and isinstance(memory, np.ndarray) and isinstance(other, np.ndarray):
            certain = not {tensor, written} & (world.guessed | set(world.doubts))
            if certain and not np.shares_memory(memory, other):
                world.refuse("tensors", f"tensors that look into the memory of {written}", tensor)

    def part_of(self, v: str, whole: str | None) -> bool:
        """Say whether every number of a value stands in another one, as far as both are written out."""
        part, value = self.world.value(v), self.world.value(whole)
        if value is None or not (value.whole and part.whole):
            return value is not None
        return bool(np.isin(part.array, value.array).all())

    def check_hand(self, row: dict) -> None:
        """The row before tells the write; NumPy's leave none, but need an array that shares memory."""
        world, k = self.world, self.world.k - 1
        if row["by"] == "numpy":
            if row["written"] is not None or not self.program.shares_arrays:
                world.refuse("by", "a write that a row tells", "numpy")
            return
        if row["by"] == "buffer":
            world.must("written", None, row["written"])
            return
        kinds = WRITES[row["by"]]
        while k > 0 and world.rows[k]["kind"] == "grad_set" and "grad_set" not in kinds:
            k -= 1
        write = world.rows[k] if k >= 0 else {"kind": "none"}
        if write["kind"] not in kinds or not write.get("inplace", True):
            world.refuse("by", f"what row {k} is about: {write['kind']}", row["by"])
        subject = (write.get("outputs") or [write.get("tensor")])[0]
        world.must("written", subject if row["by"] in ("tensor", "grad") else None, row["written"])
