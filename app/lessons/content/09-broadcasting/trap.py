import torch
pred = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
target = torch.tensor([1.0, 2.0, 3.0])
diff = pred - target
loss = (diff ** 2).mean()
loss.backward()
print(loss, pred.grad)
