"""The numbers of a trace as arrays, and when two of them agree. Knows no operations and no rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from engine.verify import pictures

WHOLE = 256  # up to this many elements a value is written whole
HELD = {"bfloat16": np.float32}  # kinds that NumPy lacks, held as another
AGREE = {"float64": 1e-10, "complex128": 1e-10, "float16": 2e-3, "bfloat16": 2e-2}  # the others: 1e-5
PLACES = {"float64": 52, "complex128": 52, "float16": 10, "bfloat16": 7}  # bits behind the point; others: 23
SMALL = 1e-3  # of the largest element: below that, agreement is held against it instead


class Unreadable(ValueError):
    """A value that is not written as the format says."""


@dataclass
class Value:
    """One entry of the table of values: whole, or a sample of a large one."""

    id: str
    dtype: str
    shape: tuple[int, ...]
    entry: dict = field(repr=False)

    @property
    def whole(self) -> bool:
        """Say whether every element is written."""
        return "data" in self.entry

    @property
    def kind(self) -> np.dtype:
        """Return the NumPy dtype that holds this one."""
        return kind_of(self.dtype)

    @cached_property
    def array(self) -> np.ndarray:
        """Return all elements; only of a whole value."""
        return read(self.entry["data"], self.kind, self.shape)

    @cached_property
    def sample(self) -> np.ndarray:
        """Return the elements that are written, in a line."""
        if self.whole:
            return self.array.reshape(-1)
        cells = self.entry["summary"]["cells"]
        return read(cells["data"], self.kind, (cells["rows"], cells["columns"])).reshape(-1)

    @cached_property
    def places(self) -> np.ndarray:
        """Return where in the flat tensor the written elements stand."""
        return np.arange(math.prod(self.shape)) if self.whole else pictures.places(self.shape)[1]

    @cached_property
    def pictured(self) -> np.ndarray:
        """Return where in the flat tensor the elements of a large value's picture stand."""
        return pictures.places(self.shape)[0]

    @cached_property
    def most(self) -> float:
        """Return the size of a large value's largest element, as its picture takes it."""
        return max(abs(float(self.entry["summary"][key])) for key in ("min", "max"))

    @cached_property
    def wide(self) -> np.ndarray:
        """Return a whole value's elements for calculating: float64, complex128, or whole numbers."""
        return widened(self.array)


def kind_of(dtype: str) -> np.dtype:
    """Return the NumPy dtype that holds numbers of a dtype."""
    return np.dtype(HELD.get(dtype, dtype))


def widened(array: np.ndarray) -> np.ndarray:
    """Return numbers in the precision we calculate in."""
    return array.astype({"f": np.float64, "c": np.complex128}.get(array.dtype.kind, array.dtype))


