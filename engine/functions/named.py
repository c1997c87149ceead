"""Results with names: what `max(dim)`, `sort` and their like return."""

from __future__ import annotations

import functools
from typing import Any

from engine.apply import apply
from engine.ops.table import Op


class Named(tuple):
    """A tuple whose parts also have names, printed as torch.return_types.<op>."""

    __slots__ = ()
    op = ""
    fields: tuple[str, ...] = ()

    def __repr__(self) -> str:
        from engine.format import return_types_text

        return return_types_text(self.op, {n: repr(v) for n, v in zip(self.fields, self, strict=True)})


@functools.cache
def kind(op: str, fields: tuple[str, ...]) -> type[Named]:
    """Return the tuple type of one operation."""
    names: dict[str, Any] = {"__slots__": (), "op": op, "fields": fields}
    for i, field in enumerate(fields):
        names[field] = property(lambda self, i=i: self[i])
    return type(op, (Named,), {**names, "__module__": "torch.return_types"})


def named(op: Op, *args: Any) -> Any:
    """Apply an operation; give its results the names the row has for them."""
    out = apply(op, *args)
    return kind(op.name, op.results)(out) if op.results else out
