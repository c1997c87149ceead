"""The graph: edges, nodes, what they saved. Knows how to run one node, not which comes next."""

from __future__ import annotations

import functools
import weakref
from types import MappingProxyType
from typing import Any

from engine import anomaly, events
from engine.local import ThreadLocalState, state
from engine.ops.table import Op
from engine.saved import RawSaved, SavedTensor
from engine.tensor import info_of
from engine.work import Work, emptied, is_kept, saving

LEAF_SEQ = 2**64 - 1

Edge = tuple["Node", int]


NOTHING: Any = MappingProxyType({})


def rare(name: str) -> Any:
    """Return an attribute that few nodes have, and that lies in a dict of its own (`more`); else None."""

    def get(node: Node) -> Any:
        return None if node.more is None else node.more.get(name)

    def put(node: Node, value: Any) -> None:
        if node.more is None:
            node.more = {}
        node.more[name] = value

    return property(get, put)


class Node:
    """One recorded operation: edges to where its inputs came from, and what its rules need.

    `hooked`: something hangs on it, or did.
    """

    __slots__ = (
        "__weakref__", "freed", "held", "hooked", "more", "next_edges", "op", "outputs_info", "seq", "work",
    )  # fmt: skip
    inner, notes, stack = rare("inner"), rare("notes"), rare("stack")
    tensor_hooks, retains = rare("tensor_hooks"), rare("retains")
    pre_hooks, post_hooks = rare("pre_hooks"), rare("post_hooks")
    by_rules = True  # run() is the one below
    silent = True  # what a rule computes inside is nobody's business; a learner's own backward is

    def __init__(
        self,
        op: Op | None,
        next_edges: tuple[Edge | None, ...],
        outputs_info: tuple,
        here: ThreadLocalState | None = None,
    ) -> None:
        if here is None:
            here = state()
        self.op = op
        self.next_edges = next_edges
        self.outputs_info = outputs_info
        self.seq = here.seq
        here.seq += 1
        self.held: Any = NOTHING  # while it is being saved, hooks may look
        self.freed = self.hooked = False
        self.more: dict[str, Any] | None = None
        self.work: Work | None = None
        if here.anomaly:
            self.stack = anomaly.stack_now()

    def __init_subclass__(cls) -> None:
        if "run" in cls.__dict__:
            cls.by_rules = False

    # ----- what a learner sees -----
    @property
    def type_name(self) -> str:
        """Return the class name that PyTorch prints: MulBackward0."""
        return self.op.node

    def name(self) -> str:
        """Return the node's name as `grad_fn.name()` gives it."""
        return QUALIFIED.get(self.type_name, self.type_name)

    def __repr__(self) -> str:
        return f"<{self.type_name} object at {hex(id(self))}>"

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """Return (node, input_nr) per differentiable argument; (None, 0) where no gradient goes."""
        return tuple((None, 0) if e is None else e for e in self.next_edges)

    @property
    def metadata(self) -> dict:
        """Return the dict for users' own notes (`grad_fn.metadata`)."""
        if self.notes is None:
            self.notes = {}
        return self.notes

    def __dir__(self) -> list[str]:
        """Leave out what nodes of the same name save that come from another row (node_type)."""
        shown = [n.partition("_saved_") for n in object.__dir__(self)]
        return ["".join(n) for n in shown if not n[1] or n[0] not in ("", "_raw") or n[2] in self.saved]

    def saved_value(self, name: str) -> Any:
        """Return a saved value as `grad_fn._saved_<name>` shows it."""
        value = self.saved[name]
        if isinstance(value, SavedTensor):
            return value.unpack(self)
        if isinstance(value, tuple) and any(isinstance(v, SavedTensor) for v in value):
            return tuple(v.unpack(self) if isinstance(v, SavedTensor) else v for v in value)
        return unsigned(name, value)

    def register_hook(self, hook: Any) -> Any:
        """Run `hook(grad_inputs, grad_outputs)` after this node; return a handle."""
        from engine.hooks import register

        return register(self, "post_hooks", hook, "after the node")

    def register_prehook(self, hook: Any) -> Any:
        """Run `hook(grad_outputs)` before this node; return a handle."""
        from engine.hooks import register

        return register(self, "pre_hooks", hook, "before the node")

    def _sequence_nr(self) -> int:
        return self.seq

    # ----- running -----
    @property
    def saved(self) -> dict[str, Any]:
        """Return what is kept for the rules, by name; a tuple is held as a dict from now on."""
        if type(self.held) is tuple:
            self.held = self.work.named(self.held)
        return self.held

    @saved.setter
    def saved(self, values: dict[str, Any]) -> None:
        self.held = values

    def save(self, plan: tuple, args: tuple, outputs: tuple) -> None:
        """Keep what `plan` names: tensors with their version, everything else as it is."""
        self.saved = {**self.saved, **saving(plan, self.op.inputs)(args, outputs)}

    def run(self, grads: tuple, needed: tuple[bool, ...], create_graph: bool) -> list[Any]:
        """Evaluate the rule of every needed input; None for the others. `grads`: one per output.

        Everything saved is unpacked first, needed or not and in the order in which it was packed, as
        PyTorch's generated code does: it decides which changed tensor is complained of, and when hooks run.
        """
        given = {"grad": grads[0], "grads": grads, "needs": needed}
        for name, value in self.saved.items():
            given[name] = unpacked(value, self, create_graph)
        if grads[0] is None and all([g is None for g in grads]):
            return [None] * len(self.next_edges)
        # Note: rules
        results: list[Any] = [None] * len(needed)
        for slot, rule, reads in self.op.calls:
            if needed[slot]:
                results[slot] = rule(*[given[name] for name in reads])
        return results

    def release(self) -> tuple[str, ...]:
        """Drop saved tensors; return the names of what was dropped."""
        dropped = [name for name, value in self.saved.items() if is_kept(value)]
        if dropped:
            events.releasing(self)
            self.saved = {**self.saved, **{name: emptied(self.saved[name]) for name in dropped}}
            self.freed = True
        return tuple(dropped)


