"""The gate: what it lets through, what it refuses and where, and that its rewrite keeps positions."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path
from types import CodeType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.sandbox.child.guard import VALUE, gate
from app.sandbox.limits import Limits
from engine.trace.run import Refused
from tests.sandbox import cases

LIMITS = Limits()


def refusal(source: str, limits: Limits = LIMITS, internal: frozenset[str] = frozenset()) -> Refused:
    with pytest.raises(Refused) as caught:
        gate(source, limits, internal)
    return caught.value


@pytest.mark.parametrize(
    "source, message",
    [
        ("import os", "the module 'os' is not available here"),
        ("import numpy.ctypeslib", "the module 'numpy.ctypeslib' is not available here"),
        ("from numpy.lib import stride_tricks", "the module 'numpy.lib' is not available here"),
        ("from os import *", "the module 'os' is not available here"),
        ("from . import x", "relative imports are not available here"),
        ("x.__class__.__mro__", "the attribute '__mro__' is not available here"),
        ("x.__class__ = 1", "the attribute '__class__' is not available here"),
        ("f.__code__", "the attribute '__code__' is not available here"),
        ("g.gi_frame", "the attribute 'gi_frame' is not available here"),
        ("x._sg_value", "the attribute '_sg_value' is not available here"),
        ("print(__builtins__)", "the name '__builtins__' is not available here"),
        ("eval('1')", "eval() is not available here"),
        ("async def f(): pass", "async functions are not supported here"),
        ("class A(metaclass=M): pass", "class keywords (metaclass=...) are not supported"),
        ("class A:\n    def __getattr__(self, n): pass", "__getattr__ cannot be defined here"),
        ("match x:\n    case A(__dict__=d): pass", "the attribute '__dict__' is not available here"),
        ("x = '\0'", "the program contains a NUL character"),
    ],
)
def test_refusals_name_what_is_refused(source: str, message: str):
    assert refusal(source).message == message


@pytest.mark.parametrize(
    "source, at",
    [
        ("x = 1\nimport os", [2, 7, 2, 9]),
        ("x = (1,\n     a.__mro__)", [2, 5, 2, 14]),
        ("é = '😀'; a.__mro__", [1, 10, 1, 19]),  # columns are UTF-16 units
        ("f(\n  eval('1'))", [2, 2, 2, 6]),
        ("x\nasync def f():\n    pass", [2, 0, 2, 14]),  # of a block, its first line
    ],
)
def test_refusals_say_where(source: str, at: list[int]):
    assert refusal(source).at == at


def test_the_first_refusal_in_the_text_is_the_one_reported():
    assert refusal("a.__mro__\nimport os").at[0] == 1


@pytest.mark.parametrize(
    "field, value, source, code",
    [
        ("source", 10, "x = 1234567", "too-long"),
        ("lines", 2, "x\ny\nz", "too-long"),
        ("nodes", 5, "x = [1, 2, 3]", "too-long"),
        ("depth", 4, "x = ((1 + 2) + 3) + 4", "too-deep"),
        ("blocks", 1, "if x:\n    if y:\n        pass", "too-deep"),
        ("finals", 0, "try:\n    x\nfinally:\n    y", "too-deep"),
    ],
)
def test_every_size_has_a_limit(field: str, value: int, source: str, code: str):
    assert gate(source, LIMITS)
    assert refusal(source, replace(LIMITS, **{field: value})).code == code


def test_an_elif_is_no_deeper_than_its_if():
    ladder = "if x == 0:\n    y = 0\n" + "".join(f"elif x == {i}:\n    y = {i}\n" for i in range(1, 150))
    assert gate(ladder, replace(LIMITS, blocks=1))


@pytest.mark.parametrize("source", ["x = (", "return 1", "x = '", "if x:\ny", "f(a=1, a=2)", "nonlocal x"])
def test_pythons_own_errors_stay_pythons(source: str):
    with pytest.raises(SyntaxError):
        gate(source, LIMITS)


def test_a_name_that_the_program_binds_is_no_builtin():
    for source in ("input = 1\nprint(input)", "def open(x): pass\nopen(1)", "def f(vars, dir): return vars"):
        assert gate(source, LIMITS)


@pytest.mark.parametrize(
    "binding",
    [
        "_sg_slot = 1", "def _sg_slot(): pass", "class _sg_slot: pass", "import math as _sg_slot",
        "def f(_sg_slot, /): pass", "def f(*_sg_slot): pass", "lambda **_sg_slot: 1",
        "for _sg_slot in x: pass", "with x as _sg_slot: pass", "[1 for _sg_slot in x]",
        "try:\n    x\nexcept E as _sg_slot: pass",
        "(_sg_slot := 1)", "global _sg_slot", "def f():\n    x = 1\n    def g():\n        nonlocal _sg_slot",
        "match x:\n    case _sg_slot: pass", "match x:\n    case [*_sg_slot]: pass",
        "match x:\n    case {**_sg_slot}: pass", "match x:\n    case 1 as _sg_slot: pass", "del _sg_slot",
        "_sg_slot: int = 1", "_sg_slot += 1", "a, (*_sg_slot, b) = x", "from math import pi as _sg_slot",
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["_sg_slot", "__builtins__", "__import__", "__build_class__"])
def test_the_walls_own_names_can_be_bound_nowhere(binding: str, name: str):
    assert refusal(binding.replace("_sg_slot", name)).code == "name"


@pytest.mark.parametrize(
    "source",
    ["y = x.array", "x.array = y", "x.array += y", "del x.array", "for x.array in y: pass", "f(x.a.array.b)"],
)
def test_the_rewrite_keeps_every_position(source: str):
    plain = compile(source, "<snippet>", "exec")
    guarded = gate(source, LIMITS, frozenset({"array"}))
    assert VALUE in guarded.co_names and "array" not in guarded.co_names
    attributes = {
        (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
    }
    assert set(guarded.co_positions()) <= set(plain.co_positions()) | attributes


def inside(code: CodeType) -> CodeType:
    """Return the first code object among a code object's constants."""
    return next(each for each in code.co_consts if isinstance(each, CodeType))


