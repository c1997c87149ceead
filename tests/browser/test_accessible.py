"""Every page by ear, by keyboard, enlarged, in both themes: axe-core finds nothing, Tab goes everywhere."""

from __future__ import annotations

import pytest

from tests.browser.axe import violations
from tests.browser.moments import (
    LARGE,
    LAST_ROW,
    LESSON,
    TRAINING,
    TWICE,
    TWO_PATHS,
    at,
    compared,
    gradient,
    to,
)
from tests.browser.test_looked_at import PAST_THE_EDGE

PAGES = {
    "start": to("/"),
    "lessons": to("/lessons"),
    "gallery": to("/gallery"),
    "glossary": to("/glossary"),
    "teachers": to("/teachers"),
    "search": to("/search?q=retain_graph"),
    "errors": to("/errors"),
    "error": to("/errors/second-time"),
    "docs": to("/docs"),
    "absent": to("/absent"),
    "edit": to("/sandbox"),
    "first row": at(TWO_PATHS, 0),
    "backward": at(TWO_PATHS, 0.7),
    "engine": at(TWO_PATHS, 0.7, "3"),
    "text": at(TWO_PATHS, 0.7, "s"),
    "keys": at(TWO_PATHS, 0.7, "?"),
    "why": gradient,
    "failed": at(TWICE, 1),
    "training": at(TRAINING, 0.7, "l"),
    "large": at(LARGE, 0.6),
    "lesson": LESSON,
    "small lesson": to("/lessons/once-and-gone", LAST_ROW),
    "compare": compared,
}
CHINESE = ["start", "edit", "backward", "failed", "lesson", "compare"]
QUIETLY = {"absent"}  # a browser notes in its console that a page was not found
ENLARGED = {"200 %": (720, 450), "a small phone": (360, 640)}
FOCUSED = """
() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const ringed = (x) => {
    if (!x) return false;
    if (x.matches("[data-slot=editor]")) return parseFloat(getComputedStyle(x, "::after").borderTopWidth) > 0;
    const style = getComputedStyle(x);
    return (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0)
      || parseFloat(style.strokeWidth) >= 3;
  };
  const near = [e, e.parentElement, e.nextElementSibling, ...e.querySelectorAll(".box"),
    e.closest(".track"), e.closest("[data-slot=editor]")];
  e.dataset.nth ??= String(document.querySelectorAll("[data-nth]").length);
  return { nth: Number(e.dataset.nth), ring: near.some(ringed), what: e.outerHTML.slice(0, 140) };
}
"""


def scan(player, name: str) -> list[str]:
    """Return what axe-core finds in both themes."""
    PAGES[name](player)
    found = []
    for scheme in ("light", "dark"):
        player.page.emulate_media(color_scheme=scheme)
        player.settle()
        found += [f"{scheme}: {each}" for each in violations(player.page)]
    return found


@pytest.mark.parametrize("name", [name for name in PAGES if name not in QUIETLY])
def test_axe_finds_nothing(player, name: str):
    assert scan(player, name) == []


@pytest.mark.parametrize("name", CHINESE)
def test_axe_finds_nothing_in_chinese(open_player, name: str):
    assert scan(open_player(locale="zh-CN"), name) == []


@pytest.mark.parametrize("name", ["backward", "failed", "lesson", "compare"])
def test_axe_finds_nothing_on_a_phone(open_player, name: str):
    assert scan(open_player(viewport={"width": 360, "height": 640}, has_touch=True), name) == []


@pytest.mark.parametrize("name", [name for name in PAGES if name not in QUIETLY])
def test_enlarged_or_small_nothing_is_cut_off(open_player, name: str):
    player = open_player(viewport={"width": 360, "height": 640})
    PAGES[name](player)
    for width, height in ENLARGED.values():
        player.page.set_viewport_size({"width": width, "height": height})
        player.settle()
        assert player.page.evaluate(PAST_THE_EDGE) == [], f"{width} × {height}"


@pytest.mark.parametrize("name", ["start", "edit", "backward", "failed", "training", "lesson", "compare"])
def test_tab_goes_through_the_page_and_shows_where_it_is(player, name: str):
    PAGES[name](player)
    page = player.page
    page.locator(".skip").focus()
    order = []
    for _ in range(300):
        if order and "contenteditable" in order[-1]:
            page.keyboard.press("Escape")  # the editor says so: Tab indents there
        page.keyboard.press("Tab")
        player.settle()
        here = page.evaluate(FOCUSED)
        if here is None or here["nth"] < len(order):
            break
        assert here["ring"], f"no ring on {here['what']}"
        order.append(here["what"])
    assert here is None or here["nth"] == 0, f"Tab goes back from {order[-1]} to {here['what']}"
    assert len(order) > 5
