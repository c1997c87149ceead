import torch
w = torch.tensor(1.0, requires_grad=True)
x = torch.tensor([1.0, 1.0, 1.0, 5.0])
(w * x).mean().backward()
print("large batch", w.grad)
w.grad = None
parts = x.split(3)
for part in parts:
    ((w * part).mean() / len(parts)).backward()
print("two parts", w.grad)
w.grad = None
for part in parts:
    ((w * part).sum() / len(x)).backward()
print("by count", w.grad)