def test_private_names_are_rewritten_as_python_mangles_them():
    code = gate("class _A:\n    def f(self):\n        self.__x = 1\n        return self.__x", LIMITS)
    inner = inside(inside(code))
    assert "_A__x" in inner.co_consts and "_A__x" in inner.co_names


def test_code_runs_under_the_snippets_name():
    assert gate("x = 1", LIMITS).co_filename == "<snippet>"


def test_a_lone_surrogate_is_refused_not_an_error_of_ours():
    assert refusal("x = '\ud800'").code == "syntax"


LEGIT = "\n".join(cases.programs("legit").values())
WORDS = sorted(set(LEGIT.replace("(", " ( ").replace(")", " ) ").split()))
MORE = ["\n", "\n    ", ":", "__class__", "async", "match"]


@given(st.text() | st.lists(st.sampled_from(WORDS + MORE)).map(" ".join))
@example("\ufeffx = 1")
@example("\x0cx = 1\r\ny")
@example("f'{x!r:{y}}'")
def test_whatever_the_text_the_gate_compiles_it_or_refuses_it(source: str):
    try:
        gate(source, LIMITS, frozenset({"array"}))
    except (Refused, SyntaxError):
        pass


@given(st.sampled_from(list(cases.programs("legit").values())), st.integers(0, 3000), st.text(max_size=3))
def test_a_mutated_program_is_compiled_or_refused(source: str, place: int, noise: str):
    place %= len(source)
    try:
        gate(source[:place] + noise + source[place + 1 :], LIMITS)
    except (Refused, SyntaxError):
        pass


def test_every_refusal_has_a_form_that_the_page_can_translate():
    """The forms in static/js/trace/refusals.js, held against the sentences in guard.py."""
    root = Path(__file__).parents[2]
    script = (root / "static" / "js" / "trace" / "refusals.js").read_text(encoding="utf-8")
    forms = [form.replace("(?<", "(?P<") for form in re.findall(r"^  \[/(.*)/, \"\w+\"\],$", script, re.M)]
    source = (root / "app" / "sandbox" / "child" / "guard.py").read_text(encoding="utf-8")
    said = re.findall(r"(?:refuse|Refused)\(\s*(?:\"[\w-]+\", )?f?\"([^\"]{12,})\"", source)
    assert len(said) >= 15
    for sentence in said:
        example = re.sub(r"\{[^}]*!r\}", "'x'", sentence)
        example = re.sub(r"\{(?:limits\.|self\.limits)[^}]*\}", "10", example).replace("{what}", "Thing is")
        example = re.sub(r"\{[^}]*\}", "x", example)
        found = any(re.search(form, example) for form in forms)
        assert found or example.startswith("this is not Python text"), example
