"""Clipping: the total norm, the factor, and what it makes of every gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.verify.laws.table import EACH
from engine.verify.world import World

WRITES = (
    "op_applied",
    "grad_set",
    "tensor_made",
    "names_bound",
    "aliases_changed",
    "version_bumped",
    "rebased",
)


class Clipping:
    """Checks the rows that sum up what a clipping function has done to gradients."""

    def __init__(self, world: World) -> None:
        self.world = world

    def on_grad_norm_clipped(self, row: dict) -> None:
        """Derive the norm of all gradients, the factor, and each gradient times the factor."""
        world = self.world
        self.check_grads(row)
        if row["norm_type"] is not None:
            known = {"parts": [world.values[v] for v in row["before"]], "order": float(row["norm_type"])}
            world.derive([("total", row["total"])], total_norm, "total norm", known)
        known = {"total": world.values[row["total"]], "max_norm": float(row["max_norm"])}
        world.derive([("factor", row["factor"])], factor, "clip factor", known)
        for i, (before, after) in enumerate(zip(row["before"], row["after"])):
            known = {"grad": world.values[before], "factor": world.values[row["factor"]]}
            world.derive([(f"after[{i}]", after)], shortened, "clipped gradient", known)

    def on_grad_value_clipped(self, row: dict) -> None:
        """Derive each gradient held between two bounds."""
        world = self.world
        self.check_grads(row)
        for i, (before, after) in enumerate(zip(row["before"], row["after"])):
            known = {"grad": world.values[before], "limit": float(row["clip_value"])}
            world.derive([(f"after[{i}]", after)], held, "clipped gradient", known)

    def check_grads(self, row: dict) -> None:
        """What each `.grad` is now, and what it was before the call, the rows of this call have told."""
        world, count = self.world, len(row["tensors"])
        if not len(row["before"]) == len(row["after"]) == count:
            world.refuse("tensors", f"{count} gradients before and after", len(row["after"]))
        was = self.before_call(row)
        for i, tensor in enumerate(row["tensors"]):
            world.must(f"after[{i}]", world.grads.get(tensor, row["after"][i]), row["after"][i])
            world.must(f"before[{i}]", was.get(tensor, row["before"][i]), row["before"][i])

    def before_call(self, row: dict) -> dict[str, str | None]:
        """Return what each `.grad` was before the first write that this call has made."""
        found: dict[str, str | None] = {}
        for k in range(self.world.k - 1, -1, -1):
            earlier = self.world.rows[k]
            if earlier["kind"] not in WRITES or earlier["at"] != row["at"]:
                break
            if earlier["kind"] == "grad_set":
                found[earlier["tensor"]] = earlier["before"]
        return found


def total_norm(parts: Any, order: float) -> np.ndarray:
    """Return the norm of all elements of all parts together."""
    flat = np.abs(np.concatenate([np.ravel(part) for part in parts]))
    if np.isinf(order):
        return flat.max() if order > 0 else flat.min()
    if order == 0:
        return norm_of_counts(parts)
    return np.sum(flat**order) ** (1 / order)


def norm_of_counts(parts: Any) -> np.ndarray:
    """Return how many of the parts have an element that is not 0: the 0-norm of their 0-norms."""
    return np.asarray(float(sum(np.count_nonzero(part) > 0 for part in parts)))


def factor(total: np.ndarray, max_norm: float) -> np.ndarray:
    """Return what every gradient is multiplied by: never more than 1."""
    return np.minimum(max_norm / (total + 1e-6), 1.0)


def shortened(grad: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """Return a gradient times the factor."""
    return grad * factor


def held(grad: np.ndarray, limit: float) -> np.ndarray:
    """Return a gradient held between two bounds."""
    return np.minimum(np.maximum(grad, -limit), limit)


EACH.add("clipped gradient")
