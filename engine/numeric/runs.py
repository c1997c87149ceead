"""What one run of a program remembers here: its seed, the module's generator, what was warned of once."""

from __future__ import annotations

import warnings
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from engine.events import Seeded, emit


@dataclass(slots=True)
class Run:
    """One run. `asked` counts the generators that had no seed of their own."""

    seed: int
    asked: int = 0
    state: Any = None
    told: bool = False
    warned: set[str] = field(default_factory=set)


_run: ContextVar[Run | None] = ContextVar("numpy_run", default=None)


def start(seed: int) -> None:
    """Begin a run: nothing that was drawn before matters from now on."""
    _run.set(Run(seed % 2**32))


def current() -> Run:
    """Return the run that is going on."""
    if _run.get() is None:
        start(0)
    return _run.get()


def tell_seed() -> None:
    """State, the first time in a run, that numbers are drawn without a seed of the program's own."""
    here = current()
    if not here.told:
        here.told = True
        emit(Seeded("numpy", here.seed))


def warn_once(text: str) -> None:
    """Say something the first time it happens in a run."""
    if text not in current().warned:
        current().warned.add(text)
        warnings.warn(text, UserWarning, stacklevel=5)
