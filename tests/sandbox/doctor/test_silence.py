"""Nothing is said of correct programs; what has a fault on purpose is listed here, by name, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.examples import EXAMPLES
from app.explain import explanations
from tests.browser import snippets
from tests.sandbox.doctor.programs import codes, correct, examined
from tests.trace import programs as golden

ROOT = Path(__file__).parents[2]
CORRECT = correct()

# recorded cases that have the fault: what PyTorch does with it is what they record
ORACLE = {
    "e06_retain_graph": ["freed"],  # ends in PyTorch's error of a second backward
    "e08_second_backward_scalar_mul": ["freed"],
    "e10_inplace_version_error": ["changed"],  # ends in the error of a changed value
    "e11_inplace_version_error_leaf": ["changed"],
    "e26_nonscalar_backward": ["not_a_scalar"],  # ends in the error of a vector's backward
    "e37_anomaly": ["anomaly"],  # ends in anomaly mode's error
    "e44_zero_grad": ["emptied"],  # steps right after zero_grad(), to see that nothing moves
    "e55_step_then_old_graph": ["changed.step"],  # goes back through the graph of before a step
    "p_pow": ["not_finite.backward"],  # powers at zero: its x.grad is nan
}
LESSONS = {  # what a lesson shows because it goes wrong
    "04-leaves/rebound": ["not_a_leaf.rebound"],
    "06-zero-grad/between": ["emptied"],
    "06-zero-grad/forgotten": ["accumulating"],
    "07-gradient-argument/no_argument": ["not_a_scalar"],
    "08-once-and-gone/shared": ["freed"],
    "08-once-and-gone/snippet": ["freed"],
    "09-broadcasting/trap": ["broadcast"],
    "10-in-place/broken": ["changed"],
    "10-in-place/leaf": ["leaf_in_place"],
    "17-softmax-cross-entropy/separate": ["not_finite.forward"],
    "17-softmax-cross-entropy/twice": ["twice"],
}
SHOWN = {  # programs of our own that show an error or a warning
    "backward-twice": ["freed"],
    "TWICE": ["freed"],
    "CHANGED": ["changed"],
    "WARNED": ["not_a_leaf"],
}


def own() -> dict[str, str]:
    """Return the examples, the golden programs, the snippets of the browser tests."""
    found = {example.slug: example.code for example in EXAMPLES}
    for module in (golden, snippets):
        for name, value in vars(module).items():
            text = getattr(value, "code", value)
            if isinstance(text, str) and "torch" in text and not name.startswith("__"):
                found[name] = text
    return found


def other() -> dict[str, str]:
    """Return what the sandbox's tests run, and the mended programs of the pages about errors."""
    found = {path.stem: path.read_text("utf-8") for path in sorted((ROOT / "sandbox/legit").glob("*.txt"))}
    return found | {f"errors {each.slug}": each.fixed for each in explanations()}


OWN, OTHER = own(), other()
PLAYED = sorted((ROOT.parent / "app" / "lessons" / "content").glob("*/*.py"))
CASES = sorted((ROOT / "oracle" / "cases").glob("*.py"))


@pytest.mark.parametrize("name", CORRECT)
def test_nothing_is_said_of_a_correct_program(name: str):
    trace, findings = examined(CORRECT[name])
    assert codes(findings) == []
    assert trace["outcome"] == {"kind": "finished"}, trace["outcome"]


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_a_recorded_case_is_silent_unless_it_records_a_fault(case: Path):
    assert codes(examined(case.read_text("utf-8"))[1]) == ORACLE.get(case.stem, [])


@pytest.mark.parametrize("path", PLAYED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_lesson_is_silent_unless_it_shows_a_fault(path: Path):
    expected = LESSONS.get(f"{path.parent.name}/{path.stem}", [])
    assert codes(examined(path.read_text("utf-8"))[1]) == expected, "a fault on purpose is named in LESSONS"


@pytest.mark.parametrize("name", OWN)
def test_our_own_programs_are_silent_unless_they_show_a_fault(name: str):
    assert codes(examined(OWN[name])[1]) == SHOWN.get(name, [])


@pytest.mark.parametrize("name", OTHER)
def test_programs_of_other_tests_are_silent(name: str):
    assert codes(examined(OTHER[name])[1]) == []


def test_findings_are_plain_json():
    source = "import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 2\ny.backward()\n"
    findings = examined(source)[1]
    assert json.loads(json.dumps(findings)) == findings
