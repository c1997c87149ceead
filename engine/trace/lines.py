"""Which variables hold tensors: looks into the learner's own frames when a fact arrives, keeps what changed.

No `sys.settrace`: it slows every loop and every call inside the engine. A row can only stand between two
facts anyway; only a name that is bound and given away again between the same two facts is not seen.
Frames are kept until the next fact, so that a function which has returned still shows what it had bound.
What the changes mean to a reader is `names.py`'s matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import is_
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType
from typing import Any

from engine.nn.module import Module
from engine.tensor import Parameter, Tensor
from engine.trace.ids import tree
from engine.trace.spans import SNIPPET

MOST = 64  # longer lists and dicts are data, not variables
LOOSE = ("list", "dict", "Module")  # what can come to hold other tensors without being bound anew
MISSING = object()

Content = tuple[tuple[str, Any], ...]  # shown name, tensor
# One variable: its name, what it holds (None: no tensor), whether it is still the same list or module (or,
# holding no tensor, is still there).
Change = tuple[str, Content | None, bool]
# One frame: the instruction it was last seen at (None: never), and its variables that changed.
Look = tuple[int | None, list[Change] | None]


# What has changed since the last look: how many frames are still being run (None: the same as before), the
# frames that were left, from the inside out, the code of those that were entered with the place that called
# it, and the frames from the last kept one on.
Entered = tuple[CodeType, tuple[CodeType, int] | None]
Seen = tuple[int | None, list[Look], list[Entered], list[Look]]
# A look that has compared nothing: the instruction of the last one, the names, the values then and now.
Glance = tuple[int | None, tuple[str, ...], tuple, tuple]
# Kinds of which a look may keep every value: they take little room, or are counted elsewhere.
KEPT = frozenset((Tensor, Parameter, int, float, bool, type(None), FunctionType, BuiltinFunctionType, type))


class Held:
    """What one frame was last seen to hold; `loose` are the variables whose content may change by itself.

    A glance is enough while the values are of these `kinds`, and the `others` are what they were: the place
    of each, the value, and of a list or dict what was in it.
    """

    __slots__ = ("frame", "keys", "kinds", "last", "loose", "others", "parameters", "values")

    def __init__(self, frame: FrameType) -> None:
        self.frame = frame
        self.keys: tuple[str, ...] = ()
        self.values: tuple = ()
        self.kinds: tuple[type, ...] = ()
        self.others: list[tuple[int, Any, list | None]] = []
        self.parameters = 0
        self.loose: dict[str, tuple[Content, list | None]] = {}
        self.last: int | None = None


class Lines:
    """The frames of the program that are being run, from the outside in.

    `parameters` counts the parameters made so far: only if there are new ones is a module walked again.
    Where a program can notice that its objects live longer, `mark` says what is kept of a tensor.
    """

    def __init__(self) -> None:
        self.parameters = 0
        self.mark: Callable[[Tensor], Any] | None = None
        self._stack: list[Held] = []
        self._hidden: FrameType | None = None  # a lambda inside the last frame, if one was running
        self._sorts: dict[type, str | None] = {}

    # ----- what changed -----
    def look(self, frame: FrameType, instruction: int) -> Seen | Glance | None:
        """Return what has changed since the last look, None if nothing has; or what tells it (`seen_in`)."""
        stack = self._stack
        if stack and (stack[-1].frame is frame or frame is self._hidden):
            held = stack[-1]
            if held.kinds and held.frame is frame and held.parameters == self.parameters:
                local = frame.f_locals
                values = tuple(local.values())
                if tuple(map(type, values)) == held.kinds and tuple(local) == held.keys:
                    if not held.others or unchanged(held.others, values):
                        glance = held.last, held.keys, held.values, values
                        held.last, held.values = instruction, values
                        return glance
            changes = self._changes(held)
            last, held.last = held.last, instruction
            return None if changes is None else (None, [], [], [(last, changes)])
        kept, entered = self._follow(frame)
        left = [self._look(held) for held in stack[: kept - 1 if kept else None : -1]]
        stack[kept:] = entered
        looked = [self._look(held) for held in stack[max(kept - 1, 0) :]]
        stack[-1].last = instruction
        steady = frame is not stack[-1].frame and frame.f_code.co_name != "<genexpr>"  # who runs that varies
        self._hidden = frame if steady else None
        return kept, left, [self._entry(i) for i in range(kept, len(stack))], looked

    def last_look(self) -> Seen:
        """Return what was bound after the last fact; the frames are let go."""
        looked = [self._look(held) for held in self._stack]
        self.forget()
        return 0, [], [], looked

    def forget(self) -> None:
        """Let go of all frames."""
        self._stack.clear()
        self._hidden = None

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

    def _entry(self, i: int) -> Entered:
        """Return the code of a frame of the stack, and the instruction at which its caller stands."""
        caller = self._stack[i - 1].frame if i else None
        site = None if caller is None else (caller.f_code, caller.f_lasti)
        return self._stack[i].frame.f_code, site

    # ----- one frame -----
    def _look(self, held: Held) -> Look:
        return held.last, self._changes(held)

    def _changes(self, held: Held) -> list[Change] | None:
        """Return the variables that hold other tensors than before, None if there are none."""
        local = held.frame.f_locals
        keys, values, before = tuple(local), tuple(local.values()), held.values
        if self.mark is not None:  # nothing else may be kept alive
            values = tuple([None if self._sort(type(value)) is None else value for value in values])
        if keys != held.keys:
            return self._changed_names(held, keys, values)
        held.values = values
        same = list(map(is_, values, before))
        changes: list[Change] = []
        if held.loose:
            for name, value, old in zip(keys, values, before):
                if value is not old or name in held.loose:
                    self._note(held, name, value, old, changes)
        elif False in same:
            i, sorts = -1, self._sorts
            for _ in range(same.count(False)):
                i = same.index(False, i + 1)
                value, old = values[i], before[i]
                if sorts.get(type(value), "") is not None or sorts.get(type(old), "") is not None:
                    self._note(held, keys[i], value, old, changes)
        self._sort_out(held)
        return changes or None

    def _changed_names(self, held: Held, keys: tuple[str, ...], values: tuple) -> list[Change] | None:
        """The same where there are new variables, or some are gone."""
        before, changes = dict(zip(held.keys, held.values)), []
        for name, value in zip(keys, values):
            old = before.pop(name, MISSING)
            if value is not old or name in held.loose:
                self._note(held, name, value, old, changes)
        for name, old in before.items():  # what is left of it is gone
            if self._sort(type(old)) is not None:
                held.loose.pop(name, None)
                changes.append((name, None, False))
        held.keys, held.values = keys, values
        self._sort_out(held)
        return changes or None

    def _sort_out(self, held: Held) -> None:
        """Note of what was seen what must stay as it is for a glance to be enough."""
        held.kinds, held.others, held.parameters = (), [], self.parameters
        if self.mark is not None:
            return
        held.kinds = tuple(map(type, held.values))
        for i, kind in enumerate(held.kinds):
            if kind not in KEPT and not held.keys[i].startswith("__"):
                value = held.values[i]
                held.others.append((i, value, inside(value) if kind is list or kind is dict else None))

    def _note(self, held: Held, name: str, value: Any, old: Any, changes: list[Change]) -> None:
        """Add a variable that was bound anew, or whose content is another, to `changes`."""
        sort = self._sort(type(value))
        if sort == "Tensor" and self.mark is None and name not in held.loose:
            if not name.startswith("__"):
                changes.append((name, ((name, value),), False))
            return
        if sort is None:
            held.loose.pop(name, None)
            if self._sort(type(old)) is not None:
                changes.append((name, None, True))
            return
        if name.startswith("__"):
            return
        same = value is old
        known = held.loose.get(name)
        within: Any = (
            [self.parameters]
            if sort == "Module"
            else None
            if self.mark or sort not in LOOSE
            else inside(value)
        )
        if same and known is not None and within is not None and identical(within, known[1]):
            return
        content = tuple(LOOK[sort](self, name, value))
        if self.mark is not None:
            content = tuple([(shown, self.mark(tensor)) for shown, tensor in content])
        if sort in LOOSE:
            held.loose[name] = (content, within)
        else:
            held.loose.pop(name, None)
        if not (same and known is not None and equal(content, known[0])):
            changes.append((name, content, same))

    def _sort(self, kind: type) -> str | None:
        """Return which row of LOOK a type belongs to. Looks at the type only: no learner's code runs."""
        if kind in self._sorts:
            return self._sorts[kind]
        plain = kind.__name__ if kind in (list, tuple, dict) else None
        sort = "Tensor" if issubclass(kind, Tensor) else "Module" if issubclass(kind, Module) else plain
        self._sorts[kind] = sort
        return sort

    def _tensor(self, name: str, value: Tensor) -> Iterator[tuple[str, Tensor]]:
        yield name, value

    def _list(self, name: str, value: list | tuple) -> Iterator[tuple[str, Tensor]]:
        for i, each in enumerate(value if len(value) <= MOST else ()):
            if self._sort(type(each)) == "Tensor":
                yield f"{name}[{i}]", each

    def _dict(self, name: str, value: dict) -> Iterator[tuple[str, Tensor]]:
        for key, each in value.items() if len(value) <= MOST else ():
            if type(key) in (str, int) and self._sort(type(each)) == "Tensor":
                yield f"{name}[{key!r}]", each

    def _module(self, name: str, value: Any) -> Iterator[tuple[str, Tensor]]:
        if name == "self":  # the caller's name for the same module is the one to show
            return
        for path, part in tree(value, name):
            for key, parameter in (vars(part).get("_parameters") or {}).items():
                if parameter is not None and not parameter.uninitialized:
                    yield f"{path}.{key}", parameter

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
    "Tensor": Lines._tensor, "Module": Lines._module,
    "list": Lines._list, "tuple": Lines._list, "dict": Lines._dict,
}  # fmt: skip


