"""Warnings as PyTorch gives them: where the program stands, each time or once in a program."""

from __future__ import annotations

import sys
import warnings
from contextvars import ContextVar

_warned: ContextVar[frozenset[str]] = ContextVar("warned", default=frozenset())


def begin() -> None:
    """A program begins: nothing was warned of yet."""
    _warned.set(frozenset())


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the program that has called into the engine, however deep that is below."""
    level, frame = 1, sys._getframe(0)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("engine."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def is_first(what: str) -> bool:
    """Say whether a program is to be warned of something for the first time."""
    if what in _warned.get():
        return False
    _warned.set(_warned.get() | {what})
    return True


def warn_once(what: str, text: str, level: int | None = None) -> None:
    """Give a warning that PyTorch gives once in a program.

    `level` 3: where the caller was called, 1: inside a library; without it, the program's line.
    """
    if is_first(what):
        if level is None:
            warn(text)
        else:
            warnings.warn(text, UserWarning, stacklevel=level)
