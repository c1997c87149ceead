"""A trace of a pass over simulated devices tells whose queue is whose, and is checked device by device."""

import copy

import pytest

from engine.trace.run import trace_source as record
from engine.verify.check import check

PROGRAM = """import torch
a = torch.ones(2, device="sim:0", requires_grad=True)
b = torch.ones(2, device="sim:1", requires_grad=True)
loss = (a * 2).exp().cpu().sum() + (b * 3).exp().cpu().sum()
loss.backward()
"""
TRACE = record(PROGRAM)


def rows(trace, kind):
    return [row for row in trace["rows"] if row["kind"] == kind]


def test_tensors_and_nodes_say_on_which_simulated_device_they_are():
    assert [entry.get("device") for entry in TRACE["tensors"].values()][:2] == ["sim:0", "sim:1"]
    copied = [entry for entry in TRACE["nodes"].values() if entry["name"] == "ToCopyBackward0"]
    assert len(copied) == 2 and not any("device" in entry for entry in copied)


def test_a_row_about_a_queue_names_its_device_and_who_hands_over():
    handed = [(row["device"], row["handed_by"]) for row in rows(TRACE, "node_ready") if "handed_by" in row]
    assert handed == [("sim:1", "cpu"), ("sim:0", "cpu")]
    assert {row["device"] for row in rows(TRACE, "node_entered")} == {"cpu", "sim:0", "sim:1"}
    assert rows(TRACE, "backward_ended")[0]["woken_by"] == "sim:0"


def test_a_trace_on_the_cpu_says_nothing_of_devices():
    trace = record(PROGRAM.replace("sim:0", "cpu").replace("sim:1", "cpu"))
    assert '"device"' not in str(trace) and not any("device" in row for row in trace["rows"])
    assert not any("device" in entry for entry in (*trace["tensors"].values(), *trace["nodes"].values()))


def test_the_checker_accepts_it():
    assert check(TRACE).holds


@pytest.mark.parametrize("kind", ["node_ready", "node_entered"])
@pytest.mark.parametrize("change", [{"device": "cpu"}, {"device": "sim:2"}, None])
def test_the_checker_refuses_another_device_or_queue(kind, change):
    trace = copy.deepcopy(TRACE)
    row = next(row for row in rows(trace, kind) if row["device"] == "sim:1")
    row.update({"queue": [row["node"]] if not row["queue"] else []} if change is None else change)
    assert not check(trace).holds


@pytest.mark.parametrize(
    ("kind", "field"), [("node_ready", "handed_by"), ("backward_ended", "woken_by"), ("node_ready", "device")]
)
def test_the_checker_refuses_what_is_left_out(kind, field):
    trace = copy.deepcopy(TRACE)
    del next(row for row in rows(trace, kind) if field in row)[field]
    assert not check(trace).holds


def test_the_checker_refuses_another_order_within_a_device():
    trace = copy.deepcopy(TRACE)
    entered = [row for row in rows(trace, "node_entered") if row["device"] == "sim:1"]
    entered[0]["node"], entered[1]["node"] = entered[1]["node"], entered[0]["node"]
    assert not check(trace).holds