def equal(one: Content, other: Content) -> bool:
    """Return whether two contents are the same tensors under the same names."""
    return len(one) == len(other) and all([a[0] == b[0] and a[1] is b[1] for a, b in zip(one, other)])


def hidden(frame: FrameType) -> bool:
    """Return whether a frame is that of a comprehension or lambda, which newer Pythons do not have."""
    return frame.f_code.co_name.startswith("<") and frame.f_code.co_name != "<module>"


def inside(value: list | dict) -> list:
    """Return what is in a list or dict, if it may have names of its own."""
    if len(value) > MOST:
        return [MISSING]
    return [*value, *value.values()] if type(value) is dict else value[:]


def unchanged(others: list[tuple[int, Any, list | None]], values: tuple) -> bool:
    """Return whether these variables are still the same, and what is in them."""
    for i, value, known in others:
        if values[i] is not value:
            return False
        if known is not None and not identical(inside(value), known):
            return False
    return True


def identical(one: list, other: list) -> bool:
    """Return whether two lists hold the same things; no learner's `__eq__` is asked."""
    return len(one) == len(other) and all(map(is_, one, other))


def seen_in(glance: Glance) -> Seen | None:
    """Return what a look would have returned that had compared the values at once."""
    last, keys, before, values = glance
    changes: list[Change] = []
    for name, value, old in zip(keys, values, before):
        if value is not old:
            if isinstance(value, Tensor):
                if not name.startswith("__"):
                    changes.append((name, ((name, value),), False))
            elif isinstance(old, Tensor):
                changes.append((name, None, True))
    return (None, [], [], [(last, changes)]) if changes else None


def most_rows(seen: Seen | Glance) -> int:
    """Return how many rows may be written of what was seen, at most."""
    if type(seen[1]) is tuple:
        return len(seen[1])
    return 2 + sum([len(changes) for _, changes in seen[1] + seen[3] if changes is not None])
