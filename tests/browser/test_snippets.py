"""The five programs people paste, from the first step to the last and back, in a real browser."""

from __future__ import annotations

import pytest

from tests.browser.player import Player, difference, numbers
from tests.browser.snippets import FIVE, TWICE, TWO_PATHS, Snippet

each = pytest.mark.parametrize("snippet", FIVE, ids=lambda snippet: snippet.name)


def assert_numbers(shown: str, expected: str) -> None:
    """Hold a shown text against PyTorch's numbers; `None` must be said as such."""
    if "None" in (shown, expected):
        assert shown == expected
    else:
        assert numbers(shown) == pytest.approx(numbers(expected), rel=1e-4)


@each
def test_ends_with_pytorchs_grads_and_output(player: Player, shoot, snippet: Snippet):
    player.visit(snippet.code).click("last")
    assert player.step == player.steps
    assert player.output == snippet.output, f"the last step says: {player.sentence}"
    for name, expected in snippet.grads.items():
        assert_numbers(player.leaf(name).get_attribute("data-grad"), expected)
    for name, expected in snippet.values.items():
        assert_numbers(player.leaf(name).get_attribute("data-value"), expected)
    shoot(player.page, f"{snippet.name}_last")


@each
def test_stepping_back_shows_every_picture_again(player: Player, shoot, snippet: Snippet):
    player.visit(snippet.code).click("first")
    assert player.step == 0
    assert player.output == ""
    pictures = {0: player.picture()}
    while player.step < player.steps:
        before = player.step
        assert player.press("ArrowRight").step > before
        pictures[player.step] = player.picture()
    shoot(player.page, f"{snippet.name}_walked")
    stops = list(pictures)
    for k in reversed(stops[:-1]):
        assert player.press("ArrowLeft").step == k
        changed = difference(pictures[k], player.picture())
        assert not changed, f"step {k} looks different when reached backward:\n{changed}"


@each
def test_a_leaf_says_in_its_attributes_what_it_shows(player: Player, snippet: Snippet):
    player.visit(snippet.code).click("first")
    for _ in player.walk("Shift+ArrowRight", player.steps):
        for name in snippet.grads:
            leaf = player.leaf(name)
            shown = leaf.text_content()
            assert leaf.get_attribute("data-value") in shown
            assert leaf.get_attribute("data-grad") in shown


@each
def test_every_step_has_a_sentence(player: Player, snippet: Snippet):
    player.visit(snippet.code).click("first")
    while player.step < player.steps:
        player.press("ArrowRight")
        assert player.sentence.strip(), f"step {player.step} says nothing"
        assert "{" not in player.sentence.replace("{}", ""), f"a placeholder is left in: {player.sentence}"


def test_gradients_wait_for_both_paths(player: Player, shoot):
    """x is reached by two paths; its AccumulateGrad runs once, after both have arrived."""
    player.visit(TWO_PATHS.code).click("first")
    seen = [player.leaf("x").get_attribute("data-grad")]
    while player.step < player.steps:
        player.press("ArrowRight")
        if player.leaf("x").get_attribute("data-grad") != seen[-1]:
            seen.append(player.leaf("x").get_attribute("data-grad"))
            shoot(player.page, "two_paths_arrived")
    assert seen[:2] == ["", "None"], "a leaf that is not there yet shows nothing, then an empty slot"
    assert len(seen) == 3
    assert_numbers(seen[2], "[1.5, 5.]")


def test_a_second_backward_ends_in_pytorchs_error_at_line_5(player: Player, shoot):
    player.visit(TWICE.code).click("last")
    page = player.page
    assert page.locator('[data-line="5"] mark').count() >= 1
    assert "y.backward()" in page.locator('[data-line="5"]').text_content()
    assert TWICE.error in player.root.text_content()
    assert "line 4" in player.root.text_content(), "what freed the graph is not named"
    shoot(page, "twice_error")


def test_operations_go_from_ghost_to_freed(player: Player):
    player.visit(TWO_PATHS.code).click("first")
    operation = player.page.locator('[data-node="PowBackward0"]')
    phases = [operation.get_attribute("data-phase")]
    for _ in range(player.steps):
        if player.step == player.steps:
            break
        player.press("ArrowRight")
        if operation.get_attribute("data-phase") != phases[-1]:
            phases.append(operation.get_attribute("data-phase"))
    assert phases[:2] == ["ghost", "made"]
    assert phases[-2:] == ["running", "freed"]
