"""Why a backward failed: which row freed or changed what the failing node needs. Writes no rows."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from engine import errors
from engine.autograd import execute
from engine.node import Node
from engine.tensor import Tensor
from engine.trace.rules import saved_of

CHANGED = "one of the variables needed for gradient computation has been modified by an inplace operation"


class Causes:
    """Remembers where nodes were made and freed and memory was written, as row numbers by id."""

    def __init__(self, name: Callable[[Node], str], saved_by: Callable[[Node], dict]) -> None:
        self._saved_by = saved_by
        self._name = name
        self.running: Node | None = None
        self.made: dict[str, int] = {}
        self.freed: dict[str, int] = {}
        self._writes: dict[int, tuple[list, list[tuple[int, str]]]] = {}

    def written(self, tensor: Tensor, row: int, tensor_id: str) -> None:
        """Memory was written in place; views share the counter by which PyTorch notices."""
        counter = tensor.shared_counter()
        self._writes.setdefault(id(counter), (counter, []))[1].append((row, tensor_id))

    def explain(self, error: BaseException) -> tuple[str | None, dict[str, Any] | None]:
        """Return the node that was running and what led to the error, if it is one of the two we know."""
        node = self.running
        if node is None or not passed(error, execute.__code__):
            return None, None
        name = self._name(node)
        text = error.args[0] if type(error) is RuntimeError and error.args else None
        if text == errors.second_backward() and name in self.freed:
            return name, {"what": "freed", "by": self.freed[name]}
        changed = isinstance(text, str) and text.startswith(CHANGED)
        return name, self._changed(node, self.made.get(name, -1)) if changed else None

    def _changed(self, node: Node, made: int) -> dict[str, Any] | None:
        for _, saved in saved_of(node, self._saved_by):
            if saved.tensor.version_now() != saved.version:
                for row, tensor in self._writes.get(id(saved.tensor.counter), (None, ()))[1]:
                    if row > made:
                        return {"what": "changed", "tensor": tensor, "by": row}
        return None


def passed(error: BaseException, code: CodeType) -> bool:
    """Return whether an exception went through a function on its way."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code is not code:
        trace = trace.tb_next
    return trace is not None
