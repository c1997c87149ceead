import torch
x = torch.tensor(3.0, requires_grad=True)
h = x * x
a = h * 2
b = h + 1
a.backward()
b.backward()
