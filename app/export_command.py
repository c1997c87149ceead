"""`gradstep export`: programs run in isolation, as files that play, or that hold what happened."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import quote

import orjson

from app import i18n
from app.export import Chosen, styles
from app.layout.render import Renderer
from app.sandbox.pool import Pool
from app.settings import Settings
from app.takeaway import file_of
from app.templating import TEMPLATE

INDEX = "index"


async def write_all(
    programs: dict[str, str],
    outs: dict[str, Path],
    options: Namespace,
    settings: Settings,
    write: Callable[[Path, bytes], None],
) -> None:
    """Run programs, given by name, and write what `outs` asks for by kind; a folder gets a file for each.

    `options` has lang, level, step and seed. What ended early is told on standard error. Raises Unavailable.
    """
    chosen, renderer = Chosen(options.lang, options.level, options.step), Renderer(1)
    try:
        await renderer.start()
        async with Pool(settings.limits, 1) as pool:
            for name, code in programs.items():
                trace = await pool.run(code, {"seed": options.seed})
                tell_early_end(name, orjson.loads(trace)["outcome"])
                named = replace(chosen, name=name)
                for kind, out in outs.items():
                    held = await file_of(kind, trace, named, renderer, settings.layout_seconds)
                    write(place(out, name, kind), held)
    finally:
        await renderer.close()
    if "html" in outs and outs["html"].is_dir():
        write(outs["html"] / f"{INDEX}.html", index_of(list(programs), options.lang))


def tell_early_end(name: str, outcome: dict) -> None:
    """Say on standard error how a program ended, if not well."""
    if outcome["kind"] != "finished":
        print(f"gradstep: {name} ended early ({outcome['kind']}): {outcome['message']}", file=sys.stderr)


def place(out: Path, name: str, kind: str) -> Path:
    """Return where a file is written: `out` itself, or in it where it is a folder."""
    return out / file_name(name, kind) if out.is_dir() else out


def file_name(name: str, kind: str) -> str:
    """Return the name of a program's file; the index keeps its own."""
    return f"{name}-program.{kind}" if name == INDEX else f"{name}.{kind}"


def index_of(names: list[str], lang: str) -> bytes:
    """Return the page that leads to all the others, which stand beside it."""
    html = TEMPLATE.get_template("taken_index.html").render(
        html_lang=i18n.LANGUAGES[lang][0],
        t=partial(i18n.text, lang),
        styles=styles(),
        pages=[{"name": name, "url": quote(f"./{file_name(name, 'html')}")} for name in names],
    )
    return html.encode("utf-8", "replace")
