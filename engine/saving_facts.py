"""The facts of saving: what hooks make of saved tensors, what a checkpoint leaves out and computes again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

fact = dataclass(slots=True, eq=False)


@fact
class SavedPacked:
    """A pack hook was given a tensor that is to be saved; `packed` is what it returned, if that is a tensor.

    `kept` is the name of the type of what it returned.
    """

    hook: Any
    value: Any
    kept: str
    packed: Any


@fact
class SavedUnpacked:
    """An unpack hook gave back what `node` had saved."""

    node: Any
    hook: Any
    kept: str
    value: Any


@fact
class CheckpointBegan:
    """A function began to run without keeping what backward needs."""

    function: Any
    reentrant: bool


@fact
class CheckpointEnded:
    """It has run. `tensors` would have been saved, together `bytes`; None where nothing would be recorded."""

    function: Any
    tensors: int | None
    bytes: int | None


@fact
class RecomputeBegan:
    """Backward needs what a checkpoint left out: its function begins to run again."""

    function: Any


@fact
class RecomputeEnded:
    """What was left out is there again; `early`: the function was stopped as soon as it was."""

    function: Any
    tensors: int | None
    early: bool
