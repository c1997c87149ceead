"""A bare expression shows its value as Python's prompt does, and only then."""

from __future__ import annotations

import pytest

from engine.trace.run import trace_source


def echoes(source: str) -> list[tuple[int, str]]:
    """Return (line, text) of every value shown."""
    trace = trace_source(source)
    assert trace["outcome"] == {"kind": "finished"}, trace["outcome"]
    return [(row["at"][0], row["text"]) for row in trace["rows"] if row["kind"] == "echo"]


def test_the_value_of_every_bare_expression_is_shown_beside_its_line():
    source = (
        "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\nx\nx.sum().backward()\nx.grad\n1 + 1"
    )
    assert echoes(source) == [
        (3, "tensor([1., 2.], requires_grad=True)"),
        (5, "tensor([1., 1.])"),
        (6, "2"),
    ]


def test_its_place_is_the_whole_expression():
    trace = trace_source("x = [1]\n(x +\n  x)\n")
    (row,) = [row for row in trace["rows"] if row["kind"] == "echo"]
    assert row == {"kind": "echo", "at": [2, 1, 3, 3], "text": "[1, 1]"}


@pytest.mark.parametrize(
    "source",
    [
        "None", "print(1)", "'a remark'", '"""another"""', "x = [1]\nx.append(2)", "x = 1",
        "for i in range(3):\n    i", "def f():\n    1\nf()", "if True:\n    1", "object()",
        "import torch\nx = torch.ones(2)\nx.add_(1)", "import torch\ntorch.manual_seed(0)",
        "import torch\nw = torch.ones(2)\ntorch.nn.init.zeros_(w)", "(x := 3)",
    ],
)  # fmt: skip
def test_what_stands_for_its_effect_is_not_repeated(source: str):
    assert echoes(source) == []


def test_a_method_that_is_not_called_shows_what_it_is():
    source = "import torch\ny = torch.ones(1, requires_grad=True).sum()\ny.backward"
    assert echoes(source) == [(3, "<bound method Tensor.backward of tensor(1., grad_fn=<SumBackward0>)>")]


def test_a_value_whose_text_fails_ends_the_run_as_at_the_prompt():
    trace = trace_source("class A:\n    def __repr__(self): return 1\nA()")
    assert trace["outcome"]["type"] == "TypeError" and trace["outcome"]["at"][0] == 3


def test_what_is_shown_counts_as_printed():
    from engine.trace.run import Limits

    trace = trace_source("'a' * 30 + 'b'\n1", limits=Limits(output=10))
    assert trace["outcome"]["limit"] == "output" and trace["rows"][0]["text"] == "'aaaaaaaaa"


def test_a_star_alone_is_still_no_program():
    trace = trace_source("x = [1]\n*x")
    assert trace["outcome"]["kind"] == "refused"
