"""Finite differences: they agree with PyTorch's gradients where there are any, draws and dropout included."""

from __future__ import annotations

import math

import pytest

from engine.explain.slopes import Asked, Slope
from engine.trace.changes import Change
from engine.trace.run import Run, trace_source

START = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"
LEAF = "x = torch.tensor([0.7, -1.3, 2.1], requires_grad=True)\n"
PROGRAMS = {
    "squares": LEAF + "(x * x).sum().backward()",
    "softmax": LEAF + "F.softmax(x, 0)[1].backward()",
    "weighted": LEAF + "(x.exp()).backward(torch.tensor([1.0, 2.0, 3.0]))",
    "dropout": LEAF + "(F.dropout(x, 0.5) * x).sum().backward()",
    "draws": LEAF + "((x + torch.randn(3)) ** 2 * torch.rand(3)).sum().backward()",
    "layers": LEAF + "l = nn.Linear(3, 4)\nl(x).tanh().pow(2).sum().backward()",
    "norm": LEAF + "F.layer_norm(x * 2, (3,)).pow(3).sum().backward()",
    "integers": LEAF + "F.cross_entropy(x.unsqueeze(0), torch.tensor([2])).backward()",
    "second": LEAF + "(g,) = torch.autograd.grad((x ** 3).sum(), x)\n(g * x).sum().backward()",
    "bfloat16": LEAF + "(x.bfloat16() * 2).sum().float().backward()",
    "half": LEAF + "(x.half() * 2).sum().float().backward()",
    "double": LEAF.replace("requires", "dtype=torch.float64, requires") + "x.sin().sum().backward()",
}


def slope(
    source: str, made: int = 0, element: tuple = (1,), *, call=0, points=0, changes=(), written=False
) -> dict:
    """Return the slope at one number of a program."""

    def start(recorder) -> None:
        Run(source, recorder=recorder).trace()

    return Slope(start, Asked(call, made, 0, element, points, 1.0, written), changes).answer()


def grad_of(source: str, element: int) -> float:
    """Return an element of the gradient that arrives at x."""
    trace = trace_source(source)
    rows = [r for r in trace["rows"] if r["kind"] in ("grad_accumulated", "grad_captured")]
    row = next(r for r in rows if "x" in trace["tensors"].get(r.get("tensor"), {"names": []})["names"])
    return trace["values"][row["arriving"]]["data"][element]


@pytest.mark.parametrize("name", PROGRAMS)
def test_estimates_agree_with_the_gradient(name: str):
    source = START + PROGRAMS[name]
    call = 1 if name == "second" else 0
    if name == "second":
        source = source.replace(", x)", ", x, create_graph=True)")
    found = slope(source, call=call)
    digits = 1e-4
    expected = grad_of(source, 1)
    for estimate in found["estimates"]:
        assert math.isclose(estimate["central"], expected, rel_tol=digits, abs_tol=digits)


def test_two_step_sizes_and_both_sides_are_told():
    found = slope(START + PROGRAMS["squares"])
    assert [round(math.log10(e["step"] / 1.3)) for e in found["estimates"]] == [-3, -5]
    assert found["float64"] and found["dtype"] == "float32"
    assert found["estimates"][0]["right"] > found["estimates"][0]["central"] > found["estimates"][0]["left"]


def test_where_there_is_no_derivative_the_two_sides_differ():
    found = slope(START + "x = torch.tensor([1.0, 0.0], requires_grad=True)\nx.relu().sum().backward()")
    last = found["estimates"][1]
    assert (round(last["left"], 6), round(last["right"], 6), round(last["central"], 6)) == (0.0, 1.0, 0.5)


def test_a_number_of_a_result_can_be_moved_and_the_program_goes_on_from_there():
    found = slope(START + LEAF + "h = x * 2\n(h * h).sum().backward()", made=1)
    assert math.isclose(found["value"], -2.6, rel_tol=1e-6)
    assert math.isclose(found["estimates"][1]["central"], 2 * -2.6, rel_tol=1e-5)


def test_a_view_is_moved_alone():
    found = slope(START + LEAF + "h = x[:]\n(h * x).sum().backward()", made=1)
    assert math.isclose(found["estimates"][1]["central"], -1.3, rel_tol=1e-5)


def test_what_autograd_does_not_follow_is_in_the_estimate():
    found = slope(START + LEAF + "(x * x.detach()).sum().backward()")
    assert math.isclose(found["estimates"][1]["central"], -2.6, rel_tol=1e-6)  # autograd: -1.3


def test_a_curve_goes_through_the_number_and_to_both_sides():
    found = slope(START + PROGRAMS["squares"], points=5)
    xs, ys = zip(*found["points"], strict=True)
    assert math.isclose(xs[2], found["value"]) and math.isclose(ys[2], found["result"])
    assert math.isclose(xs[4] - xs[0], 2.0)


def test_changes_of_the_program_are_in_place_before_a_number_is_moved():
    found = slope(START + PROGRAMS["squares"], changes=(Change(0, 0, (1,), 5.0),))
    assert math.isclose(found["estimates"][1]["central"], 10.0, rel_tol=1e-6) and found["value"] == 5.0


def test_a_program_that_does_not_get_there_has_no_slope():
    assert not slope(START + "x = 1")["found"]
    assert not slope(START + PROGRAMS["squares"], made=50)["found"]
    assert not slope(START + PROGRAMS["squares"], element=(9,))["found"]


def test_nothing_stays_wide_after_an_answer():
    slope(START + PROGRAMS["draws"])
    trace = trace_source("import torch\nprint(torch.randn(2).numpy().dtype, torch.ones(1).dtype)")
    assert [r["text"] for r in trace["rows"] if r["kind"] == "printed"] == ["float32 torch.float32\n"]


LOOP = (
    "l = nn.Linear(2, 1)\nwith torch.no_grad():\n    l.weight.copy_(torch.tensor([[0.3, -0.2]]))\n"
    "o = torch.optim.SGD(l.parameters(), lr=0.1)\nX = torch.tensor([[1.0, 2.0]])\nfor _ in range(3):\n"
    "    o.zero_grad()\n    l(X).pow(2).sum().backward()\n    o.step()\n"
)


def test_a_parameter_that_was_written_is_moved_as_the_call_finds_it():
    trace = trace_source(START + LOOP)
    rows = [r for r in trace["rows"] if r["kind"] == "grad_accumulated"]
    grads = [trace["values"][r["arriving"]]["data"] for r in rows if r["tensor"] == "t1"]
    for call, grad in enumerate(grads):
        found = slope(START + LOOP, element=(0, 1), call=call, written=True)
        assert math.isclose(found["estimates"][1]["central"], grad[0][1], rel_tol=1e-4)
    assert slope(START + LOOP, element=(0, 1), call=2)["estimates"][1]["central"] == 0.0  # copy_ comes after


def test_a_number_written_through_data_is_moved_after_that():
    source = START + LEAF + "x.data[1] = 5.0\n(x * x).sum().backward()"
    found = slope(source, written=True)
    assert found["value"] == 5.0 and math.isclose(found["estimates"][1]["central"], 10.0, rel_tol=1e-6)
