"""Which elements of a large tensor are written, and the letters of its picture. Knows arrays, no rows.

A picture has one letter for an element: its share of the largest, in steps of a twelfth.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

PICTURE, CELLS, WIDEST = 256, 64, 32  # about so many elements; at most so many in a row or column
STEPS = 12
NO_NUMBER = "!"
LEVELS = {"0": 0} | {chr(ord(a) + k - 1): k * s for a, s in (("A", 1), ("a", -1)) for k in range(1, 13)}
NAMES = {level: letter for letter, level in LEVELS.items()}


def spread(extent: int, count: int) -> np.ndarray:
    """Return so many places from the first to the last."""
    return np.linspace(0, extent - 1, count).round().astype(np.int64)


def taken(extent: int, other: int, room: int) -> int:
    """Return how many of the rows are taken, given the number of columns; or the other way round."""
    return min(extent, max(math.isqrt(room), min(room // other, WIDEST)))


def axes(extent: int, other: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which rows (or columns) the picture shows, and which the cells."""
    seen = taken(extent, other, PICTURE)
    shown = spread(extent, seen)
    return shown, shown[spread(seen, taken(seen, taken(other, extent, PICTURE), CELLS))]


def places(shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return where in a flat large tensor the elements of its picture and of its cells stand."""
    wide = shape[-1]
    high = math.prod(shape) // wide
    rows, columns = axes(high, wide), axes(wide, high)
    picture, cells = ((r[:, None] * wide + c).reshape(-1) for r, c in zip(rows, columns))
    return picture, cells


def letters(numbers: np.ndarray, most: float) -> list[str]:
    """Return the letter of each number beside a largest one."""
    found = []
    for x in np.asarray(numbers, np.float64).reshape(-1).tolist():
        if not math.isfinite(x):
            found.append(NO_NUMBER)
        else:
            step = min(max(math.ceil(abs(x) / most * STEPS), 1), STEPS) if x else 0
            found.append(NAMES[step if x > 0 else -step])
    return found


def strange(picture: dict, shape: tuple[int, ...], low: float, high: float, odd: int) -> str | None:
    """Say what a picture has that no tensor of that shape and range would show."""
    shown, text = axes_of(shape), picture["levels"]
    if (picture["rows"], picture["columns"]) != shown or not isinstance(text, str):
        return "shows a picture of another size than its shape asks for"
    if len(text) != shown[0] * shown[1] or not set(text) <= {*NAMES.values(), NO_NUMBER}:
        return "shows a picture that is not made of one letter for each element"
    count = text.count(NO_NUMBER)
    if count > odd or (odd == math.prod(shape) and count != len(text)):
        return "shows another number of elements that are no numbers than it counts"
    levels = [LEVELS[each] for each in set(text) - {NO_NUMBER}]
    if levels and math.isfinite(low + high):
        ends = [LEVELS[each] for each in letters(np.array([low, high]), max(abs(low), abs(high)))]
        if not ends[0] <= min(levels) <= max(levels) <= ends[1]:
            return "shows a picture of numbers outside of its own smallest and largest"
    return None


def axes_of(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the number of rows and columns of a large tensor's picture."""
    wide = shape[-1]
    high = math.prod(shape) // wide
    return taken(high, wide, PICTURE), taken(wide, high, PICTURE)


def unlike(text: str, expected: np.ndarray, most: float, room: Any) -> int | None:
    """Return which letter is not that of the number expected there, up to so much of the largest."""
    with np.errstate(all="ignore"):
        share = np.asarray(expected, np.float64).reshape(-1) / (most or 1.0) * STEPS
    levels = np.array([LEVELS.get(each, np.nan) for each in text])
    near = np.where(levels > 0, levels - 0.5, np.where(levels < 0, levels + 0.5, 0.0))
    half = np.where(levels == 0, 0.0, 0.5) + STEPS * room
    same = np.where(np.isfinite(share), np.abs(share - near) <= half, np.isnan(levels))
    return None if same.all() else int(np.argmin(same))
