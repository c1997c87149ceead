"""The five programs that people paste, with what PyTorch prints for them and leaves in `.grad`."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Snippet:
    """A program and what must stand on the page after its last step."""

    name: str
    code: str
    output: str
    grads: dict[str, str]
    values: dict[str, str] = field(default_factory=dict)
    error: str | None = None


POWER = Snippet(
    name="power",
    code="""\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x ** 2
z = y.sum()
loss = z
loss.backward()
print(x.grad)                     # tensor([2., 4.])
""",
    output="tensor([2., 4.])\n",
    values={"x": "[1., 2.]"},
    grads={"x": "[2., 4.]"},
)

TWO_PATHS = Snippet(
    name="two_paths",
    code="""\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([0.5, -1.0], requires_grad=True)
y = w * x
z = (y ** 2).sum() + x.sum()      # x is reached by two paths
z.backward()
print(x.grad, w.grad)
""",
    output="tensor([1.5000, 5.0000]) tensor([ 1., -8.])\n",
    values={"x": "[1., 2.]"},
    grads={"x": "[1.5, 5.]", "w": "[1., -8.]"},
)

ACCUMULATES = Snippet(
    name="accumulates",
    code="""\
import torch
w = torch.tensor(3.0, requires_grad=True)
for step in range(3):
    loss = (w * 2 - 1) ** 2
    loss.backward()               # accumulates across calls
    print(step, w.grad)
w.grad.zero_()
(w * 5).backward()
print(w.grad)
""",
    output="0 tensor(20.)\n1 tensor(40.)\n2 tensor(60.)\ntensor(5.)\n",
    grads={"w": "5."},
)

TRAINING = Snippet(
    name="training",
    code="""\
import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Linear(3, 1)
loss_function = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
targets = torch.tensor([[1.0], [2.0]])
for epoch in range(3):
    outputs = model(inputs)
    loss = loss_function(outputs, targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(epoch, loss.item())     # the same digits as PyTorch
""",
    output="0 9.509830474853516\n1 630.0469970703125\n2 42479.80859375\n",
    grads={"model.weight": "None", "model.bias": "None"},
)

TWICE = Snippet(
    name="twice",
    code="""\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x ** 2).sum()
y.backward()
y.backward()                      # PyTorch's own error, at line 5, with what freed the graph
""",
    output="",
    grads={"x": "[2., 4.]"},
    error=(
        "Trying to backward through the graph a second time (or directly access saved tensors after they "
        "have already been freed). Saved intermediate values of the graph are freed when you call "
        ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph "
        "a second time or if you need to access saved tensors after calling backward."
    ),
)

FIVE = (POWER, TWO_PATHS, ACCUMULATES, TRAINING, TWICE)
