import torch
w = torch.tensor([10.0, 10.0], requires_grad=True)
scale = torch.tensor([1.0, 1000.0])
opt = torch.optim.Adam([w], lr=0.5)
for step in range(2):
    opt.zero_grad()
    (w * scale).sum().backward()
    opt.step()
    print(w)
