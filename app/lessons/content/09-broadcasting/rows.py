import torch
x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
s = torch.tensor([[2.0], [10.0]], requires_grad=True)
y = x * s
y.sum().backward()
print(s.grad)
