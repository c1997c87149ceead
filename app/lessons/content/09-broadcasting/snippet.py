import torch
x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
s = torch.tensor(2.0, requires_grad=True)
b = torch.tensor([10.0, 20.0, 30.0], requires_grad=True)
y = x * s + b
y.sum().backward()
print(s.grad, b.grad)
