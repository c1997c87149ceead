"""The golden traces are what the recorder writes today, and stand in the contract."""

import json

import pytest

from tests.trace import golden
from tests.trace.programs import PROGRAMS


def read(name: str) -> dict:
    return json.loads((golden.FOLDER / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_golden_trace_is_current(name):
    written = (golden.FOLDER / f"{name}.json").read_text(encoding="utf-8")
    assert written == golden.text(golden.golden(name)), "run python -m tests.trace.golden"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_golden_trace_is_valid(name, validate):
    validate(read(name))


def test_no_file_is_left_over():
    assert {path.stem for path in golden.FOLDER.glob("*.json")} == set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_id_in_a_row_stands_in_its_table(name):
    trace = read(name)
    known = {key for table in ("tensors", "nodes", "modules", "values") for key in trace[table]}
    for row in trace["rows"]:
        assert ids(row) <= known, row
    for table in ("tensors", "nodes"):
        assert ids(list(trace[table].values())) <= known


def ids(value: object) -> set[str]:
    """Return everything in nested JSON that looks like an id."""
    if isinstance(value, dict):
        return ids([v for k, v in value.items() if k not in ("text", "names", "source")]) | ids(list(value))
    if isinstance(value, list):
        return set().union(*map(ids, value))
    return {value} if isinstance(value, str) and value[:1] in "tnmv" and value[1:].isdigit() else set()


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_travel_only_along_edges_and_arrive_as_sums(name):
    trace = read(name)
    waiting: dict = {}
    for row in trace["rows"]:
        if row["kind"] == "backward_began":
            waiting = dict(row["missing"])
        elif row["kind"] == "edge_flowed":
            assert trace["nodes"][row["node"]]["edges"][row["slot"]] == [row["target"], row["input_nr"]]
            waiting[row["target"]] -= 1
            assert row["missing"] == waiting[row["target"]]
        elif row["kind"] == "node_ready":
            assert waiting[row["node"]] == 0
            assert row["node"] in row["queue"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_error_or_a_limit_is_the_last_row(name):
    kinds = [row["kind"] for row in read(name)["rows"]]
    assert not {"error", "limit"} & set(kinds[:-1])
