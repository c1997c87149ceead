"""The rows of a backward pass: order, counts, flows, sums. What a rule makes of a gradient is in rules.py."""

from __future__ import annotations

import numpy as np

from engine.verify.calls import ONCE, STAGES, Call, Visit
from engine.verify.grads import Grads
from engine.verify.graph import Graph
from engine.verify.laws.table import FORWARD, summed_to
from engine.verify.rules import Rules
from engine.verify.world import World

KINDS = (
    "node_ready", "node_entered", "hook_ran", "grad_retained", "grad_accumulated", "node_ran", "edge_flowed",
    "reduced_to_shape", "saved_freed", "grad_summed", "grad_captured", "backward_ended",
)  # fmt: skip
ADDED = "gradients_summed"


class Backward:
    """Follows the backward calls of a trace; the innermost is last."""

    def __init__(self, world: World, graph: Graph, grads: Grads) -> None:
        self.world = world
        self.graph = graph
        self.grads = grads
        self.rules = Rules(world)
        self.calls: list[Call] = []
        self.began = 0
        self.retains: set[str] = set()
        self.caught = any(word in world.trace["source"] for word in ("except", "raises", "suppress"))

    # ----- before any row ---------------------------------------------------------------------------
    def before(self, row: dict) -> None:
        """Look whether a row may stand here at all: what must come next, must."""
        kind = row["kind"]
        if not self.calls or kind in ("error", "limit"):
            return
        if kind in KINDS:
            self.settle(row)
        elif kind == "backward_began" and self.calls[-1].finished:
            self.world.refuse("kind", f"backward_ended of call {self.calls[-1].row['call']}", kind)
        elif kind != "backward_began":
            self.outside(row)
        if not self.calls:
            return
        call = self.calls[-1]
        if kind in KINDS and row["at"] != call.row["at"]:
            self.world.refuse("at", call.row["at"], row["at"])
        if call.expected and (kind, row.get("node")) != call.expected[0]:
            self.world.refuse("kind", "{} of {}".format(*call.expected[0]), f"{kind} of {row.get('node')}")

    def settle(self, row: dict) -> None:
        """Find the call a row belongs to; calls inside of it must have been broken off by an exception."""
        for depth in range(len(self.calls) - 1, -1, -1):
            if self.fits(self.calls[depth], row):
                for broken in self.calls[depth + 1 :]:
                    self.break_off(broken)
                del self.calls[depth + 1 :]
                return

    def fits(self, call: Call, row: dict) -> bool:
        """Say whether a row can be the next of a call."""
        if row["kind"] == "backward_ended":
            return row["call"] == call.row["call"]
        if row["kind"] in ("node_ready", "grad_summed"):
            return bool(call.expected) and call.expected[0] == (row["kind"], row["node"])
        if row["kind"] == "node_entered":
            return call.idle and row["node"] in call.heap(row["node"]).names[:1]
        return call.visit is not None and call.visit.node == row["node"]

    def outside(self, row: dict) -> None:
        """A row of the program itself may stand inside a node, or after a call that an exception ended."""
        call = self.calls[-1]
        if call.visit is not None and not call.visit.done:
            call.visit.made.update(values_in(row))
            return
        if call.finished and (row["kind"] == "names_bound" or self.hooked(call)):
            return  # inside a hook, or names that a hook or Function has left behind
        if call.tops and not any(map(call.executes, call.tops)):
            return  # inside a hook of a node that is only looked at
        if call.finished:
            self.world.refuse("kind", f"backward_ended of call {call.row['call']}", row["kind"])
        elif not self.caught:
            self.world.refuse("kind", f"node_entered of {call.tops}", row["kind"])
        self.calls.pop()

    def hooked(self, call: Call) -> bool:
        """Say whether the next row about a node tells of a hook of the node that has run last."""
        rows = (row for row in self.world.rows[self.world.k :] if row["kind"] in KINDS)
        following = next(rows, {"kind": "none"})
        node = call.visit.node if call.visit is not None else None
        return following["kind"] == "hook_ran" and following["node"] == node

    def break_off(self, call: Call) -> None:
        """A call ends without having ended: that needs an exception inside one of its nodes."""
        visit = call.visit
        if call.finished or not self.caught or (visit is not None and visit.done and not call.idle):
            self.world.refuse("kind", f"backward_ended of call {call.row['call']}", self.world.row["kind"])

    # ----- a call -------------------------------------------------------------------------------------
    def on_backward_began(self, row: dict) -> None:
        """Count what each node waits for, and see where the gradients start."""
        world = self.world
        world.must("call", self.began, row["call"])
        self.began += 1
        edges = [self.graph.edge_of(root) for root in row["roots"]]
        wanted = [edge[0] if edge else None for edge in edges]
        if len(row["grads"]) != len(row["roots"]) or (
            wanted != row["root_nodes"] and not self.graph.rebased.intersection(row["roots"])
        ):
            world.refuse("root_nodes", wanted, row["root_nodes"])
        numbers = [edge[1] if edge and edge[0] == n else 0 for edge, n in zip(edges, row["root_nodes"])]
        call = Call(row, world.nodes, list(zip(row["root_nodes"], numbers, row["grads"])), self.home())
        world.must("missing", call.missing, row["missing"])
        for root, grad in zip(row["roots"], row["grads"]):
            self.check_start(call, root, grad)
        self.restrict(call, row)
        call.start()
        self.calls.append(call)
        world.arrive(*row["grads"])

    def home(self) -> str:
        """Return on which device a call is made: inside a node of another call, on that node's."""
        outer = self.calls[-1] if self.calls else None
        return "cpu" if outer is None else outer.worker

    def check_start(self, call: Call, root: str, grad: str | None) -> None:
        """A gradient that nobody gave is 1; a given one has its root's shape, or there are many of it."""
        world, shape = self.world, self.world.shape(root)
        value = world.value(grad)
        if call.row["implicit"]:
            if value is None or value.shape != shape or not value.whole or not np.all(value.array == 1):
                world.refuse("grads", f"ones of shape {list(shape)}", grad)
            else:
                world.report.checked += 1
        elif value is not None and value.shape != shape:
            call.batched = value.shape[1:] == shape and "is_grads_batched" in world.trace["source"]
            if not call.batched:
                world.refuse("grads", f"shape {list(shape)}", grad)

    def restrict(self, call: Call, row: dict) -> None:
        """A call that asks for some gradients only runs what leads to them."""
        targets = [edge for edge in map(self.graph.edge_of, row["inputs"]) if edge is not None]
        accumulate = not row["api"].endswith("grad")
        rows = [] if accumulate else self.world.rows[self.world.k + 1 :]
        for later in rows:  # edges may be asked for, too, which the row does not tell
            if later["kind"] == "backward_ended" and later["call"] == row["call"]:
                break
            if later["kind"] == "grad_captured" and later["node"] in call.missing:
                targets.append([later["node"], later["input_nr"]])
        if targets or not accumulate:
            call.restrict(sorted({tuple(t) for t in targets}), accumulate)

    def on_backward_ended(self, row: dict) -> None:
        """A call may end when its queue is empty and everything has flowed."""
        if not self.calls or self.calls[-1].row["call"] != row["call"]:
            self.world.refuse("call", self.calls[-1].row["call"] if self.calls else "no call", row["call"])
        call = self.calls.pop()
        inside = call.visit is not None and not call.visit.done
        if not call.finished and not (self.caught and (inside or call.idle)):
            left = call.left or (call.visit.slots if call.visit else [])
            self.world.refuse("call", f"the end only after {left}", row["call"])
        waker = call.worker if call.finished and call.worker != call.home else None
        self.world.must("woken_by", waker, row.get("woken_by"))

    # ----- the queue ------------------------------------------------------------------------------------
    def on_node_ready(self, row: dict) -> None:
        """A node that waits for nothing more goes into the queue."""
        call, node = self.current(row), row["node"]
        if call.expected[:1] != [("node_ready", node)]:
            self.world.refuse("node", "no node: nothing has become ready", node)
        call.expected.pop(0)
        call.heap(node).push(node)
        self.on_device(call, row)
        giver = call.worker if call.spread and call.worker != call.device(node) else None
        self.world.must("handed_by", giver, row.get("handed_by"))
        self.world.must("queue", call.heap(node).names, row["queue"])
        call.next_root()

    def on_node_entered(self, row: dict) -> None:
        """The node on top of the queue is taken, with what has arrived at it."""
        call, node, world = self.current(row), row["node"], self.world
        if not call.idle:
            left = f"{call.visit.node}: {call.visit.slots}" if call.visit else "the roots"
            world.refuse("node", f"first the rest of {left}", node)
        self.take(call, node)
        self.on_device(call, row)
        world.must("queue", call.heap(node).names, row["queue"])
        arrived = [call.buffers.pop((node, i), None) for i in range(len(row["grads"]))]
        left = [key for key in call.buffers if key[0] == node]
        if left:
            world.refuse("grads", f"also what arrived at input {left[0][1]}", row["grads"])
        for i, (wanted, found) in enumerate(zip(arrived, row["grads"])):
            world.must_be(f"grads[{i}]", wanted, found)
        call.visit = Visit(node, True, list(row["grads"]), list(row["grads"]))
        if not call.executes(node):
            world.refuse("node", "a node that leads to what was asked for", node)

    def take(self, call: Call, node: str) -> None:
        """Take a node from the queue: it must be the one on top, and not have run before."""
        heap = call.heap(node)
        if heap.names[:1] != [node]:
            self.world.refuse("node", f"{heap.names[:1]}, on top of the queue", node)
        heap.pop()
        call.worker = call.device(node)
        if node in call.ran or call.missing.get(node, 0) > 0:
            self.world.refuse("node", "a node that is ready and has not run", node)
        call.ran.add(node)

    def on_device(self, call: Call, row: dict) -> None:
        """A row about a queue names its device, if there is more than one."""
        wanted = call.device(row["node"]) if call.spread else None
        self.world.must("device", wanted, row.get("device"))

    # ----- inside a node ----------------------------------------------------------------------------------
    def current(self, row: dict) -> Call:
        """Return the innermost call, or refuse a row that no call explains."""
        if not self.calls:
            self.world.refuse("kind", "a backward_began before it", row["kind"])
        return self.calls[-1]

    def visiting(self, row: dict, stage: str) -> Visit:
        """Return the node that is being run if a row is about it and comes in its order."""
        call, node = self.current(row), row["node"]
        visit = call.visit
        looked_at = stage in ("tensor", "grad_retained", "grad_captured") and not call.executes(node)
        if looked_at and (visit is None or visit.node != node) and call.idle:
            self.take(call, node)
            numbers = [nr for n, nr in call.buffers if n == node]
            grads = [call.buffers.pop((node, i), None) for i in range(max(numbers, default=0) + 1)]
            visit = call.visit = Visit(node, False, grads, list(grads))
        if visit is None or visit.node != node:
            self.world.refuse("node", f"{visit.node if visit else 'no node'}, which is being run", node)
        if STAGES[stage] < visit.stage or (stage in ONCE and stage in visit.seen):
            self.world.refuse("kind", "another order of rows around a node", row["kind"])
        if STAGES[stage] > STAGES["node_ran"] > visit.stage:
            self.world.refuse("kind", f"node_ran of {node}", row["kind"])
        visit.stage = max(visit.stage, STAGES[stage])
        visit.seen.add(stage)
        return visit

    def on_grad_accumulated(self, row: dict) -> None:
        """A leaf's `.grad` gets what arrived."""
        visit, world = self.visiting(row, "grad_accumulated"), self.world
        world.must("tensor", world.nodes[visit.node].get("variable"), row["tensor"])
        world.must_be("arriving", visit.grads[0] if visit.grads else None, row["arriving"])
        self.grads.accumulated(row)

    def on_node_ran(self, row: dict) -> None:
        """A node's rules were evaluated: every edge that is of use gets a gradient."""
        call, visit, world = self.current(row), self.visiting(row, "node_ran"), self.world
        entry = world.nodes[visit.node]
        if len(entry["edges"]) != len(row["grads"]):
            world.refuse("grads", f"one for each of {len(entry['edges'])} edges", row["grads"])
        if "variable" in entry and "grad_accumulated" not in visit.seen:
            world.refuse("kind", f"grad_accumulated of {visit.node}", "node_ran")
        self.check_retained(visit)
        asked = [edge is not None and call.reaches(edge[0]) for edge in entry["edges"]]
        self.rules.ran(row, visit, asked)
        visit.outs = list(row["grads"])
        visit.slots = [slot for slot, use in enumerate(asked) if use]
        world.arrive(*row["grads"])

    def check_retained(self, visit: Visit) -> None:
        """A tensor that a name still holds has got the gradient that is to be retained."""
        if "grad_retained" in visit.seen or len(visit.grads) != 1 or visit.grads == [None]:
            return
        held = set(self.world.bound.values()) - self.graph.rebased
        for tensor in self.retains & held:
            edge = self.graph.edge_of(tensor)
            if edge and edge[0] == visit.node:
                self.world.refuse("kind", f"grad_retained of {tensor}", "node_ran")

    def on_reduced_to_shape(self, row: dict) -> None:
        """A gradient was summed to the shape of what it goes to: broadcasting undone."""
        visit, world = self.visiting(row, "reduced_to_shape"), self.world
        slot, edges = row["slot"], world.nodes[visit.node]["edges"]
        if slot not in visit.slots:
            world.refuse("slot", f"one of {visit.slots}", slot)
        world.must("before", visit.outs[slot], row["before"])
        before, after, shape = (
            world.values[row["before"]],
            world.values[row["after"]],
            self.shape_at(*edges[slot]),
        )
        if shape == before.shape:
            world.refuse("slot", "an edge whose gradient has another shape", slot)
        if shape not in (None, after.shape):
            world.refuse("after", f"shape {list(shape)}", row["after"])
        sums = lambda before: summed_to(before, after.shape)  # noqa: E731 - a law for this row only
        world.derive([("after", row["after"])], sums, "reduced to shape", {"before": before})
        visit.outs[slot] = row["after"]

    def shape_at(self, node: str, number: int) -> tuple[int, ...] | None:
        """Return the shape of a gradient that arrives at a node, if the tables tell."""
        entry, tensors = self.world.nodes[node], self.world.tensors
        outputs = [entry["variable"]] if "variable" in entry else entry["outputs"]
        unknown = number >= len(outputs) or outputs[number] in self.graph.ever_written
        if unknown or self.calls[-1].batched:
            return None
        return tuple(tensors[outputs[number]]["shape"])

    def on_saved_freed(self, row: dict) -> None:
        """A node drops what it has saved, unless the graph is to be kept."""
        visit = self.visiting(row, "saved_freed")
        if self.current(row).row["retain_graph"]:
            self.world.refuse("node", "nothing freed: the graph is retained", row["node"])
        self.rules.freed(row, visit)

    # ----- along the edges ----------------------------------------------------------------------------------
    def on_edge_flowed(self, row: dict) -> None:
        """A gradient goes along an edge; its target waits for one less."""
        call, visit, world = self.current(row), self.visiting(row, "edge_flowed"), self.world
        slot = row["slot"]
        if visit.slots[:1] != [slot]:
            world.refuse("slot", visit.slots[:1], slot)
        world.must("target", world.nodes[visit.node]["edges"][slot], [row["target"], row["input_nr"]])
        visit.slots.remove(slot)
        if not call.row["retain_graph"] and "saved_freed" not in visit.seen:
            self.rules.must_free(visit)
        wanted = visit.outs[slot]
        if visit.hooked and slot and row["grad"] != wanted:
            world.leave("hook")
        else:
            self.check_flow(row, wanted)
        call.flow(row["target"], row["input_nr"], row["grad"])
        world.must("missing", call.missing[row["target"]], row["missing"])

    def check_flow(self, row: dict, wanted: str | None) -> None:
        """What flows is what the rule made, perhaps in the dtype of what it goes to."""
        world = self.world
        have, flows = world.value(wanted), world.value(row["grad"])
        if have is not None and flows is not None:
            shape = self.shape_at(row["target"], row["input_nr"])
            if shape not in (None, flows.shape):
                world.refuse("grad", f"shape {list(shape)}", row["grad"])
            if have.dtype != flows.dtype:
                world.derive([("grad", row["grad"])], FORWARD["clone"], "clone", {"self": have})
                return
        world.must_be("grad", wanted, row["grad"])

    def on_grad_summed(self, row: dict) -> None:
        """A second gradient for the same input is added to the one that waits."""
        call, world = self.current(row), self.world
        if call.expected[:1] != [("grad_summed", row["node"])]:
            world.refuse("node", "no sum: nothing was waiting", row["node"])
        call.expected.pop(0)
        node, number, added = call.adding
        world.must("input_nr", number, row["input_nr"])
        world.must("before", call.buffers.get((node, number)), row["before"])
        world.must("added", added, row["added"])
        known = {name: world.value(row[name]) for name in ("before", "added")}
        world.derive([("after", row["after"])], FORWARD[ADDED], ADDED, known)
        call.buffers[node, number] = row["after"]
        call.next_root()

    def ended(self) -> None:
        """At the end of the trace no call may be left that could have ended."""
        last = self.world.rows[-1]["kind"] if self.world.rows else ""
        for call in self.calls:
            if last not in ("error", "limit") and (call.finished or not self.caught):
                where = len(self.world.rows) - 1
                self.world.refuse("kind", f"backward_ended of call {call.row['call']}", "the end", where)


def values_in(row: dict) -> list[str]:
    """Return the values that a row of the program has made."""
    return [v for v in (row.get("value"), row.get("after"), *row.get("values", ())) if v is not None]
