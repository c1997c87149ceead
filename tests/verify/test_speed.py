"""Checking a row takes as long at the end of a long trace as at its start."""

from __future__ import annotations

import time

import pytest

from engine.trace.run import Limits, trace_source
from engine.verify.check import check

LOOPS = {
    "steps written by hand": """\
w = torch.tensor(0.5, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)
for i in range({n}):
    loss = (w * i + b - 3.0) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.001 * w.grad
        b -= 0.001 * b.grad
    w.grad = None
    b.grad = None
""",
    "hooks, and memory replaced": """\
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range({n}):
    y = w * 2
    y.register_hook(lambda g: g * 0.5)
    y.retain_grad()
    y.sum().backward()
    w.data = w.data - 0.1 * w.grad
    w.grad = None
""",
    "an optimiser, and losses that are kept": """\
torch.manual_seed(0)
net = torch.nn.Linear(3, 2)
optimizer = torch.optim.Adam(net.parameters())
losses, x = [], torch.randn(5, 3)
for i in range({n}):
    optimizer.zero_grad()
    loss = net(x).pow(2).sum()
    loss.backward()
    optimizer.step()
    losses.append(loss.detach())
print(torch.stack(losses).mean())
""",
    "views that are written": """\
y = torch.zeros(8, requires_grad=True) * 1
for i in range({n}):
    y[i % 8] += 1.0
y.sum().backward()
""",
}


def seconds(source: str) -> tuple[float, int]:
    """Return how long it takes to check a program's trace, and its rows."""
    trace = trace_source("import torch\n" + source, limits=Limits(rows=30_000))
    began = time.process_time()
    report = check(trace)
    took = time.process_time() - began
    assert not report.problems, report.problems[0].text
    return took, len(trace["rows"])


@pytest.mark.parametrize("kind", LOOPS)
def test_checking_takes_time_by_the_row(kind: str):
    few, short = seconds(LOOPS[kind].format(n=40))
    many, long = seconds(LOOPS[kind].format(n=320))
    assert many / long < 4 * few / short + 0.0005, (
        f"{1000 * few / short:.2f}, {1000 * many / long:.2f} ms a row"
    )
