"""What PyTorch has and this engine lacks, by name, so that a learner is told which of the two it is."""

from __future__ import annotations

from pathlib import Path


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


def in_tensor(kind: str, name: str) -> str:
    """Return why a tensor has no such attribute, told the same way."""
    if name in ABSENT["Tensor"]:
        return f"Tensor.{name} is part of PyTorch, but it is not available here"
    return f"'{kind}' object has no attribute '{name}'"
