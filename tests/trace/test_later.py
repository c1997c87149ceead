"""Facts are noted at once and told later: whatever happens in between changes no row."""

import ast
import gc
from pathlib import Path

import pytest

from engine.trace import log, recorder
from engine.trace.run import Limits, Run, trace_source
from tests.trace.programs import LIMITS, PROGRAMS
from tests.trace.writes import HEAD, WRITES

CASES = sorted((Path(__file__).parents[1] / "oracle" / "cases").glob("*.py"))
AT_ONCE = Limits(at_once=10**6)


@pytest.mark.parametrize("door", WRITES)
def test_what_is_written_after_a_fact_changes_no_row(door, validate):
    source = HEAD + WRITES[door]
    later = validate(trace_source(source))
    assert later["outcome"] == {"kind": "finished"}
    assert later == trace_source(source, limits=AT_ONCE)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_recorded_case_has_one_trace_whenever_it_is_told(path):
    source = path.read_text(encoding="utf-8")
    assert trace_source(source) == trace_source(source, limits=AT_ONCE)


@pytest.mark.parametrize("most", [1, 3, 40])
def test_telling_in_pieces_tells_the_same(most, monkeypatch):
    source = HEAD + "\n".join(
        WRITES[door] for door in ("a step", "a view", "a second gradient", "lists of tensors")
    )
    whole = trace_source(source)
    monkeypatch.setattr(recorder, "MOST", most)
    assert trace_source(source) == whole


def test_without_the_copies_it_would_be_told_wrongly(monkeypatch):
    source = HEAD + WRITES["a gradient in place"]
    right = trace_source(source)
    monkeypatch.setattr(log.Log, "overwriting", lambda *_: None)
    assert trace_source(source) != right


def test_without_what_nodes_had_saved_it_would_be_told_wrongly(monkeypatch):
    source = HEAD + WRITES["freed nodes"]
    right = trace_source(source)
    monkeypatch.setattr(log.Log, "releasing", lambda *_: None)
    monkeypatch.setattr(log.Log, "unfold", lambda *_: None)
    assert trace_source(source) != right


def test_a_value_is_that_of_its_row(run):
    trace = run(HEAD + "t = torch.zeros(2)\nfor _ in range(3):\n    t.add_(1)\n    u = t * 1")
    rows = [row for row in trace["rows"] if row["kind"] == "op_applied" and row["op"] == "mul"][1:]
    assert [trace["values"][row["values"][0]]["data"] for row in rows] == [[1, 1], [2, 2], [3, 3]]


# ----- ids ------------------------------------------------------------------------------------
def test_an_id_is_never_given_twice_although_objects_die(run):
    source = HEAD + "for i in range(200):\n    u = (d + i) * 2\n    del u"
    made = [t for row in run(source)["rows"] if row["kind"] == "op_applied" for t in row["outputs"]]
    assert len(set(made)) == len(made)


def test_nothing_of_a_run_is_kept_once_it_is_told():
    run = Run(HEAD + WRITES["a step"])
    run.trace()
    assert not run.recorder.log.entries
    gc.collect()


@pytest.mark.parametrize("name", ["weakref", "gc", "__del__"])
def test_a_program_that_can_notice_deaths_is_told_at_once(name):
    seen = Run(f"import torch\n# {name}\nx = torch.ones(2)\nx = x * 2").recorder
    seen(recorder.events.GradModeSet(False))
    assert not seen.log.entries


@pytest.mark.parametrize("then, written", [("", 1), ("y = z = None\n", 0)])
def test_a_gradient_is_retained_for_a_living_tensor_only(rows, then, written):
    source = f"{HEAD}y.retain_grad()\ns = y.sum()\n{then}d = d * 1\ns.backward()"
    assert len(rows(source, "grad_retained")) == written


