"""A graph of 100,000 operations: no recursion in forward, backward or release, and memory comes back."""

from __future__ import annotations

import gc
import sys
import tracemalloc

import pytest

from engine import facade

torch = facade.modules()["torch"]
LENGTH = 100_000


@pytest.fixture
def shallow():
    """Leave Python only a few frames more than pytest itself needs."""
    depth, frame = 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + 150)
    yield
    sys.setrecursionlimit(before)


def along(x, length=LENGTH):
    for i in range(length):
        x = x * 0.5 if i % 2 else x + x
    return x


def test_a_long_chain_runs_backward_without_recursion(shallow):
    x = torch.tensor(1.0, requires_grad=True)
    along(x).backward()
    assert x.grad.item() == 1.0


def test_a_long_chain_that_never_ran_backward_is_released_without_recursion(shallow):
    x = torch.tensor(1.0, requires_grad=True)
    y = along(x)
    assert y.grad_fn is not None
    del y  # a RecursionError in a destructor would be an "Exception ignored", which pytest raises
    gc.collect()


def test_a_long_chain_of_views_and_in_place_writes_runs_without_recursion(shallow):
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    for _ in range(LENGTH // 10):
        y.mul_(1.0)
        y = y.view(2)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("backward", [False, True], ids=["never run", "run"])
def test_memory_returns_to_where_it_was_after_del(backward):
    x = torch.tensor([1.0] * 10, requires_grad=True)
    along(x, 100).sum().backward()  # what is made once, is made now
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        y = along(x, 20_000)
        loss = y.sum()
        held = tracemalloc.get_traced_memory()[0] - before
        if backward:
            loss.backward()
        del y, loss
        left = tracemalloc.get_traced_memory()[0] - before  # nothing here is a cycle that waits for gc
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 20_000
        assert held > 5_000_000
        assert left < 500_000  # Python keeps a few thousand empty tuples of each size for reuse
    finally:
        tracemalloc.stop()
