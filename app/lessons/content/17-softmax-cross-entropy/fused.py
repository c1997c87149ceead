import torch
import torch.nn.functional as F
z = torch.tensor([[200.0, 0.0]], requires_grad=True)
loss = F.cross_entropy(z, torch.tensor([1]))
print(loss)
loss.backward()
print(z.grad)
