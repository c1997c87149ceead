"""Positions and edge paths in px, as the page gets them: read from Graphviz, or computed without it."""

from __future__ import annotations

from app.layout.dot import busy_sources, edge_id
from app.layout.scenes import Shape

MARGIN = 24  # px around a drawing
COLUMN_GAP, ROW_GAP = 52, 32  # px, as in the DOT
LANE = 16  # px between two buses
FAR, TURN = 240, 72  # px: from where an edge takes the bus, and the width of its turn on and off

Corner = tuple[float, float]


def from_graphviz(shape: Shape, answer: dict) -> dict:
    """Return the layout that Graphviz's JSON describes; it measures upward, the page downward."""
    top = float(answer["bb"].split(",")[3])
    corners: dict[int, Corner] = {}
    for thing in answer["objects"]:
        if "pos" in thing:
            i = int(thing["name"][1:])
            x, y = point(thing["pos"])
            corners[i] = (x - shape.boxes[i].width / 2, top - y - shape.boxes[i].height / 2)

    drawn = {thing["id"]: thing["pos"] for thing in answer.get("edges", ()) if "id" in thing}
    curves = {}
    for id, text in drawn.items():
        points = (point(part) for part in text.split())
        curves[id] = [(x, top - y) for x, y in points]
    return layout(shape, corners, curves)


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
    return layout(shape, corners, {})


def columns(shape: Shape) -> list[int]:
    """Return each box's column. Boxes are in order of creation, so sources come before targets."""
    into: dict[int, list[int]] = {}
    for source, target, *_ in shape.edges:
        into.setdefault(target, []).append(source)
    column = [0] * len(shape.boxes)
    for i in range(len(shape.boxes)):
        column[i] = max((column[source] + 1 for source in into.get(i, ())), default=0)
    return column


def layout(shape: Shape, corners: dict[int, Corner], curves: dict[str, list[Corner]]) -> dict:
    """Return the wire form of a layout; an edge without a curve gets one of ours."""
    doors, lanes = entrances(shape, corners, curves), lanes_of(shape, corners)
    for source, target, index, _ in shape.edges:
        id = edge_id(target, index)
        start, end = exit_of(shape, corners, source), doors[id]
        drawn = id in curves
        curves[id] = fitted(curves[id], start, end) if drawn else own_curve(start, end, lanes.get(source))

    shift_x, shift_y, width, height = bounds(shape, corners, curves)
    elements = {
        f"r{i}": {
            "role": box.role, "x": round(corners[i][0] + shift_x, 1), "y": round(corners[i][1] + shift_y, 1),
            "width": box.width, "height": box.height,
        }
        for i, box in enumerate(shape.boxes)
    }  # fmt: skip
    edges = {}
    for source, target, index, slot in shape.edges:
        points = [(x + shift_x, y + shift_y) for x, y in curves[edge_id(target, index)]]
        edges[edge_id(target, index)] = {
            "from": f"r{source}", "to": f"r{target}", "slot": slot, "path": path(points), "label": None,
        }  # fmt: skip
    return {"width": width, "height": height, "elements": elements, "edges": edges}


# ----- where edges begin and end ------------------------------------------------------------------
def exit_of(shape: Shape, corners: dict[int, Corner], source: int) -> Corner:
    """Return the middle of a box's right side."""
    x, y = corners[source]
    return x + shape.boxes[source].width, y + shape.boxes[source].height / 2


def entrances(shape: Shape, corners: dict[int, Corner], curves: dict[str, list[Corner]]) -> dict[str, Corner]:
    """Return where each edge ends: apart on its target's left side, those from above first."""
    coming: dict[int, list[tuple[int, int, str]]] = {}
    for source, target, index, _ in shape.edges:
        id = edge_id(target, index)
        before = curves[id][-4] if id in curves else exit_of(shape, corners, source)
        coming.setdefault(target, []).append((round(before[1]), index, id))

    doors: dict[str, Corner] = {}
    for target, edges in coming.items():
        x, y = corners[target]
        step = shape.boxes[target].height / len(edges)
        for i, (_, _, id) in enumerate(sorted(edges)):
            doors[id] = x, y + step * (i + 0.5)
    return doors


def fitted(curve: list[Corner], start: Corner, end: Corner) -> list[Corner]:
    """Return a curve moved at both ends, each with its control point, to begin and end exactly there."""
    (x1, y1), (x2, y2) = curve[1], curve[-2]
    first = x1 + start[0] - curve[0][0], y1 + start[1] - curve[0][1]
    last = x2 + end[0] - curve[-1][0], y2 + end[1] - curve[-1][1]
    return [start, first, *curve[2:-2], last, end]


def lanes_of(shape: Shape, corners: dict[int, Corner]) -> dict[int, float]:
    """Return, for each busy source, the height above all boxes at which its edges run: one bus each."""
    top = min((y for _, y in corners.values()), default=0.0)
    return {source: top - LANE * (k + 2) for k, source in enumerate(sorted(busy_sources(shape)))}


def own_curve(start: Corner, end: Corner, lane: float | None = None) -> list[Corner]:
    """Return a curve that leaves to the right and arrives from the left, along the lane if it goes far."""
    (x1, y1), (x2, y2) = start, end
    if lane is None or x2 - x1 < FAR:
        reach = max(40.0, abs(x2 - x1) * 0.4)
        return [start, (x1 + reach, y1), (x2 - reach, y2), end]
    on, off = (x1 + TURN, lane), (x2 - TURN, lane)
    up = [(x1 + TURN / 2, y1), (x1 + TURN / 4, lane), on]
    down = [(x2 - TURN / 4, lane), (x2 - TURN / 2, y2), end]
    return [start, *up, on, off, off, *down]


def bounds(shape: Shape, corners: dict[int, Corner], curves: dict[str, list[Corner]]) -> tuple:
    """Return the shift that puts the drawing inside its margin, and its width and height."""
    points = [corner for curve in curves.values() for corner in curve]
    for i, (x, y) in corners.items():
        points += [(x, y), (x + shape.boxes[i].width, y + shape.boxes[i].height)]
    if not points:
        return MARGIN, MARGIN, 2 * MARGIN, 2 * MARGIN
    xs, ys = zip(*points)
    return (
        MARGIN - min(xs), MARGIN - min(ys),
        round(max(xs) - min(xs) + 2 * MARGIN), round(max(ys) - min(ys) + 2 * MARGIN),
    )  # fmt: skip


def path(points: list[Corner]) -> str:
    """Return an SVG path: the first point, then cubics."""
    first, *rest = (f"{x:.1f} {y:.1f}" for x, y in points)
    return f"M{first}C{' '.join(rest)}"


def point(text: str) -> Corner:
    """Read Graphviz's "x,y"."""
    x, y = text.split(",")
    return float(x), float(y)
