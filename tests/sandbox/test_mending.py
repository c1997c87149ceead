"""The mender: what people paste becomes the program it stands for, and what was right is not touched."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import examples
from app.sandbox.child.mending.mend import mended
from app.sandbox.child.mending.parsing import is_right
from app.sandbox.pool import Pool
from tests.sandbox import cases

HERE = Path(__file__).parent
SEPARATOR = "\n===== program =====\n"


@dataclass(frozen=True)
class Pasted:
    """A file of pasted/: what must be mended (kind: pasted lines), the pasted text, its program."""

    about: str
    mends: dict[str, list[int]]
    text: str
    program: str
    right: bool = True

    @classmethod
    def read(cls, path: Path) -> Pasted:
        """Read a file: its first line is JSON."""
        head, _, rest = path.read_bytes().decode("utf-8").partition("\n")
        text, _, program = rest.partition(SEPARATOR)
        return cls(about=path.stem, text=text, program=program.removesuffix("\n"), **json.loads(head))


PASTED = [Pasted.read(path) for path in sorted((HERE / "pasted").glob("*.txt"))]
ORACLE = Path(__file__).parents[1] / "oracle" / "cases"
RIGHT = {
    **{f"legit {name}": text for name, text in cases.programs("legit").items()},
    **{f"example {each.slug}": each.code for each in examples.EXAMPLES},
    **{f"oracle {path.stem}": path.read_text(encoding="utf-8") for path in sorted(ORACLE.glob("*.py"))},
}
KINDS = json.loads((Path(__file__).parents[2] / "static" / "i18n" / "en.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("pasted", PASTED, ids=lambda pasted: pasted.about)
def test_what_is_pasted_becomes_the_program_it_stands_for(pasted: Pasted):
    found = mended(pasted.text)
    assert found.source == pasted.program
    assert {mend["kind"]: mend["lines"] for mend in found.mends} == pasted.mends


@pytest.mark.parametrize("pasted", PASTED, ids=lambda pasted: pasted.about)
def test_a_mended_program_is_right_and_needs_no_more_mending(pasted: Pasted):
    source = mended(pasted.text).source
    assert is_right(source) == pasted.right
    assert mended(source).source == source


@pytest.mark.parametrize("pasted", PASTED, ids=lambda pasted: pasted.about)
def test_every_kind_of_mend_has_a_sentence(pasted: Pasted):
    for kind in pasted.mends:
        assert f"mended.{kind}" in KINDS, f'add "mended.{kind}" to static/i18n'


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_stays_as_it_is(name: str):
    found = mended(RIGHT[name])
    assert found.source == RIGHT[name] and not found.mends


NEWLINES = st.sampled_from(["\n", "\r\n", "\r"])


@given(st.sampled_from(sorted(RIGHT)), NEWLINES, st.text("# ，“”>", max_size=9))
@settings(max_examples=150, deadline=None)
def test_nothing_about_a_right_program_is_changed(name: str, newline: str, remark: str):
    source = RIGHT[name].replace("\n", newline) + f"{newline}# {remark}{newline}"
    assert mended(source).source == source


PIECES = st.sampled_from(
    """>>> ... In [3]: Out[3]: ```python （ ） ， ： “ ” ‘ ’ x = 1 print print x "a" % %time ! ? \t 1 2 3 #
Traceback (most recent call last) RuntimeError: tensor([1.]) for i in range(3): def f(x): \"\"\" ' \u00a0
\u200b \\ import torch lambda except E, e: { } [ ] ; f"{x：.2f}" > 你好世界这是 why is it""".split(" ")
)


@given(st.lists(st.one_of(PIECES, st.sampled_from(["\n", "\n    ", "\n\n", " "])), max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_text_breaks_the_mender(pieces: list[str]):
    source = "".join(pieces)
    found = mended(source)
    assert is_right(found.source) or not is_right(source)


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_no_text_at_all_breaks_the_mender(source: str):
    mended(source)


@given(st.sampled_from(sorted(RIGHT)), st.data())
@settings(max_examples=150, deadline=None)
def test_a_right_program_survives_a_session_and_its_outputs(name: str, data: st.DataObject):
    lines = [line for line in RIGHT[name].split("\n") if line.strip()]
    numbered = "\n".join(
        f"{i} {line}" for i, line in enumerate(lines, data.draw(st.sampled_from([1, 7, 98])))
    )
    source = "\n".join(lines)
    if is_right(source) and len(lines) > 1 and '"""' not in source and "'''" not in source:
        assert mended(numbered).source == source
        prompted = "\n".join(f"{'...' if line[0] in ' )]}' else '>>>'} {line}" for line in lines)
        assert mended(prompted).source == source


def test_the_trace_holds_the_text_that_ran_and_says_what_was_mended():
    pasted = (
        ">>> x = torch.ones(2, requires_grad=True)\n>>> x.sum().backward()\n>>> print(x.grad)\ntensor([1.])"
    )
    trace = cases.run_one(Pool(size=1), pasted)
    program = "import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\nprint(x.grad)"
    assert trace["source"] == program and cases.printed(trace) == "tensor([1., 1.])\n"
    assert [mend["kind"] for mend in trace["mended"]] == ["prompts", "outputs", "imports"]
    assert trace["mended"][2]["texts"] == ["import torch"]
    assert [row["at"][0] for row in trace["rows"] if row["kind"] == "backward_began"] == [3]


def test_what_stays_broken_is_refused_at_its_place_in_the_text_that_is_shown():
    trace = cases.run_one(Pool(size=1), ">>> x = 1\n>>> y = )\n")
    assert trace["source"] == "x = 1\ny = )" and trace["outcome"]["kind"] == "refused"
    assert trace["outcome"]["message"] == "unmatched ')'" and trace["outcome"]["at"] == [2, 4, 2, 5]


def test_a_right_program_has_no_word_about_mending_in_its_trace():
    trace = cases.run_one(Pool(size=1), "import torch\r\nx = torch.ones(2)\r\n")
    assert "mended" not in trace and trace["source"] == "import torch\r\nx = torch.ones(2)\r\n"
