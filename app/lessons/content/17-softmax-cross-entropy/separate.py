import torch
z = torch.tensor([[200.0, 0.0]], requires_grad=True)
p = torch.softmax(z, dim=1)
loss = -torch.log(p[0, 1])
print(loss)
loss.backward()
print(z.grad)
