"""PyTorch's ready queue: libstdc++'s std::priority_queue, whose ties are neither stable nor sorted."""

from __future__ import annotations

from typing import Any


class ReadyQueue:
    """A binary max-heap on `item.seq` that moves elements exactly as push_heap and pop_heap do.

    All AccumulateGrad nodes carry the same number, so which of them runs first is decided by these
    moves and by nothing else. Source: libstdc++ bits/stl_heap.h (__push_heap, __adjust_heap).
    """

    device: Any = None  # whose queue this is: the caller's; workers.py has one for each device
    handed_by: Any = None
    woken_by: Any = None

    def __init__(self) -> None:
        self.heap: list[Any] = []

    def __len__(self) -> int:
        return len(self.heap)

    def push(self, item: Any) -> None:
        """Append `item` and move it up past strictly smaller parents."""
        heap = self.heap
        heap.append(item)
        if len(heap) > 1:
            self._rise(len(heap) - 1, item)

    def pop(self) -> Any:
        """Remove and return the top; the last element fills the hole from the bottom up."""
        heap = self.heap
        last = heap.pop()
        if not heap:
            return last
        top = heap[0]
        hole, n = 0, len(heap)
        while (right := 2 * hole + 2) < n:
            child = right - 1 if heap[right].seq < heap[right - 1].seq else right
            heap[hole] = heap[child]
            hole = child
        if right == n:  # a lone left child at the end
            heap[hole] = heap[n - 1]
            hole = n - 1
        self._rise(hole, last)
        return top

    def _rise(self, hole: int, item: Any) -> None:
        heap = self.heap
        while hole and heap[parent := (hole - 1) // 2].seq < item.seq:
            heap[hole] = heap[parent]
            hole = parent
        heap[hole] = item
