import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0])
h = w * x
loss = h.sum()
loss.backward()
print(w.grad, x.grad)
