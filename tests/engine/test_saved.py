"""Hooks on saved tensors, as PyTorch 2.13 runs them: what they see, what they may do, who calls them."""

from __future__ import annotations

import pytest

from engine import facade

torch = facade.modules()["torch"]
hooks = torch.autograd.graph.saved_tensors_hooks


def leaf():
    return torch.tensor([2.0, 3.0], requires_grad=True)


def test_a_pack_hook_runs_without_recording_and_sees_the_very_result_with_its_history():
    seen, x = [], leaf()
    with hooks(lambda t: (seen.append((t, torch.is_grad_enabled(), t.grad_fn)), t * 10)[1], lambda t: t):
        y = x.exp()
    assert seen[0][0] is y
    assert seen[0][1] is False
    assert seen[0][2] is y.grad_fn
    assert y.grad_fn._saved_result.tolist() == (y * 10).tolist()


@pytest.mark.parametrize("kept", [1, 2.5, True])
def test_what_a_pack_hook_turns_into_a_number_goes_to_the_unpack_hook_all_the_same(kept):
    x = leaf()
    with hooks(lambda t: kept, lambda number: torch.full((2,), 7.0)):
        y = x * x
    y.sum().backward()
    assert x.grad.tolist() == [14.0, 14.0]


@pytest.mark.parametrize(("answer", "kind"), [(1, "int"), (None, "NoneType")])
def test_an_unpack_hook_has_to_give_a_tensor(answer, kind):
    with hooks(lambda t: 1, lambda t: answer):
        y = leaf() * leaf()
    text = f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {kind}"
    with pytest.raises(TypeError, match=text):
        y.sum().backward()


def test_a_pack_hook_must_not_write_into_what_it_is_given():
    with pytest.raises(RuntimeError, match="A saved tensor pack hook is modifying its input in place"):
        with hooks(lambda t: t.add_(1), lambda t: t):
            leaf().clone().exp()


def test_what_hooks_compute_under_create_graph_is_recorded_as_a_program_s_own():
    found, x = [], leaf()
    with hooks(lambda t: t, lambda t: (found.append(t * 2), t)[1]):
        y = x * x
    torch.autograd.grad(y.sum(), x, create_graph=True)
    assert {t.grad_fn.name() for t in found} == {"MulBackward0"}
    assert (x * 2).grad_fn.name() == "MulBackward0"


def test_hooks_can_be_hung_on_one_saved_tensor_once_and_while_it_is_there():
    x = leaf()
    y = x * x
    y.grad_fn._raw_saved_self.register_hooks(lambda t: (t * 2,), lambda packed: packed[0])
    with pytest.raises(RuntimeError, match="only one pair of hooks is allowed at a time"):
        y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 9.0]
    with pytest.raises(RuntimeError, match="register_hooks on a saved tensor after it has been freed"):
        y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)


def test_an_error_in_a_hook_leaves_modes_as_they_were():
    x = leaf()
    with pytest.raises(ZeroDivisionError), hooks(lambda t: 1 / 0, lambda t: t):
        x.exp()
    with hooks(lambda t: t, lambda t: 1 / 0):
        y = x.exp()
    with pytest.raises(ZeroDivisionError):
        torch.autograd.grad(y.sum(), x, create_graph=True)
    assert torch.is_grad_enabled()
    assert (x * 2).grad_fn.name() == "MulBackward0"


def test_a_node_lists_what_it_saved_and_nothing_that_others_of_its_name_save():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    node = (x * 2).grad_fn
    assert [n for n in dir(node) if "_saved_" in n] == [
        "_raw_saved_other", "_raw_saved_self", "_saved_other", "_saved_self",
    ]  # fmt: skip
    assert not [n for n in dir(x.double().grad_fn) if n == "_saved_self_device"]
    with pytest.raises(AttributeError, match="'MulBackward0' object has no attribute '_saved_weight'"):
        _ = node._saved_weight
