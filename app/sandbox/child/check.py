"""What a confined process does with one trace: derive it again, send what was found. Runs no program."""

from __future__ import annotations

import codecs
import os
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

from app.sandbox import protocol
from app.sandbox.child import alarm
from app.sandbox.limits import Limits
from engine.verify.check import check
from engine.verify.report import Report

MOST_GAPS = 40  # kinds of gaps that are told
MOST_PROBLEMS = 5
LONGEST = 300  # characters of one text; texts of a trace are its program's

ENCODINGS = ("utf-8", "utf-16-le", "ascii", "latin-1", "unicode-escape", "raw-unicode-escape")
WARM = {
    "version": 1, "engine": "", "mirrors": "", "source": "x = 1", "tensors": {}, "nodes": {}, "modules": {},
    "values": {}, "rows": [], "outcome": {"kind": "finished"},
}  # fmt: skip


def begin(payload: bytes, send: Callable[[bytes], Any], limits: Limits) -> NoReturn:
    """Check one trace within its time, then leave. `payload` is JSON: a trace, or what holds one."""
    report, said = Report(), False

    def tell(stopped: str | None = None) -> NoReturn:
        """Send what is known by now and leave; an alarm that comes during that changes nothing."""
        nonlocal said
        if not said:
            said = True
            send(protocol.message(protocol.LAST, told(report, stopped)))
            os._exit(1 if stopped == "crash" else 0)

    alarm.after(limits.wall, lambda _: tell("time"))
    try:
        check(trace_in(protocol.load(payload)), report)
    except protocol.ProtocolError:
        tell("json")
    except MemoryError:
        tell("memory")
    except BaseException:  # our own fault: the log must hear of it
        traceback.print_exc()
        tell("crash")
    tell()


def trace_in(data: Any) -> Any:
    """Return the trace in an answer of the server, or the trace itself."""
    return data["trace"] if type(data) is dict and "trace" in data else data


def told(report: Report, stopped: str | None) -> dict[str, Any]:
    """Return a report as it is sent: no longer than a reader needs."""
    whole = report.as_dict()
    gaps = [
        {**gap, "subject": brief(gap["subject"]), "detail": brief(gap["detail"])} for gap in whole["given"]
    ]
    problems = [
        {"row": one["row"], **{name: brief(one[name]) for name in ("claim", "expected", "found")}}
        for one in whole["problems"]
    ]
    return {**whole, "given": gaps[:MOST_GAPS], "problems": problems[:MOST_PROBLEMS], "stopped": stopped}


def brief(text: str) -> str:
    """Cut a text that is too long."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def warm_up() -> None:
    """Check a trace once where it costs nobody time, and load what would be too late later."""
    for encoding in ENCODINGS:
        codecs.lookup(encoding)
    check(WARM)
