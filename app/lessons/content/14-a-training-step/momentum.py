import torch
w = torch.tensor(10.0, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.5, momentum=0.5)
for step in range(3):
    opt.zero_grad()
    (w * 2).backward()
    opt.step()
    print(w.item())
