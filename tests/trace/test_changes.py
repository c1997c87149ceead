"""What if: numbers are changed when their tensor is made, and the trace says so."""

from __future__ import annotations

import pytest

from engine.trace.changes import Change, Changing
from engine.trace.run import Run
from engine.verify.check import check

PROGRAM = """
import torch
import torch.nn as nn
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.randn(2) * 0.5
w.requires_grad_()
l = nn.Linear(2, 1)
k = torch.tensor([0, 1])
(l(x * w).sum() + x[k].sum()).backward()
print(x.grad)
"""


def run(*changes: Change, source: str = PROGRAM) -> dict:
    """Return the trace of a program with some numbers changed."""
    return Run(source, recorder=lambda *given: Changing(*given, changes)).trace()


def values_of(trace: dict, name: str) -> object:
    """Return what a variable holds at the end."""
    held = {}
    for row in trace["rows"]:
        if row["kind"] == "tensor_made":
            held[row["tensor"]] = row["value"]
        elif row["kind"] == "op_applied":
            held |= dict(zip(row["outputs"], row["values"], strict=True))
        elif row["kind"] == "data_replaced":
            held[row["tensor"]] = row["after"]
    tensor = next(t for t, entry in trace["tensors"].items() if name in entry["names"])
    return trace["values"][held[tensor]]["data"]


@pytest.mark.parametrize(
    ("made", "name", "element", "value", "holds"),
    [
        (0, "x", (0,), 3.25, [3.25, 2.0]),
        (2, "w", (1,), -1.0, None),
        (3, "l.weight", (0, 1), 0.5, None),
        (5, "k", (1,), 0.4, [0, 0]),
    ],
)
def test_a_number_is_other_from_the_moment_its_tensor_is_made(made, name, element, value, holds):
    trace = run(Change(made, 0, element, value))
    found = values_of(trace, name)
    assert found == holds or holds is None
    for i in element:
        found = found[i]
    assert found == round(value, 9) or name == "k"
    assert trace["outcome"]["kind"] == "finished"


def test_the_row_of_the_making_says_what_the_program_says_and_the_next_what_was_put_in_place():
    trace = run(Change(0, 0, (0,), 3.25))
    made, replaced = trace["rows"][:2]
    assert trace["values"][made["value"]]["data"] == [1.0, 2.0]
    assert (replaced["kind"], replaced["tensor"], replaced["before"]) == (
        "data_replaced", made["tensor"], made["value"],
    )  # fmt: skip


def test_a_changed_run_holds_when_it_is_derived_again():
    for change in (Change(0, 0, (0,), 3.25), Change(2, 0, (1,), -1.0), Change(3, 0, (0, 1), 0.5)):
        assert not check(run(change)).problems


def test_a_change_that_fits_nothing_changes_nothing():
    plain = run()
    for made, output, element in ((0, 0, (5,)), (0, 0, ()), (99, 0, (0,)), (0, 1, (0,))):
        assert run(Change(made, output, element, 1.0)) == plain


def test_what_an_optimiser_does_counts_as_no_making():
    source = PROGRAM + "torch.optim.Adam([x]).step()\ny = torch.tensor([7.0])\n"
    rows = run(source=source)["rows"]
    kinds = ("tensor_made", "detached", "op_applied")
    making = [r for r in rows if r["kind"] in kinds and not r.get("inplace")]
    made = next(i for i, r in enumerate(making) if "y" in str(r) or r is making[-1])
    assert values_of(run(Change(made, 0, (0,), 8.0), source=source), "y") == [8.0]
