"""Honest traces for tests: the golden ones, those of all recorded cases, and of a few programs more."""

from __future__ import annotations

import json
from functools import cache

from app.examples import EXAMPLES
from engine.trace.run import trace_source
from tests.oracle.observing import ALL, CASES
from tests.trace import golden
from tests.trace.programs import PROGRAMS as GOLDEN

LARGE = """\
import torch
import torch.nn as nn
torch.manual_seed(0)
x = torch.randn(20, 30, requires_grad=True)
y = x.relu() * x
z = y.t().reshape(30, 20)
z.sum().backward()
"""

SHARED = """\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(2):
    old = w.detach()
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
print(old, w)
"""

LAYERS = """\
import torch
import torch.nn as nn
torch.manual_seed(0)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.second = nn.Linear(3, 1)

    def forward(self, x):
        return self.second(torch.tanh(self.first(x)))

net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
x = torch.tensor([[1.0, -1.0], [0.5, 2.0]])
for step in range(2):
    optimizer.zero_grad()
    loss = (net(x) ** 2).mean()
    loss.backward()
    optimizer.step()
print(loss)
"""

REPLACED = """\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(2):
    (w ** 2).sum().backward()
    w.data = w.data - 0.1 * w.grad.data
    w.grad = None
print(w)
"""

OWN = {"large": LARGE, "shared": SHARED, "layers": LAYERS, "replaced": REPLACED}
EXAMPLE = {f"example {example.slug}": example.code for example in EXAMPLES}
HONEST = [*GOLDEN, *ALL, *OWN, *EXAMPLE]

# what is falsified: between them these make every kind of row, and know every kind of corruption
SUBJECTS = (
    *(name for name in GOLDEN if name != "refused"), "large", "layers", "e02_diamond_accumulation_order",
    "e20_retain_grad", "e22_inputs_pruning", "e28_multiple_roots", "e46_broadcast_reduce", "o_adam",
    "o_sgd_nesterov_wd",
)  # fmt: skip


@cache
def trace_of(name: str) -> dict:
    """Return the trace of one program, as it is read from a file."""
    if name in GOLDEN:
        return json.loads((golden.FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    source = OWN.get(name) or EXAMPLE.get(name) or (CASES / f"{name}.py").read_text(encoding="utf-8")
    return json.loads(json.dumps(trace_source(source), allow_nan=False))
