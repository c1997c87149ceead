"""The door of the sandbox: a few warm processes, a bounded queue, and an answer to every job."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import math
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from app.sandbox import lockdown, protocol
from app.sandbox.assemble import Ending, assembled
from app.sandbox.limits import Limits
from app.sandbox.selftest import isolation
from app.sandbox.worker import Died, Gone, Worker

__all__ = ["Busy", "Pool", "Unavailable", "isolation"]

RUNS = 500  # runs after which a warm parent is replaced, as a matter of hygiene
WAITING = 16  # programs that may wait for a free process
ATTEMPTS = 3  # a run whose process was killed by somebody else is tried again
PAUSE = 1.0  # seconds between two tries to start a process, if it fails
OPTIONS = ("seed", "leaves", "changes")
ANSWER = 1 << 22  # bytes that the answer to a question may have

# told of each run: its outcome, the seconds it took and those to its first row, waiting included
Heard = Callable[[Mapping[str, Any], float, float | None], Any]
log = logging.getLogger("gradstep.sandbox")


class Busy(Exception):
    """Too many programs are waiting already; `retry_after` is a fair guess in seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"the queue is full, try again in {retry_after} s")
        self.retry_after = retry_after


class Unavailable(Exception):
    """No process can be had: the pool is closed, or the system lets none be started."""


