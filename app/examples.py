"""The programs a newcomer can start from: code once, title and one line of purpose in each language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """One program. `title` and `summary` are by language."""

    slug: str
    title: dict[str, str]
    summary: dict[str, str]
    code: str

    def told_in(self, lang: str) -> dict[str, str]:
        """Return the example as one language tells it."""
        return {
            "slug": self.slug,
            "title": self.title[lang],
            "summary": self.summary[lang],
            "code": self.code,
            "url": f"/sandbox?example={self.slug}",
        }


EXAMPLES = (
    Example(
        slug="squares",
        title={"en": "The gradient of a sum of squares", "zh": "平方和的梯度"},
        summary={
            "en": "One path from the loss back to x: each operation passes its gradient on.",
            "zh": "从 loss 到 x 只有一条路：每个运算把梯度往回传一步。",
        },
        code="""\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x ** 2
z = y.sum()
loss = z
loss.backward()
print(x.grad)                     # tensor([2., 4.])
""",
    ),
    Example(
        slug="two-paths",
        title={"en": "One tensor, two paths", "zh": "一个张量，两条路径"},
        summary={
            "en": "x is used twice, so two gradients reach it. It waits for both and adds them.",
            "zh": "x 用了两次，于是有两份梯度回到它：它等两份到齐，再相加。",
        },
        code="""\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([0.5, -1.0], requires_grad=True)
y = w * x
z = (y ** 2).sum() + x.sum()      # x is reached by two paths
z.backward()
print(x.grad, w.grad)
""",
    ),
    Example(
        slug="accumulate",
        title={"en": "Why .grad keeps growing", "zh": "为什么 .grad 越来越大"},
        summary={
            "en": "Every backward() adds to .grad until somebody empties it.",
            "zh": "每次 backward() 都加进 .grad，直到有人把它清空。",
        },
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
    ),
    Example(
        slug="training",
        title={"en": "Training a linear layer", "zh": "训练一个线性层"},
        summary={
            "en": "Three rounds of forward, backward, step and zero_grad, to the digit as PyTorch.",
            "zh": "三轮前向、反向、step 与 zero_grad，打印的数字与 PyTorch 一致。",
        },
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
    ),
    Example(
        slug="backward-twice",
        title={"en": "backward() a second time", "zh": "第二次 backward()"},
        summary={
            "en": "The graph is gone after the first pass: PyTorch's error, and what freed the graph.",
            "zh": "第一次之后图已释放：看 PyTorch 的报错，以及是哪一步释放了它。",
        },
        code="""\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x ** 2).sum()
y.backward()
y.backward()                      # PyTorch's own error, at line 5, with what freed the graph
""",
    ),
)

ON_HOME_PAGE = ("squares", "two-paths", "training")


def find(slug: str) -> Example | None:
    """Return the example of that name, or None."""
    return next((example for example in EXAMPLES if example.slug == slug), None)
