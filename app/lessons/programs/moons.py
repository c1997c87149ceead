import math
import random
import torch

random.seed(3)
points, labels = [], []
for i in range(8):                               # two half circles, as in micrograd's demo
    angle = math.pi * i / 7
    points += [(math.cos(angle), math.sin(angle)), (1 - math.cos(angle), 0.5 - math.sin(angle))]
    labels += [1.0, -1.0]


def number():
    return torch.tensor(random.uniform(-1, 1), requires_grad=True)


hidden = [[number() for _ in range(3)] for _ in range(4)]
output = [number() for _ in range(5)]


def score(px, py):
    activations = []
    for wx, wy, bias in hidden:
        activations.append((wx * px + wy * py + bias).relu())
    total = output[4]
    for w, a in zip(output, activations):
        total = total + w * a
    return total


parameters = [p for row in hidden for p in row] + output
for step in range(2):
    losses = [(1 - label * score(px, py)).relu() for (px, py), label in zip(points, labels)]
    loss = sum(losses) / len(losses)
    for p in parameters:
        p.grad = None
    loss.backward()
    with torch.no_grad():
        for p in parameters:
            p -= 0.5 * p.grad
    print(step, loss.item())
