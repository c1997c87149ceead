"""One backward call as it must go: what each node waits for, what has arrived, which node is next."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

from engine.verify.queue import Heap

# the order of rows around one node
STAGES = {
    "entered": 0, "tensor": 1, "grad_retained": 2, "grad_captured": 3, "before": 4, "grad_accumulated": 5,
    "after .grad was written": 6, "node_ran": 7, "reduced_to_shape": 8, "after": 9, "saved_freed": 10,
    "edge_flowed": 11,
}  # fmt: skip
ONCE = ("grad_accumulated", "node_ran", "saved_freed")


@dataclass(slots=True)
class Visit:
    """A node that has been taken from the queue, and how far it is."""

    node: str
    executes: bool
    grads: list[str | None]  # as they are now, after the hooks so far
    arrived: list[str | None]
    stage: int = 0
    seen: set[str] = field(default_factory=set)
    outs: list[str | None] = field(default_factory=list)  # what will flow, per edge
    slots: list[int] = field(default_factory=list)  # edges that have yet to carry something
    hooked: bool = False  # an after-hook may have changed what flows
    terms: set[str] = field(default_factory=set)  # the saved tensors that its rules have read
    made: set[str] = field(default_factory=set)  # values that the program made meanwhile
    ran: Counter[tuple[str, str]] = field(default_factory=Counter)  # hooks by name and moment

    @property
    def done(self) -> bool:
        """Say whether nothing of this node is left to come."""
        return not self.executes or (self.stage >= STAGES["node_ran"] and not self.slots)


class Call:
    """Follows one call. `edges` gives a node's edges; `roots` are (node, input_nr, gradient)."""

    def __init__(
        self, row: dict, nodes: dict[str, dict], roots: list[tuple[str, int, str | None]], home: str = "cpu"
    ) -> None:
        self.row = row
        self.nodes = nodes
        self.home = self.worker = home
        self.heaps: dict[str, Heap] = {}  # one for each device
        self.missing = dependencies(nodes, row["root_nodes"])
        self.buffers: dict[tuple[str, int], str] = {}
        self.expected: list[tuple[str, str]] = []  # the rows that must come next: (kind, node)
        self.roots = list(roots)
        self.visit: Visit | None = None
        self.ran: set[str] = set()
        self.needed: dict[str, bool] | None = None  # node -> executes; only in a restricted call
        self.captures: set[tuple[str, int]] = set()
        self.batched = False  # many gradients at once, in a dimension of their own
        self.adding: tuple[str, int, str | None] = ("", 0, None)  # what is about to be summed where

    def restrict(self, targets: list[tuple[str, int]], accumulate: bool) -> None:
        """Only gradients of these targets are asked for: find which nodes lead to them."""
        found = dict.fromkeys((node for node, _ in targets), accumulate)
        order, stack, met = [], [*self.row["root_nodes"]], set()
        while stack:
            node = stack.pop()
            if node not in met:
                met.add(node)
                order.append(node)
                stack += [edge[0] for edge in self.nodes[node]["edges"] if edge is not None]
        changed = True
        while changed:  # until nobody else leads to a target
            changed = False
            for node in reversed(order):
                leads = any(edge is not None and edge[0] in found for edge in self.nodes[node]["edges"])
                if leads and not found.get(node):
                    found[node] = changed = True
        self.needed = found
        self.captures = set() if accumulate else set(targets)

    def reaches(self, node: str) -> bool:
        """Say whether a gradient sent to a node is of any use."""
        return self.needed is None or node in self.needed

    def executes(self, node: str) -> bool:
        """Say whether a node is run, not only looked at."""
        return self.needed is None or bool(self.needed.get(node))

    # ----- flowing --------------------------------------------------------------------------------
    def start(self) -> None:
        """Put the roots' gradients where they belong; several roots are reached like other nodes."""
        if len(self.roots) == 1:
            node, number, grad = self.roots.pop()
            self.fill(node, number, grad)
            self.expected = [("node_ready", node)]
            return
        for node, _, _ in self.roots:
            self.missing[node] += 1
        self.next_root()

    def next_root(self) -> None:
        """Let the next of several roots get its gradient, once the rows about the one before are written."""
        while self.roots and not self.expected:
            node, number, grad = self.roots.pop(0)
            if self.reaches(node):
                self.flow(node, number, grad)
            else:
                self.missing[node] -= 1

    def fill(self, node: str, number: int, grad: str | None) -> None:
        """Put a first gradient into a buffer."""
        if grad is not None:
            self.buffers[node, number] = grad

    def flow(self, node: str, number: int, grad: str | None) -> None:
        """A gradient reaches a node: it is kept or will be summed, and the node may become ready."""
        self.missing[node] -= 1
        if grad is not None and (node, number) in self.buffers:
            self.expected.append(("grad_summed", node))
            self.adding = (node, number, grad)
        else:
            self.fill(node, number, grad)
        if self.missing[node] == 0:
            self.expected.append(("node_ready", node))

    def device(self, node: str) -> str:
        """Return whose queue a node goes to: its own device's, or the caller's for what is on the CPU."""
        return self.nodes[node].get("device", self.home)

    def heap(self, node: str) -> Heap:
        """Return the queue that a node goes to."""
        device = self.device(node)
        if device not in self.heaps:
            numbers = self.nodes
            self.heaps[device] = Heap(lambda n: math.inf if numbers[n]["seq"] is None else numbers[n]["seq"])
        return self.heaps[device]

    @property
    def left(self) -> list[str]:
        """Return the nodes that are in a queue."""
        return [name for heap in self.heaps.values() for name in heap.names]

    @property
    def tops(self) -> list[str]:
        """Return what is on top of each queue."""
        return [heap.names[0] for heap in self.heaps.values() if heap.names]

    @property
    def spread(self) -> bool:
        """Say whether several devices share the pass."""
        return any("device" in self.nodes[node] for node in self.missing)

    @property
    def idle(self) -> bool:
        """Say whether the call is between two nodes."""
        return not self.expected and not self.roots and (self.visit is None or self.visit.done)

    @property
    def finished(self) -> bool:
        """Say whether nothing is left to do."""
        return self.idle and not self.left


def dependencies(nodes: dict[str, dict], roots: list[str]) -> dict[str, int]:
    """Count for every node that is reached from the roots the edges that point at it."""
    missing = dict.fromkeys(roots, 0)
    stack = list(missing)
    while stack:
        for edge in nodes[stack.pop()]["edges"]:
            if edge is not None:
                if edge[0] not in missing:
                    missing[edge[0]] = 0
                    stack.append(edge[0])
                missing[edge[0]] += 1
    return missing
