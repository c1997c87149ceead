"""How a trace is built: which fields, of which kind; every id stands in its table. Believes no number."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from engine.verify.report import Report

TABLES = {"t": "tensors", "n": "nodes", "m": "modules", "v": "values"}
ID = re.compile(r"[tnmv][1-9][0-9]*")

MOST = 2**48  # elements of one tensor
# fields of a thing as "name:kind"; ? may be null, * is a list, % a map from anything to that kind
ASIDE = {"mended", "expression", "calls", "findings", "memory"}  # nothing in the rows depends on these
TRACE = (
    "version:count engine:text mirrors:text source:text tensors:map nodes:map modules:map values:map "
    "rows:list outcome:map"
)
TENSOR = "kind:text shape:shape dtype:dtype node:n? output_nr:count parameter:flag at:span names:text*"
NODE = (
    "name:text op:text? seq:count? edges:edge?* inputs:text* args:argument* outputs:t* formulas:text% "
    "at:span module:m?"
)
MODULE = "type:text path:text text:text"
RULE = "slot:count input:text formula:text terms:text% result:v?"
ROWS = {
    "tensor_made": "tensor:t value:v",
    "op_applied": "op:text node:n? args:argument* outputs:t* values:v* inplace:flag saved:saved* module:m?",
    "detached": "tensor:t source:t how:text value:v",
    "saved_packed": "hook:text value:v kept:text packed:v?",
    "saved_unpacked": "node:n hook:text kept:text value:v",
    "checkpoint_began": "function:text reentrant:flag",
    "checkpoint_ended": "function:text tensors:count? bytes:count?",
    "recompute_began": "function:text",
    "recompute_ended": "function:text tensors:count? early:flag",
    "aliases_changed": "by:hand written:t? tensors:shared*",
    "version_bumped": "tensor:t before:count after:count",
    "rebased": "tensor:t before:n? after:n",
    "data_replaced": "tensor:t source:t before:v after:v",
    "value_read": "tensor:t how:text value:v",
    "names_bound": "names:t% unbound:text*",
    "printed": "text:text",
    "echo": "text:text",
    "seeded": "generator:text seed:count",
    "stand_in": "module:text call:text",
    "plotted": "title:text x:text y:text series:list",
    "warning": "category:text message:text line:count?",
    "grad_set": "tensor:t before:v? after:v? cause:text",
    "zero_grad": "owner:text set_to_none:flag",
    "module_entered": "module:m",
    "module_left": "module:m",
    "grad_mode": "enabled:flag",
    "retain_grad": "tensor:t",
    "hook_registered": "owner:owner when:text hook:text",
    "backward_began": "call:count api:text roots:t* root_nodes:n* grads:v?* implicit:flag retain_graph:flag "
    "create_graph:flag inputs:t* missing:counts",
    "node_ready": "node:n queue:n*",
    "node_entered": "node:n grads:v?* queue:n*",
    "hook_ran": "node:n when:text hook:text before:v? after:v?",
    "grad_retained": "node:n tensor:t before:v? arriving:v? after:v?",
    "grad_accumulated": "node:n tensor:t before:v? arriving:v? after:v? how:text",
    "sparse_accumulated": "node:n tensor:t indices:v rows:v entries:count coalesced:flag",
    "coalesced": "indices:v rows:v new_indices:v new_rows:v",
    "node_ran": "node:n grads:v?* rules:rule* skipped:skipped*",
    "reduced_to_shape": "node:n slot:count before:v after:v",
    "saved_freed": "node:n names:text*",
    "edge_flowed": "node:n slot:count target:n input_nr:count grad:v? missing:count",
    "grad_summed": "node:n input_nr:count before:v? added:v? after:v?",
    "grad_captured": "node:n input_nr:count grad:v?",
    "backward_ended": "call:count",
    "optimizer_step": "optimizer:text type:text which:count",
    "parameter_updated": "tensor:t before:v grad:v after:v formula:text terms:term% group:count state:kept*",
    "grad_norm_clipped": "tensors:t* norm_type:number? max_norm:number total:v factor:v before:v* after:v*",
    "grad_value_clipped": "tensors:t* clip_value:number before:v* after:v*",
    "lr_scheduled": "scheduler:text type:text optimizer:text which:count group:count epoch:whole "
    "before:number after:number formula:text terms:number%",
    "error": "type:text message:text node:n? cause:cause?",
    "limit": "limit:text message:text",
}
OPTIONAL = {  # only where tensors come into view that no row has made, or several devices share a pass
    "node_ready": ("device", "handed_by"), "node_entered": ("device",), "backward_ended": ("woken_by",),
    "names_bound": ("seen",), "op_applied": ("seen",),
}  # fmt: skip
OUTCOMES = {
    "finished": "",
    "error": "type:text message:text at:span",
    "limit": "limit:text message:text at:span",
    "refused": "code:text message:text at:span",
}
DTYPES = {
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex64", "complex128",
}  # fmt: skip
CAUSES = {"freed": "by:count at:span", "changed": "tensor:t by:count at:span"}
SUMMARY = "min:number max:number mean:number norm:number nan:count inf:count cells:map picture:map"
CELLS = "rows:count columns:count data:any"
PICTURE = "rows:count columns:count levels:text"


def is_whole(x: Any) -> bool:
    """Say whether something is a count."""
    return type(x) is int and x >= 0


def is_shape(x: Any) -> bool:
    """Say whether something is the shape of a tensor that a machine could hold."""
    return isinstance(x, list) and all(map(is_whole, x)) and math.prod(max(size, 1) for size in x) < MOST


def is_number(x: Any) -> bool:
    """Say whether something is a number as the format writes it."""
    return type(x) in (int, float) or x in ("nan", "inf", "-inf")


def is_span(x: Any) -> bool:
    """Say whether something is a place in the source, or null."""
    return x is None or (
        isinstance(x, list) and len(x) == 4 and all(map(is_whole, x)) and x[0] > 0 and x[:2] < x[2:]
    )


class Structure:
    """Checks one trace's build; `problems` tells what is not as it must be."""

    def __init__(self, trace: dict) -> None:
        self.trace = trace
        self.kinds: dict[str, Callable[[Any], bool]] = {
            "text": lambda x: type(x) is str,
            "flag": lambda x: type(x) is bool,
            "count": is_whole,
            "shape": is_shape,
            "span": is_span,
            "number": is_number,
            "dtype": lambda x: type(x) is str and x in DTYPES,
            "any": lambda x: True,
            "map": lambda x: isinstance(x, dict),
            "list": lambda x: isinstance(x, list),
            "owner": lambda x: self.known("t", x) or self.known("n", x),
            "edge": self.is_edge,
            "counts": lambda x: isinstance(x, dict) and all(map(self.is_count, x.items())),
            "argument": self.is_argument,
            "rule": lambda x: not list(self.wrong(RULE, x)),
            "term": lambda x: type(x) in (int, float, str),
            "saved": self.is_saved,
            "kept": self.is_kept,
            "skipped": lambda x: isinstance(x, list) and len(x) == 2 and all(type(each) is str for each in x),
            "shared": lambda x: (
                isinstance(x, list) and len(x) == 2 and self.known("t", x[0]) and self.known("v", x[1])
            ),
            "hand": lambda x: x in ("tensor", "grad", "gradients", "buffer", "numpy"),
            "whole": lambda x: type(x) is int,
            "cause": self.is_cause,
        }
        self.kinds |= {letter: partial(self.known, letter) for letter in TABLES}
        self.parsed: dict[str, dict[str, Callable]] = {}

    def known(self, letter: str, x: Any) -> bool:
        """Say whether something is an id that stands in its table."""
        return type(x) is str and x[:1] == letter and x in self.trace[TABLES[letter]]

    def is_edge(self, x: Any) -> bool:
        """Say whether something is a node and the number of one of its results."""
        return isinstance(x, list) and len(x) == 2 and self.known("n", x[0]) and is_whole(x[1])

    def is_count(self, x: tuple) -> bool:
        """Say whether something is a node and how many edges point at it."""
        return self.known("n", x[0]) and is_whole(x[1])

    def is_saved(self, x: Any) -> bool:
        """Say whether something is a label, perhaps a tensor, and perhaps a value."""
        if not isinstance(x, list) or len(x) != 3 or type(x[0]) is not str:
            return False
        return all(each is None or self.known(letter, each) for letter, each in zip("tv", x[1:]))

    def is_kept(self, x: Any) -> bool:
        """Say whether something is a state: its name, its name in formulas, its value before and after."""
        if not isinstance(x, list) or len(x) != 4 or type(x[0]) is not str:
            return False
        named = x[1] is None or type(x[1]) is str
        return named and (x[2] is None or self.known("v", x[2])) and self.known("v", x[3])

    def is_cause(self, x: Any) -> bool:
        """Say whether something tells what an error comes from."""
        what = x.get("what") if isinstance(x, dict) else None
        return what in CAUSES and not list(self.wrong("what:text " + CAUSES[what], x))

    def is_argument(self, x: Any) -> bool:
        """Say whether something is a named argument: a tensor or a text."""
        if not (
            isinstance(x, list)
            and len(x) == 2
            and type(x[0]) is str
            and isinstance(x[1], dict)
            and len(x[1]) == 1
        ):
            return False
        ((kind, what),) = x[1].items()
        return self.known("t", what) if kind == "tensor" else kind == "text" and type(what) is str

    def kind(self, name: str) -> Callable[[Any], bool]:
        """Return the test of a kind such as `v?*`."""
        if name.endswith("?"):
            inner = self.kind(name[:-1])
            return lambda x: x is None or inner(x)
        if name.endswith("*"):
            inner = self.kind(name[:-1])
            return lambda x: isinstance(x, list) and all(map(inner, x))
        if name.endswith("%"):
            inner = self.kind(name[:-1])
            return lambda x: isinstance(x, dict) and all(map(inner, x.values()))
        return self.kinds[name]

    def fields(self, spec: str) -> dict[str, Callable[[Any], bool]]:
        """Return the tests of a thing's fields."""
        if spec not in self.parsed:
            pairs = (each.rpartition(":") for each in spec.split())
            self.parsed[spec] = {name: self.kind(kind) for name, _, kind in pairs}
        return self.parsed[spec]

    def wrong(self, spec: str, thing: Any, optional: tuple[str, ...] = ()) -> Iterator[tuple[str, str, Any]]:
        """Yield (field, expected, found) for what is not built as its spec says."""
        if not isinstance(thing, dict):
            yield "", "an object", type(thing).__name__
            return
        tests = self.fields(spec)
        for name, test in tests.items():
            if name not in thing:
                yield name, "a field", "nothing"
            elif not test(thing[name]):
                yield name, re.search(rf"(?:^| ){name}:(\S+)", spec)[1], str(thing[name])[:80]
        for name in thing:
            if name == "seen" and name in optional:
                if not self.kind("v%")(thing[name]) or not all(self.known("t", t) for t in thing[name]):
                    yield name, "v%", str(thing[name])[:80]
            elif name in optional and name != "variable" and type(thing[name]) is not str:
                yield name, "a text", str(thing[name])[:80]
            if name not in tests and name not in optional:
                yield name, "no such field", str(thing[name])[:80]


