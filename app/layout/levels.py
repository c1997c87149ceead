"""A scene as levels: what stands beside each other in one drawing, groups among it, and the edges between.

Inside a group, what lies outside is a port at its border: one "in" for each neighbour that something comes
from, one "out" for each that something goes to. So every level is a drawing of its own, and alike groups,
such as the rounds of a loop, are alike as shapes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from app.layout.fold import COLUMN, Folder, Group
from app.layout.graph import Edge, Element

Symbol = tuple[str, object]  # ("in", symbol around), ("item", position in `items`), ("out", symbol around)


@dataclass(slots=True)
class Level:
    """One drawing: elements and deeper levels in order, and ports; `edges` and `exits` are as a Shape's."""

    group: Group
    items: list[Element | Level] = field(default_factory=list)
    found: dict[tuple[Symbol, Symbol, int | None], int | None] = field(default_factory=dict)
    ins: list[Symbol] = field(default_factory=list)
    outs: list[Symbol] = field(default_factory=list)
    edges: tuple[tuple[int, int, int, int | None], ...] = ()
    exits: tuple[tuple[int, int], ...] = ()  # which edges leave a group, and by which of its boxes

    @property
    def boxes(self) -> list[str | Element | Level]:
        """Return everything that has a place, in order."""
        return [*["in"] * len(self.ins), *self.items, *["out"] * len(self.outs)]

    def symbols(self) -> list[Symbol]:
        """Return the symbol of everything that has a place, in order."""
        items = [("item", i) for i in range(len(self.items))]
        return [*(("in", each) for each in self.ins), *items, *(("out", each) for each in self.outs)]


def make_levels(elements: list[Element], edges: list[Edge], root: Group | None, folder: Folder) -> Level:
    """Return the levels of a scene, the outermost; without groups it has one."""
    if root is None:
        top = Level(Group(), list(elements))
    else:
        top = built(root)
        settle_sources(top, elements, edges, folder)
    paths = {element.id: path for element, path in walk(top, ())}
    for edge in edges:
        connect(top, paths[edge.source], paths[edge.target], edge)
    finish(top, {})
    return top


def built(group: Group) -> Level:
    """Return a level for each group."""
    return Level(group, [built(item) if isinstance(item, Group) else item for item in group.items])


def walk(level: Level, path: tuple[int, ...]) -> Iterator[tuple[Element, tuple[int, ...]]]:
    """Yield each element with its path: its position in each level, from the outside in."""
    for i, item in enumerate(level.items):
        if isinstance(item, Level):
            yield from walk(item, (*path, i))
        else:
            yield item, (*path, i)


# ----- leaves and data --------------------------------------------------------------------------
def settle_sources(top: Level, elements: list[Element], edges: list[Edge], folder: Folder) -> None:
    """Put each leaf and datum where all that use it are; many at one place become a group."""
    paths = {element.id: path[:-1] for element, path in walk(top, ())}
    homes: dict[str, tuple[int, ...]] = {}
    for edge in edges:
        if edge.source not in paths:
            home = paths[edge.target]
            homes[edge.source] = common(homes.get(edge.source, home), home)
    at: dict[tuple[int, ...], list[Element]] = {}
    for element in elements:
        if element.role != "op":
            at.setdefault(homes.get(element.id, ()), []).append(element)
    for path, sources in [(path, at[path]) for path in sorted(at, reverse=True)]:
        level = top
        for i in path:
            level = level.items[i]
        first: list[Element | Level] = []
        for kind, role in (("leaves", "leaf"), ("data", "data")):
            some = [element for element in sources if element.role == role]
            first += [built(folder.sources(kind, some))] if len(some) > COLUMN else some
        level.items = sorted([*first, *level.items], key=born) if level is not top else [*first, *level.items]


def born(item: Element | Level) -> int:
    """Return the row that made an element, or the first operation of a level."""
    if not isinstance(item, Level):
        return item.born
    return min((e.born for e in item.group.elements() if e.role == "op"), default=born(item.items[0]))


def common(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """Return the beginning that two paths share."""
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return a[:n]


# ----- edges ------------------------------------------------------------------------------------
def connect(top: Level, source: tuple[int, ...], target: tuple[int, ...], edge: Edge) -> None:
    """Lead an edge through all levels that it passes."""
    depth = len(common(source[:-1], target[:-1]))
    level = top
    for i in source[:depth]:
        level = level.items[i]
    a, b = ("item", source[depth]), ("item", target[depth])
    join(level, a, b, edge)
    below, around = level.items[target[depth]], a
    for i in target[depth + 1 :]:
        port = ("in", around)
        join(below, port, ("item", i), edge)
        below, around = below.items[i], port
    below, around = level.items[source[depth]], b
    for i in source[depth + 1 :]:
        port = ("out", around)
        join(below, ("item", i), port, edge)
        below, around = below.items[i], port


def join(level: Level, a: Symbol, b: Symbol, edge: Edge) -> None:
    """Add an edge to a level: one for each argument of an operation, else one for each pair."""
    single = b[0] == "item" and not isinstance(level.items[b[1]], Level)
    level.found[a, b, edge.index if single else None] = edge.slot if single else None


def finish(level: Level, around: dict[Symbol, int]) -> None:
    """Number the boxes of a level and put its edges in order, then those of the levels inside."""
    ends = {symbol for pair in level.found for symbol in pair[:2]}
    level.ins = sorted((s[1] for s in ends if s[0] == "in"), key=around.__getitem__)
    level.outs = sorted((s[1] for s in ends if s[0] == "out"), key=around.__getitem__)
    number = {symbol: i for i, symbol in enumerate(level.symbols())}
    for item in level.items:
        if isinstance(item, Level):
            finish(item, number)

    def inside(symbol: Symbol) -> Level | None:
        item = level.items[symbol[1]] if symbol[0] == "item" else None
        return item if isinstance(item, Level) else None

    edges, exits, arrived = [], [], {}
    for (a, b, index), slot in level.found.items():
        if index is None:
            group = inside(b)
            arrived[b] = arrived.get(b, -1) + 1
            index = arrived[b] if group is None else group.ins.index(a)
        if (group := inside(a)) is not None:
            exits.append((len(edges), len(group.ins) + len(group.items) + group.outs.index(b)))
        edges.append((number[a], number[b], index, slot))
    level.edges, level.exits = tuple(edges), tuple(exits)
