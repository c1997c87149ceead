"""One ready queue per device, and who takes the next node: the engine's threads, one step at a time.

PyTorch starts a worker thread for each accelerator; the thread that called backward runs what is on the CPU.
A node that is ready goes to the queue of its own device, whoever found it ready (engine.cpp: ready_queue,
thread_main). Real threads run at the same time, and between devices there is no order: each run may
interleave them differently. Here they take turns, which is one of the orders that PyTorch allows: first the
caller, then sim:0, sim:1, ..., one node each; whoever has nothing to do is passed over.
"""

from __future__ import annotations

from typing import Any

from engine.device import CPU, Device
from engine.local import state
from engine.places import device_of
from engine.ready_queue import ReadyQueue


class Workers:
    """The queues of all devices, to be used as if they were one ReadyQueue.

    `device` is where the last node was pushed or taken; `handed_by` says who pushed it there, if that was
    somebody else. The caller's place is the CPU or, for a call from inside a node, that node's device.
    """

    def __init__(self) -> None:
        self.here = state()
        self.home: Device | None = self.here.worker
        self.queues: dict[Device | None, ReadyQueue] = {self.home: ReadyQueue()}
        self.order: list[Device | None] = [self.home]
        self.began = False
        self.about = self.worker = self.home
        self.handed_by: Device | None = None

    def __len__(self) -> int:
        return sum(map(len, self.queues.values()))

    @property
    def heap(self) -> list[Any]:
        """Return the heap of the device that the last push or pop was about."""
        return self.queues[self.about].heap

    @property
    def device(self) -> Device:
        """Return the device that the last push or pop was about."""
        return self.about or CPU

    @property
    def woken_by(self) -> Device | None:
        """Return who ends the pass by waking the caller, if the caller did not run the last node itself."""
        return (self.worker or CPU) if self.worker is not self.home else None

    def push(self, node: Any) -> None:
        """Put a node on the queue of its device; what is on the CPU goes to whoever called backward."""
        # Note: devices
        device = device_of(node) or self.home
        if device not in self.queues:
            self.queues[device] = ReadyQueue()
            others = sorted((d for d in self.queues if d is not self.home), key=lambda d: d.index)
            self.order = [self.home, *others]
        self.queues[device].push(node)
        self.about = device
        self.handed_by = (self.worker or CPU) if device is not self.worker else None

    def pop(self) -> Any:
        """Take a node from the queue of whose turn it is: the first after the last worker that has any."""
        after = self.order.index(self.worker) + self.began
        turns = (self.order[(after + i) % len(self.order)] for i in range(len(self.order)))
        device = next(device for device in turns if self.queues[device])
        self.began = True
        self.about = self.worker = self.here.worker = device
        self.handed_by = None
        return self.queues[device].pop()


def spans(roots: tuple) -> bool:
    """Return whether a graph has a node on another device than the CPU."""
    if not state().placed:
        return False
    seen = {edge[0] for edge in roots}
    stack = list(seen)
    while stack:
        node = stack.pop()
        if device_of(node) is not None:
            return True
        found = {edge[0] for edge in node.next_edges if edge is not None} - seen
        seen |= found
        stack += found
    return False
