"""`graphviz` and `torchviz`: their drawings are what the page shows anyway."""

from __future__ import annotations

from typing import Any

from app.sandbox.child.stand_ins.said import say


class Digraph:
    """A drawing that takes nodes and edges, and is never drawn."""

    __slots__ = ("format",)

    def __init__(self, *_: Any, **__: Any) -> None:
        say("graphviz", "graphviz.Digraph")
        self.format = "svg"

    def node(self, *_: Any, **__: Any) -> None:
        """Accept a node, an edge, an attribute, or the wish to see it all."""

    edge = edges = attr = render = view = save = node


def graphviz() -> dict[str, Any]:
    """Return the names of `graphviz`."""
    return {"Digraph": Digraph, "Graph": Digraph}


def torchviz() -> dict[str, Any]:
    """Return the names of `torchviz`."""

    def make_dot(var: Any = None, params: Any = None, **_: Any) -> Digraph:
        say("torchviz", "torchviz.make_dot")
        return _quiet()

    return {"make_dot": make_dot}


def _quiet() -> Digraph:
    made = object.__new__(Digraph)
    made.format = "svg"
    return made
