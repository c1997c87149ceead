"""Programs whose honest traces were refused once, each for a reason of its own: they hold."""

from __future__ import annotations

import pytest

from engine.trace.run import trace_source
from engine.verify.check import check

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\ntorch.manual_seed(0)\n"
PROGRAMS = {
    "one name for several optimisers": """\
w = torch.tensor([1.0, -2.0], requires_grad=True)
b = torch.tensor([0.5], requires_grad=True)
for make in (torch.optim.SGD, torch.optim.Adam):
    opt = make([w], lr=0.1)
    for step in range(2):
        opt.zero_grad()
        ((w * w).sum() + b.sum()).backward()
        opt.step()
    opt = torch.optim.SGD([b], lr=0.1)
    opt.zero_grad()
    (b * w.sum()).sum().backward()
    opt.step()
""",
    "a layer that is replaced": """\
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
old = net[1]
for step in range(2):
    net.zero_grad()
    net(torch.ones(1, 2)).sum().backward()
    if step == 0:
        net[1] = nn.Linear(2, 1)
old(torch.ones(1, 2)).sum().backward()
net.zero_grad()
net(torch.ones(1, 2)).sum().backward()
""",
    "whole numbers made of others": """\
x = torch.tensor([1.7, -2.3, 5.5])
print(x.long(), x.int(), x.bool(), torch.ones(6)[x.long() % 6])
nn.Embedding(6, 2)(x.long() % 6).sum().backward()
""",
    "gradients that are emptied in place and clipped": """\
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    opt.zero_grad(set_to_none=False)
    net(torch.randn(4, 3)).pow(2).sum().backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    nn.utils.clip_grad_value_(net.parameters(), 0.1)
    opt.step()
""",
    "running statistics": """\
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    net.train()
    opt.zero_grad()
    net(torch.randn(3, 1, 4, 4)).sum().backward()
    opt.step()
    net.eval()
    with torch.no_grad():
        print(net(torch.randn(3, 1, 4, 4)))
    net(torch.randn(2, 1, 4, 4)).sum().backward()
seen = net[1].running_mean
net.train()
net(torch.randn(3, 1, 4, 4))
print(seen, seen * 2)
b = nn.BatchNorm1d(2, momentum=None)
for step in range(3):
    b(torch.randn(2, 2)).pow(2).sum().backward()
mean, var = torch.zeros(2), torch.ones(2)
for step in range(3):
    F.batch_norm(torch.randn(4, 2), mean, var, training=True)
print(mean, var)
""",
    "a checkpoint around a batch norm": """\
from torch.utils.checkpoint import checkpoint

net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.BatchNorm1d(3), nn.Dropout(0.2))
head = nn.Linear(3, 1)
opt = torch.optim.AdamW([*net.parameters(), *head.parameters()], lr=0.1)
x = torch.randn(4, 3, requires_grad=True)
for kind in (True, False):
    for step in range(2):
        opt.zero_grad()
        head(checkpoint(net, x, use_reentrant=kind)).pow(2).mean().backward()
        opt.step()
""",
    "normalisations of two numbers that hardly differ": """\
for norm in (nn.LayerNorm(2), nn.GroupNorm(1, 2), nn.BatchNorm1d(2)):
    x = torch.tensor([[1.0, 1.0005], [0.9998, 1.0001]], requires_grad=True)
    (norm(x) * torch.tensor([[0.1, -0.7], [0.3, 0.9]])).sin().sum().backward()
    print(x.grad.shape)
""",
    "numbers that NumPy writes": """\
import numpy as np

x = torch.tensor([1.0, 2.0], requires_grad=True)
a = x.detach().numpy()
a += 1
(x * 2).sum().backward()
print(x)
b = np.zeros(2, dtype=np.float32)
t = torch.from_numpy(b)
for i in range(3):
    b[0] = i
    (t * x).sum().backward()
    print(t)
""",
    "a hook on a module's backward": """\
net = nn.Linear(2, 2)
net.register_full_backward_hook(lambda module, given, made: None)
net(torch.randn(2, 2, requires_grad=True)).sum().backward()
""",
    "a state dict that is averaged": """\
net = nn.Sequential(nn.Linear(2, 2))
ema = {k: v.detach().clone() for k, v in net.state_dict().items()}
for k, v in net.state_dict().items():
    ema[k].mul_(0.9).add_(v, alpha=0.1)
net(torch.ones(1, 2)).sum().backward()
""",
    "sparse gradients in an optimiser": """\
table = nn.Embedding(5, 2, sparse=True)
for make in (torch.optim.SparseAdam, torch.optim.SGD, torch.optim.Adagrad):
    opt = make(table.parameters(), lr=0.1)
    for ids in ([0, 1, 1], [3, 0, 4]):
        opt.zero_grad()
        table(torch.tensor(ids)).sin().sum().backward()
        opt.step()
""",
    "two trainers": """\
class Trainer:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(self, x):
        self.opt.zero_grad()
        loss = self.model(x).pow(2).mean()
        loss.backward()
        self.opt.step()


for trainer in (Trainer(nn.Linear(2, 1)), Trainer(nn.Linear(2, 3))):
    trainer.step(torch.ones(1, 2))
    trainer.step(torch.ones(1, 2))
""",
    "a list that is made anew": """\
ws = [torch.zeros(2, requires_grad=True) for _ in range(2)]
for step in range(2):
    sum((p - 1).pow(2).sum() for p in ws).backward()
    ws = [p.detach().clone().requires_grad_() for p in ws]
""",
    "tensors that are packed": """\
x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
    y = (x**2).sum() + (x.exp() * x).sum()
y.backward()
""",
    "a gradient taken by a function": """\
from torch.func import grad

x = torch.tensor([1.0, 2.0, 3.0])
w = torch.ones(3)
for step in range(2):
    change = grad(lambda p: ((p * x).sum() - 1) ** 2)(w)
    w = w - 0.1 * change
print(w)
""",
    "something of the program's own as an argument": """\
class Settings:
    def __repr__(self):
        return "Settings:\\n  of two lines"


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, settings):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2, None


Double.apply(torch.ones(2, requires_grad=True), Settings()).sum().backward()
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_honest_trace_is_not_refused(name: str):
    trace = trace_source(HEAD + PROGRAMS[name])
    assert trace["outcome"]["kind"] == "finished", trace["outcome"]
    report = check(trace)
    assert report.holds, report.problems[0].text


OPTIMISERS = (
    "Adadelta([w])", "Adadelta([w], weight_decay=0.1, maximize=True)", "Adamax([w])",
    "Adamax([w], weight_decay=0.1)", "NAdam([w])",
    "NAdam([w], weight_decay=0.1, decoupled_weight_decay=True)", "RAdam([w], betas=(0.5, 0.8))",
    "RAdam([w], weight_decay=0.1, decoupled_weight_decay=True)", "Rprop([w])", "Rprop([w], maximize=True)",
    "ASGD([w])", "ASGD([w], t0=1, lambd=0.1, weight_decay=0.1)",
)  # fmt: skip


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_every_number_of_an_optimiser_is_derived_again_and_a_false_one_is_refused(optimiser: str):
    trace = trace_source(f"""\
import torch
w = torch.tensor([1.0, -2.0, 0.1], requires_grad=True)
opt = torch.optim.{optimiser}
for step in range(8):
    opt.zero_grad()
    (w.cos() * torch.tensor([1.0, 3.0, 2.0])).sum().backward()
    opt.step()
""")
    report = check(trace)
    assert report.holds and report.checked == report.of, report.problems or report.given
    last = [row for row in trace["rows"] if row["kind"] == "parameter_updated"][-1]
    for term in ("after", *(name for name, v in last["terms"].items() if str(v)[:1] == "v")):
        place = last if term == "after" else last["terms"]
        kept, place[term] = place[term], "v1" if place[term] != "v1" else "v2"
        assert not check(trace).holds, term
        place[term] = kept
