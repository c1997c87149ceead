"""A formula on the page: fields for its names, its program to keep, and nothing of the reader's is lost."""

from __future__ import annotations

from tests.browser.player import Player

FORMULA = "(x*y + sin(x))**2"
EDITOR = ".cm-content, .plain-editor"


def field(player: Player, name: str):
    """Return the value field of a name."""
    return player.page.get_by_label(f"Value of {name}", exact=True)


def settle(player: Player, text: str) -> None:
    """Wait until the program that is shown holds a text."""
    player.page.locator("[data-slot=source]", has_text=text).wait_for()
    player.wait_for_trace()


def test_a_formula_runs_and_shows_its_program_and_its_values(player: Player, shoot):
    player.visit(FORMULA).click("last")
    program = player.page.locator("[data-slot=source]").inner_text()
    assert "result = (x*y + torch.sin(x))**2" in program and "result.backward()" in program
    assert field(player, "x").input_value() == "2.0" and field(player, "y").input_value() == "3.0"
    grads = player.page.locator("[data-var]").evaluate_all("all => all.map(one => one.dataset.grad)")
    assert grads == ["35.7052", "27.6372"]
    shoot(player.page, "formula")


def test_a_changed_field_runs_again_at_the_same_step_and_keeps_the_focus(player: Player):
    player.visit(FORMULA).click("last")
    step = player.root.get_attribute("data-step")
    field(player, "x").fill("0.5")
    settle(player, "torch.tensor(0.5")
    assert player.root.get_attribute("data-step") == step
    assert field(player, "x").evaluate("one => one === document.activeElement")
    field(player, "x").press("ArrowUp")
    settle(player, "torch.tensor(0.6")
    player.page.get_by_test_id("first-values").click()
    settle(player, "torch.tensor(2.0")
    assert field(player, "x").input_value() == "2.0"


def test_a_value_that_cannot_be_read_is_said_and_runs_nothing(player: Player):
    player.visit(FORMULA)
    field(player, "x").fill("2,")
    assert field(player, "x").get_attribute("aria-invalid") == "true"
    assert player.page.get_by_text("Write a number such as 2.5").is_visible()
    field(player, "x").fill("2, 4")
    settle(player, "torch.tensor([2.0, 4.0]")
    assert "result has shape (2,)" in player.page.get_by_test_id("ones").text_content()
    assert not player.page.get_by_text("Write a number such as 2.5").is_visible()


def test_the_editor_keeps_what_was_typed_until_the_program_is_kept_and_undo_brings_it_back(player: Player):
    player.visit(FORMULA)
    player.page.get_by_test_id("edit").click()
    editor = player.page.locator(EDITOR).first
    assert editor.inner_text().strip() == FORMULA
    player.page.locator(".cm-editor").wait_for()
    player.page.get_by_test_id("keep-program").click()
    assert editor.inner_text().startswith("import torch\n")
    assert not player.page.get_by_test_id("formula").is_visible()
    player.page.keyboard.press("Control+z")
    assert editor.inner_text().strip() == FORMULA


def test_the_values_survive_a_reload_and_another_language(player: Player):
    player.visit(FORMULA)
    field(player, "y").fill("-1.5")
    settle(player, "torch.tensor(-1.5")
    player.page.reload()
    player.wait_for_trace()
    assert field(player, "y").input_value() == "-1.5"
    player.page.locator("a[hreflang]").first.click()
    player.page.get_by_label("y 的值", exact=True).wait_for()
    assert player.page.get_by_label("y 的值", exact=True).input_value() == "-1.5"


def test_a_formula_that_is_unclear_is_told_at_its_place(player: Player):
    player.visit("x + sine(y)")
    assert "did you mean sin?" in player.page.locator("[data-slot=source]").inner_text()
    assert not player.page.get_by_test_id("formula").is_visible()


def test_the_start_page_offers_a_formula(player: Player):
    player.page.goto(player.address)
    assert player.page.get_by_label("Or begin with a formula").input_value() == FORMULA
    player.page.get_by_label("Or begin with a formula").press("Enter")
    player.wait_for_trace()
    assert field(player, "x").input_value() == "2.0"


def test_on_a_phone_the_fields_fit_and_a_change_does_not_turn_the_page(player: Player, shoot):
    player.page.set_viewport_size({"width": 390, "height": 844})
    player.visit("softmax(W @ x)[0]")
    player.page.locator("label[for=pane-code]").click()
    width = player.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
    box = field(player, "W").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["height"] >= 40
    field(player, "x").fill("1, 2, 3.5")
    settle(player, "torch.tensor([1.0, 2.0, 3.5]")
    assert player.page.locator("#pane-code").is_checked()
    shoot(player.page, "formula-phone")


def test_shapes_that_do_not_fit_are_told_beside_what_pytorch_says(player: Player):
    player.visit("W @ x")
    field(player, "x").fill("1, 2")
    settle(player, "torch.tensor([1.0, 2.0]")
    assert "W @ x cannot be computed" in player.page.get_by_test_id("formula").text_content()
    player.click("last")
    assert "size mismatch" in player.page.locator("[data-slot=inspector]").inner_text()