def unpacked(value: Any, node: Node, graph: bool) -> Any:
    """Return a saved value as a rule gets it: tensors checked for having been freed or changed."""
    if type(value) is SavedTensor:
        return value.unpack(node, graph)
    if type(value) is tuple:
        return tuple([v.unpack(node, graph) if type(v) is SavedTensor else v for v in value])
    return value


QUALIFIED = {name: f"torch::autograd::{name}" for name in ("NotImplemented", "CopyBackwards")}


def node_type(op: Op, kind: type = Node) -> type:
    """Return the class of the nodes of an operation, which shows what they save, and keep it at the row."""
    op.node_type = found = node_class(op.node, kind)
    for name in op.saves:
        if name in op.hides:
            continue
        setattr(found, f"_saved_{name}", property(functools.partial(shown, name=name)))
        setattr(found, f"_raw_saved_{name}", property(functools.partial(raw, name=name)))
    return found


def shown(node: Node, name: str) -> Any:
    """Return what `grad_fn._saved_<name>` gives."""
    if name not in node.saved:
        raise AttributeError(f"'{node.type_name}' object has no attribute '_saved_{name}'")
    return node.saved_value(name)


def raw(node: Node, name: str) -> RawSaved:
    """Return what `grad_fn._raw_saved_<name>` gives, if a tensor was saved under that name."""
    if type(node.saved.get(name)) is not SavedTensor:
        raise AttributeError(f"'{node.type_name}' object has no attribute '_raw_saved_{name}'")
    return RawSaved(node.saved[name], node)


@functools.cache
def node_class(name: str, kind: type = Node) -> type:
    """Return the class of nodes called `name`, so that `type(grad_fn).__name__` is what PyTorch's is."""
    return type(name, (kind,), {"__module__": "builtins", "__slots__": ()})


class VariadicNode(Node):
    """A node whose op takes a list of tensors (cat, stack): one edge per tensor, one rule for all."""

    __slots__ = ()

    def run(self, grads: tuple, needed: tuple[bool, ...], create_graph: bool) -> list[Any]:
        (name,) = self.op.inputs
        read = []
        for parameter in self.op.reads[name]:
            read.append({"grad": grads[0], "needs": needed}.get(parameter, self.saved.get(parameter)))
        return list(self.op.rules[name](*read)) if grads[0] is not None else [None] * len(needed)


class AccumulateGrad(Node):
    """Where a gradient ends: adds into the `.grad` of one leaf. `backward.py` calls `accumulate`."""

    __module__ = "builtins"  # as PyTorch prints it: <class 'AccumulateGrad'>
    __slots__ = ("variable",)

    def __init__(self, variable: Any) -> None:
        self.op = self.more = self.work = None
        self.next_edges = ()
        self.outputs_info = (info_of(variable),)
        self.seq = LEAF_SEQ
        self.saved = NOTHING
        self.freed = self.hooked = False
        self.variable = variable

    @property
    def type_name(self) -> str:
        return "AccumulateGrad"

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"


def accumulator(leaf: Any) -> AccumulateGrad:
    """Return the one AccumulateGrad of `leaf`, made when first asked for; the leaf holds it weakly."""
    node = leaf.accumulator() if leaf.accumulator is not None else None
    if node is None:
        node = AccumulateGrad(leaf)
        leaf.accumulator = weakref.ref(node)
    return node


def gradient_edge(tensor: Any) -> Edge | None:
    """Return where the gradient of `tensor` goes: its grad_fn, its AccumulateGrad, or nowhere."""
    node = tensor.grad_fn if tensor.base is not None else tensor.node
    if node is not None:
        return node, tensor.output_nr
    return (accumulator(tensor), 0) if tensor.requires else None


UNSIGNED = frozenset(
    "dim dims dim0 dim1 dim2 dimension ignore_index padding_idx start end index diagonal offset shifts pad "
    "decimals".split()
)


def unsigned(name: str, value: Any) -> Any:
    """Return integers as PyTorch's 64-bit unsigned attributes show them: dim=-1 is 2**64-1."""
    if name not in UNSIGNED:
        return value
    if isinstance(value, (tuple, list)):
        return tuple(unsigned(name, v) for v in value)
    return value + 2**64 if type(value) is int and value < 0 else value
