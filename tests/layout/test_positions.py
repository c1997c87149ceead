"""Positions on the wire: boxes apart, curves from box to box, with Graphviz and without."""

from __future__ import annotations

import asyncio
import re

import pytest

from app.layout.dot import dot_text
from app.layout.positions import from_graphviz, layered
from app.layout.render import Renderer
from app.layout.scenes import Shape
from tests.layout.test_dot import PROGRAMS, shape_of


def by_graphviz(shape: Shape) -> dict:
    async def render() -> dict:
        renderer = Renderer()
        await renderer.start()
        try:
            return await renderer.render(dot_text(shape), 20)
        finally:
            await renderer.close()

    return from_graphviz(shape, asyncio.run(render()))


def numbers(path: str) -> list[tuple[float, float]]:
    found = [float(x) for x in re.findall(r"-?\d+\.\d", path)]
    return list(zip(found[::2], found[1::2], strict=True))


@pytest.fixture(scope="module")
def drawn() -> dict[tuple[str, str], dict]:
    shapes = {name: shape_of(program()) for name, program in PROGRAMS.items()}
    return {(name, by.__name__): by(shape) for name, shape in shapes.items() for by in (by_graphviz, layered)}


EACH = pytest.mark.parametrize("by", ["by_graphviz", "layered"])
NAMED = pytest.mark.parametrize("name", PROGRAMS)


@EACH
@NAMED
def test_no_two_boxes_touch(drawn, name, by):
    boxes = list(drawn[name, by]["elements"].values())
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            beside = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
            above = a["y"] + a["height"] <= b["y"] or b["y"] + b["height"] <= a["y"]
            assert beside or above


@EACH
@NAMED
def test_every_edge_runs_from_a_right_side_to_a_left_side(drawn, name, by):
    layout = drawn[name, by]
    assert layout["edges"]
    for edge in layout["edges"].values():
        points = numbers(edge["path"])
        source, target = layout["elements"][edge["from"]], layout["elements"][edge["to"]]
        assert points[0][0] == pytest.approx(source["x"] + source["width"], abs=0.11)
        assert points[0][1] == pytest.approx(source["y"] + source["height"] / 2, abs=0.11)
        assert points[-1][0] == pytest.approx(target["x"], abs=0.11)
        assert target["y"] < points[-1][1] < target["y"] + target["height"]
        assert len(points) % 3 == 1


@EACH
@NAMED
def test_everything_is_inside_the_drawing(drawn, name, by):
    layout = drawn[name, by]
    for box in layout["elements"].values():
        assert 0 <= box["x"] <= box["x"] + box["width"] <= layout["width"]
        assert 0 <= box["y"] <= box["y"] + box["height"] <= layout["height"]


@EACH
def test_a_tensor_used_twice_has_two_curves_apart(drawn, by):
    edges = drawn["used_twice", by]["edges"]
    a, b = (numbers(edges[id]["path"])[-1] for id in ("e_r1_0", "e_r1_1"))
    assert b[1] - a[1] >= 20


@EACH
@NAMED
def test_edges_into_a_box_keep_apart(drawn, name, by):
    ends = [numbers(edge["path"])[-1] for edge in drawn[name, by]["edges"].values()]
    assert len(set(ends)) == len(ends)


@EACH
def test_leaves_stand_at_the_left_in_order_of_creation(drawn, by):
    boxes = drawn["two_paths", by]["elements"]
    x, w = boxes["r0"], boxes["r1"]
    assert x["x"] == w["x"] == min(box["x"] for box in boxes.values())
    assert x["y"] < w["y"]


@EACH
def test_every_use_of_a_busy_leaf_leads_to_the_one_box(drawn, by):
    layout = drawn["unrolled", by]
    assert sum(edge["from"] == "r0" for edge in layout["edges"].values()) == 9
    assert sum(box["role"] == "leaf" for box in layout["elements"].values()) == 1


def test_without_boxes_the_drawing_is_empty():
    assert layered(Shape((), ())) == {"width": 48, "height": 48, "elements": {}, "edges": {}}
