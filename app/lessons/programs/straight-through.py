import torch

x = torch.tensor([0.2, 0.7, 1.6], requires_grad=True)

rounded = x.round()                              # flat between its jumps: no slope arrives
rounded.sum().backward()
print("rounded:", x.grad)

x.grad = None
passed = x + (x.round() - x).detach()            # the value of the rounding, the slope of x
passed.sum().backward()
print("straight through:", passed, x.grad)
