"""Learning rates: what a scheduler makes of the one before, and that optimisers use what they were given."""

from __future__ import annotations

import math
import re
from typing import Any

from engine.verify.formula import read_formula
from engine.verify.laws.table import Lacking
from engine.verify.world import World

WRITES = re.compile(r"""["']lr["']|load_state_dict|add_param_group""")  # the program may write rates itself
NEAR = 1e-12


class Rates:
    """Follows the learning rate of every group of every optimiser."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.now: dict[tuple[int, int], Any] = {}  # optimiser, group -> its rate
        self.epochs: dict[tuple[str, int, int], int] = {}
        self.sure = WRITES.search(world.trace["source"]) is None

    def on_lr_scheduled(self, row: dict) -> None:
        """Derive the rate by the formula from the one before, which is what the group was left with."""
        world, key = self.world, (row["which"], row["group"])
        if row["type"] not in world.words or row["scheduler"] not in world.words:
            world.refuse("type", "a class that the program names", row["type"])
        if self.sure and key in self.now:
            world.must("before", self.now[key], row["before"])
        self.now[key] = row["after"]
        function = read_formula(row["formula"]) if row["formula"] else None
        if function is None:
            told = "lr_lambda" in row["formula"]
            world.leave("own" if told else "operation", row["type"])
            return
        try:
            found = float(function(**row["terms"], lr=row["before"]))
        except (Lacking, ZeroDivisionError, TypeError) as lack:
            world.refuse("formula", "terms that are told", str(lack))
            return
        if not math.isclose(found, float(row["after"]), rel_tol=NEAR, abs_tol=NEAR):
            world.refuse("after", found, row["after"])
        world.report.checked += 1

    def used(self, row: dict, step: dict) -> None:
        """A parameter is moved at the rate that its group has now."""
        key = step["which"], row["group"]
        rate = row["terms"].get("lr")
        if self.sure and key in self.now and rate is not None:
            self.world.must("terms.lr", self.now[key], rate)
        if rate is not None:
            self.now[key] = rate
