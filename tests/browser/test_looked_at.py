"""Pictures of the moments that a designer goes through; they land in `screenshots/`, never committed."""

from __future__ import annotations

import pytest

from tests.browser.moments import MOMENTS, Moment

PAST_THE_EDGE = """
() => {
  const scrolls = (e) => ["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(e).overflowX);
  const within = (e) => e && e !== document.body && (scrolls(e) || within(e.parentElement));
  const KINDS = "a, button, select, input, summary, h1, h2, h3, p, label, code";
  const seen = [...document.body.querySelectorAll(KINDS)];
  const out = ({ left, right, width }) => width > 0 && (right > innerWidth + 1 || left < -1);
  const cut = seen.filter((e) => out(e.getBoundingClientRect()) && !within(e.parentElement));
  const wide = document.documentElement.scrollWidth > innerWidth ? ["the page scrolls sideways"] : [];
  return [...wide, ...cut.map((e) => e.outerHTML.slice(0, 120))];
}
"""


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.name)
def test_is_drawn_within_the_screen(open_player, shoot, moment: Moment):
    width, height = moment.size
    screen = {"width": width, "height": height}
    options = {"color_scheme": moment.theme, "locale": moment.locale, "has_touch": width < 900}
    player = open_player(viewport=screen, **options)
    moment.go(player)
    shoot(player.page, f"moment_{moment.name}")
    assert player.page.evaluate(PAST_THE_EDGE) == []
