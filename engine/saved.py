"""What a node keeps for its backward pass: one tensor, its version, and the hooks it goes through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from engine import anomaly, errors, events
from engine.local import state
from engine.tensor import Tensor, make

FREED = object()
PACK_WROTE = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot "
    "be modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if "
    "you need to perform in-place operations on the input to a pack hook."
)


class SavedTensor:
    """A tensor as it was when saved: the object (or an alias, for the node's own output) and its version."""

    __slots__ = ("history", "output_nr", "tensor", "unpack_hook", "version", "watch")

    def __init__(self, tensor: Any, output_nr: int | None = None) -> None:
        self.output_nr = output_nr
        self.version = 0
        self.unpack_hook: Any = None
        if isinstance(tensor, Tensor):
            if tensor.inference:
                raise RuntimeError(errors.inference_saved())
            whole = tensor
            if output_nr is not None:
                tensor = tensor.aliased()
            counter = tensor.counter
            if counter is not None:
                self.version = counter[0]
            pair = state().saved_hooks
            if pair is not None:
                self.history = history_of(tensor)
                tensor, self.unpack_hook = self.packed(whole, pair[0]), pair[1]
        self.tensor = tensor

    def packed(self, tensor: Tensor, hook: Any) -> Any:
        """Return what a pack hook makes of a tensor, recording nothing, and state it."""
        version = tensor.version_now()
        with outside_rules(grad=False):
            made = hook(tensor)
        if tensor.version_now() != version:
            raise RuntimeError(PACK_WROTE)
        self.watch = events.observer()
        if self.watch is not None:
            shown = made if isinstance(made, Tensor) else None
            self.watch(events.SavedPacked(hook, tensor, type(made).__name__, shown))
        return made

    def unpack(self, node: Any, graph: bool = True) -> Any:
        """Return the tensor for use, or raise PyTorch's error if it was freed or changed since."""
        tensor = self.tensor
        if tensor is FREED:
            raise RuntimeError(errors.second_backward())
        if self.unpack_hook is not None:
            with outside_rules(state().grad):
                found = self.with_history(self.unpack_hook(tensor), node)
            if self.watch is not None:  # a rule is running, but this is the program's own doing
                self.watch(events.SavedUnpacked(node, self.unpack_hook, type(tensor).__name__, found))
            return found
        if not isinstance(tensor, Tensor):
            return wrapped(tensor) if graph else tensor
        if self.output_nr is not None:
            tensor = tensor.aliased()
            if self.output_nr < len(node.outputs_info) and tensor.array.dtype.kind in "fc":
                tensor.node, tensor.output_nr, tensor.requires = node, self.output_nr, True
        if tensor.version_now() != self.version:
            raise RuntimeError(errors.changed_in_place(tensor, self.version, anomaly.is_anomaly_enabled()))
        return tensor

    def with_history(self, tensor: Any, node: Any) -> Tensor:
        """Return what an unpack hook gave in the place in the graph that the packed tensor had."""
        if not isinstance(tensor, Tensor):
            kind = type(tensor).__name__
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {kind}"
            )
        found = tensor.aliased()
        found.node, found.output_nr, found.requires, found.accumulator = self.history
        if self.output_nr is not None:
            found.node, found.output_nr, found.requires = node, self.output_nr, True
        return found


GONE = SavedTensor(FREED)


def unwritten(value: Any) -> SavedTensor:
    """Return a number, or a tensor that had never been written, as saved then, when no hook was asked."""
    saved = object.__new__(SavedTensor)
    saved.output_nr = saved.unpack_hook = None
    saved.version, saved.tensor = 0, value
    return saved


@contextmanager
def outside_rules(grad: bool) -> Iterator[None]:
    """Let a program's own hook compute as it would anywhere, though a rule may be running."""
    here = state()
    before, here.grad, here.in_rule = (here.grad, here.in_rule), grad, False
    try:
        yield
    finally:
        here.grad, here.in_rule = before


def history_of(tensor: Tensor) -> tuple:
    """Return a tensor's place in the graph: node, output_nr, requires, and a leaf's AccumulateGrad."""
    from engine.node import accumulator

    node, requires = tensor.grad_fn, tensor.requires_grad
    if node is None and requires:
        accumulator(tensor)
    return node, tensor.output_nr, requires, tensor.accumulator


class RawSaved:
    """What `grad_fn._raw_saved_<name>` gives: a place to hang hooks on one saved tensor."""

    def __init__(self, saved: SavedTensor, node: Any) -> None:
        self.__register = lambda pack, unpack: hook_one(saved, node, pack, unpack)

    def register_hooks(self, pack_hook: Callable, unpack_hook: Callable) -> None:
        """Pack the saved tensor now with one function; unpack it with the other when it is needed."""
        self.__register(pack_hook, unpack_hook)


def hook_one(saved: SavedTensor, node: Any, pack: Callable, unpack: Callable) -> None:
    """Let what was saved go through hooks from now on, if it is still there and none were set."""
    tensor = saved.tensor
    if tensor is FREED:
        raise RuntimeError(
            "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of "
            "the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if "
            "you need to backward through the graph a second time or if you need to access saved variables "
            "after calling backward."
        )
    if saved.unpack_hook is not None:
        raise RuntimeError(
            "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair "
            "of hooks is allowed at a time."
        )
    if not isinstance(tensor, Tensor):
        raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
    events.changing()
    saved.history = history_of(tensor)
    saved.tensor, saved.unpack_hook = saved.packed(saved.unpack(node), pack), unpack


def wrapped(number: Any) -> Any:
    """Return a Python number as the 0-d tensor that PyTorch makes of it (int64, float64, bool)."""
    tensor = make(np.asarray(number))
    tensor.wrapped = True
    return tensor
