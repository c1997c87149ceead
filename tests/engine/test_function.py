"""Custom Functions: what reaches a learner's backward, what it may return, and what is stated of it."""

from __future__ import annotations

import gc
import weakref

import pytest

from engine import autograd, create, events, methods
from engine.function import Function, once_differentiable
from engine.ops.table import F

assert methods


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


class Split(Function):
    """Two outputs, of which often only one is used."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.set_materialize_grads(ctx.needs_input_grad[1])
        return x * 1, y * 1

    @staticmethod
    def backward(ctx, *grads):
        seen.append([None if grad is None else grad.tolist() for grad in grads])
        return grads


seen: list = []


@pytest.fixture(autouse=True)
def _forget() -> None:
    seen.clear()


def leaf(*values: float):
    return create.tensor(list(values), requires_grad=True)


def test_its_node_is_named_after_it_and_leads_to_its_tensor_inputs():
    x = leaf(1.0, 2.0)
    y = Square.apply(x)
    assert y.grad_fn.name() == type(y.grad_fn).__name__ == "SquareBackward"
    assert [n.variable for n, _ in y.grad_fn.next_functions] == [x]


def test_backward_can_itself_be_differentiated():
    x = leaf(3.0)
    (first,) = autograd.grad(Square.apply(x).sum(), x, create_graph=True)
    assert autograd.grad(first.sum(), x)[0].tolist() == [2.0]


def test_gradients_that_never_came_are_zeros_or_none_as_asked():
    x, y = leaf(1.0), leaf(2.0)
    Split.apply(x, y)[0].sum().backward()
    Split.apply(x, y.detach())[0].sum().backward()
    assert seen == [[[1.0], [0.0]], [[1.0], None]]


def test_forward_runs_unrecorded_and_is_stated_with_its_own_node():
    x, facts = leaf(2.0), []
    with events.observed_by(facts.append):
        y = Square.apply(x)
    inner, outer = (fact for fact in facts if isinstance(fact, events.OpApplied))
    assert inner.node is None and inner.outputs == (y,)
    assert outer.op.name == "Square" and outer.node is y.grad_fn and outer.args == (("x", x),)


def test_what_backward_computes_is_stated_between_entering_and_leaving_its_node():
    y, facts = Square.apply(leaf(2.0)).sum(), []
    with events.observed_by(facts.append):
        y.backward()
    kinds = [type(fact).__name__ for fact in facts]
    entered = [i for i, fact in enumerate(facts) if kinds[i] == "NodeEntered"][1]
    ran = [i for i, fact in enumerate(facts) if kinds[i] == "NodeRan"][1]
    assert kinds[entered + 1 : ran] == ["OpApplied", "OpApplied"]


def test_saved_tensors_are_checked_for_changes_and_freed():
    x = leaf(2.0)
    held = x * 1
    y = Square.apply(held)
    held.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()
    z = Square.apply(x)
    z.backward()
    with pytest.raises(RuntimeError, match="second time"):
        z.backward()


@pytest.mark.parametrize(
    "returned, message",
    [
        (lambda g: (g, g), r"incorrect number of gradients \(expected 1, got 2\)"),
        (lambda g: [g], r"expected Variable or None \(got list\)"),
        (lambda g: create.ones(5), "invalid gradient at index 0"),
    ],
)
def test_what_backward_returns_is_checked(returned, message: str):
    class Odd(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return returned(grad)

    with pytest.raises(RuntimeError, match=message):
        Odd.apply(leaf(1.0, 2.0)).sum().backward()


def test_differentiating_twice_what_is_once_differentiable_is_refused():
    class Once(Square):
        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            return 2 * ctx.saved_tensors[0] * grad

    x = leaf(2.0)
    (first,) = autograd.grad((Once.apply(x) ** 2).sum(), x, create_graph=True)
    assert first.tolist() == [32.0] and first.grad_fn.name() == "Error"
    with pytest.raises(RuntimeError, match="differentiate twice"):
        first.backward()


def test_an_input_changed_in_place_is_returned_itself_with_a_new_history():
    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return F.zero and x.mul_(2)

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = leaf(1.0)
    y = x * 1
    assert Double.apply(y) is y and y.grad_fn.name() == "DoubleBackward"
    y.backward()
    assert x.grad.tolist() == [2.0]


def test_an_input_returned_as_it_is_becomes_a_view_of_itself():
    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 10

    x = leaf(1.0)
    y = Same.apply(x)
    assert y is not x and y._base is x
    y.backward()
    assert x.grad.tolist() == [10.0]


def test_a_finished_graph_is_gone_without_the_garbage_collector():
    gc.disable()
    try:
        y = Square.apply(leaf(1.0))
        gone = weakref.ref(y.grad_fn)
        del y
        assert gone() is None
    finally:
        gc.enable()
