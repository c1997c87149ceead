import torch
x = torch.tensor(3.0, requires_grad=True)
if x > 0:
    y = x * 2
else:
    y = x * x
y.backward()
print(x.grad)
