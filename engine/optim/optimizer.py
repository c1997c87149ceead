"""What every optimiser shares: parameter groups, state, zero_grad, and the order of a step."""

from __future__ import annotations

import copy
import itertools
import warnings
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from engine import events, modes
from engine.hooks import RemovableHandle
from engine.nn.errors import typename
from engine.sparse import SparseTensor
from engine.tensor import Tensor, make_at
from engine.zero_grad import clear_grad

required = object()
_hook_ids = itertools.count()


class Optimizer:
    """Parameter groups with options, and a state per parameter. A subclass says how one is updated."""

    terms_of: dict[str, str] = {}  # what a state is called in formulas

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + typename(params)
            )
        self.state: defaultdict[Tensor, dict] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._stepped = False
        self._before: dict[int, Callable] = {}
        self._after: dict[int, Callable] = {}
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    # ----- groups -----
    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with options of their own; options not given are the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        param_group["params"] = params = _listed(param_group)
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(
                    "optimizer can only optimize Tensors, but one of the params is " + typename(param)
                )
            if not param.is_leaf and not self.defaults.get("differentiable"):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    f"parameter group didn't specify a value of required optimization parameter {name}"
                )
            param_group.setdefault(name, default)
        own = {id(p) for p in params}
        if len(own) != len(params):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will "
                "cause an error; see github.com/pytorch/pytorch/issues/40967 for more information",
                UserWarning,
                stacklevel=3,
            )
        if own & {id(p) for group in self.param_groups for p in group["params"]}:
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    # ----- what a training loop calls -----
    def zero_grad(self, set_to_none: bool = True) -> None:
        """Empty `.grad` of every parameter: to None, or to zeros in place."""
        events.emit(events.ZeroGradCalled(self, set_to_none))
        for group in self.param_groups:
            for parameter in group["params"]:
                clear_grad(parameter, set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient; `closure` computes the loss anew first."""
        for hook in list(self._before.values()):
            hook(self, (closure,) if closure else (), {})
        loss = None
        if closure is not None:
            with modes.backward_mode(True):
                loss = closure()
        self._stepped = True
        events.emit(events.OptimizerStepped(self))
        with modes.backward_mode(False):
            for number, group in enumerate(self.param_groups):
                for parameter in group["params"]:
                    if parameter.grad_tensor is not None:
                        self._update(parameter, group, number)
        for hook in list(self._after.values()):
            hook(self, (closure,) if closure else (), {})
        return loss

    def _update(self, parameter: Tensor, group: dict[str, Any], number: int) -> None:
        watch = events.observer()
        if watch is not None:
            before, kept = parameter.array.copy(), _arrays(self.state.get(parameter))
        if isinstance(parameter.grad_tensor, SparseTensor):
            self.check_sparse(group)
        grad = parameter.grad_tensor.array
        given = -grad if group.get("maximize") else grad
        after, terms = self.updated(parameter, given, group)
        parameter.write(after if parameter.exotic is None else parameter.dtype.hold(after))
        for _ in range(self.extra_writes(group)):
            parameter.bump()
        if watch is not None:
            terms = {name: value for name, value in terms.items() if value is not None}
            now = _arrays(self.state.get(parameter)).items()
            state = tuple((name, self.terms_of.get(name), kept.get(name), array) for name, array in now)
            written = before, grad, parameter.array, self.formula(group, terms), terms
            watch(events.ParameterUpdated(self, parameter, *written, number, state))

    def has_stepped(self) -> bool:
        """Return whether `step` was called; of a learner's own `step` nothing is known."""
        return self._stepped or type(self).step is not Optimizer.step

    def check_sparse(self, group: dict[str, Any]) -> None:
        """Refuse a sparse gradient where an optimiser cannot use one."""

    def updated(self, parameter: Tensor, grad: np.ndarray, group: dict[str, Any]) -> tuple:
        """Return the new values and the terms that gave them (name → number or array)."""
        raise NotImplementedError

    def formula(self, group: dict[str, Any], terms: dict[str, Any]) -> str:
        """Return the update in words of its terms: steps separated by ";", the last one is the new p."""
        raise NotImplementedError

    def extra_writes(self, group: dict[str, Any]) -> int:
        """Return how often a step writes a parameter in place, beyond once."""
        return 0

    def register_step_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Run `hook(optimizer, args, kwargs)` before every step."""
        return _registered(self._before, hook)

    def register_step_post_hook(self, hook: Callable) -> RemovableHandle:
        """Run `hook(optimizer, args, kwargs)` after every step."""
        return _registered(self._after, hook)

    # ----- state -----
    def state_dict(self) -> dict[str, Any]:
        """Return groups and states with parameters replaced by their numbers."""
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for p in group["params"]:
                numbers.setdefault(id(p), len(numbers))
            options = {name: value for name, value in group.items() if name != "params"}
            groups.append({**options, "params": [numbers[id(p)] for p in group["params"]]})
        state = {numbers.get(id(p), p): values for p, values in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over groups and states saved from an optimiser of the same shape."""
        given = state_dict["param_groups"]
        if len(given) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(given, self.param_groups, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's "
                "group"
            )
        owners: dict[Any, Tensor] = {}
        for saved, own in zip(given, self.param_groups, strict=True):
            owners.update(zip(saved["params"], own["params"], strict=True))
            own.update({name: copy.copy(value) for name, value in saved.items() if name != "params"})
        self.state = defaultdict(dict)
        for number, values in state_dict["state"].items():
            self.state[owners.get(number, number)] = {name: _copied(value) for name, value in values.items()}

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for name in sorted(group):
                if name != "params":
                    text += f"    {name}: {group[name]}\n"
        return text + ")"


def numbers_of(group: dict[str, Any], *names: str) -> list[float]:
    """Return options as plain numbers; a learning rate may be a tensor."""
    values = (group[name] for name in names)
    return [value.array.item() if isinstance(value, Tensor) else value for value in values]


def refuse_negative(**options: Any) -> None:
    """Refuse options below zero in PyTorch's words; `lr` and `eps` have names of their own there."""
    for name, value in options.items():
        if not 0.0 <= (value.array.item() if isinstance(value, Tensor) else value):
            raise ValueError(f"Invalid {WORDS.get(name, name + ' value')}: {value}")


def refuse_betas(betas: tuple[float, float]) -> None:
    """Refuse shares of the past outside [0, 1)."""
    for i, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {beta}")


def direction_text(group: dict[str, Any], terms: dict[str, Any]) -> tuple[str, list[str]]:
    """Return what an update calls the direction it takes, and the step of its formula that makes it."""
    d = "-g" if group["maximize"] else "g"
    d = f"{d} + weight_decay * p" if "weight_decay" in terms else d
    return ("g", []) if d == "g" else ("d", [f"d = {d}"])


WORDS = {"lr": "learning rate", "eps": "epsilon value"}


def _listed(group: dict[str, Any]) -> list:
    """Return a group's parameters as a list; (name, parameter) pairs leave their names in the group."""
    params = group["params"]
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of "
            "tensors in sets will change between runs. Please use a list instead."
        )
    params = [params] if isinstance(params, Tensor) else list(params)
    if params and all(isinstance(p, tuple) for p in params):
        group["param_names"] = [name for name, _ in params]
        return [p for _, p in params]
    return params


def _arrays(state: dict[str, Any] | None) -> dict[str, np.ndarray]:
    """Return the tensors of a state as arrays; a step puts new ones in their place and leaves these."""
    return {name: value.array for name, value in (state or {}).items() if isinstance(value, Tensor)}


def _registered(hooks: dict[int, Callable], hook: Callable) -> RemovableHandle:
    key = next(_hook_ids)
    hooks[key] = hook
    return RemovableHandle(hooks, key)


def _copied(value: Any) -> Any:
    if isinstance(value, Tensor):
        return make_at(value.array.copy(), value.exotic, value.place)
    return copy.copy(value)
