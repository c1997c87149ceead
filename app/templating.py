"""Templates and what every one of them is given. Knows no route."""

from __future__ import annotations

from functools import partial

import orjson
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from app import i18n
from app.assets import TEMPLATES, asset_url, import_map
from app.version import version_text

TEMPLATE = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
LANGUAGE_KEPT = 31_536_000  # seconds


def page(request: Request, name: str, boot: dict, code: int = 200, /, **context: object) -> HTMLResponse:
    """Return a page in the reader's language. `boot` is what its script starts from."""
    lang = i18n.language_of(request)
    boot = {"lang": lang, **boot}
    body = TEMPLATE.get_template(name).render(
        lang=lang,
        html_lang=i18n.LANGUAGES[lang][0],
        t=partial(i18n.text, lang),
        assets=asset_url,
        nonce=request.state.nonce,
        import_map=island(import_map()),
        i18n_json=island({**i18n.dictionary(lang), "lang": lang}),
        boot_json=island(boot),
        boot=boot,
        page=boot["page"],
        languages=languages(request, lang),
        version=version_text(),
        **context,
    )
    response = HTMLResponse(body, code, {"Content-Language": i18n.LANGUAGES[lang][0]})
    response.headers["Cache-Control"] = "no-cache"
    response.headers["Vary"] = "Accept-Language, Cookie"
    if i18n.known(request.query_params.get("lang", "")):
        response.set_cookie(i18n.COOKIE, lang, max_age=LANGUAGE_KEPT, samesite="lax", httponly=True)
    return response


def island(data: object) -> Markup:
    """Return JSON that no content can end early inside a script element."""
    return Markup(orjson.dumps(data).decode().replace("<", "\\u003c"))


def languages(request: Request, lang: str) -> list[dict]:
    """Return the language switch: this very page in each language."""
    return [
        {
            "code": code,
            "label": label,
            "url": f"{request.url.path}?{request.url.include_query_params(lang=code).query}",
            "current": code == lang,
        }
        for code, (_, label) in i18n.LANGUAGES.items()
    ]
