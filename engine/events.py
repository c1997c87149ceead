"""The facts: what the engine states as it runs. One class per kind; no ids, no JSON, no screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from operator import itemgetter
from typing import Any

from engine.local import state
from engine.program_facts import Plotted, Seeded, StandIn
from engine.saving_facts import (
    CheckpointBegan,
    CheckpointEnded,
    RecomputeBegan,
    RecomputeEnded,
    SavedPacked,
    SavedUnpacked,
)
from engine.tensor_facts import (
    Coalesced,
    DataReplaced,
    Detached,
    MemoryWritten,
    Rebased,
    SparseAccumulated,
    ValueRead,
    VersionBumped,
)
from engine.training_facts import (
    GradNormClipped,
    GradValueClipped,
    LrScheduled,
    OptimizerStepped,
    ParameterUpdated,
    ZeroGradCalled,
)


def observer() -> Callable[[Any], None] | None:
    """Return who watches, or None. A door asks once and builds its fact only if somebody does."""
    return state().watch


def emit(fact: Any) -> None:
    """Hand a fact to whoever watches."""
    watch = state().watch
    if watch is not None:
        watch(fact)


@contextmanager
def observed_by(watch: Callable[[Any], None] | None) -> Iterator[None]:
    """Let `watch` see every fact stated inside the block; None hides them.

    Its `keeper`, if it has one, is told before anything that facts refer to is changed, hidden or not.
    """
    here = state()
    before, here.watch = here.watch, watch
    keeper, here.keeper = here.keeper, getattr(watch, "keeper", here.keeper)
    try:
        yield
    finally:
        here = state()  # another one if a program began inside
        here.watch, here.keeper = before, keeper


def look_away() -> Callable[[Any], None] | None:
    """Hide what follows from the observer; give the result to `look_back`."""
    here = state()
    watch, here.watch = here.watch, None
    return watch


def look_back(watch: Callable[[Any], None] | None) -> None:
    """Undo `look_away`."""
    state().watch = watch


# ----- before a change: facts hold live objects, and whoever keeps facts must know ------------------
def overwriting(array: Any) -> None:
    """Say that an array's memory is about to be written."""
    keeper = state().keeper
    if keeper is not None:
        keeper.overwriting(array)


def replacing(tensor: Any) -> None:
    """Say that a tensor is about to get another array."""
    keeper = state().keeper
    if keeper is not None:
        keeper.replacing(tensor)


def releasing(node: Any) -> None:
    """Say that a node's `saved` is about to be replaced."""
    keeper = state().keeper
    if keeper is not None:
        keeper.releasing(node)


def changing() -> None:
    """Say that something else is about to change: a tensor's history, or memory in ways unknown."""
    keeper = state().keeper
    if keeper is not None:
        keeper.settle()


fact = dataclass(slots=True, eq=False)
OF_PROGRAMS = (Plotted, Seeded, StandIn)
SAVING = (SavedPacked, SavedUnpacked, CheckpointBegan, CheckpointEnded, RecomputeBegan, RecomputeEnded)
OF_TENSORS = (
    Detached,
    DataReplaced,
    ValueRead,
    MemoryWritten,
    VersionBumped,
    Rebased,
    SparseAccumulated,
    Coalesced,
)
TRAINING = (
    GradNormClipped,
    GradValueClipped,
    LrScheduled,
    OptimizerStepped,
    ParameterUpdated,
    ZeroGradCalled,
)


# ----- forward ------------------------------------------------------------------------------
@fact
class TensorMade:
    """A constructor or factory made a tensor from data: no operation, no node."""

    tensor: Any


class OpApplied(tuple):
    """An operation ran: `given` are its arguments, by the `names` of its parameters.

    `node` is None where nothing is recorded. The commonest fact: a tuple of its fields takes half the time.
    """

    __slots__ = ()
    op, node, names, given, outputs, inplace = (property(itemgetter(i)) for i in range(6))

    @property
    def args(self) -> tuple[tuple[str, Any], ...]:
        """Return (parameter, value) pairs."""
        return tuple(zip(self.names, self.given, strict=True))


@fact
class GradSet:
    """`.grad` was assigned, emptied or overwritten: `before` and `after` are arrays or None."""

    tensor: Any
    before: Any
    after: Any
    cause: str


@fact
class GradModeSet:
    """Recording was switched on or off: by `no_grad`, `enable_grad` and the like, or on leaving them."""

    enabled: bool


