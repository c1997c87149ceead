"""The parts of the check on their own: the queue, formulas, the program's text, the report."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.ready_queue import ReadyQueue
from engine.verify.calls import Call
from engine.verify.derive import UNREAD, parsed
from engine.verify.formula import read_formula
from engine.verify.laws.table import call
from engine.verify.program import Program
from engine.verify.queue import Heap
from engine.verify.report import Gap, Report


class Item:
    """Something with a sequence number."""

    def __init__(self, name: str, seq: int) -> None:
        self.name = name
        self.seq = seq


@pytest.mark.parametrize("seed", range(20))
def test_the_heap_moves_as_the_engines_does_ties_included(seed: int):
    pick = random.Random(seed)
    items = [Item(f"n{i}", pick.randrange(6)) for i in range(40)]
    seqs = {item.name: item.seq for item in items}
    ours, theirs = Heap(seqs.__getitem__), ReadyQueue()
    for item in items:
        ours.push(item.name)
        theirs.push(item)
        if pick.random() < 0.4:
            assert ours.pop() == theirs.pop().name
        assert ours.names == [each.name for each in theirs.heap]


def diamond() -> dict[str, dict]:
    """A node whose two edges lead through different nodes to one leaf."""
    return {
        "n1": {"edges": [["n2", 0], ["n3", 0]], "seq": 3},
        "n2": {"edges": [["n4", 0]], "seq": 2},
        "n3": {"edges": [["n4", 0], ["n5", 0]], "seq": 1},
        "n4": {"edges": [], "seq": None},
        "n5": {"edges": [], "seq": None},
    }


def test_a_call_counts_the_edges_that_point_at_each_node():
    call_ = Call({"root_nodes": ["n1"]}, diamond(), [("n1", 0, "v1")])
    assert call_.missing == {"n1": 0, "n2": 1, "n3": 1, "n4": 2, "n5": 1}


def test_a_restricted_call_runs_only_what_leads_to_its_targets():
    call_ = Call({"root_nodes": ["n1"]}, diamond(), [("n1", 0, "v1")])
    call_.restrict([("n5", 0)], accumulate=False)
    assert call_.needed == {"n5": False, "n3": True, "n1": True}
    assert not call_.reaches("n2") and call_.reaches("n5") and not call_.executes("n5")


@pytest.mark.parametrize(
    ("text", "terms", "wanted"),
    [("grad * other", {"grad": 2.0, "other": 3.0}, 6.0),
     ("-grad / (2 * result)", {"grad": 4.0, "result": 2.0}, -1.0),
     ("grad * (exponent * self ** (exponent - 1))", {"grad": 1.0, "exponent": 3, "self": 2.0}, 12.0),
     ("where((self > 0) & (self <= 1), grad, 0)", {"self": 1.0, "grad": 5.0}, 5.0),
     ("grad * self.cos()", {"grad": 2.0, "self": 0.0}, 2.0),
     ("a * grad with a = self + 1, b = 2", {"self": 2.0, "grad": 3.0}, 9.0),
     ("grad if self is None else grad * 2", {"self": 2.0, "grad": 3.0}, 6.0),
     ("grad / 0", {"grad": 1.0}, np.inf), ("(grad + self)[1]", {"grad": [1.0, 2.0], "self": 1.0}, 3.0),
     ("grad[mask]", {"grad": [1.0, 2.0], "mask": [False, True]}, [2.0]),
     ("linalg_cross(self, grad, 0)[2]", {"self": [1.0, 0.0, 0.0], "grad": [0.0, 1.0, 0.0]}, 1.0),
     ("grad * product_of_others(self).sum()", {"grad": 1.0, "self": [2.0, 3.0, 0.0]}, 6.0),
     ("max / grad.max(2)", {"grad": 1.0, "max": 4.0}, 2.0)],
)  # fmt: skip
def test_a_plain_formula_is_evaluated(text, terms, wanted):
    terms = {name: np.asarray(term) for name, term in terms.items()}
    assert np.array_equal(call(read_formula(text), terms), wanted)


@pytest.mark.parametrize(
    "text",
    ["zeros(self) with grad at [index]", "__import__('os')", "grad.tofile('x')",
     "(lambda: grad)()", "[grad for grad in self]", "grad.__class__", "open(grad)",
     "grad.sum", "f(grad)(grad)", "sum(*grad)", "sum(**grad)", "grad with open(x)", "grad with a = 1, 2",
     "grad with a = open(x)", "grad where", "{grad}", "f'{grad}'", "(grad := 1)", "grad if",
     "-" * 2000 + "grad",
     "(" * 400 + "grad" + ")" * 400, "grad.T.base", "grad[1:]", "b'a'"],
)  # fmt: skip
def test_a_formula_that_is_more_than_arithmetic_is_not_evaluated(text):
    assert read_formula(text) is None


@pytest.mark.parametrize(
    "text",
    ["grad.expand((100000, 100000))", "eye((10000, 10000))", "'a' * 1000000000", "(1, 2) * 1000000000",
     "repeat(grad, (1000, 1000, 1000))", "grad.expand((3000, 1000)).outer(grad.expand((3000, 1000)))"],
)  # fmt: skip
def test_a_formula_cannot_fill_the_memory(text):
    with pytest.raises((ValueError, TypeError, MemoryError)):
        call(read_formula(text), {"grad": np.asarray([1.0])})


def test_a_formula_may_speak_of_some_elements_only():
    formula = read_formula("grad / self where self != 0")
    assert formula.spoken({"self": np.array([0.0, 2.0])}).tolist() == [False, True]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("2", 2), ("(1, -1)", (1, -1)), ("'mean'", "mean"), ("None", None), ("torch.float64", "torch.float64")],
)
def test_plain_arguments_are_read(text, wanted):
    assert parsed(text) == wanted


@pytest.mark.parametrize("text", ["Tensor", "tensor of shape [2]", "[0, 1, ...]", "<engine object>"])
def test_arguments_in_words_are_not(text):
    assert parsed(text) is UNREAD


def test_columns_of_a_program_are_utf_16_units():
    program = Program('x = "𝛁"; y = f(x)\n')
    assert program.text([1, 14, 1, 18]) == "f(x)" and program.call([1, 14, 1, 18]) is not None


def test_a_report_counts_what_was_derived_and_what_was_given():
    report = Report(checked=3)
    gap = Gap("node_ran", "large", "MmBackward0")
    report.leave(gap, 7, 2)
    report.leave(gap, 9, 0)
    assert (report.of, report.holds) == (5, True)
    assert gap.text == "node_ran: MmBackward0: too large to be written whole"
    report.refuse(7, "edge_flowed.missing", 1, 2)
    told = report.as_dict()
    assert told["checked"] == 3 and told["of"] == 5 and told["problems"][0]["row"] == 7
    wanted = {"kind": "node_ran", "reason": "large", "subject": "MmBackward0", "detail": ""}
    assert told["given"] == [{**wanted, "count": 2, "row": 7}]
    assert told["problems"][0]["text"] == "row 7: edge_flowed.missing: expected 1, found 2"
