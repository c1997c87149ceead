"""Grad mode and inference mode: whether operations leave a trace. Knows no tensors."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from engine import events
from engine.local import state


def is_grad_enabled() -> bool:
    """Return whether operations are recorded."""
    return state().grad


def is_inference_mode_enabled() -> bool:
    """Return whether what is made now will be an inference tensor."""
    return state().inference


def in_rule() -> bool:
    """Return whether a backward rule is running."""
    return state().in_rule


class _Mode:
    """A mode usable as a context manager and as a decorator of functions and generators."""

    stated = True

    def __enter__(self) -> None:
        self.outside = getattr(self, "outside", [])
        here, settings = state(), self.settings()
        self.outside.append({name: getattr(here, name) for name in settings})
        self.switch(settings)

    def __exit__(self, *_: object) -> None:
        self.switch(self.outside.pop())

    def switch(self, settings: dict[str, bool]) -> None:
        """Set what holds on this thread; say so if recording was switched and that is the learner's doing."""
        here = state()
        before = here.grad
        for name, value in settings.items():
            setattr(here, name, value)
        if self.stated and here.grad != before:
            events.emit(events.GradModeSet(here.grad))

    def settings(self) -> dict[str, bool]:
        """Return what holds while inside."""
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

    def settings(self) -> dict[str, bool]:
        return {"grad": False}


class enable_grad(no_grad):  # noqa: N801
    """Inside, recording is on again."""

    def settings(self) -> dict[str, bool]:
        return {"grad": True}


class set_grad_enabled(_Mode):  # noqa: N801
    """Switch recording at once when called; as a context manager, restore on leaving."""

    def __init__(self, mode: bool) -> None:
        if type(mode) is not bool:
            kind = type(mode).__name__
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {kind}")
        self.mode = mode
        self.before = state().grad
        self.switch({"grad": self.mode})

    def __call__(self, function: Callable) -> Callable:
        self.switch({"grad": self.before})
        return super().__call__(function)

    def __enter__(self) -> None:
        self.switch({"grad": self.mode})

    def __exit__(self, *_: object) -> None:
        self.switch({"grad": self.before})

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

    def settings(self) -> dict[str, bool]:
        return {"inference": True, "grad": False} if self.mode else {}

    def clone(self) -> _Mode:
        return inference_mode(self.mode)


class backward_mode(_Mode):  # noqa: N801
    """How a backward pass runs: recording only for `create_graph`; outside any rule."""

    stated = False

    def __init__(self, create_graph: bool) -> None:
        self.create_graph = create_graph

    def settings(self) -> dict[str, bool]:
        return {"grad": self.create_graph, "in_rule": False}


def begin_rule() -> bool:
    """From now on plain numbers in arithmetic are C++ scalars (MulBackward1, not MulBackward0)."""
    here = state()
    before, here.in_rule = here.in_rule, True
    return before


def end_rule(before: bool) -> None:
    """Undo `begin_rule`."""
    state().in_rule = before
