"""The dictionaries of the page and which one a reader gets. Shared by templates, problems and the browser."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path

from starlette.requests import Request

from app.assets import STATIC

# code -> (the name browsers know, the name readers know)
LANGUAGES = {"en": ("en", "English"), "zh": ("zh-Hans", "简体中文")}
DEFAULT = "en"
COOKIE = "lang"


def dictionary(lang: str) -> dict[str, str]:
    """Return all texts of a language, read again when the file has changed."""
    file = STATIC / "i18n" / f"{lang}.json"
    return read(file, file.stat().st_mtime_ns) if file.exists() else {}


@lru_cache(maxsize=8)
def read(file: Path, mtime_ns: int) -> dict[str, str]:
    """Return the dictionary in a file."""
    return json.loads(file.read_text(encoding="utf-8"))


def text(lang: str, key: str, **values: object) -> str:
    """Return the text of `key` with `{name}` filled in; English where the language has none, else the key."""
    template = dictionary(lang).get(key) or dictionary(DEFAULT).get(key, key)
    return re.sub(r"\{(\w+)\}", lambda hole: str(values.get(hole[1], hole[0])), template)


def language_of(request: Request) -> str:
    """Return the reader's language: the address says it, or an earlier choice, or the browser."""
    wishes = [request.query_params.get("lang", ""), request.cookies.get(COOKIE, "")]
    wishes += accepted(request.headers.get("accept-language", ""))
    return next((lang for wish in wishes if (lang := known(wish))), DEFAULT)


def known(wish: str) -> str | None:
    """Return our code for a language tag such as zh-CN, or None."""
    code = wish.strip().lower().replace("_", "-").split("-")[0]
    return code if code in LANGUAGES else None


def accepted(header: str) -> list[str]:
    """Return the tags of an Accept-Language header, best first."""
    weighed = []
    for part in header.split(","):
        tag, _, weight = part.partition(";")
        quality = re.fullmatch(r"\s*q=([01](?:\.\d{0,3})?)\s*", weight)
        weighed.append((float(quality[1]) if quality else 1.0, tag.strip()))
    return [tag for quality, tag in sorted(weighed, key=lambda pair: -pair[0]) if tag and quality > 0]
