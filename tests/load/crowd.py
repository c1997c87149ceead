"""Clients that send good, slow and hostile programs at once, each from its own address, and their report.

A polite client comes back when a 429 or 503 tells it to. A run is lost if it gets any other answer than its
trace, or if a good one's trace does not print what the program prints.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import orjson

from tests.sandbox import cases

LOOP = "# prints: 'done\\n'\nn = 0\nfor i in range({}):\n    n += i\nprint('done')\n"
SLOW = {f"slow {n}": LOOP.format(n) for n in (1_000_000, 3_000_000)}
DRAWN = "import torch\nx = torch.ones(2, requires_grad=True)\n(x{}).sum().backward()\n"
KINDS = ("good",) * 6 + ("slow",) + ("hostile",) * 3  # of ten clients
PATIENCE = 120  # seconds until an answer that does not come counts as lost
SETTLE = 3.0  # seconds for a server to come to rest


@dataclass
class Report:
    """What happened: seconds from the first asking to the answer by kind, what was lost, what got through."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {"good": [], "slow": [], "hostile": []})
    endings: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    escaped: list[str] = field(default_factory=list)
    waited: int = 0  # answers of 429 and 503
    killed: int = 0
    memory: tuple[float, float] = (0.0, 0.0)  # MiB before and after
    processes: tuple[int, int] = (0, 0)

    def lines(self) -> list[str]:
        """Return the report in words."""
        told = [f"{kind}: {len(all_)} answered{percentiles(all_)}" for kind, all_ in self.seconds.items()]
        told += [f"endings: {dict(self.endings.most_common())}"]
        told += [f"told to come back later: {self.waited}; processes killed: {self.killed}"]
        told += [f"memory: {self.memory[0]:.0f} MiB before, {self.memory[1]:.0f} MiB after; processes: "
                 f"{self.processes[0]} before, {self.processes[1]} after"]  # fmt: skip
        return told + [f"lost: {len(self.lost)} {self.lost[:5]}", f"got through: {len(self.escaped)}"]


def percentiles(seconds: list[float]) -> str:
    """Return median, 95th percentile and maximum in words."""
    if not seconds:
        return ""
    ranked = sorted(seconds)
    middle, late = ranked[len(ranked) // 2], ranked[min(len(ranked) - 1, int(len(ranked) * 0.95))]
    return f", p50 {middle:.3f} s, p95 {late:.3f} s, slowest {ranked[-1]:.3f} s"


@dataclass
class Crowd:
    """Some clients of one server, for some seconds; `kill_every` ends one of its processes so often."""

    address: str
    pid: int
    clients: int
    seconds: float
    kill_every: float | None = None
    report: Report = field(default_factory=Report)

    async def run(self) -> Report:
        """Send programs until the time is over, wait for the last answers, and report."""
        programs = {"good": cases.programs("legit"), "slow": SLOW, "hostile": cases.programs("attacks")}
        async with httpx.AsyncClient(base_url=self.address, timeout=PATIENCE) as client:
            for source in list(programs["good"].values())[:20]:
                await client.post("/api/traces", json={"code": source})
            await asyncio.sleep(SETTLE)
            before = self.measured()
            until = time.monotonic() + self.seconds
            killing = asyncio.create_task(self.kill())
            await asyncio.gather(*(self.client(client, k, programs, until) for k in range(self.clients)))
            killing.cancel()
            await asyncio.gather(killing, return_exceptions=True)
            await self.settle(client, before[1])
        after = self.measured()
        self.report.memory, self.report.processes = (before[0], after[0]), (before[1], after[1])
        return self.report

    async def client(self, client: httpx.AsyncClient, k: int, programs: dict, until: float) -> None:
        """Be one client: one program after the other, each kind in its own order."""
        kind = KINDS[k % len(KINDS)]
        mine = list(programs[kind].items())
        random.Random(k).shuffle(mine)
        for name, source in itertools.cycle(mine):
            if time.monotonic() >= until:
                return
            began = time.monotonic()
            try:
                answer = await self.ask(client, source, {"X-Forwarded-For": f"198.51.100.{k + 1}"})
            except httpx.HTTPError as error:
                self.report.lost.append(f"{name}: {error!r}")
                continue
            self.report.seconds[kind].append(time.monotonic() - began)
            self.judge(kind, name, source, answer)

    async def ask(self, client: httpx.AsyncClient, source: str, headers: dict) -> httpx.Response:
        """Send a program until it is taken."""
        while True:
            answer = await client.post("/api/traces", json={"code": source}, headers=headers)
            if answer.status_code not in (429, 503):
                return answer
            self.report.waited += 1
            await asyncio.sleep(int(answer.headers["retry-after"]))

    def judge(self, kind: str, name: str, source: str, answer: httpx.Response) -> None:
        """Look at an answer."""
        if answer.status_code != 201:
            self.report.lost.append(f"{name}: {answer.status_code}")
            return
        trace = orjson.loads(answer.content)["trace"]
        outcome = trace["outcome"]
        self.report.endings[f"{kind} {outcome.get('limit', outcome['kind'])}"] += 1
        if cases.escaped(trace):
            self.report.escaped.append(name)
        late = kind == "slow" and outcome.get("limit") == "time"
        if kind != "hostile" and not late and cases.printed(trace) != cases.should_print(source):
            self.report.lost.append(f"{name}: {outcome}")

    # ----- the server's processes -----
    async def kill(self) -> None:
        """End one of the server's processes after the other, any of them."""
        choice = random.Random(0)
        while self.kill_every:
            await asyncio.sleep(self.kill_every)
            below = descendants(self.pid)
            if below:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(choice.choice(below), signal.SIGKILL)
                    self.report.killed += 1

    async def settle(self, client: httpx.AsyncClient, processes: int) -> None:
        """Wait until the server has as many processes as at the start, but not for ever."""
        for k in range(1, 20):
            await self.ask(
                client, DRAWN.format(" * 2" * k), {}
            )  # a killed process that draws is replaced when it is needed
            await asyncio.sleep(SETTLE / 3)
            if self.measured()[1] == processes:
                break
        await asyncio.sleep(SETTLE)

    def measured(self) -> tuple[float, int]:
        """Return the memory of the server and its processes in MiB, shared pages once, and their number."""
        processes = [self.pid, *descendants(self.pid)]
        return sum(proportional(pid) for pid in processes) / 1024, len(processes)


def descendants(pid: int) -> list[int]:
    """Return the processes below a process."""
    found = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (thread / "children").read_text().split()):
                found += [child, *descendants(child)]
    return found


def proportional(pid: int) -> int:
    """Return a process's share of memory in KiB."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0
