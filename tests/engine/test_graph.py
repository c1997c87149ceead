"""torch.autograd.graph, as PyTorch 2.13 answers."""

from __future__ import annotations

import pytest

from engine import facade

torch = facade.modules()["torch"]
graph = torch.autograd.graph


def two():
    a, b = (torch.ones(2, requires_grad=True) for _ in range(2))
    return a, b, a * 2, b * 3


def test_a_hook_on_several_gradients_waits_for_those_that_the_pass_reaches():
    a, _, c, d = two()
    told = []
    graph.register_multi_grad_hook((c, d, a), told.append)
    (c * d).sum().backward(retain_graph=True)
    c.sum().backward()
    assert [[g is not None for g in grads] for grads in told] == [[True] * 3, [True, False, True]]


def test_a_hook_on_any_gradient_runs_once_in_every_pass():
    _, _, c, d = two()
    told = []
    graph.register_multi_grad_hook((c, d), told.append, mode="any")
    (c * d).sum().backward(retain_graph=True)
    c.sum().backward()
    assert [g.tolist() for g in told] == [[2.0, 2.0], [1.0, 1.0]]


def test_a_leaf_among_them_cannot_be_asked_about_while_its_gradient_is_taken():
    a, _, c, _ = two()
    graph.register_multi_grad_hook((c, a), print)
    with pytest.raises(RuntimeError, match="A leaf node was passed to _will_engine_execute_node"):
        torch.autograd.grad(c.sum(), a)


def test_hooks_on_saved_tensors_can_be_refused():
    x = torch.ones(2, requires_grad=True)
    pair = graph.saved_tensors_hooks(lambda t: t, lambda t: t)
    with graph.disable_saved_tensors_hooks("not here"):
        x.exp()
        with pytest.raises(RuntimeError, match="not here"), pair:
            x.exp()
    with pair, pytest.raises(RuntimeError, match="not here"), graph.disable_saved_tensors_hooks("not here"):
        x.exp()


def test_what_waits_on_the_cpu_comes_back_to_its_device():
    x = torch.ones(2, device="sim:0", requires_grad=True)
    with graph.save_on_cpu():
        y = x * x
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    assert str(x.grad.device) == "sim:0"
