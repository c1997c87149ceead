"""One run as the doctor sees it: rows by kind, what made and used a tensor, which names held it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from app.sandbox.child.doctor.edits import Edits, checked
from app.sandbox.child.doctor.program import Program, Span

FLOATS = {"float16", "bfloat16", "float32", "float64", "complex64", "complex128"}
LONGEST = 40  # characters of an expression that stands for a tensor without a name


@dataclass(slots=True)
class Finding:
    """One fault: which, where it shows, what it is about, and the change that mends it."""

    code: str
    row: int
    at: Span | None
    variant: str = ""
    node: str | None = None
    tensor: str | None = None
    terms: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)  # ids of values to be shown in the words
    links: list[dict[str, Any]] = field(default_factory=list)  # {"row", "at"}: where else to look
    fix: Edits | None = None
    note: bool = False  # possibly meant

    def told(self, program: Program) -> dict[str, Any]:
        """Return the finding as a trace has it."""
        return {
            "code": self.code, "variant": self.variant, "severity": "note" if self.note else "fault",
            "row": self.row, "at": self.at, "node": self.node, "tensor": self.tensor,
            "terms": {name: text[:200] for name, text in self.terms.items()}, "values": self.values,
            "links": self.links, "fix": checked(program, self.fix),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pass:
    """One backward pass: from its first to its last row."""

    first: int
    last: int
    roots: tuple[str, ...]
    at: Span | None


class Case:
    """One run and its text. `held`: which tensors each optimiser had at its steps."""

    def __init__(self, trace: dict[str, Any], held: dict[int, list[str]]) -> None:
        self.rows: list[dict] = trace["rows"]
        self.tensors: dict[str, dict] = trace["tensors"]
        self.nodes: dict[str, dict] = trace["nodes"]
        self.values: dict[str, dict] = trace["values"]
        self.outcome: dict = trace["outcome"]
        self.held = held
        self.source: str = trace["source"]

    @cached_property
    def program(self) -> Program:
        """Return the text's syntax tree; it is made only if something is to be looked up in it."""
        return Program(self.source)

    # ----- rows -----
    @cached_property
    def kinds(self) -> dict[str, list[int]]:
        """Return the numbers of the rows of each kind."""
        found: dict[str, list[int]] = {}
        for k, row in enumerate(self.rows):
            found.setdefault(row["kind"], []).append(k)
        return found

    def of(self, *kinds: str) -> list[int]:
        """Return the numbers of the rows of some kinds, in order."""
        if len(kinds) == 1:
            return self.kinds.get(kinds[0], [])
        return sorted(k for kind in kinds for k in self.kinds.get(kind, ()))

    @property
    def error(self) -> dict | None:
        """Return the row of the error that ended the run."""
        last = self.rows[-1] if self.rows else None
        return last if last and last["kind"] == "error" and self.outcome["kind"] == "error" else None

    @cached_property
    def makers(self) -> dict[str, int]:
        """Return the row that first made each tensor."""
        found: dict[str, int] = {}
        for k in self.of("op_applied", "tensor_made", "detached"):
            row = self.rows[k]
            for tensor in row["outputs"] if row["kind"] == "op_applied" else [row["tensor"]]:
                found.setdefault(tensor, k)
        return found

    @cached_property
    def writers(self) -> dict[str, list[int]]:
        """Return all rows that made or wrote each tensor."""
        found: dict[str, list[int]] = {}
        for k in self.of("op_applied", "tensor_made", "detached"):
            row = self.rows[k]
            for tensor in row["outputs"] if row["kind"] == "op_applied" else [row["tensor"]]:
                found.setdefault(tensor, []).append(k)
        return found

    @cached_property
    def uses(self) -> dict[str, list[int]]:
        """Return the operations that read each tensor."""
        found: dict[str, list[int]] = {}
        for k in self.of("op_applied"):
            for tensor in self.inputs(k):
                found.setdefault(tensor, []).append(k)
        return found

    def inputs(self, k: int) -> list[str]:
        """Return the tensors that a row's operation was given."""
        row = self.rows[k]
        if row["kind"] == "detached":
            return [row["source"]]
        return [arg["tensor"] for _, arg in row.get("args", ()) if "tensor" in arg]

    @cached_property
    def passes(self) -> list[Pass]:
        """Return the backward passes that are in no other one."""
        found, open_ = [], []
        for k in self.of("backward_began", "backward_ended"):
            if self.rows[k]["kind"] == "backward_began":
                open_.append(k)
            elif open_:
                first = open_.pop()
                if not open_:
                    row = self.rows[first]
                    found.append(Pass(first, k, tuple(row["roots"]), row["at"]))
        if open_:
            row = self.rows[open_[0]]
            found.append(Pass(open_[0], len(self.rows) - 1, tuple(row["roots"]), row["at"]))
        return found

    @cached_property
    def _modes(self) -> list[tuple[int, bool]]:
        return [(k, self.rows[k]["enabled"]) for k in self.of("grad_mode")]

    def records(self, k: int) -> bool:
        """Return whether PyTorch recorded a graph at a row."""
        on = True
        for at, enabled in self._modes:
            if at > k:
                break
            on = enabled
        return on

    # ----- names -----
    def names_at(self, k: int) -> dict[str, str]:
        """Return which variable held which tensor at a row."""
        names: dict[str, str] = {}
        for i in self.of("names_bound"):
            if i > k:
                break
            for gone in self.rows[i]["unbound"]:
                names.pop(gone, None)
            names.update(self.rows[i]["names"])
        return names

    def name(self, tensor: str, k: int | None = None) -> str:
        """Return what a reader calls a tensor: a variable that holds it, its first name, its expression."""
        if k is not None:
            for name, held in self.names_at(k).items():
                if held == tensor:
                    return name
        fact = self.tensors[tensor]
        if fact["names"]:
            return fact["names"][0]
        node = self.program.find(fact["at"])
        text = " ".join(self.program.text(node).split()) if node is not None else ""
        return text if 0 < len(text) <= LONGEST else "·".join(map(str, fact["shape"])) or "tensor"

    def bindings(self, name: str) -> list[tuple[int, str]]:
        """Return (row, tensor) of every time a variable was bound."""
        rows = ((k, self.rows[k]["names"].get(name)) for k in self.of("names_bound"))
        return [(k, tensor) for k, tensor in rows if tensor is not None]

    # ----- values -----
    def odd(self, value: str | None) -> str:
        """Return "nan" or "inf" if a value has such a number, else an empty text."""
        fact = self.values.get(value or "")
        if fact is None:
            return ""
        if "summary" in fact:
            return "nan" if fact["summary"]["nan"] else "inf" if fact["summary"]["inf"] else ""
        found = set(flat(fact["data"]))
        return "nan" if "nan" in found else "inf" if found & {"inf", "-inf"} else ""

    def is_zero(self, value: str | None) -> bool:
        """Return whether a value is nothing but zeros."""
        fact = self.values.get(value or "")
        if fact is None:
            return False
        if "summary" in fact:
            found = fact["summary"]
            return found["min"] == found["max"] == 0 and not found["nan"] and not found["inf"]
        return all(number == 0 for number in flat(fact["data"]))

    def is_float(self, tensor: str) -> bool:
        """Return whether a tensor could have a gradient."""
        return self.tensors[tensor]["dtype"] in FLOATS

    def wants(self, tensor: str) -> bool:
        """Return whether a tensor requires grad, as it was last."""
        return self.tensors[tensor]["kind"] != "data"

    # ----- the graph -----
    @cached_property
    def accumulated(self) -> dict[str, list[int]]:
        """Return the rows that added to each leaf's `.grad`."""
        found: dict[str, list[int]] = {}
        for k in self.of("grad_accumulated", "sparse_accumulated"):
            found.setdefault(self.rows[k]["tensor"], []).append(k)
        return found

    @cached_property
    def accumulators(self) -> dict[str, str]:
        """Return the AccumulateGrad of each leaf."""
        return {fact["variable"]: n for n, fact in self.nodes.items() if "variable" in fact}

    def link(self, row: int) -> dict[str, Any]:
        """Return a place to go to."""
        return {"row": row, "at": self.rows[row]["at"]}


def flat(data: Any) -> list:
    """Return the numbers of a nested list."""
    out, todo = [], [data]
    while todo:
        part = todo.pop()
        if isinstance(part, list):
            todo += part
        else:
            out.append(part)
    return out
