"""One client's runs never hold every worker."""

import asyncio
from types import SimpleNamespace

import pytest

from app.intake import Clients
from app.problems import Problem


def sender(host):
    return SimpleNamespace(client=SimpleNamespace(host=host))


def test_an_address_waits_in_its_own_lane_while_another_goes_ahead():
    async def story():
        clients, running, release = Clients(16, 3), [], asyncio.Event()

        async def endless(name):
            async with clients.run_of(sender("loops")):
                running.append(name)
                await release.wait()

        loops = [asyncio.create_task(endless(i)) for i in range(10)]
        for _ in range(20):
            await asyncio.sleep(0)
        assert len(running) == 3
        async with clients.run_of(sender("other")):
            running.append("other")
        release.set()
        await asyncio.gather(*loops)
        return running

    running = asyncio.run(story())
    assert running[3] == "other" and len(running) == 11


def test_one_run_too_many_is_refused():
    async def story():
        clients = Clients(1, 1)
        async with clients.run_of(sender("a")):
            with pytest.raises(Problem) as refused:
                async with clients.run_of(sender("a")):
                    pass
            return refused.value.status

    assert asyncio.run(story()) == 429
