import torch
x = torch.tensor(2.0, requires_grad=True)
a = x * 3
b = x * 5
c = a * a
d = b + c
d.backward()
print(x.grad)
