"""Clipping is one row: the norm, the factor, every `.grad` before and after. Numbers of e43_clip_grad."""

import pytest

HEAD = """\
import torch
from torch.nn.utils import clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_
a = torch.nn.Parameter(torch.tensor([1., 2.]))
b = torch.nn.Parameter(torch.tensor([[3.]]))
((a * torch.tensor([3., 4.])).sum() + (b * 12).sum()).backward()
"""


def clipped(run, call: str) -> tuple[dict, dict]:
    """Return the row that sums a call up, and the values."""
    trace = run(HEAD + call)
    (row,) = [row for row in trace["rows"] if row["kind"].endswith("_clipped")]
    return row, {v: entry["data"] for v, entry in trace["values"].items()}


def test_a_norm_that_is_too_large_gives_the_factor(run):
    row, values = clipped(run, "clip_grad_norm_([a, b], 1.0)")
    assert values[row["total"]] == 13.0
    assert values[row["factor"]] == pytest.approx(1 / 13, rel=1e-6)
    assert [values[v] for v in row["before"]] == [[3.0, 4.0], [[12.0]]]
    assert values[row["after"][0]] == pytest.approx([3 / 13, 4 / 13], rel=1e-6)
    assert (row["norm_type"], row["max_norm"]) == (2.0, 1.0)


def test_a_norm_that_is_small_enough_leaves_everything(run):
    row, values = clipped(run, "clip_grad_norm_([a, b], 14.0)")
    assert values[row["factor"]] == 1.0 and row["before"] == row["after"]


def test_any_norm_may_be_asked_for(run):
    row, values = clipped(run, "clip_grad_norm_([a, b], 1.0, norm_type=float('inf'))")
    assert (row["norm_type"], values[row["total"]]) == ("inf", 12.0)


def test_of_a_total_that_was_brought_along_the_kind_is_not_known(run):
    row, values = clipped(run, "clip_grads_with_norm_([a, b], 1.0, torch.tensor(26.))")
    assert (row["norm_type"], values[row["total"]]) == (None, 26.0)


def test_elements_are_held_between_two_bounds(run):
    row, values = clipped(run, "clip_grad_value_([a, b], 3.5)")
    assert [values[v] for v in row["after"]] == [[3.0, 3.5], [[3.5]]]
    assert row["clip_value"] == 3.5


def test_gradients_that_are_none_take_no_part(rows):
    source = (
        HEAD + "a.grad = None\nclip_grad_norm_([a, b], 1.0)\nb.grad = None\nclip_grad_value_([a, b], 1.0)"
    )
    (row,) = rows(source, "grad_norm_clipped", "grad_value_clipped")
    assert len(row["tensors"]) == 1
