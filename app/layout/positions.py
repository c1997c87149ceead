"""Positions and edge paths in px, as the page gets them: read from Graphviz, or computed without it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, sqrt

from app.layout.dot import busy_sources, edge_id
from app.layout.routes import (
    APART,
    ASIDE,
    FAR,
    LANE,
    ROUND,
    Corner,
    brought,
    bus,
    columns_of,
    drop,
    line,
    own_curve,
    path,
    trunk,
)
from app.layout.shapes import PORTS, Shape

MARGIN = 24  # px around a drawing
COLUMN_GAP, ROW_GAP = 52, 32  # px, as in the DOT
TALL = 1.2  # how much taller than wide a group of leaves may be


@dataclass(slots=True)
class Drawn:
    """Where everything stands so far: corners and columns of boxes, curves of edges."""

    corners: dict[int, Corner]
    column: dict[int, int]
    curves: dict[str, list[Corner]] = field(default_factory=dict)
    drops: dict[str, list[Corner]] = field(default_factory=dict)
    trunks: dict[int, list[Corner]] = field(default_factory=dict)


def from_graphviz(shape: Shape, answer: dict) -> dict:
    """Return the layout that Graphviz's JSON describes; it measures upward, the page downward."""
    top = float(answer["bb"].split(",")[3])
    corners: dict[int, Corner] = {}
    centres: dict[int, float] = {}
    for thing in answer["objects"]:
        if "pos" in thing:
            i = int(thing["name"][1:])
            x, y = point(thing["pos"])
            centres[i] = x
            corners[i] = (x - shape.boxes[i].width / 2, top - y - shape.boxes[i].height / 2)

    drawn = Drawn(corners, columns_of(centres))
    for thing in answer.get("edges", ()):
        if "id" in thing:
            points = (point(part) for part in thing["pos"].split())
            drawn.curves[thing["id"]] = [(x, top - y) for x, y in points]
    return layout(shape, drawn)


def layered(shape: Shape) -> dict:
    """Return a layout without Graphviz: each op one column right of the last of what feeds it."""
    column = columns(shape)
    corners: dict[int, Corner] = {}
    left = 0.0
    for number in sorted(set(column)):
        members = [i for i, at in enumerate(column) if at == number]
        down = 0.0
        for i in members:
            corners[i] = (left, down)
            down += shape.boxes[i].height + ROW_GAP
        left += max(shape.boxes[i].width for i in members) + COLUMN_GAP
    return layout(shape, Drawn(corners, dict(enumerate(column))))


def columns(shape: Shape) -> list[int]:
    """Return each box's column. Boxes are in order of creation, so sources come before targets."""
    into: dict[int, list[int]] = {}
    for source, target, *_ in shape.edges:
        into.setdefault(target, []).append(source)
    column = [0] * len(shape.boxes)
    for i in range(len(shape.boxes)):
        column[i] = max((column[source] + 1 for source in into.get(i, ())), default=0)
    last = max(column, default=0)
    return [last if box.role == "out" else at for box, at in zip(shape.boxes, column)]


def is_grid(shape: Shape) -> bool:
    """Return whether a shape is a group of leaves: nothing in it leads to another."""
    return len(shape.boxes) > 2 and all(shape.boxes[target].role == "out" for _, target, *_ in shape.edges)


