import torch
import torch.nn as nn
words = nn.Embedding(5, 2, sparse=True)
ids = torch.tensor([3, 1])
words(ids).sum().backward()
words(torch.tensor([1, 4])).sum().backward()
print(words.weight.grad.coalesce())
