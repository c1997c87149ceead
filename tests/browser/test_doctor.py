"""The doctor's card: what is wrong is told, marked and mended at a click; what follows can be stepped."""

from __future__ import annotations

import re

import pytest

from tests.browser.player import Player

CHANGED = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
print(x.grad)
"""
PILED_UP = """\
import torch
w = torch.tensor([1.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for step in range(3):
    loss = ((w * 2 - 3) ** 2).sum()
    loss.backward()
    opt.step()
print(w)
"""
PHONE = {"width": 390, "height": 844}
RAN_AGAIN = """
(steps) => {
  const data = document.querySelector("[data-testid=player]").dataset;
  return !("busy" in data) && data.steps !== steps;
}
"""


def run_again(player: Player, button: str) -> Player:
    """Press a button that has the program run in another form; wait for that run."""
    steps = str(player.steps)
    player.page.get_by_test_id(button).first.click()
    player.page.wait_for_function(RAN_AGAIN, arg=steps)
    return player.settle()


def test_an_error_is_marked_explained_and_mended_at_a_click(player: Player, shoot):
    player.visit(CHANGED).click("last")
    card = player.page.get_by_test_id("finding")
    assert card.count() == 1 and "Line 4 (y += 1)" in card.inner_text()
    assert player.page.locator("[data-node=ExpBackward0][data-culprit]").count() == 1
    assert player.page.locator("[data-line='4'] mark[data-tone=culprit]").inner_text() == "y += 1"
    assert player.page.locator("[data-line='5'] mark[data-tone=error]").count() == 1
    assert player.page.locator(".difference-line[data-sign]").all_inner_texts() == [
        "4\n−\ny += 1",
        "4\n+\ny = y + 1",
    ]
    shoot(player.page, "doctor_error")
    run_again(player, "fix").click("last")
    assert player.page.get_by_test_id("finding").count() == 0
    assert player.output == "tensor([2.7183, 7.3891])\n"
    assert player.press("ArrowLeft").step < player.steps
    run_again(player, "undo-fix").click("last")
    assert player.page.get_by_test_id("finding").count() == 1


def test_a_silent_fault_is_noted_leads_to_its_step_and_is_mended(player: Player, shoot):
    player.visit(PILED_UP)
    player.page.get_by_test_id("see").click()
    player.settle()
    card = player.page.get_by_test_id("finding")
    assert card.get_attribute("data-code") == "accumulating"
    assert "w.grad still holds [-4.]" in card.inner_text()
    assert player.page.locator("[data-var=w][data-culprit]").count() == 1
    shoot(player.page, "doctor_silent")
    run_again(player, "fix")
    assert player.page.get_by_test_id("changed-note").is_visible()
    assert player.page.get_by_test_id("finding-note").count() == 0
    before = player.step
    assert player.press("ArrowRight").step > before
    player.click("edit")
    assert "opt.zero_grad()" in player.page.locator(".cm-content").inner_text()
    player.page.locator(".cm-content").click()
    player.page.keyboard.press("ControlOrMeta+z")
    assert "opt.zero_grad()" not in player.page.locator(".cm-content").inner_text()


def test_a_step_without_a_finding_shows_no_card(player: Player):
    player.visit(PILED_UP).seek(3)
    assert not player.page.locator("[data-panel=doctor]").is_visible()
    assert player.page.locator("[data-culprit]").count() == 0


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_the_card_fits_in_both_languages(open_player, shoot, locale: str, scheme: str):
    player = open_player(viewport=PHONE, has_touch=True, locale=locale, color_scheme=scheme)
    player.visit(CHANGED).click("last")
    player.page.locator("label[for=pane-inspector]").click()
    card = player.settle().page.get_by_test_id("finding")
    assert card.is_visible() and not re.search(r"doctor\.|\{\w+\}", card.inner_text())
    player.page.get_by_test_id("fix").scroll_into_view_if_needed()
    width = player.page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert width <= 0
    shoot(player.page, f"doctor_phone_{locale}_{scheme}")
