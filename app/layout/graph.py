"""A trace as a plain graph: boxes and the edges between them. Knows no positions and no scenes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

STANDALONE_DATA = 12  # a program without any graph shows at most this many of its tensors


@dataclass(frozen=True, slots=True)
class Element:
    """A box: `id` is the trace's id of what it stands for, `members` all ids that are placed on it."""

    id: str
    role: str  # "leaf", "op" or "data"
    members: tuple[str, ...]
    born: int  # the row that made it


@dataclass(frozen=True, slots=True)
class Edge:
    """A value on its way into an op. `slot` is the gradient's edge back, None where none goes back."""

    source: str
    target: str
    index: int
    slot: int | None


@dataclass(frozen=True, slots=True)
class Graph:
    """Elements by id, in order of creation, and the edges in order of their targets."""

    elements: dict[str, Element]
    edges: list[Edge]


def read_graph(trace: dict) -> Graph:
    """Return what of a trace is drawn: its leaves, its recorded operations, the data that feeds them."""
    tensors, nodes = trace["tensors"], trace["nodes"]
    ops = [n for n, node in nodes.items() if "variable" not in node]
    edges = [edge for n in ops for edge in edges_into(trace, n)]
    leaves = [t for t, tensor in tensors.items() if tensor["kind"] == "leaf"]
    data = sorted({edge.source for edge in edges if edge.source not in nodes} - set(leaves), key=number)
    if not ops and not leaves:
        data = [t for t, tensor in tensors.items() if tensor["names"]][:STANDALONE_DATA]

    born, accumulate, unmade = births(trace), accumulators(trace), seen_of(trace)
    elements = [
        *(Element(t, "leaf", (t, *accumulate.get(t, ())), born.get(t, -1)) for t in leaves),
        *(Element(t, "data", (t,), born.get(t, -1)) for t in data),
        *(
            Element(n, "op", (n, *outputs_of(trace, n), *unmade.get(n, ())), born.get(n, len(trace["rows"])))
            for n in ops
        ),
    ]
    elements.sort(key=lambda element: (element.born, number(element.id)))
    return Graph({element.id: element for element in elements}, edges)


def edges_into(trace: dict, n: str) -> Iterator[Edge]:
    """Yield the edges into an op: one per slot that leads back, then one per data argument."""
    nodes, node = trace["nodes"], trace["nodes"][n]
    free: dict[str, list[int]] = {}  # slots without an edge, by the argument's name
    for slot, edge in enumerate(node["edges"]):
        if edge is None or edge[0] not in nodes:
            for name in node["inputs"][slot : slot + 1]:
                free.setdefault(name, []).append(slot)
        else:
            yield Edge(nodes[edge[0]].get("variable", edge[0]), n, slot, slot)

    beyond = len(node["edges"])
    for name, argument in node["args"]:
        tensor = trace["tensors"].get(argument.get("tensor"))
        if tensor is None or tensor["kind"] != "data":
            continue
        index = free[name].pop(0) if free.get(name) else beyond
        beyond += index == beyond
        yield Edge(argument["tensor"], n, index, None)


def accumulators(trace: dict) -> dict[str, list[str]]:
    """Return, for each leaf that has one, its AccumulateGrad nodes."""
    found: dict[str, list[str]] = {}
    for n, node in trace["nodes"].items():
        if "variable" in node:
            found.setdefault(node["variable"], []).append(n)
    return found


def outputs_of(trace: dict, n: str) -> list[str]:
    """Return the outputs that still belong to node `n`: an in-place operation moves a tensor on."""
    return [t for t in trace["nodes"][n]["outputs"] if trace["tensors"][t]["node"] == n]


def seen_of(trace: dict) -> dict[str, list[str]]:
    """Return, for each node that no row has applied, its results that came into view."""
    found: dict[str, list[str]] = {}
    for tensor in dict.fromkeys(t for row in trace["rows"] for t in row.get("seen", ())):
        node = trace["tensors"][tensor]["node"]
        if node is not None and tensor not in trace["nodes"][node]["outputs"]:
            found.setdefault(node, []).append(tensor)
    return found


def births(trace: dict) -> dict[str, int]:
    """Return the row in which each tensor and each node was made."""
    born: dict[str, int] = {}
    for i, row in enumerate(trace["rows"]):
        for tensor in row.get("seen", ()):
            born.setdefault(tensor, i)
        if row["kind"] in ("tensor_made", "detached"):
            born.setdefault(row["tensor"], i)
        elif row["kind"] == "op_applied":
            for made in (row["node"], *row["outputs"]):
                born.setdefault(made, i)
    return born


def number(id: str) -> int:
    """Return the number in an id such as t12."""
    return int(id[1:])
