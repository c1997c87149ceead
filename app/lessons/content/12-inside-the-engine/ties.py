import torch
p = torch.tensor(1.0, requires_grad=True)
q = torch.tensor(2.0, requires_grad=True)
r = torch.tensor(3.0, requires_grad=True)
s = torch.tensor(4.0, requires_grad=True)
y = torch.stack([p, q, r, s]).sum()
y.backward()
