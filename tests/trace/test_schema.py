"""The format: the generated file, and what it accepts and refuses."""

import copy
import re

import pytest
from jsonschema import Draft202012Validator, ValidationError

from engine import events
from engine.trace import schema
from engine.trace.writer import BY_WHAT_IT_CHANGED, KINDS, UNWRITTEN


def test_the_schema_file_is_current():
    written = schema.SCHEMA_FILE.read_text(encoding="utf-8")
    assert written == schema.schema_text(), "run python -m engine.trace.schema"


def test_the_schema_is_itself_valid():
    Draft202012Validator.check_schema(schema.json_schema())


def test_every_fact_has_a_row():
    for fact in events.FACTS:
        name = KINDS.get(fact.__name__) or re.sub(r"(?<!^)(?=[A-Z])", "_", fact.__name__).lower()
        assert name in schema.ROWS or fact.__name__ in (*UNWRITTEN, *BY_WHAT_IT_CHANGED), (
            f"add {name} to ROWS in engine/trace/schema.py"
        )


@pytest.fixture
def trace(run):
    return run("import torch\nx = torch.tensor([1.0], requires_grad=True)\n(x * x).backward()")


def test_rows_have_their_fields_in_the_order_of_the_table(trace):
    for row in trace["rows"]:
        rare = schema.OPTIONAL.get(row["kind"], ())
        fields = [field for field in schema.ROWS[row["kind"]] if field not in rare]
        assert list(row) == ["kind", "at", *fields]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda t: t["rows"][0].pop("tensor"),
        lambda t: t["rows"][0].update(extra=1),
        lambda t: t["rows"].append({"kind": "unheard_of", "at": None}),
        lambda t: t["rows"][0].update(at=[1, 2, 3]),
        lambda t: t["values"].update(v99={"dtype": "float32", "shape": [], "data": "many"}),
        lambda t: t["outcome"].update(kind="lost"),
        lambda t: t.pop("source"),
    ],
)
def test_what_is_no_trace_is_refused(trace, validate, spoil):
    spoiled = copy.deepcopy(trace)
    spoil(spoiled)
    with pytest.raises(ValidationError):
        validate(spoiled)
