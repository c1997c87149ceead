"""The observer: notes each fact with its place at once, and has its rows written when they are asked for.

At the moment of a fact only what cannot be found out later is looked at: where the program stands, and
what its variables hold. Everything else is read from the facts in `settle()`: when rows are taken, before
something changes of which no copy is kept, and when much has been noted.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from itertools import islice
from types import FrameType
from typing import Any

from engine import events
from engine.events import OpApplied
from engine.stretch import Stretch
from engine.tensor import Parameter, Tensor
from engine.trace import schema
from engine.trace.keeping import FIRM, firm, mortal
from engine.trace.limits import LimitReached, Limits, sentence
from engine.trace.lines import Lines, most_rows
from engine.trace.log import Log
from engine.trace.memory import memory
from engine.trace.places import Places
from engine.trace.spans import SNIPPET, Span, innermost
from engine.trace.writer import UNWRITTEN, Printed, Writer

MOST, AWAITED = 100_000, 2_000  # entries (AWAITED: if somebody waits for rows), and
ROOM = 1 << 20  # elements of tensors, that are kept before their rows are written
APART = 512  # entries after which those so far are left out of the search for garbage
FOLDED = 512  # nodes of a backward pass that are noted as one entry, if their rows need not be counted
EVERY = 0.1  # seconds between two looks at rows that somebody waits for
# What `run()` yields where its call stands: no statement of the program ends between these. Nor has a fact
# a place that is no row.
STEPS = frozenset((
    events.NodeReady, events.NodeEntered, events.NodeRan, events.ReducedToShape, events.SavedFreed,
    events.EdgeFlowed, events.GradSummed, events.GradCaptured, events.GradAccumulated, events.GradRetained,
    *(kind for kind in events.FACTS if kind.__name__ in UNWRITTEN),
))  # fmt: skip
NAMELESS = (events.ParameterUpdated,)  # no more do variables change before these


class Recorder:
    """Watches one run. Called with every fact; `trace()` returns what there is so far."""

    def __init__(self, source: str, limits: Limits | None = None) -> None:
        self.source = source
        self.limits = limits or Limits()
        self.over: dict | None = None  # the outcome, once a limit was reached
        self.log = self.keeper = Log(self.settle)
        self.writer = Writer(source, self.limits, self.log, self._exceeded)
        self.ids, self.spans = self.writer.ids, self.writer.spans
        self.lines = Lines()
        self.places = Places()
        self._entries = self.log.entries
        self._taken = [0, 0]
        self._settling = False
        self._telling = False
        self._asked: tuple[str, str, Span | None] | None = None  # to stop, while rows were being written
        self._at_once = mortal(source.lower())
        if self._at_once:
            self.lines.mark = self._mark
        self._finders: dict[type, Callable[..., Any] | None] = {}
        self.folds = 1
        self._frozen = False
        self._frame: FrameType | None = None  # kept, so that what it holds is alive to be asked at the end
        self._largest = 0
        self._rest()

    @property
    def rows(self) -> list[dict]:
        """Return the rows of everything noted so far."""
        if self.over is None:
            self.settle()
        return self.writer.rows

    @property
    def values(self) -> Any:
        """Return the values of the rows written so far."""
        return self.writer.values

    # ----- at the moment of a fact -----
    def __call__(self, fact: Any) -> None:
        """Note one fact."""
        kind = type(fact)
        if kind is OpApplied:
            frame = sys._getframe(2)  # the one in between is ours
            while frame is not None and frame.f_code.co_filename != SNIPPET:
                frame = frame.f_back
            self._note(fact, kind, frame)
        elif kind in STEPS:
            self._entries.append(fact)
        elif kind is Stretch:
            self._entries.append(fact)
            if len(fact.steps) > APART // 2:
                self._step_on()
        else:
            self._note(fact, kind, innermost(sys._getframe(1)))
        if len(self._entries) >= self._next:
            self._step_on()

    def _mind(self) -> None:
        """See that rows are written before too much is noted."""
        if self._elements > self._room or (self._waiting and time.monotonic() - self._settled > EVERY):
            self._most = 0
        if self._most < self._next:
            self._next = self._most

    def _step_on(self) -> None:
        """Write rows if it is time; else let the search for garbage pass over what is noted: it is none."""
        if len(self._entries) >= min(self._most, self._cap):
            self.settle()
            return
        gc.freeze()
        self._frozen = True
        self._next = min(self._most, self._cap, len(self._entries) + APART)

    def _note(self, fact: Any, kind: type, frame: FrameType | None) -> None:
        """Note a fact with its place, and what only this moment can tell."""
        code, instruction, seen, more = None, -1, None, None
        if frame is not None:
            self._frame, code, instruction = frame, frame.f_code, frame.f_lasti
            if kind not in NAMELESS:
                seen = self.lines.look(frame, instruction)
                if seen is not None:
                    self._most -= most_rows(seen)
        find = self._finders[kind] if kind in self._finders else self._finder(kind)
        if find is not None:
            more = find(fact, frame, instruction)
            if more is NOTHING:
                fact = None
        self._entries.append((fact, code, instruction, more, seen))
        self._mind()

    def _finder(self, kind: type) -> Callable[..., Any] | None:
        """Return what asks, at the moment of a fact of one kind, for more than its place."""
        self._finders[kind] = getattr(self, f"_find_{kind.__name__}", None)
        return self._finders[kind]

    def _find_TensorMade(self, fact: events.TensorMade, *_: Any) -> None:
        self.lines.parameters += isinstance(fact.tensor, Parameter)
        self._count(fact.tensor)

    def _find_OpApplied(self, fact: events.OpApplied, frame: FrameType | None, instruction: int) -> Any:
        """Return the module it is part of, its arguments, and the `.grad`s that it has overwritten."""
        places = self.places
        if places.step[1] == instruction and places.step[0] is frame is not None:
            return NOTHING  # parameter_updated says what a step does
        _, _, _, given, outputs, inplace = fact
        for output in outputs:
            size = output.array.size
            self._elements += size
            if size > self._largest:
                self._largest = size
        firmly = FIRM.issuperset(map(type, given))
        if firmly and not inplace and not places.inside:
            return None
        written = ()
        if inplace:
            written = self.writer.grads.sharing(outputs[0].array, self._entries)
            self._most -= len(written) + 1
        return places.module(frame), given if firmly else [firm(value) for value in given], written

    def _find_MemoryWritten(self, fact: events.MemoryWritten, *_: Any) -> list:
        """Return the `.grad`s that look into memory which NumPy was given, or a layer has written."""
        sharing, entries = self.writer.grads.sharing, self._entries
        return [pair for root in self.log.roots.get(len(entries), ()) for pair in sharing(root, entries)]

    def _find_GradModeSet(self, fact: Any, frame: FrameType | None, instruction: int) -> Any:
        return NOTHING if frame is not None and self.places.step == (frame, instruction) else None

    _find_VersionBumped = _find_Rebased = _find_GradModeSet

    def _find_ModuleEntered(self, fact: Any, frame: FrameType | None, instruction: int) -> str:
        module = self._module(fact.module)
        self.places.enter(module, (frame, instruction))
        return module

    def _find_ModuleLeft(self, fact: Any, *_: Any) -> str:
        module = self._module(fact.module)
        self.places.leave(module)
        return module

    def _module(self, module: Any) -> str:
        return self.ids.find(module) or self.ids.module(module, self.lines.path(module))

    def _find_ZeroGradCalled(self, fact: Any, *_: Any) -> str:
        return self.lines.owner(fact.owner)

    def _find_OptimizerStepped(self, fact: Any, frame: FrameType | None, instruction: int) -> str:
        self.places.step = (frame, instruction)
        return self.lines.owner(fact.optimizer)

    def _find_LrScheduled(self, fact: Any, *_: Any) -> tuple[str, str]:
        return self.lines.owner(fact.scheduler), self.lines.owner(fact.optimizer)

    def _find_BackwardBegan(self, fact: Any, frame: FrameType | None, instruction: int) -> tuple[int, int]:
        nodes, edges = len(fact.missing), sum(fact.missing.values())
        self._elements += nodes * self._largest  # at most: what the pass will make
        rows = 4 * (nodes + edges)  # at most
        fits = len(self._entries) + rows < self._most and self._elements <= self._room
        fits = fits and (rows < AWAITED or not self._waiting)
        self.folds = FOLDED if fits else 1
        self._most -= rows if fits else 0
        return self.places.begin((frame, instruction))

    def _find_BackwardEnded(self, fact: Any, *_: Any) -> int:
        return self.places.end()

    def _find_BackwardFailed(self, fact: Any, *_: Any) -> int:
        self._most -= 1
        return self.places.end()

    def _find_RetainGradAsked(self, fact: Any, *_: Any) -> None:
        """From now on it matters which tensors and nodes are still alive: nothing may be kept."""
        self._at_once, self._most = True, 0
        self.lines.mark = self._mark

    _find_HookRegistered = _find_RetainGradAsked

    def _mark(self, tensor: Tensor) -> str:
        return self.ids.tensor(tensor, None)

    def _count(self, tensor: Tensor) -> None:
        size = tensor.array.size
        self._elements += size
        if size > self._largest:
            self._largest = size

    def printed(self, text: str, kind: str = "printed") -> None:
        """Note what the program has printed or, as "echo", the value of a bare expression."""
        self._said += len(text)
        self._note(Printed(text, kind), Printed, innermost(sys._getframe(1)))
        if self._said > self.limits.output or len(self._entries) >= self._next:
            self.settle()

    # ----- writing the rows -----
    def settle(self) -> None:
        """Write the rows of what was noted. Raises LimitReached at a limit, and ever after."""
        if self._settling:
            return
        if self.over is not None:
            self._entries.clear()
            self.log.roots.clear()
            raise LimitReached(self.over["limit"])
        self._settling, log, writer = True, self.log, self.writer
        try:
            log.unfold()
            for log.now, entry in enumerate(self._entries):
                if log.now in log.written:
                    writer.values.forget()
                writer.write(entry)
        finally:
            self._clear()
            writer.values.forget()
            writer.grads.rewind()
            writer.aliases.forget()
            if self._at_once:
                writer.names.held.clear()
            self._settling = False
            self._rest()
        if self._asked is not None:
            limit, message, self.writer.at = self._asked
            self._asked = None
            self._stop(limit, message)

    def forget(self) -> None:
        """Let go of what was noted, and of the program's frames: nothing more is asked."""
        self._clear()
        self._frame = None
        self.lines.forget()

    def _clear(self) -> None:
        self.log.clear()
        if self._frozen:
            self._frozen = False
            gc.unfreeze()

    def _rest(self) -> None:
        """Set out how much may be noted until rows are written again."""
        rows, limits = len(self.writer.rows), self.limits
        self._waiting = limits.step is not None
        self._cap = AWAITED if self._waiting else MOST
        self._most = 0 if self._at_once or rows < limits.at_once else limits.rows - rows - 2
        self.log.always = self._most == 0
        self._next = min(self._most, self._cap if self._waiting else APART)
        self._elements = 0
        self._room = min(ROOM, limits.elements, limits.made - self.ids.elements)
        self._said = self.writer.said
        self.folds = 1  # in a pass that goes on
        self._settled = time.monotonic()

    def finish(self, error: BaseException | None = None) -> None:
        """The program is over: write what it bound last, and stand where `error` came from."""
        self.settle()
        self.writer.bind(self.writer.names.last_changes(self.lines.last_look()))
        if error is not None:
            self.writer.at = self.spans.of_traceback(error.__traceback__)

    def failed(self, error: BaseException, kind: str, message: str) -> dict:
        """Write the learner's exception as the last row and return the outcome."""
        self.writer.failed(error, kind, message)
        return {"kind": "error", "type": kind, "message": message, "at": self.writer.at}

    def refused(self, code: str, message: str, at: Span | None) -> dict:
        """Write why the text was not run at all as the only row and return the outcome."""
        self.writer.rows.clear()
        self.writer.at = at
        kind = "SyntaxError" if code == "syntax" else "NotAllowed"
        self.writer.row("error", type=kind, message=message, node=None, cause=None)
        return {"kind": "refused", "code": code, "message": message, "at": at}

    # ----- limits -----
    def limit(self, limit: str, message: str) -> dict:
        """Write the row that cuts a trace short, once, and return the outcome."""
        if self.over is None:
            at = self.writer.at
            self.writer.rows.append({"kind": "limit", "at": at, "limit": limit, "message": message})
            self.over = {"kind": "limit", "limit": limit, "message": message, "at": at}
            self._most = self._next = 0
        return self.over

    def stop(self, limit: str, message: str, frame: FrameType | None = None) -> None:
        """End the run. `frame`, from a signal handler, is where the program stands."""
        if self._telling:  # the run is over, and its trace is being made
            return
        frame = innermost(frame)
        at = self.spans.of_frame(frame)
        if self._settling:
            self._asked = limit, message, at
            return
        self.settle()
        if frame is not None:
            self.writer.at = at
        self._stop(limit, message)

    def _stop(self, limit: str, message: str) -> None:
        outcome = self.limit(limit, message)
        if self.limits.stop is not None:
            self._telling = True
            self.limits.stop(self.trace(outcome))
        raise LimitReached(limit)

    def _exceeded(self, limit: str) -> None:
        self._stop(limit, sentence(limit, self.limits))

    # ----- what there is -----
    def trace(self, outcome: dict) -> dict:
        """Return the whole trace as JSON-ready data."""
        if self.over is None:
            self.settle()
        rows = self.writer.rows
        calls = self.writer.calls.table(len(rows))
        told = {**self.ids.tables(), "values": self.writer.values.table, "rows": rows}
        return {
            "version": schema.VERSION, "engine": schema.ENGINE, "mirrors": schema.MIRRORS,
            "source": self.source, **told, "memory": memory(told), "outcome": outcome,
            **({"calls": calls} if calls else {}),
        }  # fmt: skip

    def take(self) -> dict:
        """Return the rows, values and table entries that are new since the last time."""
        if self.over is None:
            self.settle()
        rows, values = self._taken
        self._taken = [len(self.writer.rows), len(self.writer.values.table)]
        new = dict(islice(self.writer.values.table.items(), values, None))
        return {**self.ids.take(), "values": new, "rows": self.writer.rows[rows:]}


NOTHING = object()  # there is no row of this
