"""Groups of a scene, by policy, and the levels that are made of them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from app.layout.dot import dot_text
from app.layout.fold import POLICIES, SMALL, Folder, all_groups
from app.layout.graph import read_graph
from app.layout.positions import grid, is_grid, layered
from app.layout.scenes import Scene, make_scenes
from app.layout.shapes import Shape
from engine.trace.run import trace_source

UNROLLED = """
    import torch
    w = torch.tensor(2.0, requires_grad=True)
    u = torch.tensor(1.0, requires_grad=True)
    h = torch.tensor(0.5)
    for t in range(60):
        a = w * h
        h = (a + u).tanh()
    loss = h.exp()
    loss.backward()
    """
LAYERS = """
    import torch
    from torch import nn
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    loss = (model(torch.ones(1, 2)) ** 2).sum()
    loss.backward()
    """
SCALARS = """
    import torch
    class Neuron:
        def __init__(self):
            self.w = [torch.tensor(0.1 * i, requires_grad=True) for i in range(4)]
        def __call__(self, x):
            return sum((wi * x for wi in self.w), torch.tensor(0.0)).tanh()
    neurons = [Neuron() for _ in range(5)]
    outs = [n(i + 1.0) for i in range(5) for n in neurons]
    sum(outs).backward()
    """


def traced(program: str) -> dict:
    trace = trace_source(dedent(program))
    assert trace["outcome"]["kind"] == "finished", trace["outcome"]
    return trace


def scene_of(program: str, policy: str) -> Scene:
    trace = traced(program)
    (scene,) = make_scenes(trace, read_graph(trace), policy)
    return scene


def every_shape(shape: Shape) -> list[Shape]:
    return [shape, *(inner for box in shape.boxes if box.inside for inner in every_shape(box.inside))]


def test_a_large_unrolled_loop_is_shown_by_its_rounds_which_are_one_shape():
    scene = scene_of(UNROLLED, "auto")
    rounds = [group for group in scene.groups.values() if group.kind == "loop"]
    assert [(group.count, group.of) for group in rounds] == [(i, 60) for i in range(1, 61)]
    inside = {id(box.inside) for box in scene.shape.boxes if box.role == "group"}
    assert len(inside) <= 2, "the first takes data, the others what the one before has made"


def test_leaves_that_all_rounds_use_stay_outside():
    scene = scene_of(UNROLLED, "auto")
    trace = traced(UNROLLED)
    leaves = [t for t, tensor in trace["tensors"].items() if tensor["kind"] == "leaf"]
    assert [scene.place[t] for t in leaves] == ["r0", "r1"]


def test_a_small_graph_is_shown_whole_unless_it_is_asked_otherwise():
    assert scene_of(LAYERS, "auto").groups == {}
    labels = [group.label for group in scene_of(LAYERS, "module").groups.values()]
    assert labels == ["model · Sequential", "0 · Linear", "2 · Linear"]


def test_a_weight_used_in_one_module_stands_inside_it():
    scene = scene_of(LAYERS, "module")
    trace = traced(LAYERS)
    weight = next(t for t, tensor in trace["tensors"].items() if "model.0.weight" in tensor["names"])
    assert scene.place[weight].count("/") == 2


def test_by_line_a_group_is_one_run_of_one_statement():
    groups = scene_of(UNROLLED, "line").groups.values()
    assert {group.label for group in groups} == {"h = (a + u).tanh()"}, (
        "a line with one operation is no group"
    )
    assert len(groups) == 60


def test_many_leaves_are_one_group_with_one_edge_to_each_that_uses_them():
    scene = scene_of(SCALARS, "function")
    (leaves,) = [path for path, group in scene.groups.items() if group.kind == "leaves"]
    number = int(leaves[1:])
    edges = [(a, b) for a, b, *_ in scene.shape.edges if a == number]
    assert len(edges) == len(set(edges)) == 25
    assert len(list(scene.groups[leaves].elements())) == 20


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("program", [UNROLLED, LAYERS, SCALARS])
def test_every_element_has_one_place_and_every_edge_of_the_run_a_way(policy, program):
    trace = traced(program)
    graph = read_graph(trace)
    for scene in make_scenes(trace, graph, policy):
        places = [scene.place[element.id] for element in scene.elements]
        assert len(set(places)) == len(places)
        for shape in every_shape(scene.shape):
            entered = {(target, index) for _, target, index, _ in shape.edges}
            assert len(entered) == len(shape.edges), "two edges into one place"
            for source, target, index, _ in shape.edges:
                inner = shape.boxes[target].inside
                assert inner is None or inner.boxes[index].role == "in"
                assert shape.boxes[source].role != "out" and shape.boxes[target].role != "in"
            for k, box in shape.exits:
                assert shape.boxes[shape.edges[k][0]].inside.boxes[box].role == "out"


def test_what_nothing_divides_is_divided_by_number():
    trace = traced("import torch\nw = torch.ones(1, requires_grad=True)\ny = w\n" + "y = y + w\n" * 400)
    (scene,) = make_scenes(trace, read_graph(trace), "auto")
    assert len(scene.shape.boxes) <= SMALL
    assert {group.kind for group in scene.groups.values()} == {"part"}


def test_a_group_of_leaves_is_laid_out_as_a_grid():
    scene = scene_of(SCALARS, "function")
    (shape,) = [box.inside for box in scene.shape.boxes if box.role == "group" and is_grid(box.inside)]
    layout = grid(shape)
    boxes = [box for box in layout["elements"].values() if box["role"] not in ("in", "out")]
    assert len({box["y"] for box in boxes}) > 1 and layout["width"] < 1500
    assert all(box["x"] == layout["width"] for box in layout["elements"].values() if box["role"] == "out")


def test_ports_stand_at_the_borders():
    for shape in every_shape(scene_of(UNROLLED, "auto").shape)[1:]:
        layout = layered(shape)
        for box in layout["elements"].values():
            assert box["role"] != "in" or box["x"] == 0
            assert box["role"] != "out" or box["x"] == layout["width"]


def test_nothing_a_learner_wrote_is_in_the_dot_of_groups():
    for shape in every_shape(scene_of(UNROLLED, "auto").shape):
        assert "range" not in dot_text(shape)


def test_groups_are_never_empty_nor_of_one():
    for program in (UNROLLED, LAYERS, SCALARS):
        trace = traced(program)
        graph = read_graph(trace)
        for policy in POLICIES:
            root = Folder(trace, graph, policy).fold(list(graph.elements.values()), anyway=True)
            assert root is None or all(len(g.items) > 1 for g in all_groups(root) if g is not root)
