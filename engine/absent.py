"""What PyTorch has and this engine lacks, by name, so that a learner is told which of the two it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def _table() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in (Path(__file__).parent / "absent.txt").read_text(encoding="ascii").splitlines():
        owner, *names = line.split()
        if owner != "#":
            found.setdefault(owner, set()).update(names)
    return {owner: frozenset(names) for owner, names in found.items()}


ABSENT = _table()  # read now: where learners' programs run, no file can be opened later


def in_module(module: str, name: str) -> str:
    """Return why a module has no such name: PyTorch has none either, or only this engine lacks it."""
    if name in ABSENT.get(module, ()):
        return f"{module}.{name} is part of PyTorch, but it is not available here"
    return f"module '{module}' has no attribute '{name}'"


class Missing:
    """An attribute of PyTorch's tensors that only this engine lacks, and that says so.

    It hangs on the class by its name: a `__getattr__` would make every other attribute five times slower.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, tensor: Any, kind: type) -> Any:
        raise AttributeError(f"Tensor.{self.name} is part of PyTorch, but it is not available here")
