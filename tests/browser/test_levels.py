"""Three levels of detail over one trace: each shows what it says, and changing it keeps the moment."""

from __future__ import annotations

from tests.browser.player import Player

HOOKED = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([0.5, -1.0], requires_grad=True)
y = w * x
y.register_hook(lambda g: g * 2)
z = (y ** 2).sum() + x.sum() + w.sum()
z.backward()
"""
ENGINE = ("kept", "hooks", "buffers")


def card(player: Player, name: str) -> bool:
    """Say whether a card is on the page."""
    return player.page.locator(f'.card[data-panel="{name}"]').is_visible()


def test_changing_the_level_keeps_the_moment(player: Player, shoot):
    player.visit(HOOKED).seek(player.steps * 3 // 4)
    where = player.step
    for key, level in (("1", "story"), ("3", "engine"), ("2", "chain")):
        assert player.press(key).step == where
        assert player.root.get_attribute("data-level") == level
        assert player.page.locator(".level-note").text_content()
        shoot(player.page, f"level_{level}")


def test_story_hides_the_machinery_and_engine_shows_it(player: Player):
    player.visit(HOOKED).press("3")
    walk = range(player.steps // 3, player.steps)
    k = next(k for k in walk if player.seek(k) and all(card(player, name) for name in ENGINE))
    assert "#" in player.page.locator(".op .fn").first.text_content()
    assert "#" in player.page.locator('.card[data-panel="kept"]').text_content()
    player.press("2")
    assert not any(card(player, name) for name in ENGINE)
    assert player.page.locator('[data-slot="queue"]').is_visible()
    player.press("1")
    assert not player.page.locator('[data-slot="queue"]').is_visible()
    assert not card(player, "next") and not player.page.locator(".op .fn").first.is_visible()
    assert player.step == k


def test_the_queue_is_drawn_as_the_heap_it_is(player: Player, shoot):
    code = "import torch\na, b, c, d = [torch.ones(2, requires_grad=True) for _ in range(4)]\n"
    player.visit(code + "torch.cat([a, b, c, d]).sum().backward()\n").press("3")
    cells = player.page.locator(".heap-array").first.locator(".heap-cell")
    k = next(k for k in range(player.steps) if player.seek(k) and cells.count() == 4)
    assert player.seek(k).page.locator(".heap-tree .heap-node").count() == 4
    assert "(0, 2⁶⁴−1)" in cells.first.text_content()
    shoot(player.page, "heap")
