"""`torch.compile`: what it is given is as good as compiled; the graph and the numbers are the same."""

from __future__ import annotations

from typing import Any

from engine.stood_in import say


def compile(model: Any = None, **_: Any) -> Any:
    """Return the model or function itself; without one, a decorator."""
    say("torch.compile", "torch.compile")
    return (lambda given: given) if model is None else model
