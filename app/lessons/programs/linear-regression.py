import torch

x = torch.tensor([0.0, 1.0, 2.0, 3.0])
y = torch.tensor([1.0, 3.0, 5.0, 7.0])          # y = 2x + 1
w = torch.tensor(0.0, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)

for step in range(20):
    prediction = w * x + b
    loss = ((prediction - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():                       # the update is not part of the graph
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
    w.grad = None
    b.grad = None
    if step % 5 == 0:
        print(step, loss.item(), w.item(), b.item())
