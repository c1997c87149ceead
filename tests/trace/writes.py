"""Programs that write into memory, or change a tensor or node, that facts have mentioned before."""

HEAD = """
import torch
import torch.nn as nn
import torch.nn.functional as F
import numpy as np
torch.manual_seed(0)
x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
d = torch.arange(6.0).reshape(2, 3)
y = x * d
z = y.exp()
"""
WRITES = {
    "in place": """
d.add_(1)
d *= 2
d -= d
""",
    "an index": """
d[0, 1] = 9.0
d[:, 0] = d[:, 2]
d[d > 2] = 0
""",
    "a view": """
v = d.t()
w = v[0]
v.mul_(3)
w.zero_()
u = v * 1
d.fill_(2)
u = v * 1
""",
    "a transposed copy": """
k = d.t().contiguous().t()
u = k * 2
k.add_(5)
u = k * 2
""",
    "copy_": """
d.copy_(torch.ones(2, 3))
u = d * 1
d.copy_(d + 1)
""",
    "data": """
d.data.mul_(2)
u = d * 1
d.data = torch.zeros(2, 3)
u = d * 1
d.data[0, 0] = 4
""",
    "a new shape": """
u = d.clone()
w = u * 1
u.t_()
w = u * 1
u.unsqueeze_(0)
u.squeeze_(0)
u.mul_(2)
""",
    "set_ of history": """
u = z * 2
u.add_(1)
u.detach_()
u.add_(1)
d.requires_grad_()
(d * u).sum().backward()
""",
    "a base under views": """
u = y * 1
v = u[0]
w = u[1]
v.mul_(2)
u.mul_(3)
(v * w).sum().backward()
""",
    "a second gradient": """
for _ in range(3):
    (x * d).sum().backward()
""",
    "a gradient in place": """
(x * d).sum().backward()
g = x.grad
g.mul_(2)
x.grad.zero_()
x.grad[0] = 1
""",
    "a gradient in a hook": """
y.register_hook(lambda g: g.mul_(2))
(y * y).sum().backward()
""",
    "a gradient of several": """
a = x * 1
(a + a * 2 + a).sum().backward()
x.grad.add_(1)
""",
    "no_grad": """
(x * d).sum().backward()
with torch.no_grad():
    x -= x.grad
    x.grad.zero_()
""",
    "clipping": """
(x * d).sum().backward()
nn.utils.clip_grad_norm_([x], 1.0)
nn.utils.clip_grad_value_([x], 0.1)
""",
    "numpy of a tensor": """
a = d.numpy()
a[0] = 7
u = d * 1
a += 1
u = d * 1
a.fill(3)
u = d * 1
a.sort()
""",
    "a tensor of numpy": """
a = np.ones((2, 2))
t = torch.from_numpy(a)
u = t * 1
a[0] = 5
u = t * 1
np.add(a, a, out=a)
u = t * 1
a.shape = (4,)
u = t * 1
a.flat[0] = 0
np.random.shuffle(a)
u = t * 1
""",
    "a step": """
p = nn.Parameter(torch.ones(3))
o = torch.optim.SGD([p], lr=0.1, momentum=0.9)
for _ in range(3):
    o.zero_grad(set_to_none=False)
    (p * p).sum().backward()
    o.step()
""",
    "Adam's moments": """
p = nn.Parameter(torch.ones(3))
o = torch.optim.Adam([p], lr=0.1)
for _ in range(3):
    o.zero_grad()
    (p * p).sum().backward()
    o.step()
    m = o.state[p]['exp_avg'] * 1
    o.state[p]['exp_avg'].mul_(2)
""",
    "initialisation": """
w = torch.ones(2, 2)
u = w * 1
nn.init.zeros_(w)
nn.init.normal_(w)
u = w * 1
""",
    "statistics": """
b = nn.BatchNorm1d(3)
b(x)
b(x * 2)
u = b.running_mean * 1
b(x)
i = F.instance_norm(x[None], u)
""",
    "an embedding": """
e = nn.Embedding(3, 2, padding_idx=0, max_norm=0.1)
u = e.weight * 1
e(torch.tensor([1, 2, 1]))
""",
    "sparse gradients": """
e = nn.Embedding(3, 2, sparse=True)
for _ in range(2):
    e(torch.tensor([1, 2, 1])).sum().backward()
e.weight.grad.zero_()
""",
    "a small lower bound": """
F.cosine_similarity(x, x * 0)
F.gaussian_nll_loss(x, d, torch.zeros(2, 1))
""",
    "bfloat16": """
h = x.to(torch.bfloat16)
(h * 2).sum().backward()
""",
    "freed nodes": """
(x ** 3).sum().backward()
torch.add(x, x, alpha=2).sum().backward()
F.gelu(x).sum().backward()
""",
    "a list as argument": """
s = [3, 2]
u = d.view(s)
s[0] = 99
i = [0, 1]
w = d[i]
i[0] = 1
w = d[i]
""",
    "lists of tensors": """
k = [x, d]
u = d * 1
k.append(u)
u = d * 2
k.pop(0)
k[0] = u
w = d * 1
m = {'a': u}
m['b'] = w
""",
    "a Function": """
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.mark_dirty(a)
        return a.mul_(2)
    @staticmethod
    def backward(ctx, g):
        return g * 2
u = Twice.apply(x * 1)
u.sum().backward()
""",
    "dead tensors": """
for i in range(30):
    u = d * i
    u = u.sum()
    del u
w = d * 1
""",
    "a module that grows": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 2)
    def forward(self, v):
        self.b = nn.Linear(2, 1)
        return self.b(self.a(v).relu())
net = Net()
for _ in range(2):
    net(x).sum().backward()
""",
}
