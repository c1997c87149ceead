"""One queue per device: whose worker runs a node, in which order, and who hands it over."""

import pytest

from engine import events, facade
from engine.device import Device
from engine.workers import Workers

torch = facade.modules()["torch"]
CPU, ZERO, ONE = Device("cpu"), Device("sim:0"), Device("sim:1")


def facts_of(call):
    seen = []
    with events.observed_by(seen.append):
        call()
    return seen


def entered(call):
    """Return (node, device) of every node that ran, in order; None is the calling thread on the CPU."""
    found = [f for f in facts_of(call) if isinstance(f, events.NodeEntered)]
    return [(f.node.type_name, None if f.device in (None, CPU) else str(f.device)) for f in found]


def split():
    """Return a sum of two branches, one on each of two devices."""
    a = torch.ones(2, device="sim:0", requires_grad=True)
    b = torch.ones(2, device="sim:1", requires_grad=True)
    return a, b, (a * 2).exp().cpu().sum() + (b * 3).exp().cpu().sum()


def test_each_node_runs_on_the_worker_of_its_device():
    a = torch.ones(2, requires_grad=True)
    loss = (a.to("sim:0") * 2).sum()
    assert entered(loss.backward) == [
        ("SumBackward0", "sim:0"), ("MulBackward0", "sim:0"), ("ToCopyBackward0", "sim:0"),
        ("AccumulateGrad", None),
    ]  # fmt: skip


def test_workers_take_turns():
    _, _, loss = split()
    caller, zero, one = None, "sim:0", "sim:1"
    assert entered(loss.backward) == [
        ("AddBackward0", caller), ("SumBackward0", caller), ("ToCopyBackward0", caller),
        ("ExpBackward0", one), ("SumBackward0", caller), ("MulBackward0", one), ("ToCopyBackward0", caller),
        ("ExpBackward0", zero), ("AccumulateGrad", one), ("MulBackward0", zero), ("AccumulateGrad", zero),
    ]  # fmt: skip


def test_a_node_that_is_ready_is_handed_to_the_queue_of_its_device():
    _, _, loss = split()
    ready = [
        f for f in facts_of(loss.backward) if isinstance(f, events.NodeReady) and f.handed_by is not None
    ]
    assert [(f.node.type_name, f.device, f.handed_by) for f in ready] == [
        ("ExpBackward0", ONE, CPU), ("ExpBackward0", ZERO, CPU),
    ]  # fmt: skip
    assert all(f.queue == (f.node,) for f in ready)


def test_the_caller_is_woken_by_who_ran_the_last_node():
    a, _, loss = split()
    assert facts_of(loss.backward)[-1].woken_by == ZERO
    assert facts_of(a.to("cpu").sum().backward)[-1].woken_by == ZERO
    b = torch.ones(2, requires_grad=True)
    assert facts_of(b.to("sim:0").sum().backward)[-1].woken_by is None


def test_a_program_on_the_cpu_says_nothing_of_devices():
    torch.ones(1, device="sim:0")
    x = torch.ones(2, requires_grad=True)
    for fact in facts_of((x * 2).sum().backward):
        assert getattr(fact, "device", None) is getattr(fact, "handed_by", None) is None


def test_several_roots_begin_where_their_gradients_are():
    a = torch.ones(1, device="sim:1", requires_grad=True)
    b = torch.ones(1, requires_grad=True)
    grads = [torch.ones(1), torch.ones(1, device="sim:1")]
    order = entered(lambda: torch.autograd.backward([b * 2, a * 3], grads))
    assert set(order) == {
        ("MulBackward0", None), ("MulBackward0", "sim:1"),
        ("AccumulateGrad", None), ("AccumulateGrad", "sim:1"),
    }  # fmt: skip


def test_a_single_number_that_flows_to_the_cpu_is_moved_there():
    s = torch.tensor(2.0, requires_grad=True)
    x = torch.ones(2, device="sim:0")
    (moved,) = [f for f in facts_of((x * s).sum().backward) if isinstance(f, events.MovedToDevice)]
    assert (moved.node.type_name, moved.slot, str(moved.device)) == ("MulBackward0", 1, "cpu")
    assert moved.grad.device == ZERO and s.grad.device == Device("cpu")


def test_a_backward_inside_a_worker_is_run_by_that_worker():
    class Inside(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            with torch.enable_grad():
                y = torch.ones(1, requires_grad=True)
                (y.to("sim:1") * 2).cpu().backward()
            return grad

    x = torch.ones(1, device="sim:0", requires_grad=True)
    order = entered(Inside.apply(x).backward)
    assert order == [
        ("InsideBackward", "sim:0"), ("ToCopyBackward0", "sim:0"), ("MulBackward0", "sim:1"),
        ("ToCopyBackward0", "sim:1"), ("AccumulateGrad", "sim:0"), ("AccumulateGrad", "sim:0"),
    ]  # fmt: skip


def test_after_an_error_the_caller_is_itself_again():
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("no")

    x = torch.ones(1, device="sim:0", requires_grad=True)
    with pytest.raises(ValueError, match="no"):
        Fails.apply(x).backward()
    assert Workers().home is None


def test_within_one_queue_the_order_is_that_of_the_heap():
    x = torch.ones(2, device="sim:0", requires_grad=True)
    y = torch.ones(2, requires_grad=True)
    there = entered(((x * 2).exp() + (x * 3).sin()).sum().backward)
    here = entered(((y * 2).exp() + (y * 3).sin()).sum().backward)
    assert [name for name, _ in there] == [name for name, _ in here]
    assert {device for _, device in there} == {"sim:0"}


@pytest.mark.parametrize("run", ["backward", "grad", "inputs"])
def test_every_way_to_ask_for_gradients_crosses_devices(run):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (x.to("sim:0") ** 2).sum()
    if run == "grad":
        (found,) = torch.autograd.grad(loss, x)
    else:
        loss.backward(inputs=[x] if run == "inputs" else None)
        found = x.grad
    assert found.tolist() == [2.0, 4.0] and found.device == Device("cpu")
