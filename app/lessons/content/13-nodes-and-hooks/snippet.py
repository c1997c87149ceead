import torch
w = torch.tensor(3.0, requires_grad=True)
h = w * 2
h.register_hook(lambda g: g * 10)
w.register_hook(lambda g: g + 1)
w.register_post_accumulate_grad_hook(lambda p: print("now", p.grad))
y = h * h
y.backward()
print(w.grad)
