"""Honest traces of programs that use distributions, torch.func, factors, other optimisers hold."""

from __future__ import annotations

import pytest

from engine.trace.run import trace_source
from engine.verify.check import check

PROGRAMS = {
    "hooks that keep something else": """\
import torch

x = torch.tensor([2.0, 3.0], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 10, lambda t: t / 10):
    y = x * x.exp()
y.sum().backward(retain_graph=True)
y.sum().backward()
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), torch.tensor):
    y = x * x.exp()
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
print(x.grad, g)
""",
    "gradients that are changed in place": """\
import torch

w = torch.tensor([3.0, -4.0], requires_grad=True)
for _ in range(2):
    (w * w).sum().backward()
    total = torch.nn.utils.clip_grad_norm_([w], 1.0)
torch.nn.utils.clip_grad_value_([w], 0.5)
w.grad.zero_()
""",
    "a variational autoencoder": """\
import torch
from torch.distributions import Normal, kl_divergence

torch.manual_seed(0)
mu = torch.zeros(2, 3, requires_grad=True)
lv = torch.zeros(2, 3, requires_grad=True)
q = Normal(mu, (0.5 * lv).exp())
z = q.rsample()
loss = (z**2).sum() + kl_divergence(q, Normal(torch.zeros(2, 3), torch.ones(2, 3))).sum()
loss.backward()
print(mu.grad)
""",
    "a policy": """\
import torch
from torch.distributions import Categorical, Bernoulli

torch.manual_seed(0)
p = torch.nn.Linear(4, 3)
d = Categorical(logits=p(torch.randn(2, 4)))
a = d.sample()
loss = -(d.log_prob(a) * torch.tensor([1.0, -1.0])).sum() - 0.01 * d.entropy().mean()
loss.backward()
print(p.bias.grad)
b = Bernoulli(probs=torch.tensor([0.3, 0.6], requires_grad=True))
b.log_prob(b.sample()).sum().backward()
""",
    "functions of functions": """\
import torch
from torch.func import grad, vmap, jacrev, hessian

x = torch.tensor([1.0, 2.0, 3.0])
f = lambda t: (t**3).sum()
print(grad(f)(x), hessian(f)(x), vmap(grad(f))(torch.ones(2, 3)))
""",
    "sequences and circular borders": """\
import torch
from torch.nn.utils.rnn import pad_sequence

a = torch.ones(2, requires_grad=True)
b = torch.ones(3, requires_grad=True)
pad_sequence([a, b]).sum().backward()
print(a.grad)
import torch.nn.functional as F

x = torch.ones(1, 2, 4, requires_grad=True)
F.pad(x, (1, 1), mode="circular").pow(2).sum().backward()
""",
    "normalised weights": """\
import torch

torch.manual_seed(0)
l = torch.nn.utils.spectral_norm(torch.nn.Linear(3, 2))
l(torch.ones(1, 3)).sum().backward()
w = torch.nn.utils.weight_norm(torch.nn.Linear(3, 2))
w(torch.ones(1, 3)).sum().backward()
""",
    "matrices in factors": """\
import torch

a = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]], requires_grad=True)
u, s, v = torch.linalg.svd(a, full_matrices=False)
s.sum().backward()
print(a.grad)
q, r = torch.linalg.qr(a)
r.sum().backward()
m = torch.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
torch.linalg.eigvalsh(m).sum().backward()
torch.linalg.pinv(a).sum().backward()
torch.linalg.matrix_norm(a, "nuc").backward()
torch.matrix_exp(m).sum().backward()
""",
    "a transformer": """\
import torch

torch.manual_seed(0)
e = torch.nn.TransformerEncoder(
    torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, dropout=0.0), 2
)
e(torch.randn(1, 3, 4)).sum().backward()
""",
    "many names of torch": """\
import torch

a = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
b = torch.tensor([0.5, 2.0, 3.0], requires_grad=True)
y = torch.scatter_reduce(a, 0, torch.tensor([0, 1, 0]), b, "amax")
y.sum().backward()
z = (a * 1).gt_(0)
z.sum().backward()
torch.cdist(a.view(1, 3), b.view(1, 3)).sum().backward()
torch.block_diag(a.view(1, 3), b).sum().backward()
torch.gradient(a)[0].sum().backward()
c = a.detach().clone()
c.eq_(1.0)
c.apply_(lambda v: v + 1)
print(c, c.untyped_storage().data_ptr() == c.view(-1).untyped_storage().data_ptr())
""",
    "the other optimisers": """\
import torch

w = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)


def fit(optimizer):
    for _ in range(3):
        optimizer.zero_grad()
        ((w * w).sum() * 0.3).backward()
        optimizer.step()


first, second = torch.optim.Adadelta([w]), torch.optim.Adamax([w])
fit(torch.optim.NAdam([w]))
last = torch.optim.LBFGS([w], max_iter=4, line_search_fn="strong_wolfe")


def closure():
    last.zero_grad()
    loss = (w**4).sum()
    loss.backward()
    return loss


last.step(closure)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_honest_trace_holds(name: str):
    trace = trace_source(PROGRAMS[name])
    assert trace["outcome"]["kind"] == "finished", trace["outcome"]
    report = check(trace)
    assert report.holds, report.problems[0].text
