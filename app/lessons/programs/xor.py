import torch
import torch.nn as nn

torch.manual_seed(2)
inputs = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]).double()
targets = torch.tensor([[0.0], [1.0], [1.0], [0.0]]).double()

model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1)).double()
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)

for epoch in range(60):
    loss = nn.functional.binary_cross_entropy_with_logits(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 20 == 0:
        print(epoch, f"{loss.item():.6f}")

print(torch.sigmoid(model(inputs)).round())
