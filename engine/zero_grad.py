"""Emptying `.grad`: what `zero_grad()` of a module or an optimiser does to one parameter."""

from __future__ import annotations

from engine import events, views
from engine.sparse import SparseTensor
from engine.tensor import Tensor


def clear_grad(parameter: Tensor, set_to_none: bool) -> None:
    """Empty one `.grad`: to None, or to zeros in place after cutting it from any graph."""
    grad = parameter.grad_tensor
    if grad is None or set_to_none:
        parameter.set_grad(None, "zero_grad")
        return
    watch = events.observer()
    before = grad.array.copy() if watch is not None else None
    if grad.grad_fn is not None:
        views.cut(grad)
    if isinstance(grad, SparseTensor):
        grad.zero_()
    else:
        grad.write(0)
    if watch is not None:
        watch(events.GradSet(parameter, before, grad.array, "zero_grad"))
