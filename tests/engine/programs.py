"""Random small autograd programs, from a seed: the same seed gives the same text.

Every program is legal Python with `import torch`; whether it ends in an error is for PyTorch to say.
"""

from __future__ import annotations

import random

SHAPES = [(), (1,), (3,), (2, 3), (1, 3), (2, 1), (3, 2)]
UNARY = [
    "{}.exp()", "{}.sin()", "{}.cos()", "{}.tanh()", "{}.sigmoid()", "{}.relu()", "{}.abs()", "-{}",
    "{} ** 2", "{} ** 3", "({} * 0.5) ** 2", "2 - {}", "1 / ({}.abs() + 1)", "({}.abs() + 0.5).log()",
    "({} ** 2 + 1).sqrt()", "{} / 2", "{} + 1", "3 * {}", "2 ** {}", "{}.clone()", "{} * 1",
]  # fmt: skip
LITERALS = [-1.5, -1.0, -0.5, 0.25, 0.5, 1.0, 1.5, 2.0]


class Writer:
    """Writes one program: keeps the names, their shapes, and which are leaves."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)
        self.lines = ["import torch"]
        self.shapes: dict[str, tuple] = {}
        self.leaves: list[str] = []
        self.fresh: set[str] = set()  # results nobody has seen yet: may be written in place

    def name(self) -> str:
        return f"v{len(self.shapes)}"

    def add(self, text: str, shape: tuple, fresh: bool = True) -> str:
        name = self.name()
        self.lines.append(f"{name} = {text}")
        self.shapes[name] = shape
        if fresh:
            self.fresh.add(name)
        return name

    def literal(self, shape: tuple) -> str:
        if not shape:
            return repr(self.pick.choice(LITERALS))
        return "[" + ", ".join(self.literal(shape[1:]) for _ in range(shape[0])) + "]"

    def leaf(self) -> None:
        shape = self.pick.choice(SHAPES)
        grad = self.pick.random() < 0.85 or not self.leaves
        name = self.add(
            f"torch.tensor({self.literal(shape)}{', requires_grad=True' if grad else ''})", shape, False
        )
        if grad:
            self.leaves.append(name)

    def any(self) -> str:
        return self.pick.choice(list(self.shapes))

    # ----- statements -----
    def unary(self) -> None:
        x = self.any()
        self.add(self.pick.choice(UNARY).format(x), self.shapes[x])

    def binary(self) -> None:
        x, y = self.any(), self.any()
        shape = broadcast(self.shapes[x], self.shapes[y])
        if shape is not None:
            sign = self.pick.choice(["+", "-", "*", "*"])
            self.add(f"{x} {sign} {y}", shape)

    def reduce(self) -> None:
        x = self.any()
        shape, how = self.shapes[x], self.pick.choice(["sum", "mean"])
        if shape and self.pick.random() < 0.6:
            dim = self.pick.randrange(len(shape))
            keep = self.pick.random() < 0.5
            left = tuple(1 if i == dim else s for i, s in enumerate(shape) if keep or i != dim)
            self.add(f"{x}.{how}({dim}{', keepdim=True' if keep else ''})", left)
        else:
            self.add(f"{x}.{how}()", ())

    def reshape(self) -> None:
        x = self.any()
        shape = self.shapes[x]
        if len(shape) == 2:
            flat = (shape[0] * shape[1],)
            text, after = self.pick.choice([
                (f"{x}.T", shape[::-1]), (f"{x}.t()", shape[::-1]), (f"{x}.transpose(0, 1)", shape[::-1]),
                (f"{x}.reshape(-1)", flat), (f"{x}[0]", shape[1:]), (f"{x}[:, 0]", shape[:1]),
                (f"{x}[0, {shape[1] - 1}]", ()), (f"{x}.unsqueeze(0)", (1, *shape)),
                (f"{x}[:, :1]", (shape[0], 1)),
            ])  # fmt: skip
        elif len(shape) == 1:
            text, after = self.pick.choice([
                (f"{x}.unsqueeze(0)", (1, *shape)), (f"{x}.view({shape[0]}, 1)", (*shape, 1)),
                (f"{x}[0]", ()),
                (f"{x}.expand(2, {shape[0]})", (2, *shape)), (f"{x}[:1]", (1,)), (f"{x}[[0, 0]]", (2,)),
            ])  # fmt: skip
        else:
            text, after = (
                f"{x}.expand(3)" if not shape else f"{x}.squeeze()",
                (3,) if not shape else squeezed(shape),
            )
        self.add(text, after, False)

    def matmul(self) -> None:
        x, y = self.any(), self.any()
        a, b = self.shapes[x], self.shapes[y]
        if len(a) in (1, 2) and len(b) in (1, 2) and a[-1] == b[0]:
            self.add(f"{x} @ {y}", a[:-1] + b[1:])

    def join(self) -> None:
        x = self.any()
        same = [n for n, s in self.shapes.items() if s == self.shapes[x]]
        y = self.pick.choice(same)
        if self.shapes[x]:
            shape = (self.shapes[x][0] * 2, *self.shapes[x][1:])
            self.add(f"torch.cat([{x}, {y}])", shape)
        else:
            self.add(f"torch.stack([{x}, {y}])", (2,))

    def inplace(self) -> None:
        names = [n for n in self.fresh if self.shapes[n]]
        if not names:
            return
        x = self.pick.choice(sorted(names))
        y = self.any()
        forms = [f"{x}.mul_(2)", f"{x}.add_(1)", f"{x}[0] = 0.5", f"{x}[0].mul_(3)", f"{x} *= {x}.detach()"]
        if broadcast(self.shapes[x], self.shapes[y]) == self.shapes[x]:
            forms += [f"{x}.add_({y})", f"{x}.mul_({y})", f"{x} -= {y}"]
        self.lines.append(self.pick.choice(forms))

    def watch(self) -> None:
        names = [n for n in self.shapes if n not in self.leaves]
        if names:
            x = self.pick.choice(names)
            text = self.pick.choice([f"{x}.retain_grad()", f"{x}.register_hook(lambda g: g * 2)"])
            self.lines.append(f"if {x}.requires_grad: {text}")

    def cut(self) -> None:
        x = self.any()
        self.add(f"{x}.detach()", self.shapes[x], False)

    def backward(self) -> None:
        parts = self.pick.sample(list(self.shapes), min(len(self.shapes), self.pick.randint(1, 3)))
        loss = self.add(" + ".join(f"{p}.sum()" for p in parts), ())
        keep = self.pick.choice(["", "", "retain_graph=True"])
        self.lines.append(f"if {loss}.requires_grad: {loss}.backward({keep})")
        if self.pick.random() < 0.15:
            self.lines.append(f"if {loss}.requires_grad: {loss}.backward()")

    def program(self) -> str:
        for _ in range(self.pick.randint(1, 3)):
            self.leaf()
        kinds = [self.unary] * 5 + [self.binary] * 5 + [self.reduce] * 2 + [self.reshape] * 3 + [
            self.matmul, self.join, self.inplace, self.inplace, self.watch, self.watch, self.cut,
        ]  # fmt: skip
        for _ in range(self.pick.randint(1, 2)):
            for _ in range(self.pick.randint(3, 9)):
                self.pick.choice(kinds)()
            self.backward()
        self.lines += [f"print({leaf}.grad)" for leaf in self.leaves]
        return "\n".join(self.lines) + "\n"


def broadcast(a: tuple, b: tuple) -> tuple | None:
    """Return the broadcast shape, or None."""
    out = []
    for i in range(1, max(len(a), len(b)) + 1):
        x, y = (a[-i] if i <= len(a) else 1), (b[-i] if i <= len(b) else 1)
        if x != y and 1 not in (x, y):
            return None
        out.append(max(x, y))
    return tuple(reversed(out))


def squeezed(shape: tuple) -> tuple:
    return tuple(s for s in shape if s != 1)


def program(seed: int) -> str:
    """Return the text of the program with this seed."""
    return Writer(seed).program()
