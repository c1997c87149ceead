"""Warnings: each is shown once for its line, is of a class that there is, and says what is so."""

from __future__ import annotations

import ast
import builtins
import re

from engine.verify.program import Program
from engine.verify.world import World

FILTERS = {"filterwarnings", "simplefilter", "resetwarnings", "catch_warnings"}
NON_LEAF = "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed."
SIZES = re.compile(r"Using a target size \(torch\.Size\((.*?)\)\) .* the input size \(torch\.Size\((.*?)\)\)")


class Warned:
    """Follows which warnings have been shown, and where `retain_grad()` was asked for."""

    def __init__(self, world: World, program: Program) -> None:
        self.world = world
        self.program = program
        self.shown: set[tuple[str, str, int]] = set()
        self.retained: set[str] = set()
        self.spread: tuple[list[int] | None, dict[str, str]] = None, {}  # where two sizes meet: whose
        self.filtered = bool(FILTERS & program.words)

    def on_retain_grad(self, row: dict) -> None:
        """This tensor's `.grad` may be asked for without a warning."""
        self.retained.add(row["tensor"])

    def on_op_applied(self, row: dict) -> None:
        """A loss of two sizes is given what rows before it have spread to one size."""
        at, sizes = self.spread
        if not row["op"].endswith("_loss") or row["at"] != at:
            return
        for name, what in row["args"]:
            tensor = what.get("tensor")
            entry = self.world.tensors.get(tensor, {"shape": None})
            if tensor in self.world.guessed and str(entry["shape"]) != sizes.get(name):
                self.world.refuse(f"args.{name}", f"a row that has spread it to {entry['shape']}", tensor)

    def on_warning(self, row: dict) -> None:
        """Hold a warning against the program, the warnings before it, and what it says of tensors."""
        world, at, line = self.world, row["at"], row["line"]
        found = getattr(builtins, row["category"], None)
        known = isinstance(found, type) and issubclass(found, Warning)
        if not known and row["category"] not in self.program.classes:
            world.refuse("category", "a class of warnings", row["category"])
        if line is not None and (at is None or not at[0] <= line <= at[2]):
            world.refuse("line", f"a line of the expression at {at}", line)
        place = row["category"], row["message"], line
        if line is not None and not self.filtered:
            if place in self.shown:
                world.refuse("kind", f"this warning once for line {line}", "warning")
            self.shown.add(place)
        self.about(row)

    def about(self, row: dict) -> None:
        """What a message says of tensors that are known must be so."""
        world, sizes = self.world, SIZES.match(row["message"])
        if sizes is not None:
            self.spread = row["at"], {"target": sizes[1], "self": sizes[2]}
            if sizes[1] == sizes[2]:
                world.refuse("message", "two sizes that differ", sizes[0])
        if not row["message"].startswith(NON_LEAF) or row["line"] is None:
            return
        text = self.program.text(row["at"])
        if not re.search(r"\bgrad\b", text):
            world.refuse("message", "an expression that asks for .grad", text)
        match parsed(text):
            case ast.Attribute(value=ast.Name(id=name), attr="grad") if name in world.bound:
                tensor = world.bound[name]
                if world.tensors[tensor]["kind"] != "result" or tensor in self.retained:
                    world.refuse("message", "a tensor that is no leaf and retains no grad", tensor)


def parsed(text: str) -> ast.expr | None:
    """Return an expression's syntax tree, or None where the text is more or less than one."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
