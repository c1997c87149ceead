"""Where in the program each operation stands: calls, modules, rounds of loops, statements."""

from __future__ import annotations

from textwrap import dedent

import pytest

from app.layout.indents import Indents
from app.layout.scopes import Scopes
from engine.trace.run import trace_source

START = "import torch\nw = torch.tensor(2.0, requires_grad=True)\n"


def scopes_of(program: str, kind: str) -> list[list[str]]:
    """Return, for each operation, its scopes of one kind: label, or label and round."""
    trace = trace_source(START + dedent(program))
    assert trace["outcome"]["kind"] == "finished", trace["outcome"]
    found = Scopes(trace).of_row
    return [
        [f"{s.label} {s.count}" if s.count else s.label for s in scopes if s.kind == kind]
        for row, scopes in zip(trace["rows"], found, strict=True)
        if row["kind"] == "op_applied" and row["node"]
    ]


LOOPS = {
    "a statement that runs again": ("for i in range(3):\n    w2 = w * i\n", [1, 2, 3]),
    "several operations of one statement": (
        "for i in range(2):\n    y = (w * 2 + w * 3).exp()\n",
        [1] * 4 + [2] * 4,
    ),
    "a loop on one line": ("for i in range(2): y = w * 2\n", [1, 2]),
    "while": ("i = 0\nwhile i < 2:\n    y = w * i\n    i += 1\n", [1, 2]),
    "branches that exclude each other": (
        "for i in range(4):\n    if i % 2:\n        y = w * 2\n    else:\n        y = w + 2\n",
        [1, 2, 3, 4],
    ),
    "a statement over several lines": (
        "for i in range(2):\n    y = (\n        w * 2\n        + w\n    )\n",
        [1, 1, 2, 2],
    ),
    "a comprehension in a round": (
        "for i in range(2):\n    ys = [w * j for j in range(3)]\n",
        [1] * 3 + [2] * 3,
    ),
    "nothing but a call": ("def f(x):\n    return x * 2\nfor i in range(3):\n    f(w)\n", [1, 2, 3]),
}


@pytest.mark.parametrize("name", LOOPS)
def test_rounds_are_told_apart(name):
    program, rounds = LOOPS[name]
    found = scopes_of(program, "loop")
    assert [int(scopes[-1].rsplit(" ", 1)[1]) for scopes in found] == rounds


def test_a_loop_inside_a_loop_begins_anew_in_each_round():
    found = scopes_of(
        "for i in range(2):\n    y = w\n    for j in range(2):\n        y = y * w\n    z = y.exp()\n", "loop"
    )
    assert found == [
        ["for i in range(2) 1", "for j in range(2) 1"], ["for i in range(2) 1", "for j in range(2) 2"],
        ["for i in range(2) 1"],
        ["for i in range(2) 2", "for j in range(2) 1"], ["for i in range(2) 2", "for j in range(2) 2"],
        ["for i in range(2) 2"],
    ]  # fmt: skip


def test_calls_stand_inside_each_other_and_two_calls_are_two():
    program = """
        class Neuron:
            def __call__(self, x):
                return (x * w).tanh()
        def layer(x):
            return [n(x) for n in (Neuron(), Neuron())]
        out = layer(w)
        """
    found = scopes_of(program, "call")
    assert found == [["layer()", "Neuron.__call__()"]] * 4
    trace = trace_source(START + dedent(program))
    keys = [s[-2].key for row, s in zip(trace["rows"], Scopes(trace).of_row) if row["kind"] == "op_applied"]
    assert len(set(keys)) == 2


def test_a_loop_of_the_caller_is_not_one_of_the_function_it_calls():
    found = scopes_of(
        "def f(x):\n    y = x * 2\n    return y + 1\nfor i in range(2):\n    z = f(w)\n", "loop"
    )
    assert found == [["for i in range(2) 1"]] * 2 + [["for i in range(2) 2"]] * 2


def test_modules_are_named_by_their_path_and_type():
    program = """
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = torch.nn.Linear(2, 1)
            def forward(self, x):
                return self.fc(x).relu()
        net = Net()
        y = net(torch.ones(1, 2))
        """
    found = scopes_of(program, "module")
    assert found == [["net · Net", "fc · Linear"]] * 2 + [["net · Net"]]


def test_a_trace_without_calls_still_has_its_loops():
    trace = trace_source(START + "for i in range(2):\n    y = w * i\n")
    assert "calls" not in trace
    assert [len([s for s in scopes if s.kind == "loop"]) for scopes in Scopes(trace).of_row][-1] == 1


def test_strings_and_comments_begin_no_loop_and_end_no_statement():
    lines = Indents('x = """\nfor fake in y:\n"""\nz = f(  # (\n    1,\n)\nfor i in a:\n    b\n\n    c\nd\n')
    assert [lines.statement(n) for n in range(1, 12)] == [1, 1, 1, 4, 4, 4, 7, 8, 9, 10, 11]
    assert [(loop.head, loop.last) for loop in lines.loops(8)] == [(7, 10)]
    assert lines.loops(2) == [] and lines.loops(11) == []
