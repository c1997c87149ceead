"""Numbers as JSON: nan and inf in words, a float32 in the fewest digits that tell it from its neighbours.

0.1 rather than 0.10000000149011612: whoever reads it takes the nearest float32 and has every bit again.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

POWERS = 10.0 ** np.arange(23)  # exactly: so is what is divided by them rounded only once
DIGITS = range(6, 10)  # 6 are always sure to come back, and 9 always enough
LEAST, MOST = 1e-13, 999_999.0  # between these 9 digits need only powers of ten that are exact


class Unspelled:
    """Float32 arrays whose numbers are still to be written: many together take a fraction of the time."""

    def __init__(self) -> None:
        self._parts: list[tuple[dict, bytes, tuple[int, ...]]] = []

    def add(self, place: dict, raw: bytes, shape: tuple[int, ...]) -> None:
        """Promise the numbers of an array, given by its bytes, as `place["data"]`."""
        place["data"] = None
        self._parts.append((place, raw, shape))

    def spell(self) -> None:
        """Write what was promised."""
        if not self._parts:
            return
        parts, self._parts = self._parts, []
        numbers, start = spelled(np.frombuffer(b"".join([raw for _, raw, _ in parts]), np.float32)), 0
        for place, raw, shape in parts:
            stop = start + len(raw) // 4
            place["data"] = _nest(numbers[start:stop], shape)
            start = stop


def _nest(flat: list, shape: tuple[int, ...]) -> Any:
    if len(shape) == 1:
        return flat
    if not shape:
        return flat[0]
    step = len(flat) // shape[0] if shape[0] else 0
    return [_nest(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def nested(array: np.ndarray) -> list | float | int | bool | str:
    """Return nested lists of the numbers of an array, each the double that equals it."""
    listed = array.tolist()
    if array.dtype.kind in "biu" or (array.dtype.kind == "f" and np.isfinite(array).all()):
        return listed
    return _spelled(listed)


def _spelled(listed: list | float) -> list | float | str:
    return [_spelled(each) for each in listed] if isinstance(listed, list) else number(listed)


def number(value: complex) -> float | int | str | dict:
    """Return a JSON number, or what stands for it where JSON has none."""
    if isinstance(value, complex):
        return {"re": number(value.real), "im": number(value.imag)}
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")


def spelled(flat: np.ndarray) -> list[float | str]:
    """Return a float32 vector as doubles with the fewest digits that are nearest to each, or as words."""
    sure = np.isfinite(flat)
    if sure.all():
        return _shortest(flat).tolist()
    listed = _shortest(np.where(sure, flat, np.float32(0))).tolist()
    for i in np.flatnonzero(~sure).tolist():
        listed[i] = number(float(flat[i]))
    return listed


def _shortest(array: np.ndarray) -> np.ndarray:
    """Try 6 digits, then 7, 8 and 9 where they do not give the float32 back; the rest is asked for its text.

    A whole number of at most 9 digits by an exact power of ten is the double that those digits read as.
    """
    exact = array.astype(np.float64)
    size = np.abs(exact)
    places = np.floor(np.log10(size.clip(LEAST, MOST))).astype(np.int64)
    scale = POWERS[DIGITS[0] - 1 - places]
    found = np.rint(exact * scale) / scale
    for _ in DIGITS[1:]:
        wrong = found.astype(np.float32) != array
        if not wrong.any():
            break
        scale = scale * 10
        found = np.where(wrong, np.rint(exact * scale) / scale, found)
    wrong = (found.astype(np.float32) != array) | (size > MOST)
    found[wrong] = [float(str(x)) for x in array[wrong]]
    return found
