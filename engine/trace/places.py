"""Where the program stands when a fact arrives, and what it is inside of: modules, backward calls, a step."""

from __future__ import annotations

from types import FrameType

Place = tuple[FrameType | None, int]  # a frame of the program and the instruction it is at


class Places:
    """What is going on, by the place in the program where it began."""

    def __init__(self) -> None:
        self.calls = 0
        self._open: list[tuple[int, Place]] = []
        self.inside: list[tuple[str, Place]] = []  # modules, outermost first
        self.step: Place = (None, -1)  # where an optimiser's step was last begun

    # ----- modules -----
    def enter(self, module: str, place: Place) -> None:
        """A module's forward begins."""
        self.inside.append((module, place))

    def leave(self, module: str) -> None:
        """A module's forward has returned."""
        while self.inside and self.inside.pop()[0] != module:
            pass

    def module(self, frame: FrameType | None) -> str | None:
        """Return the module whose forward is running."""
        inside = self.inside
        while inside and not still_in(inside[-1][1], frame):
            inside.pop()  # an exception left it
        return inside[-1][0] if inside else None

    # ----- backward calls -----
    def begin(self, place: Place) -> tuple[int, int]:
        """A backward call begins: return its number and how many it is inside of."""
        self._open = [call for call in self._open if still_in(call[1], place[0])]
        self._open.append((self.calls, place))
        self.calls += 1
        return self.calls - 1, len(self._open) - 1

    def end(self) -> int:
        """Return the number of the innermost call, which is over."""
        return self._open.pop()[0]


def still_in(place: Place, frame: FrameType | None) -> bool:
    """Return whether a frame is, or was called from, a place in the program."""
    while frame is not None and frame is not place[0]:
        frame = frame.f_back
    return frame is not None and frame.f_lasti == place[1]
