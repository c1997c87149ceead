"""What was noted of each fact becomes rows: ids, values, spans, rules, causes. Asks no frame and no clock.

A fact whose fields are a row's fields is translated by the schema's table; the others have a method
named after their row.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from engine import events
from engine.backward import GraphRoot
from engine.node import Node
from engine.saved import SavedTensor
from engine.sparse import SparseTensor
from engine.stretch import Stretch
from engine.tensor import Tensor
from engine.trace import schema
from engine.trace.aliases import Aliases, hand_of
from engine.trace.calls import Calls
from engine.trace.causes import Causes
from engine.trace.grads import Grads
from engine.trace.ids import Ids
from engine.trace.keeping import Text
from engine.trace.limits import Limits
from engine.trace.lines import Glance, Seen, seen_in
from engine.trace.log import Log
from engine.trace.names import Names
from engine.trace.rules import local_rules, saved_of, skipped_of, text_of
from engine.trace.sightings import Sightings
from engine.trace.spans import Span, Spans
from engine.trace.steps import Steps, number
from engine.trace.values import Values

KINDS = {  # rows that are not called after their fact
    "RetainGradAsked": "retain_grad",
    "ZeroGradCalled": "zero_grad",
    "OptimizerStepped": "optimizer_step",
    "GradModeSet": "grad_mode",
    "BackwardFailed": "backward_ended",
    "WarningGiven": "warning",
}
UNWRITTEN = ("BackwardRefused", "MovedToDevice")  # the exception that follows says it; the number stays
BY_WHAT_IT_CHANGED = ("MemoryWritten",)  # told in rows of what memory shows now


# A fact with its place in the program, what else had to be found out at its moment, and the variables.
Noted = tuple[Any, CodeType | None, int, Any, Seen | Glance | None]


@dataclass(slots=True)
class Printed:
    """What a program has printed or shown; with its place it is noted like a fact."""

    text: str
    kind: str = "printed"


class Writer:
    """Writes the rows of one run. `exceeded` ends the run at a limit."""

    def __init__(self, source: str, limits: Limits, log: Log, exceeded: Callable[[str], None]) -> None:
        self.limits, self.log, self.exceeded = limits, log, exceeded
        self.rows: list[dict] = []
        self.ids = Ids(log.saved_by)
        self.values = Values()
        self._met = self.values.known
        self.spans = Spans(source)
        self.names = Names(self.spans, self.ids)
        self.calls = Calls(self.spans)
        self.causes = Causes(self.node, log.saved_by)
        self.grads = Grads(self.value)
        self.aliases = Aliases(log, self.names, self.ids, self.value)
        self._told = self.aliases.told
        self.sightings = Sightings(log, self.names, self.ids, self.values, self.value, self._told)
        self._overwritten: list[np.ndarray] = []  # memory that was written, and is not told yet
        self.steps = Steps(self.tensor, self.value)
        self.at: Span | None = None
        self._more: Any = None
        self._calls: list[Span | None] = []  # where the backward calls stand that are going on
        self.said = 0
        self._broken: tuple[int, Span | None] | None = None  # a call that failed, if the program goes on
        self._arrived: dict[int, tuple] = {}  # what the nodes that are running were given
        self._writers: dict[type, Callable[[Any], None] | None] = {Printed: self._print, type(None): None}

    def write(self, entry: Any) -> None:
        """Write the row or rows of one entry of the log: a fact, several in one, or as `Noted`."""
        if type(entry) is Stretch:
            for fact in entry.unfolded():
                self.write(fact)
            return
        code: CodeType | None
        if noted := type(entry) is tuple:
            fact, code, instruction, self._more, seen = entry
        else:
            fact = entry
        if self._broken is not None and type(fact) is not Printed:
            (call, at), self._broken = self._broken, None
            self.add("backward_ended", at, {"call": call})
        if noted:
            self.at = None if code is None else self.spans.at(code, instruction)
            if seen is not None and (type(seen[1]) is not tuple or (seen := seen_in(seen)) is not None):
                self.calls.follow(seen, self.rows, self.bind, self.names.changes(seen, self.at))
        elif self._calls:
            self.at = self._calls[-1]
        kind = type(fact)
        write = self._writers[kind] if kind in self._writers else self._writer(kind)
        if write is not None:
            write(fact)
        if self.log.roots and (roots := self.log.roots.pop(self.log.now, None)):
            self._overwritten += roots
        if self._overwritten and (hand := hand_of(fact)) is not None:
            self._changed_aliases(*hand)

    def _changed_aliases(self, hand: str, tensor: Tensor | None) -> None:
        """Write what else shows the memory that has been written."""
        if changed := self.aliases.changed(self._overwritten, (hand, tensor)):
            written = None if tensor is None else self.tensor(tensor)
            self.row("aliases_changed", by=hand, written=written, tensors=changed)
        self._overwritten.clear()

    def bind(self, changes: list[tuple]) -> None:
        """Write what variables have come to hold."""
        for span, bound, unbound in changes:
            seen = self.sightings.bound(bound.values())
            self.add("names_bound", span, {"names": bound, "unbound": unbound, **seen})

    def row(self, kind: str, **fields: Any) -> None:
        """Write a row about the expression that was running."""
        self.add(kind, self.at, fields)

    def add(self, kind: str, at: Span | None, fields: dict) -> None:
        """Write a row, if the limit allows."""
        if len(self.rows) >= self.limits.rows:
            self.exceeded("rows")
        self.rows.append({"kind": kind, "at": at, **fields})
        if self.limits.step is not None:
            self.limits.step()

    def _print(self, fact: Printed) -> None:
        room = self.limits.output - self.said
        self.said += len(fact.text)
        if fact.text:
            self.row(fact.kind, text=fact.text[: max(room, 0)])
        if len(fact.text) > room:
            self.exceeded("output")

    def failed(self, error: BaseException, kind: str, message: str) -> None:
        """Write the learner's exception as the last row."""
        node, cause = self.causes.explain(error)
        if cause is not None:
            cause["at"] = self.rows[cause["by"]]["at"]
        self.row("error", type=kind, message=message, node=node, cause=cause)

    # ----- fields -----
    def tensor(self, tensor: Tensor) -> str:
        """Return the id of a tensor."""
        known = self.ids.find(tensor)
        if known is None:
            known = self.ids.tensor(tensor, self.at)
            if tensor.array.size > self.limits.elements:
                self.exceeded("elements")
        if self.ids.elements > self.limits.made:
            self.exceeded("made")
        return known

    def node(self, node: Node) -> str:
        """Return the id of a node."""
        return self.ids.find(node) or self.ids.node(node, self.at)

    def value(self, value: Any) -> str | None:
        """Return the id of a value as it was; None stays None, a one-element tuple is its element."""
        if isinstance(value, Tensor):
            if value.exotic is None and type(value) is not SparseTensor:
                array = self.log.array_of(value)
                return self._met.get(id(array)) or self.values.met(array, self.log.as_it_was)
            return self._odd_value(value)
        if value is None:
            return None
        if isinstance(value, np.ndarray):
            return self._met.get(id(value)) or self.values.met(value, self.log.as_it_was)
        if isinstance(value, tuple):
            return self.value(value[0]) if value else None
        return self.values.intern(np.asarray(value))

    def _odd_value(self, value: Tensor) -> str:
        """Return the id of a value that NumPy holds as another kind, or as several arrays."""
        if type(value) is SparseTensor:
            return self.values.intern(value.array)
        return self.values.intern(self.log.as_it_was(self.log.array_of(value)), value.exotic.name)

    def _named(self, thing: Any) -> str:
        return thing if isinstance(thing, str) else name_of(thing)

    def _encoder(self, kind: dict) -> Callable[[Any], Any]:
        """Return how a field of one kind of the schema is written."""
        if kind.get("type") == "array":
            inner = self._encoder(kind["items"])
            return lambda many: [inner(each) for each in many]
        known = {
            id(schema.TENSOR): self.tensor, id(schema.NODE): self.node, id(schema.VALUE): self.value,
            id(schema.GRAD): self.value, id(schema.TEXT): self._named,
            id(schema.MAYBE_NODE): lambda node: None if node is None else self.node(node),
            id(schema.NUMBER): number, id(schema.ANY_NUMBER): number,
        }  # fmt: skip
        return known.get(id(kind), lambda plain: plain)

    def _writer(self, kind: type) -> Callable[[Any], None] | None:
        """Return what writes a kind of fact: the method named after its row, or the schema's table."""
        name = KINDS.get(kind.__name__) or re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
        own = None if kind.__name__ in UNWRITTEN else getattr(self, f"_{name}", None) or self._by_schema(name)
        self._writers[kind] = own
        return own

    def _by_schema(self, name: str) -> Callable[[Any], None]:
        """Return what writes a row whose fields are its fact's."""
        rarely = schema.OPTIONAL.get(name, ())
        fields = [(f, self._encoder(what)) for f, what in schema.ROWS[name].items() if f not in rarely]
        after = getattr(self, f"_after_{name}", None)

        def write(fact: Any) -> None:
            row = {field: encode(getattr(fact, field)) for field, encode in fields}
            if rarely:
                row |= {f: str(found) for f in rarely if (found := getattr(fact, f)) is not None}
            self.add(name, self.at, row)
            if after is not None:
                after(fact)

        return write

    # ----- forward -----
    def _tensor_made(self, fact: events.TensorMade) -> None:
        tensor = self.tensor(fact.tensor)
        value = self._told[tensor] = self.value(fact.tensor)
        self.row("tensor_made", tensor=tensor, value=value)

    def _op_applied(self, fact: events.OpApplied) -> None:
        module, given, written = self._more or (None, fact.given, ())
        args = [pair for name, value in zip(fact.names, given) for pair in self._argument(name, value)]
        node = None if fact.node is None else self.node(fact.node)
        outputs = [self.tensor(output) for output in fact.outputs]
        as_it_was = fact.inplace and args[0][1] != {"tensor": outputs[0]}  # a stand-in: another shape
        seen = {} if as_it_was else self.sightings.given(args)
        name = fact.op.name + ("_" if fact.inplace and not fact.op.name.endswith("_") else "")
        saved = []
        if node is not None:
            self.ids.applied(node, op=fact.op.name, args=args, outputs=outputs, at=self.at, module=module)
            self.causes.made[node] = len(self.rows)
            for output in () if fact.inplace else outputs:
                self.ids.made(output, self.at)
            parts = saved_of(fact.node, self.log.saved_by, packed=True)
            saved = [self._saved(name, part, outputs) for name, part in parts]
        if fact.inplace:
            self.ids.changed_in_place(fact.outputs[0], self.at)
            self.causes.written(fact.outputs[0], len(self.rows), outputs[0])
        values = [self.value(output) for output in fact.outputs]
        self._told.update(zip(outputs, values))
        self.row(
            "op_applied", op=name, node=node, args=args, outputs=outputs, values=values, inplace=fact.inplace,
            saved=saved, module=module, **seen,
        )  # fmt: skip
        for owner, grad in written:
            tensor = self.tensor(owner)
            if grad is fact.outputs[0]:
                self.ids.name_grad(outputs[0], tensor)
            before, after = self.grads.written(tensor, grad)
            self.row("grad_set", tensor=tensor, before=before, after=after, cause=name)

    def _memory_written(self, fact: events.MemoryWritten) -> None:
        """There is no row of such a write, but of each `.grad` that it has changed."""
        for owner, grad in self._more:
            before, after = self.grads.written(self.tensor(owner), grad)
            if before != after:
                self.row("grad_set", tensor=self.tensor(owner), before=before, after=after, cause="numpy")

    def _argument(self, name: str, value: Any) -> list[list]:
        if isinstance(value, Tensor):
            return [[name, {"tensor": self.tensor(value)}]]
        if isinstance(value, (tuple, list)) and value and all(isinstance(part, Tensor) for part in value):
            return [[f"{name}[{i}]", {"tensor": self.tensor(part)}] for i, part in enumerate(value)]
        return [[name, {"text": str(value) if type(value) is Text else text_of(value)}]]

    def _saved(self, name: str, part: SavedTensor, outputs: list[str]) -> list:
        own = part.output_nr is not None and part.output_nr < len(outputs) and part.unpack_hook is None
        if not isinstance(part.tensor, Tensor):  # a hook keeps something else instead
            return [name, None, None]
        tensor = outputs[part.output_nr] if own else self.ids.find(part.tensor)
        return [name, tensor, self.value(part.tensor)]

    def _after_grad_set(self, fact: Any) -> None:
        self.grads.note(self.tensor(fact.tensor), fact.tensor, fact.after)

    _after_grad_accumulated = _after_grad_retained = _after_grad_set

    def _after_detached(self, fact: events.Detached | events.DataReplaced) -> None:
        row = self.rows[-1]
        self._told[row["tensor"]] = row["value"] if row["kind"] == "detached" else row["after"]

    _after_data_replaced = _after_detached

    def _zero_grad(self, fact: events.ZeroGradCalled) -> None:
        self.row("zero_grad", owner=self._more, set_to_none=bool(fact.set_to_none))

    def _module_entered(self, fact: events.ModuleEntered) -> None:
        self.row("module_entered", module=self._more)

    def _module_left(self, fact: events.ModuleLeft) -> None:
        self.row("module_left", module=self._more)

    def _hook_registered(self, fact: events.HookRegistered) -> None:
        owner = self.tensor(fact.owner) if isinstance(fact.owner, Tensor) else self.node(fact.owner)
        self.row("hook_registered", owner=owner, when=fact.when, hook=name_of(fact.hook))

    def _optimizer_step(self, fact: events.OptimizerStepped) -> None:
        self.steps.hold(fact.optimizer, self.ids.find)
        self.row("optimizer_step", **self.steps.optimizer_step(fact, self._more))

    def _parameter_updated(self, fact: events.ParameterUpdated) -> None:
        self.causes.written(fact.parameter, len(self.rows), self.tensor(fact.parameter))
        updated = self.steps.parameter_updated(fact)
        self._told[updated["tensor"]] = updated["after"]
        self.row("parameter_updated", **updated)

    def _lr_scheduled(self, fact: events.LrScheduled) -> None:
        self.row("lr_scheduled", **self.steps.lr_scheduled(fact, *self._more))

    # ----- backward -----
    def _backward_began(self, fact: events.BackwardBegan) -> None:
        call, depth = self._more
        missing = dict(fact.missing)
        starts = [next(iter(missing))]
        if isinstance(starts[0], GraphRoot):  # it stands for the call itself, which is what the row shows
            del missing[starts[0]]
            starts = [target for target, _ in starts[0].next_edges]
            for target in starts:
                missing[target] -= 1
        if not depth:
            self._arrived.clear()
        self._calls[depth:] = [self.at]
        self.row(
            "backward_began", call=call, api=fact.api,
            roots=[self.tensor(root) for root in fact.roots],
            root_nodes=[self.node(node) for node in starts],
            grads=[self.value(grad) for grad in fact.grads], implicit=fact.implicit,
            retain_graph=bool(fact.retain_graph), create_graph=bool(fact.create_graph),
            inputs=[self.tensor(each) for each in fact.inputs if isinstance(each, Tensor)],
            missing={self.node(node): count for node, count in missing.items()},
        )  # fmt: skip

    def _backward_ended(self, fact: events.BackwardEnded | events.BackwardFailed) -> None:
        self._calls.pop()
        if isinstance(fact, events.BackwardFailed):
            self._broken = (self._more, self.at)
        else:
            rest = {} if fact.woken_by is None else {"woken_by": str(fact.woken_by)}
            self.row("backward_ended", call=self._more, **rest)

    def _edge_flowed(self, fact: events.EdgeFlowed) -> None:
        if not isinstance(fact.node, GraphRoot):
            node, target, grad = self.node(fact.node), self.node(fact.target), self.value(fact.grad)
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
        self.causes.freed[self.node(fact.node)] = len(self.rows) - 1

    def _node_ran(self, fact: events.NodeRan) -> None:
        grads = [self.value(grad) for grad in fact.grads]
        arrived = self._arrived.pop(id(fact.node), ())
        rules = local_rules(fact.node, self.log.saved_by(fact.node), grads, arrived, self.value)
        node = self.node(fact.node)
        skipped = skipped_of(fact, grads, self.ids.arguments(node))
        self.row("node_ran", node=node, grads=grads, rules=rules, skipped=skipped)


def name_of(hook: Any) -> str:
    """Return a hook's name without running a learner's code."""
    hook = hook.__func__ if type(hook) is MethodType else hook
    return hook.__name__ if isinstance(hook, FunctionType) else type(hook).__name__
