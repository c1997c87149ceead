import torch

start = torch.tensor(0.0, requires_grad=True)    # what is learned: a good place to start from
lr = 0.25


def task(w, goal):
    return (w - goal) ** 2


total = 0
for goal in (2.0, 4.0):
    inner = task(start, goal)
    step, = torch.autograd.grad(inner, start, create_graph=True)
    adapted = start - lr * step                  # one step of training, inside the graph
    total = total + task(adapted, goal)

total.backward()                                 # through the steps of training
print(total, start.grad)
