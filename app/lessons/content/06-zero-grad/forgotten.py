import torch
w = torch.tensor(4.0, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.25)
for step in range(2):
    loss = (w - 1) ** 2
    loss.backward()
    opt.step()
    print(w.item(), w.grad)