def check_structure(trace: Any, report: Report) -> bool:
    """Refuse what is not built as a trace; say whether the rest may be read."""
    if not isinstance(trace, dict):
        report.refuse(None, "a trace", "an object", type(trace).__name__)
        return False
    found = Structure(trace)
    for name, expected, got in found.wrong(TRACE, {k: v for k, v in trace.items() if k not in ASIDE}):
        report.refuse(None, name, expected, got)
    if not report.holds:
        return False
    check_memory(trace, report)
    if trace["version"] != 1:
        report.refuse(None, "version", 1, trace["version"])
    check_tables(trace, found, report)
    for k, row in enumerate(trace["rows"]):
        kind = row.get("kind") if isinstance(row, dict) else None
        if type(kind) is not str or kind not in ROWS:
            report.refuse(k, "kind", f"one of {len(ROWS)} kinds of row", kind)
            continue
        for name, expected, got in found.wrong(
            f"kind:text at:span {ROWS[kind]}", row, OPTIONAL.get(kind, ())
        ):
            report.refuse(k, f"{kind}.{name}", expected, got)
    outcome = trace["outcome"].get("kind")
    if type(outcome) is not str or outcome not in OUTCOMES:
        report.refuse(None, "outcome.kind", "an outcome", outcome)
    else:
        for name, expected, got in found.wrong("kind:text " + OUTCOMES[outcome], trace["outcome"]):
            report.refuse(None, f"outcome.{name}", expected, got)
    return report.holds


