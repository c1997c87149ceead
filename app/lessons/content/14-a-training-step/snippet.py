import torch
import torch.nn as nn
model = nn.Linear(1, 1)
with torch.no_grad():
    model.weight.fill_(1.0)
    model.bias.fill_(0.0)
opt = torch.optim.SGD(model.parameters(), lr=0.125)
x = torch.tensor([[1.0], [3.0]])
target = torch.tensor([[3.0], [5.0]])
for step in range(2):
    loss = nn.functional.mse_loss(model(x), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item(), model.weight.item(), model.bias.item())
