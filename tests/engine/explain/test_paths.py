"""A gradient taken apart: its parts add up to it, in every recorded program, whatever the operation."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path

import pytest

from engine.trace.run import trace_source
from tests.engine.explain.asking import adds_up, at, elements, gradients, why

CASES = sorted((Path(__file__).parents[2] / "oracle" / "cases").glob("*.py"))
ASKED = 3  # numbers of each program
DIGITS = 1e-4  # of float32 sums
START = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


def asked(source: str, tensor: str = "x", element: tuple = ()) -> dict:
    """Return why the last gradient that reached a variable is what it is."""
    trace = trace_source(START + source)
    assert trace["outcome"]["kind"] == "finished", trace["outcome"]
    rows = [
        (k, call)
        for k, call, _ in gradients(trace)
        if trace["rows"][k]["kind"] == "grad_accumulated"
        and tensor in trace["tensors"][trace["rows"][k]["tensor"]]["names"]
    ]
    return why(START + source, *rows[-1], element)


def products(answer: dict) -> list[float]:
    """Return the product of each path, smallest first."""
    return sorted(path["product"] for path in answer["paths"])


def holds(answer: dict, value: dict, element: tuple) -> None:
    """Check that an answer is about the number of the trace, and adds up to it."""
    shown, told = at(value, element), float(answer["number"])
    if shown is not None:
        assert math.isclose(shown, told, rel_tol=1e-5, abs_tol=1e-37) or (shown != shown and told != told)
    assert all(adds_up(place, DIGITS) for place in answer["places"])
    total = [float(path["product"]) for path in answer["paths"]]
    if total and all(map(math.isfinite, [*total, told])):
        assert abs(math.fsum(total) - told) <= DIGITS * (sum(map(abs, total)) + abs(told))


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_the_parts_of_recorded_gradients_add_up(case: Path):
    source = case.read_text(encoding="utf-8")
    found = list(gradients(trace_source(source)))
    random.Random(case.stem).shuffle(found)
    for row, call, value in found[:ASKED]:
        for element in elements(value["shape"])[:1]:
            answer = why(source, row, call, element)
            assert answer["found"]
            holds(answer, value, element)


def test_nearly_all_places_of_recorded_gradients_are_taken_apart():
    stops: Counter = Counter()
    for case in CASES[::3]:
        source = case.read_text(encoding="utf-8")
        for row, call, value in list(gradients(trace_source(source)))[:2]:
            for element in elements(value["shape"])[:1]:
                stops.update(place["stop"] for place in why(source, row, call, element)["places"])
    assert stops["unknown"] + stops["own"] <= 0.02 * sum(stops.values())


def test_two_paths_are_two_products():
    answer = asked("x = torch.tensor(3.0, requires_grad=True)\n(x * x * 2 + x * 5).backward()")
    assert products(answer) == [5.0, 6.0, 6.0] and answer["number"] == 17.0
    assert answer["count"] == 3 and answer["node_paths"] == 3


def test_an_element_of_a_matrix_product_has_a_row_and_a_column():
    answer = asked(
        "x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)\n"
        "w = torch.tensor([[5.0, 6.0], [7.0, 8.0]])\n(x @ w).sum().backward()",
        element=(1, 0),
    )
    assert [(t["element"], t["derivative"]) for t in answer["places"][0]["terms"]] == [
        ([1, 0], 5.0),
        ([1, 1], 6.0),
    ]


def test_what_broadcasting_stretched_is_summed_element_by_element():
    answer = asked(
        "x = torch.tensor([2.0], requires_grad=True)\n(x * torch.tensor([1.0, 2.0, 3.0])).sum().backward()",
        element=(0,),
    )
    assert [t["derivative"] for t in answer["places"][0]["terms"]] == [1.0, 2.0, 3.0]


def test_a_path_that_is_blocked_is_told_with_zero():
    answer = asked("x = torch.tensor(-3.0, requires_grad=True)\n(x.relu() + 2 * x).backward()")
    assert products(answer) == [0.0, 2.0]
    assert any(term["blocked"] for place in answer["places"] for term in place["terms"])


def test_of_a_blocked_path_is_told_what_arrived_or_nothing():
    answer = asked("x = torch.tensor([1.0, 5.0], requires_grad=True)\n(x.max() * 3).backward()", element=(0,))
    (term,) = answer["places"][0]["terms"]
    assert (term["blocked"], term["derivative"], term["grad"]) == (True, 0.0, 3.0)
    source = "x = torch.tensor([[1.0, 5.0], [2.0, 0.0]], requires_grad=True)\nx.amax(1).sum().backward()"
    (term,) = asked(source, element=(0, 0))["places"][0]["terms"]
    assert (term["blocked"], term["grad"], term["product"]) == (True, None, 0.0)


def test_what_grad_held_before_is_told_apart_from_what_arrives():
    answer = asked("x = torch.tensor(3.0, requires_grad=True)\n(x * x).backward()\n(2 * x).backward()")
    assert (answer["held"], answer["number"], answer["call"]) == (6.0, 2.0, 1)


def test_a_number_that_a_hook_made_is_not_taken_apart():
    answer = asked(
        "x = torch.tensor(3.0, requires_grad=True)\nx.register_hook(lambda g: g * 10)\n(x * x).backward()"
    )
    (place,) = answer["places"]
    assert (place["stop"], place["before"], place["number"]) == ("hook", 6.0, 60.0)


CUSTOM = """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a
    @staticmethod
    def backward(ctx, g):
        (a,) = ctx.saved_tensors
        return {rule}
