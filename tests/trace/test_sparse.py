"""Sparse gradients are told as they are: which rows arrive, how many entries there are, what adds up."""

HEAD = """\
import torch
import torch.nn as nn
e = nn.Embedding(4, 2, sparse=True)
def run():
    e(torch.tensor([1, 3, 1])).sum().backward()
run()
"""


def test_the_rows_that_arrive_stand_with_their_indices(run):
    trace = run(HEAD)
    (row,) = [row for row in trace["rows"] if row["kind"] == "sparse_accumulated"]
    assert trace["values"][row["indices"]]["data"] == [[1, 3, 1]]
    assert trace["values"][row["rows"]]["data"] == [[1.0, 1.0]] * 3
    assert (row["entries"], row["coalesced"]) == (3, False)


def test_a_second_pass_adds_entries_and_sums_nothing(rows):
    found = rows(HEAD + "run()", "sparse_accumulated")
    assert [row["entries"] for row in found] == [3, 6]


def test_coalescing_adds_the_rows_of_equal_indices(run):
    trace = run(HEAD + "e.weight.grad.coalesce()")
    (row,) = [row for row in trace["rows"] if row["kind"] == "coalesced"]
    assert trace["values"][row["new_indices"]]["data"] == [[1, 3]]
    assert trace["values"][row["new_rows"]]["data"] == [[2.0, 2.0], [1.0, 1.0]]


def test_a_dense_gradient_makes_no_such_row(rows):
    assert rows(HEAD.replace(", sparse=True", ""), "sparse_accumulated", "coalesced") == []
