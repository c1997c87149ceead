"""Every text that a template, a problem or a page asks for is in both dictionaries."""

from __future__ import annotations

import re

import pytest

from app.assets import TEMPLATES
from app.i18n import LANGUAGES, dictionary
from app.problems import TOLD

KEY = re.compile(r"""\bt\(\s*["']([\w.]+)["']""")


def keys() -> set[str]:
    found = {f"page.error.{status}.{part}" for status in TOLD for part in ("title", "detail")}
    for file in TEMPLATES.glob("*.html"):
        found |= set(KEY.findall(file.read_text(encoding="utf-8")))
    return found


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_key_has_a_text(lang):
    assert sorted(keys() - set(dictionary(lang))) == []
