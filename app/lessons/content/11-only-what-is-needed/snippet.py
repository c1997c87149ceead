import torch
x = torch.tensor(2.0)
w1 = torch.tensor(3.0)
w2 = torch.tensor(5.0, requires_grad=True)
h = x * w1
y = h * w2
loss = y * y
loss.backward()
print(w1.grad, w2.grad)
