"""Grad mode and inference mode: whether operations leave a trace. Knows no tensors."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Any

from engine import events

_grad: ContextVar[bool] = ContextVar("grad_enabled", default=True)
_inference: ContextVar[bool] = ContextVar("inference", default=False)
_in_rule: ContextVar[bool] = ContextVar("in_rule", default=False)

is_grad_enabled = _grad.get
is_inference_mode_enabled = _inference.get
in_rule = _in_rule.get


class _Mode:
    """A mode usable as a context manager and as a decorator of functions and generators."""

    stated = True

    def __enter__(self) -> None:
        self.tokens = getattr(self, "tokens", [])
        before = _grad.get()
        self.tokens.append([(var, var.set(value)) for var, value in self.settings()])
        self.state(before)

    def __exit__(self, *_: object) -> None:
        before = _grad.get()
        for var, token in reversed(self.tokens.pop()):
            var.reset(token)
        self.state(before)

    def state(self, before: bool) -> None:
        """State that recording was switched, if it was and if that is the learner's doing."""
        if self.stated and _grad.get() != before:
            events.emit(events.GradModeSet(_grad.get()))

    def settings(self) -> list[tuple[ContextVar, Any]]:
        """Return the context variables to set while inside, with their values."""
        raise NotImplementedError

    def clone(self) -> _Mode:
        """Return a fresh mode of the same kind, one per decorated call."""
        return type(self)()

    def __call__(self, function: Callable) -> Callable:
        if inspect.isgeneratorfunction(function):
            return _decorated_generator(self, function)

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return inside


def _decorated_generator(mode: _Mode, function: Callable) -> Callable:
    """Keep the mode on only while the generator's own code runs, as PyTorch does."""

    @functools.wraps(function)
    def inside(*args: Any, **kwargs: Any) -> Any:
        steps = function(*args, **kwargs)
        answer = None
        while True:
            try:
                with mode.clone():
                    value = steps.send(answer)
            except StopIteration as stop:
                return stop.value
            answer = yield value

    return inside


class no_grad(_Mode):  # noqa: N801 - PyTorch's name
    """Inside, results do not require grad and no nodes are made."""

    def __new__(cls, function: Callable | None = None) -> Any:
        mode = super().__new__(cls)
        return mode if function is None else mode(function)

    def settings(self) -> list[tuple[ContextVar, Any]]:
        return [(_grad, False)]


class enable_grad(no_grad):  # noqa: N801
    """Inside, recording is on again."""

    def settings(self) -> list[tuple[ContextVar, Any]]:
        return [(_grad, True)]


class set_grad_enabled(_Mode):  # noqa: N801
    """Switch recording at once when called; as a context manager, restore on leaving."""

    def __init__(self, mode: bool) -> None:
        self.mode = bool(mode)
        self.before = _grad.get()
        self.switch(self.mode)

    def switch(self, enabled: bool) -> None:
        """Set the mode and state it if it changed."""
        before = _grad.get()
        _grad.set(enabled)
        self.state(before)

    def __call__(self, function: Callable) -> Callable:
        self.switch(self.before)
        return super().__call__(function)

    def __enter__(self) -> None:
        self.switch(self.mode)

    def __exit__(self, *_: object) -> None:
        self.switch(self.before)

    def clone(self) -> _Mode:
        return set_grad_enabled(self.mode)


class inference_mode(_Mode):  # noqa: N801
    """Like no_grad; tensors made inside are inference tensors without version counters."""

    def __new__(cls, mode: Any = True) -> Any:
        made = super().__new__(cls)
        if callable(mode):
            made.mode = True
            return made(mode)
        return made

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def settings(self) -> list[tuple[ContextVar, Any]]:
        return [(_inference, True), (_grad, False)] if self.mode else []

    def clone(self) -> _Mode:
        return inference_mode(self.mode)


class backward_mode(_Mode):  # noqa: N801
    """How a backward pass runs: recording only for `create_graph`; outside any rule."""

    stated = False

    def __init__(self, create_graph: bool) -> None:
        self.create_graph = create_graph

    def settings(self) -> list[tuple[ContextVar, Any]]:
        return [(_grad, self.create_graph), (_in_rule, False)]


def begin_rule() -> Token:
    """From now on plain numbers in arithmetic are C++ scalars (MulBackward1, not MulBackward0)."""
    return _in_rule.set(True)


end_rule = _in_rule.reset
