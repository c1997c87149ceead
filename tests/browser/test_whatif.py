"""What if a number were another: the run is repeated with it, and the reader stays at the same moment."""

from __future__ import annotations

from tests.browser.player import Player, numbers

CODE = """import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([[1.0, -1.0], [0.5, 2.0]], requires_grad=True)
h = (w @ x).relu()
L = (h * h).sum() + x[0]
L.backward()
"""


def choose(player: Player, name: str) -> None:
    """Click the value of a leaf in the graph."""
    player.leaf(name).locator("[data-move]").first.click()
    player.page.get_by_test_id("whatif").wait_for()


def holds(player: Player, name: str, value: str) -> None:
    """Wait until a leaf shows a value."""
    player.page.locator(f'[data-var="{name}"][data-value="{value}"]').wait_for()
    player.wait_for_trace()


def test_a_typed_number_runs_the_program_again_at_the_same_moment(player: Player, shoot):
    player.visit(CODE).click("last").press("ArrowLeft")
    sentence, source = player.sentence, player.page.locator("[data-slot=source]").inner_text()
    choose(player, "x")
    field = player.page.get_by_test_id("whatif")
    field.fill("3.5")
    holds(player, "x", "[3.5, 2.]")
    assert player.sentence != sentence and sentence.split()[0] == player.sentence.split()[0]
    assert player.page.locator("[data-slot=source]").inner_text() == source
    assert field.evaluate("one => one === document.activeElement")
    assert numbers(player.page.get_by_test_id("changes").inner_text().replace("x[0]", ""))[:2] == [3.5, 1.0]
    player.page.get_by_test_id("curve").wait_for()
    shoot(player.page, "whatif")


def test_arrow_keys_and_a_drag_move_the_number_and_the_last_one_wins(player: Player):
    player.visit(CODE).click("last")
    choose(player, "x")
    field = player.page.get_by_test_id("whatif")
    field.press("ArrowUp")
    field.press("Shift+ArrowUp")
    holds(player, "x", "[2.1, 2.]")
    box = player.page.locator(".scrub").bounding_box()
    player.page.mouse.move(box["x"] + 5, box["y"] + 8)
    player.page.mouse.down()
    player.page.mouse.move(box["x"] + 5 - 60, box["y"] + 8, steps=6)
    player.page.mouse.up()
    holds(player, "x", "[1.6, 2.]")


def test_a_change_survives_a_reload_and_reset_takes_it_back(player: Player):
    player.visit(CODE).click("last")
    choose(player, "x")
    player.page.get_by_test_id("whatif").fill("-1")
    holds(player, "x", "[-1., 2.]")
    player.page.reload()
    player.wait_for_trace()
    player.click("last")
    holds(player, "x", "[-1., 2.]")
    player.page.get_by_test_id("changes").get_by_role("button").first.click()
    holds(player, "x", "[1., 2.]")
    assert not player.page.get_by_test_id("changes").locator("li").count()


def test_the_curve_has_the_gradient_as_its_tangent(player: Player):
    player.visit(CODE).click("last")
    choose(player, "x")
    player.page.get_by_test_id("curve").wait_for()
    output, _, value, slope = numbers(player.page.get_by_test_id("curve").inner_text().replace("x[0]", "0"))
    assert (output, value, slope) == (21.25, 1.0, 5.5)


def test_what_is_no_number_is_marked_and_runs_nothing(player: Player):
    player.visit(CODE).click("last")
    choose(player, "x")
    field = player.page.get_by_test_id("whatif")
    field.fill("3,")
    assert field.get_attribute("aria-invalid") == "true"
    assert player.leaf("x").get_attribute("data-value") == "[1., 2.]"


def test_an_asked_gradient_is_asked_again_of_the_changed_run(player: Player):
    player.visit(CODE).click("last")
    player.leaf("x").locator("[data-why]").first.click()
    player.page.get_by_test_id("why-verdict").wait_for()
    player.page.locator('[data-panel="why"] [data-move]').click()
    player.page.get_by_test_id("whatif").fill("4")
    holds(player, "x", "[4., 2.]")
    player.page.locator('[data-testid="why-number"]', has_text="11").wait_for()
    player.page.locator('[data-testid="why-verdict"][data-verdict="agrees"]').wait_for()
