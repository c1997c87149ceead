import torch
x = torch.tensor(2.0, requires_grad=True)
y = x ** 4
g, = torch.autograd.grad(y, x)
g.backward()
