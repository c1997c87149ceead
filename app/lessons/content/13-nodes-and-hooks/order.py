import torch
w = torch.tensor(2.0, requires_grad=True)
h = w * 3
h.grad_fn.register_hook(lambda gives, got: print("after the rule", gives[0], got[0]))
h.grad_fn.register_prehook(lambda got: print("pre-hook", got[0]))
h.register_hook(lambda g: print("tensor hook", g))
y = h * 5
y.backward()
