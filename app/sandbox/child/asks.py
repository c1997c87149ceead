"""What a confined process does with a question about a program's gradients: run it, look closer, answer.

The same gate, modules and limits as for a run whose trace is wanted; but nothing is sent except the answer.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

from app.sandbox import protocol
from app.sandbox.child import alarm
from app.sandbox.limits import Limits
from engine.explain.slopes import Asked, Slope
from engine.explain.why import Asking, Question
from engine.trace import run as tracing
from engine.trace.changes import Change
from engine.trace.recorder import Recorder

SHARE = 0.75  # of a run's time, after which no further run is begun

Prepare = Callable[[Any, Callable[..., Recorder]], tracing.Run]  # (report, recorder) → a run


class Silent:
    """Stands where a run reports to: nothing of it is told."""

    def __init__(self) -> None:
        self.run: tracing.Run | None = None

    def write(self, text: str) -> None:
        """Print a text as it is: for the modules that print."""
        self.run.write(text)

    def begin(self, *_: Any) -> None:
        """Hear which text runs."""


def changes_of(told: list[dict[str, Any]]) -> tuple[Change, ...]:
    """Return the changes that a job names."""
    return tuple(Change(c["made"], c["output"], tuple(c["element"]), c["value"]) for c in told)


def serve(
    ask: dict[str, Any], changes: tuple[Change, ...], prepare: Prepare, send: Callable[[bytes], Any],
    limits: Limits,
) -> NoReturn:  # fmt: skip
    """Answer one question within the time of a run, and leave the process."""
    said = False

    def tell(answer: dict[str, Any], code: int = 0) -> NoReturn:
        """Send the answer and leave; an alarm that comes during that changes nothing."""
        nonlocal said
        if not said:
            said = True
            send(protocol.message(protocol.LAST, answer))
            os._exit(code)

    alarm.after(limits.wall, lambda _: tell(nothing("time")))
    sys.setrecursionlimit(limits.recursion)
    until = time.monotonic() + SHARE * limits.wall
    try:
        answer = ANSWERS[ask.pop("about")](ask, changes, prepare, tell, until)
    except MemoryError:
        tell(nothing("memory"))
    except BaseException:  # our own fault: the log must hear of it, and nothing else may run
        traceback.print_exc()
        tell(nothing("crash"), 1)
    tell(answer)


def nothing(stopped: str | None = None) -> dict[str, Any]:
    """Return the answer where there is none."""
    return {"found": False} if stopped is None else {"found": False, "stopped": stopped}


def begun(prepare: Prepare, recorder: Callable[..., Recorder]) -> None:
    """Run the program from its start under a recorder."""
    report = Silent()
    report.run = prepare(report, recorder)
    report.run.trace()


def why(ask: dict, changes: tuple[Change, ...], prepare: Prepare, tell: Callable, until: float) -> dict:
    """Take one element of a gradient apart. The answer is given in the middle of the run."""
    question = Question(ask["row"], ask["call"], tuple(ask["element"]), ask["input_nr"])
    begun(prepare, lambda source, limits: Asking(source, limits, question, tell, changes))
    return nothing()


def slope(ask: dict, changes: tuple[Change, ...], prepare: Prepare, tell: Callable, until: float) -> dict:
    """Estimate the slope of what a backward call starts from, and where asked for, draw a few points."""
    element = tuple(ask["element"])
    asked = Asked(
        ask["call"], ask["made"], ask["output"], element, ask["points"], ask["reach"], ask["written"]
    )
    return Slope(lambda recorder: begun(prepare, recorder), asked, changes, until).answer()


ANSWERS = {"why": why, "slope": slope}
