import torch
w = torch.tensor(2.0, requires_grad=True)
x = torch.tensor([1.0, 2.0, 3.0, 4.0])
loss = (w * x).pow(2).mean()
loss.backward()
print("large batch", w.grad)
w.grad = None
for part in x.split(2):
    loss = (w * part).pow(2).mean()
    loss.backward()
print("not divided", w.grad)
w.grad = None
for part in x.split(2):
    loss = (w * part).pow(2).mean() / 2
    loss.backward()
print("divided", w.grad)
