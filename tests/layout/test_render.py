"""The worker that lays out: warm, remembered, killed when late, replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from app.layout.render import LayoutFailed, Renderer

SMALL = "digraph { a -> b }"
# a shared weight at each of many steps: Graphviz takes minutes
ENDLESS = (
    "digraph { "
    + " ".join(f"h{i} -> h{i + 1}; w -> h{i}; u -> h{i}; h{i} -> o{i};" for i in range(900))
    + "}"
)


def with_renderer(story: Callable[[Renderer], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        renderer = Renderer()
        await renderer.start()
        try:
            return await story(renderer)
        finally:
            await renderer.close()

    return asyncio.run(run())


def test_dot_comes_back_with_positions():
    answer = with_renderer(lambda renderer: renderer.render(SMALL, 20))
    assert [thing["name"] for thing in answer["objects"]] == ["a", "b"]
    assert all("pos" in thing for thing in answer["objects"])


def test_the_same_text_is_laid_out_once():
    async def twice(renderer):
        return [await renderer.render(SMALL, 20) for _ in range(2)]

    first, second = with_renderer(twice)
    assert first is second


def test_what_is_late_is_given_up_and_the_next_is_drawn():
    async def story(renderer):
        before = {worker.pid for worker in renderer._workers}
        with pytest.raises(LayoutFailed, match="no layout after"):
            await renderer.render(ENDLESS, 0.5)
        answer = await renderer.render(SMALL, 20)
        return before, {worker.pid for worker in renderer._workers}, answer

    before, after, answer = with_renderer(story)
    assert answer["objects"] and len(after) == 1 and before.isdisjoint(after)


def test_text_that_is_no_dot_fails_and_the_next_is_drawn():
    async def story(renderer):
        with pytest.raises(LayoutFailed):
            await renderer.render("digraph {", 20)
        return await renderer.render(SMALL, 20)

    assert with_renderer(story)["objects"]


def test_a_worker_that_died_is_replaced():
    async def story(renderer):
        for worker in renderer._workers:
            worker.kill()
            await worker.wait()
        return await renderer.render(SMALL, 20)

    assert with_renderer(story)["objects"]


def test_nothing_is_left_running():
    async def story(renderer):
        return list(renderer._workers)

    assert all(worker.returncode is not None for worker in with_renderer(story))
