"""Hypothesis draws small smooth programs: broadcasting, reuse, views, writes in place, hooks, backward calls.

Every program is legal PyTorch and has a derivative everywhere, so that finite differences can be the judge.
A body speaks of its leaves a, b, c, of `torch`, and of three doors that whoever runs it provides:
`backward(x)`, `retain(x)` and `double(x)` (a hook that doubles the gradient of x).
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from tests.engine.programs import broadcast

SHAPES = [(), (1,), (3,), (2, 3), (1, 3), (2, 1), (2, 2)]
NUMBERS = st.sampled_from([-1.25, -0.75, -0.5, 0.25, 0.5, 1.0, 1.5])
UNARY = [
    "{}.sin()", "{}.cos()", "{}.tanh()", "{}.sigmoid()", "-{}", "{} ** 2", "0.5 * {}", "2 - {}",
    "{} / 2", "{} + 1", "1 / ({} ** 2 + 1)", "({} ** 2 + 1).log()", "({} ** 2 + 1).sqrt()", "{}.sin().exp()",
    "{}.clone()", "torch.nn.functional.softplus({})", "torch.where({0} > 9, {0} * 3, {0})",
]  # fmt: skip
BINARY = ["{} + {}", "{} - {}", "{} * {}", "{} / ({} ** 2 + 1)", "torch.atan2({}, {} ** 2 + 1)"]
WRITES = [
    "{x}.mul_(2)", "{x}.add_({y})", "{x}.mul_({y})", "{x} -= {y}", "{x}.sin_()", "{x}.copy_({y})", "{x} /= 2",
]  # fmt: skip
PARTS = {
    1: ["{x}[0]", "{x}[:1]", "{x}.view(-1)", "{x}.unsqueeze(0)"],
    2: ["{x}[0]", "{x}[:, 0]", "{x}[:, 1:]", "{x}.t()", "{x}.unsqueeze(0)", "{x}.transpose(0, 1)[0]"],
}
SPELLED = {  # what a program on its own says at the doors
    "backward": "if {0}.requires_grad: {0}.backward(retain_graph=True)",
    "retain": "if {0}.requires_grad: {0}.retain_grad()",
    "double": "if {0}.requires_grad: {0}.register_hook(lambda g: g * 2)",
}


@dataclass(frozen=True)
class Program:
    """Leaves as (name, shape, numbers, requires grad), and the lines that use them."""

    leaves: tuple[tuple[str, tuple, tuple, bool], ...]
    lines: tuple[str, ...]

    @property
    def body(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines) + "\n"

    @property
    def snippet(self) -> str:
        """The program as a text of its own, leaves and all, as PyTorch could run it."""
        lines = ["import torch"]
        for name, shape, numbers, wants in self.leaves:
            made = f"torch.tensor({list(numbers)}, dtype=torch.float64).reshape({shape})"
            lines.append(f"{name} = {made}" + (".requires_grad_()" if wants else ""))
        for line in self.lines:
            door, _, name = line.partition("(")
            lines.append(SPELLED[door].format(name[:-1]) if door in SPELLED else line)
        lines += [f"print({name}.grad)" for name, *_ in self.leaves]
        return "\n".join(lines) + "\n"


class Writer:
    """Writes one program with what `draw` decides."""

    def __init__(self, draw) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.shapes: dict[str, tuple] = {}

    def pick(self, choices):
        return self.draw(st.sampled_from(list(choices)))

    def any(self) -> str:
        return self.pick(self.shapes)

    def add(self, text: str, shape: tuple) -> str:
        name = f"v{len(self.shapes)}"
        self.lines.append(f"{name} = {text}")
        self.shapes[name] = shape
        return name

    # ----- statements -----
    def unary(self) -> None:
        x = self.any()
        self.add(self.pick(UNARY).format(x), self.shapes[x])

    def binary(self) -> None:
        x = self.any()
        fitting = [y for y, s in self.shapes.items() if broadcast(self.shapes[x], s) is not None]
        y = self.pick(fitting)
        self.add(self.pick(BINARY).format(x, y), broadcast(self.shapes[x], self.shapes[y]))

    def reduce(self) -> None:
        x = self.any()
        shape, how = self.shapes[x], self.pick(["sum", "mean", "logsumexp"])
        if not shape:
            return
        dim, keep = self.pick(range(len(shape))), self.draw(st.booleans())
        left = tuple(1 if i == dim else s for i, s in enumerate(shape) if keep or i != dim)
        self.add(f"{x}.{how}({dim}, keepdim={keep})", left)

    def view(self) -> None:
        x = self.any()
        shape = self.shapes[x]
        if len(shape) == 2:
            flat = (shape[0] * shape[1],)
            forms = [(f"{x}.T", shape[::-1]), (f"{x}.reshape(-1)", flat), (f"{x}[0]", shape[1:]),
                     (f"{x}[:, :1]", (shape[0], 1)), (f"{x}[[0, 0]]", (2, shape[1]))]  # fmt: skip
        elif shape:
            forms = [
                (f"{x}.unsqueeze(0)", (1, *shape)),
                (f"{x}.unsqueeze(1)", (*shape, 1)),
                (f"{x}.expand(2, {shape[0]})", (2, *shape)),
                (f"{x}.flip(0)", shape),
                (f"{x}[0]", ()),
            ]
        else:
            forms = [(f"{x}.expand(3)", (3,)), (f"{x}.view(1)", (1,))]
        self.add(*self.pick(forms))

    def join(self) -> None:
        x = self.any()
        y = self.pick([n for n, s in self.shapes.items() if s == self.shapes[x]])
        shape = self.shapes[x]
        if shape:
            self.add(f"torch.cat([{x}, {y}])", (2 * shape[0], *shape[1:]))
        else:
            self.add(f"torch.stack([{x}, {y}])", (2,))

    def product(self) -> None:
        pairs = [(x, y) for x, a in self.shapes.items() for y, b in self.shapes.items()
                 if a and len(b) in (1, 2) and len(a) in (1, 2) and a[-1] == b[0]]  # fmt: skip
        if pairs:
            x, y = self.pick(pairs)
            self.add(f"{x} @ {y}", self.shapes[x][:-1] + self.shapes[y][1:])

    def written(self) -> None:
        """Write a copy in place, whole and through views; nothing has saved what is overwritten."""
        source = self.any()
        shape = self.shapes[source]
        x = self.add(f"{source} * 1", shape)
        for _ in range(self.draw(st.integers(1, 3))):
            numbers = [n for n, s in self.shapes.items() if s == () and n != x]
            target = x
            if shape and self.draw(st.booleans()):
                target = self.pick(PARTS[len(shape)]).format(x=x)
                if self.draw(st.booleans()):  # a named view sees later writes to its base
                    self.lines.append(f"part = {target}")
                    target = "part"
            y = self.pick(numbers or ["0.5"])
            form = self.pick([w for w in WRITES if y != "0.5" or "copy_" not in w]).format(x=target, y=y)
            self.lines.append(form if "=" not in form or target in (x, "part") else f"{target}.mul_(3)")
        if any(line.startswith("part =") for line in self.lines[-6:]):
            self.add("part.sum()", ())

    def watch(self) -> None:
        """Only a name that the line before has made: nothing has used it yet."""
        name, made, _ = (self.lines or [""])[-1].partition(" = ")
        if made and name in self.shapes:
            self.lines.append(f"{self.pick(['retain', 'double'])}({name})")

    def backward(self) -> None:
        parts = self.draw(st.lists(st.sampled_from(list(self.shapes)), min_size=1, max_size=3))
        loss = self.add(" + ".join(f"{p}.sum()" for p in parts), ())
        self.lines.append(f"backward({loss})")


@st.composite
def programs(draw, hooks: bool = False) -> Program:
    """Draw a program; with `hooks`, some of them double a gradient on its way."""
    writer, leaves = Writer(draw), []
    for i, name in enumerate("abc"[: draw(st.integers(1, 3))]):
        shape = draw(st.sampled_from(SHAPES))
        count = 1
        for size in shape:
            count *= size
        numbers = tuple(draw(st.lists(NUMBERS, min_size=count, max_size=count)))
        leaves.append((name, shape, numbers, i == 0 or draw(st.booleans())))
        writer.shapes[name] = shape
    kinds = [writer.unary, writer.binary, writer.reduce, writer.view, writer.join, writer.product]
    kinds += [writer.written, writer.binary, writer.backward, *([writer.watch] * 2 if hooks else [])]
    for kind in draw(st.lists(st.sampled_from(kinds), min_size=4, max_size=14)):
        kind()
    writer.backward()
    return Program(tuple(leaves), tuple(writer.lines))
