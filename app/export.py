"""One run as one file: a page that plays by itself without a network, with everything inside. Knows no HTTP.

The page is the player as it is served: its modules, packed, become an import map of `data:` URLs.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import string
from dataclasses import dataclass
from functools import lru_cache, partial
from urllib.parse import quote

import orjson
from markupsafe import Markup

from app import i18n
from app.assets import STATIC, import_map
from app.templating import TEMPLATE, island
from app.version import version_text

START = "#js/page/taken.js"
IMPORT = re.compile(r'^\s*(?:import|export)\b[^;"]*?\bfrom "(#[^"]+)"', re.MULTILINE)
# a data: URL keeps these as they are; the others would end it, or be dropped from it
PLAIN = "".join(set(string.printable) - set("%#\t\n\r\x0b\x0c"))
DATA_URL = "data:text/javascript;charset=utf-8,"
LEVELS = ("story", "chain", "engine")  # as static/js/trace/stops.js has them


@dataclass(frozen=True, slots=True)
class Chosen:
    """How a page that is taken away begins."""

    lang: str = i18n.DEFAULT
    level: str = "chain"
    step: int = 0  # rows that have been played: 0 = before the first
    name: str = ""  # of the program, for the window's title; "": the page finds one


# Note: taken away
def page_of(answer: bytes, chosen: Chosen) -> bytes:
    """Return the HTML of one run; `answer` is what `visualise` gave, and is not looked into."""
    kit = player_kit(chosen.lang, orjson.dumps(import_map()))
    boot = {"page": "taken", "level": chosen.level, "step": chosen.step, "name": chosen.name}
    html = TEMPLATE.get_template("taken.html").render(
        lang=chosen.lang,
        html_lang=i18n.LANGUAGES[chosen.lang][0],
        t=partial(i18n.text, chosen.lang),
        kit=kit,
        name=chosen.name,
        version=version_text(),
        page="taken",
        boot_json=island(boot),
        answer_json=Markup(unclosing(answer.decode("utf-8", "replace"))),
    )
    return html.encode("utf-8", "replace")


def unclosing(json: str) -> str:
    """Return JSON that no content can end early inside a script element: `<` is only ever in a string."""
    return json.replace("<", "\\u003c")


@dataclass(frozen=True, slots=True)
class Kit:
    """All of a page but the run: the same for every one of a language."""

    styles: Markup
    icon: Markup
    theme: Markup
    unpack: Markup
    packed: Markup  # base64 of the gzip of {"map": the import map's text, "words": the dictionary}
    scripts: str  # what the policy lets run: sources of scripts, by their hash


@lru_cache(maxsize=4)
def player_kit(lang: str, versions: bytes) -> Kit:
    """Return what every page of a language holds; `versions` changes whenever one of our modules does."""
    sources = modules()
    mapped = orjson.dumps({"imports": {name: data_url(text) for name, text in sources.items()}}).decode()
    words = {**i18n.dictionary(lang), "lang": lang}
    packed = gzip.compress(orjson.dumps({"map": mapped, "start": START, "words": words}), mtime=0)
    theme, unpack = script("theme.js"), script("unpack.js")
    icon = "data:image/svg+xml," + quote((STATIC / "favicon.svg").read_text(encoding="utf-8"))
    return Kit(
        styles=Markup(styles()),
        icon=Markup(icon),
        theme=Markup(theme),
        unpack=Markup(unpack),
        packed=Markup(base64.b64encode(packed).decode()),
        scripts=" ".join(f"'sha256-{hash_of(text)}'" for text in (theme, unpack, mapped)),
    )


def modules() -> dict[str, str]:
    """Return the text of every module that the page needs, by its name in the import map."""
    found: dict[str, str] = {}
    wanted = [START]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found[name] = (STATIC / name.removeprefix("#")).read_text(encoding="utf-8")
            wanted += IMPORT.findall(found[name])
    return dict(sorted(found.items()))


def data_url(source: str) -> str:
    """Return a module as an address that holds it."""
    return DATA_URL + quote(source, safe=PLAIN)


def styles() -> str:
    """Return the styles of the player's pages, as their template lists them."""
    names = ["css/base.css"]
    TEMPLATE.get_template("_player_styles.html").render(assets=lambda name: names.append(name) or name)
    text = "".join((STATIC / name).read_text(encoding="utf-8") for name in names)
    return re.sub(r"/\*.*?\*/\n?", "", text, flags=re.DOTALL)


def script(name: str) -> str:
    """Return the text of a script that stands in the page itself."""
    return (STATIC / "js" / name).read_text(encoding="utf-8")


def hash_of(text: str) -> str:
    """Return the hash by which a policy knows an inline script."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
