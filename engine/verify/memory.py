"""Bytes held by the graph, by `.grad` and by optimisers: counted again row by row, against the claims.

What is counted: of every node, the memory of what it has saved, until it is freed; memory that several nodes
or views look into once; none of a leaf. All that `.grad` is; the state that steps have left.
"""

from __future__ import annotations

import math

from engine.verify.numbers import HELD, kind_of
from engine.verify.world import World

KINDS = ("graph", "grads", "optimizer")
# Results of these show the memory of what they were given first.
SHOWN = (
    {"alias", "as_strided", "diagonal", "reshape_alias", "view_as_complex", "view_as_real"}
    | {"permute", "transpose", "t", "expand", "view", "unfold"}
    | {"select", "slice", "split", "split_with_sizes", "unbind"}
    | {"squeeze", "squeeze.dim", "squeeze.dims", "unsqueeze"}
)


class Memory:
    """Follows who keeps which memory; a trace that tells nothing of it claims nothing."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.claims: list[list[int]] | None = world.trace.get("memory")
        self.next = 0  # the first claim that is still to be looked at
        self.owner: dict[str, str] = {}  # of the memory that a tensor looks into
        self.seen_in: dict[str, str] = {}  # by value, the owner that held it last
        self.graph: dict[str, dict[str, int]] = {}  # by node, the bytes of what it keeps
        self.kept_by: dict[str, int] = {}  # how many nodes keep some memory
        self.grads: dict[str, int] = {}
        self.states: dict[tuple[int, str], int] = {}
        self.now = dict.fromkeys(KINDS, 0)
        self.told = dict(self.now)
        self.which = 0

    def ended(self) -> None:
        """Count along all rows, if all else that they claim holds."""
        if self.claims is None or not self.world.report.holds:
            return
        for k, row in enumerate(self.world.rows):
            learn = getattr(self, f"on_{row['kind']}", None)
            if learn is not None:
                learn(row)
            if not self.compare(k):
                return
        self.world.report.checked += len(self.claims)

    def compare(self, k: int) -> bool:
        """Hold what is kept after a row against what is told of it; say whether that is right."""
        if self.next < len(self.claims) and self.claims[self.next][0] == k:
            claim = self.claims[self.next]
            self.next, before = self.next + 1, self.told
            self.told = dict(zip(KINDS, claim[1:]))
            if self.told == before:
                self.world.refuse("memory", "a row after which it is another", claim, k)
                return False
        for kind in KINDS:
            if self.told[kind] != self.now[kind]:
                self.world.refuse(f"memory.{kind}", self.now[kind], self.told[kind], k)
                return False
        return True

    # ----- whose memory -----
    def on_tensor_made(self, row: dict) -> None:
        self.shows(row["tensor"], row["value"])

    def on_detached(self, row: dict) -> None:
        if row["tensor"] not in self.owner:
            self.owner[row["tensor"]] = self.whose(row["source"])

    def on_data_replaced(self, row: dict) -> None:
        self.owner[row["source"]] = self.whose(row["tensor"])

    def whose(self, tensor: str, value: str | None = None) -> str:
        """Return the owner of the memory that a tensor looks into, or the tensor itself."""
        if tensor in self.owner:
            return self.owner[tensor]
        return tensor if value is None else self.seen_in.get(value, tensor)

    def shows(self, tensor: str, value: str) -> None:
        """A tensor holds a value."""
        self.owner.setdefault(tensor, tensor)
        self.seen_in[value] = self.owner[tensor]

    # ----- the graph -----
    def on_op_applied(self, row: dict) -> None:
        given = [what["tensor"] for _, what in row["args"] if "tensor" in what]
        name = row["op"][:-1] if row["op"].endswith("_") else row["op"]
        for tensor in row["outputs"]:
            if tensor not in self.owner:
                self.owner[tensor] = self.whose(given[0]) if given and name in SHOWN else tensor
        if row["node"] is not None:
            self.release(row["node"])
            self.keep(row["node"], row["saved"])
        for tensor, value in zip(row["outputs"], row["values"]):
            self.shows(tensor, value)

    def keep(self, node: str, saved: list) -> None:
        """A node keeps this until it is freed."""
        world, kept = self.world, {}
        for name, tensor, value in saved:
            if tensor is None and value is not None:
                kept[f"{node}.{name}"] = self.bytes(value)
            elif tensor is not None:
                owner = self.whose(tensor, value)
                entries = [world.tensors[each] for each in (tensor, owner) if each in world.tensors]
                if owner in world.tensors and not any(e["kind"] == "leaf" or e["parameter"] for e in entries):
                    kept[owner] = width(world.tensors[owner]["dtype"]) * math.prod(entries[-1]["shape"])
        self.graph[node] = kept
        for memory, size in kept.items():
            self.kept_by[memory] = self.kept_by.get(memory, 0) + 1
            self.now["graph"] += size if self.kept_by[memory] == 1 else 0

    def release(self, node: str) -> None:
        """A node keeps nothing any more."""
        for memory, size in self.graph.pop(node, {}).items():
            self.kept_by[memory] -= 1
            self.now["graph"] -= 0 if self.kept_by[memory] else size

    def on_saved_freed(self, row: dict) -> None:
        if row["names"]:
            self.release(row["node"])

    # ----- gradients and optimisers -----
    def on_grad_set(self, row: dict) -> None:
        tensor, after = row["tensor"], row["after"]
        size = 0 if after is None else self.bytes(after)
        self.now["grads"] += size - self.grads.get(tensor, 0)
        self.grads[tensor] = size
        if after is not None:
            self.seen_in[after] = f".grad of {tensor}"

    on_grad_accumulated = on_grad_retained = on_grad_set

    def on_optimizer_step(self, row: dict) -> None:
        self.which = row["which"]

    def on_parameter_updated(self, row: dict) -> None:
        self.shows(row["tensor"], row["after"])
        key = self.which, row["tensor"]
        if row["state"]:
            size = sum({name: self.bytes(after) for name, _, _, after in row["state"]}.values())
            self.now["optimizer"] += size - self.states.get(key, 0)
            self.states[key] = size

    def bytes(self, value: str) -> int:
        """Return how much room a value takes."""
        entry = self.world.trace["values"][value]
        return width(entry["dtype"]) * math.prod(entry["shape"])


def width(kind: str) -> int:
    """Return the bytes of one element."""
    return 2 if kind in HELD else kind_of(kind).itemsize
