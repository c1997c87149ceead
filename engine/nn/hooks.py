"""Module hooks: what learners hang on a module, around its forward and where gradients cross it."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

from engine import modes
from engine.function import Function
from engine.hooks import RemovableHandle
from engine.tensor import Tensor

KINDS = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
_ids = itertools.count()


def hang(
    module: Any, kind: str, hook: Any, prepend: bool = False, with_kwargs: bool = False
) -> RemovableHandle:
    """Add a hook to a module, last or first of its kind."""
    hooks = getattr(module, kind)
    key = next(_ids)
    hooks[key] = (hook, with_kwargs)
    if prepend:
        for other in [k for k in hooks if k != key]:
            hooks[other] = hooks.pop(other)
    return RemovableHandle(hooks, key)


def called(module: Any, args: tuple, kwargs: dict) -> Any:
    """Run forward with the hooks around it."""
    for hook, with_kwargs in list(module._forward_pre_hooks.values()):
        args, kwargs = _before(hook, with_kwargs, module, args, kwargs)
    crossing = None
    if module._backward_hooks or module._backward_pre_hooks:
        crossing = Crossing(module)
        args = crossing.entered(args)
    result = module.forward(*args, **kwargs)
    for hook, with_kwargs in list(module._forward_hooks.values()):
        answer = hook(module, args, kwargs, result) if with_kwargs else hook(module, args, result)
        result = result if answer is None else answer
    return result if crossing is None else crossing.left(result)


def _before(hook: Any, with_kwargs: bool, module: Any, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    if not with_kwargs:
        answer = hook(module, args)
        if answer is None:
            return args, kwargs
        return answer if isinstance(answer, tuple) else (answer,), kwargs
    answer = hook(module, args, kwargs)
    if answer is None:
        return args, kwargs
    if isinstance(answer, tuple) and len(answer) == 2:
        return answer
    raise RuntimeError(
        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {answer}."
    )


# ----- backward ---------------------------------------------------------------------------------
class BackwardHookFunction(Function):
    """Passes tensors through and stands in the graph where gradients enter or leave a module."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> tuple:
        """Return the tensors themselves."""
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple:
        """Return the gradients themselves."""
        return grads


class Crossing:
    """One call of a module with backward hooks: the node its outputs pass, and the one its inputs passed."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.hooks = [hook for hook, _ in module._backward_hooks.values()]
        self.pre_hooks = [hook for hook, _ in module._backward_pre_hooks.values()]
        self.grad_outputs: tuple | None = None
        self.places: list[int] | None = None
        self.count = 0

    def entered(self, args: tuple) -> tuple:
        """Let the inputs pass a node whose hook calls the module's hooks."""
        args, self.places, node = _through(args)
        self.count = len(args)
        if node is not None:
            node.register_hook(self._inputs_known)
        return args

    def left(self, result: Any) -> Any:
        """Let the outputs pass a node whose hook notes their gradients."""
        parts, places, node = _through(result if isinstance(result, tuple) else (result,))
        if node is not None:
            node.register_hook(
                lambda _, grads: self._outputs_known(_spread(places, grads, len(parts)), places)
            )
        return parts if isinstance(result, tuple) else parts[0]

    def _outputs_known(self, grads: tuple, places: list[int]) -> tuple:
        for hook in self.pre_hooks:
            answer = hook(self.module, grads)
            if answer is not None and len(answer) != len(grads):
                raise RuntimeError(
                    f"Backward pre hook returned an invalid number of grad_output, got {len(answer)}, but "
                    f"expected {len(grads)}"
                )
            grads = grads if answer is None else answer
        self.grad_outputs = grads
        if self.places is None:
            warnings.warn(NO_INPUT, UserWarning, stacklevel=2)
            for hook in self.hooks:
                hook(self.module, (None,) * self.count, grads)
            self.grad_outputs = None
        return tuple(grads[i] for i in places)

    def _inputs_known(self, grads: tuple, _: tuple) -> tuple | None:
        if self.grad_outputs is None:
            return None
        found = _spread(self.places, grads, self.count)
        for hook in self.hooks:
            answer = hook(self.module, found, self.grad_outputs)
            if answer is not None and len(answer) != len(found):
                raise RuntimeError(
                    f"Backward hook returned an invalid number of grad_input, got {len(answer)}, but "
                    f"expected {len(found)}"
                )
            found = found if answer is None else answer
        self.grad_outputs = None
        return tuple(found[i] for i in self.places)


def _through(values: tuple) -> tuple[tuple, list[int] | None, Any]:
    """Let the tensors among some values pass one node; return them, their places, and the node."""
    places = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
    if not (modes.is_grad_enabled() and any(values[i].requires_grad for i in places)):
        return values, None, None
    passed = BackwardHookFunction.apply(*(values[i] for i in places))
    found = list(values)
    for i, value in zip(places, passed, strict=True):
        found[i] = value
    return tuple(found), places, next(value.grad_fn for value in passed if value.grad_fn is not None)


def _spread(places: list[int], grads: tuple, count: int) -> tuple:
    """Return gradients at the places of their tensors, None elsewhere."""
    found = [None] * count
    for i, grad in zip(places, grads, strict=True):
        found[i] = grad
    return tuple(found)


NO_INPUT = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
    "require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
    "#torch.nn.Module.register_full_backward_hook for more details."
)
