"""The glossary: both languages, lessons that exist, and every term that a lesson links to."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from app.i18n import LANGUAGES
from app.lessons import shelf
from app.lessons.glossary import in_order, terms

ROOT = Path(__file__).resolve().parents[2]
SLUGS = {lesson.slug for lesson in shelf.lessons()}


@pytest.mark.parametrize("term", terms().values(), ids=list(terms()))
def test_a_term_is_told_in_every_language_and_leads_to_a_lesson_that_exists(term):
    assert set(term.term) == set(term.means) == set(LANGUAGES)
    assert all(term.term.values()) and all(term.means.values())
    assert term.lesson is None or term.lesson in SLUGS


def test_terms_stand_in_the_order_in_which_they_are_looked_up():
    names = [term.term["en"].lower() for term in in_order("en")]
    assert names == sorted(names)


def test_a_term_of_the_player_is_in_the_glossary_and_its_words_in_the_dictionaries():
    source = (ROOT / "static/js/panels/terms.js").read_text(encoding="utf-8")
    linked = dict(re.findall(r'^  "([\w.]+)": "([\w-]+)",$', source, re.MULTILINE))
    assert len(linked) > 20
    assert set(linked.values()) - set(terms()) == set()
    for lang in ("en", "zh"):
        words = json.loads((ROOT / f"static/i18n/{lang}.json").read_text(encoding="utf-8"))
        assert set(linked) - set(words) == set()
