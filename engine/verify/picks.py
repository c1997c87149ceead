"""Results that say where something stands: an index is right if what was looked for stands there."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.verify.derive import Underivable, law_of
from engine.verify.laws.table import FORWARD, PICKS, TROUBLE
from engine.verify.numbers import Value
from engine.verify.world import World


def judge_picked(world: World, row: dict, name: str, known: dict, claims: list) -> None:
    """Derive what was chosen, and look whether it stands where the places say."""
    where, values = PICKS[name], [world.value(v) for _, v in claims]
    if where >= len(values):
        world.derive(claims, FORWARD[name], name, known)
    elif where == 0:  # only places are made
        try:
            chosen = law_of(FORWARD[name], name, known).results()[0]
        except Underivable:
            chosen = None
        judge_places(world, row, 0, known, chosen)
    else:
        derived = world.derive(claims[:where], FORWARD[name], name, known) and values[0].whole
        judge_places(world, row, where, known, values[0].array if derived else None)


def judge_places(world: World, row: dict, where: int, known: dict, chosen: Any) -> None:
    """Look whether at the places that a result names stands what was chosen."""
    v = row["values"][where]
    found = None if chosen is None else standing(known.get("self"), world.value(v), known)
    if found is None:
        world.leave("places", row["op"])
        return
    wanted = np.ravel(chosen).astype(found.dtype)
    if np.array_equal(np.ravel(found), wanted, equal_nan=found.dtype.kind == "f"):
        world.report.checked += 1
    else:
        world.refuse(f"values[{where}]", "the places of what was chosen", v)


def standing(self: Any, places: Value | None, known: dict) -> np.ndarray | None:
    """Return what stands in `self` at places along a dimension, in the flat tensor, or in flat images."""
    array = self.array if isinstance(self, Value) and self.whole else self
    if not isinstance(array, np.ndarray) or places is None or not places.whole:
        return None
    where, dim = places.array, known.get("dim")
    try:
        if "kernel_size" in known or "output_size" in known:
            flat = array.reshape(*array.shape[:-2], -1)
            return np.take_along_axis(flat, where.reshape(*where.shape[:-2], -1), -1).reshape(where.shape)
        dim = -1 if dim is None and "k" in known else dim
        if dim is None:
            return array.reshape(-1)[where]
        if not array.ndim:
            return array
        dim = dim if isinstance(dim, int) else dim[0]
        line = where if where.ndim == array.ndim else np.expand_dims(where, dim)
        return np.take_along_axis(array, line, dim)
    except TROUBLE:
        return None
