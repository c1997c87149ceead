"""The warm parent: single-threaded, everything imported, one fork per run. Never reads what a child sends.

Started by the pool with an empty environment; speaks frames on its standard input and output. It is the only
process that knows a child's pid, so it is the one that kills.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import heapq
import importlib
import json
import linecache
import os
import random
import re
import resource
import select
import signal
import sys
import time
import traceback
import unicodedata
import warnings
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, NoReturn

import numpy.linalg
import numpy.ma
import numpy.random
import numpy.testing

from app.sandbox import lockdown, protocol
from app.sandbox.limits import Limits
from engine.trace import schema

# What Python or NumPy would import at a first use, when it is too late to open a file.
LAZY = (heapq, linecache, random, traceback, unicodedata, numpy.linalg, numpy.ma, numpy.random, numpy.testing)
ASK_EARLY = 0.2  # seconds before the kill at which a child that hangs in C is asked for its line
MOST_SAID = 2_000  # bytes of a child's last words that are worth a line in the log
DEATHS = {signal.SIGXCPU: "time", signal.SIGSYS: "violation", signal.SIGKILL: "killed"}
TROUBLE = re.compile(rb'File "<snippet>", line (\d{1,6}) in')


@dataclass(slots=True)
class Running:
    """One child: what its parent holds of it."""

    pid: int
    rows: int  # the pipe with its frames
    trouble: int  # the pipe on which the interpreter says where it crashed or hangs
    began: float
    sent: int = 0
    said: bytes = b""
    how: str = ""  # why it was killed, if it was
    asked: bool = False
    open: set[int] = field(default_factory=set)


class Zygote:
    """Serves jobs, one at a time, until its input ends."""

    def __init__(self, child: ModuleType, limits: Limits, commands: int, answers: int) -> None:
        self.child, self.limits, self.commands, self.answers = child, limits, commands, answers

    def serve(self) -> None:
        """Answer jobs until the pool closes the pipe."""
        head = {"version": schema.VERSION, "engine": schema.ENGINE, "mirrors": schema.MIRRORS}
        protocol.write(self.answers, protocol.message(protocol.READY, head))
        while (received := protocol.read(self.commands)) is not None:
            kind, payload = received
            if kind == protocol.JOB:
                self.run(payload)

    # ----- one run -----
    def run(self, job: bytes) -> None:
        """Fork, pass on what comes, and say how it ended."""
        running = self.fork(job)
        try:
            self.attend(running)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(running.pid, signal.SIGKILL)
            _, status, used = os.wait4(running.pid, 0)
            self.listen(running)
            os.close(running.rows)
            os.close(running.trouble)
        protocol.write(self.answers, protocol.message(protocol.ENDED, self.ending(running, status, used)))

    def fork(self, job: bytes) -> Running:
        """Start the child of one job."""
        rows, rows_in = os.pipe()
        trouble, trouble_in = os.pipe()
        parent, began = os.getpid(), time.monotonic()
        pid = os.fork()
        if pid == 0:
            self.become_child(job, rows_in, trouble_in, parent)
        os.close(rows_in)
        os.close(trouble_in)
        os.set_blocking(trouble, False)
        return Running(pid, rows, trouble, began, open={rows, self.commands})

    def become_child(self, job: bytes, rows: int, trouble: int, parent: int) -> NoReturn:
        """Go behind the wall for good, then do the work. Never returns, whatever happens."""
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            lockdown.confine(rows, trouble, parent, self.limits)
            faulthandler.enable(2, all_threads=False)
            faulthandler.register(signal.SIGUSR1, 2, all_threads=False)
            self.child.begin(job, lambda data: protocol.write(rows, data), self.limits)
        finally:
            os._exit(70)

    def attend(self, running: Running) -> None:
        """Pass a child's bytes on until it ends, is cancelled, says too much or runs out of time."""
        deadline = running.began + self.limits.hard
        while running.rows in running.open and not running.how:
            left = deadline - time.monotonic()
            if left <= 0:
                running.how = "stuck"
                return
            if left <= ASK_EARLY and not running.asked:
                running.asked = True
                os.kill(running.pid, signal.SIGUSR1)
            wait = left if running.asked else left - ASK_EARLY
            for ready in select.select(list(running.open), [], [], max(wait, 0))[0]:
                if ready == running.rows:
                    self.forward(running)
                else:
                    self.obey(running)

    def forward(self, running: Running) -> None:
        """Pass on some bytes of a child."""
        data = os.read(running.rows, 1 << 16)
        if not data:
            running.open.discard(running.rows)
            return
        running.sent += len(data)
        protocol.write(self.answers, protocol.frame(protocol.CHUNK, data))
        if running.sent > 2 * self.limits.trace:
            running.how = "trace"

    def obey(self, running: Running) -> None:
        """Take a command during a run: to cancel it; the end of the pipe means the same, for good."""
        received = protocol.read(self.commands)
        if received is None or received[0] == protocol.CANCEL:
            running.how = "cancelled"

    def listen(self, running: Running) -> None:
        """Read what the interpreter said on its way out, if anything."""
        with contextlib.suppress(BlockingIOError):
            running.said = os.read(running.trouble, 1 << 14)

    def ending(self, running: Running, status: int, used: Any) -> dict[str, Any]:
        """Return how a child ended, for the pool."""
        place = TROUBLE.search(running.said)
        if running.said and status and not running.how:
            print("a sandboxed process said", repr(running.said[:MOST_SAID]), file=sys.stderr, flush=True)
        return {
            "how": running.how or how_it_died(status),
            "line": int(place[1]) if place else None,
            "milliseconds": (time.monotonic() - running.began) * 1000,
            "seconds": used.ru_utime + used.ru_stime,
            "kilobytes": used.ru_maxrss,
        }


def how_it_died(status: int) -> str:
    """Return in the limits' words what the kernel says of a child."""
    if not os.WIFSIGNALED(status):
        return "exit"
    return DEATHS.get(os.WTERMSIG(status), "crash")


def main(argument: str) -> None:
    """Warm up and serve: `argument` holds the limits and the module of this package that does the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    commands, answers = take_over_pipes()
    told = json.loads(argument)
    child, limits = importlib.import_module(f"{__package__}.{told['work']}"), Limits(**told["limits"])
    warnings.simplefilter("ignore")
    child.warm_up()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.collect()
    gc.freeze()
    Zygote(child, limits, commands, answers).serve()


def take_over_pipes() -> tuple[int, int]:
    """Move the pipes away from the standard descriptors, so that no print can reach them."""
    commands, answers = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return commands, answers
