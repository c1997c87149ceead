import torch
x = torch.tensor(3.0, requires_grad=True)
y = x + x
y.backward()
y.backward()
print(x.grad)
