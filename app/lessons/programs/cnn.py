import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
image = torch.zeros(1, 1, 6, 6)
image[0, 0, :, 2] = 1.0                          # a vertical bar
label = torch.tensor([1])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, kernel_size=3)
        self.fc = nn.Linear(8, 2)

    def forward(self, x):
        x = F.relu(self.conv(x))
        x = F.max_pool2d(x, 2)
        return self.fc(x.flatten(1))


net = Net()
loss = F.cross_entropy(net(image), label)
loss.backward()
print(loss)
print(net.conv.weight.grad[0])
