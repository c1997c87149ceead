import torch
import torch.nn as nn
words = nn.Embedding(5, 2, sparse=True)
opt = torch.optim.Adam(words.parameters(), lr=0.5)
words(torch.tensor([3, 1])).sum().backward()
opt.step()
