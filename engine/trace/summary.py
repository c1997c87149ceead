"""A large array in few numbers: statistics, some cells exactly, and a picture with one letter for a cell."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from engine.trace.digits import Unspelled, nested, number

# Note: values
PICTURE, WIDEST = 256, 32  # about so many cells in a picture, at most so many beside each other
CELLS = 64  # about so many of these are written exactly
STEPS = 12  # shades of each sign, from a to l for minus and A to L for plus; 0 is zero itself
LETTERS = np.frombuffer(b"lkjihgfedcba0ABCDEFGHIJKL!", np.uint8)
NO_NUMBER = LETTERS.size - 1  # nan or inf


def summary(array: np.ndarray, kind: str, unspelled: Unspelled) -> dict:
    """Return statistics of the finite elements, counts of the others, cells and a picture.

    A complex number counts by its size, except in the cells.
    """
    real = np.abs(array) if array.dtype.kind == "c" else array
    sure = np.isfinite(real)
    whole = bool(sure.all())
    finite = real if whole else real[sure]
    wide = finite.astype(np.float64)
    some = finite.size > 0
    low, high = (finite.min().item(), finite.max().item()) if some else (math.nan, math.nan)
    return {
        "min": number(low),
        "max": number(high),
        "mean": number(float(wide.mean())) if some else "nan",
        "norm": number(math.sqrt(float(np.square(wide).sum()))),
        "nan": 0 if whole else int(np.isnan(real).sum()),
        "inf": 0 if whole else int(np.isinf(real).sum()),
        "cells": cells(array, kind, unspelled),
        "picture": picture(real, max(abs(low), abs(high))),
    }


def cells(array: np.ndarray, kind: str, unspelled: Unspelled) -> dict:
    """Return some elements of those in the picture, evenly spaced; rows run along the last axis."""
    _, (rows, columns) = grids(array.size // array.shape[-1], array.shape[-1])
    data = array.reshape(-1, array.shape[-1])[rows[:, None], columns]
    found: dict = {"rows": rows.size, "columns": columns.size}
    if kind == "float32":
        unspelled.add(found, data.tobytes(), data.shape)
    else:
        found["data"] = nested(data)
    return found


def picture(real: np.ndarray, most: float) -> dict:
    """Return a letter for each of some elements, evenly spaced: its share of the largest, in steps."""
    (rows, columns), _ = grids(real.size // real.shape[-1], real.shape[-1])
    seen = real.reshape(-1, real.shape[-1])[rows[:, None], columns].astype(np.float64).ravel()
    with np.errstate(all="ignore"):
        steps = np.ceil(np.abs(seen) / most * STEPS).clip(1, STEPS)
        signed = np.where(np.isfinite(seen), np.sign(seen) * steps + STEPS, NO_NUMBER)
    letters = LETTERS[np.where(seen == 0, STEPS, signed).astype(np.int64)]
    return {"rows": rows.size, "columns": columns.size, "levels": letters.tobytes().decode("ascii")}


@lru_cache(maxsize=256)
def grids(rows: int, columns: int) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Return which rows and columns of a matrix are in its picture, and which of those are cells."""
    high, wide = extents(rows, columns, PICTURE)
    seen = spaced(rows, high), spaced(columns, wide)
    few_high, few_wide = extents(high, wide, CELLS)
    return seen, (seen[0][spaced(high, few_high)], seen[1][spaced(wide, few_wide)])


def extents(rows: int, columns: int, room: int) -> tuple[int, int]:
    """Return how many rows and columns are taken: a square of the room, or longer where one side is short."""
    side = math.isqrt(room)
    high, wide = (max(side, min(room // other, WIDEST)) for other in (columns, rows))
    return min(rows, high), min(columns, wide)


def spaced(extent: int, count: int) -> np.ndarray:
    """Return so many places of an extent, with both ends."""
    return np.linspace(0, extent - 1, count).round().astype(np.int64)
