"""One client's runs never hold every worker."""

import asyncio
from types import SimpleNamespace

import pytest

from app.intake import Clients, sender_of
from app.problems import Problem


def sender(host):
    return SimpleNamespace(client=SimpleNamespace(host=host))


def test_an_address_waits_in_its_own_lane_while_another_goes_ahead():
    async def story():
        clients, running, release = Clients(16, 3), [], asyncio.Event()

        async def endless(name):
            async with clients.run_of(sender("192.0.2.1")):
                running.append(name)
                await release.wait()

        loops = [asyncio.create_task(endless(i)) for i in range(10)]
        for _ in range(20):
            await asyncio.sleep(0)
        assert len(running) == 3
        async with clients.run_of(sender("192.0.2.2")):
            running.append("other")
        release.set()
        await asyncio.gather(*loops)
        return running

    running = asyncio.run(story())
    assert running[3] == "other" and len(running) == 11


def test_one_run_too_many_is_refused():
    async def story():
        clients = Clients(1, 1)
        async with clients.run_of(sender("192.0.2.1")):
            with pytest.raises(Problem) as refused:
                async with clients.run_of(sender("192.0.2.1")):
                    pass
            return refused.value.status

    assert asyncio.run(story()) == 429


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("/run/some.socket", "unknown"),
        ("x" * 9000, "unknown"),
    ],
)
def test_runs_are_counted_by_address_and_by_network_where_a_client_has_one_whole(host, counted):
    assert sender_of(sender(host)) == counted


def test_a_sender_without_an_address_is_counted_too():
    assert sender_of(SimpleNamespace(client=None)) == "unknown"
