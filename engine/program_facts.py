"""Facts about the program itself: seeds it did not set, packages that are not here, numbers it plots."""

from __future__ import annotations

from dataclasses import dataclass

fact = dataclass(slots=True, eq=False)


@fact
class Seeded:
    """A program draws from a generator ("torch", "random" or "numpy") that it has given no seed."""

    generator: str
    seed: int


@fact
class StandIn:
    """A call into a package that is not here: something else stood in for it, or nothing was done."""

    module: str
    call: str


@fact
class Plotted:
    """A chart of plain numbers: its texts, and for each line, points or bars a label and coordinates."""

    title: str
    x: str
    y: str
    series: list
