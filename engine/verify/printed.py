"""What the program prints of tensors we know must be their numbers, as far as four digits tell."""

from __future__ import annotations

import ast
import re

import numpy as np

from engine.verify.numbers import Value
from engine.verify.program import Program
from engine.verify.world import World

NUMBER = re.compile(r"True|False|-?nan|-?inf|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
HEAD = re.compile(r"(?:Parameter containing:\n)?tensor\(")
OTHERWISE = {"set_printoptions", "inference_mode"}  # with these, what is printed may look different
ROUND = 5.1e-5


class Printed:
    """Reads what print was given, as far as it is names of tensors, and holds the text against it."""

    def __init__(self, world: World, program: Program) -> None:
        self.world = world
        self.program = program
        self.plain = not re.search(
            r"\bprint\b\s*(?:=|,|:=)|\b(?:def|as|import|del|in)\s+print\b", program.source
        )
        self.times: dict[tuple, int] = {}
        self.sure = not OTHERWISE & program.words and not program.unseen_writes

    def on_printed(self, row: dict) -> None:
        """Follow the text argument by argument, until one is no plain name."""
        call = self.program.call(row["at"])
        name, owner = self.program.called(row["at"])
        if call is None or name != "print" or owner or call.keywords or not self.plain:
            return
        at = tuple(row["at"])
        if not row["text"].endswith("\n") and not self.world.cut_short:
            self.world.refuse("text", "the end of a line at its end", row["text"][-20:])
        self.times[at] = self.times.get(at, 0) + 1
        if self.times[at] > 1 and at in self.program.once:
            self.world.refuse("kind", "one row of a print that runs once", row["kind"])
        if not self.sure:
            return
        text, at = row["text"], 0
        for argument in call.args:
            known, thing = self.known(argument)
            if not known:
                return
            end = self.follow(text, at, thing)
            if end is None:
                shown = text[at : at + 60].strip()
                self.world.refuse(
                    "text", f"{ast.unparse(argument)} as it is: {self.world.brief(thing)}", shown
                )
                return
            at = end + 1

    def ended(self) -> None:
        """Whatever stands in the module's own lines has printed once the program is through."""
        world, program = self.world, self.program
        if world.trace["outcome"]["kind"] != "finished" or not self.plain:
            return
        for at in program.once:
            call = program.calls[at]
            if isinstance(call.func, ast.Name) and call.func.id == "print" and not call.keywords:
                if at not in self.times:
                    world.refuse("rows", f"a printed row of line {at[0]}", "none", None)

    def known(self, node: ast.expr) -> tuple[bool, object]:
        """Return what an argument of print is, if that is sure: a text, a tensor's numbers, None."""
        world = self.world
        match node:
            case ast.Constant(value=str() as text):
                return True, text
            case ast.Name(id=name) if name in world.bound:
                tensor = world.bound[name]
                memory = world.holds.get(tensor)
                sure = isinstance(memory, np.ndarray) and tensor not in world.doubts
                return sure and not world.uncertain, memory
            case ast.Attribute(value=ast.Name(id=name), attr="grad") if name in world.bound:
                tensor = world.bound[name]
                value = world.value(world.grads.get(tensor))
                return not world.uncertain and tensor not in world.twins and (
                    value is None or value.whole
                ), value
        return False, None

    def follow(self, text: str, at: int, thing: object) -> int | None:
        """Return where the text of one argument ends, or None if it is not that of the thing."""
        if thing is None or isinstance(thing, str):
            told = "None" if thing is None else thing
            return at + len(told) if text.startswith(told, at) else None
        array = thing.array if isinstance(thing, Value) else thing
        head = HEAD.match(text, at)
        if head is None:
            return None
        end = closing(text, head.end())
        shown = re.split(r", (?:grad_fn|requires_grad|dtype|size|device|layout)", text[head.end() : end])[0]
        if "..." in shown or "indices=" in text[at:end]:
            return end + 1
        numbers = [float({"True": "1", "False": "0"}.get(n, n)) for n in NUMBER.findall(shown)]
        if array.dtype.kind == "c" or not agree(array.astype(np.float64).reshape(-1), numbers):
            return end + 1 if array.dtype.kind == "c" else None
        return end + 1


def agree(wanted: np.ndarray, numbers: list[float]) -> bool:
    """Say whether printed numbers are those of an array, to the digits that are printed."""
    if wanted.size != len(numbers):
        return False
    found = np.array(numbers, np.float64)
    finite = np.isfinite(wanted)
    near = np.abs(found - wanted) <= ROUND * np.maximum(1, np.abs(wanted))
    return bool(np.all(np.where(finite, near, (found == wanted) | (np.isnan(found) & np.isnan(wanted)))))


def closing(text: str, at: int) -> int:
    """Return where the bracket that is open at a place closes."""
    depth = 1
    while at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
        at += 1
    return at
