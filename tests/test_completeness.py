"""What is easy to forget when something is added: each test names the file that still lacks it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine.facade  # noqa: F401 - fills the table of operations
from engine.ops.table import TABLE
from engine.trace.schema import ROWS
from engine.verify.arguments import is_operation
from engine.verify.formula import read_formula
from engine.verify.laws.sentences import is_true
from engine.verify.report import REASONS
from tests.test_architecture import FILES, ROOT, SCRIPTS, script_imports, text

LANGUAGES = ("en", "zh")
REDUCER = "static/js/trace/reducer.js"
GOLDEN = sorted((ROOT / "tests" / "trace" / "golden").glob("*.json"))
PLACEHOLDER = re.compile(r"\{(\w+)\}")
NOTE_IN_CODE = re.compile(r"# Note: (\w+)\s*$", re.MULTILINE)
NOTE_IN_PROSE = re.compile(r"^### Note: (\w+)\s*$", re.MULTILINE)


def dictionary(language: str) -> dict[str, str]:
    """Read the words of a language."""
    return json.loads(text(f"static/i18n/{language}.json"))


@pytest.fixture(scope="module")
def golden_kinds() -> set[str]:
    """Every kind of row that a golden trace contains."""
    traces = [json.loads(path.read_text(encoding="utf-8")) for path in GOLDEN]
    return {row["kind"] for trace in traces for row in trace["rows"]}


@pytest.mark.parametrize("kind", ROWS)
def test_the_reducer_knows_every_kind(kind: str):
    assert re.search(rf"^\s+{kind}(\(|:|,)", text(REDUCER), re.MULTILINE), f"add {kind} to `on` in {REDUCER}"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ROWS)
def test_every_kind_has_a_sentence(kind: str, language: str):
    keys = dictionary(language)
    found = [key for key in keys if key == f"row.{kind}" or key.startswith(f"row.{kind}.")]
    assert found, f'add "row.{kind}" to static/i18n/{language}.json'


@pytest.mark.parametrize("kind", ROWS)
def test_a_golden_trace_contains_every_kind(kind: str, golden_kinds: set[str]):
    assert kind in golden_kinds, f"no trace in tests/trace/golden/ has a row {kind}"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_for_an_unchecked_number_has_words(reason: str, language: str):
    key = f"seal.reason.{reason}"
    assert dictionary(language).get(key), f'add "{key}" to static/i18n/{language}.json'
    assert f'"{reason}"' in text("app/models.py"), f"add {reason} to Gap.reason in app/models.py"


def test_the_page_knows_which_operations_make_views():
    listed = text("static/js/trace/memory.js").partition("VIEWS = new Set([")[2].partition("]);")[0]
    assert set(re.findall(r'"([\w.]+)"', listed)) == {name for name, op in TABLE.items() if op.view}


def test_both_languages_say_the_same_things():
    english, chinese = dictionary("en"), dictionary("zh")
    assert set(english) == set(chinese), f"only in one: {sorted(set(english) ^ set(chinese))}"
    for key, words in english.items():
        ours, theirs = set(PLACEHOLDER.findall(words)), set(PLACEHOLDER.findall(chinese[key]))
        assert ours == theirs, f"{key}: en has {sorted(ours)}, zh has {sorted(theirs)}"


def test_every_name_a_script_imports_is_a_file():
    for name in SCRIPTS:
        for target in script_imports(name):
            if target.startswith("#js/"):
                assert (ROOT / "static" / target[1:]).is_file(), (
                    f"{name} imports {target}, which does not exist"
                )


@pytest.mark.parametrize("room", ["engine", "app"])
def test_every_note_in_the_code_is_written_in_the_readme(room: str):
    readme = Path(room, "README.md").as_posix()
    written = set(NOTE_IN_PROSE.findall(text(readme))) if readme in FILES else set()
    used = {
        note
        for name in FILES
        if name.startswith(f"{room}/") and name.endswith(".py")
        for note in NOTE_IN_CODE.findall(text(name))
    }
    assert used == written, f"code says {sorted(used)}, {readme} explains {sorted(written)}"


class Taken(ast.NodeTransformer):
    """Takes one branch of every test: all first ones, or all second ones, or as `ways` says."""

    def __init__(self, ways: int) -> None:
        self.ways = ways
        self.met = 0

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:  # noqa: N802 - ast's name
        self.met += 1
        return self.visit(node.orelse if self.ways >> (self.met - 1) & 1 else node.body)


def branches(formula: str) -> Iterator[str]:
    """Yield a formula as it is shown: one text for every way in which its first few tests may fall."""
    try:
        ast.parse(formula, mode="eval")
    except SyntaxError:
        yield formula
        return
    for ways in range(16 if " if " in formula else 0):
        yield ast.unparse(Taken(ways).visit(ast.parse(formula, mode="eval")))
    if " if " not in formula:
        yield formula


@pytest.mark.parametrize(
    "name", [name for name, row in TABLE.items() if row.node not in (None, "NotImplemented")]
)
def test_the_checker_reads_every_formula(name: str):
    for input_, formula in TABLE[name].formulas.items():
        for shown in branches(formula):
            assert read_formula(shown) or is_true(shown, TABLE[name].node), (
                f"{name}: write the formula of {input_} as an expression (its words: "
                f"engine/verify/vocabulary.py), or add it to engine/verify/laws/sentences.py: {shown}"
            )


def test_the_checker_knows_every_operation():
    unknown = sorted({row.name for row in TABLE.values() if not is_operation(row.name)})
    assert not unknown, f"no law in engine/verify/laws for {unknown}"
