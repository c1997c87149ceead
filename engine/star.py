"""What `from torch.nn import *` gives: exactly the names that PyTorch's does, as far as they are here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def _table() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (Path(__file__).parent / "star.txt").read_text(encoding="ascii").splitlines():
        owner, *names = line.split()
        if owner != "#":
            found.setdefault(owner, []).extend(names)
    return found


STAR = _table()  # read now: where learners' programs run, no file can be opened later


def offered(module: str, names: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the `__all__` of a module with these names; nothing if `import *` takes all of them."""
    return {"__all__": [name for name in STAR[module] if name in names]} if module in STAR else {}
