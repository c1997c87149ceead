"""The DOT text against small snapshots; run with GRADSTEP_SNAPSHOTS=write to write them anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.layout.dot import BUSY, busy_sources, dot_text
from app.layout.graph import read_graph
from app.layout.scenes import Shape, make_scenes
from tests.layout.program import Program

SNAPSHOTS = Path(__file__).with_name("snapshots")


def two_paths() -> Program:
    p = Program()
    x, w = p.leaf("x"), p.leaf("w")
    y = p.op("mul", w, x, name="y")
    p.op("add", p.op("sum", p.op("pow", y)), p.op("sum", x), name="z")
    return p


def used_twice() -> Program:
    p = Program()
    x = p.leaf("x")
    p.op("mul", x, x, name="y")
    return p


def linear() -> Program:
    p = Program()
    weight, bias = p.leaf("model.weight", parameter=True), p.leaf("model.bias", parameter=True)
    inputs, targets = p.data("inputs"), p.data("targets")
    outputs = p.op("addmm", bias, inputs, p.op("t", weight), name="outputs")
    p.op("mse_loss", outputs, targets, name="loss")
    return p


def unrolled() -> Program:
    p = Program()
    w, h = p.leaf("w"), p.data("x")
    for _ in range(BUSY + 1):
        h = p.op("mul", h, w)
    return p


PROGRAMS = {program.__name__: program for program in (two_paths, used_twice, linear, unrolled)}


def shape_of(program: Program) -> Shape:
    return make_scenes(program.trace, read_graph(program.trace))[0].shape


@pytest.mark.parametrize("name", PROGRAMS)
def test_dot_is_as_its_snapshot(name):
    file, dot = SNAPSHOTS / f"{name}.dot", dot_text(shape_of(PROGRAMS[name]()))
    if os.environ.get("GRADSTEP_SNAPSHOTS") == "write":
        file.write_text(dot, encoding="utf-8")
    assert dot == file.read_text(encoding="utf-8")


def test_a_source_of_many_edges_is_left_out():
    shape = shape_of(unrolled())
    assert busy_sources(shape) == {0}
    assert dot_text(shape).count("r0:e") == 0


def test_nothing_a_learner_wrote_is_in_the_dot():
    p = Program()
    x = p.leaf('"];evil [label="<b>')
    p.op("mul", x, x, name="-->")
    dot = dot_text(shape_of(p))
    assert "evil" not in dot and "--" not in dot
