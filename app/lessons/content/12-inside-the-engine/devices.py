import torch
w = torch.tensor(3.0, requires_grad=True)
v = torch.tensor(2.0, device="sim:0", requires_grad=True)
h = (w * w).to("sim:0")
y = h * v
y.backward()
print(w.grad, v.grad)
