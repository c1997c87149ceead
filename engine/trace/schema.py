"""The trace's format: version, row kinds and fields as tables. Writes the JSON Schema; records nothing."""

from __future__ import annotations

import json
from pathlib import Path

VERSION = 1
ENGINE = "0.1.0"
MIRRORS = "PyTorch 2.13.0"
SCHEMA_FILE = Path(__file__).parents[2] / "static" / "trace.schema.json"

# ----- types of fields ------------------------------------------------------------------------
TEXT, WHOLE, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
COUNT = {"type": "integer", "minimum": 0}
NUMBER = {"anyOf": [{"type": "number"}, {"enum": ["nan", "inf", "-inf"]}]}
ANY_NUMBER = {"anyOf": [NUMBER, {"type": "null"}]}


def ref(name: str) -> dict:
    """Name a shared definition."""
    return {"$ref": f"#/$defs/{name}"}


def maybe(kind: dict) -> dict:
    """Allow null."""
    return {"anyOf": [kind, {"type": "null"}]}


def many(kind: dict) -> dict:
    """A list of one kind."""
    return {"type": "array", "items": kind}


def row_of(*kinds: dict) -> dict:
    """A list of fixed length, each place with its own kind."""
    return {"type": "array", "prefixItems": list(kinds), "minItems": len(kinds), "maxItems": len(kinds)}


def keyed(kind: dict) -> dict:
    """An object used as a map."""
    return {"type": "object", "additionalProperties": kind}


def thing(fields: dict[str, dict], optional: tuple[str, ...] = ()) -> dict:
    """An object with exactly these fields."""
    required = [name for name in fields if name not in optional]
    return {"type": "object", "properties": fields, "required": required, "additionalProperties": False}


def name_of(letter: str) -> dict:
    """An id: a letter and a number."""
    return {"type": "string", "pattern": f"^{letter}[1-9][0-9]*$"}


TENSOR, NODE, MODULE, VALUE, SPAN = (
    ref(n) for n in ("tensor_id", "node_id", "module_id", "value_id", "span")
)
GRAD = maybe(VALUE)
SEEN = keyed(VALUE)  # tensors that no row has told as they are, and what they hold before this row
MAYBE_NODE = maybe(NODE)
SKIPPED = {"enum": ["not required", "not asked for", "undefined"]}
OWNER = {"anyOf": [TENSOR, NODE]}
ARGUMENTS = many(row_of(TEXT, ref("argument")))