def check_memory(trace: dict, report: Report) -> None:
    """Refuse bytes held that are not told row by row, in order."""
    claims, last = trace.get("memory", []), -1
    for each in claims if isinstance(claims, list) else [claims]:
        good = isinstance(each, list) and [type(n) for n in each] == [int] * 4 and min(each) >= 0
        if not good or not last < each[0] < len(trace["rows"]):
            report.refuse(None, "memory", "a later row, and bytes", str(each)[:80])
            return
        last = each[0]


def check_tables(trace: dict, found: Structure, report: Report) -> None:
    """Refuse entries of the four tables that are not built as they must be."""
    for letter, table, spec in (("t", "tensors", TENSOR), ("n", "nodes", NODE), ("m", "modules", MODULE)):
        for key, entry in trace[table].items():
            if not (ID.fullmatch(key) and key[0] == letter):
                report.refuse(None, f"{table}.{key}", f"an id: {letter} and a number", key)
            optional = {"t": ("device",), "n": ("variable", "device"), "m": ()}[letter]
            for name, expected, got in found.wrong(spec, entry, optional):
                report.refuse(None, f"{table}.{key}.{name}", expected, got)
            is_node = letter == "n" and isinstance(entry, dict)
            if is_node and "variable" in entry and not found.known("t", entry["variable"]):
                report.refuse(None, f"{table}.{key}.variable", "a tensor", entry["variable"])
    for key, entry in trace["values"].items():
        whole = isinstance(entry, dict) and "data" in entry
        for name, expected, got in found.wrong(
            f"dtype:dtype shape:shape {'data:any' if whole else 'summary:map'}", entry
        ):
            report.refuse(None, f"values.{key}.{name}", expected, got)
        if not whole and isinstance(entry, dict) and isinstance(entry.get("summary"), dict):
            wrong = [
                *found.wrong(SUMMARY, entry["summary"]),
                *found.wrong(CELLS, entry["summary"].get("cells")),
                *found.wrong(PICTURE, entry["summary"].get("picture")),
            ]
            for name, expected, got in wrong:
                report.refuse(None, f"values.{key}.summary.{name}", expected, got)
