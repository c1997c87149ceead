"""Programs that would take the machine down end in a sentence, and the page goes on working."""

from __future__ import annotations

import pytest

from tests.browser.player import Player
from tests.browser.snippets import POWER

LOOP = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
while True:
    pass
"""
BOMB = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
heap = []
while True:
    heap.append([0] * 10_000_000)
"""
FLOOD = """\
while True:
    print("flood " * 1000)
"""
ENDLESS = {
    "loop": (LOOP, "at most 5 s"),
    "bomb": (BOMB, "memory"),
    "flood": (FLOOD, "characters"),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_ends_in_a_sentence_and_the_page_stays_usable(player: Player, shoot, name: str):
    code, words = ENDLESS[name]
    player.visit(code).click("last")
    assert words in player.sentence
    shoot(player.page, f"limit_{name}")
    player.click("edit").edit(POWER.code).click("run").wait_for_trace().click("last")
    assert player.output == POWER.output


def test_others_run_while_a_loop_is_stuck(open_player):
    stuck, other = open_player(), open_player()
    stuck.page.goto(f"{stuck.address}/sandbox")
    stuck.edit(LOOP)
    stuck.page.get_by_test_id("run").click()
    assert other.visit(POWER.code).click("last").output == POWER.output
    assert "at most 5 s" in stuck.wait_for_trace().click("last").sentence


def test_what_was_computed_before_the_cut_can_be_stepped_through(player: Player):
    player.visit(LOOP).click("last").press("ArrowLeft")
    assert player.leaf("x").get_attribute("data-value") == "[1., 2.]"
    assert player.page.locator('[data-node="MulBackward0"]').get_attribute("data-phase") == "made"
