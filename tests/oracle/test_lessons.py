"""Every program of the course and of the gallery against its recording of PyTorch 2.13, in all groups.

Recorded with ../shared/oracle/record.py, where torch is installed, once a program is changed:
`python record.py app/lessons/content/NN-slug/snippet.py -o tests/oracle/lessons/NN-slug--snippet.json`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.observe import observe
from tests.oracle.agreement import differences

ROOT = Path(__file__).resolve().parents[2]
RECORDED = Path(__file__).parent / "lessons"
PROGRAMS = {
    f"{file.parent.name}--{file.stem}": file
    for folder in ("app/lessons/content/*", "app/lessons/programs")
    for file in sorted(ROOT.glob(f"{folder}/*.py"))
}
SIMULATED = {"12-inside-the-engine--devices"}  # PyTorch has no such device


def test_every_program_is_recorded_and_nothing_else():
    assert {file.stem for file in RECORDED.glob("*.json")} == set(PROGRAMS) - SIMULATED


@pytest.mark.parametrize("name", sorted(set(PROGRAMS) - SIMULATED))
def test_a_program_of_the_course_does_what_pytorch_does(name: str):
    want = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    found = differences(want, json.loads(json.dumps(observe(PROGRAMS[name]))))
    assert {group: what for group, what in found.items() if what} == {}