def read(data: Any, kind: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """Return written numbers as an array of that dtype and shape; each must be a number of that dtype.

    Of a float32 only as many digits are written as tell it from its neighbours: the nearest one is meant.
    """
    try:
        wide = {"c": np.complex128, "f": np.float64}.get(kind.kind)
        found = np.array(complexes(data) if kind.kind == "c" else data, wide)
        with np.errstate(all="ignore"):
            held = found.astype(kind)
    except (TypeError, ValueError, OverflowError, KeyError):
        raise Unreadable("is no nest of numbers of its dtype") from None
    if found.size == 0 and 0 in shape:
        return held.reshape(shape)
    if found.shape != shape:
        raise Unreadable(f"holds numbers of shape {list(found.shape)}, not {list(shape)}")
    if wide is None:
        same = found.dtype.kind in ("b" if kind.kind == "b" else "iu") and np.array_equal(held, found)
    else:
        again = held.astype(wide)
        same = np.array_equal(again, found, equal_nan=True) or (
            kind == np.float32 and np.array_equal(np.isinf(again), np.isinf(found))
        )
    if not same:
        raise Unreadable(f"holds a number that no {kind.name} equals")
    return held


def complexes(data: Any) -> Any:
    """Return nested {re, im} as complex numbers."""
    if isinstance(data, list):
        return [complexes(each) for each in data]
    return complex(float(data["re"]), float(data["im"]))


def value_of(key: str, entry: dict) -> Value:
    """Return an entry as a value, or refuse what contradicts itself."""
    value = Value(key, entry["dtype"], tuple(entry["shape"]), entry)
    size = math.prod(value.shape)
    try:
        kind = value.kind
    except TypeError:
        raise Unreadable(f"has the unknown dtype {value.dtype!r}") from None
    if value.whole != (size <= WHOLE):
        raise Unreadable(f"has {size} elements, so it must {'not ' if value.whole else ''}be written whole")
    sample = value.sample
    if not value.whole:
        check_summary(value, sample, kind)
    return value


def check_summary(value: Value, sample: np.ndarray, kind: np.dtype) -> None:
    """Refuse a summary whose parts cannot belong to the same tensor."""
    summary, size = value.entry["summary"], math.prod(value.shape)
    if sample.size != value.places.size:
        raise Unreadable("shows another number of cells than its shape asks for")
    low, high, mean, norm = (float(summary[key]) for key in ("min", "max", "mean", "norm"))
    odd = summary["nan"] + summary["inf"]
    if not 0 <= odd <= size:
        raise Unreadable("counts more elements that are no numbers than there are elements")
    shown = np.abs(sample) if kind.kind == "c" else sample.astype(np.float64)
    check_picture(value, shown, odd)
    finite = shown[np.isfinite(shown)]
    far = size - odd
    if far == 0 or not math.isfinite(low + high + mean + norm):
        return
    slack = 1e-6 * max(abs(low), abs(high), 1e-30)
    largest = max(abs(low), abs(high))
    if not low - slack <= mean <= high + slack or (
        finite.size and not (low <= finite.min() and finite.max() <= high)
    ):
        raise Unreadable("shows numbers outside of its own smallest and largest")
    if (
        not max(abs(mean) * math.sqrt(far), largest) * (1 - 1e-6)
        <= norm
        <= largest * math.sqrt(far) * (1 + 1e-6) + 1e-300
    ):
        raise Unreadable("has a norm that no such numbers have")
    if odd == 0 and finite.size != shown.size:
        raise Unreadable("shows something that is no number but counts none")


def check_picture(value: Value, shown: np.ndarray, odd: int) -> None:
    """Refuse a picture that is not one of the numbers that are written beside it."""
    summary, picture = value.entry["summary"], value.entry["summary"]["picture"]
    wrong = pictures.strange(picture, value.shape, float(summary["min"]), float(summary["max"]), odd)
    if wrong is not None:
        raise Unreadable(wrong)
    painted = [picture["levels"][i] for i in np.searchsorted(value.pictured, value.places)]
    if value.kind.kind == "c":  # the size of a complex number is itself rounded
        same = pictures.unlike("".join(painted), shown, value.most, 1e-6) is None
    else:
        same = painted == pictures.letters(shown, value.most)
    if not same:
        raise Unreadable("shows a picture of other numbers than its cells")


# ----- agreement --------------------------------------------------------------------------------
def disagreement(found: Value, expected: Any, slack: Any = 0.0) -> str | None:
    """Say how a value differs from what it must be, or None. `slack` is what rounding may make of it."""
    expected = np.asarray(expected)
    if expected.shape != found.shape:
        return f"shape {list(expected.shape)}"
    if found.whole:
        return differing(found.array, expected, found.dtype, slack)
    shown, spare = (picked(thing, found.shape, found.places) for thing in (expected, slack))
    return (
        differing(found.sample, shown, found.dtype, spare)
        or stray_statistics(found, expected)
        or mispainted(found, expected, slack)
    )


def picked(thing: Any, shape: tuple[int, ...], places: np.ndarray) -> Any:
    """Return the elements at flat places of what has that shape; a number is the same everywhere."""
    return thing if np.shape(thing) != shape else thing[np.unravel_index(places, shape)]


def mispainted(found: Value, expected: np.ndarray, slack: Any = 0.0) -> str | None:
    """Say which element of a large value's picture is not in the shade of what it must be, or None."""
    sizes = np.abs(expected) if expected.dtype.kind == "c" else expected
    shown, spare = (picked(thing, found.shape, found.pictured) for thing in (sizes, slack))
    room = 2 * AGREE.get(found.dtype, 1e-5) + spare / (found.most or 1.0)
    wrong = pictures.unlike(found.entry["summary"]["picture"]["levels"], shown, found.most, room)
    if wrong is None:
        return None
    place = [int(i) for i in np.unravel_index(found.pictured[wrong], found.shape)]
    return f"{plain(shown[wrong])} instead of another shade of it at {place}"


def differing(held: np.ndarray, expected: np.ndarray, dtype: str, slack: Any = 0.0) -> str | None:
    """Say what the first element is that is not as expected, or None."""
    if held.dtype.kind in "biu":
        same = held == expected
    else:
        same = near(held, expected, dtype, slack)
    if np.all(same):
        return None
    where = np.unravel_index(int(np.argmin(same)), held.shape) if held.ndim else ()
    place = f" at {[int(i) for i in where]}" if where else ""
    return f"{plain(expected[where])} instead of {plain(held[where])}{place}"


def near(held: np.ndarray, expected: np.ndarray, dtype: str, slack: Any = 0.0) -> np.ndarray:
    """Say for each element whether it is what is expected, up to rounding."""
    wide = widened(held)
    with np.errstate(all="ignore"):
        target = widened(np.asarray(expected).astype(held.dtype))
        size = np.abs(target)
        finite = np.isfinite(size)
        scale = float(np.max(size, where=finite, initial=0.0))
        tiny = np.finfo(held.dtype).smallest_subnormal * 8
        room = AGREE.get(dtype, 1e-5) * (size + SMALL * scale) + tiny + slack
        return (
            (wide == target)
            | (np.isnan(wide) & np.isnan(target))
            | (finite & (np.abs(wide - target) <= room))
        )


def stray_statistics(found: Value, expected: np.ndarray) -> str | None:
    """Say which statistic of a large value is not that of the tensor it must be, or None."""
    if expected.dtype.kind == "c":
        return None
    numbers = widened(np.asarray(expected).astype(found.kind)).reshape(-1)
    finite, summary = numbers[np.isfinite(numbers)], found.entry["summary"]
    if finite.size == 0:
        return None
    have = {
        "min": finite.min(),
        "max": finite.max(),
        "mean": finite.mean(),
        "norm": np.sqrt(np.sum(finite**2)),
    }
    scale = max(abs(have["min"]), abs(have["max"]))
    for name, number in have.items():
        room = 10 * AGREE.get(found.dtype, 1e-5) * (scale if name != "norm" else have["norm"]) + 1e-30
        if not abs(float(summary[name]) - float(number)) <= room:
            return f"{name} {plain(number)} instead of {summary[name]}"
    counts = {"nan": int(np.isnan(numbers).sum()), "inf": int(np.isinf(numbers).sum())}
    return next((f"{n} of {k}" for k, n in counts.items() if summary[k] != n), None)


def plain(number: Any) -> str:
    """Write one number."""
    number = number.item() if hasattr(number, "item") else number
    return f"{number:.9g}" if isinstance(number, float) else str(number)


def brief(value: Any) -> str:
    """Write what a claim says in one short line."""
    if isinstance(value, Value):
        numbers = value.array.tolist() if value.whole else f"{math.prod(value.shape)} numbers"
        value = f"{value.id} = {numbers}"
    text = str(value)
    return text if len(text) <= 120 else text[:117] + "..."
