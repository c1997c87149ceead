"""Small programs whose traces are kept as golden files: between them they make every kind of row."""

from __future__ import annotations

from engine.trace.run import Limits
from tests.browser.snippets import FIVE

HOOKS = """\
import torch
x = torch.tensor([1.0, -2.0], requires_grad=True)
y = x * 3
y.retain_grad()

def double(grad):
    return grad * 2

y.register_hook(double)
y.sum().backward()
print(x.grad, y.grad)
"""

CAPTURED = """\
import torch
x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
y = x ** 3 * w
g, = torch.autograd.grad(y, x, create_graph=True)
print(g)
g.backward()
print(x.grad, w.grad)
"""

MODES = """\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
bias = torch.zeros(1, requires_grad=True)

def model(x):
    scaled = w * x
    return scaled + bias

loss = model(torch.tensor([3.0, 4.0])).sum()
loss.backward()
with torch.no_grad():
    for p in [w, bias]:
        p -= 0.1 * p.grad
        p.grad = None
del loss
old = w.detach()
print(w, bias)
"""

CHANGED = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
z = (y * y).sum()
y.add_(1)
z.backward()
"""

REFUSED = """\
import torch
x = torch.tensor(1.0
y = x * 2
"""

ENDLESS = """\
import torch
x = torch.tensor(1.0)
while True:
    x = x * 2
"""

WARNED = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
for step in range(2):
    print(y.grad)
target = torch.tensor([1.0])
loss = torch.nn.MSELoss()(y, target)
print(y.grad, loss)
"""

OPTIMISED = """\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
for step in range(2):
    optimizer.zero_grad()
    (w ** 2).sum().backward()
    optimizer.step()
    scheduler.step()
print(w)
"""

CLIPPED = """\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
grad = torch.tensor([6.0, -8.0])
w.grad = grad
torch.nn.utils.clip_grad_norm_([w], 5.0)
torch.nn.utils.clip_grad_value_([w], 2.5)
torch.optim.SGD([w], lr=0.1, momentum=0.9, weight_decay=0.5).step()
print(w)
"""

LEAVING = """\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * 3
old = y.detach()
loss = (y * old).sum()
print(loss.item())
loss.backward()
w.data = w.data - 0.5 * w.grad
print(w)
"""

REBASED = """\
import torch
a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
x = a * 1
view = x[0:2]
view.mul_(10)
x.add_(1)
print(view)
(x * 2).sum().backward()
print(a.grad)
"""

SAVED = """\
import torch
from torch.utils.checkpoint import checkpoint

def pack(tensor):
    return tensor.tolist()

def unpack(kept):
    return torch.tensor(kept)

def block(x, w):
    return torch.tanh(x * w)

a = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([0.5, 0.5], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = a * w
z = checkpoint(block, y, w, use_reentrant=False)
z.sum().backward()
print(a.grad, w.grad)
"""

SPARSE = """\
import torch
import torch.nn as nn
torch.manual_seed(0)
table = nn.Embedding(4, 2, sparse=True)
picked = torch.tensor([1, 3, 1])
for step in range(2):
    rows = table(picked)
    rows.sum().backward()
print(table.weight.grad.coalesce())
"""

ECHO = """\
x = torch.randn(2, requires_grad=True)
x.sum().backward()
x.grad
"""

ELSEWHERE = """\
import matplotlib.pyplot as plt
import torch
from torchviz import make_dot
w = torch.tensor(1.0, requires_grad=True)
losses = []
for step in range(3):
    loss = (w - 3) ** 2
    w.grad = None
    loss.backward()
    losses.append(loss.item())
    with torch.no_grad():
        w -= 0.25 * w.grad
make_dot(loss).render("graph")
plt.plot(losses, label="loss")
plt.xlabel("step")
plt.show()
"""

# Writes that show elsewhere: in views and their root, in `.data` and `.grad` under other names.
ALIASES = """\
import torch
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
v = x[0]
x.mul_(2)
v[1] = 7
w = torch.tensor([1.0, 2.0], requires_grad=True)
old = w.data
optimizer = torch.optim.SGD([w], lr=0.5)
(w * w).sum().backward()
g = w.grad
optimizer.step()
(w * w).sum().backward()
torch.nn.utils.clip_grad_norm_([w], 1.0)
print(x, v, old, g)
"""

PROGRAMS = {snippet.name: snippet.code for snippet in FIVE} | {
    "hooks": HOOKS,
    "captured": CAPTURED,
    "modes": MODES,
    "changed": CHANGED,
    "refused": REFUSED,
    "cut": ENDLESS,
    "elsewhere": ELSEWHERE,
    "echo": "import torch\n" + ECHO,
    "warned": WARNED,
    "optimised": OPTIMISED,
    "clipped": CLIPPED,
    "leaving": LEAVING,
    "saved": SAVED,
    "sparse": SPARSE,
    "rebased": REBASED,
    "aliases": ALIASES,
}
LIMITS = {"cut": Limits(rows=12)}