x = torch.tensor(3.0, requires_grad=True)
(Own.apply(x) * 2).backward()
"""


def test_a_function_of_ones_own_has_local_derivatives_if_its_backward_is_linear():
    assert products(asked(CUSTOM.format(rule="g * 2 * a"))) == [12.0]
    (place,) = asked(CUSTOM.format(rule="torch.sign(g)"))["places"]
    assert place["stop"] == "own"


CHECKPOINT = """
from torch.utils.checkpoint import checkpoint
x = torch.tensor(3.0, requires_grad=True)
checkpoint(lambda a: (a * a).sin(), x, use_reentrant={reentrant}).backward()
"""


@pytest.mark.parametrize("reentrant", [False, True])
def test_what_a_checkpoint_computes_again_is_taken_apart(reentrant: bool):
    answer = asked(CHECKPOINT.format(reentrant=reentrant))
    each = [6 * math.cos(9)] if reentrant else [3 * math.cos(9)] * 2  # one node, or those inside
    assert products(answer) == pytest.approx(each, rel=1e-5)


def test_second_order_graphs_are_taken_apart():
    answer = asked(
        "x = torch.tensor(2.0, requires_grad=True)\n"
        "(g,) = torch.autograd.grad(x ** 3, x, create_graph=True)\ng.backward()"
    )
    assert answer["number"] == 12.0 and math.isclose(math.fsum(products(answer)), 12.0, rel_tol=1e-5)


def test_a_deep_diamond_has_its_paths_counted_and_not_listed():
    answer = asked(
        "x = torch.tensor(1.0, requires_grad=True)\ny = x\nfor _ in range(60):\n    y = y * 0.5 + y * 0.5\n"
        "y.backward()"
    )
    assert answer["paths"] == [] and answer["count"] == str(2**60) == answer["node_paths"]
    assert answer["number"] == 1.0


def test_a_large_layer_is_answered_within_its_budget():
    source = "torch.manual_seed(0)\nnet = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 32))\n"
    source += "x = torch.randn(16, 64, requires_grad=True)\nnet(x).pow(2).mean().backward()"
    answer = asked(source, element=(3, 5))
    assert answer["found"] and all(adds_up(place, DIGITS) for place in answer["places"])
    assert answer["places"][0]["more"] == 128 - 64


def test_a_row_without_a_gradient_has_no_answer():
    source = START + "x = torch.tensor(1.0, requires_grad=True)\n(x * 2).backward()"
    for row, call, element in ((0, 0, ()), (500, 0, ()), (8, 3, ()), (8, 0, (4,))):
        assert not why(source, row, call, element)["found"]
