"""Which names the program has bound: each row of bindings follows what it binds."""

from __future__ import annotations

import re

from engine.verify.program import Program
from engine.verify.world import World


class Names:
    """Follows the names that are bound to tensors."""

    def __init__(self, world: World, program: Program) -> None:
        self.world = world
        self.program = program
        self.bound = world.bound
        self.ever: dict[str, set[str]] = {}
        self.maker: dict[str, int] = {}  # the row that made a tensor
        self.last: dict | None = None
        self.ats = {
            tuple(row["at"]) for row in world.rows if row["at"] is not None and row["kind"] != "names_bound"
        }

    def before(self, row: dict) -> None:
        """Remember the row before this one that bound no names."""
        if self.world.k and self.world.rows[self.world.k - 1]["kind"] != "names_bound":
            self.last = self.world.rows[self.world.k - 1]

    def on_tensor_made(self, row: dict) -> None:
        """Remember which row made a tensor."""
        self.maker[row["tensor"]] = self.world.k
        name, entry = self.program.called(row["at"])[0], self.world.tensors[row["tensor"]]
        if entry["parameter"] and name[:1].islower() and not any("." in each for each in entry["names"]):
            self.world.refuse(f"{row['tensor']}.parameter", f"False, of what {name} makes", True)

    def on_detached(self, row: dict) -> None:
        """Remember which row made a tensor."""
        self.maker.setdefault(row["tensor"], self.world.k)

    def on_op_applied(self, row: dict) -> None:
        """Remember which row made a tensor."""
        self.maker |= dict.fromkeys(row["outputs"], self.world.k)

    def on_names_bound(self, row: dict) -> None:
        """Names are bound to tensors; the span is the target that binds them."""
        world, at = self.world, row["at"]
        for name, tensor in row["names"].items():
            if self.bound.get(name) == tensor:
                world.refuse(f"names.{name}", "a new binding", tensor)
            if name not in world.tensors[tensor]["names"]:
                world.refuse(f"names.{name}", f"a name of {tensor}: {world.tensors[tensor]['names']}", name)
            self.bound[name] = tensor
            self.ever.setdefault(tensor, set()).add(name)
        for name in row["unbound"]:
            if name not in self.bound or name in row["names"]:
                world.refuse("unbound", "a name that is bound", name)
            self.bound.pop(name, None)
        if not row["names"] and not row["unbound"]:
            world.refuse("names", "a binding", "none")
        if at is not None and self.program.extents:
            self.check_place(row, at)

    def check_place(self, row: dict, at: list[int]) -> None:
        """The target names what is bound, and nothing has happened since the value was made."""
        world, shown = self.world, self.program.text(at)
        words = re.findall(r"\w+", shown)
        wrong = [name for name in row["names"] if re.split(r"[.\[]", name)[0] not in words]
        if wrong and tuple(at) not in self.ats:
            world.refuse("at", f"where {wrong[0]} is bound", shown[:60])
        binding = self.program.bindings.get(tuple(at))
        if binding is None:
            return
        statement, value = binding
        for name, tensor in row["names"].items():
            if name != shown:
                continue
            made = self.maker.get(tensor)
            if made is not None and within(world.rows[made]["at"], statement):
                for k in range(made + 1, world.k):
                    if not within(world.rows[k]["at"], statement) and world.rows[k]["kind"] != "names_bound":
                        world.refuse(f"names.{name}", f"a binding before row {k}", f"row {world.k}")
                        break
            last = self.last
            if last is not None and last["at"] is not None and tuple(last["at"]) == value:
                made_last = self.made_within(value) or last.get("outputs", [last.get("tensor")])
                if (
                    last["kind"] in ("op_applied", "tensor_made", "detached")
                    and tensor in self.maker
                    and (tensor not in made_last)
                ):
                    world.refuse(f"names.{name}", f"one of {made_last}", tensor)

    def made_within(self, value: tuple[int, int, int, int]) -> list[str]:
        """Return what the rows just before this one have made, as far as they belong to an expression."""
        found, k, rows = [], self.world.k - 1, self.world.rows
        while k >= 0 and (within(rows[k]["at"], value) or rows[k]["kind"] == "names_bound"):
            found += rows[k].get("outputs", [rows[k].get("tensor")])
            k -= 1
        return found

    def ended(self) -> None:
        """A tensor's names are those that rows have bound it to; the `.grad` of a named one goes by that."""
        world = self.world
        owners = {row["tensor"] for row in world.rows if row["kind"] == "grad_set"}
        grads = {f"{name}.grad" for owner in owners for name in world.tensors[owner]["names"]}
        for tensor, entry in world.tensors.items():
            missing = set(entry["names"]) - self.ever.get(tensor, set()) - grads
            if missing and not world.cut_short:
                world.refuse(
                    f"tensors.{tensor}.names", f"a names_bound row for {sorted(missing)}", "none", None
                )


def within(at: list[int] | None, statement: tuple[int, int, int, int]) -> bool:
    """Say whether a span lies inside a statement."""
    return at is not None and statement[:2] <= tuple(at[:2]) and tuple(at[2:]) <= statement[2:]
