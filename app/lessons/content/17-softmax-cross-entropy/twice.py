import torch
import torch.nn.functional as F
z = torch.tensor([[9.0, 0.0]], requires_grad=True)
p = torch.softmax(z, dim=1)
loss = F.cross_entropy(p, torch.tensor([1]))
loss.backward()
print(loss, z.grad)