@fact
class RetainGradAsked:
    """`retain_grad()` was called on a tensor that is no leaf."""

    tensor: Any


@fact
class HookRegistered:
    """A hook was registered on a tensor or node; `when` names the moment it runs."""

    owner: Any
    when: str
    hook: Any


@fact
class ModuleEntered:
    """`module(...)` began its forward."""

    module: Any


@fact
class ModuleLeft:
    """`module(...)` returned."""

    module: Any


@fact
class BackwardRefused:
    """A backward call was refused before anything ran: `problem` is PyTorch's text."""

    api: str
    roots: tuple
    grads: tuple
    retain_graph: bool
    create_graph: bool
    problem: str


@fact
class WarningGiven:
    """Python shows a warning: `category` is its class's name, `line` the program's, None inside a library."""

    category: str
    message: str
    line: int | None


# ----- backward: what `run()` yields, in this order around one node ---------------------------
@fact
class BackwardBegan:
    """A backward pass starts. `missing` maps each reachable node to the edges that point at it."""

    api: str
    roots: tuple
    grads: tuple
    implicit: bool
    retain_graph: bool
    create_graph: bool
    inputs: tuple
    missing: dict
    needed: frozenset | None


@fact
class NodeReady:
    """All that a node waits for has arrived: it was pushed on the ready queue (`queue`: the heap).

    `device` names the queue if there is more than one; `handed_by` is who pushed it there, if that was the
    worker of another device.
    """

    node: Any
    queue: tuple
    device: Any = None
    handed_by: Any = None


@fact
class NodeEntered:
    """A node was taken from the ready queue. `grads`: one gradient per forward output, or None."""

    node: Any
    grads: tuple
    queue: tuple
    device: Any = None


@fact
class HookRan:
    """A hook ran at a node; `before` and `after` are what it was given and what goes on."""

    node: Any
    when: str
    hook: Any
    before: Any
    after: Any


@fact
class GradRetained:
    """`retain_grad()` wrote `.grad` of a tensor that is no leaf."""

    node: Any
    tensor: Any
    before: Any
    arriving: Any
    after: Any


@fact
class GradAccumulated:
    """AccumulateGrad wrote `.grad`: `after` = `before` + `arriving`; arrays, `before` may be None."""

    node: Any
    tensor: Any
    before: Any
    arriving: Any
    after: Any
    how: str


@fact
class NodeRan:
    """A node's rules were evaluated. `grads`: one per edge as computed, None where not needed.

    `asked`: whether each edge leads to what this pass is for.
    """

    node: Any
    grads: tuple
    asked: tuple = ()


@fact
class ReducedToShape:
    """A gradient was summed to the shape its edge leads to: broadcasting undone."""

    node: Any
    slot: int
    before: Any
    after: Any


@fact
class MovedToDevice:
    """A gradient that is a single number was moved to the device of the input it goes to."""

    node: Any
    slot: int
    grad: Any
    device: Any


@fact
class SavedFreed:
    """A node dropped the tensors it had saved for backward."""

    node: Any
    names: tuple


@fact
class EdgeFlowed:
    """A gradient travelled along an edge; `missing` is what `target` still waits for."""

    node: Any
    slot: int
    target: Any
    input_nr: int
    grad: Any
    missing: int


@fact
class GradSummed:
    """A second gradient reached the same input of `node` and was added to what waited there."""

    node: Any
    input_nr: int
    before: Any
    added: Any
    after: Any


@fact
class GradCaptured:
    """`autograd.grad` took the gradient of one of its inputs."""

    node: Any
    input_nr: int
    grad: Any


@fact
class BackwardEnded:
    """The pass is over. `woken_by`: the worker that ran the last node, if it was not the caller itself."""

    api: str
    woken_by: Any = None


@fact
class BackwardFailed:
    """The pass was broken off by an exception; what had run before has taken effect."""

    api: str


FACTS = (
    SAVING
    + OF_TENSORS
    + TRAINING
    + OF_PROGRAMS
    + tuple(c for c in list(globals().values()) if isinstance(c, type) and c.__module__ == __name__)
)


def field_names(kind: type) -> tuple[str, ...]:
    """Return the names of a fact's fields, in order."""
    if kind is OpApplied:
        return "op", "node", "args", "outputs", "inplace"
    return tuple(f.name for f in fields(kind))
