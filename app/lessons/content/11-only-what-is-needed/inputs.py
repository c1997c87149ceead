import torch
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(5.0, requires_grad=True)
y = (a * a) * (b * b)
y.backward(inputs=[b])
print(a.grad, b.grad)
