"""What is shown depends on trace and step alone: the DOM after a jump equals the DOM after playing there."""

from __future__ import annotations

import random

import pytest

from tests.browser.player import Player, difference
from tests.browser.snippets import ACCUMULATES, FIVE, TRAINING, TWICE, TWO_PATHS, Snippet

ENGINE_LEVEL = "3"


def walk_through(player: Player) -> dict[int, str]:
    """Step from the start to the end; return the picture of every place."""
    player.press(ENGINE_LEVEL).click("first")
    pictures = {0: player.picture()}
    while player.step < player.steps:
        k = player.press("ArrowRight").step
        pictures[k] = player.picture()
    return pictures


@pytest.mark.parametrize("snippet", FIVE, ids=lambda snippet: snippet.name)
def test_a_jump_shows_what_playing_shows(player: Player, snippet: Snippet):
    pictures = walk_through(player.visit(snippet.code))
    dice = random.Random(20260)
    for k in dice.choices(sorted(pictures), k=60):
        assert player.seek(k).step == k
        changed = difference(pictures[k], player.picture())
        assert not changed, f"jumping to {k} shows something else than stepping there:\n{changed}"


def test_the_engine_level_stops_at_every_row(player: Player):
    pictures = walk_through(player.visit(TWO_PATHS.code))
    assert list(pictures) == list(range(player.steps + 1))


def test_the_play_button_ends_where_the_last_button_jumps_to(player: Player):
    player.visit(TWO_PATHS.code).press("]", times=5).click("last")
    jumped = player.picture()
    player.click("first").click("play").wait_for_end()
    changed = difference(jumped, player.picture())
    assert not changed, changed


def test_pausing_anywhere_shows_what_a_jump_shows(player: Player):
    player.visit(ACCUMULATES.code).click("first").click("play")
    player.page.wait_for_function(
        "() => Number(document.querySelector('[data-testid=player]').dataset.step) > 12"
    )
    player.click("play")
    k, paused = player.step, player.picture()
    player.click("last").seek(k)
    changed = difference(paused, player.picture())
    assert not changed, changed


def test_changing_the_level_keeps_the_moment(player: Player):
    player.visit(TRAINING.code).press(ENGINE_LEVEL).seek(30)
    for level in ("1", "2", "3"):
        assert player.press(level).step == 30


def test_home_and_end_go_to_the_ends(player: Player):
    player.visit(TWICE.code)
    assert player.press("End").step == player.steps
    assert player.press("Home").step == 0


def test_a_new_run_starts_from_a_clean_player(player: Player):
    fresh = player.visit(TWO_PATHS.code).click("last").picture()
    player.visit(TRAINING.code).click("last")
    player.click("edit").edit(TWO_PATHS.code).click("run").wait_for_trace()
    changed = difference(fresh, player.click("last").picture())
    assert not changed, changed
