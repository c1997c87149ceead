"""The floor: the same NumPy calls with no graph, forward and backward as a person writes them by hand.

What backward needs is kept in variables. Nothing is computed that no gradient needs, and nothing is copied.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.bench import data
from tests.bench.programs import units


def arrays(*parts):
    """Return nested lists as float32 arrays."""
    return [np.array(part, np.float32) for part in parts]


def expression():
    """(a) On NumPy's scalars."""
    start = np.float32(0.5), np.float32(0.25)

    def run():
        x, y = start
        kept = []
        for _ in range(4):
            s = np.tanh(x * y + x)
            kept.append((x, y, s))
            x, y = s, y**2 + s
        gx, gy = np.float32(0), np.float32(1)
        for x, y, s in reversed(kept):
            g = (gx + gy) * (1 - s * s)
            gx = g * y + g
            gy = gy * (2 * y) + g * x
        return [gx, gy]

    return run


def scalar_network():
    """(b) Number by number, on NumPy's scalars."""
    zero, one = np.float32(0), np.float32(1)
    layers, flat = units(np.float32)
    points = [[np.float32(v) for v in point] for point in data.POINTS]
    share = np.float32(1 / len(points))

    def run():
        sums = [[([zero] * len(ws), zero) for ws, _ in layer] for layer in layers]
        total = zero
        for point, label in zip(points, data.LABELS):
            kept, values = [], point
            for k, layer in enumerate(layers):
                kept.append(values)
                values = [sum((w * v for w, v in zip(ws, values)), b) for ws, b in layer]
                values = [v if v > 0 else zero for v in values] if k < 2 else values
            margin = one - np.float32(label) * values[0]
            total = total + (margin if margin > 0 else zero)
            backward(kept, [-np.float32(label) * share if margin > 0 else zero], layers, sums)
        total * share + data.DECAY * sum(p * p for p in flat)
        found = [g for layer in sums for gs, gb in layer for g in [*gs, gb]]
        return [g + 2 * data.DECAY * p for g, p in zip(found, flat)]

    return run


def backward(kept, grads, layers, sums):
    """Add one point's gradients to `sums`, layer by layer from the last."""
    for k in (2, 1, 0):
        values = kept[k]
        below = [np.float32(0)] * len(values)
        for j, g in enumerate(grads):
            gs, gb = sums[k][j]
            sums[k][j] = [s + g * v for s, v in zip(gs, values)], gb + g
            if k:
                below = [d + g * w for d, w in zip(below, layers[k][j][0])]
        grads = [g if v > 0 else np.float32(0) for g, v in zip(below, values)]


def tensor_network():
    """(b) On arrays."""
    leaves = arrays(*(part for layer in data.SMALL for part in layer))
    points, labels = arrays(data.POINTS, [[v] for v in data.LABELS])

    def run():
        w1, b1, w2, b2, w3, b3 = leaves
        h1 = np.maximum(points @ w1 + b1, 0)
        h2 = np.maximum(h1 @ w2 + b2, 0)
        margin = np.maximum(1 - labels * (h2 @ w3 + b3), 0)
        margin.mean() + data.DECAY * sum((p * p).sum() for p in leaves)
        g3 = labels * (margin > 0) * (-1 / len(margin))
        g2 = g3 @ w3.T * (h2 > 0)
        g1 = g2 @ w2.T * (h1 > 0)
        found = [points.T @ g1, g1.sum(0), h1.T @ g2, g2.sum(0), h2.T @ g3, g3.sum(0)]
        return [g + 2 * data.DECAY * p for g, p in zip(found, leaves)]

    return run


def layers():
    """(c) On arrays."""
    leaves = arrays(*(part for layer in data.WIDE for part in layer))
    rows, wanted = arrays(data.ROWS, data.WANTED)

    def run():
        w1, b1, w2, b2, w3, b3 = leaves
        h1 = np.maximum(rows @ w1 + b1, 0)
        h2 = np.maximum(h1 @ w2 + b2, 0)
        off = h2 @ w3 + b3 - wanted
        (off**2).mean()
        g3 = off * (2 / off.size)
        g2 = g3 @ w3.T * (h2 > 0)
        g1 = g2 @ w2.T * (h1 > 0)
        return [rows.T @ g1, g1.sum(0), h1.T @ g2, g2.sum(0), h2.T @ g3, g3.sum(0)]

    return run


