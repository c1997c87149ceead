"""Weights made of other parameters before every forward pass: weight and spectral normalisation."""

from __future__ import annotations

import warnings
from typing import Any

from engine import modes, random
from engine.nn import functional as F
from engine.nn.module import Module
from engine.ops.table import F as rows
from engine.tensor import Parameter, Tensor, make

__all__ = ["remove_spectral_norm", "remove_weight_norm", "spectral_norm", "weight_norm"]

OLD = "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`."


# ----- a length and a direction -----------------------------------------------------------------------
class WeightNorm:
    """Makes weight = g * v / |v| before every forward pass."""

    def __init__(self, name: str, dim: int) -> None:
        self.name, self.dim = name, dim

    def compute_weight(self, module: Module) -> Tensor:
        """Return the weight that length and direction make."""
        g, v = getattr(module, self.name + "_g"), getattr(module, self.name + "_v")
        ndim = v.array.ndim
        if self.dim in (0, ndim - 1):
            return rows._weight_norm_interface(v, g, self.dim)[0]
        return v * (g / lengths_of(v, self.dim))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def lengths_of(v: Tensor, dim: int) -> Tensor:
    """Return the length of every slice along a dimension, or of the whole if it is -1."""
    if dim == -1:
        return rows.norm__all(v, 2)
    others = tuple(d for d in range(v.array.ndim) if d != dim)
    return rows.linalg_vector_norm(v, 2, others, True)


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Let a weight be a length and a direction, two parameters of their own."""
    warnings.warn(OLD, FutureWarning, stacklevel=2)
    if hook_of(module, WeightNorm, name) is not None:
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    made = WeightNorm(name, -1 if dim is None else dim)
    weight = getattr(module, name)
    del module._parameters[name]
    with modes.backward_mode(False):
        length = lengths_of(weight.detach(), made.dim)
    module.register_parameter(name + "_g", Parameter(length))
    module.register_parameter(name + "_v", Parameter(weight.detach()))
    setattr(module, name, made.compute_weight(module))
    module.register_forward_pre_hook(made)
    return module


def hook_of(module: Module, kind: type, name: str) -> Any:
    """Return the number of the hook that makes a weight, if there is one."""
    for number, (hook, _) in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and hook.name == name:
            return number
    return None


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Let the weight be one parameter again."""
    number = hook_of(module, WeightNorm, name)
    if number is None:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    weight = module._forward_pre_hooks[number][0].compute_weight(module)
    delattr(module, name)
    del module._parameters[name + "_g"], module._parameters[name + "_v"]
    setattr(module, name, Parameter(weight.detach()))
    del module._forward_pre_hooks[number]
    return module


# ----- divided by how much it can stretch ---------------------------------------------------------------
class SpectralNorm:
    """Divides a weight by its largest singular value, which is followed from pass to pass."""

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.n_power_iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def matrix(self, weight: Tensor) -> Tensor:
        """Return the weight as a matrix with dimension `dim` as its rows."""
        if self.dim != 0:
            rest = [d for d in range(weight.array.ndim) if d != self.dim]
            weight = weight.permute(self.dim, *rest)
        return weight.reshape(weight.array.shape[0], -1)

    def compute_weight(self, module: Module, improve: bool) -> Tensor:
        """Return the divided weight; first improve the directions in which it stretches most."""
        weight = getattr(module, self.name + "_orig")
        u, v = getattr(module, self.name + "_u"), getattr(module, self.name + "_v")
        matrix = self.matrix(weight)
        if improve:
            with modes.backward_mode(False):
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(rows.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(rows.mv(matrix, v), dim=0, eps=self.eps))
                u, v = u.clone(), v.clone()
        return weight / rows.dot(u, rows.mv(matrix, v))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, module.training))


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12,
    dim: int | None = None,
) -> Module:  # fmt: skip
    """Let a weight be divided by its largest singular value before every forward pass."""
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    if hook_of(module, SpectralNorm, name) is not None:
        raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    made = SpectralNorm(name, n_power_iterations, dim, eps)
    weight = module._parameters[name]
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    with modes.backward_mode(False):
        height, width = made.matrix(weight).array.shape
        source, kind = random.default_generator(), weight.array.dtype
        u, v = (F.normalize(make(source.normal((n,), dtype=kind)), dim=0, eps=eps) for n in (height, width))
    delattr(module, name)
    module.register_parameter(name + "_orig", weight)
    setattr(module, name, weight.detach())
    module.register_buffer(name + "_u", u)
    module.register_buffer(name + "_v", v)
    module.register_forward_pre_hook(made)
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Let the weight be a parameter again, divided as it is now."""
    number = hook_of(module, SpectralNorm, name)
    if number is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    with modes.backward_mode(False):
        weight = module._forward_pre_hooks[number][0].compute_weight(module, False)
    for ending in ("", "_u", "_v", "_orig"):
        delattr(module, name + ending)
    module.register_parameter(name, Parameter(weight.detach()))
    del module._forward_pre_hooks[number]
    return module
