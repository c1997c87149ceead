"""What the program is inside of: modules, and blocks that switch recording on or off."""

from __future__ import annotations

import ast

from engine.verify.program import Program
from engine.verify.world import World

SWITCHES = {"no_grad": False, "inference_mode": False, "enable_grad": True}
FREE = ("names_bound", "error", "limit", "printed", "echo", "seeded", "stand_in", "plotted", "warning")


class Scopes:
    """Follows the modules that are being run, and whether operations are recorded."""

    def __init__(self, world: World, program: Program) -> None:
        self.world = world
        self.program = program
        self.modules: list[tuple[str, list[int] | None]] = []
        self.blocks: list[tuple[list[int], bool]] = []  # where a block began, what was so before
        self.again: list[int] = []  # how many modules were open when a checkpoint was run again
        self.recording = True
        self.hooked = "register_" in program.source
        self.sure = not {"set_grad_enabled", "inference_mode", "Function", "checkpoint"} & program.words
        for key, entry in world.trace["modules"].items():
            root = entry["path"].partition(".")[0].partition("[")[0]
            if root and root not in self.program.words:
                world.refuse(f"modules.{key}.path", "a name of the program", entry["path"], None)
            whole = entry["text"].startswith(entry["type"] + "(") and entry["text"].endswith(")")
            if not whole or entry["type"] not in self.named():
                world.refuse(f"modules.{key}.type", "a module of the program, as it prints", entry, None)

    def named(self) -> set[str]:
        """Return the types that a module's text or the program may name."""
        texts = " ".join(entry["text"] for entry in self.world.trace["modules"].values())
        return self.program.words | set(texts.replace("(", " ").split())

    # ----- modules ----------------------------------------------------------------------------------
    def before(self, row: dict) -> None:
        """All that a library's module does stands for the one call of it."""
        while self.modules and not self.hooked and row["kind"] not in FREE:
            module, at = self.modules[-1]
            library = self.world.trace["modules"][module]["type"] not in self.program.classes
            if not library or row["at"] == at:
                return
            if "except" not in self.program.source:
                self.world.refuse("kind", f"module_left of {module}", row["kind"])
            self.modules.pop()

    def on_module_entered(self, row: dict) -> None:
        """A module's forward begins."""
        module, at = row["module"], row["at"]
        entries = self.world.trace["modules"]
        words = self.program.text(at).split("(")[0].replace(".", " ").split() if at else []
        paths = {key: entry["path"].rpartition(".")[2] for key, entry in entries.items() if entry["path"]}
        better = [key for key, last in paths.items() if last in words]
        root, within = words[0] if words else "", self.modules[-1][0] if self.modules else ""
        inner = f"{entries[within]['path']}." if within and entries[within]["path"] else None
        own = root == "self" and inner and all(entries[key]["path"].startswith(inner) for key in better)
        sure = not self.again and (self.program.given[root] == 1 or own)
        outermost = not self.modules or self.modules[-1][1] != at
        if better and sure and outermost and paths.get(module) not in words:
            self.world.refuse("module", f"one of {better}, as the call names it", module)
        self.modules.append((module, at))

    def on_module_left(self, row: dict) -> None:
        """A module's forward ends; those inside of it may have been left by an exception."""
        inside = [module for module, _ in self.modules]
        if row["module"] not in inside or (
            inside[-1] != row["module"] and "except" not in self.program.source
        ):
            self.world.refuse("module", inside[-1:] or "no module", row["module"])
        while self.modules and row["module"] in inside and self.modules.pop()[0] != row["module"]:
            pass

    def on_recompute_began(self, row: dict) -> None:
        """Remember where a function runs for the second time: it is stopped once it has done enough."""
        self.again.append(len(self.modules))

    def on_recompute_ended(self, row: dict) -> None:
        """The modules that it was inside of have been left."""
        if self.again:
            del self.modules[self.again.pop() :]

    # ----- operations -------------------------------------------------------------------------------
    def on_op_applied(self, row: dict) -> None:
        """An operation belongs to the innermost module, and is recorded only if recording is on."""
        module, inside = row["module"], [module for module, _ in self.modules]
        if module is not None and module not in inside:
            self.world.refuse("module", inside[-1:] or None, module)
        elif module != (inside[-1] if inside else None) and "except" not in self.program.source:
            self.world.refuse("module", inside[-1:] or None, module)
        while module in inside and self.modules[-1][0] != module:
            self.modules.pop()
        if row["node"] is not None and not self.recording and self.sure:
            self.world.refuse("node", "none: recording is switched off", row["node"])

    # ----- switches ---------------------------------------------------------------------------------
    def on_grad_mode(self, row: dict) -> None:
        """A block switches recording, and its end switches it back."""
        at, enabled = row["at"], row["enabled"]
        expression = None if at is None else self.program.withs.get(tuple(at))
        if self.blocks and self.blocks[-1][0] == at:
            before = self.blocks.pop()[1]
            if self.sure:
                self.world.must("enabled", before, enabled)
        elif expression is not None:
            self.blocks.append((at, self.recording))
            name = expression.func if isinstance(expression, ast.Call) else expression
            wanted = SWITCHES.get(getattr(name, "attr", getattr(name, "id", "")))
            if wanted is not None:
                self.world.must("enabled", wanted, enabled)
        self.recording = enabled

    def ended(self) -> None:
        """Whatever began has ended, unless an error or a limit came first."""
        last = self.world.rows[-1]["kind"] if self.world.rows else ""
        if last in ("error", "limit") or "except" in self.program.source:
            return
        for module, _ in self.modules:
            self.world.refuse("kind", f"module_left of {module}", "the end", len(self.world.rows) - 1)
        for at, _ in self.blocks if self.sure else ():
            self.world.refuse(
                "kind", f"grad_mode at the end of the block at {at}", "the end", len(self.world.rows) - 1
            )
