"""A graph cut into scenes: what is on the screen together, and from which row. Equal scenes share a shape."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.layout.fold import Folder, Group
from app.layout.graph import Edge, Element, Graph
from app.layout.levels import Level, make_levels
from app.layout.shapes import Shape, Shaper

ENDS = ("backward_began", "backward_ended")
MERGED = 60  # operations: graphs whose rows overlap share a scene up to this size

Span = tuple[int, int]


@dataclass(slots=True)
class Scene:
    """Elements shown together, in order of creation, and the first and last row that is about them."""

    elements: list[Element]
    edges: list[Edge]
    first: int
    last: int
    place: dict[str, str] = field(default_factory=dict)  # trace id -> "r0", or "r2/r0" in a group
    groups: dict[str, Group] = field(default_factory=dict)  # "r2" -> what stands there
    shape: Shape | None = None


def make_scenes(trace: dict, graph: Graph, policy: str = "none") -> list[Scene]:
    """Return the scenes of a trace in order of time, folded by a policy; there is always at least one."""
    parts = merge(graph, components(trace, graph), trace)
    named = meanwhile(lifetimes(trace), [span for _, span in parts])
    edges_to: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        edges_to.setdefault(edge.target, []).append(edge)
    order = {id: i for i, id in enumerate(graph.elements)}

    scenes = []
    for (ops, span), leaves in zip(parts, named):
        edges = [edge for op in sorted(ops, key=order.__getitem__) for edge in edges_to.get(op, ())]
        shown = sorted(ops | leaves | {edge.source for edge in edges}, key=order.__getitem__)
        scenes.append(Scene([graph.elements[id] for id in shown], edges, *span))
    if not scenes:
        scenes = [Scene(list(graph.elements.values()), [], 0, len(trace["rows"]))]
    give_shapes(trace, graph, scenes, policy)
    return scenes


# ----- which ops belong together ----------------------------------------------------------------
def components(trace: dict, graph: Graph) -> list[set[str]]:
    """Return the ops connected through anything but leaves and data, or run by one backward pass."""
    parent = {id: id for id, element in graph.elements.items() if element.role == "op"}

    def find(id: str) -> str:
        while parent[id] != id:
            parent[id] = id = parent[parent[id]]
        return id

    pairs = [(edge.source, edge.target) for edge in graph.edges if edge.source in parent]
    for row in trace["rows"]:
        if row["kind"] == "backward_began":
            roots = [n for n in row["root_nodes"] if n in parent]
            pairs += zip(roots, roots[1:])
    for a, b in pairs:
        parent[find(a)] = find(b)

    found: dict[str, set[str]] = {}
    for id in parent:
        found.setdefault(find(id), set()).add(id)
    return list(found.values())


def merge(graph: Graph, parts: list[set[str]], trace: dict) -> list[tuple[set[str], Span]]:
    """Join small parts alive at once: two losses of one step stand side by side, iterations do not."""
    clusters: list[list[tuple[Span, set[str]]]] = []
    end = -1
    for span, part in sorted(zip(spans_of(graph, parts, trace), parts), key=lambda pair: pair[0]):
        if clusters and span[0] < end:
            clusters[-1].append((span, part))
        else:
            clusters.append([(span, part)])
        end = max(end, span[1])

    merged: list[tuple[set[str], Span]] = []
    for cluster in clusters:
        if sum(len(part) for _, part in cluster) <= MERGED:
            spans, together = zip(*cluster)
            merged.append((set().union(*together), (spans[0][0], max(last for _, last in spans))))
        else:
            merged += [(part, span) for span, part in cluster]
    return merged


def spans_of(graph: Graph, parts: list[set[str]], trace: dict) -> list[Span]:
    """Return, for each part, the first and the last row that is about it."""
    whose = {id: i for i, part in enumerate(parts) for id in part}
    spans: dict[int, list[int]] = {}
    for k, i in rows_of(trace, whose):
        spans.setdefault(i, [k, k])[1] = k
    unseen = [min(graph.elements[id].born for id in part) for part in parts]
    return [tuple(spans.get(i, (born, born))) for i, born in enumerate(unseen)]


def rows_of(trace: dict, whose: dict[str, int]) -> Iterator[tuple[int, int]]:
    """Yield each row that is about one of the parts, with that part; a backward pass is about its root's."""
    running: list[int | None] = []
    for k, row in enumerate(trace["rows"]):
        if row["kind"] == "backward_began":
            running.append(next((whose[n] for n in row["root_nodes"] if n in whose), None))
        part = whose.get(row.get("node"))
        if running and part is None and (row.get("node") or row["kind"] in ENDS):
            part = running[-1]
        if row["kind"] == "backward_ended":
            running.pop()
        if part is not None:
            yield k, part


