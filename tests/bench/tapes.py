"""The work for the two small engines: micrograd, which knows scalars, and HIPS autograd, which wraps NumPy.

micrograd has no tanh; in (a) its relu stands in for it, one operation for one.
"""

from __future__ import annotations

import importlib

import numpy as np

from tests.bench import data
from tests.bench.floors import arrays
from tests.bench.programs import along, scalar_loss, units


class Micrograd:
    """What can be written with scalars."""

    def __init__(self) -> None:
        self.value = importlib.import_module("micrograd.engine").Value

    def expression(self):
        """(a)"""
        leaves = [self.value(0.5), self.value(0.25)]

        def run():
            x, y = leaves
            x.grad = y.grad = 0
            for _ in range(4):
                x = (x * y + x).relu()
                y = y**2 + x
            y.backward()
            return [each.grad for each in leaves]

        return run

    def scalar_network(self):
        """(b) Its own demonstration, in size and kind."""
        layers, leaves = units(self.value)
        points = [[self.value(v) for v in point] for point in data.POINTS]

        def run():
            for each in leaves:
                each.grad = 0
            scalar_loss(layers, points, self.value.relu).backward()
            return [each.grad for each in leaves]

        return run

    tensor_network = scalar_network  # it has no tensors


class Autograd:
    """The same sums in `autograd.numpy`, gradients by `autograd.grad`."""

    def __init__(self) -> None:
        self.np = importlib.import_module("autograd.numpy")
        self.grad = importlib.import_module("autograd").grad

    def of_all(self, loss, leaves):
        """Return a run that differentiates `loss(*leaves)` by every leaf."""
        slopes = self.grad(lambda all_of_them: loss(*all_of_them))
        return lambda: slopes(leaves)

    def relu(self, x):
        """It has none of its own."""
        return self.np.maximum(x, 0)

    def expression(self):
        """(a)"""

        def last(x, y):
            for _ in range(4):
                x = self.np.tanh(x * y + x)
                y = y**2 + x
            return y

        return self.of_all(last, [np.float32(0.5), np.float32(0.25)])

    def scalar_network(self):
        """(b)"""
        _, flat = units(np.float32)
        points = [[np.float32(v) for v in point] for point in data.POINTS]

        def loss(*leaves):
            following = iter(leaves)
            layers = [
                [([next(following) for _ in rows], next(following)) for _ in bs] for rows, bs in data.SMALL
            ]
            return scalar_loss(layers, points, self.relu)

        return self.of_all(loss, flat)

    def tensor_network(self):
        """(b)"""
        points, labels = arrays(data.POINTS, [[v] for v in data.LABELS])

        def loss(w1, b1, w2, b2, w3, b3):
            h = self.relu(points @ w1 + b1)
            h = self.relu(h @ w2 + b2)
            margin = self.relu(1 - labels * (h @ w3 + b3))
            return margin.mean() + data.DECAY * sum((p * p).sum() for p in (w1, b1, w2, b2, w3, b3))

        return self.of_all(loss, arrays(*(part for layer in data.SMALL for part in layer)))

    def layers(self):
        """(c)"""
        rows, wanted = arrays(data.ROWS, data.WANTED)

        def loss(w1, b1, w2, b2, w3, b3):
            h = self.relu(rows @ w1 + b1)
            h = self.relu(h @ w2 + b2)
            return ((h @ w3 + b3 - wanted) ** 2).mean()

        return self.of_all(loss, arrays(*(part for layer in data.WIDE for part in layer)))

    def chain(self, length):
        """(d)"""
        return self.of_all(lambda x: along(x, length, self.np.sin).sum(), arrays(data.TEN))

    def chain_1000(self):
        """(d)"""
        return self.chain(1_000)

    def chain_10000(self):
        """(d)"""
        return self.chain(10_000)

    def conv(self, x, kernel, bias):
        """Convolve by nine shifted slices, side by side: it cannot differentiate a view of windows."""
        h, w = x.shape[2] - 2, x.shape[3] - 2
        parts = [x[:, :, i : i + h, j : j + w] for i in range(3) for j in range(3)]
        cols = self.np.stack(parts, -1).transpose((0, 2, 3, 1, 4)).reshape((-1, x.shape[1] * 9))
        y = cols @ kernel.reshape((kernel.shape[0], -1)).T + bias
        return y.reshape((x.shape[0], h, w, -1)).transpose((0, 3, 1, 2))

    def convolutions(self):
        """(e)"""
        (pictures,), every = arrays(data.PICTURES), np.arange(8)

        def loss(k1, b1, k2, b2, w, b):
            h = self.relu(self.conv(pictures, k1, b1)).reshape((8, 4, 5, 2, 5, 2))
            h = self.np.max(self.np.max(h, 5), 3)
            h = self.relu(self.conv(h, k2, b2)).reshape((8, 72))
            z = h @ w + b
            z = z - self.np.max(z, 1, keepdims=True)
            log_p = z - self.np.log(self.np.sum(self.np.exp(z), 1, keepdims=True))
            return -self.np.mean(log_p[every, data.CLASSES])

        return self.of_all(loss, arrays(*(part for layer in [*data.KERNELS, data.LAST] for part in layer)))

    def attention(self):
        """(f)"""

        def loss(x, wq, wk, wv, wo):
            q, k, v = [(x @ w).reshape((4, 16, 4, 16)).transpose((0, 2, 1, 3)) for w in (wq, wk, wv)]
            s = q @ k.transpose((0, 1, 3, 2)) * 0.25
            e = self.np.exp(s - self.np.max(s, -1, keepdims=True))
            mixed = e / self.np.sum(e, -1, keepdims=True) @ v
            y = x + mixed.transpose((0, 2, 1, 3)).reshape((4, 16, 64)) @ wo
            return (y * y).mean()

        return self.of_all(loss, arrays(data.TOKENS, *data.PROJECTIONS))
