"""What a drawing is made of: boxes with their sizes, and edges. Alike levels get one shape."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.layout.graph import Element
from app.layout.levels import Level
from app.layout.measure import group_size, sizes

PORTS = ("in", "out")


@dataclass(frozen=True, slots=True)
class Box:
    """An element's part in a drawing, with its size in px; `inside` is the shape of what a group holds."""

    role: str
    width: int
    height: int
    inside: Shape | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """What Graphviz is told: boxes in order of creation, edges between their positions in that order.

    An edge into a group ends at that one of its boxes whose number is the edge's index; `exits` are the edges
    that leave a group, each with the number of the box of the group by which it leaves.
    """

    boxes: tuple[Box, ...]
    edges: tuple[tuple[int, int, int, int | None], ...]  # from, to, index, slot
    exits: tuple[tuple[int, int], ...] = ()


Key = tuple


class Shaper:
    """Gives levels their shapes, the deepest first."""

    def __init__(self, trace: dict, tops: list[Level]) -> None:
        self._levels: dict[Key, list[Level]] = {}
        self._keys: dict[int, Key] = {}
        self._numbers: dict[Key, int] = {}
        for top in tops:
            self._sort(top)
        every = (item for alike in self._levels.values() for level in alike for item in level.items)
        self._measured = sizes(trace, {e.id: e for e in every if isinstance(e, Element)}.values())
        self._shapes: dict[Key, Shape] = {}

    def shape(self, level: Level) -> Shape:
        """Return the shape of a level: the same object for alike ones."""
        key = self._keys[id(level)]
        if key not in self._shapes:
            self._shapes[key] = self._make(self._levels[key])
        return self._shapes[key]

    def _sort(self, level: Level) -> int:
        """Find which levels are alike: the same roles, edges, groups. Return a number for each kind."""
        roles = tuple(
            self._sort(box) if isinstance(box, Level) else getattr(box, "role", box) for box in level.boxes
        )
        key = (roles, level.edges, level.exits)
        self._keys[id(level)] = key
        self._levels.setdefault(key, []).append(level)
        return self._numbers.setdefault(key, len(self._numbers))

    def _make(self, alike: list[Level]) -> Shape:
        boxes = [self._box(same) for same in zip(*(level.boxes for level in alike))]
        for role in ("leaf", "group"):
            widest = max((box.width for box in boxes if box.role == role), default=0)
            boxes = [replace(box, width=widest) if box.role == role else box for box in boxes]
        return Shape(tuple(boxes), alike[0].edges, alike[0].exits)

    def _box(self, same: tuple[str | Element | Level, ...]) -> Box:
        """Return a box large enough for all that stand at one place of alike levels."""
        first = same[0]
        if isinstance(first, str):
            return Box(first, 0, 0)
        if isinstance(first, Level):
            each = [group_size(level.group) for level in same]
            return Box("group", *map(max, zip(*each)), inside=self.shape(first))
        return Box(first.role, *map(max, zip(*(self._measured[element.id] for element in same))))
