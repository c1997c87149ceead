"""What a formula says is held against what its rule gave: for every sample of every operation."""

from __future__ import annotations

import copy
import types

import pytest

from engine import facade
from engine.trace.run import trace_source
from engine.verify.check import check
from tests.verify.corruptions.words import flat
from tests.verify.test_laws import CASES, SOURCE, made, squares

LIES = {"sign": lambda text: f"-({text})", "words": lambda text: f"{text} or so"}


def trace_of(name: str, index: int) -> dict:
    """Return the trace of one sample, its rules and the rules of its rules."""
    lab = types.ModuleType("lab")
    lab.made, lab.squares = made, squares
    return trace_source(SOURCE.format(name=name, index=index), modules={**facade.modules(), "lab": lab})


def told(trace: dict, node: str, input_: str, text: str) -> dict:
    """Return the trace with another formula, wherever it stands."""
    false = copy.deepcopy(trace)
    false["nodes"][node]["formulas"][input_] = text
    for row in false["rows"]:
        if row["kind"] == "node_ran" and row["node"] == node:
            for rule in row["rules"]:
                rule["formula"] = text if rule["input"] == input_ else rule["formula"]
    return false


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize(("name", "index"), CASES)
def test_a_formula_that_lies_is_refused(name: str, index: int, lie: str):
    trace = trace_of(name, index)
    ran = next((row for row in trace["rows"] if row["kind"] == "node_ran" and row["rules"]), None)
    for rule in ran["rules"] if ran else ():
        if any(
            abs(each) > 0 for each in flat(trace["values"][rule["result"]].get("data", 0)) if each != "nan"
        ):
            assert not check(told(trace, ran["node"], rule["input"], LIES[lie](rule["formula"]))).holds, rule
