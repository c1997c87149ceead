"""torch.autograd.graph: places in the graph, hooks on saved tensors, a hook on several gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine import hooks, local, node
from engine.autograd import GradientEdge
from engine.tensor import Tensor

__all__ = [
    "GradientEdge",
    "Node",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
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
        self.outside.append(here.saved_hooks)
        here.saved_hooks = self.pair

    def __exit__(self, *_: object) -> None:
        local.state().saved_hooks = self.outside.pop()


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable, *, mode: str = "all") -> Any:
    """Call `fn(grads)` once the gradients of all tensors are known in one pass (of any one: mode="any")."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    grads: list[Any] = [None] * len(tensors)
    state = {"left": len(tensors), "called": False}

    def arrived(index: int) -> Callable:
        def hook(grad: Tensor) -> None:
            if mode == "any":
                if not state["called"]:
                    state["called"] = True
                    fn(grad)
                return
            grads[index] = grad
            state["left"] -= 1
            if not state["left"]:
                state["left"] = len(tensors)
                fn(list(grads))
                grads[:] = [None] * len(tensors)

        return hook

    handles = [hooks.register_tensor_hook(t, arrived(i)) for i, t in enumerate(tensors)]
    return _Handles(handles)


class _Handles:
    """Several handles removed as one."""

    def __init__(self, handles: list[Any]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Take all the hooks away."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _Handles:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()
