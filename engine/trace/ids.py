"""Who is who: the only place that mints ids, with what the trace's tables say about each. Writes no rows.

Objects are known weakly, so that watching keeps nothing of the learner's alive.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

from engine.node import AccumulateGrad, Node
from engine.places import device_of
from engine.tensor import Parameter, Tensor
from engine.titles import is_ours
from engine.trace.rules import formulas_of, inputs_of
from engine.trace.spans import Span

TABLES = {"t": "tensors", "n": "nodes", "m": "modules"}


class Known(weakref.ref):
    """One object of the run: its id and its entry in a table. Called, it returns the object or None."""

    __slots__ = ("entry", "id", "key")


class Ids:
    """Tensors, nodes and modules met so far. An object keeps its id for the whole trace."""

    def __init__(self, saved_by: Callable[[Node], dict]) -> None:
        self._saved_by = saved_by
        self._known: dict[int, Known] = {}
        self._entries: dict[str, dict[str, dict]] = {table: {} for table in TABLES.values()}
        self._changed: dict[str, dict[str, dict]] = {table: {} for table in TABLES.values()}
        self._accumulators: dict[str, str] = {}  # a leaf has one AccumulateGrad, even if it is made anew
        self._alive: dict[str, Known] = {}  # tensors that may still change
        self.elements = 0  # in all tensors met
        self.parameters = 0

    # ----- minting -----
    def tensor(self, tensor: Tensor, at: Span | None) -> str:
        """Return the id of a tensor; `at` is remembered if it is met for the first time."""
        known = self._known.get(id(tensor))
        if known is not None:
            return known.id
        self.elements += tensor.array.size
        self.parameters += isinstance(tensor, Parameter)
        known = self._mint("t", tensor)
        entry = {
            "kind": "data", "shape": list(tensor.array.shape), "dtype": tensor.dtype.name, "node": None,
            "output_nr": 0, "parameter": isinstance(tensor, Parameter), "at": at, "names": [],
        }  # fmt: skip
        self._put(known, entry)
        self._alive[known.id] = known
        self._refresh(known, at)
        return known.id

    def _refresh(self, known: Known, at: Span | None) -> None:
        """Bring a tensor's entry up to date with how it hangs in the graph."""
        tensor, entry = known(), known.entry
        if tensor is None:
            return
        kind = "result" if tensor.node is not None else "leaf" if tensor.requires else "data"
        node = None if tensor.node is None else self.node(tensor.node, at)
        now = {"kind": kind, "node": node, "output_nr": tensor.output_nr}
        if tensor.place is not None or "device" in entry:
            now["device"] = str(tensor.device)
        if any(entry.get(key) != value for key, value in now.items()):
            entry.update(now)
            self._touch(known.id, entry)

    def node(self, node: Node, at: Span | None) -> str:
        """Return the id of a node, giving ids to all that its edges lead to as well."""
        known = self._known.get(id(node))
        if known is not None:
            return known.id
        first = self._mint_node(node)
        waiting = [(node, first)]
        for node, known in waiting:
            for edge in node.next_edges:
                if edge is not None and id(edge[0]) not in self._known:
                    waiting.append((edge[0], self._mint_node(edge[0])))
            if type(node) is not AccumulateGrad:
                self._put(known, self._node_entry(node, at))
        return first.id

    def _mint_node(self, node: Node) -> Known:
        if type(node) is not AccumulateGrad:
            return self._mint("n", node)
        leaf = self.tensor(node.variable, None)
        self._refresh(self._known[id(node.variable)], None)  # it may have been met before it was a leaf
        known = self._mint("n", node, self._accumulators.get(leaf))
        if leaf not in self._accumulators:
            self._accumulators[leaf] = known.id
            entry = self._node_entry(node, self._entries["tensors"][leaf]["at"])
            self._put(known, {**entry, "variable": leaf})
        return known

    def _node_entry(self, node: Node, at: Span | None) -> dict:
        edges = [None if e is None else [self._known[id(e[0])].id, e[1]] for e in node.next_edges]
        seq = None if type(node) is AccumulateGrad else node.seq
        formulas = formulas_of(node, self._saved_by(node))
        device = device_of(node)
        simulated = {} if device is None else {"device": str(device)}
        return {
            "name": node.type_name, "op": node.op.name if node.op else None, "seq": seq, "edges": edges,
            "inputs": inputs_of(node), "args": [], "outputs": [], "formulas": formulas, "at": at,
            "module": None, **simulated,
        }  # fmt: skip

    def module(self, module: Any, path: str) -> str:
        """Return the id of a module; `path` is remembered if it is met for the first time."""
        known = self._known.get(id(module))
        if known is None:
            known = self._mint("m", module)
            self._put(known, {"type": type(module).__name__, "path": path, "text": module_text(module)})
        return known.id

    def _mint(self, letter: str, subject: Any, known_as: str | None = None) -> Known:
        known = Known(subject, self._forget)
        known.key = id(subject)
        known.id = known_as or f"{letter}{len(self._entries[TABLES[letter]]) + 1}"
        self._known[known.key] = known
        if known_as is None:
            self._entries[TABLES[letter]][known.id] = {}  # its number is taken
        return known

    def _put(self, known: Known, entry: dict) -> None:
        known.entry = entry
        self._entries[TABLES[known.id[0]]][known.id] = entry
        self._touch(known.id, entry)

    def _touch(self, key: str, entry: dict) -> None:
        self._changed[TABLES[key[0]]][key] = entry

    def _forget(self, known: Known) -> None:
        """An object is gone: another may get its address, and must not get its id."""
        self._known.pop(known.key, None)
        self._alive.pop(known.id, None)

    # ----- what else is learnt -----
    def applied(self, node: str, **application: Any) -> None:
        """Remember which application made a node: its op, args, outputs and module."""
        entry = self._entries["nodes"][node]
        entry.update(application)
        self._touch(node, entry)

    def made(self, tensor: str, at: Span | None) -> None:
        """Remember where a result was made, though a pack hook may have met it before."""
        entry = self._entries["tensors"][tensor]
        if entry["at"] != at:
            entry["at"] = at
            self._touch(tensor, entry)

    def arguments(self, node: str) -> dict[str, dict]:
        """Return what a node's operation was given, by name."""
        return dict(self._entries["nodes"][node]["args"])

    def name(self, tensor: str, name: str) -> None:
        """Remember a variable name that was bound to a tensor."""
        entry = self._entries["tensors"][tensor]
        if name not in entry["names"]:
            entry["names"].append(name)
            self._touch(tensor, entry)

    def name_grad(self, tensor: str, owner: str) -> None:
        """Remember that a tensor is the `.grad` of another that has a name."""
        for name in self._entries["tensors"][owner]["names"][:1]:
            self.name(tensor, f"{name}.grad")

    def find(self, subject: Any) -> str | None:
        """Return the id of an object if it has one."""
        known = self._known.get(id(subject))
        return None if known is None else known.id

    def alive(self, known: str) -> Tensor | None:
        """Return the tensor of an id, unless it is gone."""
        there = self._alive.get(known)
        return None if there is None else there()

    def changed_in_place(self, tensor: Tensor, at: Span | None) -> None:
        """Note that a tensor may hang elsewhere in the graph since it was written."""
        self._refresh(self._known[id(tensor)], at)

    # ----- the tables -----
    def tables(self) -> dict[str, dict[str, dict]]:
        """Return the trace's tables as they stand now."""
        for known in list(self._alive.values()):
            self._refresh(known, known.entry["at"])
        return self._entries

    def take(self) -> dict[str, dict[str, dict]]:
        """Return the entries that are new or changed since the last time."""
        taken, self._changed = self._changed, {table: {} for table in TABLES.values()}
        return taken


def module_text(module: Any) -> str:
    """Return how a module prints, unless that would run a learner's own code."""
    ours = all(is_ours(type(part)) for _, part in tree(module, ""))
    return repr(module) if ours else f"{type(module).__name__}()"


def tree(module: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield (path, module) for a module and all below, each once. Asks no method: learners override them."""
    todo, met = [(path, module)], set()
    while todo:
        path, part = todo.pop()
        if id(part) not in met:
            met.add(id(part))
            yield path, part
            below = [(f"{path}.{key}", child) for key, child in (vars(part).get("_modules") or {}).items()]
            todo += [(key, child) for key, child in reversed(below) if child is not None]
