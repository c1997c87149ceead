"""Markdown to HTML: computed numbers, links to steps, nodes, lines and terms, formulas as MathML.

{= grad(w)}                 a fact of the trace at the section's step (app/lessons/facts.py)
{= grad(w) @ grad w #2}     … at another step
{= grad(w); 3}              … with three digits after the point
{! count("ran") == 3}       nothing is shown, but it must be true
[so](<step:grad w #2>)      goes to a step; node:…, line:…, term:…, lesson:… lead there
$x^2$                       a formula
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from urllib.parse import unquote

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from app.lessons import facts, moments
from app.lessons.run import Run

FACT = re.compile(r"\{=\s*(?P<say>[^@;{}]+?)\s*(?:@\s*(?P<at>[^;{}]+?)\s*)?(?:;\s*(?P<digits>\d+)\s*)?\}")
CLAIM = re.compile(r"\{!\s*(?P<say>[^@{}]+?)\s*(?:@\s*(?P<at>[^{}]+?)\s*)?\}")
JOINED = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef])\n(?=[\u3000-\u9fff\uff00-\uffef`])")  # no space there
PLACES = ("step", "node", "line")
PAGES = {
    "term": "/glossary#{}",
    "lesson": "/lessons/{}",
    "error": "/errors/{}",
    "example": "/sandbox?example={}",
}


class Untrue(ValueError):
    """A claim that does not hold in the trace."""


def filled(text: str, run: Run, k: int) -> str:
    """Put the facts of the trace into a text and take its claims out. Raises Untrue, NotAFact, NoSuchStep."""

    def moment(found: re.Match) -> int:
        return moments.row_of(run, found["at"]) if found["at"] else k

    def claim(found: re.Match) -> str:
        if facts.evaluate(run, found["say"], moment(found)) is not True:
            raise Untrue(f"`{found['say']}` is not true at this step")
        return ""

    def fact(found: re.Match) -> str:
        digits = int(found["digits"]) if found["digits"] else None
        return facts.told(facts.evaluate(run, found["say"], moment(found)), digits)

    return FACT.sub(fact, CLAIM.sub(claim, text))


def bare(text: str) -> str:
    """Return a text without its facts and claims: what an author has typed by hand."""
    return FACT.sub("·", CLAIM.sub("", text))


def page_of(place: str) -> str | None:
    """Return the address of a page that a link names, or None."""
    kind, _, name = place.partition(":")
    return PAGES[kind].format(name.strip()) if kind in PAGES else None


class Writer:
    """Writes Markdown as HTML. `place` turns `step:…`, `node:…`, `line:…` into the attributes of a button."""

    def __init__(self, place: Callable[[str, str], dict[str, str]]) -> None:
        self.place = place
        self.markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
        self.markdown.use(dollarmath_plugin, renderer=formula, allow_space=False, double_inline=True)
        self.markdown.renderer.rules |= {"link_open": self.link_open, "link_close": self.link_close}
        self.closing: list[str] = []

    def page(self, text: str) -> str:
        """Return the HTML of paragraphs."""
        return self.markdown.render(JOINED.sub("", text))

    def line(self, text: str) -> str:
        """Return the HTML of a few words."""
        return self.markdown.renderInline(text)

    def link_open(self, tokens, index, _options, _env) -> str:
        """Begin a link: to a place in the run it is a button."""
        address = unquote(tokens[index].attrs["href"])
        kind, _, name = address.partition(":")
        if kind in PLACES:
            self.closing.append("</button>")
            told = "".join(f' {key}="{escape(value)}"' for key, value in self.place(kind, name).items())
            return f'<button type="button" class="ref" data-ref="{kind}"{told}>'
        self.closing.append("</a>")
        return f'<a href="{escape(page_of(address) or address)}">'

    def link_close(self, *_) -> str:
        """End what the link began."""
        return self.closing.pop()


def formula(source: str, options: dict) -> str:
    """Return a formula as MathML."""
    return convert(source, display="block" if options["display_mode"] else "inline")


def places(run: Run) -> Callable[[str, str], dict[str, str]]:
    """Return how the links of a text find their places in this run. Raises NoSuchStep, NotAFact."""

    def place(kind: str, name: str) -> dict[str, str]:
        if kind == "step":
            return {"data-step": str(moments.row_of(run, name))}
        if kind == "line":
            return {"data-line": name.strip()}
        nodes = list(run.nodes_called(name.strip()))
        if not nodes:
            raise moments.NoSuchStep(f"no node is called {name.strip()}")
        return {"data-nodes": " ".join(nodes)}

    return place
