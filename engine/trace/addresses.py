"""Addresses in what a program prints: numbered as they appear, so that a program has one trace."""

from __future__ import annotations

import re

ADDRESS = re.compile(r"(?<= at )0x[0-9a-f]{6,16}\b")
FIRST, APART = 0x7F0000000000, 0x40


class Addresses:
    """Gives each address of one run a steady one: the first that is shown, the second, and so on."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.steady: dict[str, str] = {}

    def told(self, text: str) -> str:
        """Return a text with every `<... at 0x7e25...>` steady; what the program itself says is left."""
        return ADDRESS.sub(self._steady, text) if " at 0x" in text else text

    def _steady(self, found: re.Match) -> str:
        address = found[0]
        if address in self.source:
            return address
        return self.steady.setdefault(address, f"{FIRST + APART * len(self.steady):#x}")
