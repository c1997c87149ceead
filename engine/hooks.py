"""Hooks: what learners hang on tensors and nodes, and how their results are checked."""

from __future__ import annotations

import itertools
from typing import Any

from engine import errors, events
from engine.node import AccumulateGrad, Node
from engine.tensor import Tensor

_ids = itertools.count()


class RemovableHandle:
    """What registering returns: `remove()` takes the hook away; also a context manager."""

    def __init__(self, hooks: dict[int, Any], key: int) -> None:
        self.hooks = hooks
        self.id = key

    def remove(self) -> None:
        """Take the hook away; doing so twice is harmless."""
        self.hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def register(owner: Any, where: str, hook: Any, when: str, prepend: bool = False) -> RemovableHandle:
    """Put `hook` into the dict `owner.<where>` and state it."""
    hooks = getattr(owner, where)
    if hooks is None:
        hooks = {}
        setattr(owner, where, hooks)
    if isinstance(owner, Node):
        owner.hooked = True
    return _add(hooks, owner, hook, when)


def _add(hooks: dict[int, Any], owner: Any, hook: Any, when: str) -> RemovableHandle:
    key = next(_ids)
    hooks[key] = hook
    events.emit(events.HookRegistered(owner, when, hook))
    return RemovableHandle(hooks, key)


def register_tensor_hook(tensor: Tensor, hook: Any) -> RemovableHandle:
    """Run `hook(grad)` when the gradient of `tensor` is known; its result replaces the gradient."""
    if not tensor.requires_grad:
        raise RuntimeError(errors.hook_without_grad())
    node = tensor.grad_fn  # looking may renew it; hooks that were there before stay at the old node
    if node is None and tensor.hooks is None:
        tensor.hooks = {}
    if tensor.hooks is not None:
        return _add(tensor.hooks, tensor, hook, "tensor")
    if node.tensor_hooks is None:
        node.tensor_hooks = {}
    node.hooked = True
    return _add(node.tensor_hooks.setdefault(tensor.output_nr, {}), tensor, hook, "tensor")


def register_post_accumulate(tensor: Tensor, hook: Any) -> RemovableHandle:
    """Run `hook(leaf)` after its `.grad` was written."""
    if not tensor.requires_grad:
        raise RuntimeError(errors.hook_without_grad())
    if tensor.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return register(tensor, "post_hooks", hook, "after .grad was written")


def hooks_of(node: Node, input_nr: int) -> list[Any]:
    """Return the tensor hooks that apply to one input of `node`, in order of registration."""
    if isinstance(node, AccumulateGrad):
        return list((node.variable.hooks or {}).values())
    return list((node.tensor_hooks or {}).get(input_nr, {}).values())


def hook_name(hook: Any) -> str:
    """Return the name that PyTorch's messages give a hook."""
    return getattr(hook, "__name__", "<unknown>")


def checked(hook: Any, before: Any, result: Any) -> Any:
    """Return what goes on after a tensor hook, or raise as PyTorch does."""
    if result is None:
        return before
    name = hook_name(hook)
    if not isinstance(result, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if result.dtype is not before.dtype:
        raise RuntimeError(
            f"hook '{name}' has changed the type of value (was {before.dtype.legacy} got "
            f"{result.dtype.legacy})"
        )
    if result.array.shape != before.array.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")
    return result


def checked_tuple(hook: Any, before: tuple, result: Any) -> tuple:
    """Return what goes on after a node hook, or raise as PyTorch does."""
    if result is None:
        return before
    if isinstance(result, Tensor) and len(before) == 1 and before[0] is not None:
        result = (result,)
    if not isinstance(result, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(result).__name__}'")
    if len(result) != len(before):
        raise RuntimeError(
            f"hook '{hook_name(hook)}' has returned an incorrect number of values "
            f"(got {len(result)}, but expected {len(before)})"
        )
    return tuple(b if r is None and b is None else checked(hook, b, r) for b, r in zip(before, result))
