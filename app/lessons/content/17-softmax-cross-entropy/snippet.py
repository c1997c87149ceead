import torch
import torch.nn.functional as F
z = torch.tensor([[2.0, 0.0, 0.0]], requires_grad=True)
y = torch.tensor([1])
p = torch.softmax(z.detach(), dim=1)
print(p)
loss = F.cross_entropy(z, y)
loss.backward()
print(z.grad)
