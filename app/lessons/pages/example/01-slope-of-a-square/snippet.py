import torch

a = torch.tensor(5.0, requires_grad=True)
s = a * a
s.backward()
print(a.grad)
