"""For an input without a gradient the row of the node says why: frozen, not asked for, or undefined."""

HEAD = "import torch\nimport torch.nn as nn\na = torch.ones(2, requires_grad=True)\nb = torch.ones(2)\n"


def skipped(rows, source: str, op: str) -> list[list[str]]:
    """Return what the node of an operation has skipped."""
    found = rows(HEAD + source)
    (node,) = [row["node"] for row in found if row["kind"] == "op_applied" and row["op"] == op]
    (ran,) = [row for row in found if row["kind"] == "node_ran" and row["node"] == node]
    return ran["skipped"]


def test_what_requires_no_gradient_gets_none(rows):
    assert skipped(rows, "(a * b).sum().backward()", "mul") == [["other", "not required"]]


def test_a_plain_number_is_not_worth_a_word(rows):
    assert skipped(rows, "(a * 2).sum().backward()", "mul") == []


def test_what_a_call_does_not_ask_for_is_not_computed(rows):
    source = "c = torch.ones(2, requires_grad=True)\n(a * c).sum().backward(inputs=[a])"
    assert skipped(rows, source, "mul") == [["other", "not asked for"]]


def test_a_frozen_weight_costs_nothing(rows):
    source = "m = nn.Linear(2, 1)\nm.weight.requires_grad_(False)\nm(a * 1).sum().backward()"
    assert ["mat2", "not required"] in skipped(rows, source, "addmm") or skipped(rows, source, "linear")


def test_a_gradient_that_a_function_leaves_out_is_undefined(rows):
    source = (
        "class Half(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x, y):\n        return x + y\n"
        "    @staticmethod\n    def backward(ctx, grad):\n        return grad, None\n"
        "c = torch.ones(2, requires_grad=True)\nHalf.apply(a, c).sum().backward()"
    )
    assert [why for _, why in skipped(rows, source, "Half")] == ["undefined"]
