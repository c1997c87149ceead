"""Large tensors, of which only a sample is written: what can be told when their numbers are only moved."""

from __future__ import annotations

import numpy as np

from engine.verify import pictures
from engine.verify.numbers import Value

STATISTICS = ("min", "max", "mean", "norm")


def total_wrong(source: Value, found: Value, mean: bool) -> str | None:
    """Say how the sum, or mean, of a large tensor differs from what its statistics tell."""
    summary, size = source.entry["summary"], int(np.prod(source.shape))
    if summary["nan"] or summary["inf"] or not found.whole or found.array.size != 1:
        return None
    wanted = float(summary["mean"]) * (1 if mean else size)
    room = 1e-5 * float(summary["norm"]) * np.sqrt(size) / (size if mean else 1)
    held = float(found.array.reshape(()))
    return None if abs(held - wanted) <= room else f"{wanted:.9g} instead of {held:.9g}"


def numbered(source: Value) -> np.ndarray:
    """Return a tensor of a source's shape, its elements numbered from 1; 0 is for what is filled in."""
    return np.arange(1, int(np.prod(source.shape)) + 1).reshape(source.shape)


def moved_wrong(source: Value, moved: np.ndarray, found: Value) -> tuple[str | None, bool]:
    """Say how a result differs from what was moved into it, and whether that could be told of all of it.

    `moved` holds for every element of the result its number in the source, or 0.
    """
    if moved.shape != found.shape:
        return f"shape {list(moved.shape)}", True
    came = moved.reshape(-1)[found.places] - 1
    at = np.clip(np.searchsorted(source.places, came), 0, source.places.size - 1)
    known = (source.places[at] == came) | (came < 0)
    wanted, have = np.where(came < 0, 0, source.sample[at]), found.sample
    same = (wanted == have) | ((wanted != wanted) & (have != have)) | ~known
    if not same.all():
        i = int(np.argmin(same))
        place = [int(n) for n in np.unravel_index(found.places[i], found.shape)]
        return f"{wanted[i]} instead of {have[i]} at {place}", True
    wrong = repainted_wrong(source, moved, found)
    if wrong is not None:
        return wrong, True
    if found.whole or not np.array_equal(np.sort(moved, axis=None), np.arange(1, moved.size + 1)):
        return None, bool(known.all())
    first, second = source.entry["summary"], found.entry["summary"]
    for name in STATISTICS:  # every element is still there
        if not abs(float(first[name]) - float(second[name])) <= 1e-6 * abs(float(first["norm"])):
            return f"{name} {first[name]} instead of {second[name]}", True
    return None, True


def repainted_wrong(source: Value, moved: np.ndarray, found: Value) -> str | None:
    """Say which element has lost the shade that it had in the picture of where it came from, or None."""
    if source.dtype != found.dtype or source.kind.kind == "c":
        return None
    if found.whole:
        painted = pictures.letters(found.sample, source.most)
    elif source.most == found.most:
        painted = found.entry["summary"]["picture"]["levels"]
    else:
        return None
    shown = found.places if found.whole else found.pictured
    came = moved.reshape(-1)[shown] - 1
    at = np.clip(np.searchsorted(source.pictured, came), 0, source.pictured.size - 1)
    colours = source.entry["summary"]["picture"]["levels"]
    for i in np.flatnonzero((source.pictured[at] == came) | (came < 0)):
        if painted[i] != (colours[at[i]] if came[i] >= 0 else "0"):
            place = [int(n) for n in np.unravel_index(shown[i], found.shape)]
            return f"another shade at {place}"
    return None