# ----- limits -----------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["training", "hooks", "twice"])
def test_a_limit_of_rows_ends_the_run_at_that_row(name):
    source = PROGRAMS[name]
    whole = trace_source(source, limits=LIMITS.get(name))["rows"]
    for count in range(1, len(whole) - 1, 5):
        cut = trace_source(source, limits=Limits(rows=count))
        assert cut["rows"][:-1] == whole[:count]
        assert cut["rows"][-1]["kind"] == "limit"
        assert cut == trace_source(source, limits=Limits(rows=count, at_once=10**6))


def test_a_loop_without_an_end_is_ended_at_the_limit(run):
    trace = run("import torch\nx = torch.ones(2)\nwhile True:\n    x = x + 1", limits=Limits(rows=500))
    assert (len(trace["rows"]), trace["outcome"]["limit"]) == (501, "rows")


def test_memory_is_bounded_by_telling_earlier(monkeypatch):
    source = "import torch\nfor i in range(20):\n    x = torch.ones(1000) * i"
    told = []
    monkeypatch.setattr(recorder, "ROOM", 5_000)
    watched = Run(source)
    plain = watched.recorder.settle
    watched.recorder.log.settle = plain
    object.__setattr__(
        watched.recorder.limits, "step", lambda: told.append(len(watched.recorder.log.entries))
    )
    watched.trace()
    assert max(told) < 20


@pytest.mark.parametrize("awaited", [1, 7, 2_000])
def test_rows_that_are_taken_in_pieces_are_the_whole(awaited, monkeypatch):
    monkeypatch.setattr(recorder, "AWAITED", awaited)
    run = Run(HEAD + WRITES["a step"])
    taken = []
    object.__setattr__(run.recorder.limits, "step", lambda: taken.append(run.recorder.take()))
    trace = run.trace()
    assert (
        [row for part in taken for row in part["rows"]]
        == trace["rows"]
        == trace_source(run.recorder.source)["rows"]
    )
    assert {k: v for part in taken for k, v in part["values"].items()} == trace["values"]


def test_a_stop_that_comes_while_rows_are_written_waits_for_them():
    run = Run(HEAD + "while True:\n    d = d * 1", limits=Limits(rows=1000))
    asked = []

    def step():
        if not asked:
            asked.append(run.stop("time", "It took too long."))

    object.__setattr__(run.recorder.limits, "step", step)
    trace = run.trace()
    assert trace["outcome"] == {**trace["outcome"], "kind": "limit", "limit": "time"}
    assert [row["kind"] for row in trace["rows"]].count("limit") == 1


# ----- the doors --------------------------------------------------------------------------------
def writers_of_memory():
    """Yield (file, function) of everything in the engine that writes into a tensor's array."""
    for path in sorted((Path(__file__).parents[2] / "engine").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            if any(writes(node) for node in ast.walk(function)):
                yield path, function


def writes(node):
    """Return whether a node of the tree is `x.array[...] = `, `x.array[...] += ` or `out=x.array`."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    parts = [target.value for target in targets if isinstance(target, ast.Subscript)]
    parts += [each.value for each in getattr(node, "keywords", ()) if each.arg == "out"]
    return any(isinstance(part, ast.Attribute) and part.attr == "array" for part in parts)


def test_whoever_writes_a_tensors_memory_says_so_before():
    found = list(writers_of_memory())
    assert {function.name for _, function in found} >= {"write", "renormalised", "_update_statistics"}
    for path, function in found:
        assert "events.overwriting(" in ast.unparse(function), f"{path.name}: {function.name} says nothing"


def test_an_alarm_while_the_trace_of_an_ended_run_is_made_changes_nothing():
    """The alarm of the time limit rings again and again until the process has ended."""
    told = []
    run = Run("import torch\nwhile True:\n    torch.ones(2)", limits=Limits(rows=200, stop=told.append))
    plain = run.recorder.trace

    def interrupted(outcome: dict) -> dict:
        run.stop("time", "too late")
        return plain(outcome)

    run.recorder.trace = interrupted
    run.trace()
    assert [trace["outcome"]["limit"] for trace in told] == ["rows"]
