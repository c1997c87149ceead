"""The work in PyTorch's words, for our engine and for PyTorch alike: `name(torch)` prepares a run.

A run does forward and backward once and returns the gradients. Leaves and data are made beforehand.
"""

from __future__ import annotations

from tests.bench import data


def leaf(torch, values):
    """Return a tensor that wants its gradient."""
    return torch.tensor(values, requires_grad=True)


def forget(leaves):
    """Empty `.grad`, as `zero_grad()` does."""
    for each in leaves:
        each.grad = None


def grads(leaves):
    """Return the gradients."""
    return [each.grad for each in leaves]


def expression(torch):
    """(a) 20 operations on two scalars: 4 times mul, add, tanh, pow, add."""
    leaves = [leaf(torch, 0.5), leaf(torch, 0.25)]

    def run():
        forget(leaves)
        x, y = leaves
        for _ in range(4):
            x = torch.tanh(x * y + x)
            y = y**2 + x
        y.backward()
        return grads(leaves)

    return run


def scalar_loss(layers, points, relu):
    """(b) The max-margin loss of the network, number by number; `layers` are as `units` makes them."""
    losses = []
    for point, label in zip(points, data.LABELS):
        values = point
        for k, layer in enumerate(layers):
            values = [sum((w * v for w, v in zip(ws, values)), b) for ws, b in layer]
            values = [relu(v) for v in values] if k < 2 else values
        losses.append(relu(1 + -label * values[0]))
    weights = [p for layer in layers for ws, b in layer for p in [*ws, b]]
    return sum(losses) * (1.0 / len(losses)) + data.DECAY * sum(p * p for p in weights)


def units(make):
    """Return the layers of (b), lists of ([weights], bias) of a unit, and every parameter in one list."""
    layers = [[([make(w) for w in ws], make(b)) for ws, b in zip(zip(*rows), bs)] for rows, bs in data.SMALL]
    return layers, [p for layer in layers for ws, b in layer for p in [*ws, b]]


def scalar_network(torch):
    """(b) 2-16-16-1 on 100 points, written with scalars: about 65,000 operations."""
    layers, leaves = units(lambda v: leaf(torch, v))
    points = [[torch.tensor(v) for v in point] for point in data.POINTS]

    def run():
        forget(leaves)
        scalar_loss(layers, points, torch.relu).backward()
        return grads(leaves)

    return run


def tensor_network(torch):
    """(b) 2-16-16-1 on 100 points, written with tensors."""
    leaves = [leaf(torch, part) for layer in data.SMALL for part in layer]
    points, labels = torch.tensor(data.POINTS), torch.tensor([[v] for v in data.LABELS])

    def run():
        forget(leaves)
        w1, b1, w2, b2, w3, b3 = leaves
        h = torch.relu(points @ w1 + b1)
        h = torch.relu(h @ w2 + b2)
        margin = torch.relu(1 - labels * (h @ w3 + b3))
        loss = margin.mean() + data.DECAY * sum((p * p).sum() for p in leaves)
        loss.backward()
        return grads(leaves)

    return run


def layers(torch):
    """(c) Three layers of width 128, 64 rows, mean squared error."""
    leaves = [leaf(torch, part) for layer in data.WIDE for part in layer]
    rows, wanted = torch.tensor(data.ROWS), torch.tensor(data.WANTED)

    def run():
        forget(leaves)
        w1, b1, w2, b2, w3, b3 = leaves
        h = torch.relu(rows @ w1 + b1)
        h = torch.relu(h @ w2 + b2)
        ((h @ w3 + b3 - wanted) ** 2).mean().backward()
        return grads(leaves)

    return run


def chain(torch, length):
    """(d) Elementwise operations one after another on ten values: mul, add, sin in turn."""
    leaves = [leaf(torch, data.TEN)]

    def run():
        forget(leaves)
        along(leaves[0], length, torch.sin).sum().backward()
        return grads(leaves)

    return run


def along(x, length, sin):
    """Return what `length` operations make of x."""
    for i in range(length):
        if i % 3 == 0:
            x = x * 1.001
        elif i % 3 == 1:
            x = x + 0.5
        else:
            x = sin(x)
    return x


def chain_1000(torch):
    """(d) 1,000 of them."""
    return chain(torch, 1_000)


def chain_10000(torch):
    """(d) 10,000 of them."""
    return chain(torch, 10_000)


def convolutions(torch):
    """(e) Two convolutions with a pooling between them, a linear layer, cross entropy."""
    kernels = [leaf(torch, part) for layer in data.KERNELS for part in layer]
    leaves = [*kernels, *(leaf(torch, part) for part in data.LAST)]
    pictures, classes = torch.tensor(data.PICTURES), torch.tensor(data.CLASSES)
    conv2d, pool = torch.nn.functional.conv2d, torch.nn.functional.max_pool2d
    cross_entropy = torch.nn.functional.cross_entropy

    def run():
        forget(leaves)
        k1, b1, k2, b2, w, b = leaves
        h = pool(torch.relu(conv2d(pictures, k1, b1)), 2)
        h = torch.relu(conv2d(h, k2, b2)).flatten(1)
        cross_entropy(h @ w + b, classes).backward()
        return grads(leaves)

    return run


def attention(torch):
    """(f) Self-attention with four heads and a residual connection; the loss is the mean square."""
    leaves = [leaf(torch, data.TOKENS), *(leaf(torch, w) for w in data.PROJECTIONS)]

    def run():
        forget(leaves)
        x, wq, wk, wv, wo = leaves
        q, k, v = [(x @ w).view(4, 16, 4, 16).transpose(1, 2) for w in (wq, wk, wv)]
        mixed = torch.softmax(q @ k.transpose(-2, -1) * 0.25, dim=-1) @ v
        y = x + mixed.transpose(1, 2).reshape(4, 16, 64) @ wo
        (y * y).mean().backward()
        return grads(leaves)

    return run
