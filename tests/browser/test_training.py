"""A training loop on the real page: folded on the timeline, its curves beside the code, each point a step."""

from __future__ import annotations

from tests.browser.player import Player

DEEP = """\
import torch
import torch.nn as nn
torch.manual_seed(0)
layers = []
for i in range(6):
    layers += [nn.Linear(4, 4), nn.Sigmoid()]
model = nn.Sequential(*layers, nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(8, 4)
y = torch.randn(8, 1)
for epoch in range(30):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
"""


def head(player: Player) -> str:
    """Say which iteration the curves speak of."""
    return player.page.get_by_test_id("training-head").text_content()


def test_iterations_are_folded_and_the_one_at_hand_is_open(player: Player):
    player.visit(DEEP).seek(player.steps // 2)
    assert player.page.locator(".loop-name").text_content() == "30 iterations, line 11"
    assert "of 30" in player.page.get_by_test_id("iteration").text_content()
    inside = player.page.get_by_test_id("scrubber-iteration")
    before = player.step
    inside.focus()
    player.press("ArrowLeft")
    assert player.step < before


def test_a_point_of_a_curve_is_a_step(player: Player, shoot):
    player.visit(DEEP).press("l")
    plot = player.page.locator("[data-testid=losses] .plot")
    box = plot.bounding_box()
    plot.hover(position={"x": box["width"] * 0.51, "y": 20})
    assert head(player).startswith("Pointed at: iteration 16 of 30")
    plot.click(position={"x": box["width"] * 0.51, "y": 20})
    player.settle()
    assert "backward" in player.sentence
    player.page.mouse.move(0, 0)
    assert player.settle() and head(player).startswith("Iteration 16 of 30")
    shoot(player.page, "training")


def test_vanishing_is_seen_and_said(player: Player):
    player.visit(DEEP).press("l").seek(player.steps // 20)
    rows = player.page.locator("[data-testid=strips] .bar-row").all_text_contents()
    first, last = float(rows[0]), float(rows[-2])
    assert first < last / 1000, "the first layer's gradient has vanished"
    assert "model.0." in player.page.locator("[data-testid=strips] .card-note").text_content()
    assert "× " in player.page.locator("[data-testid=clips] .plot-now").text_content()


def test_the_curves_are_read_by_keyboard_and_as_a_table(player: Player):
    player.visit(DEEP).press("l")
    strips = player.page.locator("[data-testid=strips] .plot")
    strips.focus()
    player.press("ArrowRight", 2).press("ArrowDown")
    assert strips.get_attribute("aria-valuetext").startswith("iteration 2 of 30: model.0.bias")
    player.press("Enter")
    assert "model.0.bias" in player.sentence
    player.page.locator(".training-words summary").click()
    table = player.page.locator(".training-words table")
    table.locator("tbody tr").nth(29).wait_for()
    assert table.locator("tbody tr").count() == 30
    table.locator("tbody button").nth(4).click()
    assert player.settle() and head(player).startswith("Iteration 5 of 30")


def test_a_run_without_a_loop_has_no_training(player: Player):
    player.visit("import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\n")
    assert player.page.get_by_test_id("tab-training").count() == 0
