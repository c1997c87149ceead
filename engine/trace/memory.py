"""Memory after every row, in bytes, by what it is for; told where it changes. Reads rows and tables only.

graph: the storages that nodes keep for backward, from their operation's row until backward frees them. A
storage counts once, however many nodes or views keep it. A leaf's does not count: it is there with or without
a graph. Data and results count, even if a variable holds them as well: they cannot go as long as the graph is
there. A plain number that a node keeps (the 2 of x * 2) is not counted.
grads: every `.grad` that is not None. optimizer: what `step()` keeps for the next step, per parameter.
"""

from __future__ import annotations

import math
from typing import Any

Storages = dict[str, int]  # bytes by storage

WIDTHS = {
    "bool": 1, "uint8": 1, "int8": 1, "int16": 2, "float16": 2, "bfloat16": 2, "int32": 4, "float32": 4,
    "int64": 8, "float64": 8, "complex64": 8, "complex128": 16,
}  # fmt: skip
# Operations whose results look into the memory of their first tensor.
VIEWS = frozenset(
    "alias as_strided diagonal expand permute reshape_alias select slice split split_with_sizes squeeze "
    "squeeze.dim squeeze.dims t transpose unbind unfold unsqueeze view view_as_complex view_as_real".split()
)
WRITES_GRAD = frozenset(("grad_accumulated", "grad_retained", "grad_set"))
FOLLOWED = WRITES_GRAD | {"tensor_made", "parameter_updated", "data_replaced", "detached"}


class Tally:
    """Counts storages once, as long as somebody keeps them."""

    def __init__(self) -> None:
        self.bytes = 0
        self._owners: dict[str, Storages] = {}
        self._holders: dict[str, int] = {}

    def keep(self, owner: str, storages: Storages) -> None:
        """From now on an owner keeps these, and no others."""
        self.drop(owner)
        self._owners[owner] = storages
        for storage, size in storages.items():
            self._holders[storage] = self._holders.get(storage, 0) + 1
            if self._holders[storage] == 1:
                self.bytes += size

    def drop(self, owner: str) -> None:
        """An owner keeps nothing any more."""
        for storage, size in self._owners.pop(owner, {}).items():
            self._holders[storage] -= 1
            if self._holders[storage] == 0:
                self.bytes -= size


class Roots:
    """Which tensor's memory a tensor looks into, as far as rows tell."""

    def __init__(self) -> None:
        self._roots: dict[str, str] = {}
        self._holders: dict[
            str | None, str
        ] = {}  # by value: for tensors that no row has made, such as `.grad`

    def of(self, tensor: str, value: str | None = None) -> str:
        """Return the tensor that owns the memory; `value` is what it holds."""
        return self._roots.get(tensor) or (value and self._holders.get(value)) or tensor

    def follow(self, row: dict) -> None:
        """Learn from a row that is no operation."""
        kind = row["kind"]
        if kind == "tensor_made":
            self.hold(row["tensor"], row["value"])
        elif kind == "parameter_updated":
            self.hold(row["tensor"], row["after"])
        elif kind == "data_replaced":
            self._roots[row["source"]] = self.of(row["tensor"])
        elif kind == "detached":
            self._roots.setdefault(row["tensor"], self.of(row["source"]))
        elif kind in WRITES_GRAD and row["after"] is not None:
            self._holders[row["after"]] = f".grad {row['tensor']}"

    def applied(self, row: dict) -> None:
        """Learn whose memory an operation's results look into."""
        first = next((what["tensor"] for _, what in row["args"] if "tensor" in what), None)
        looks = first is not None and row["op"].removesuffix("_") in VIEWS
        for tensor in row["outputs"]:
            self._roots.setdefault(tensor, self.of(first) if looks else tensor)

    def hold(self, tensor: str, value: str) -> None:
        """A tensor holds a value."""
        self._roots.setdefault(tensor, tensor)
        self._holders[value] = self.of(tensor, value)


def memory(trace: dict) -> list[list[int]]:
    """Return [row, graph, grads, optimizer] of every row after which another number of bytes is held."""
    tensors, values, roots = trace["tensors"], trace["values"], Roots()
    graph, grads, optimizer = Tally(), Tally(), Tally()
    told, before, which = [], (0, 0, 0), 0
    for k, row in enumerate(trace["rows"]):
        kind = row["kind"]
        if kind == "op_applied":
            roots.applied(row)
            if row["node"] is not None:
                graph.keep(row["node"], storages(row, roots, tensors, values))
            for tensor, value in zip(row["outputs"], row["values"]):
                roots.hold(tensor, value)
        elif kind == "saved_freed":
            if row["names"]:
                graph.drop(row["node"])
        elif kind in FOLLOWED:
            roots.follow(row)
            if kind in WRITES_GRAD:
                grads.keep(row["tensor"], sizes(values, row["tensor"], {"grad": row["after"]}))
            elif kind == "parameter_updated" and row["state"]:
                owner = f"{which} {row['tensor']}"
                kept = {name: after for name, _, _, after in row["state"]}
                optimizer.keep(owner, sizes(values, owner, kept))
        elif kind == "optimizer_step":
            which = row["which"]
        now = (graph.bytes, grads.bytes, optimizer.bytes)
        if now != before:
            told.append([k, *now])
            before = now
    return told


def storages(row: dict, roots: Roots, tensors: dict, values: dict) -> Storages:
    """Return what the node of an operation keeps: storages and their bytes."""
    kept: Storages = {}
    for name, tensor, value in row["saved"]:
        if tensor is None:
            if value is not None:
                kept[f"{row['node']} {name}"] = size(values[value])
            continue
        storage = roots.of(tensor, value)
        if storage in tensors and not is_leaf(tensors[storage]) and not is_leaf(tensors.get(tensor)):
            kept[storage] = size(tensors[storage])
    return kept


def is_leaf(entry: dict | None) -> bool:
    """Return whether a tensor is there with or without a graph."""
    return entry is not None and (entry["kind"] == "leaf" or entry["parameter"])


def sizes(values: dict, owner: str, held: dict[str, Any]) -> Storages:
    """Return the bytes of the values that somebody holds, by name."""
    return {f"{owner} {name}": size(values[v]) for name, v in held.items() if v is not None}


def size(thing: dict) -> int:
    """Return the bytes of a value, or of a tensor's entry."""
    return math.prod(thing["shape"]) * WIDTHS.get(thing["dtype"], 4)
