"""Boxes are as wide as the longest text they ever show, within their bounds."""

from __future__ import annotations

import pytest

from app.layout.graph import read_graph
from app.layout.measure import SIZES, sizes, value_length
from tests.layout.program import Program


def width_of(program: Program, id: str) -> int:
    graph = read_graph(program.trace)
    return sizes(program.trace, list(graph.elements.values()))[id][0]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (4.25, "4.25"),
        (3.0, "3."),
        (0.3333333432674408, "0.3333"),
        (-8.0, "-8."),
        (5, "5"),
        ("nan", "nan"),
        ([1.0, -4.0], "[1., -4.]"),
        ([[1.0, 2.0], [3.0, 4.0]], "[[1., 2.], [3., 4.]]"),
        ([], "[]"),
        (1.0000000116860974e-07, "1.0000e-07"),
    ],
)
def test_the_length_of_a_value_is_that_of_its_text(data, text):
    assert value_length({"dtype": "float32", "shape": [], "data": data}) == len(text)


def test_a_long_value_counts_as_what_is_left_of_it():
    assert value_length({"data": [1.5] * 200}) == 22
    assert value_length({"shape": [64, 128], "summary": {}}) == len("(64, 128) tensor")


def test_a_rest_that_four_decimals_would_hide_is_counted():
    assert value_length({"data": 2.9999899864196777}) == len("2.99998999")


def test_a_leaf_is_wide_enough_for_its_longest_gradient():
    p = Program()
    x = p.leaf("x")
    narrow = width_of(p, x)
    long = p.value([1.2345, -2.3456])
    p.row("grad_set", tensor=x, before=None, after=long, cause="assigned")
    assert narrow == SIZES["leaf"][0] < width_of(p, x) >= 62 + 7.3 * len("[1.2345, -2.3456]")


def test_no_box_leaves_its_bounds():
    p = Program()
    x = p.leaf("a_name_of_a_variable_that_goes_on_and_on", data=[1.2345] * 9)
    y = p.data("another_name_of_a_variable_that_goes_on", data=[1.2345] * 9)
    p.op("an_operation_with_an_endless_name", x, y, name="yet_another_long_name")
    graph = read_graph(p.trace)
    found = sizes(p.trace, list(graph.elements.values()))
    for id, element in graph.elements.items():
        _, greatest, height = SIZES[element.role]
        assert found[id] == (greatest, height)
