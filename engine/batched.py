"""`is_grads_batched=True`: one backward pass for every row of the given gradients, side by side, as one.

PyTorch runs its engine once over gradients with a hidden leading dimension. Here one pass per row runs
in step with the others, and what they state is stated once, with the rows stacked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np

from engine import events, modes
from engine.backward import Call, run
from engine.tensor import Tensor, make


def execute(calls: list[Call], keep_graph: bool) -> None:
    """Run all calls in step; tensors that were saved are dropped once every row has used them."""
    watch = events.observer()
    for call in calls:
        call.watched, call.keep_graph = True, True
    with modes.backward_mode(calls[0].create_graph):
        for step in merged(calls, keep_graph):
            if watch is not None:
                watch(step)


def merged(calls: list[Call], keep_graph: bool) -> Iterator[Any]:
    """Yield what all calls state together."""
    ran = None
    for facts in zip(*map(run, calls), strict=True):
        if ran is not None and not isinstance(facts[0], events.ReducedToShape):
            dropped = () if keep_graph else ran.release()
            if dropped:
                yield events.SavedFreed(ran, dropped)
            ran = None
        if isinstance(facts[0], events.NodeRan):
            ran = facts[0].node
        if isinstance(facts[0], events.BackwardBegan):
            yield replace(together(facts), retain_graph=keep_graph)
        else:
            yield together(facts)


def together(facts: tuple) -> Any:
    """Return one fact that stands for the same fact of every row."""
    first = facts[0]
    values = {f.name: stacked([getattr(fact, f.name) for fact in facts]) for f in fields(first)}
    return type(first)(**values)


def stacked(values: list[Any]) -> Any:
    """Return tensors or arrays of all rows with a leading dimension; anything else as in the first."""
    first = values[0]
    if isinstance(first, tuple) and any(isinstance(v, (Tensor, np.ndarray)) for v in first):
        return tuple(stacked(list(parts)) for parts in zip(*values, strict=True))
    if isinstance(first, np.ndarray):
        return np.stack(values)
    if isinstance(first, Tensor) and any(v is not first for v in values):
        tensor = make(np.stack([v.array for v in values]))
        tensor.batch = len(values)
        return tensor
    return first
