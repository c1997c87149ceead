"""Large graphs on the page: groups open where the step is and at a click; a jump ends like playing."""

from __future__ import annotations

import random

import pytest

from tests.browser.player import Player

UNROLLED = """import torch
w = torch.tensor(1.1, requires_grad=True)
u = torch.tensor(0.1, requires_grad=True)
h = torch.tensor(0.5)
for t in range(40):
    a = w * h
    b = a + u
    h = b.tanh() * a
loss = h.exp()
loss.backward()
"""
OPEN = "() => [...document.querySelectorAll('.region')].map(e => e.dataset.open)"


@pytest.fixture
def folded(player: Player) -> Player:
    return player.visit(UNROLLED)


def test_a_large_graph_is_folded_by_rounds_and_the_round_of_the_step_is_open(folded: Player):
    groups = folded.page.locator(".group")
    assert groups.count() == 40
    folded.seek(60)
    assert len(folded.page.evaluate(OPEN)) == 1
    assert groups.count() == 39


def test_parameters_stay_where_they_are(folded: Player):
    places = set()
    for k in (10, 60, 120, 400):
        folded.seek(k)
        places.add(folded.page.locator('[data-var="w"]').get_attribute("transform"))
    assert len(places) == 1


def test_a_group_opens_at_a_click_and_folds_again(folded: Player):
    page = folded.page
    page.locator(".group").nth(1).click()
    assert page.evaluate(OPEN) == ["for t in range(40) · 2/40"]
    page.locator(".region").first.press("Enter")
    assert page.evaluate(OPEN) == []


def test_any_jump_ends_in_the_picture_that_playing_ends_in(folded: Player):
    steps = int(folded.root.get_attribute("data-steps"))
    wanted = {}
    places = sorted(random.Random(7).sample(range(steps), 8))
    for k in places:
        folded.seek(k)
        wanted[k] = folded.picture()
    for k in random.Random(8).sample(places, len(places)):
        folded.seek(k)
        assert folded.picture() == wanted[k]


def test_search_finds_a_variable_and_goes_to_its_step(folded: Player):
    page = folded.page
    folded.seek(0)
    page.keyboard.press("/")
    page.get_by_test_id("find").fill("loss")
    page.locator(".found li[aria-selected=true]", has_text="loss").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_function("() => Number(document.querySelector('[data-testid=player]').dataset.step) > 0")
    assert page.locator("dialog[open]").count() == 0


def test_an_expression_under_the_pointer_lights_its_node(folded: Player):
    folded.seek(60)
    folded.page.locator('[data-line="7"] .line-text').hover(position={"x": 76, "y": 8})
    folded.page.locator('[data-lit="true"]').first.wait_for(state="attached")
    assert folded.page.locator(".hints span").count() > 0


def test_the_reader_chooses_how_it_is_grouped(folded: Player):
    folded.page.get_by_test_id("fold").select_option("none")
    folded.page.wait_for_function("() => document.querySelectorAll('.group').length === 0")
    assert folded.page.locator(".element.op").count() > 10
