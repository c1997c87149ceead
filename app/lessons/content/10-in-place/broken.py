import torch
x = torch.tensor([0.0, 1.0], requires_grad=True)
y = x.exp()
y.add_(1)
loss = y.sum()
loss.backward()
