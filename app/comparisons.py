"""Pairs of programs that differ in one line, to be played side by side: what that line does is then seen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two programs. `title` and `summary` are by language."""

    slug: str
    title: dict[str, str]
    summary: dict[str, str]
    first: str
    second: str

    def told_in(self, lang: str) -> dict[str, str]:
        """Return the comparison as one language tells it."""
        url = f"/compare?example={self.slug}"
        return {"slug": self.slug, "title": self.title[lang], "summary": self.summary[lang], "url": url}


WITH_ZERO_GRAD = """\
import torch
w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.25)
for step in range(3):
    loss = (w - 3) ** 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, w.item())
"""
KEPT_GRAPH = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x ** 2).sum()
y.backward(retain_graph=True)
y.backward()
print(x.grad)
"""
WHOLE_GRAPH = """\
import torch
x = torch.tensor(3.0, requires_grad=True)
y = x * x
z = y * x
z.backward()
print(x.grad)
"""

COMPARISONS = (
    Comparison(
        slug="zero-grad",
        title={"en": "With and without zero_grad()", "zh": "有 zero_grad() 与没有 zero_grad()"},
        summary={
            "en": "Without it each backward() adds to the last gradient, and w runs past 3.",
            "zh": "没有它，每次 backward() 都加到上次的梯度上，w 就越过了 3。",
        },
        first=WITH_ZERO_GRAD,
        second=WITH_ZERO_GRAD.replace("    optimizer.zero_grad()", "    # optimizer.zero_grad()"),
    ),
    Comparison(
        slug="retain-graph",
        title={"en": "With and without retain_graph=True", "zh": "有 retain_graph=True 与没有"},
        summary={
            "en": "The first keeps what it saved and can run again; the second has freed it.",
            "zh": "前者留住了保存的张量，可以再来一次；后者已经把它们释放了。",
        },
        first=KEPT_GRAPH,
        second=KEPT_GRAPH.replace("retain_graph=True", ""),
    ),
    Comparison(
        slug="detach",
        title={"en": "Without and with detach()", "zh": "没有 detach() 与有 detach()"},
        summary={
            "en": "The same value of z, but one of its two paths to x is cut: 27 becomes 9.",
            "zh": "z 的值相同，但通往 x 的两条路断了一条：27 变成 9。",
        },
        first=WHOLE_GRAPH,
        second=WHOLE_GRAPH.replace("z = y * x", "z = y.detach() * x"),
    ),
)


def find(slug: str) -> Comparison | None:
    """Return the comparison of that name, or None."""
    return next((one for one in COMPARISONS if one.slug == slug), None)
