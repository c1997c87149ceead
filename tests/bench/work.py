"""What is timed: each function returns the same work as a dict of tasks, one per engine."""

from __future__ import annotations

import importlib

import numpy as np

from engine import events, facade
from engine.trace.limits import Limits
from engine.trace.recorder import Recorder

torch = facade.modules()["torch"]
MANY = Limits(rows=10**9, made=10**12)
rng = np.random.default_rng(0)


def recorded(task):
    """Return the task with a recorder watching."""

    def run():
        with events.observed_by(Recorder("", MANY)):
            task()

    return run


# ----- (a) a scalar expression of 20 operations -----
def expression(x, y, tanh, exp):
    """Combine two scalars in 20 operations."""
    for _ in range(4):
        x = tanh(x * y + x) * 0.5
        y = exp(-y) + x
    return x * y


def scalars(others):
    """Return the tasks of (a)."""

    def ours():
        x, y = torch.tensor(0.5, requires_grad=True), torch.tensor(0.25, requires_grad=True)
        expression(x, y, torch.tanh, torch.exp).backward()

    def floor():
        x, y = np.float32(0.5), np.float32(0.25)
        expression(x, y, np.tanh, np.exp)
        expression(x, y, np.tanh, np.exp)
        expression(x, y, np.tanh, np.exp)

    def theirs(t):
        x, y = t.tensor(0.5, requires_grad=True), t.tensor(0.25, requires_grad=True)
        expression(x, y, t.tanh, t.exp).backward()

    tasks = {"floor": floor, "gradstep": ours, "recorded": recorded(ours)}
    if "autograd" in others:
        import autograd
        import autograd.numpy as anp

        slope = autograd.grad(lambda pair: expression(pair[0], pair[1], anp.tanh, anp.exp))
        tasks["autograd"] = lambda: slope(np.array([0.5, 0.25]))
    if "torch" in others:
        tasks["torch"] = with_torch(theirs)
    return tasks


# ----- (c) three layers, batch 64, width 128 -----
SIZES = [(128, 128), (128, 128), (128, 10)]
WEIGHTS = [rng.standard_normal(s).astype(np.float32) / 11 for s in SIZES]
BATCH = rng.standard_normal((64, 128)).astype(np.float32)


def layers(others):
    """Return the tasks of (c)."""
    leaves = [torch.tensor(w.tolist(), requires_grad=True) for w in WEIGHTS]
    batch = torch.tensor(BATCH.tolist())

    def ours():
        x = batch
        for i, w in enumerate(leaves):
            x = x @ w
            x = x.relu() if i < 2 else x
            w.grad = None
        (x * x).mean().backward()

    def floor():
        x, kept = BATCH, []
        for i, w in enumerate(WEIGHTS):
            y = x @ w
            kept.append((x, y))
            x = np.maximum(y, 0) if i < 2 else y
        grad = x * np.float32(2 / x.size)
        (x * x).mean()
        for i in range(2, -1, -1):
            inputs, out = kept[i]
            grad = np.where(out > 0, grad, np.float32(0)) if i < 2 else grad
            weight_grad = inputs.T @ grad
            grad = grad @ WEIGHTS[i].T if i else grad
        return weight_grad

    tasks = {"floor": floor, "gradstep": ours, "recorded": recorded(ours)}
    if "torch" in others:
        real = importlib.import_module("torch")
        real.set_num_threads(1)
        theirs = [real.tensor(w, requires_grad=True) for w in WEIGHTS]
        data = real.tensor(BATCH)

        def eager():
            x = data
            for i, w in enumerate(theirs):
                x = x @ w
                x = x.relu() if i < 2 else x
                w.grad = None
            (x * x).mean().backward()

        tasks["torch"] = eager
    return tasks


# ----- (d) chains of elementwise operations on 10 values -----
def chain(length):
    """Return the maker of (d) for one length."""
    start = [float(i) for i in range(10)]

    def along(x):
        for i in range(length):
            x = x * 1.001 if i % 2 else x + 0.5
        return x

    def make(others):
        def ours():
            along(torch.tensor(start, requires_grad=True)).sum().backward()

        def floor():
            along(np.array(start, np.float32))
            grad = np.ones(10, np.float32)
            for i in range(length):
                grad = grad * np.float32(1.001) if i % 2 else grad + 0

        tasks = {"floor": floor, "gradstep": ours, "recorded": recorded(ours)}
        if "autograd" in others:
            import autograd

            slope = autograd.grad(lambda x: along(x).sum())
            tasks["autograd"] = lambda: slope(np.array(start))
        if "torch" in others:
            tasks["torch"] = with_torch(lambda t: along(t.tensor(start, requires_grad=True)).sum().backward())
        return tasks

    return make


def with_torch(task):
    """Return a task that runs with real PyTorch on one thread."""
    real = importlib.import_module("torch")
    real.set_num_threads(1)
    return lambda: task(real)


WORK = {
    "(a) scalar expression, 20 operations": scalars,
    "(c) MLP 128-128-128-10, batch 64": layers,
    "(d) chain of 1,000 on 10 values": chain(1_000),
    "(d) chain of 10,000 on 10 values": chain(10_000),
}
