"""What a row says of an optimiser's step or a scheduler's: its fields. Writes no rows."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from engine import events

Write = Callable[[Any], str | None]  # returns the id of a value


class Steps:
    """Tells optimisers apart by a number: a name may be bound anew, a number is not."""

    def __init__(self, tensor: Callable[[Any], str], value: Write) -> None:
        self._tensor = tensor
        self._value = value
        self._met: list[weakref.ref] = []
        self.held: dict[int, list[str]] = {}  # the tensors that each optimiser had at its last step

    def which(self, optimizer: Any) -> int:
        """Return the number of an optimiser: how many were met before it."""
        for number, met in enumerate(self._met):
            if met() is optimizer:
                return number
        self._met.append(weakref.ref(optimizer))
        return len(self._met) - 1

    def hold(self, optimizer: Any, find: Callable[[Any], str | None]) -> None:
        """Remember which tensors an optimiser has. Asks no method: learners override them."""
        groups = vars(optimizer).get("param_groups")
        parts = [group.get("params") for group in groups or () if type(group) is dict]
        held = (find(each) for part in parts if type(part) is list for each in part)
        self.held[self.which(optimizer)] = [tensor for tensor in held if tensor is not None]

    def plain(self, value: Any) -> Any:
        """Return a term as a row says it: a number, a text, or the id of a value."""
        if isinstance(value, str) or (isinstance(value, (int, float)) and np.isfinite(value)):
            return value
        return self._value(value)

    def optimizer_step(self, fact: events.OptimizerStepped, name: str) -> dict:
        """A step begins. `name`: the variable that holds the optimiser."""
        optimizer = fact.optimizer
        return {
            "optimizer": name, "type": type(optimizer).__name__,
            "which": self.which(optimizer),
        }  # fmt: skip

    def parameter_updated(self, fact: events.ParameterUpdated) -> dict:
        """A parameter was written."""
        tensor = self._tensor(fact.parameter)
        terms = {name: self.plain(value) for name, value in fact.terms.items()}
        before, grad, after = (self._value(each) for each in (fact.before, fact.grad, fact.after))
        state = [[name, term, self._value(was), self._value(now)] for name, term, was, now in fact.state]
        return {
            "tensor": tensor, "before": before, "grad": grad, "after": after, "formula": fact.formula,
            "terms": terms, "group": fact.group, "state": state,
        }  # fmt: skip

    def lr_scheduled(self, fact: events.LrScheduled, name: str, optimizer: str) -> dict:
        """A learning rate was planned. `name`, `optimizer`: the variables that hold the two."""
        return {
            "scheduler": name, "type": type(fact.scheduler).__name__,
            "optimizer": optimizer, "which": self.which(fact.optimizer),
            "group": fact.group, "epoch": fact.epoch, "before": number(fact.before),
            "after": number(fact.after), "formula": fact.formula,
            "terms": {name: number(value) for name, value in fact.terms.items()},
        }  # fmt: skip


def number(value: float | None) -> float | str | None:
    """Return a number as JSON can hold it; None stays None."""
    return value if value is None or np.isfinite(value) else str(float(value))
