import torch
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(5.0)
c = a * b
d = c + a
for step in range(2):
    d = d * a
print(d.grad_fn)
print(d.grad_fn.next_functions)
