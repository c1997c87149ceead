"""What a confined process does with one program: gate it, run it under the recorder, send what happened.

Runs beside a learner's code, so it trusts nothing it can reach. A limit ends the process from inside (last
frame, then `_exit`): no `except`, `finally` or `__exit__` of a program sees it.
"""

from __future__ import annotations

import codecs
import contextlib
import itertools
import mmap
import os
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any, NoReturn

from app.sandbox import protocol
from app.sandbox.child import alarm, asks, builtins, modules, stand_ins
from app.sandbox.child.access import Access
from app.sandbox.child.doctor.diagnose import diagnose
from app.sandbox.child.expressions.express import expressed
from app.sandbox.child.guard import gate
from app.sandbox.child.mending.mend import Mended, mended
from app.sandbox.child.stand_ins import said
from app.sandbox.limits import MIB, Limits, sentence
from engine import facade
from engine.ops.table import TABLE as OPS
from engine.trace import run as tracing
from engine.trace.changes import Changing
from engine.trace.recorder import Recorder

EAGER = 200  # rows that are sent one by one, so that a hard kill loses none of them
EVERY = 0.1  # seconds between frames after that
RESERVE = 8 * MIB  # memory kept back for the last words
DEEPER = 2_000  # recursion depth for the last words
EXAMINED = 0.4  # seconds in which a run is looked through for faults; else nothing is said of them

# Python loads these at their first use, when it is too late to open a file
ENCODINGS = """ascii latin-1 utf-8 utf-8-sig utf-16 utf-16-le utf-16-be utf-32 utf-32-le utf-32-be cp1252 gbk
gb18030 unicode-escape raw-unicode-escape punycode""".split()
TABLES = ("tensors", "nodes", "modules")

WARM = """
import torch
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = ((x @ x) * 2).sum()
y.backward()
print(x.grad, f"{y.item():.2f}")
"""

Send = Callable[[bytes], Any]


@dataclass(frozen=True, slots=True)
class Job:
    """One program to run. Without the guard only the process wall holds: that is for its proof."""

    source: str
    seed: int = 0
    guarded: bool = True
    leaves: dict[str, Any] = field(default_factory=dict)  # values for the free names of a formula
    changes: list[dict[str, Any]] = field(default_factory=list)  # numbers that are to be others
    ask: dict[str, Any] | None = None  # a question about a gradient: the answer is wanted, not the trace


class Late(BaseException):
    """The time for looking for faults is over."""


class Report:
    """Sends rows while the program runs, and the last word when it ends."""

    def __init__(self, send: Send, limits: Limits) -> None:
        self.send, self.limits = send, limits
        self.run: tracing.Run | None = None
        self.rows = self.values = self.bytes = 0
        self.sent_at = 0.0
        self.deadline = 0.0  # of the run
        self.busy = False  # sending: an alarm must wait
        self.reserve = mmap.mmap(-1, RESERVE)  # address space only: no page of it is touched

    def write(self, text: str) -> None:
        """Print a text as it is: for the modules that print."""
        self.run.write(text)

    def begin(self, program: Mended, formula: dict[str, Any] | None = None) -> None:
        """Say which text runs, if it is not the one that was sent, and which formula it stands for."""
        told = {"expression": formula} if formula else {}
        if program.mends or told:
            self._frame(protocol.TEXT, {"source": program.source, "mended": program.mends, **told})

    def step(self) -> None:
        """A row was written: send it now while there are few, later in lots."""
        if self.busy or (self.rows >= EAGER and time.monotonic() - self.sent_at < EVERY):
            return
        self.busy = True
        try:
            taken = self.run.recorder.take()
            self.rows += len(taken["rows"])
            self.values += len(taken["values"])
            self._frame(protocol.ROWS, taken)
        finally:
            self.busy = False
        self.sent_at = time.monotonic()

    def finish(self, trace: dict[str, Any]) -> NoReturn:
        """Send what was not sent yet, the tables as they are at the end and the outcome; leave."""
        self.busy = True
        self.reserve.close()
        try:
            sys.setrecursionlimit(DEEPER)
            rest = {name: trace[name] for name in TABLES}
            rest["rows"] = trace["rows"][self.rows :]
            rest["values"] = dict(itertools.islice(trace["values"].items(), self.values, None))
            rest |= {"calls": trace["calls"]} if "calls" in trace else {}
            findings = self.examined(trace)
            told = {"findings": findings} if findings else {}
            last = {**rest, "memory": trace["memory"], "outcome": trace["outcome"], **told}
            self._frame(protocol.LAST, last)
        except MemoryError:
            self.abandon("memory")
        finally:
            os._exit(0)

    def examined(self, trace: dict[str, Any]) -> list[dict[str, Any]]:
        """Return what is wrong with the run. Whatever happens meanwhile, the run itself stays as it was."""
        if self.deadline - time.monotonic() < EXAMINED:
            return []
        try:
            alarm.after(EXAMINED, late)
            try:
                return diagnose(trace, self.run.recorder.writer.steps.held)
            finally:
                alarm.after(EXAMINED, lambda frame: None)
        except Late:
            return []
        except Exception:  # our own fault, which must not cost the learner the run: the log hears of it
            traceback.print_exc()
            return []

    def abandon(self, limit: str) -> NoReturn:
        """Send only why the run was cut, where there is no trace to finish; leave."""
        self.busy = True
        self.reserve.close()
        try:
            self.send(protocol.message(protocol.LAST, {"cut": limit}))
        finally:
            os._exit(1 if limit == "crash" else 0)

    def _frame(self, kind: bytes, value: dict[str, Any]) -> None:
        dump = protocol.dump_part if "values" in value else protocol.dump
        data = protocol.frame(kind, dump(value))
        self.bytes += len(data)
        if self.bytes > self.limits.trace:
            self.abandon("trace")
        self.send(data)


