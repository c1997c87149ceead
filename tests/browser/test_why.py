"""A gradient is asked why it is what it is: on an edge, in a buffer, in .grad; by pointer and by keyboard."""

from __future__ import annotations

import pytest

from tests.browser.player import Player, numbers

CODE = """import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([[1.0, -1.0], [0.5, 2.0]], requires_grad=True)
h = (w @ x).relu()
L = (h * h).sum() + x[0]
L.backward()
"""


def card(player: Player):
    """The card that takes a number apart."""
    return player.page.locator('[data-panel="why"]')


def answered(player: Player) -> None:
    """Wait for the paths and for the estimate."""
    card(player).locator(".why-count, .card-note").first.wait_for()
    player.page.get_by_test_id("why-verdict").wait_for()
    player.settle()


def number(player: Player) -> float:
    """The number that the card is about."""
    return numbers(player.page.get_by_test_id("why-number").text_content())[0]


def products(player: Player) -> list[float]:
    """The product of every path that is listed."""
    texts = player.page.locator(".why-path > .factors > strong").all_text_contents()
    return [numbers(text.replace("−", "-"))[0] for text in texts]


def test_a_grad_is_taken_apart_into_paths_that_add_up_and_the_estimate_agrees(player: Player, shoot):
    player.visit(CODE).click("last")
    player.leaf("x").locator("[data-why]").first.click()
    answered(player)
    assert number(player) == 5.5 and products(player) == [1.0, 0.0, 2.25, 2.25]
    assert player.page.get_by_test_id("why-sum").text_content().endswith("= 5.5")
    blocked = player.page.locator(".why-path[data-blocked]")
    assert blocked.count() == 1 and "arrives there" in blocked.inner_text()
    assert player.page.get_by_test_id("why-verdict").get_attribute("data-verdict") == "agrees"
    shoot(player.page, "why")


def test_on_a_phone_the_question_brings_its_answer_to_the_front(player: Player):
    player.page.set_viewport_size({"width": 390, "height": 844})
    player.visit(CODE).click("last")
    player.leaf("x").locator("[data-why]").first.click()
    answered(player)
    assert card(player).is_visible() and not player.leaf("x").is_visible()


def test_every_element_is_chosen_by_pointer_and_keyboard(player: Player):
    player.visit(CODE).click("last")
    player.leaf("x").locator("[data-why]").first.click()
    answered(player)
    card(player).locator(".why-cells .cells span").nth(1).click()
    answered(player)
    assert number(player) == 18.0 and sum(products(player)) == 18.0
    card(player).locator(".why-cells").press("ArrowLeft")
    answered(player)
    assert number(player) == 5.5
    assert card(player).locator(".why-cells").evaluate("one => one === document.activeElement")


def test_a_gradient_on_an_edge_is_asked_where_it_stands(player: Player):
    player.visit(CODE).click("last")
    label = player.page.locator("text.carried", has_text="[4.5, 18.]")
    label.click(force=True)
    answered(player)
    assert number(player) == 4.5 and "→ x" in card(player).locator(".why-name").text_content()
    assert "1 of 2 gradients" in card(player).inner_text()


def test_a_sum_in_a_buffer_is_asked_from_its_card(player: Player):
    player.visit(CODE)
    while "grad_summed" not in (player.page.get_by_test_id("sentence").get_attribute("data-kind") or ""):
        before = player.step
        assert player.press("ArrowRight").step != before
    player.page.locator('[data-panel="sums"] [data-why]').last.click()
    answered(player)
    assert products(player) and abs(sum(products(player)) - number(player)) < 1e-6


def test_the_key_w_asks_about_the_step_and_the_cross_closes(player: Player):
    player.visit(CODE).click("last").press("ArrowLeft")
    player.press("w")
    answered(player)
    assert number(player) == 5.5
    card(player).locator(".why-close").click()
    assert not card(player).is_visible()


def test_a_path_that_is_pointed_at_lights_its_way_in_the_graph(player: Player):
    player.visit(CODE).click("last")
    player.leaf("x").locator("[data-why]").first.click()
    answered(player)
    lit = player.page.locator(".edge[data-lit]")
    assert lit.count() == 0
    card(player).locator(".why-path").first.focus()
    player.settle()
    assert lit.count() == 2
    card(player).locator(".why-path").last.hover()
    player.settle()
    assert lit.count() == 5


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_where_there_is_no_derivative_the_convention_and_both_slopes_are_told(player: Player, lang: str):
    player.page.context.add_cookies([{"name": "lang", "value": lang, "url": player.address}])
    code = "import torch\nx = torch.tensor(0.0, requires_grad=True)\nx.relu().backward()\n"
    player.visit(code).click("last")
    player.leaf("x").locator("[data-why]").first.click()
    answered(player)
    told = player.page.get_by_test_id("why-verdict")
    assert told.get_attribute("data-verdict") == "kink" and numbers(told.text_content())[:2] == [0.0, 1.0]
    assert card(player).locator(".why-kink").count() == 1


def test_what_grad_held_before_is_told(player: Player):
    code = "import torch\nx = torch.tensor(3.0, requires_grad=True)\n(x * x).backward()\n(2 * x).backward()\n"
    player.visit(code).click("last")
    player.leaf("x").locator("[data-why]").first.click()
    answered(player)
    assert number(player) == 2.0 and "held 6 before; this call adds 2: 8." in card(player).inner_text()
    assert card(player).locator(".why-name").text_content() == "added to x.grad = 2"


def test_many_paths_are_merged_and_opened_part_by_part(player: Player):
    code = "import torch\nx = torch.tensor(1.0, requires_grad=True)\ny = x\nfor _ in range(8):\n"
    code += "    y = y * 0.5 + y * 0.25\ny.backward()\n"
    player.visit(code).click("last")
    player.leaf("x").locator("[data-why]").first.click()
    answered(player)
    assert "256 paths lead here" in card(player).inner_text()
    details = card(player).locator(".why-term details").first
    details.locator("summary").first.click()
    assert details.locator(".why-terms .why-term").count() >= 1
