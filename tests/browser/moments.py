"""Moments of the page that are looked at and checked: what is opened, how far, on which screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.browser.player import TWO_FRAMES, Player

TWO_PATHS = """import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([0.5, -1.0], requires_grad=True)
y = w * x
z = (y ** 2).sum() + x.sum()
z.backward()
print(x.grad, w.grad)
"""
TWICE = """import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x ** 2).sum()
y.backward()
y.backward()
"""
TRAINING = """import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
inputs = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
targets = torch.tensor([[1.0], [2.0]])
for epoch in range(8):
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(epoch, loss.item())
"""
LARGE = """import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
loss = model(torch.randn(1, 3, 8)).pow(2).mean()
loss.backward()
"""
BOTH_RUN = """
() => ["first-program", "second-program"].every(
  (id) => Number(document.querySelector(`[data-testid=${id}]`)?.dataset.steps) > 0)
"""
LAST_ROW = "() => document.querySelector('[data-testid=player]').dataset.mode === 'play'"


def at(code: str, share: float, *keys: str) -> Callable[[Player], object]:
    """Run a program, go as far as a share of its steps, press keys."""

    def go(player: Player) -> None:
        player.visit(code).seek(int(player.steps * share))
        for key in keys:
            player.press(key)

    return go


def to(path: str, ready: str = "() => document.readyState === 'complete'") -> Callable[[Player], object]:
    """Open a page and wait until it is ready."""

    def go(player: Player) -> None:
        player.page.goto(player.address + path)
        player.page.wait_for_function(ready)
        player.page.evaluate(TWO_FRAMES)

    return go


def gradient(player: Player) -> None:
    """Ask of the last gradient that travels why it is what it is."""
    at(TWO_PATHS, 0.62)(player)
    while not player.page.locator(".ask:not([disabled])").count():
        player.press("ArrowRight")
    player.press("w")
    player.page.get_by_test_id("why-verdict").wait_for(state="attached")


def pane(name: str, go: Callable[[Player], object]) -> Callable[[Player], object]:
    """Turn to a pane, as a phone shows one at a time."""

    def shown(player: Player) -> None:
        go(player)
        player.page.locator(f"[for=pane-{name}]").click()
        player.settle()

    return shown


@dataclass(frozen=True, slots=True)
class Moment:
    """One picture: its name, how it is reached, on which screen."""

    name: str
    go: Callable[[Player], object]
    theme: str = "light"
    size: tuple[int, int] = (1440, 900)
    locale: str = "en-US"


def compared(player: Player) -> None:
    """Open two programs side by side and go where their numbers differ."""
    to("/compare?example=zero-grad", BOTH_RUN)(player)
    player.press("d").press("d")


PHONE = (390, 844)
LESSON = to("/lessons/what-backward-does#p=2", LAST_ROW)
MOMENTS = [
    Moment("tiny", at(TWO_PATHS, 0.7)),
    Moment("tiny_phone", pane("graph", at(TWO_PATHS, 0.7)), "dark", PHONE),
    Moment("large", at(LARGE, 0.6), "dark"),
    Moment("large_phone", pane("graph", at(LARGE, 0.6)), "light", PHONE, "zh-CN"),
    Moment("error", at(TWICE, 1)),
    Moment("error_phone", pane("inspector", at(TWICE, 1)), "dark", PHONE),
    Moment("training", at(TRAINING, 0.7, "l"), "dark"),
    Moment("training_phone", pane("graph", at(TRAINING, 0.7, "l")), "light", PHONE),
    Moment("engine", at(TWO_PATHS, 0.7, "3"), "dark"),
    Moment("engine_phone", pane("inspector", at(TWO_PATHS, 0.7, "3")), "light", PHONE),
    Moment("why", gradient),
    Moment("text", at(TWO_PATHS, 0.7, "s")),
    Moment("text_phone", at(TWO_PATHS, 0.7, "s"), "dark", PHONE, "zh-CN"),
    Moment("edit", to("/sandbox")),
    Moment("lesson", LESSON),
    Moment("lesson_phone", LESSON, "dark", PHONE, "zh-CN"),
    Moment("compare", compared),
    Moment("compare_phone", compared, "dark", PHONE),
    Moment("start", to("/"), "dark"),
]
