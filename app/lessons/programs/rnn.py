import torch
import torch.nn as nn

torch.manual_seed(0)
cell = nn.RNNCell(1, 3)
read = nn.Linear(3, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *read.parameters()], lr=0.1)

series = torch.tensor([0.0, 0.5, 1.0, 0.5, 0.0, -0.5, -1.0, -0.5, 0.0])
state = torch.zeros(1, 3)
for start in range(0, 8, 4):
    state = state.detach()                       # the graph of the last piece ends here
    loss = 0
    for t in range(start, start + 4):
        state = cell(series[t].view(1, 1), state)
        loss = loss + (read(state) - series[t + 1]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(cell.parameters(), 1.0)
    optimizer.step()
    print(start, loss.item())