# ----- the rows: kind -> its fields after `kind` and `at`, in order ---------------------------------
# fmt: off
ROWS: dict[str, dict[str, dict]] = {
    "tensor_made": {"tensor": TENSOR, "value": VALUE},
    "op_applied": {
        "op": TEXT, "node": MAYBE_NODE, "args": ARGUMENTS, "outputs": many(TENSOR), "values": many(VALUE),
        "inplace": FLAG, "saved": many(row_of(TEXT, maybe(TENSOR), GRAD)), "module": maybe(MODULE),
        "seen": SEEN,
    },
    "detached": {"tensor": TENSOR, "source": TENSOR, "how": TEXT, "value": VALUE},
    "saved_packed": {"hook": TEXT, "value": VALUE, "kept": TEXT, "packed": GRAD},
    "saved_unpacked": {"node": NODE, "hook": TEXT, "kept": TEXT, "value": VALUE},
    "checkpoint_began": {"function": TEXT, "reentrant": FLAG},
    "checkpoint_ended": {"function": TEXT, "tensors": maybe(COUNT), "bytes": maybe(COUNT)},
    "recompute_began": {"function": TEXT},
    "recompute_ended": {"function": TEXT, "tensors": maybe(COUNT), "early": FLAG},
    "aliases_changed": {
        "by": {"enum": ["tensor", "grad", "gradients", "buffer", "numpy"]}, "written": maybe(TENSOR),
        "tensors": many(row_of(TENSOR, VALUE)),
    },
    "version_bumped": {"tensor": TENSOR, "before": COUNT, "after": COUNT},
    "rebased": {"tensor": TENSOR, "before": MAYBE_NODE, "after": NODE},
    "data_replaced": {"tensor": TENSOR, "source": TENSOR, "before": VALUE, "after": VALUE},
    "value_read": {"tensor": TENSOR, "how": TEXT, "value": VALUE},
    "names_bound": {"names": keyed(TENSOR), "unbound": many(TEXT), "seen": SEEN},
    "printed": {"text": TEXT},
    "echo": {"text": TEXT},
    "seeded": {"generator": TEXT, "seed": COUNT},
    "stand_in": {"module": TEXT, "call": TEXT},
    "plotted": {"title": TEXT, "x": TEXT, "y": TEXT, "series": many(ref("series"))},
    "warning": {"category": TEXT, "message": TEXT, "line": maybe(COUNT)},
    "grad_set": {"tensor": TENSOR, "before": GRAD, "after": GRAD, "cause": TEXT},
    "zero_grad": {"owner": TEXT, "set_to_none": FLAG},
    "module_entered": {"module": MODULE},
    "module_left": {"module": MODULE},
    "grad_mode": {"enabled": FLAG},
    "retain_grad": {"tensor": TENSOR},
    "hook_registered": {"owner": OWNER, "when": TEXT, "hook": TEXT},
    "backward_began": {
        "call": COUNT, "api": TEXT, "roots": many(TENSOR), "root_nodes": many(NODE), "grads": many(GRAD),
        "implicit": FLAG, "retain_graph": FLAG, "create_graph": FLAG, "inputs": many(TENSOR),
        "missing": keyed(COUNT),
    },
    "node_ready": {"node": NODE, "queue": many(NODE), "device": TEXT, "handed_by": TEXT},
    "node_entered": {"node": NODE, "grads": many(GRAD), "queue": many(NODE), "device": TEXT},
    "hook_ran": {"node": NODE, "when": TEXT, "hook": TEXT, "before": GRAD, "after": GRAD},
    "grad_retained": {"node": NODE, "tensor": TENSOR, "before": GRAD, "arriving": GRAD, "after": GRAD},
    "grad_accumulated": {
        "node": NODE, "tensor": TENSOR, "before": GRAD, "arriving": GRAD, "after": GRAD,
        "how": {"enum": ["stored", "stolen", "copied", "added in place", "added", "nothing"]},
    },
    "sparse_accumulated": {
        "node": NODE, "tensor": TENSOR, "indices": VALUE, "rows": VALUE, "entries": COUNT, "coalesced": FLAG,
    },
    "coalesced": {"indices": VALUE, "rows": VALUE, "new_indices": VALUE, "new_rows": VALUE},
    "node_ran": {
        "node": NODE, "grads": many(GRAD), "rules": many(ref("rule")), "skipped": many(row_of(TEXT, SKIPPED)),
    },
    "reduced_to_shape": {"node": NODE, "slot": COUNT, "before": VALUE, "after": VALUE},
    "saved_freed": {"node": NODE, "names": many(TEXT)},
    "edge_flowed": {
        "node": NODE, "slot": COUNT, "target": NODE, "input_nr": COUNT, "grad": GRAD, "missing": COUNT,
    },
    "grad_summed": {"node": NODE, "input_nr": COUNT, "before": GRAD, "added": GRAD, "after": GRAD},
    "grad_captured": {"node": NODE, "input_nr": COUNT, "grad": GRAD},
    "backward_ended": {"call": COUNT, "woken_by": TEXT},
    "optimizer_step": {"optimizer": TEXT, "type": TEXT, "which": COUNT},
    "parameter_updated": {
        "tensor": TENSOR, "before": VALUE, "grad": GRAD, "after": VALUE, "formula": TEXT,
        "terms": keyed({"anyOf": [{"type": "number"}, TEXT]}), "group": COUNT,
        "state": many(row_of(TEXT, maybe(TEXT), GRAD, VALUE)),
    },
    "grad_norm_clipped": {
        "tensors": many(TENSOR), "norm_type": ANY_NUMBER, "max_norm": NUMBER, "total": VALUE,
        "factor": VALUE, "before": many(VALUE), "after": many(VALUE),
    },
    "grad_value_clipped": {
        "tensors": many(TENSOR), "clip_value": NUMBER, "before": many(VALUE), "after": many(VALUE),
    },
    "lr_scheduled": {
        "scheduler": TEXT, "type": TEXT, "optimizer": TEXT, "which": COUNT, "group": COUNT, "epoch": WHOLE,
        "before": NUMBER, "after": NUMBER, "formula": TEXT, "terms": keyed(NUMBER),
    },
    "error": {"type": TEXT, "message": TEXT, "node": MAYBE_NODE, "cause": maybe(ref("cause"))},
    "limit": {"limit": TEXT, "message": TEXT},
}

