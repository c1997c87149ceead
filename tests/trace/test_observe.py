"""`python -m engine.observe`: one observation in the format real PyTorch was recorded in."""

import json
import subprocess
import sys

import pytest

from engine import events
from engine.observe import observe
from engine.tensor import Tensor


@pytest.fixture
def seen(tmp_path):
    """Return what observes a text."""

    def look(source: str) -> dict:
        path = tmp_path / "snippet.py"
        path.write_text(source, encoding="utf-8")
        return observe(path)

    return look


CHAIN = """\
import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = (x * x).sum()
y.backward()
print(x.grad)
"""
TRIPLE = "import torch\nx = torch.ones(1, requires_grad=True)\ny = x * 3\n"


def test_a_call_has_its_roots_nodes_and_order(seen):
    (call,) = seen(CHAIN)["calls"]
    assert (call["api"], call["line"], call["parent"], call["retain_graph"]) == (
        "Tensor.backward",
        4,
        None,
        False,
    )
    one = {"dtype": "float32", "shape": [], "values": 1.0}
    assert call["roots"] == [{"var": "y", "node": 0, "input_nr": 0, "grad": one}]
    assert [(n["name"], n["next"]) for n in call["nodes"]] == [
        ("SumBackward0", [[1, 0]]), ("MulBackward0", [[2, 0], [2, 0]]), ("AccumulateGrad", [])
    ]  # fmt: skip
    assert (call["order"], call["nodes"][2]["variable"]) == ([0, 1, 2], "x")


def test_saved_values_go_by_their_attribute_names(seen):
    saved = seen(CHAIN)["calls"][0]["nodes"][1]["saved"]
    x = {"tensor": {"dtype": "float32", "shape": [2], "values": [1.0, 2.0]}}
    assert saved == {"_saved_other": x, "_saved_self": x}


def test_a_freed_value_is_the_error_that_reading_it_raises(seen):
    calls = seen(CHAIN + "try:\n    y.backward()\nexcept RuntimeError:\n    pass")["calls"]
    assert calls[1]["nodes"][1]["saved"]["_saved_self"]["error"].startswith("Trying to backward")
    assert calls[1]["exception"]["type"] == "RuntimeError"
    assert (calls[1]["order"], calls[1]["events"][-1]["grad_out"]) == ([0, 1], None)


def test_an_event_is_what_a_node_received_and_what_it_sent(seen):
    observation = seen(
        "import torch\nb = torch.ones(1, requires_grad=True)\n(b * torch.ones(3)).sum().backward()"
    )
    event = observation["calls"][0]["events"][1]
    assert event["grad_in"][0]["values"] == [1, 1, 1]
    assert event["grad_out"] == [{"dtype": "float32", "shape": [1], "values": [3.0]}, None]


def test_a_hook_changes_what_the_node_received(seen):
    calls = seen(TRIPLE + "y.register_hook(lambda g: g * 2)\ny.sum().backward()")["calls"]
    assert calls[0]["events"][1]["grad_in"][0]["values"] == [2.0]


def test_a_node_visited_only_for_its_gradient_is_not_in_the_order(seen):
    (call,) = seen(TRIPLE + "g = torch.autograd.grad(y.exp(), y)")["calls"]
    assert (call["order"], call["inputs"]) == ([0], [{"var": "y", "node": 1, "input_nr": 0}])
    assert call["accumulate_grad"] is False


@pytest.mark.parametrize(
    "statement, refused",
    [
        ("(x * 2).backward()", True),
        ("torch.ones(1).sum().backward()", False),
        ("(x * 2).backward(3.0)", True),
    ],
)
def test_a_call_that_runs_nothing_is_told_all_the_same(seen, statement, refused):
    source = f"import torch\nx = torch.ones(2, requires_grad=True)\n{statement}"
    (call,) = seen(source)["calls"]
    assert call.get("rejected_before_engine", False) is refused
    assert call["exception"]["message"] and not call.get("order")


def test_variables_are_all_a_learner_can_ask_of_them(seen):
    found = seen(CHAIN + "model = torch.nn.Linear(1, 1)\nn = 3\nboth = [x, 1]\nd = {'k': x}")["variables"]
    assert found["x"]["grad"]["values"] == [2.0, 4.0] and found["x"]["is_leaf"]
    assert (
        found["y"]["grad_fn"] == "SumBackward0" and found["y"]["repr"] == "tensor(5., grad_fn=<SumBackward0>)"
    )
    assert found["n"] == {"python": 3}
    assert {"model.weight", "model.bias", "both[0]", "d['k']"} <= set(found)


def test_output_warnings_and_the_exception_are_told(seen):
    observation = seen(TRIPLE + "y.grad\nprint(y.grad_fn)\ndef f():\n    1 / 0\nf()")
    assert observation["stdout"] == "<MulBackward0 object at 0x…>\n"
    assert [warning["category"] for warning in observation["warnings"]] == ["UserWarning"]
    assert observation["exception"] == {
        "type": "ZeroDivisionError", "message": "division by zero", "line": 8, "innermost_line": 7
    }  # fmt: skip


def test_observing_leaves_the_engine_as_it_was(seen):
    plain = Tensor.backward
    seen(CHAIN)
    assert Tensor.backward is plain and events.observer() is None and "torch" not in sys.modules


def test_the_command_prints_one_observation(tmp_path):
    path = tmp_path / "chain.py"
    path.write_text(CHAIN, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "engine.observe", path], capture_output=True, text=True, check=True
    )
    observation = json.loads(done.stdout)
    assert (observation["schema"], observation["snippet"]) == (2, "chain.py")
    assert observation["stdout"] == "tensor([2., 4.])\n"
