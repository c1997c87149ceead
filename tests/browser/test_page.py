"""The pages around the player: the way in, the editor, both themes, a phone, both languages, hostile text."""

from __future__ import annotations

import re

import pytest

from tests.browser.player import Player, difference
from tests.browser.snippets import POWER, TRAINING, TWO_PATHS

PHONE = {"width": 390, "height": 844}
NARROW = {"width": 360, "height": 740}
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
BACKGROUND = "() => getComputedStyle(document.body).backgroundColor"


def test_the_first_page_leads_to_a_running_example(player: Player, shoot):
    player.page.goto(player.address)
    shoot(player.page, "home")
    examples = player.page.locator('main a[href*="/sandbox?"]')
    assert examples.count() >= 3
    examples.first.click()
    player.wait_for_trace().click("last")
    assert player.step == player.steps > 0


def test_pasting_and_running_works_by_keyboard(player: Player):
    player.page.goto(f"{player.address}/sandbox")
    player.edit(POWER.code)
    player.press("ControlOrMeta+Enter")
    player.wait_for_trace()
    player.page.keyboard.press("Escape")
    player.click("last")
    assert player.output == POWER.output


def test_a_syntax_error_is_a_step_that_names_its_line(player: Player, shoot):
    player.visit("import torch\nx = torch.tensor([1.0\ny = x * 2\n").click("last")
    assert "line 2" in player.root.text_content()
    assert re.search(r"never closed", player.root.text_content())
    shoot(player.page, "syntax_error")


@pytest.mark.parametrize("size", [PHONE, NARROW], ids=["390", "360"])
@pytest.mark.parametrize("path", ["/", "/sandbox"])
def test_nothing_is_wider_than_a_phone(open_player, size: dict, path: str):
    page = open_player(viewport=size, has_touch=True).page
    page.goto(open_player().address + path)
    assert page.evaluate(OVERFLOW) <= 0


def test_the_player_works_on_a_phone(open_player, shoot):
    player = open_player(viewport=PHONE, has_touch=True).visit(TWO_PATHS.code)
    player.click("first")
    while player.step < player.steps:
        player.click("next")
        assert player.page.evaluate(OVERFLOW) <= 0, f"step {player.step} is wider than the phone"
    assert player.page.get_by_test_id("sentence").is_visible()
    shoot(player.page, "phone_last")
    player.seek(player.steps // 2)
    shoot(player.page, "phone_middle")


def test_light_and_dark_follow_the_system(open_player, shoot):
    backgrounds = {}
    for scheme in ("light", "dark"):
        player = open_player(color_scheme=scheme).visit(TRAINING.code)
        player.seek(player.steps // 2)
        backgrounds[scheme] = sum(map(int, re.findall(r"\d+", player.page.evaluate(BACKGROUND))[:3]))
        shoot(player.page, f"theme_{scheme}")
    assert backgrounds["light"] > 3 * 128 > backgrounds["dark"]


def test_chinese_readers_get_chinese_sentences(open_player, shoot):
    player = open_player(locale="zh-CN").visit(TWO_PATHS.code).click("last")
    player.press("ArrowLeft")
    assert re.search(r"[\u4e00-\u9fff]", player.sentence)
    shoot(player.page, "chinese")


def test_hostile_text_is_shown_not_run(player: Player):
    player.page.add_init_script("window.alert = () => { window.wasCalled = true; }")
    code = (
        "import torch\nx = torch.tensor(1.0, requires_grad=True)\nprint('<img src=x onerror=alert(1)>', x)\n"
    )
    player.visit(code).click("last")
    assert "<img src=x onerror=alert(1)>" in player.output
    assert not player.page.evaluate("() => window.wasCalled")


def test_the_motion_of_a_gradient_leaves_nothing_behind(open_player):
    """With motion on, playing to the end shows what a jump without motion shows."""
    still = open_player().visit(TWO_PATHS.code).press("]", times=5).click("last").picture()
    moving = open_player(reduced_motion="no-preference").visit(TWO_PATHS.code).press("]", times=5)
    moving.click("first").click("play").wait_for_end()
    changed = difference(still, moving.picture())
    assert not changed, changed
