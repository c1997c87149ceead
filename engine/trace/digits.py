"""Numbers as JSON: nan and inf in words, a float32 in the fewest digits that tell it from its neighbours.

0.1 rather than 0.10000000149011612: whoever reads it takes the nearest float32 and has every bit again.
"""

from __future__ import annotations

import math

import numpy as np

FEW = 24  # up to this many numbers are asked for their text one by one
POWERS = 10.0 ** np.arange(23)  # exactly: so is what is divided by them rounded only once
DIGITS = range(6, 10)  # 6 are always sure to come back, and 9 always enough
LEAST, MOST = 1e-13, 999_999.0  # between these 9 digits need only powers of ten that are exact


def nested(array: np.ndarray, kind: str) -> list | float | int | bool | str:
    """Return nested lists of the numbers of an array of this dtype."""
    listed = shortest(array) if kind == "float32" else array.tolist()
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


def shortest(array: np.ndarray) -> list | float:
    """Return nested lists of doubles, each with the fewest digits that are nearest to that float32."""
    if array.ndim == 0:
        return _alone(array[()])
    if array.size <= FEW or not np.isfinite(array).all():
        return np.array([_alone(x) for x in array.ravel()], np.float64).reshape(array.shape).tolist()
    return _together(array).tolist()


def _alone(x: np.float32) -> float:
    return float(str(x))


def _together(array: np.ndarray) -> np.ndarray:
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
    found[wrong] = [_alone(x) for x in array[wrong]]
    return found
