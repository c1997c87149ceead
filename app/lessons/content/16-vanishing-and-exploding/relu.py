import torch
x = torch.tensor(1.0)
weights = [torch.tensor(2.0, requires_grad=True) for _ in range(6)]
h = x
for w in weights:
    h = torch.relu(w * h)
h.backward()
for w in weights:
    print(w.grad.item())
