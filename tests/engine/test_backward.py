"""The scheduler as a story: what `run()` yields, by name and in order."""

import pytest

import engine.methods  # noqa: F401 - gives Tensor its operators
from engine import autograd, backward, events, modes
from engine.create import tensor
from engine.ops.table import F


def steps(root, gradient=None, **options):
    """Return everything a backward pass from `root` states."""
    grads = autograd.make_grads((root,), [gradient])
    call = autograd.prepared((root,), grads, options.get("retain_graph", False), False, "test")
    with modes.backward_mode(create_graph=False):
        return list(backward.run(call))


def ran(facts):
    return [f.node.type_name for f in facts if isinstance(f, events.NodeEntered)]


def of_kind(facts, kind):
    return [f for f in facts if isinstance(f, kind)]


def test_a_chain_runs_from_the_root_to_the_leaf():
    x = tensor([1.0, 2.0], requires_grad=True)
    assert ran(steps((x**2).sum())) == ["SumBackward0", "PowBackward0", "AccumulateGrad"]
    assert x.grad.tolist() == [2.0, 4.0]


def test_every_step_of_one_node_is_stated_in_order():
    x = tensor([1.0, 2.0], requires_grad=True)
    kinds = [type(f).__name__ for f in steps((x * x).sum())]
    assert kinds == [
        "BackwardBegan", "NodeReady",
        "NodeEntered", "NodeRan", "EdgeFlowed", "NodeReady",
        "NodeEntered", "NodeRan", "SavedFreed", "EdgeFlowed", "EdgeFlowed", "GradSummed", "NodeReady",
        "NodeEntered", "GradAccumulated", "NodeRan",
        "BackwardEnded",
    ]  # fmt: skip


def test_a_node_waits_until_all_paths_have_arrived():
    a = tensor([2.0], requires_grad=True)
    b = a * a
    facts = steps((b + b).sum())
    assert ran(facts) == ["SumBackward0", "AddBackward0", "MulBackward0", "AccumulateGrad"]
    left = [f.missing for f in of_kind(facts, events.EdgeFlowed) if f.target.type_name == "MulBackward0"]
    assert left == [1, 0]


def test_the_newest_node_runs_first_and_its_gradient_is_the_first_operand():
    w = tensor([2.0], requires_grad=True)
    x = w * 3
    p, q, r = x.sin(), x.exp(), x * x
    facts = steps((p + q) + r)
    assert ran(facts) == [
        "AddBackward0", "AddBackward0", "MulBackward0", "ExpBackward0", "SinBackward0", "MulBackward0",
        "AccumulateGrad",
    ]  # fmt: skip
    first = of_kind(facts, events.GradSummed)[0]
    assert first.before.tolist() == [6.0] and first.added.tolist() == [6.0]


def test_accumulate_grad_runs_as_soon_as_it_is_complete():
    a, b = tensor([1.0], requires_grad=True), tensor([2.0], requires_grad=True)
    u, v = a * 2, b.exp()
    names = ran(steps(u * b + v))
    assert names == [
        "AddBackward0", "MulBackward0", "ExpBackward0", "AccumulateGrad", "MulBackward0", "AccumulateGrad",
    ]  # fmt: skip


def test_the_order_of_summation_is_the_order_of_arrival():
    x = tensor([1.0], requires_grad=True)
    u = x * 1
    y1, y2, y3 = u * 1.0, u * 1e8, u * -1e8
    ((y1 + y2) + y3).backward()
    assert x.grad.tolist() == [1.0]
    x = tensor([1.0], requires_grad=True)
    u = x * 1
    y3, y2, y1 = u * -1e8, u * 1e8, u * 1.0
    ((y1 + y2) + y3).backward()
    assert x.grad.tolist() == [0.0]


def test_broadcasting_is_undone_once_between_rule_and_edge():
    m = tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    v = tensor([10.0, 20.0], requires_grad=True)
    facts = steps((m * v).sum())
    (reduced,) = of_kind(facts, events.ReducedToShape)
    assert reduced.slot == 1
    assert (reduced.before.shape, reduced.after.shape) == ((2, 2), (2,))
    assert v.grad.tolist() == [4.0, 6.0]


def test_before_plus_arriving_is_after():
    w = tensor(3.0, requires_grad=True)
    for _ in range(2):
        (facts,) = [steps(w * 2)]
    (last,) = of_kind(facts, events.GradAccumulated)
    assert (last.before, last.arriving, last.after) == (2.0, 2.0, 4.0)
    assert last.how == "added in place"


def test_saved_tensors_are_freed_by_the_node_that_used_them():
    x = tensor([1.0], requires_grad=True)
    y = x.exp()
    facts = steps((y * 2).sum())
    assert [(f.node.type_name, f.names) for f in of_kind(facts, events.SavedFreed)] == [
        ("MulBackward0", ("other",)),
        ("ExpBackward0", ("result",)),
    ]
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.sum().backward()


def test_retain_graph_frees_nothing():
    x = tensor([1.0], requires_grad=True)
    assert not of_kind(steps((x * x).sum(), retain_graph=True), events.SavedFreed)


def test_several_roots_start_from_a_pseudo_node_nobody_sees():
    x = tensor([1.0, 2.0], requires_grad=True)
    roots = (x.sum(), (x * x).sum())
    seen = []
    with events.observed_by(seen.append):
        autograd.backward(roots)
    assert "GraphRoot" not in ran(seen)
    assert x.grad.tolist() == [3.0, 5.0]


def test_a_restricted_call_runs_only_what_leads_to_its_inputs():
    a, b = tensor([2.0], requires_grad=True), tensor([3.0], requires_grad=True)
    u, v = a.exp(), b.sin()
    seen = []
    with events.observed_by(seen.append):
        (grad,) = autograd.grad((u * v).sum(), b)
    assert ran(seen) == ["SumBackward0", "MulBackward0", "SinBackward0"]
    assert [f.node.type_name for f in of_kind(seen, events.GradCaptured)] == ["AccumulateGrad"]
    (mul,) = [f for f in of_kind(seen, events.NodeRan) if f.node.type_name == "MulBackward0"]
    assert mul.grads[0] is None
    assert a.grad is None and b.grad is None
    assert grad.shape == (1,)


def test_nothing_is_stated_when_nobody_watches():
    x = tensor([1.0], requires_grad=True)
    call = autograd.prepared((x * 2,), autograd.make_grads((x * 2,), [None]), False, False, "test")
    call.watched = False
    assert list(backward.run(call)) == []


def test_many_nodes_need_no_recursion():
    x = y = tensor([1.0], requires_grad=True)
    for _ in range(20_000):
        y = F.neg(y)
    y.backward()
    assert x.grad.tolist() == [1.0]
