import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.stack([x[0] * x[1], x[0] + x[1], x[1] ** 2])
v = torch.tensor([1.0, 10.0, 100.0])
loss = (y * v).sum()
loss.backward()
print(x.grad)
