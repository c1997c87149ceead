"""What of a trace becomes boxes and edges."""

from __future__ import annotations

from app.layout.graph import read_graph
from tests.layout.program import Program


def roles(program: Program) -> dict[str, str]:
    return {id: element.role for id, element in read_graph(program.trace).elements.items()}


def test_a_leaf_and_its_accumulator_are_one_box():
    p = Program()
    x = p.leaf("x")
    y = p.op("mul", x, x, name="y")
    elements = read_graph(p.trace).elements
    assert elements[x].members == (x, "n1")
    assert elements["n2"].members == ("n2", y)


def test_the_same_tensor_used_twice_is_two_edges():
    p = Program()
    x = p.leaf("x")
    p.op("mul", x, x)
    edges = read_graph(p.trace).edges
    assert [(e.source, e.target, e.index, e.slot) for e in edges] == [(x, "n2", 0, 0), (x, "n2", 1, 1)]


def test_data_comes_in_where_no_gradient_goes_back():
    p = Program()
    x, w = p.data("x"), p.leaf("w")
    p.op("mul", x, w)
    edges = {e.index: (e.source, e.slot) for e in read_graph(p.trace).edges}
    assert edges == {1: (w, 1), 0: (x, None)}


def test_data_beyond_the_edges_gets_an_index_of_its_own():
    p = Program()
    x, w = p.data("x"), p.leaf("w")
    p.op("gather", w)
    p.trace["nodes"]["n2"]["args"] += [
        ["index", {"tensor": x}],
        ["dim", {"text": "0"}],
        ["mask", {"tensor": x}],
    ]
    indexes = [e.index for e in read_graph(p.trace).edges]
    assert indexes == [0, 1, 2]


def test_data_that_feeds_nothing_recorded_is_not_drawn():
    p = Program()
    p.data("x")
    w = p.leaf("w")
    assert roles(p) == {w: "leaf"}


def test_a_program_without_any_graph_shows_its_named_data():
    p = Program()
    x = p.data("x")
    p.data(None)
    assert roles(p) == {x: "data"}


def test_an_empty_program_has_no_boxes():
    assert roles(Program()) == {}


def test_boxes_stand_in_order_of_creation():
    p = Program()
    w = p.leaf("w")
    first = p.op("exp", w)
    late = p.leaf("v")
    p.op("mul", first, late)
    assert list(roles(p)) == [w, "n2", late, "n4"]


def test_a_tensor_that_an_in_place_operation_moved_on_stands_at_its_last_node():
    p = Program()
    x = p.leaf("x")
    y = p.op("exp", x, name="y")
    p.op("mul", y, y)
    p.trace["nodes"]["n3"]["outputs"] = [y]
    p.trace["tensors"][y]["node"] = "n3"
    elements = read_graph(p.trace).elements
    assert elements["n2"].members == ("n2",)
    assert elements["n3"].members == ("n3", y)
