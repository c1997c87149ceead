"""The pipeline: a drawing that fails never costs the trace."""

from __future__ import annotations

import asyncio
import json
import time

import orjson

from app.layout.render import LayoutFailed
from app.visualise import draw, plan, visualise
from tests.layout.program import Program
from tests.layout.test_dot import two_paths
from tests.web.conftest import CannedPool


class NoGraphviz:
    """A renderer that is always late."""

    async def render(self, dot: str, seconds: float) -> dict:
        raise LayoutFailed("late")


class Counting:
    """A renderer that counts, and lays nothing out."""

    asked = 0

    async def render(self, dot: str, seconds: float) -> dict:
        self.asked += 1
        raise LayoutFailed("only counted")


def drawing_of(program: Program, renderer: object, seconds: float = 1.0) -> dict:
    return json.loads(asyncio.run(draw(orjson.dumps(program.trace), renderer, seconds)))


def test_a_layout_that_fails_leaves_trace_and_a_plain_drawing():
    answer = json.loads(asyncio.run(visualise("", CannedPool(), NoGraphviz(), 1.0)))
    assert answer["trace"] == two_paths().trace
    layout = answer["drawing"]["layouts"]["l0"]
    assert len(layout["elements"]) == 7 and len(layout["edges"]) == 7


def test_equal_scenes_are_laid_out_once():
    p = Program()
    w = p.leaf("w")
    for _ in range(50):
        p.backward(p.op("exp", w))
    renderer = Counting()
    drawing = drawing_of(p, renderer)
    assert renderer.asked == 1
    assert len(drawing["scenes"]) == 50 and list(drawing["layouts"]) == ["l0"]


def test_when_time_is_up_the_rest_is_drawn_plainly():
    renderer = Counting()
    drawing = drawing_of(two_paths(), renderer, seconds=0.0)
    assert renderer.asked == 0 and drawing["layouts"]["l0"]["elements"]


def test_a_trace_with_holes_is_delivered_with_an_empty_drawing():
    pool = CannedPool()
    pool.trace = pool.trace.replace(b'"edges"', b'"wedges"')
    answer = json.loads(asyncio.run(visualise("", pool, Counting(), 1.0)))
    assert "wedges" in answer["trace"]["nodes"]["n1"]
    assert answer["drawing"]["scenes"] == [{"layout": "l0", "place": {}}]


def test_thousands_of_scenes_are_planned_in_moments():
    p = Program()
    for _ in range(4000):
        p.op("exp", p.leaf("w"))
    began = time.monotonic()
    scenes, changes = plan(orjson.dumps(p.trace))
    assert time.monotonic() - began < 5
    assert len(scenes) == len(changes) == 4000


def test_a_program_without_tensors_has_an_empty_drawing():
    drawing = drawing_of(Program(), Counting())
    assert drawing["scene_at"] == [[0, 0]]
    assert drawing["scenes"] == [{"layout": "l0", "place": {}}]
    assert drawing["layouts"]["l0"]["elements"] == {}