class Pool:
    """Runs programs, or does other work of sandbox/child. `size` at a time, `waiting` more in the queue."""

    def __init__(
        self,
        limits: Limits | None = None,
        size: int = 2,
        waiting: int = WAITING,
        *,
        forks: bool | None = None,
        guarded: bool = True,
        work: str = "run",
    ) -> None:
        self.limits, self.size, self.most_waiting = limits or Limits(), size, waiting
        self.forks = lockdown.can_fork() if forks is None else forks
        self.guarded = guarded  # False only to prove that the process wall stands alone
        self.work = work  # the module of sandbox/child that its processes begin
        self.waiting = 0
        self.on_run: Heard = lambda outcome, seconds, first: None
        self.workers: set[Worker] = set()
        self._idle: asyncio.Queue[Worker | None] = asyncio.Queue()  # None: the pool closes
        self._tasks: set[asyncio.Task] = set()
        self._usual = 0.05  # seconds a run takes, smoothed
        self._closed = False

    # ----- life -----
    async def start(self) -> None:
        """Start the processes and wait until they are warm. Raises Unavailable."""
        spare = 0 if self.forks else 1
        started = await asyncio.gather(
            *(Worker.start(self.limits, self.forks, self.work) for _ in range(self.size + spare)),
            return_exceptions=True,
        )
        workers = [worker for worker in started if isinstance(worker, Worker)]
        self.workers |= set(workers)
        for error in started:
            if not isinstance(error, Worker):
                await self.close()
                raise Unavailable(str(error)) from error
        for worker in workers:
            self._welcome(worker)

    def _welcome(self, worker: Worker) -> None:
        """Take a warm process in: it is free, and missed as soon as it is gone."""
        self._in_background(self._missed(worker))
        self._rest(worker)

    def _rest(self, worker: Worker) -> None:
        """Let a process wait for its next run."""
        worker.idle = True
        self._idle.put_nowait(worker)

    async def _missed(self, worker: Worker) -> None:
        """Replace a process that somebody else has ended while it was free; a run sees to its own."""
        await worker.process.wait()
        if worker.idle and not self._closed:
            worker.idle = False  # whoever gets it from the queue leaves it
            log.warning("a free sandbox process is gone")
            await self._replace(worker)

    async def close(self) -> None:
        """End every process. Programs that still run get no trace."""
        self._closed = True
        for _ in range(self.waiting):
            self._idle.put_nowait(None)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(worker.stop() for worker in self.workers))
        self.workers.clear()
        while not self._idle.empty():
            self._idle.get_nowait()

    async def __aenter__(self) -> Pool:
        await self.start()
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    # ----- runs -----
    async def run(self, source: str, options: Mapping[str, Any] | None = None) -> bytes:
        """Return the trace of a program as JSON, whatever it does. Raises Busy or Unavailable."""
        began = time.monotonic()
        job = {"source": source, "guarded": self.guarded, **_known(options or {})}
        head, stream, ending = await self.converse(protocol.dump(job))
        if ending.how == "violation":
            log.warning("a program tried to reach outside: sha256 %s", _digest(source))
        trace, outcome = await asyncio.to_thread(assembled, source, head, stream, ending, self.limits)
        first = None if ending.first is None else ending.first - began
        self.on_run(outcome, time.monotonic() - began, first)
        return trace

    async def ask(self, source: str, options: Mapping[str, Any], question: Mapping[str, Any]) -> Any:
        """Return what a process answers to a question about a program; None if nothing that can be read.

        Raises Busy or Unavailable. The answer is a stranger's bytes: whoever gets it looks at its shape.
        """
        job = {"source": source, "guarded": self.guarded, **_known(options), "ask": dict(question)}
        _, stream, ending = await self.converse(protocol.dump(job))
        if ending.how == "violation":
            log.warning("a program tried to reach outside: sha256 %s", _digest(source))
        try:
            for kind, payload in protocol.split(stream[:ANSWER]):
                if kind == protocol.LAST:
                    return protocol.load(payload)
        except protocol.ProtocolError:
            pass
        return {"found": False, "stopped": "time"} if ending.how in ("time", "stuck") else None

    async def converse(self, job: bytes) -> tuple[dict[str, Any], bytes, Ending]:
        """Return what a process says of itself, what it sent and how it ended. Raises Busy or Unavailable."""
        attempt, gone = 0, 0
        while attempt < ATTEMPTS:
            attempt += 1
            worker = await self._free_worker()
            head, stream, ending = worker.head, b"", Ending("crash")
            try:
                stream, ending = await self._attended(worker, job)
            except Gone:  # that is no attempt, unless they go faster than they come
                gone += 1
                attempt -= gone <= self.size
            except Died:
                pass
            if self._closed:
                raise Unavailable("the sandbox is closing")
            if ending.how not in ("killed", "crash") or (stream and ending.how == "crash"):
                break
            log.warning("a run was lost (%s), attempt %d of %d", ending.how, attempt, ATTEMPTS)
        return head, stream, ending

    async def _free_worker(self) -> Worker:
        """Wait in the queue for a process."""
        if self._closed:
            raise Unavailable("the sandbox is closed")
        if self._idle.empty() and self.waiting >= self.most_waiting:
            raise Busy(self.retry_after())
        self.waiting += 1
        try:
            async with asyncio.timeout(self.patience()):
                while (worker := await self._idle.get()) is not None and not worker.idle:
                    pass
        except TimeoutError:
            raise Unavailable("no sandbox process is free") from None
        finally:
            self.waiting -= 1
        if worker is None:
            raise Unavailable("the sandbox is closing")
        worker.idle = False
        return worker

    def patience(self) -> float:
        """Return the seconds after which waiting is hopeless: all before it ran to their limits."""
        return (self.most_waiting / self.size + 2) * (self.limits.hard + 1)

    def retry_after(self) -> int:
        """Return in how many seconds the queue has probably moved on."""
        return max(1, math.ceil(self.waiting * self._usual / self.size))

    async def _attended(self, worker: Worker, job: bytes) -> tuple[bytes, Ending]:
        """Run a job in a process and hand the process on, even if the one who asked has gone."""
        conversation = self._in_background(self._conversation(worker, job))
        try:
            return await asyncio.shield(conversation)
        except asyncio.CancelledError:
            if conversation.cancelled():
                raise Unavailable("the sandbox is closing") from None
            worker.cancel()
            raise

    async def _conversation(self, worker: Worker, job: bytes) -> tuple[bytes, Ending]:
        """Run a job, then make the process free again or replace it."""
        fit = False
        try:
            stream, ending = await worker.run(job)
            self._usual += 0.1 * (ending.milliseconds / 1000 - self._usual)
            fit = self.forks and ending.how != "violation" and worker.runs < RUNS
            return stream, ending
        finally:
            if fit and not self._closed:
                self._rest(worker)
            elif not self._closed:
                self._in_background(self._replace(worker))

    async def _replace(self, worker: Worker) -> None:
        """End a process and start another in its place, however long that takes."""
        await worker.stop()
        self.workers.discard(worker)  # not before: close() stops whoever is still in the set
        while not self._closed:
            try:
                fresh = await Worker.start(self.limits, self.forks, self.work)
            except (Died, OSError) as error:
                log.error("a sandbox process could not be started: %s", error)
                await asyncio.sleep(PAUSE)
            else:
                self.workers.add(fresh)
                self._welcome(fresh)
                return

    def _in_background(self, work: Coroutine) -> asyncio.Task:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # seen, though nobody waits
        return task


def _known(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run's options, refusing what is none."""
    unknown = set(options) - set(OPTIONS)
    if unknown:
        raise ValueError(f"unknown options: {sorted(unknown)}")
    return dict(options)


def _digest(source: str) -> str:
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
