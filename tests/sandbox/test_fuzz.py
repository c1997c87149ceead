"""Whatever text is sent, guard and mender answer it: never an exception of ours, never a hang."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.sandbox.child.guard import gate
from app.sandbox.child.mending.mend import mended
from app.sandbox.limits import Limits
from app.sandbox.pool import Pool
from engine.trace.run import Refused
from tests.sandbox import cases

LIMITS = Limits()
HANGS = 30  # seconds of processor time: far beyond what any text here needs
REAL = sorted({**cases.programs("legit"), **cases.programs("attacks"), **cases.programs("pasted")}.items())
TEXTS = [text for _, text in REAL if len(text) < 20_000]
PIECES = """( ) [ ] { } : , . ; = == -> := + - * ** / // % @ & | ^ ~ << >> < > ! ? $ # \\ ' " ''' \"\"\"
f" f'{ } r" b' 0 1 1e9 0x 1_ 1j _ __ x é 数 def class return yield lambda async await if elif else for while
try except* finally with as import from torch nn match case _: global nonlocal del pass print exec None
True >>> ... In[1]: Out[2]: ``` ```python %matplotlib !pip ， （ ） ： “ ” ‘ ’ … — 　 1| 12:
1. $ Traceback File "<stdin>", line 1
""".split()
SPACES = [" ", "    ", "\r\n", *"\t\n\r\f\v\u00a0\u200b\u2028\ufeff\0\x1a"]
LETTERS = st.characters(exclude_categories=())  # halves of surrogate pairs too
soup = st.lists(st.sampled_from([*PIECES, *SPACES]), max_size=60).map("".join)
spaced = st.lists(st.sampled_from([*PIECES, *SPACES]), max_size=60).map(" ".join)
LONG = {
    "brackets": "(", "closing": ")", "prompts": ">>> ", "dots": "... ", "quotes": '"', "triple": "'''",
    "wide": "（", "curly": "“x” ", "fences": "```\n", "cells": "In [1]: x\n", "numbers": "1 x\n",
    "minus": "-", "lines": "\n", "indents": " \n\t", "backslash": "\\\n", "f": "f'{", "dotted": ".x",
    "lambda": "lambda:", "not": "not ", "commas": ",", "names": "数", "traces": 'File "<stdin>", line 1\n',
    "semicolons": "x;",
    "print": "print x\n", "comments": "#", "magics": "%x\n", "if": "if x:\n ", "nul": "\0", "half": "\ud800",
}  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """Draw a real text with a few pieces taken out, doubled, swapped or put in."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 40)))
        piece = draw(
            st.one_of(st.sampled_from([*PIECES, *SPACES, ""]), st.just(text[start:end] * 2), LETTERS)
        )
        text = text[:start] + piece + text[end:]
    return text


@contextmanager
def no_hang() -> Iterator[None]:
    """Fail where a text takes longer than any should."""

    def over(*_: object) -> None:
        raise TimeoutError(f"more than {HANGS} s")

    before = signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, HANGS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def answered(text: str) -> None:
    """Do with a text what the isolated process does before it runs a program."""
    with no_hang(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = mended(text)
        assert isinstance(program.source, str) and (program.mends or program.source == text)
        try:
            gate(program.source, LIMITS)
        except (Refused, SyntaxError):
            pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the clock of a hang")
@settings(max_examples=300)
@given(st.one_of(st.text(LETTERS, max_size=200), soup, spaced))
def test_random_text_is_answered(text: str):
    answered(text)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the clock of a hang")
@settings(max_examples=100)
@given(st.binary(max_size=300), st.sampled_from(["latin-1", "utf-8", "utf-16-le", "gb18030"]))
def test_random_bytes_are_answered(data: bytes, encoding: str):
    answered(data.decode(encoding, "replace"))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the clock of a hang")
@settings(max_examples=300)
@given(mutated())
def test_a_mutated_real_text_is_answered(text: str):
    answered(text)


@pytest.fixture(scope="module")
def longest() -> dict[str, dict]:
    """Return the traces of texts as long as may be, of one piece over and over."""
    texts = {name: (piece * LIMITS.source)[: LIMITS.source // len(piece.encode("utf-8", "surrogatepass"))]
             for name, piece in LONG.items()}  # fmt: skip
    return cases.run_all(Pool(size=2, waiting=len(LONG)), texts)


@pytest.mark.parametrize("name", LONG)
def test_the_longest_text_of_one_piece_is_answered_before_its_time_is_over(name: str, longest: dict):
    outcome = longest[name]["outcome"]
    assert outcome["kind"] in ("finished", "refused", "error"), outcome
