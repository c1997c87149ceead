"""torch.autograd.graph: places in the graph, hooks on saved tensors, a hook on several gradients."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from engine import backward, errors, hooks, local, node
from engine.autograd import GradientEdge
from engine.tensor import Tensor

__all__ = [
    "GradientEdge",
    "Node",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]

Node = node.Node


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Return where the gradient of a tensor flows."""
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients"
        )
    return GradientEdge(*node.gradient_edge(tensor))


def increment_version(tensors: Any) -> None:
    """Count a write in place that autograd could not see."""
    for tensor in (tensors,) if isinstance(tensors, Tensor) else tensors:
        tensor.bump()


class saved_tensors_hooks:  # noqa: N801 - PyTorch's name
    """Inside, tensors saved for backward go through `pack_hook` and come back through `unpack_hook`."""

    def __init__(self, pack_hook: Callable, unpack_hook: Callable) -> None:
        self.pair = (pack_hook, unpack_hook)
        self.outside: list[Any] = []

    def __enter__(self) -> None:
        here = local.state()
        if here.hooks_refused is not None:
            raise RuntimeError(here.hooks_refused)
        self.outside.append(here.saved_hooks)
        here.saved_hooks = self.pair

    def __exit__(self, *_: object) -> None:
        local.state().saved_hooks = self.outside.pop()


class save_on_cpu(saved_tensors_hooks):  # noqa: N801
    """Inside, what is saved for backward waits on the CPU and comes back to where it was."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda t: (t.device, t.cpu()), lambda packed: packed[1].to(packed[0]))


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, hooks on saved tensors are refused with this message."""
    here = local.state()
    if here.saved_hooks is not None:
        raise RuntimeError(error_message)
    before, here.hooks_refused = here.hooks_refused, error_message
    try:
        yield
    finally:
        here.hooks_refused = before


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable, *, mode: str = "all") -> Any:
    """Call `fn(grads)` once a pass knows all gradients it will know (of any one: mode="any").

    Tensors that the pass does not reach are not waited for; their gradient is None.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        first = _first_of_each_pass(fn)
        asked = [t for t in tensors if t.requires_grad]
        return _MultiHandle([hooks.register_tensor_hook(t, first) for t in asked])
    ends = [edge[0] if (edge := node.gradient_edge(t)) is not None else None for t in tensors]
    arrived = _all_of_each_pass(fn, ends)
    return _MultiHandle([hooks.register_tensor_hook(t, arrived(i)) for i, t in enumerate(tensors)])


def _first_of_each_pass(fn: Callable) -> Callable:
    told: weakref.WeakSet = weakref.WeakSet()

    def hook(grad: Tensor) -> None:
        call = backward.running.get()
        if call not in told:
            told.add(call)
            fn(grad)

    return hook


def _all_of_each_pass(fn: Callable, ends: list[Any]) -> Callable:
    waiting: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()

    def arrived(index: int) -> Callable:
        def hook(grad: Tensor) -> None:
            call = backward.running.get()
            if call not in waiting:
                waiting[call] = [sum([runs(call, end) for end in ends]), [None] * len(ends)]
            state = waiting[call]
            state[0] -= 1
            state[1][index] = grad
            if not state[0]:
                del waiting[call]
                fn(state[1])

        return hook

    return arrived


def runs(call: backward.Call, end: Any) -> bool:
    """Return whether a pass under way runs a node (autograd: _will_engine_execute_node)."""
    if call.needed is None:
        return end in call.nodes
    if not call.accumulate and type(end) is node.AccumulateGrad and any(e[0] is end for e in call.targets):
        raise RuntimeError(errors.leaf_asked_about())
    return call.needed.reaches(end)


class _MultiHandle:
    """Several handles removed as one."""

    def __init__(self, handles: list[Any]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Take all the hooks away."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _MultiHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


_MultiHandle.__module__ = "torch.autograd.graph"
