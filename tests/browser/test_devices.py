"""A pass over simulated devices shows one queue per device, and says that the devices are simulated."""

from __future__ import annotations

from tests.browser.player import Player

SPLIT = """\
import torch
a = torch.ones(2, device="sim:0", requires_grad=True)
b = torch.ones(2, device="sim:1", requires_grad=True)
loss = (a * 2).exp().cpu().sum() + (b * 3).exp().cpu().sum()
loss.backward()
"""


def queues(player: Player) -> dict[str, str]:
    """Return what the panel says about each device's queue."""
    found = player.page.locator(".queue-device").all()
    return {each.get_attribute("data-device"): each.text_content() for each in found}


def test_each_device_has_its_queue_marked_as_simulated(player: Player, shoot):
    player.visit(SPLIT)
    seen = [queues(player.seek(k)) for k in range(player.steps // 2, player.steps)]
    shown = next(each for each in seen if "MulBackward0" in each.get("sim:1", ""))
    assert list(shown) == ["cpu", "sim:0", "sim:1"]
    assert "simulated" in shown["sim:0"] and "simulated" in shown["sim:1"]
    assert "simulated" not in shown["cpu"] and "MulBackward0" not in shown["sim:0"]
    shoot(player.page, "devices")
