"""A shape as DOT text. Pure; carries roles and sizes only, never a learner's words."""

from __future__ import annotations

from collections import Counter

import graphviz

from app.layout.shapes import PORTS, Shape

PX = 72  # Graphviz measures in inches of 72 points; a point is our pixel
COLUMN = 12  # leaves that may stand in the first column
STRAIGHT = "3"  # how much straighter than others the main edge into an operation is
# Note: busy_sources
BUSY = 8  # uses of a leaf or datum: beyond, its edges are not handed to Graphviz


def dot_text(shape: Shape) -> str:
    """Return the DOT of a shape: left to right, leaves (unless they are many) first, in order of creation."""
    drawing = graphviz.Digraph(
        graph_attr={"rankdir": "LR", "nslimit": "1", "nodesep": "0.45", "ranksep": "0.5"},
        node_attr={"shape": "box", "fixedsize": "true", "label": ""},
        edge_attr={"arrowhead": "none"},
    )
    column = first_column(shape)
    ins, outs = ([i for i, box in enumerate(shape.boxes) if box.role == role] for role in PORTS)
    with drawing.subgraph(graph_attr={"rank": "min"}) as first:
        for i in column:
            first.node(f"r{i}", **size_of(shape, i))
        for i in ins:
            first.node(f"r{i}", **size_of(shape, i))
    if outs:
        with drawing.subgraph(graph_attr={"rank": "max"}) as last:
            for i in outs:
                last.node(f"r{i}", **size_of(shape, i))
    for above, below in zip(column, column[1:]):
        drawing.edge(f"r{above}", f"r{below}", style="invis")
    for i in range(len(shape.boxes)):
        if i not in column and shape.boxes[i].role not in PORTS:
            drawing.node(f"r{i}", **size_of(shape, i))

    main, busy = main_edges(shape), busy_sources(shape)
    held = set()
    for source, target, index, _ in shape.edges:
        if source not in busy:
            weight = {"weight": STRAIGHT} if main.get(target) == index else {}
            drawing.edge(f"r{source}:e", f"r{target}:w", id=edge_id(target, index), **weight)
        elif source not in held:
            held.add(source)
            drawing.edge(f"r{source}", f"r{target}", style="invis")
    return drawing.source


def first_column(shape: Shape) -> list[int]:
    """Return the leaves if they fit in one column; many stand where they are used."""
    leaves = [i for i, box in enumerate(shape.boxes) if box.role == "leaf"]
    return leaves if len(leaves) <= COLUMN else []


def main_edges(shape: Shape) -> dict[int, int]:
    """Return, for each op, the index of the first edge from another op: the thread of the drawing."""
    main: dict[int, int] = {}
    for source, target, index, _ in shape.edges:
        if shape.boxes[source].role in ("op", "group"):
            main[target] = min(index, main.get(target, index))
    return main


def busy_sources(shape: Shape) -> set[int]:
    """Return the sources used in more than BUSY places: leaves, data, groups of them, ports."""
    uses = Counter(source for source, *_ in shape.edges)
    fed = {target for _, target, *_ in shape.edges}
    return {i for i, count in uses.items() if count > BUSY and i not in fed and shape.boxes[i].role != "op"}


def size_of(shape: Shape, i: int) -> dict[str, str]:
    """Return a box's size as DOT attributes, in inches."""
    box = shape.boxes[i]
    return {"width": f"{box.width / PX:.4f}", "height": f"{box.height / PX:.4f}"}


def edge_id(target: int, index: int) -> str:
    """Return the id of the edge that enters box `target` as argument `index`."""
    return f"e_r{target}_{index}"
