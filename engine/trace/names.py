"""Which variable holds which tensor, as a reader sees it: told after the statement that bound it."""

from __future__ import annotations

from types import CodeType

from engine.tensor import Tensor
from engine.trace.ids import Ids
from engine.trace.lines import Look, Seen
from engine.trace.spans import Span, Spans, scope_of

Told = tuple[Span | None, dict[str, str], list[str]]  # where, new bindings, names that were unbound


class Model:
    """One frame of the program: by variable, {shown name: tensor id}."""

    __slots__ = ("code", "found", "scope")

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.scope = scope_of(code)
        self.found: dict[str, dict[str, str]] = {}


class Names:
    """The bindings a reader sees: those of the module, hidden by those of the functions being run."""

    def __init__(self, spans: Spans, ids: Ids) -> None:
        self._spans = spans
        self._ids = ids
        self._stack: list[Model] = []
        self.shown: dict[str, str] = {}  # tensors by name, replaced as a whole
        self.held: dict[str, Tensor] = {}  # what is shown, alive until the rows so far are written

    def changes(self, seen: Seen, at: Span | None) -> list[Told]:
        """Return what to tell of one look, statement by statement."""
        stack, where = self._stack, {}
        kept, were_left, entered, were_looked = seen
        if kept is None:
            return self._compare(where, at) if self._take(stack[-1], were_looked[0], at, where) else []
        inside = stack[: kept - 1 if kept else None : -1]
        left = [self._take(model, look, at, where) for model, look in zip(inside, were_left)]
        changes = self._compare(where, at) if any(left) else []
        where.clear()
        stack[kept:] = [Model(code) for code, _ in entered]
        looked = [self._take(m, look, at, where) for m, look in zip(stack[max(kept - 1, 0) :], were_looked)]
        return changes + self._compare(where, at) if left or any(looked) else changes

    def last_changes(self, seen: Seen) -> list[Told]:
        """Return what to tell of the look after the last fact."""
        where: dict[str, Span | None] = {}
        looked = [self._take(model, look, None, where) for model, look in zip(self._stack, seen[3])]
        if not any(looked):
            return []
        return self._compare(where, self._last(self._stack[-1], seen[3][-1]))

    def _last(self, model: Model, look: Look) -> Span | None:
        return None if look[0] is None else self._spans.at(model.code, look[0])

    def _take(self, model: Model, look: Look, at: Span | None, where: dict[str, Span | None]) -> bool:
        """Bring a frame up to date; note where each new binding stands. Return whether there is one."""
        if look[1] is None:
            return False
        last, touched = self._last(model, look), False
        for name, content, same in look[1]:
            before = model.found.get(name)
            if content is None:
                if before is not None:
                    del model.found[name]
                    touched = True
                    if not same:  # a `del` is a place that binds, too
                        span = self._spans.binding(name, model.scope, last, at)
                        where.update((n, span) for n in before)
                continue
            names = {shown: self._id(tensor) for shown, tensor in content}
            if before is None or before != names:
                touched = True
                span = last if same else self._spans.binding(name, model.scope, last, at)
                where.update((n, span) for n in names if before is None or before.get(n) != names[n])
                model.found[name] = names
        return touched

    def _id(self, mark: Tensor | str) -> str:
        if type(mark) is str:
            return mark
        known = self._ids.tensor(mark, None)
        self.held[known] = mark
        return known

    def _compare(self, where: dict[str, Span | None], at: Span | None) -> list[Told]:
        now: dict[str, str] = {}
        for model in self._stack:
            for names in model.found.values():
                now.update(names)
        groups: dict[str, Told] = {}
        for name, tensor in now.items():
            if self.shown.get(name) != tensor:
                span = where.get(name) or at
                groups.setdefault(repr(span), (span, {}, []))[1][name] = tensor
                self._ids.name(tensor, name)
        for name in self.shown:
            if name not in now:
                span = where.get(name) or at
                groups.setdefault(repr(span), (span, {}, []))[2].append(name)
        self.shown = now
        self.held = {t: self.held[t] for t in now.values() if t in self.held}
        return sorted(groups.values(), key=lambda group: group[0] or [])
