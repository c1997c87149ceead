"""`torch.save` and `torch.load`: no file is written; what was saved is kept until the program ends.

A file is its name, a buffer the object itself. As in PyTorch a tensor is saved with its numbers
and `requires_grad`, without its history and `.grad`.
"""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np

from engine import errors, events
from engine.local import state
from engine.stood_in import say
from engine.tensor import Tensor

__all__ = ["load", "save"]

SAFE = (dict, list, tuple, set, str, bytes, int, float, complex, type(None), Tensor)


def save(obj: Any, f: Any, *_: Any, **__: Any) -> None:
    """Keep a copy of an object under a file's name, or for a buffer."""
    if isinstance(f, str):
        say("torch.save", "torch.save")
    elif not hasattr(f, "write"):
        raise AttributeError(
            "expected 'f' to be string, path, or a file-like object with a 'write' attribute"
        )
    state().files[_key(f)] = f, copied(obj, {})


def load(f: Any, map_location: Any = None, *_: Any, weights_only: bool = True, **__: Any) -> Any:
    """Return a copy of what was saved; raises FileNotFoundError, EOFError, UnpicklingError."""
    if not isinstance(f, str) and not hasattr(f, "seek"):
        raise AttributeError(errors.not_seekable(type(f).__name__))
    if _key(f) not in state().files:
        raise (
            FileNotFoundError(f"[Errno 2] No such file or directory: {f!r}")
            if isinstance(f, str)
            else EOFError
        )
    held = state().files[_key(f)][1]
    if weights_only and (unsafe := _unsafe(held)) is not None:
        raise pickle.UnpicklingError(errors.weights_only(_title(type(unsafe))))
    return copied(held, {})


def _title(kind: type) -> str:
    """Return the full name of a class."""
    return f"{kind.__module__}.{kind.__qualname__}"


def _key(f: Any) -> Any:
    """Return what a file or buffer is known by; a buffer is kept, so that no other takes its place."""
    return f if isinstance(f, str) else id(f)


def copied(value: Any, memo: dict[int, Any]) -> Any:
    """Return a copy as a file would give it back."""
    with events.observed_by(None):
        _fresh_tensors(value, memo, set())
        return copy.deepcopy(value, memo)


def _fresh_tensors(value: Any, memo: dict[int, Any], seen: set[int]) -> None:
    """Put into the memo a tensor without history or `.grad` for every tensor that a value holds."""
    if isinstance(value, Tensor):
        if id(value) not in memo:
            fresh = memo[id(value)] = object.__new__(type(value))
            fresh.array = np.array(value.array)
            fresh.exotic, fresh.place = value.exotic, value.place
            fresh.requires = value.requires or value.node is not None
        return
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, dict):
        inside: Any = value.values()
    elif isinstance(value, (list, tuple, set)):
        inside = value
    else:
        inside = vars(value).values() if _is_module(value) else ()
    for each in inside:
        _fresh_tensors(each, memo, seen)


def _is_module(value: Any) -> bool:
    return hasattr(value, "_parameters") and hasattr(value, "__dict__")


def _unsafe(value: Any) -> Any:
    """Return the first object that is more than tensors, numbers, texts and their containers."""
    if isinstance(value, dict):
        inside: Any = [*value.keys(), *value.values()]
    elif isinstance(value, (list, tuple, set)):
        inside = value
    else:
        foreign = _is_module(value) or type(value).__module__ == "__main__"
        return value if foreign and not isinstance(value, SAFE) else None
    return next((found for each in inside if (found := _unsafe(each)) is not None), None)
