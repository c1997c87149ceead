"""Running statistics: a batch norm moves them without a row, by its momentum towards those of the batch."""

from __future__ import annotations

import re

import numpy as np

from engine.verify.derive import parsed
from engine.verify.laws.layers import channel_axes
from engine.verify.numbers import widened
from engine.verify.world import World

MOMENTUM = re.compile(r"\bmomentum=([\d.e-]+)")


class Moving:
    """Says what running means and variances hold after each operation that has moved them."""

    def __init__(self, world: World) -> None:
        self.world = world

    def on_op_applied(self, row: dict) -> None:
        """After training on a batch, they are nearer to it; by how much, the module's text tells."""
        given = dict(row["args"])
        if row["op"] != "native_batch_norm" or parsed(given["training"].get("text", "False")) is not True:
            return
        batch = self.statistics(given["input"]["tensor"])
        for name, now in zip(("running_mean", "running_var"), batch):
            tensor = given.get(name, {}).get("tensor")
            if tensor is not None:
                told = any(saved == tensor for _, saved, _ in row["saved"])
                sure = told or tensor in self.world.about or tensor not in self.world.guessed
                self.move(tensor, now if sure else None, self.momentum(row["module"]))

    def move(self, tensor: str, now: np.ndarray | None, share: float | None) -> None:
        """A tensor holds a share of what is now and the rest of what was, but for the last digit."""
        world, was = self.world, self.world.holds.get(tensor)
        if now is None or share is None or not isinstance(was, np.ndarray) or was.shape != now.shape:
            world.holds.pop(tensor, None)
            world.live.pop(tensor, None)
            return
        moved = ((1 - share) * widened(was) + share * now).astype(was.dtype)
        if was.flags.writeable and tensor not in world.guessed:
            was[...] = moved
        else:
            world.hold(tensor, moved)
        world.about.add(tensor)

    def statistics(self, tensor: str) -> tuple:
        """Return the mean and the unbiased variance of each channel, or nothing of a large batch."""
        memory = self.world.holds.get(tensor)
        if not isinstance(memory, np.ndarray):
            return None, None
        wide, axes = widened(memory), channel_axes(memory)
        count = memory.size // memory.shape[1]
        return np.mean(wide, axes), np.var(wide, axes) * (count / (count - 1))

    def momentum(self, module: str | None) -> float | None:
        """Return by how much a batch norm moves, if its text tells."""
        entry = self.world.trace["modules"].get(module or "", {"type": "", "text": ""})
        found = MOMENTUM.search(entry["text"]) if entry["type"].startswith("BatchNorm") else None
        return None if found is None else float(found[1])
