"""Ties in the ready queue fall as libstdc++'s heap lets them fall."""

from types import SimpleNamespace

import pytest

from engine.ready_queue import ReadyQueue

# What PyTorch 2.13 runs for n leaves stacked together, recorded with n = 2 .. 9.
RECORDED = {
    2: [0, 1],
    3: [0, 1, 2],
    4: [0, 2, 1, 3],
    5: [0, 2, 4, 1, 3],
    6: [0, 2, 5, 4, 1, 3],
    7: [0, 2, 5, 6, 4, 1, 3],
    8: [0, 2, 6, 5, 7, 4, 1, 3],
    9: [0, 2, 6, 8, 5, 7, 4, 1, 3],
}


def drained(queue):
    return [queue.pop().name for _ in range(len(queue))]


@pytest.mark.parametrize("n", RECORDED)
def test_equal_priorities_come_out_in_heap_order(n):
    queue = ReadyQueue()
    for name in range(n):
        queue.push(SimpleNamespace(name=name, seq=7))
    assert drained(queue) == RECORDED[n]


def test_the_largest_sequence_number_comes_first():
    queue = ReadyQueue()
    for seq in (3, 9, 1, 7, 5):
        queue.push(SimpleNamespace(name=seq, seq=seq))
    assert drained(queue) == [9, 7, 5, 3, 1]
    assert not len(queue)
