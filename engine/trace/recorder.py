"""The observer: live facts become rows. Copies at the moment of the fact; decides nothing about the screen.

A fact whose fields are a row's fields is translated by the schema's table; the others have a method
named after their row.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from itertools import islice
from types import FrameType, FunctionType
from typing import Any

import numpy as np

from engine import events
from engine.backward import GraphRoot
from engine.node import Node, SavedTensor
from engine.tensor import Tensor
from engine.trace import schema
from engine.trace.causes import Causes
from engine.trace.grads import Grads
from engine.trace.ids import Ids
from engine.trace.limits import LimitReached, Limits, sentence
from engine.trace.lines import Names
from engine.trace.rules import local_rules, saved_of, text_of
from engine.trace.spans import Span, Spans, innermost
from engine.trace.steps import Steps, number
from engine.trace.values import Values

Place = tuple[FrameType | None, int]  # a frame of the program and the instruction it is at

KINDS = {  # rows that are not called after their fact
    "RetainGradAsked": "retain_grad",
    "ZeroGradCalled": "zero_grad",
    "OptimizerStepped": "optimizer_step",
    "GradModeSet": "grad_mode",
    "BackwardFailed": "backward_ended",
    "WarningGiven": "warning",
}
UNWRITTEN = ("BackwardRefused",)  # the exception that follows says it
# During these no statement of the program ends, so no variable can have changed.
QUIET = ("NodeReady", "NodeEntered", "NodeRan", "ReducedToShape", "SavedFreed", "EdgeFlowed", "GradSummed",
         "GradCaptured", "GradAccumulated", "GradRetained", "HookRan", "ParameterUpdated")  # fmt: skip


class Recorder:
    """Writes the rows of one run. Called with every fact; `trace()` returns what there is so far."""

    def __init__(self, source: str, limits: Limits | None = None) -> None:
        self.source = source
        self.limits = limits or Limits()
        self.rows: list[dict] = []
        self.ids = Ids()
        self.values = Values()
        self.spans = Spans(source)
        self.names = Names(self.spans, self.ids)
        self.causes = Causes(self._node)
        self.grads = Grads(self._value)
        self.steps = Steps(self._tensor, self._value, self.names)
        self.over: dict | None = None  # the outcome, once a limit was reached
        self._at: Span | None = None
        self._place: Place = (None, -1)
        self._stepping: Place | None = None
        self._printed = 0
        self._taken = [0, 0]
        self._calls: list[tuple[int, Place]] = []
        self._called = 0
        self._broken: tuple[int, Span | None] | None = None  # a call that failed, if the program goes on
        self._inside: list[tuple[str, Place]] = []
        self._arrived: dict[int, tuple] = {}  # what the nodes that are running were given
        self._quiet = {kind for kind in events.FACTS if kind.__name__ in QUIET}
        self._writers = {kind: self._writer(kind) for kind in events.FACTS if kind.__name__ not in UNWRITTEN}

    def __call__(self, fact: Any) -> None:
        """Write the row or rows of one fact."""
        write = self._writers.get(type(fact))
        if self._broken is not None:
            (call, at), self._broken = self._broken, None
            self._add("backward_ended", at, {"call": call})
        if write is not None:
            self._look(sys._getframe(1), type(fact) not in self._quiet)
            write(fact)

    def _look(self, frame: FrameType | None, names: bool = True) -> None:
        """Find where the learner's program stands, and what it has bound since."""
        if self.over is not None:
            raise LimitReached(self.over["limit"])
        frame = innermost(frame)
        self._place = (frame, -1 if frame is None else frame.f_lasti)
        self._at = self.spans.of_frame(frame)
        if names and frame is not None:
            self._bind(self.names.changes(frame, self._at))

    def _bind(self, changes: list[tuple]) -> None:
        for span, bound, unbound in changes:
            self._add("names_bound", span, {"names": bound, "unbound": unbound})

    def finish(self, error: BaseException | None = None) -> None:
        """The program is over: write what it bound last, and stand where `error` came from."""
        self._bind(self.names.last_changes())
        if error is not None:
            self._at = self.spans.of_traceback(error.__traceback__)

    # ----- rows -----
    def row(self, kind: str, **fields: Any) -> None:
        """Write a row about the expression that is running."""
        self._add(kind, self._at, fields)

    def _add(self, kind: str, at: Span | None, fields: dict) -> None:
        if len(self.rows) >= self.limits.rows:
            self._exceeded("rows")
        self.rows.append({"kind": kind, "at": at, **fields})
        if self.limits.step is not None:
            self.limits.step()

    def printed(self, text: str) -> None:
        """Write what the program has printed, up to the limit."""
        self._look(sys._getframe(1))
        room = self.limits.output - self._printed
        self._printed += len(text)
        if text:
            self.row("printed", text=text[: max(room, 0)])
        if len(text) > room:
            self._exceeded("output")

    def failed(self, error: BaseException, kind: str, message: str) -> dict:
        """Write the learner's exception as the last row and return the outcome."""
        node, cause = self.causes.explain(error)
        if cause is not None:
            cause["at"] = self.rows[cause["by"]]["at"]
        self.row("error", type=kind, message=message, node=node, cause=cause)
        return {"kind": "error", "type": kind, "message": message, "at": self._at}

    def refused(self, code: str, message: str, at: Span | None) -> dict:
        """Write why the text was not run at all as the only row and return the outcome."""
        self.rows.clear()
        self._at = at
        kind = "SyntaxError" if code == "syntax" else "NotAllowed"
        self.row("error", type=kind, message=message, node=None, cause=None)
        return {"kind": "refused", "code": code, "message": message, "at": at}

    def limit(self, limit: str, message: str) -> dict:
        """Write the row that cuts a trace short, once, and return the outcome."""
        if self.over is None:
            self.rows.append({"kind": "limit", "at": self._at, "limit": limit, "message": message})
            self.over = {"kind": "limit", "limit": limit, "message": message, "at": self._at}
        return self.over

    def stop(self, limit: str, message: str, frame: FrameType | None = None) -> None:
        """End the run. `frame`, from a signal handler, is where the program stands."""
        if frame is not None:
            self._at = self.spans.of_frame(innermost(frame))
        outcome = self.limit(limit, message)
        if self.limits.stop is not None:
            self.limits.stop(self.trace(outcome))
        raise LimitReached(limit)

    def _exceeded(self, limit: str) -> None:
        self.stop(limit, sentence(limit, self.limits))

    def trace(self, outcome: dict) -> dict:
        """Return the whole trace as JSON-ready data."""
        return {
            "version": schema.VERSION, "engine": schema.ENGINE, "mirrors": schema.MIRRORS,
            "source": self.source, **self.ids.tables(), "values": self.values.table, "rows": self.rows,
            "outcome": outcome,
        }  # fmt: skip

    def take(self) -> dict:
        """Return the rows, values and table entries that are new since the last time."""
        rows, values = self._taken
        self._taken = [len(self.rows), len(self.values.table)]
        new = dict(islice(self.values.table.items(), values, None))
        return {**self.ids.take(), "values": new, "rows": self.rows[rows:]}

    # ----- fields -----
    def _tensor(self, tensor: Tensor) -> str:
        known = self.ids.tensor(tensor, self._at)
        if tensor.array.size > self.limits.elements:
            self._exceeded("elements")
        if self.ids.elements > self.limits.made:
            self._exceeded("made")
        return known

    def _node(self, node: Node) -> str:
        return self.ids.node(node, self._at)

    def _module(self, module: Any) -> str:
        return self.ids.find(module) or self.ids.module(module, self.names.path(module))

    def _value(self, value: Any) -> str | None:
        """Return the id of a value as it is now; None stays None, a one-element tuple is its element."""
        if isinstance(value, tuple):
            value = value[0] if value else None
        if value is None:
            return None
        if isinstance(value, Tensor):
            return self.values.intern(value.array, None if value.exotic is None else value.exotic.name)
        return self.values.intern(np.asarray(value))

    def _named(self, thing: Any) -> str:
        return thing if isinstance(thing, str) else name_of(thing)

    def _encoder(self, kind: dict) -> Callable[[Any], Any]:
        """Return how a field of one kind of the schema is written."""
        if kind.get("type") == "array":
            inner = self._encoder(kind["items"])
            return lambda many: [inner(each) for each in many]
        known = {
            id(schema.TENSOR): self._tensor, id(schema.NODE): self._node, id(schema.VALUE): self._value,
            id(schema.GRAD): self._value, id(schema.MODULE): self._module, id(schema.TEXT): self._named,
            id(schema.NUMBER): number, id(schema.ANY_NUMBER): number,
        }  # fmt: skip
        return known.get(id(kind), lambda plain: plain)

    def _writer(self, kind: type) -> Callable[[Any], None]:
        """Return what writes a kind of fact: the method named after its row, or the schema's table."""
        name = KINDS.get(kind.__name__) or re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
        own = getattr(self, f"_{name}", None)
        if own is not None:
            return own
        fields = [(field, self._encoder(what)) for field, what in schema.ROWS[name].items()]
        after = getattr(self, f"_after_{name}", None)

        def write(fact: Any) -> None:
            self.row(name, **{field: encode(getattr(fact, field)) for field, encode in fields})
            if after is not None:
                after(fact)

        return write

    # ----- forward -----
    def _tensor_made(self, fact: events.TensorMade) -> None:
        self.row("tensor_made", tensor=self._tensor(fact.tensor), value=self._value(fact.tensor))

    def _op_applied(self, fact: events.OpApplied) -> None:
        if self._inside_a_step():
            return
        args = [pair for name, value in fact.args for pair in self._argument(name, value)]
        node = None if fact.node is None else self._node(fact.node)
        outputs = [self._tensor(output) for output in fact.outputs]
        while self._inside and not still_in(self._inside[-1][1], self._place[0]):
            self._inside.pop()  # an exception left it
        module = self._inside[-1][0] if self._inside else None
        name = fact.op.name + ("_" if fact.inplace and not fact.op.name.endswith("_") else "")
        saved = []
        if node is not None:
            self.ids.applied(node, op=fact.op.name, args=args, outputs=outputs, module=module)
            self.causes.made[node] = len(self.rows)
            saved = [self._saved(name, part, outputs) for name, part in saved_of(fact.node)]
        if fact.inplace:
            self.ids.changed_in_place(fact.outputs[0], self._at)
            self.causes.written(fact.outputs[0], len(self.rows), outputs[0])
        self.row(
            "op_applied", op=name, node=node, args=args, outputs=outputs,
            values=[self._value(output) for output in fact.outputs], inplace=fact.inplace, saved=saved,
            module=module,
        )  # fmt: skip
        if fact.inplace:
            for tensor, before, after in self.grads.written(fact.outputs[0]):
                self.row("grad_set", tensor=tensor, before=before, after=after, cause=name)

    def _inside_a_step(self) -> bool:
        """Return whether an optimiser's step is being taken: parameter_updated says what it does."""
        return self._stepping is not None and self._stepping == self._place

    def _grad_mode(self, fact: Any) -> None:
        if not self._inside_a_step():
            self.row("grad_mode", enabled=fact.enabled)

    def _argument(self, name: str, value: Any) -> list[list]:
        if isinstance(value, Tensor):
            return [[name, {"tensor": self._tensor(value)}]]
        if isinstance(value, (tuple, list)) and value and all(isinstance(part, Tensor) for part in value):
            return [[f"{name}[{i}]", {"tensor": self._tensor(part)}] for i, part in enumerate(value)]
        return [[name, {"text": text_of(value)}]]

    def _saved(self, name: str, part: SavedTensor, outputs: list[str]) -> list:
        own = part.output_nr is not None and part.output_nr < len(outputs)
        tensor = outputs[part.output_nr] if own else self.ids.find(part.tensor)
        return [name, tensor, self._value(part.tensor)]

    def _after_grad_set(self, fact: Any) -> None:
        self.grads.note(self._tensor(fact.tensor), fact.tensor, fact.after)

    _after_grad_accumulated = _after_grad_retained = _after_grad_set

    def _zero_grad(self, fact: events.ZeroGradCalled) -> None:
        self.row("zero_grad", owner=self.names.owner(fact.owner), set_to_none=bool(fact.set_to_none))

    def _module_entered(self, fact: events.ModuleEntered) -> None:
        module = self._module(fact.module)
        self._inside.append((module, self._place))
        self.row("module_entered", module=module)

    def _module_left(self, fact: events.ModuleLeft) -> None:
        left = self._module(fact.module)
        while self._inside and self._inside.pop()[0] != left:
            pass
        self.row("module_left", module=left)

    def _hook_registered(self, fact: events.HookRegistered) -> None:
        owner = self._tensor(fact.owner) if isinstance(fact.owner, Tensor) else self._node(fact.owner)
        self.row("hook_registered", owner=owner, when=fact.when, hook=name_of(fact.hook))

    def _optimizer_step(self, fact: events.OptimizerStepped) -> None:
        self._stepping = self._place
        self.row("optimizer_step", **self.steps.optimizer_step(fact))

    def _parameter_updated(self, fact: events.ParameterUpdated) -> None:
        self.causes.written(fact.parameter, len(self.rows), self._tensor(fact.parameter))
        self.row("parameter_updated", **self.steps.parameter_updated(fact))

    def _lr_scheduled(self, fact: events.LrScheduled) -> None:
        self.row("lr_scheduled", **self.steps.lr_scheduled(fact))

    # ----- backward -----
    def _backward_began(self, fact: events.BackwardBegan) -> None:
        missing = dict(fact.missing)
        starts = [next(iter(missing))]
        if isinstance(starts[0], GraphRoot):  # it stands for the call itself, which is what the row shows
            del missing[starts[0]]
            starts = [target for target, _ in starts[0].next_edges]
            for target in starts:
                missing[target] -= 1
        self._calls = [call for call in self._calls if still_in(call[1], self._place[0])]
        if not self._calls:
            self._arrived.clear()
        self._calls.append((self._called, self._place))
        self._called += 1
        self.row(
            "backward_began", call=self._called - 1, api=fact.api,
            roots=[self._tensor(root) for root in fact.roots],
            root_nodes=[self._node(node) for node in starts],
            grads=[self._value(grad) for grad in fact.grads], implicit=fact.implicit,
            retain_graph=bool(fact.retain_graph), create_graph=bool(fact.create_graph),
            inputs=[self._tensor(each) for each in fact.inputs if isinstance(each, Tensor)],
            missing={self._node(node): count for node, count in missing.items()},
        )  # fmt: skip

    def _backward_ended(self, fact: events.BackwardEnded | events.BackwardFailed) -> None:
        call = self._calls.pop()[0]
        if isinstance(fact, events.BackwardFailed):
            self._broken = (call, self._at)
        else:
            self.row("backward_ended", call=call)

    def _edge_flowed(self, fact: events.EdgeFlowed) -> None:
        if not isinstance(fact.node, GraphRoot):
            node, target, grad = self._node(fact.node), self._node(fact.target), self._value(fact.grad)
            self.row(
                "edge_flowed", node=node, slot=fact.slot, target=target, input_nr=fact.input_nr, grad=grad,
                missing=fact.missing,
            )  # fmt: skip

    def _after_node_entered(self, fact: events.NodeEntered) -> None:
        self._arrived[id(fact.node)] = fact.grads
        self.causes.running = fact.node

    def _after_hook_ran(self, fact: events.HookRan) -> None:
        arrived = self._arrived.get(id(fact.node), ())
        if fact.when in ("tensor", "before"):
            pairs = ((fact.before, fact.after),) if fact.when == "tensor" else zip(fact.before, fact.after)
            changed = {id(before): after for before, after in pairs if before is not None}
            self._arrived[id(fact.node)] = tuple(changed.get(id(grad), grad) for grad in arrived)

    def _after_saved_freed(self, fact: events.SavedFreed) -> None:
        self.causes.freed[self._node(fact.node)] = len(self.rows) - 1

    def _node_ran(self, fact: events.NodeRan) -> None:
        grads = [self._value(grad) for grad in fact.grads]
        arrived = self._arrived.pop(id(fact.node), ())
        rules = local_rules(fact.node, grads, arrived, self._value)
        self.row("node_ran", node=self._node(fact.node), grads=grads, rules=rules)


def still_in(place: Place, frame: FrameType | None) -> bool:
    """Return whether a frame is, or was called from, a place in the program."""
    while frame is not None and frame is not place[0]:
        frame = frame.f_back
    return frame is not None and frame.f_lasti == place[1]


def name_of(hook: Any) -> str:
    """Return a hook's name without running a learner's code."""
    return hook.__name__ if isinstance(hook, FunctionType) else type(hook).__name__
