"""The pool: it always answers, heals, keeps its promises about time and leaves nothing behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.sandbox import lockdown
from app.sandbox.limits import Limits
from app.sandbox.pool import Busy, Pool, Unavailable
from tests.sandbox import cases

GOOD = (
    "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n"
    "y = (x ** 2).sum()\ny.backward()\nprint(x.grad)\n"
)
ENDLESS = "while True:\n    pass\n"
STUCK = "import torch\nx = torch.ones(2)\nprint(x)\ny = x * 2\nany(iter(int, 1))\n"
BOMB = "kept = []\nwhile True:\n    kept.append('x' * 10_000_000 + str(len(kept)))\n"
QUICK = replace(Limits(), wall=0.6, grace=0.4)
BOTH = pytest.mark.parametrize("forks", [pytest.param(True, marks=pytest.mark.skipif(
    not lockdown.can_fork(), reason="forks only on Linux")), False])  # fmt: skip

Use = Callable[[Pool], Coroutine[Any, Any, Any]]


def with_pool(use: Use, limits: Limits = QUICK, **options: Any) -> Any:
    """Start a pool, use it, close it, and return what came out."""

    async def run() -> Any:
        async with Pool(limits, **options) as pool:
            return await asyncio.wait_for(use(pool), 60)

    return asyncio.run(run())


async def trace_of(pool: Pool, source: str) -> dict:
    return json.loads(await pool.run(source))


def children(pid: int) -> list[int]:
    """Return the children of a process, as Linux tells them."""
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


# ----- what comes out -----
@BOTH
def test_a_good_program_gives_its_trace(forks: bool):
    trace = with_pool(lambda pool: trace_of(pool, GOOD), size=1, forks=forks)
    assert trace["outcome"] == {"kind": "finished"} and trace["source"] == GOOD
    assert cases.printed(trace) == "tensor([2., 4.])\n"
    assert {"node_entered", "grad_accumulated", "backward_ended"} <= {row["kind"] for row in trace["rows"]}


def test_the_same_program_gives_the_same_bytes_in_any_process():
    source = GOOD + "import random, time\nprint(random.random(), time.time(), {'a', 'b', 'c'}, hash('x'))\n"

    async def twice(pool: Pool) -> list[bytes]:
        return [await pool.run(source) for _ in range(3)]

    first, second = with_pool(twice, size=2), with_pool(twice, size=1)
    assert len({*first, *second}) == 1


def test_nothing_of_one_run_is_seen_by_the_next():
    async def use(pool: Pool) -> list[str]:
        await pool.run("import torch\ntorch.manual_seed(5)\ntorch.set_grad_enabled(False)\nx = 1")
        return [cases.printed(await trace_of(pool, "import torch\nprint(torch.is_grad_enabled())\nprint(x)"))]

    assert with_pool(use, size=1) == ["True\n"]


def test_an_option_that_is_none_is_refused():
    with pytest.raises(ValueError, match="unknown options"):
        with_pool(lambda pool: pool.run(GOOD, {"guarded": False}), size=1)


def test_a_refused_program_says_why_in_its_only_row():
    trace = with_pool(lambda pool: trace_of(pool, "x = 1\nimport os"), size=1)
    (row,) = trace["rows"]
    assert trace["outcome"]["kind"] == "refused" and trace["outcome"]["code"] == "module"
    assert (row["kind"], row["at"], row["type"]) == ("error", [2, 7, 2, 9], "NotAllowed")


# ----- limits -----
@BOTH
def test_an_endless_loop_ends_in_a_row_that_names_the_limit_and_the_place(forks: bool):
    began = time.monotonic()
    trace = with_pool(lambda pool: trace_of(pool, ENDLESS), size=1, forks=forks)
    assert trace["outcome"]["limit"] == "time" and trace["outcome"]["at"][0] in (1, 2)
    assert trace["rows"][-1]["kind"] == "limit" and "0.6 s" in trace["rows"][-1]["message"]
    assert time.monotonic() - began < 10


def test_a_loop_inside_c_is_killed_and_keeps_every_row_and_its_line():
    trace = with_pool(lambda pool: trace_of(pool, STUCK), size=1)
    assert trace["outcome"]["limit"] == "time" and trace["outcome"]["at"] == [5, 0, 5, 17]
    kinds = [row["kind"] for row in trace["rows"]]
    assert kinds[:2] == ["tensor_made", "names_bound"] and kinds.count("op_applied") == 1
    assert kinds[-1] == "limit" and cases.printed(trace) == "tensor([1., 1.])\n"
    assert set(trace["tensors"]) >= {"t1", "t2"} and trace["values"]


def test_a_loop_inside_c_ends_on_time():
    async def use(pool: Pool) -> float:
        await pool.run(GOOD)
        began = time.monotonic()
        await pool.run(STUCK)
        return time.monotonic() - began

    assert 0.9 < with_pool(use, size=1) < 2.5


@BOTH
def test_a_memory_bomb_ends_in_a_row_that_names_the_limit(forks: bool):
    trace = with_pool(lambda pool: trace_of(pool, BOMB), replace(Limits(), wall=10.0), size=1, forks=forks)
    assert trace["outcome"]["limit"] == "memory"
    assert trace["rows"][-1]["kind"] == "limit" and trace["rows"][-1]["at"][0] == 3


def test_a_crash_of_the_interpreter_is_contained_and_its_line_known():
    crash = "import ctypes\nx = 1\nctypes.string_at(0)\n"

    async def use(pool: Pool) -> tuple[dict, dict]:
        return await trace_of(pool, crash), await trace_of(pool, GOOD)

    crashed, good = with_pool(use, size=1, guarded=False)
    assert crashed["outcome"]["limit"] == "crash" and crashed["outcome"]["at"] == [3, 0, 3, 19]
    assert good["outcome"]["kind"] == "finished"


SWALLOW = (
    "import torch\nx = torch.ones(200)\nwhile True:\n    try:\n        {}\n    except BaseException: pass"
)


@pytest.mark.parametrize(
    "limits, statement, limit",
    [
        ({"rows": 20}, "x + 1", "rows"),
        ({"output": 100}, "print('x' * 9)", "output"),
        ({"tensor_elements": 1000}, "torch.ones(1001)", "elements"),
        ({"run_elements": 1000}, "torch.ones(10)", "made"),
        ({"trace": 20_000}, "x = x + 1; print(x)", "trace"),
    ],
)
def test_every_limit_ends_the_run_and_cannot_be_swallowed(limits: dict, statement: str, limit: str):
    source = SWALLOW.format(statement)
    trace = with_pool(lambda pool: trace_of(pool, source), replace(Limits(), **limits), size=1)
    assert trace["outcome"]["limit"] == limit and trace["rows"][-1]["kind"] == "limit"


def test_recursion_ends_where_the_setting_says():
    count = "depth = 0\ndef down():\n    global depth\n    depth += 1\n    down()\ntry:\n    down()\n"
    count += "except RecursionError as error:\n    print(depth > 150, depth < 300, error)\n"
    trace = with_pool(lambda pool: trace_of(pool, count), replace(Limits(), recursion=300), size=1)
    assert cases.printed(trace) == "True True maximum recursion depth exceeded\n"


ENDINGS = {
    "time": ENDLESS, "stuck": STUCK, "memory": BOMB, "output": "while True: print('x' * 999)",
    "swallowed": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "finally": "def f():\n    try:\n        while True: pass\n    finally:\n        while True: pass\nf()",
    "C": "sum(range(10 ** 12))", "integer": "10 ** 10 ** 8", "text": "'x' * 10 ** 12",
    "compile": "".join(f"{' ' * k}try:\n{' ' * (k + 1)}" for k in range(9)) + "pass",
    "hashes": "d = {}\nm = 2 ** 61 - 1\nfor i in range(10 ** 6): d[i * m] = 1",
}  # fmt: skip


@pytest.mark.skipif(not lockdown.can_fork(), reason="only Linux has warm parents")
def test_whatever_ended_a_run_leaves_the_pool_as_it_was():
    async def use(pool: Pool) -> list[str]:
        before = {worker.pid for worker in pool.workers}
        await asyncio.gather(*(pool.run(source) for source in ENDINGS.values()))
        assert {worker.pid for worker in pool.workers} == before
        assert not any(children(pid) for pid in before) and pool.waiting == 0
        return [(await trace_of(pool, GOOD))["outcome"]["kind"] for _ in range(4)]

    assert with_pool(use, size=2) == ["finished"] * 4


# ----- side by side -----
def test_while_a_bomb_runs_others_get_their_answers():
    async def use(pool: Pool) -> list[tuple[str, float]]:
        finished: list[tuple[str, float]] = []

        async def one(name: str, source: str) -> None:
            began = time.monotonic()
            await pool.run(source)
            finished.append((name, time.monotonic() - began))

        bomb = asyncio.create_task(one("bomb", STUCK))
        await asyncio.sleep(0)
        await asyncio.gather(*(one("good", GOOD) for _ in range(4)))
        await bomb
        return finished

    finished = with_pool(use, replace(Limits(), wall=3.0), size=2)
    assert [name for name, _ in finished] == ["good"] * 4 + ["bomb"]


def test_a_full_queue_says_when_to_come_back():
    async def use(pool: Pool) -> Busy:
        runs = [asyncio.create_task(pool.run(ENDLESS)) for _ in range(3)]
        await asyncio.sleep(0.1)
        with pytest.raises(Busy) as caught:
            await pool.run(GOOD)
        await asyncio.gather(*runs)
        return caught.value

    assert with_pool(use, size=1, waiting=2).retry_after >= 1


def test_who_waits_is_served_in_order():
    async def use(pool: Pool) -> list[int]:
        order: list[int] = []

        async def one(k: int) -> None:
            await pool.run("x = 1")
            order.append(k)

        await asyncio.gather(*(one(k) for k in range(8)))
        return order

    assert with_pool(use, size=1) == list(range(8))


@BOTH
def test_a_run_nobody_waits_for_any_more_frees_its_process(forks: bool):
    async def use(pool: Pool) -> float:
        run = asyncio.create_task(pool.run(STUCK))
        await asyncio.sleep(0.2)
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)
        began = time.monotonic()
        assert (await trace_of(pool, GOOD))["outcome"]["kind"] == "finished"
        return time.monotonic() - began

    assert with_pool(use, replace(Limits(), wall=30.0), size=1, forks=forks) < 10


# ----- healing -----
@pytest.mark.skipif(not lockdown.can_fork(), reason="only Linux has warm parents")
def test_killing_a_warm_parent_loses_no_run_and_the_pool_heals():
    async def use(pool: Pool) -> set[int]:
        before = {worker.pid for worker in pool.workers}
        runs = [asyncio.create_task(trace_of(pool, GOOD)) for _ in range(6)]
        os.kill(next(iter(before)), signal.SIGKILL)
        traces = await asyncio.gather(*runs)
        assert all(trace["outcome"]["kind"] == "finished" for trace in traces)
        while len(pool.workers) < 2 or before == {worker.pid for worker in pool.workers}:
            await asyncio.sleep(0.02)
        return before & {worker.pid for worker in pool.workers}

    assert len(with_pool(use, size=2)) == 1


@pytest.mark.skipif(not lockdown.can_fork(), reason="only Linux has warm parents")
def test_when_every_free_process_is_killed_the_next_run_is_answered_and_all_are_replaced():
    async def use(pool: Pool) -> tuple[str, int]:
        before = {worker.pid for worker in pool.workers}
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        trace = await trace_of(pool, GOOD)
        while len(pool.workers) < len(before) or before & {worker.pid for worker in pool.workers}:
            await asyncio.sleep(0.02)
        return trace["outcome"]["kind"], len(pool.workers) - len(before)

    assert with_pool(use, size=4) == ("finished", 0)


def test_a_free_process_that_is_killed_is_replaced_though_nobody_runs_anything():
    async def use(pool: Pool) -> None:
        (before,) = {worker.pid for worker in pool.workers}
        os.kill(before, signal.SIGKILL)
        while {worker.pid for worker in pool.workers} in ({before}, set()):
            await asyncio.sleep(0.02)

    with_pool(use, size=1, forks=lockdown.can_fork())


@pytest.mark.skipif(not lockdown.can_fork(), reason="only Linux has warm parents")
def test_killing_a_running_child_gives_the_run_another_one():
    async def use(pool: Pool) -> dict:
        (worker,) = pool.workers
        run = asyncio.create_task(trace_of(pool, "for i in range(10 ** 7):\n    pass\nprint('done')"))
        while not children(worker.pid):
            await asyncio.sleep(0.001)
        os.kill(children(worker.pid)[0], signal.SIGKILL)
        return await run

    assert cases.printed(with_pool(use, replace(Limits(), wall=20.0, cpu=30), size=1)) == "done\n"


@pytest.mark.skipif(not lockdown.can_fork(), reason="only Linux has warm parents")
def test_a_warm_parent_that_hangs_is_replaced():
    async def use(pool: Pool) -> tuple[dict, set[int]]:
        before = {worker.pid for worker in pool.workers}
        os.kill(next(iter(before)), signal.SIGSTOP)
        trace = await trace_of(pool, GOOD)
        return trace, before & {worker.pid for worker in pool.workers}

    trace, left = with_pool(use, size=1)
    assert trace["outcome"]["kind"] == "finished" and not left


@pytest.mark.skipif(not lockdown.can_fork(), reason="counts children as Linux tells them")
@pytest.mark.parametrize("forks", [True, False])
def test_a_closed_pool_leaves_no_child_and_no_descriptor(forks: bool):
    with_pool(lambda pool: pool.run(GOOD), size=1, forks=forks)  # what is opened once and kept is open now
    before = descriptors(), children(os.getpid())

    async def use(pool: Pool) -> None:
        sources = [GOOD, ENDLESS, STUCK, BOMB, "import os", "1 / 0"] * 2
        await asyncio.gather(*(pool.run(source) for source in sources))
        abandoned = asyncio.create_task(pool.run(STUCK))
        await asyncio.sleep(0.1)
        abandoned.cancel()

    with_pool(use, size=2, forks=forks)
    assert (descriptors(), children(os.getpid())) == before


def test_a_closed_pool_answers_nobody():
    async def use() -> None:
        pool = Pool(QUICK, size=1)
        await pool.start()
        await pool.close()
        with pytest.raises(Unavailable):
            await pool.run(GOOD)

    asyncio.run(use())


def test_closing_while_programs_run_ends_them():
    async def use() -> list[Any]:
        pool = Pool(replace(Limits(), wall=30.0), size=1)
        await pool.start()
        runs = [asyncio.create_task(pool.run(STUCK)) for _ in range(2)]
        await asyncio.sleep(0.2)
        await pool.close()
        return await asyncio.wait_for(asyncio.gather(*runs, return_exceptions=True), 5)

    assert all(isinstance(result, Unavailable) for result in asyncio.run(use()))


def test_a_pool_that_cannot_start_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("app.sandbox.launch.command", lambda *_: [os.devnull + "/nothing"])
    with pytest.raises(Unavailable):
        with_pool(lambda pool: pool.run(GOOD), size=1)