def chain(length):
    """(d) What sin needs is kept; adding needs nothing at all."""
    (start,) = arrays(data.TEN)

    def run():
        x, kept = start, []
        for i in range(length):
            if i % 3 == 0:
                x = x * 1.001
            elif i % 3 == 1:
                x = x + 0.5
            else:
                kept.append(x)
                x = np.sin(x)
        x.sum()
        grad = np.ones(10, np.float32)
        for i in range(length - 1, -1, -1):
            if i % 3 == 0:
                grad = grad * 1.001
            elif i % 3 == 2:
                grad = grad * np.cos(kept.pop())
        return [grad]

    return run


def chain_1000():
    """(d) 1,000 of them."""
    return chain(1_000)


def chain_10000():
    """(d) 10,000 of them."""
    return chain(10_000)


def patches(x):
    """Return every 3x3 window of (n, channels, h, w) as a row: (n * h-2 * w-2, channels * 9)."""
    windows = sliding_window_view(x, (3, 3), axis=(2, 3)).transpose(0, 2, 3, 1, 4, 5)
    return windows.reshape(-1, x.shape[1] * 9)


def convolutions():
    """(e) Convolution as a product with the windows; channels come last in between."""
    leaves = arrays(*(part for layer in [*data.KERNELS, data.LAST] for part in layer))
    (pictures,), classes, every = arrays(data.PICTURES), np.array(data.CLASSES), np.arange(8)

    def run():
        k1, b1, k2, b2, w, b = leaves
        cols1 = patches(pictures)
        h1 = np.maximum(cols1 @ k1.reshape(4, 9).T + b1, 0)
        squares = h1.reshape(8, 5, 2, 5, 2, 4)
        top = squares.max((2, 4), keepdims=True)
        cols2 = patches(top.reshape(8, 5, 5, 4).transpose(0, 3, 1, 2))
        h2 = np.maximum(cols2 @ k2.reshape(8, 36).T + b2, 0)
        flat = h2.reshape(8, 9, 8).transpose(0, 2, 1).reshape(8, 72)
        z = flat @ w + b
        e = np.exp(z - z.max(1, keepdims=True))
        p = e / e.sum(1, keepdims=True)
        -np.log(p[every, classes]).mean()
        p[every, classes] -= 1
        g = p / 8
        gh2 = (g @ w.T).reshape(8, 8, 9).transpose(0, 2, 1).reshape(72, 8) * (h2 > 0)
        windows = (gh2 @ k2.reshape(8, 36)).reshape(8, 3, 3, 4, 3, 3)
        gtop = np.zeros((8, 5, 5, 4), np.float32)
        for i in range(3):
            for j in range(3):
                gtop[:, i : i + 3, j : j + 3] += windows[..., i, j]
        gh1 = ((squares == top) * gtop.reshape(8, 5, 1, 5, 1, 4)).reshape(800, 4) * (h1 > 0)
        first = [(gh1.T @ cols1).reshape(4, 1, 3, 3), gh1.sum(0)]
        return [*first, (gh2.T @ cols2).reshape(8, 4, 3, 3), gh2.sum(0), flat.T @ g, g.sum(0)]

    return run


def attention():
    """(f) On arrays; the projections are products with all 64 tokens at once."""
    x, wq, wk, wv, wo = arrays(data.TOKENS, *data.PROJECTIONS)

    def heads(rows):
        return rows.reshape(4, 16, 4, 16).transpose(0, 2, 1, 3)

    def merged(parts):
        return parts.transpose(0, 2, 1, 3).reshape(64, 64)

    def run():
        rows = x.reshape(64, 64)
        q, k, v = heads(rows @ wq), heads(rows @ wk), heads(rows @ wv)
        s = q @ k.transpose(0, 1, 3, 2) * 0.25
        e = np.exp(s - s.max(-1, keepdims=True))
        a = e / e.sum(-1, keepdims=True)
        mixed = merged(a @ v)
        y = rows + mixed @ wo
        (y * y).mean()
        gy = y * (2 / y.size)
        gmixed = heads(gy @ wo.T)
        ga = gmixed @ v.transpose(0, 1, 3, 2)
        gs = (ga - (ga * a).sum(-1, keepdims=True)) * a * 0.25
        gq, gk, gv = (
            merged(gs @ k),
            merged(gs.transpose(0, 1, 3, 2) @ q),
            merged(a.transpose(0, 1, 3, 2) @ gmixed),
        )
        gx = gy + gq @ wq.T + gk @ wk.T + gv @ wv.T
        return [gx.reshape(4, 16, 64), rows.T @ gq, rows.T @ gk, rows.T @ gv, mixed.T @ gy]

    return run