# `seen`: only if there are such tensors. The others: only in a pass that several devices share; whose queue
# it is, and who hands over or wakes the caller.
OPTIONAL: dict[str, tuple[str, ...]] = {
    "node_ready": ("device", "handed_by"), "node_entered": ("device",), "backward_ended": ("woken_by",),
    "names_bound": ("seen",), "op_applied": ("seen",),
}

# ----- what the rows are about ------------------------------------------------------------------
DEFINITIONS: dict[str, dict] = {
    "tensor_id": name_of("t"), "node_id": name_of("n"), "module_id": name_of("m"), "value_id": name_of("v"),
    "span": {
        "description": "line, column, end line, end column; lines from 1, columns from 0 in UTF-16 units",
        **maybe(row_of(WHOLE, COUNT, WHOLE, COUNT)),
    },
    "argument": {"anyOf": [thing({"tensor": TENSOR}), thing({"text": TEXT})]},
    "rule": thing({"slot": COUNT, "input": TEXT, "formula": TEXT, "terms": keyed(TEXT), "result": GRAD}),
    "cause": {"anyOf": [
        thing({"what": {"const": "freed"}, "by": COUNT, "at": SPAN}),
        thing({"what": {"const": "changed"}, "tensor": TENSOR, "by": COUNT, "at": SPAN}),
    ]},
    "series": thing({
        "kind": {"enum": ["line", "points", "bars"]}, "label": TEXT, "x": many(NUMBER), "y": many(NUMBER),
    }),
    "tensor": thing({
        "kind": {"enum": ["leaf", "result", "data"]}, "shape": many(COUNT), "dtype": TEXT,
        "node": maybe(NODE), "output_nr": COUNT, "parameter": FLAG, "at": SPAN, "names": many(TEXT),
        "device": TEXT,
    }, optional=("device",)),
    "node": thing({
        "name": TEXT, "op": maybe(TEXT), "seq": maybe(COUNT), "edges": many(maybe(row_of(NODE, COUNT))),
        "inputs": many(TEXT), "args": ARGUMENTS, "outputs": many(TENSOR), "variable": TENSOR,
        "formulas": keyed(TEXT), "at": SPAN, "module": maybe(MODULE), "device": TEXT,
    }, optional=("variable", "device")),
    "module": thing({"type": TEXT, "path": TEXT, "text": TEXT}),
    "numbers": {"anyOf": [NUMBER, FLAG, thing({"re": NUMBER, "im": NUMBER}), many(ref("numbers"))]},
    "value": {"description": "a float32 is the one nearest to the number that is written", "anyOf": [
        thing({"dtype": TEXT, "shape": many(COUNT), "data": ref("numbers")}),
        thing({"dtype": TEXT, "shape": many(COUNT), "summary": ref("summary")}),
    ]},
    "summary": {
        "description": (
            "statistics over the finite elements; nan and inf count the others; cells are some elements; "
            "a picture has a letter for each of some more, their share of the largest in twelfths: "
            "a to l for minus, A to L for plus, 0 for zero, ! for nan and inf"
        ),
        **thing({
            "min": NUMBER, "max": NUMBER, "mean": NUMBER, "norm": NUMBER, "nan": COUNT, "inf": COUNT,
            "cells": thing({"rows": COUNT, "columns": COUNT, "data": ref("numbers")}),
            "picture": thing({"rows": COUNT, "columns": COUNT, "levels": TEXT}),
        }),
    },
    "held": {
        "description": "a row, and the bytes that are held after it: by the graph, by .grad, by optimisers",
        **row_of(COUNT, COUNT, COUNT, COUNT),
    },
    "mend": {
        "description": "what was done to the text that was sent: `source` is the text that ran",
        **thing({"kind": TEXT, "lines": many(WHOLE), "texts": many(TEXT)}),
    },
    "expression": {
        "description": "the formula that was typed: `source` is the program that it stands for",
        **thing({
            "typed": TEXT, "leaves": many(ref("formula_leaf")), "result": TEXT,
            "shape": maybe(many(COUNT)), "ones": FLAG,
            "problem": maybe(thing({"kind": TEXT, "about": TEXT, "better": TEXT})),
        }),
    },
    "call": {
        "description": "a call of one of the program's functions: where it stands, its first and last row",
        **thing({"function": TEXT, "at": SPAN, "first": COUNT, "last": COUNT}),
    },
    "formula_leaf": {
        "description": "a free name of a formula, its value, and the place of the value in `source`",
        **thing({"name": TEXT, "shape": many(COUNT), "value": {"type": ["number", "array"]}, "at": SPAN}),
    },
    "finding": {
        "description": (
            "a fault of the program: its code and variant name its words, terms and values (ids) fill them; "
            "row, at, node, tensor and links say where it shows; fix is a change to `source` that mends it"
        ),
        **thing({
            "code": TEXT, "variant": TEXT, "severity": {"enum": ["fault", "note"]}, "row": COUNT, "at": SPAN,
            "node": MAYBE_NODE, "tensor": maybe(TENSOR), "terms": keyed(TEXT), "values": keyed(VALUE),
            "links": many(thing({"row": COUNT, "at": SPAN})),
            "fix": maybe(many(thing({"at": SPAN, "text": TEXT}))),
        }),
    },
    "outcome": {"anyOf": [
        thing({"kind": {"const": "finished"}}),
        thing({"kind": {"const": "error"}, "type": TEXT, "message": TEXT, "at": SPAN}),
        thing({"kind": {"const": "limit"}, "limit": TEXT, "message": TEXT, "at": SPAN}),
        thing({"kind": {"const": "refused"}, "code": TEXT, "message": TEXT, "at": SPAN}),
    ]},
}
# fmt: on


def json_schema() -> dict:
    """Return the JSON Schema (2020-12) of a whole trace."""
    kinds = {
        f"row_{kind}": thing({"kind": {"const": kind}, "at": SPAN, **fields}, OPTIONAL.get(kind, ()))
        for kind, fields in ROWS.items()
    }
    trace = thing(
        {
            "version": {"const": VERSION},
            "engine": TEXT,
            "mirrors": TEXT,
            "source": TEXT,
            "tensors": keyed(ref("tensor")),
            "nodes": keyed(ref("node")),
            "modules": keyed(ref("module")),
            "values": keyed(ref("value")),
            "rows": many({"anyOf": [ref(kind) for kind in kinds]}),
            "memory": many(ref("held")),
            "outcome": ref("outcome"),
            "mended": many(ref("mend")),
            "expression": ref("expression"),
            "calls": many(ref("call")),
            "findings": many(ref("finding")),
        },
        optional=("memory", "mended", "expression", "calls", "findings"),
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Trace",
        "description": "One run of a snippet: what it is about, then a row for everything that happened.",
        **trace,
        "$defs": {**DEFINITIONS, **kinds},
    }


def schema_text() -> str:
    """Return the schema as the text of its file."""
    return json.dumps(json_schema(), indent=1) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
