"""Which variable holds which tensor. Looks into the learner's own frames whenever a fact arrives.

No `sys.settrace`: it slows every loop and every call inside the engine. A row can only stand between two
facts anyway; only a name that is bound and given away again between the same two facts is not seen.
Frames are kept until the next fact, so that a function which has returned still shows what it had bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from engine.nn.module import Module
from engine.tensor import Tensor
from engine.trace.ids import Ids, tree
from engine.trace.spans import SNIPPET, Span, Spans, scope_of

MOST = 64  # longer lists and dicts are data, not variables
FIXED = ("Tensor", "tuple")  # what cannot come to hold other tensors without being bound anew


Change = tuple[Span | None, dict[str, str], list[str]]


class Held:
    """What one frame was last seen to hold, by variable: the object, {shown name: tensor id}, a stamp.

    The stamp counts the parameters made so far: only if there are new ones is a module walked again.
    """

    __slots__ = ("found", "frame", "last", "scope")

    def __init__(self, frame: FrameType) -> None:
        self.frame = frame
        self.scope = scope_of(frame.f_code)
        self.found: dict[str, tuple[Any, dict[str, str], int]] = {}
        self.last: Span | None = None


class Names:
    """The bindings a reader sees: those of the module, hidden by those of the functions being run."""

    def __init__(self, spans: Spans, ids: Ids) -> None:
        self._spans = spans
        self._ids = ids
        self._stack: list[Held] = []
        self._shown: dict[str, str] = {}
        self._sorts: dict[type, str | None] = {}

    # ----- what changed -----
    def changes(self, frame: FrameType, at: Span | None) -> list[Change]:
        """Return (span, new bindings, unbound names) per statement since the last look."""
        stack = self._stack
        where: dict[str, Span | None] = {}
        if stack and stack[-1].frame is frame:
            touched = self._look(stack[-1], at, where)
            changes = []
        else:
            keep, entered = self._follow(frame)
            left = [self._look(held, at, where) for held in stack[: keep - 1 if keep else None : -1]]
            changes = self._compare(where, at) if any(left) else []
            where.clear()
            stack[keep:] = entered
            looked = [self._look(held, at, where) for held in stack[max(keep - 1, 0) :]]
            touched = bool(left) or any(looked)
        stack[-1].last = at
        return changes + self._compare(where, at) if touched else changes

    def last_changes(self) -> list[Change]:
        """Return what was bound after the last fact; the frames are let go."""
        where: dict[str, Span | None] = {}
        looked = [self._look(held, None, where) for held in self._stack]
        changes = self._compare(where, self._stack[-1].last) if any(looked) else []
        self._stack.clear()
        return changes

    def _compare(self, where: dict[str, Span | None], at: Span | None) -> list[Change]:
        now: dict[str, str] = {}
        for held in self._stack:
            for _, names, _ in held.found.values():
                now.update(names)
        groups: dict[str, tuple[Span | None, dict, list]] = {}
        for name, tensor in now.items():
            if self._shown.get(name) != tensor:
                span = where.get(name) or at
                groups.setdefault(repr(span), (span, {}, []))[1][name] = tensor
                self._ids.name(tensor, name)
        for name in self._shown:
            if name not in now:
                span = where.get(name) or at
                groups.setdefault(repr(span), (span, {}, []))[2].append(name)
        self._shown = now
        return sorted(groups.values(), key=lambda group: group[0] or [])

    def _follow(self, frame: FrameType) -> tuple[int, list[Held]]:
        """Return how many of the known frames are still being run, and the new ones inside them."""
        known = {id(held.frame): i for i, held in enumerate(self._stack)}
        entered: list[Held] = []
        outer: FrameType | None = frame
        while outer is not None and id(outer) not in known:
            if outer.f_code.co_filename == SNIPPET and not hidden(outer):
                entered.insert(0, Held(outer))
            outer = outer.f_back
        return 0 if outer is None else known[id(outer)] + 1, entered

    # ----- one frame -----
    def _look(self, held: Held, at: Span | None, where: dict[str, Span | None]) -> bool:
        """Compare a frame with what it held; note where each new binding stands."""
        local, found, touched = held.frame.f_locals, held.found, False
        for name, value in local.items():
            sort = self._sorts[type(value)] if type(value) in self._sorts else self._sort(type(value))
            if sort is None:
                touched = found.pop(name, None) is not None or touched
                continue
            before = found.get(name)
            same = before is not None and before[0] is value
            if same and (sort in FIXED or (sort == "Module" and before[2] == self._ids.parameters)):
                continue
            names = {} if name.startswith("__") else dict(LOOK[sort](self, name, value))
            if before is None or before[1] != names:
                touched = True
                span = held.last if same else self._spans.binding(name, held.scope, held.last, at)
                where.update((n, span) for n in names if before is None or before[1].get(n) != names[n])
            found[name] = (value, names, self._ids.parameters)
        gone = [name for name in found if name not in local]
        for name in gone:
            span = self._spans.binding(name, held.scope, held.last, at)  # a `del` is such a place too
            where.update((n, span) for n in found.pop(name)[1])
        return touched or bool(gone)

    def _sort(self, kind: type) -> str | None:
        """Return which row of LOOK a type belongs to. Looks at the type only: no learner's code runs."""
        plain = kind.__name__ if kind in (list, tuple, dict) else None
        sort = "Tensor" if issubclass(kind, Tensor) else "Module" if issubclass(kind, Module) else plain
        self._sorts[kind] = sort
        return sort

    def _tensor(self, name: str, value: Tensor) -> Iterator[tuple[str, str]]:
        yield name, self._ids.tensor(value, None)

    def _list(self, name: str, value: list | tuple) -> Iterator[tuple[str, str]]:
        for i, each in enumerate(value if len(value) <= MOST else ()):
            if self._sort(type(each)) == "Tensor":
                yield f"{name}[{i}]", self._ids.tensor(each, None)

    def _dict(self, name: str, value: dict) -> Iterator[tuple[str, str]]:
        for key, each in value.items() if len(value) <= MOST else ():
            if type(key) in (str, int) and self._sort(type(each)) == "Tensor":
                yield f"{name}[{key!r}]", self._ids.tensor(each, None)

    def _module(self, name: str, value: Any) -> Iterator[tuple[str, str]]:
        if name == "self":  # the caller's name for the same module is the one to show
            return
        for path, part in tree(value, name):
            for key, parameter in (vars(part).get("_parameters") or {}).items():
                if parameter is not None:
                    yield f"{path}.{key}", self._ids.tensor(parameter, None)

    # ----- other lookups -----
    def owner(self, thing: Any) -> str:
        """Return the variable that holds a thing, such as an optimiser, or the name of its type."""
        return next((name for name, value in self._visible() if value is thing), type(thing).__name__)

    def path(self, module: Any) -> str:
        """Return the path from a variable to a module, such as `model.fc1`, or an empty text."""
        for name, value in self._visible():
            if self._sort(type(value)) == "Module" and name != "self":
                for path, part in tree(value, name):
                    if part is module:
                        return path
        return ""

    def _visible(self) -> Iterator[tuple[str, Any]]:
        for held in self._stack[::-1]:
            yield from held.frame.f_locals.items()


LOOK: dict[str, Callable] = {
    "Tensor": Names._tensor, "Module": Names._module,
    "list": Names._list, "tuple": Names._list, "dict": Names._dict,
}  # fmt: skip


def hidden(frame: FrameType) -> bool:
    """Return whether a frame is that of a comprehension or lambda, which newer Pythons do not have."""
    return frame.f_code.co_name.startswith("<") and frame.f_code.co_name != "<module>"
