"""Where rows stand in the source, and what the text there says they must be."""

from __future__ import annotations

import ast

import numpy as np

from engine.verify.program import Program, flag
from engine.verify.world import World

BACKWARD = ("gradient", "retain_graph", "create_graph", "inputs")
SEVERAL = ("tensors", "grad_tensors", "retain_graph", "create_graph", "grad_variables", "inputs")
GRAD = ("outputs", "inputs", "grad_outputs", "retain_graph", "create_graph")
APIS = {"Tensor.backward": "backward", "autograd.backward": "backward", "autograd.grad": ""}
LIBRARY = ("tensor_made", "op_applied", "module_entered", "module_left", "optimizer_step", "zero_grad")


class Places:
    """Holds each row against the text it stands for."""

    def __init__(self, world: World, program: Program) -> None:
        self.world = world
        self.program = program
        self.bound = world.bound
        self.reached = 0  # the statement of the module that the last row stood in
        self.named: dict[str, set[str]] = {}  # by kind of row: the owners that its rows name

    def before(self, row: dict) -> None:
        """A row's span is an expression or a target of the source."""
        at, program = row["at"], self.program
        if at is None:
            return
        if program.extents and tuple(at) not in program.extents:
            self.world.refuse("at", "an expression of the source", at)
        elif not program.extents and at[2] > len(program.lines):
            self.world.refuse("at", f"a place within {len(program.lines)} lines", at)
        reached = program.statement.get(tuple(at), self.reached)
        inner = row["kind"] == "names_bound" and all("[" in name or "." in name for name in row["names"])
        if reached < self.reached and inner:
            return  # what a list holds now stands where the list got its name
        if reached < self.reached:
            self.world.refuse("at", "a place behind the statements that have run", at)
        self.reached = reached

    def on_tensor_made(self, row: dict) -> None:
        """A tensor made of numbers that are written out holds these; zeros and ones hold nothing else."""
        world, call = self.world, self.program.call(row["at"])
        name, owner = self.program.called(row["at"])
        value = world.values[row["value"]]
        if owner != "torch" or call is None or not value.whole:
            return
        if name in ("zeros", "ones"):
            if not np.all(value.array == (name == "ones")):
                world.refuse("value", name, row["value"])
        elif name == "tensor" and call.args:
            try:
                written = np.array(ast.literal_eval(call.args[0]), value.kind)
            except (ValueError, TypeError, OverflowError):
                return
            if written.shape != value.shape or not np.array_equal(written, value.array):
                world.refuse("value", f"the numbers {ast.unparse(call.args[0])[:60]}", row["value"])

    # ----- calls of backward --------------------------------------------------------------------------
    def on_backward_began(self, row: dict) -> None:
        """What the call's own text says about its flags, roots and inputs must be so."""
        world, at = self.world, row["at"]
        if row["api"] not in APIS:
            world.refuse("api", f"one of {list(APIS)}", row["api"])
            return
        name, owner = self.program.called(at)
        direct = name == "backward" and row["api"] == "Tensor.backward"
        several = row["api"] == "autograd.backward" and "autograd.backward(" in self.shown(at)
        if row["api"] == "Tensor.backward" and at is not None and not direct:
            world.refuse("at", "a call of backward", self.program.text(at)[:60])
        asked = name == "grad" and row["api"] == "autograd.grad"
        order = BACKWARD if direct else SEVERAL if several else GRAD
        given = self.program.arguments(at, order) if direct or several or asked else None
        if given is None or "is_grads_batched" in given:
            return
        self.flags(row, given, "gradient" if direct else "grad_tensors" if several else "grad_outputs")
        roots = owner if direct else named(given.get("tensors" if several else "outputs"))
        if isinstance(roots, str) and roots in self.bound:
            world.must("roots", [self.bound[roots]], row["roots"])
        elif isinstance(roots, list) and all(each in self.bound for each in roots):
            world.must("roots", [self.bound[each] for each in roots], row["roots"])
        inputs = named(given.get("inputs"))
        if isinstance(inputs, str) and inputs in self.bound:
            world.must("inputs", [self.bound[inputs]], row["inputs"])
        elif isinstance(inputs, list) and all(each in self.bound for each in inputs):
            world.must("inputs", [self.bound[each] for each in inputs], row["inputs"])
        elif "inputs" not in given:
            world.must("inputs", [], row["inputs"])

    def shown(self, at: list[int] | None) -> str:
        """Return what stands at a span."""
        return "" if at is None else self.program.text(at)

    def flags(self, row: dict, given: dict[str, ast.expr], gradient: str) -> None:
        """Hold the flags of a call against those it was given, or their defaults."""
        create = flag(given, "create_graph", False)
        keep = flag(given, "retain_graph", create) if create is not None else None
        for name, wanted in (("create_graph", create), ("retain_graph", keep)):
            if wanted is not None:
                self.world.must(name, wanted, row[name])
        start = given.get(gradient)
        if start is None or (isinstance(start, ast.Constant) and start.value is None):
            self.world.must("implicit", True, row["implicit"])
        elif isinstance(start, (ast.Name, ast.Call, ast.List, ast.Tuple)):
            self.world.must("implicit", False, row["implicit"])

    # ----- hooks ----------------------------------------------------------------------------------------
    def on_retain_grad(self, row: dict) -> None:
        """The tensor is the one on which `retain_grad` is called."""
        name, owner = self.program.called(row["at"])
        if name == "retain_grad" and owner in self.bound:
            self.world.must("tensor", self.bound[owner], row["tensor"])

    def on_hook_registered(self, row: dict) -> None:
        """A hook's owner and name stand in the call that registers it."""
        name, owner = self.program.called(row["at"])
        call = self.program.call(row["at"])
        if not name.startswith("register_"):
            return
        if owner in self.bound and row["owner"][0] == "t":
            self.world.must("owner", self.bound[owner], row["owner"])
        hook = call.args[0] if call.args else None
        if isinstance(hook, ast.Lambda):
            self.world.must("hook", "<lambda>", row["hook"])
        elif isinstance(hook, ast.Name) and row["hook"] not in self.program.words:
            self.world.refuse("hook", hook.id, row["hook"])

    # ----- optimisers ---------------------------------------------------------------------------------
    def on_optimizer_step(self, row: dict) -> None:
        """The optimiser is the variable on which `step` is called."""
        self.owner(row, "optimizer", "step")
        if row["type"] not in self.program.words:
            self.world.refuse("type", "a class that the program names", row["type"])

    def on_zero_grad(self, row: dict) -> None:
        """What is emptied, and how, stands in the call."""
        self.owner(row, "owner", "zero_grad")
        given = self.program.arguments(row["at"], ("set_to_none",))
        if given is not None and self.program.called(row["at"])[0] == "zero_grad":
            wanted = flag(given, "set_to_none", True)
            if wanted is not None:
                self.world.must("set_to_none", wanted, row["set_to_none"])

    def owner(self, row: dict, field: str, method: str) -> None:
        """Hold the name of what a method is called on against the text."""
        name, owner = self.program.called(row["at"])
        if row[field] not in self.program.words or (
            name == method and owner in self.owners(row) - {row[field]}
        ):
            self.world.refuse(field, owner or "a name in the program", row[field])

    def owners(self, row: dict) -> set[str]:
        """Return the names that rows of this trace use for what has been called so."""
        kind = row["kind"]
        if kind not in self.named:
            rows = (r for r in self.world.rows if r["kind"] == kind)
            self.named[kind] = {r.get("optimizer", r.get("owner")) for r in rows}
        return self.named[kind]


def named(node: ast.expr | None) -> str | list[str] | None:
    """Return the name, or the names in a list, that an argument is; None if it is something else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.List(elts=parts) | ast.Tuple(elts=parts) if all(
            isinstance(part, ast.Name) for part in parts
        ):
            return [part.id for part in parts]
    return None