def meanwhile(lives: list[tuple[int, float, str]], spans: list[Span]) -> list[set[str]]:
    """Return, for each span of rows in order, the leaves that have a name during it."""
    named: list[set[str]] = []
    coming, present = sorted(lives, reverse=True), []
    for first, last in spans:
        while coming and coming[-1][0] <= last:
            present.append(coming.pop())
        present = [life for life in present if life[1] >= first]
        named.append({t for since, _, t in present if since <= last})
    return named


def lifetimes(trace: dict) -> list[tuple[int, float, str]]:
    """Return from which row to which each leaf has a name; a module's parameters keep theirs."""
    leaves = {t for t, tensor in trace["tensors"].items() if tensor["kind"] == "leaf"}
    lives: list[tuple[int, float, str]] = []
    bound: dict[str, tuple[str, int]] = {}

    def unbind(name: str, k: float) -> None:
        if name in bound:
            t, since = bound.pop(name)
            lives.append((since, k, t))

    for k, row in enumerate(trace["rows"]):
        if row["kind"] == "tensor_made" and trace["tensors"][row["tensor"]]["parameter"]:
            lives.append((k, float("inf"), row["tensor"]))
        if row["kind"] == "names_bound":
            for name in (*row["names"], *row["unbound"]):
                unbind(name, k)
            bound |= {name: (t, k) for name, t in row["names"].items() if t in leaves}
    for name in list(bound):
        unbind(name, float("inf"))
    return lives


# ----- what a scene looks like ------------------------------------------------------------------
def give_shapes(trace: dict, graph: Graph, scenes: list[Scene], policy: str) -> None:
    """Give each scene its shape and its places; scenes with the same boxes and edges get one shape."""
    folder = Folder(trace, graph, policy)
    tops = [make_levels(scene.elements, scene.edges, folder.fold(scene.elements), folder) for scene in scenes]
    shaper = Shaper(trace, tops)
    for scene, top in zip(scenes, tops):
        scene.shape = shaper.shape(top)
        set_places(scene, top, "")


def set_places(scene: Scene, level: Level, path: str) -> None:
    """Note where everything in a level stands, and what its groups stand for."""
    for i, item in enumerate(level.items, start=len(level.ins)):
        if isinstance(item, Level):
            scene.groups[f"{path}r{i}"] = item.group
            set_places(scene, item, f"{path}r{i}/")
        else:
            scene.place |= dict.fromkeys(item.members, f"{path}r{i}")


# ----- which scene a row is in ------------------------------------------------------------------
def scene_changes(trace: dict, scenes: list[Scene]) -> list[list[int]]:
    """Return [row, scene] wherever the scene changes, from row 0 on."""
    homes: dict[str, list[int]] = {}
    for i, scene in enumerate(scenes):
        for id in scene.place:
            homes.setdefault(id, []).append(i)

    current, changes = 0, {0: 0}
    for k, row in enumerate(trace["rows"]):
        ids = [id for id in subjects(row) if id in homes]
        if ids and not any(id in scenes[current].place for id in ids):
            current = changes[k] = next_home(homes[ids[0]], current)
    return [list(change) for change in changes.items()]


def subjects(row: dict) -> list[str]:
    """Return the ids a row is about, the telling one first."""
    if row["kind"] == "backward_began":
        return [n for n in row["root_nodes"] if n] + row["roots"]
    return [id for id in (row.get("node"), row.get("tensor")) if id]


def next_home(homes: list[int], current: int) -> int:
    """Return the first of these scenes after the current one, or the last before it."""
    later = bisect(homes, current)
    return homes[later] if later < len(homes) else homes[-1]
