"""`tqdm`: iterates, and shows no bar."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class tqdm:  # noqa: N801 - the package's own word
    """An iterable as it is; everything about the bar is accepted."""

    __slots__ = ("_sg_things", "n")

    def __init__(self, iterable: Any = None, *_: Any, **__: Any) -> None:
        self._sg_things, self.n = iterable, 0

    def __iter__(self) -> Iterator[Any]:
        for thing in self._sg_things:
            yield thing
            self.n += 1

    def __len__(self) -> int:
        return len(self._sg_things)

    def __enter__(self) -> tqdm:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def update(self, n: int = 1) -> None:
        """Count."""
        self.n += n

    def set_description(self, *_: Any, **__: Any) -> None:
        """Accept a text for the bar."""

    set_postfix = set_postfix_str = set_description_str = refresh = close = set_description


def names() -> dict[str, Any]:
    """Return the names of `tqdm`."""
    return {"tqdm": tqdm, "trange": lambda *ends, **_: tqdm(range(*ends))}
