"""The ways of edges in px: Graphviz's curves brought to their ends, our own curves, and buses."""

from __future__ import annotations

from itertools import pairwise

Corner = tuple[float, float]

LANE = 14  # px between two buses
ASIDE, APART = 12, 5  # px from a column to the first bus that rises or falls beside it, and to the next
ROUND = 8  # px: radius of a bus's corners
FAR = 240  # px: what is nearer is reached without the bus


def brought(curve: list[Corner], start: Corner, end: Corner) -> list[Corner]:
    """Return a curve moved at both ends, each with its control point, to begin and end exactly there."""
    (x1, y1), (x2, y2) = curve[1], curve[-2]
    first = x1 + start[0] - curve[0][0], y1 + start[1] - curve[0][1]
    last = x2 + end[0] - curve[-1][0], y2 + end[1] - curve[-1][1]
    return [start, first, *curve[2:-2], last, end]


def own_curve(start: Corner, end: Corner) -> list[Corner]:
    """Return a curve that leaves to the right and arrives from the left."""
    (x1, y1), (x2, y2) = start, end
    reach = max(40.0, abs(x2 - x1) * 0.4)
    return [start, (x1 + reach, y1), (x2 - reach, y2), end]


def bus(start: Corner, rise: float, lane: float, fall: float, end: Corner) -> list[Corner]:
    """Return the way up from a box to its lane, along it, and down to a use."""
    corners = [start, (rise, start[1]), (rise, lane), (fall, lane), (fall, end[1]), end]
    return rounded(corners)


def trunk(start: Corner, rise: float, lane: float, fall: float) -> list[Corner]:
    """Return the part of a bus that all uses share: up to where the last of them leaves it."""
    return rounded([start, (rise, start[1]), (rise, lane), (fall, lane)])


def drop(lane: float, fall: float, end: Corner) -> list[Corner]:
    """Return the part of a bus that leads to one use."""
    return rounded([(fall - ROUND, lane), (fall, lane), (fall, end[1]), end])


def rounded(corners: list[Corner]) -> list[Corner]:
    """Return cubics along straight lines with round corners."""
    points = [corners[0]]
    for before, corner, after in zip(corners, corners[1:], corners[2:]):
        into, out = toward(corner, before), toward(corner, after)
        points += [*line(points[-1], into), corner, corner, out]
    return [*points, *line(points[-1], corners[-1])]


def line(a: Corner, b: Corner) -> list[Corner]:
    """Return the cubic that is a straight line, without its start."""
    return [(a[0] + (b[0] - a[0]) * u, a[1] + (b[1] - a[1]) * u) for u in (1 / 3, 2 / 3, 1)]


def toward(a: Corner, b: Corner) -> Corner:
    """Return the point from which a corner at `a` is rounded, on the way to `b`."""
    length = abs(b[0] - a[0]) + abs(b[1] - a[1])  # one of the two is zero
    u = min(ROUND, length / 2) / length if length else 0.0
    return a[0] + (b[0] - a[0]) * u, a[1] + (b[1] - a[1]) * u


def path(points: list[Corner]) -> str:
    """Return an SVG path: the first point, then cubics."""
    first, *rest = (f"{x:.1f} {y:.1f}" for x, y in points)
    return f"M{first}C{' '.join(rest)}"


def columns_of(centres: dict[int, float]) -> dict[int, int]:
    """Return the column of each box from where its middle is: Graphviz puts those of a column in one line."""
    ordered = sorted(centres.items(), key=lambda each: each[1])
    column, found = 0, {}
    for before, (i, x) in pairwise([(None, None), *ordered]):
        column += before[0] is not None and x - before[1] > 1
        found[i] = column
    return found