def begin(payload: bytes, send: Send, limits: Limits) -> NoReturn:
    """Take the job that the pool has written, and serve it."""
    serve(Job(**protocol.load(payload)), send, limits)


def serve(job: Job, send: Send, limits: Limits) -> NoReturn:
    """Run one program to its end and leave the process."""
    changes = asks.changes_of(job.changes)
    if job.ask is not None:
        unsent = recorded(limits)
        asks.serve(job.ask, changes, lambda *how: prepared(job, how[0], limits, how[1], unsent), send, limits)
    report = Report(send, limits)
    watch_the_time(report, limits)
    sys.setrecursionlimit(limits.recursion)
    try:
        recorder = (lambda *given: Changing(*given, changes)) if changes else Recorder
        report.run = prepared(job, report, limits, recorder)
        trace = report.run.trace()
    except MemoryError:
        report.abandon("memory")
    except BaseException:  # our own fault: the log must hear of it, and nothing else may run
        report.busy = True
        traceback.print_exc()
        report.abandon("crash")
    report.finish(trace)


def warm_up() -> None:
    """Run a program once where it costs nobody time, so that everything is imported, compiled and cached."""
    for encoding in ENCODINGS:
        with contextlib.suppress(LookupError):
            codecs.lookup(encoding)
    for op in OPS.values():
        op.formulas  # noqa: B018 - found in the source files, and kept
    limits = Limits()  # not those of the runs, which may be smaller than this program
    report = Report(lambda data: None, limits)
    report.run = prepared(Job(WARM), report, limits)
    trace = report.run.trace()
    diagnose(trace, {})
    protocol.dump_part(trace)


def prepared(
    job: Job,
    report: Report | asks.Silent,
    limits: Limits,
    recorder: Callable[..., Recorder] = Recorder,
    recording: tracing.Limits | None = None,
) -> tracing.Run:
    """Return the run of a program in the world it is allowed."""
    world: dict[str, Any] = {}
    formula = expressed(job.source, job.leaves) if job.guarded else None
    if formula:
        program = Mended(formula.source)
    else:
        program = mended(job.source) if job.guarded else Mended(job.source)
    report.begin(program, formula.facts if formula else None)
    if job.guarded:
        access = Access(facade.is_internal)
        said.begin()
        absent, at_end = stand_ins.modules(modules.Namespace)
        importable = modules.standard(access, job.seed, report.write) | absent | facade.modules()
        table = builtins.table(access, importable)
        gate_ = refusing(*formula.refusal) if formula and formula.refusal else gated(limits)
        world = {"compile_": gate_, "modules": importable, "builtins": table, "at_end": at_end}
    recording = recording or recorded(limits, report)
    return tracing.Run(program.source, limits=recording, seed=job.seed, recorder=recorder, **world)


def gated(limits: Limits) -> Callable[[str], CodeType]:
    """Return the compiler that the gate is."""
    internal = facade.internal_names()
    return lambda source: gate(source, limits, internal)


def refusing(message: str, at: list[int]) -> Callable[[str], NoReturn]:
    """Return a compiler that says why a formula has no program."""

    def refuse(source: str) -> NoReturn:
        raise tracing.Refused("syntax", message, at)

    return refuse


def recorded(limits: Limits, report: Report | None = None) -> tracing.Limits:
    """Return the recorder's share of the limits; without a report nobody waits for its rows."""
    sent = {} if report is None else {"at_once": EAGER, "stop": report.finish, "step": report.step}
    return tracing.Limits(
        rows=limits.rows, output=limits.output, elements=limits.tensor_elements, made=limits.run_elements,
        **sent,
    )  # fmt: skip


# ----- the time -----
def late(frame: FrameType | None) -> NoReturn:
    """Stop looking for faults."""
    raise Late


def watch_the_time(report: Report, limits: Limits) -> None:
    """End the run from inside when its time is over."""

    def over(frame: FrameType | None) -> None:
        if report.busy:  # in the middle of a frame; the next alarm comes soon
            return
        report.reserve.close()
        if report.run is None:
            report.abandon("time")
        report.run.stop("time", sentence("time", limits), frame)

    report.deadline = time.monotonic() + limits.wall
    alarm.after(limits.wall, over)
