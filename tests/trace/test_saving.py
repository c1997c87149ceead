"""What hooks keep in the place of saved tensors, and checkpoints: left out, computed again, told."""

HOOKS = """\
import torch
def pack(t):
    return {kept}
def unpack(k):
    return {back}
a = torch.tensor([1., 2.], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = a.exp()
y.sum().backward()
"""
CHECKPOINT = """\
import torch
from torch.utils.checkpoint import checkpoint
def block(x, w):
    return torch.tanh(x * w)
a = torch.tensor([1., 2.], requires_grad=True)
w = torch.tensor([.5, .5], requires_grad=True)
y = checkpoint(block, a, w, use_reentrant={reentrant})
y.sum().backward()
"""
SAVING = ("saved_packed", "saved_unpacked")
CHECKPOINTS = ("checkpoint_began", "checkpoint_ended", "recompute_began", "recompute_ended")


def test_a_tensor_that_is_packed_and_unpacked_makes_two_rows(rows):
    packed, unpacked = rows(HOOKS.format(kept="t.tolist()", back="torch.tensor(k)"), *SAVING)
    assert (packed["hook"], packed["kept"], packed["packed"]) == ("pack", "list", None)
    assert (unpacked["hook"], unpacked["kept"]) == ("unpack", "list")
    assert unpacked["value"] == packed["value"]


def test_what_a_hook_returns_is_told_if_it_is_a_tensor(rows):
    packed, unpacked = rows(HOOKS.format(kept="t.detach() * 2", back="k / 2"), *SAVING)
    assert packed["kept"] == "Tensor" and packed["packed"] not in (None, packed["value"])
    assert unpacked["value"] == packed["value"]


def test_an_operation_names_what_hooks_keep_for_it(rows):
    (row,) = [r for r in rows(HOOKS.format(kept="0", back="torch.ones(2)"), "op_applied") if r["op"] == "exp"]
    assert row["saved"] == [["result", None, None]]


def test_a_checkpoint_tells_how_many_tensors_and_bytes_it_did_without(rows):
    began, ended, *_ = rows(CHECKPOINT.format(reentrant=False), *CHECKPOINTS)
    assert (began["function"], began["reentrant"]) == ("block", False)
    assert (ended["tensors"], ended["bytes"]) == (3, 24)  # a, w and what tanh gives, two float32 each


def test_what_was_left_out_is_computed_again_and_no_more(rows):
    found = rows(
        CHECKPOINT.format(reentrant=False), *CHECKPOINTS, "saved_packed", "op_applied", "node_entered"
    )
    kinds = [row["kind"] for row in found]
    inside = found[kinds.index("recompute_began") : kinds.index("recompute_ended") + 1]
    assert [row["op"] for row in inside if row["kind"] == "op_applied"] == ["mul"]
    assert (inside[-1]["tensors"], inside[-1]["early"]) == (3, True)
    assert found[kinds.index("recompute_began") - 1]["kind"] == "node_entered"


def test_the_reentrant_kind_records_nothing_at_first(rows):
    found = rows(CHECKPOINT.format(reentrant=True), *CHECKPOINTS)
    assert [row["kind"] for row in found] == list(CHECKPOINTS)
    assert (found[0]["reentrant"], found[1]["tensors"], found[3]["early"]) == (True, None, False)


def test_without_hooks_nothing_is_packed(rows):
    assert (
        rows("import torch\na = torch.ones(2, requires_grad=True)\na.exp().sum().backward()", *SAVING) == []
    )
