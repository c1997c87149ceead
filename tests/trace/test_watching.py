"""Who watches changes nothing: a run is the same with a recorder, without one, with nobody, and again."""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from engine import autograd, facade, random
from engine.numeric import runs
from engine.observation import scrub, variables
from engine.observe import execute, observe
from engine.trace import lines, spans
from engine.trace.limits import Limits
from engine.trace.recorder import Recorder
from engine.trace.run import importer
from tests.engine.programs import program
from tests.engine.strategies import programs

CASES = sorted((Path(__file__).parents[1] / "oracle" / "cases").glob("*.py"))
SEEDS = range(20_000, 20_060)
ENDLESS = Limits(rows=10**9, output=10**9, elements=10**9, made=10**12)


def observed(path: Path, beside=None) -> dict:
    """Return an observation as it is written down."""
    return json.loads(json.dumps(observe(path, beside)))


def unwatched(path: Path) -> dict:
    """Return what is left of a run that nobody watched: its variables, its words and how it ended."""
    names = {"__name__": "__main__", "__file__": str(path.resolve())}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()) as out:
        warnings.simplefilter("ignore")
        random.default_generator().manual_seed(0)
        autograd.begin_program()
        runs.start(0)
        names["__builtins__"] = {**vars(__import__("builtins")), "__import__": importer(facade.modules())}
        exception = execute(path.read_text(encoding="utf-8"), str(path.resolve()), names, None)
    found = {"stdout": scrub(out.getvalue()), "exception": exception, "variables": variables(names)}
    return json.loads(json.dumps(found))


def same_however_it_is_watched(path: Path, monkeypatch) -> None:
    """Run a program in four ways and compare all there is to compare, exactly."""
    for module in (spans, lines):  # the recorder is to see this file's frames as a learner's
        monkeypatch.setattr(module, "SNIPPET", str(path.resolve()))
    recorder = Recorder(path.read_text(encoding="utf-8"), ENDLESS)
    # from one line, since anomaly mode's tracebacks show it
    first, beside, again = [observed(path, watch) for watch in (None, recorder, None)]
    assert recorder.trace({"kind": "finished"})["rows"]
    assert beside == first
    assert again == first
    alone = unwatched(path)
    assert alone == {name: first[name] for name in alone}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_recorded_case_runs_the_same_however_it_is_watched(path, monkeypatch):
    same_however_it_is_watched(path, monkeypatch)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_program_runs_the_same_however_it_is_watched(seed, monkeypatch, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(program(seed), encoding="utf-8")
    same_however_it_is_watched(path, monkeypatch)


@given(drawn=programs(hooks=True))
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_a_drawn_program_runs_the_same_however_it_is_watched(drawn, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "drawn.py"
    path.write_text(drawn.snippet, encoding="utf-8")
    with pytest.MonkeyPatch.context() as monkeypatch:
        same_however_it_is_watched(path, monkeypatch)
