import torch
from torch.autograd import Variable
x = Variable(torch.tensor(2.0), requires_grad=True)
y = x * x
print(type(x))
print(y.grad_fn.name())
print(y.grad_fn.next_functions[0][0].variable is x)
y.backward()
print(x.grad)
