import torch
w = torch.tensor(3.0, requires_grad=True)
x = torch.tensor(2.0, requires_grad=True)
out = w * x * x
g, = torch.autograd.grad(out, x, create_graph=True)
penalty = (g - 1) ** 2
penalty.backward()
print(g.item(), w.grad)
