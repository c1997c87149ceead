import torch
a = torch.tensor([3.0, 0.0], requires_grad=True)
b = torch.tensor([4.0], requires_grad=True)
loss = (a * a).sum() / 2 + (b * b).sum() / 2
loss.backward()
total = torch.nn.utils.clip_grad_norm_([a, b], max_norm=1.0)
print(total, a.grad, b.grad)
torch.nn.utils.clip_grad_value_([a, b], 0.7)
print(a.grad, b.grad)
