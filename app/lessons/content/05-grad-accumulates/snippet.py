import torch
w = torch.tensor(2.0, requires_grad=True)
(w * 3).backward()
(w * 5).backward()
(w * w).backward()
print(w.grad)
w.grad = None
(w * 3).backward()
print(w.grad)