def grid(shape: Shape) -> dict:
    """Return the layout of a group of leaves: rows of equal boxes, in order."""
    boxes = [(i, box) for i, box in enumerate(shape.boxes) if box.role not in PORTS]
    wide = max(box.width for _, box in boxes) + ROW_GAP
    high = max(box.height for _, box in boxes) + ROW_GAP
    across = max(1, ceil(sqrt(len(boxes) * high / wide / TALL)))
    corners = {i: (k % across * wide, float(k // across * high)) for k, (i, _) in enumerate(boxes)}
    column = {i: k % across for k, (i, _) in enumerate(boxes)}
    outs = [i for i, box in enumerate(shape.boxes) if box.role == "out"]
    height = ceil(len(boxes) / across) * high - ROW_GAP
    for k, i in enumerate(outs):
        corners[i], column[i] = (across * wide, height * (k + 0.5) / len(outs)), across
    return layout(shape, Drawn(corners, column))


def layout(shape: Shape, drawn: Drawn) -> dict:
    """Return the wire form of a layout; an edge without a curve gets one of ours."""
    doors = entrances(shape, drawn)
    lanes = Lanes(shape, drawn)
    for source, target, index, _ in shape.edges:
        id = edge_id(target, index)
        start, end = exit_of(shape, drawn.corners, source), doors[id]
        if id in drawn.curves:
            drawn.curves[id] = brought(drawn.curves[id], start, end)
        elif not lanes.lead(id, source, target, start, end):
            drawn.curves[id] = own_curve(start, end)
    lanes.finish()
    to_borders(shape, drawn)
    shift_x, shift_y, width, height = bounds(shape, drawn)

    def moved(points: list[Corner]) -> str:
        return path([(x + shift_x, y + shift_y) for x, y in points])

    elements = {f"r{i}": element(shape, drawn, i, shift_x, shift_y) for i in range(len(shape.boxes))}
    exits, edges = dict(shape.exits), {}
    for k, (source, target, index, slot) in enumerate(shape.edges):
        id = edge_id(target, index)
        edges[id] = {
            "from": f"r{source}", "to": f"r{target}", "slot": slot, "path": moved(drawn.curves[id]),
            "label": None,
        }  # fmt: skip
        if shape.boxes[target].inside is not None:
            edges[id]["port"] = f"r{index}"
        if k in exits:
            edges[id]["exit"] = f"r{exits[k]}"
        if id in drawn.drops:
            edges[id]["drop"] = moved(drawn.drops[id])
    buses = {f"r{source}": moved(points) for source, points in drawn.trunks.items()}
    return {
        "width": width, "height": height, "elements": elements, "edges": edges,
        **({"buses": buses} if buses else {}),
    }  # fmt: skip


def element(shape: Shape, drawn: Drawn, i: int, shift_x: float, shift_y: float) -> dict:
    """Return the wire form of one box; what a group holds is named by who names the layouts."""
    (x, y), box = drawn.corners[i], shape.boxes[i]
    return {
        "role": box.role, "x": round(x + shift_x, 1), "y": round(y + shift_y, 1),
        "width": box.width, "height": box.height, "column": drawn.column[i],
    }  # fmt: skip


# ----- where edges begin and end ------------------------------------------------------------------
def exit_of(shape: Shape, corners: dict[int, Corner], source: int) -> Corner:
    """Return the middle of a box's right side."""
    x, y = corners[source]
    return x + shape.boxes[source].width, y + shape.boxes[source].height / 2


def entrances(shape: Shape, drawn: Drawn) -> dict[str, Corner]:
    """Return where each edge ends: apart on its target's left side, those from above first."""
    coming: dict[int, list[tuple[int, int, str]]] = {}
    for source, target, index, _ in shape.edges:
        id = edge_id(target, index)
        before = drawn.curves[id][-4] if id in drawn.curves else exit_of(shape, drawn.corners, source)
        coming.setdefault(target, []).append((round(before[1]), index, id))

    doors: dict[str, Corner] = {}
    for target, edges in coming.items():
        x, y = drawn.corners[target]
        step = shape.boxes[target].height / len(edges)
        for i, (_, _, id) in enumerate(sorted(edges)):
            doors[id] = x, y + step * (i + 0.5)
    return doors


class Lanes:
    """The buses of a drawing: one for each busy source, above all boxes."""

    def __init__(self, shape: Shape, drawn: Drawn) -> None:
        self._shape, self._drawn = shape, drawn
        self._left: dict[int, float] = {}
        self._right: dict[int, float] = {}
        for i, (x, _) in drawn.corners.items():
            column = drawn.column[i]
            self._left[column] = min(x, self._left.get(column, x))
            self._right[column] = max(x + shape.boxes[i].width, self._right.get(column, x))
        top = min((y for _, y in drawn.corners.values()), default=0.0)
        self._lanes = {s: (k, top - LANE * (k + 2)) for k, s in enumerate(sorted(busy_sources(shape)))}
        self._last: dict[int, float] = {}

    def lead(self, id: str, source: int, target: int, start: Corner, end: Corner) -> bool:
        """Lead an edge along its source's bus, if it has one and the way is far; say whether."""
        if source not in self._lanes or end[0] - start[0] < FAR:
            return False
        k, lane = self._lanes[source]
        fall = self._left[self._drawn.column[target]] - ASIDE - APART * k
        self._drawn.curves[id] = bus(start, self._rise(source), lane, fall, end)
        self._drawn.drops[id] = drop(lane, fall, end)
        self._last[source] = max(fall, self._last.get(source, fall))
        return True

    def finish(self) -> None:
        """Draw what the uses of each source share."""
        for source, fall in self._last.items():
            start = exit_of(self._shape, self._drawn.corners, source)
            lane = self._lanes[source][1]
            self._drawn.trunks[source] = trunk(start, self._rise(source), lane, fall - ROUND)

    def _rise(self, source: int) -> float:
        return self._right[self._drawn.column[source]] + ASIDE + APART * self._lanes[source][0]


def to_borders(shape: Shape, drawn: Drawn) -> None:
    """Move ports to the borders of what a group holds, with the edges that begin or end there."""
    ports = {i: box.role for i, box in enumerate(shape.boxes) if box.role in PORTS}
    if not ports:
        return
    left, _, right, _ = extent(shape, drawn)
    for i, role in ports.items():
        drawn.corners[i] = (left - MARGIN if role == "in" else right + MARGIN, drawn.corners[i][1])
    for source, target, index, _ in shape.edges:
        id = edge_id(target, index)
        curve = drawn.curves[id]
        if source in ports:
            start = drawn.corners[source]
            drawn.curves[id] = curve = [start, *line(start, curve[0]), *curve[1:]]
        if target in ports:
            drawn.curves[id] = [*curve, *line(curve[-1], (drawn.corners[target][0], curve[-1][1]))]


def extent(shape: Shape, drawn: Drawn) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of everything drawn."""
    lines = [*drawn.curves.values(), *drawn.trunks.values()]
    points = [corner for curve in lines for corner in curve]
    for i, (x, y) in drawn.corners.items():
        points += [(x, y), (x + shape.boxes[i].width, y + shape.boxes[i].height)]
    xs, ys = zip(*points)
    return min(xs), min(ys), max(xs), max(ys)


def bounds(shape: Shape, drawn: Drawn) -> tuple[float, float, int, int]:
    """Return the shift that puts the drawing inside its margin, and its width and height."""
    if not shape.boxes:
        return MARGIN, MARGIN, 2 * MARGIN, 2 * MARGIN
    left, top, right, bottom = extent(shape, drawn)
    roles = {box.role for box in shape.boxes}
    before, after = (0 if "in" in roles else MARGIN), (0 if "out" in roles else MARGIN)
    return before - left, MARGIN - top, round(right - left + before + after), round(bottom - top + 2 * MARGIN)


def point(text: str) -> Corner:
    """Read Graphviz's "x,y"."""
    x, y = text.split(",")
    return float(x), float(y)
