"""Saying once in a run what a call would have done."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from engine.events import StandIn, emit

_said: ContextVar[set[str] | None] = ContextVar("said", default=None)


def begin() -> None:
    """Forget what was said: another run begins."""
    _said.set(set())


def say(module: str, call: str) -> None:
    """State that a call is stood in for, the first time."""
    said = _said.get()
    if said is not None and call not in said:
        said.add(call)
        emit(StandIn(module, call))


def accepts(module: str, call: str, result: Any = None) -> Any:
    """Return a function that takes anything, says what it is and gives `result`."""

    def stand_in(*_: Any, **__: Any) -> Any:
        say(module, call)
        return result

    stand_in.__name__ = stand_in.__qualname__ = call.rpartition(".")[2]
    return stand_in
