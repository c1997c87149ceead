"""Calls of PyTorch that need a file, a clock or a compiler: something small stands in; that is said once."""

from __future__ import annotations

from engine.events import StandIn, emit
from engine.local import state


def say(part: str, call: str) -> None:
    """State that a call of a part of PyTorch is stood in for, the first time in a program."""
    said = state().said
    if call not in said:
        said.add(call)
        emit(StandIn(part, call))
