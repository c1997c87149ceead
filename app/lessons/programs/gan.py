import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
generator = nn.Linear(1, 1)
critic = nn.Sequential(nn.Linear(1, 4), nn.ReLU(), nn.Linear(4, 1))
opt_g = torch.optim.SGD(generator.parameters(), lr=0.1)
opt_c = torch.optim.SGD(critic.parameters(), lr=0.1)
real, noise = torch.full((2, 1), 3.0), torch.randn(2, 1)

# the critic learns: the generator must not be reached, so its output is detached
fake = generator(noise)
loss_c = F.softplus(-critic(real)).mean() + F.softplus(critic(fake.detach())).mean()
opt_c.zero_grad()
loss_c.backward()
opt_c.step()
print("critic", loss_c.item(), generator.weight.grad)

# the generator learns: the gradient goes through the critic, which is not stepped
loss_g = F.softplus(-critic(fake)).mean()
opt_g.zero_grad()
loss_g.backward()
opt_g.step()
print("generator", loss_g.item(), generator.weight.grad)
