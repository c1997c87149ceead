import torch
w = torch.tensor(3.0, requires_grad=True)
with torch.no_grad():
    error = w * w - 4
y = w * error
y.backward()
print(error.requires_grad, w.grad)
