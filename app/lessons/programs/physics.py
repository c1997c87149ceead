import torch

# a stone is thrown up: height(t) = 20 t - 5 t²; velocity and acceleration by autograd
t = torch.tensor([0.0, 1.0, 2.0, 3.0], requires_grad=True)
height = 20 * t - 5 * t ** 2
velocity, = torch.autograd.grad(height.sum(), t, create_graph=True)
acceleration, = torch.autograd.grad(velocity.sum(), t)
print(height)
print(velocity)
print(acceleration)

# how hard must it be thrown to be at 12 after 2 seconds?
speed = torch.tensor(10.0, requires_grad=True)
for step in range(5):
    miss = (speed * 2 - 5 * 2 ** 2 - 12) ** 2
    slope, = torch.autograd.grad(miss, speed)
    with torch.no_grad():
        speed -= 0.1 * slope
    print(speed.item(), miss.item())
