"""What holds on a thread: the modes, who watches, the next sequence number (PyTorch: ThreadLocalState)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any


class ThreadLocalState:
    """The switches that every operation asks for, side by side, so that asking is one look-up.

    `grad`: operations are recorded; `inference`: inference mode; `in_rule`: a backward rule is running;
    `watch`: who is told the facts; `keeper`: who is told before what facts refer to is changed;
    `saved_hooks`: what packs and unpacks saved tensors; `hooks_refused`: why nothing may; `anomaly`,
    `check_nan`: anomaly mode; `seq`: the number of the next node; `default_devices`: those of
    `with torch.device(...)`, innermost last; `making`: where a factory puts what it makes just now;
    `switches`: what was set in `torch.backends`; `placed`: some tensor is on a simulated device; `worker`:
    the one whose turn it is in a backward pass (None: the caller); `program`: file name and text of the
    program that runs, where one was begun; `files`: what `torch.save` keeps, by name; `said`: the calls of
    which was told that something stands in for them.
    """

    __slots__ = (
        "anomaly", "check_nan", "default_devices", "files", "grad", "hooks_refused", "in_rule", "inference",
        "keeper", "making", "placed", "program", "said", "saved_hooks", "seq", "switches", "watch", "worker",
    )  # fmt: skip

    def __init__(self, watch: Callable[[Any], None] | None = None, keeper: Any = None) -> None:
        self.grad = True
        self.inference = False
        self.in_rule = False
        self.watch = watch
        self.keeper = keeper
        self.saved_hooks: tuple[Any, Any] | None = None
        self.hooks_refused: str | None = None
        self.anomaly = False
        self.check_nan = True
        self.seq = 0
        self.default_devices: tuple[Any, ...] = (None,)
        self.making: Any = None
        self.placed = False
        self.worker: Any = None
        self.program: tuple[str, str] | None = None
        self.switches: dict[tuple[str, str], Any] = {}
        self.files: dict[Any, tuple[Any, Any]] = {}
        self.said: set[str] = set()


_state: ContextVar[ThreadLocalState] = ContextVar("state")


def state() -> ThreadLocalState:
    """Return what holds here; a thread or context that never asked begins with the defaults."""
    try:
        return _state.get()
    except LookupError:
        _state.set(fresh := ThreadLocalState())
        return fresh


@contextmanager
def saved_hooks(pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> Iterator[None]:
    """Let what is saved for backward inside the block go through `pack`, and come back through `unpack`."""
    here = state()
    before, here.saved_hooks = here.saved_hooks, (pack, unpack)
    try:
        yield
    finally:
        here.saved_hooks = before


def begin(program: tuple[str, str] | None = None) -> None:
    """Begin a program (file name, text): everything as at the start, except for who watches."""
    here = state()
    _state.set(fresh := ThreadLocalState(here.watch, here.keeper))
    fresh.program = program
