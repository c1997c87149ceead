"""The ready queue, written anew: a heap on sequence numbers that moves as libstdc++'s does. Knows no rows."""

from __future__ import annotations

from collections.abc import Callable


class Heap:
    """A binary heap of names, the one with the highest number on top; equal ones stay where they fall."""

    def __init__(self, number: Callable[[str], float]) -> None:
        self.number = number
        self.names: list[str] = []

    def push(self, name: str) -> None:
        """Put a name at the end, and let it climb while its parent has a lower number."""
        self.names.append(name)
        self.climb(len(self.names) - 1)

    def pop(self) -> str:
        """Take the top away. The hole sinks to the bottom, the last name falls into it and climbs."""
        names = self.names
        top, last = names[0], names.pop()
        if not names:
            return top
        hole = 0
        while 2 * hole + 1 < len(names):
            left, right = 2 * hole + 1, 2 * hole + 2
            child = (
                left if right >= len(names) or self.number(names[right]) < self.number(names[left]) else right
            )
            names[hole] = names[child]
            hole = child
        names[hole] = last
        self.climb(hole)
        return top

    def climb(self, at: int) -> None:
        """Exchange a name with its parent as long as that has a lower number."""
        names = self.names
        while at and self.number(names[(at - 1) // 2]) < self.number(names[at]):
            names[at], names[(at - 1) // 2] = names[(at - 1) // 2], names[at]
            at = (at - 1) // 2
