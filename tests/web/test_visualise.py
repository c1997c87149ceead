"""The pipeline: a drawing that fails never costs the trace."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import time

import orjson

from app.layout.render import LayoutFailed
from app.visualise import draw, plan, read, visualise
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
    planned, _ = read(orjson.dumps(program.trace))
    return json.loads(asyncio.run(draw(planned, renderer, seconds)))


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


def calls_to_plan(count: int) -> int:
    """Return how many calls it takes to plan a program of so many scenes."""
    p = Program()
    for _ in range(count):
        p.op("exp", p.leaf("w"))
    calls = itertools.count()
    sys.setprofile(lambda *_: next(calls))
    try:
        planned = plan(p.trace)
    finally:
        sys.setprofile(None)
    assert len(planned.scenes) == len(planned.changes) == count
    return next(calls)


def test_the_work_of_planning_grows_as_the_scenes_do():
    assert calls_to_plan(2000) < 5 * calls_to_plan(500)


def test_a_program_without_tensors_has_an_empty_drawing():
    drawing = drawing_of(Program(), Counting())
    assert drawing["scene_at"] == [[0, 0]]
    assert drawing["scenes"] == [{"layout": "l0", "place": {}}]
    assert drawing["layouts"]["l0"]["elements"] == {}


def test_a_graph_of_more_edges_than_anybody_can_read_is_not_laid_out_and_says_so(monkeypatch):
    monkeypatch.setattr("app.visualise.MOST_EDGES", 3)
    renderer = Counting()
    drawing = drawing_of(two_paths(), renderer)
    assert renderer.asked == 0 and drawing["layouts"]["l0"]["elements"] == {}
    assert drawing["too_large"]["most"] == 3 < drawing["too_large"]["edges"]


def test_an_operation_with_thousands_of_inputs_is_planned_in_moments():
    p = Program()
    d, w = p.data("d"), p.leaf("w")
    p.op("stack", w)
    (node,) = (node for node in p.trace["nodes"].values() if "variable" not in node)
    node["edges"] = [None] * 9_000 + node["edges"]
    node["inputs"] = [f"tensors[{k}]" for k in range(9_001)]
    node["args"] = [[name, {"tensor": d}] for name in node["inputs"][:-1]] + [
        ["tensors[9000]", {"tensor": w}]
    ]
    began = time.process_time()
    plan(p.trace)
    assert time.process_time() - began < 5
