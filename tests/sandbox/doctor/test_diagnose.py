"""Each fault is found, however its program is typed; what is offered mends it as a person would have."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from app.sandbox.findings import are_findings
from tests.sandbox.doctor.programs import STYLES, Fault, changed, codes, examined, faults

FAULTS = faults()
I18N = Path(__file__).parents[3] / "static" / "i18n"
WORDS = {language: json.loads((I18N / f"{language}.json").read_text("utf-8")) for language in ("en", "zh")}


def printed(trace: dict) -> list[str]:
    """Return what a program has printed."""
    return [row["text"] for row in trace["rows"] if row["kind"] == "printed"]


def gradients(trace: dict) -> list:
    """Return the last gradient that reached each leaf, with the leaf's shape."""
    found = {}
    for row in trace["rows"]:
        if row["kind"] == "grad_accumulated":
            found[row["tensor"]] = (trace["tensors"][row["tensor"]]["shape"], trace["values"][row["after"]])
    return sorted(found.values(), key=str)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_found_and_its_change_mends_it(fault: Fault, style: str):
    source = STYLES[style](fault.wrong)
    trace, findings = examined(source)
    assert codes(findings) == [fault.code]
    (finding,) = findings
    assert are_findings(json.loads(json.dumps(findings)), len(trace["rows"]))
    assert (finding["severity"] == "note") == fault.note
    assert finding["at"] is not None
    if fault.right is None:
        assert finding["fix"] is None
        return
    assert finding["fix"], "a change was expected"
    mended, left = examined(changed(source, finding))
    by_hand, _ = examined(fault.right)
    assert mended["outcome"] == by_hand["outcome"] == {"kind": "finished"}
    assert codes(left) == []
    assert printed(mended) == printed(by_hand)
    assert gradients(mended) == gradients(by_hand) != []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_finding_has_words_for_all_that_it_says(fault: Fault):
    (finding,) = examined(fault.wrong)[1]
    said = {**finding["terms"], **finding["values"]}
    for language, words in WORDS.items():
        for part in ("title", "what", "do"):
            special = f"doctor.{finding['code']}.{finding['variant']}.{part}"
            text = words.get(special) or words.get(f"doctor.{finding['code']}.{part}")
            assert text, f'add "doctor.{finding["code"]}.{part}" to static/i18n/{language}.json'
            assert set(re.findall(r"\{(\w+)\}", text)) <= set(said), (language, special)
    assert all(text for text in said.values()), said


def test_every_fault_that_has_words_has_a_program():
    known = {fault.code.partition(".")[0] for fault in FAULTS}
    named = {key.split(".")[1] for key in WORDS["en"] if re.fullmatch(r"doctor\.\w+(\.\w+)?\.what", key)}
    assert named == known


def test_a_fix_that_would_not_parse_is_not_offered():
    source = "import torch; w = torch.ones(1, requires_grad=True); y = w.exp(); y += 1; y.sum().backward()\n"
    (finding,) = examined(source)[1]
    assert finding["code"] == "changed"
    assert finding["fix"] is None or examined(changed(source, finding))[0]["outcome"] == {"kind": "finished"}
