"""The numbers that every engine gets: nested lists of floats, the same for all, made without NumPy."""

from __future__ import annotations

import math
import random


def normal(shape: tuple[int, ...], scale: float, seed: int) -> list:
    """Return nested lists of this shape: normal numbers times `scale`."""
    draw = random.Random(seed)

    def part(sizes: tuple[int, ...]):
        return [part(sizes[1:]) for _ in range(sizes[0])] if sizes else draw.gauss(0.0, 1.0) * scale

    return part(shape)


def moons(count: int) -> tuple[list, list]:
    """Return `count` points on two half circles that reach into each other, and their labels -1 and 1."""
    draw, points, labels = random.Random(7), [], []
    for i in range(count):
        angle, upper = math.pi * draw.random(), i % 2 == 0
        x, y = math.cos(angle), math.sin(angle)
        x, y = (x, y) if upper else (1.0 - x, 0.5 - y)
        points.append([x + draw.gauss(0.0, 0.1), y + draw.gauss(0.0, 0.1)])
        labels.append(1.0 if upper else -1.0)
    return points, labels


# (b) 2-16-16-1 on 100 points: a layer is its weights, a list per input, and its biases
POINTS, LABELS = moons(100)
SMALL = [(normal((2, 16), 0.7, 1), [0.1] * 16), (normal((16, 16), 0.3, 2), [0.1] * 16)]
SMALL += [(normal((16, 1), 0.3, 3), [0.0])]
DECAY = 1e-4

# (c) three layers of width 128, 64 rows
WIDE = [(normal((128, 128), 0.1, 4 + k), normal((128,), 0.1, 8 + k)) for k in range(3)]
ROWS, WANTED = normal((64, 128), 1.0, 12), normal((64, 128), 1.0, 13)

# (d) ten values
TEN = [0.1 * i for i in range(10)]

# (e) 8 pictures of 1x12x12: convolution to 4 channels, pooling, convolution to 8 channels, 10 classes
PICTURES, CLASSES = normal((8, 1, 12, 12), 1.0, 14), [3, 1, 4, 1, 5, 9, 2, 6]
KERNELS = [(normal((4, 1, 3, 3), 0.3, 15), [0.1] * 4), (normal((8, 4, 3, 3), 0.2, 16), [0.1] * 8)]
LAST = (normal((72, 10), 0.1, 17), [0.0] * 10)

# (f) 4 sequences of 16 tokens of width 64, 4 heads of 16: query, key, value, output
TOKENS = normal((4, 16, 64), 1.0, 18)
PROJECTIONS = [normal((64, 64), 0.125, 19 + k) for k in range(4)]
