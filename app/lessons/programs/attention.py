import math
import torch

torch.manual_seed(0)
words = torch.randn(3, 4)                        # three words, four numbers each
query = torch.randn(4, 4, requires_grad=True)
key = torch.randn(4, 4, requires_grad=True)
value = torch.randn(4, 4, requires_grad=True)

q, k, v = words @ query, words @ key, words @ value
scores = q @ k.T / math.sqrt(4)
hidden_from = torch.triu(torch.ones(3, 3), diagonal=1).bool()
scores = scores.masked_fill(hidden_from, float("-inf"))
weights = torch.softmax(scores, dim=-1)
output = weights @ v
output[0].sum().backward()                       # only the first word is asked
print(weights)
print(query.grad.norm(), key.grad.norm(), value.grad.norm())
