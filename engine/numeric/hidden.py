"""What an object keeps where no attribute leads: a slot that is taken out of its class. Knows no arrays.

There is then no name to guard. And a method that is called with something else in the place of `self`, such
as an object of a learner's that claims to hold an array, is refused by Python itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def hide(kind: type, name: str = "held") -> tuple[Callable[[Any], Any], Callable[[Any, Any], None]]:
    """Take a slot out of a class; return what reads and what writes it, on objects of that class alone."""
    slot = kind.__dict__[name]
    delattr(kind, name)
    for copying in ("__copy__", "__deepcopy__"):
        if copying not in vars(kind):
            setattr(kind, copying, lambda self, memo=None: self)
    return slot.__get__, slot.__set__
