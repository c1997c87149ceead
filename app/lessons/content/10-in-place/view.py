import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
v = y[0]
v.mul_(10)
print(y)
y.sum().backward()
print(x.grad)
