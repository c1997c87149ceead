import torch
signs = torch.tensor([[1.0, 1.0], [1.0, -1.0]])
for scale in (1.0, 0.5, 0.5 ** 0.5):
    W0 = (signs * scale).requires_grad_()
    later = [(signs * scale).requires_grad_() for _ in range(5)]
    h = W0 @ torch.tensor([1.0, 0.0])
    for W in later:
        h = W @ h
    h[0].backward()
    print(f"{W0.grad.norm().item():.3f}")
