"""Where numbers leave the graph: detach, .data, item and the like are rows, so a cut can be seen."""

import pytest

HEAD = "import torch\nw = torch.tensor([1., 2.], requires_grad=True)\ny = w * 2\n"


@pytest.mark.parametrize("text, how", [("y.detach()", "detach"), ("y.data", "data")])
def test_sharing_memory_without_history_is_a_row(rows, text, how):
    (row,) = rows(f"{HEAD}d = {text}", "detached")
    (made,) = rows(HEAD, "op_applied")
    assert (row["how"], row["source"], row["value"]) == (how, made["outputs"][0], made["values"][0])
    assert row["tensor"] != row["source"]


def test_cutting_in_place_is_a_row_and_makes_a_leaf_of_the_tensor(run):
    trace = run(HEAD + "y.detach_()")
    (row,) = [row for row in trace["rows"] if row["kind"] == "detached"]
    assert row["tensor"] == row["source"]
    assert trace["tensors"][row["tensor"]]["node"] is None


def test_the_name_comes_with_the_cut(rows):
    kinds = [row["kind"] for row in rows(HEAD + "d = y.detach()")]
    assert kinds[-2:] == ["detached", "names_bound"]


def test_emptying_gradients_cuts_nothing_a_reader_sees(rows):
    source = HEAD + "(w * w).sum().backward(create_graph=True)\ntorch.optim.SGD([w], lr=1.).zero_grad(False)"
    assert rows(source, "detached") == []


def test_giving_a_tensor_other_memory_is_a_row(rows):
    (row,) = rows(HEAD + "w.data = torch.zeros(2)", "data_replaced")
    assert row["before"] != row["after"]


READS = {
    "y.sum().item()": "item", "y.tolist()": "tolist", "w.detach().numpy()": "numpy",
    "float(y.sum())": "float", "int(y.sum())": "int", "bool(y.sum())": "bool",
    "1 if y.sum() > 0 else 2": "bool",
    "[1, 2, 3][torch.tensor(1)]": "index",
}  # fmt: skip


@pytest.mark.parametrize("text", READS)
def test_taking_numbers_out_is_a_row(rows, text):
    (row,) = rows(HEAD + text, "value_read")
    assert row["how"] == READS[text]


def test_what_cannot_be_taken_out_is_no_row(rows):
    assert rows(HEAD + "try:\n    y.item()\nexcept RuntimeError:\n    pass", "value_read") == []


def test_the_old_constructor_makes_a_tensor_too(rows):
    (_, row) = rows(HEAD + "t = torch.Tensor([1, 2])", "tensor_made")
    assert row["at"] == [4, 4, 4, 24]
