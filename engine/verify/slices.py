"""Views written in place: where a view lies in its root's memory, and what CopySlices makes of a gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.verify.laws.table import OPS, asks, call
from engine.verify.world import World


def geometry(world: World, tensor: str) -> dict[str, Any]:
    """Return how a tensor lies in the memory it shares: size, stride, offset, and the root's size."""
    memory = world.holds.get(tensor)
    if not isinstance(memory, np.ndarray):
        return {}
    root = memory if memory.base is None else memory.base
    start = memory.__array_interface__["data"][0] - root.__array_interface__["data"][0]
    return {
        "self_sym_sizes": root.shape,
        "size": memory.shape,
        "stride": tuple(step // memory.itemsize for step in memory.strides),
        "storage_offset": start // memory.itemsize,
    }


def places(lies: dict[str, Any]) -> np.ndarray:
    """Return which elements of the flat root a view shows."""
    where = np.asarray(lies["storage_offset"])
    for n, step in zip(lies["size"], lies["stride"]):
        where = where[..., None] + np.arange(n) * step
    return where


def of_tensor(world: World, node: str) -> dict[str, Any]:
    """Return the geometry that an AsStridedBackward0 undoes: that of the view it was made for."""
    entry = world.nodes[node]
    views = entry["outputs"] or [t for t, e in world.tensors.items() if e["node"] == node]
    return geometry(world, views[0]) if views else {}


def inner(world: World, row: dict, name: str, known: dict[str, Any]) -> None:
    """Remember what was done to a view, for the CopySlices that its root hangs on since."""
    edge = world.nodes[row["node"]]["edges"][0]
    if edge is not None and world.nodes[edge[0]]["name"] == "CopySlices":
        inputs = [n for n, _ in row["args"] if n in OPS.get(name, {})]
        world.slices[edge[0]] = (name, inputs, geometry(world, row["outputs"][0]), known)


def pull(world: World, node: str, slot: int) -> tuple[Callable, dict[str, Any]] | None:
    """Return the derivative that a CopySlices has for an edge, and what it needs."""
    name, inputs, lies, known = world.slices.get(node, ("", [], {}, {}))
    if slot >= len(inputs) or not lies:
        return None
    where, rule = places(lies), OPS[name][inputs[slot]]

    def function(g: np.ndarray, **rest: Any) -> np.ndarray:
        part = g.reshape(-1)[where]
        made = call(rule, {**rest, "g": part, "gs": [part]})
        if slot:
            return made
        out = g.copy()
        out.reshape(-1)[where] = made
        return out

    needs = [(n, default) for n, default in asks(rule) if n not in ("g", "gs")]
    function.asks = [("g", asks(lambda g: g)[0][1]), *needs]
    return function, known
