import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
w = w * 10
loss = w.sum()
loss.backward()
print(w.is_leaf, w.grad)
