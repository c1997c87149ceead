"""`gradstep verify`: what it prints, and its exit codes."""

from __future__ import annotations

import json

import pytest

from app import cli
from tests.trace import golden
from tests.verify.traces import trace_of


def test_an_honest_trace_is_told_with_its_count(capsys):
    assert cli.main(["verify", str(golden.FOLDER / "training.json")]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    checked, of = (int(word) for word in first.split() if word.isdigit())
    assert first == f"checked: {checked} of {of} numbers re-derived" and checked == of > 50


def test_a_false_row_is_named_and_the_exit_code_says_so(tmp_path, capsys):
    trace = json.loads(json.dumps(trace_of("two_paths")))
    k = next(k for k, row in enumerate(trace["rows"]) if row["kind"] == "edge_flowed")
    trace["rows"][k]["missing"] = 9
    file = tmp_path / "false.json"
    file.write_text(json.dumps(trace))
    assert cli.main(["verify", str(file)]) == 1
    assert f"row {k}: edge_flowed.missing: expected 0, found 9" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["{", "[]", "null", '{"version": 1}', '{"rows": []}'])
def test_what_is_no_trace_is_refused_in_one_sentence(text, tmp_path, capsys):
    file = tmp_path / "no.json"
    file.write_text(text)
    assert cli.main(["verify", str(file)]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_file_that_is_not_there_is_told(capsys):
    assert cli.main(["verify", "nowhere.json"]) == 1
    assert "cannot read nowhere.json" in capsys.readouterr().err


def test_what_was_not_derived_is_told(tmp_path, capsys):
    file = tmp_path / "large.json"
    file.write_text(json.dumps(trace_of("e35_custom_function_errors")))
    assert cli.main(["verify", str(file)]) == 0
    assert capsys.readouterr().out.startswith("checked: ")
