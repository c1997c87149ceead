import torch
x = torch.tensor(3.0, requires_grad=True)
a = x * 4
b = x * x
y = a + b
y.backward()
print(x.grad)
