import torch
import torch.nn as nn
words = nn.Embedding(5, 2, sparse=True)
with torch.no_grad():
    words.weight.fill_(1.0)
opt = torch.optim.SGD(words.parameters(), lr=0.5)
ids = torch.tensor([3, 1, 3])
loss = words(ids).sum()
loss.backward()
print(words.weight.grad)
print(words.weight.grad.coalesce())
opt.step()
print(words.weight)
