import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
f = x[0] ** 2 * x[1]
g, = torch.autograd.grad(f, x, create_graph=True)
v = torch.tensor([1.0, 0.0])
hv, = torch.autograd.grad(g, x, grad_outputs=v)
print(g, hv)
