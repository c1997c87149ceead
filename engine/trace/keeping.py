"""What may be kept until its row is written: arguments that nobody can change, and whether anything may."""

from __future__ import annotations

import re
from typing import Any

from engine.tensor import Parameter, Tensor
from engine.trace.rules import text_of

# A program with one of these words in it may notice when an object dies.
MORTAL = ("weak", "__del__", "refcount", "finalise", "finalize")
FIRM = frozenset((Tensor, Parameter, int, float, bool, complex, str, type(None)))  # change no more as text
NUMBERS = frozenset((int, float, bool, type(None)))


class Text(str):
    """A plain argument as it was when the operation ran."""

    __slots__ = ()


def mortal(text: str) -> bool:
    """Return whether a program, in small letters, may notice when an object dies."""
    return any([word in text for word in MORTAL]) or ("gc" in text and bool(re.search(r"\bgc\b", text)))


def firm(value: Any) -> Any:
    """Return an argument in a form that nobody can change later."""
    if type(value) in FIRM or isinstance(value, Tensor):
        return value
    if isinstance(value, (tuple, list)):
        if value and all(isinstance(part, Tensor) for part in value):
            return tuple(value)
        if type(value) is tuple and NUMBERS.issuperset(map(type, value)):
            return value
    return Text(text_of(value))
