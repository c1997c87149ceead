"""Module: a tree of parameters, buffers and smaller modules with a forward. Knows no layer by name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from engine import events
from engine.device import making_at, wanted_or_default
from engine.hooks import RemovableHandle
from engine.nn import errors, hooks, state
from engine.nn.movable import Movable
from engine.tensor import Parameter, Tensor
from engine.zero_grad import clear_grad

Named = Iterator[tuple[str, Any]]
SHELVES = {"_parameters": "parameter", "_buffers": "buffer", "_modules": "module"}


class Module(Movable):
    """What networks are built of. Attributes that are Parameters or Modules register themselves."""

    training: bool

    def __init__(self) -> None:
        put = super().__setattr__
        put("training", True)
        for shelf in SHELVES:
            put(shelf, {})
        put("_non_persistent_buffers_set", set())
        for name in hooks.KINDS:
            put(name, {})

    # ----- calling -----
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        watch = events.observer()
        if watch is not None:
            watch(events.ModuleEntered(self))
        if self._backward_hooks or self._backward_pre_hooks or self._forward_hooks or self._forward_pre_hooks:
            result = hooks.called(self, args, kwargs)
        else:
            result = self.forward(*args, **kwargs)
        if watch is not None:
            watch(events.ModuleLeft(self))
        return result

    def forward(self, *_: Any) -> Any:
        """Compute the output; every subclass says how."""
        raise NotImplementedError(errors.no_forward(type(self).__name__))

    # ----- attributes -----
    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter):
            if "_parameters" not in own:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            _take_away(self, name, but="_parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if "_modules" not in own:
                raise AttributeError("cannot assign module before Module.__init__() call")
            _take_away(self, name, but="_modules")
            own["_modules"][name] = value
        else:
            for shelf, wanted in ASSIGNABLE.items():
                if name in own.get(shelf, ()):
                    if value is not None and not (shelf == "_buffers" and isinstance(value, Tensor)):
                        raise TypeError(errors.module_assignment(value, name, *wanted))
                    own[shelf][name] = value
                    return
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for shelf in SHELVES:
            if shelf in own and name in own[shelf]:
                return own[shelf][name]
        raise AttributeError(errors.missing_attribute(type(self).__name__, name))

    def __delattr__(self, name: str) -> None:
        for shelf in SHELVES:
            if name in self.__dict__[shelf]:
                del self.__dict__[shelf][name]
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = [*object.__dir__(self), *(name for shelf in SHELVES for name in self.__dict__[shelf])]
        return sorted(name for name in names if not name[0].isdigit())

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under `name`; None reserves the name."""
        _check_name(self, name, "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(errors.not_a_parameter(param, name))
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that belongs to the state but is not learned."""
        _check_name(self, name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(errors.not_a_buffer(tensor, name))
        self._buffers[name] = tensor
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(
            name
        )

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a child under `name`."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{errors.typename(module)} is not a Module subclass")
        _check_name(self, name, "_modules")
        self._modules[name] = module

    register_module = add_module

    # ----- the tree -----
    def children(self) -> Iterator[Module]:
        """Yield the modules directly below, each once."""
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Named:
        """Yield (name, module) directly below, each module once."""
        yield from _once(self._modules.items())

    def modules(self) -> Iterator[Module]:
        """Yield this module and all below, each once."""
        for _, module in self.named_modules():
            yield module

    def named_modules(
        self, memo: set | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Named:
        """Yield (path, module) for this module and all below."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, _joined(prefix, name), remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield the parameters, each once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Named:
        """Yield (path, parameter), each parameter once."""
        yield from self._members("_parameters", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield the buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Named:
        """Yield (path, buffer), each buffer once."""
        yield from self._members("_buffers", prefix, recurse, remove_duplicate)

    def _members(self, shelf: str, prefix: str, recurse: bool, remove_duplicate: bool) -> Named:
        owners = self.named_modules(None, prefix, remove_duplicate) if recurse else [(prefix, self)]
        found = ((_joined(path, n), x) for path, owner in owners for n, x in getattr(owner, shelf).items())
        yield from _once(found, remove_duplicate)

    def get_submodule(self, target: str) -> Module:
        """Return the module at a path such as "encoder.0"."""
        module = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter at a path such as "encoder.0.weight"."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
        found = getattr(module, name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    # ----- doing something to all of it -----
    def apply(self, fn: Callable[[Module], Any]) -> Module:
        """Call `fn` on every module, children first; return the module itself."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Module:
        """Switch everything below to training (dropout drops, batch norm measures) or to evaluation."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Module:
        """Switch to evaluation."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Module:
        """Freeze or unfreeze all parameters."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Empty `.grad` of all parameters: to None, or to zeros in place."""
        events.emit(events.ZeroGradCalled(self, set_to_none))
        for parameter in self.parameters():
            clear_grad(parameter, set_to_none)

    def compile(self, *_: Any, **__: Any) -> None:
        """Do nothing: every operation runs as written."""

    # ----- state -----
    def state_dict(
        self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> OrderedDict:
        """Return all parameters and persistent buffers by path, sharing memory with the module."""
        return state.collected(self, destination, prefix, keep_vars)

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Copy values by path into parameters and buffers; refuse missing, unexpected or ill-shaped ones."""
        return state.loaded(self, state_dict, strict, assign)

    def get_extra_state(self) -> Any:
        """Return what else belongs into the state dict; a subclass may say."""
        raise RuntimeError("Reached a code path in Module.get_extra_state() that should never be called.")

    # ----- hooks -----
    def register_forward_pre_hook(
        self, hook: Any, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Run `hook(module, args)` before forward; what it returns replaces the arguments."""
        return hooks.hang(self, "_forward_pre_hooks", hook, prepend, with_kwargs)

    def register_forward_hook(
        self, hook: Any, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Run `hook(module, args, output)` after forward; what it returns replaces the output."""
        return hooks.hang(self, "_forward_hooks", hook, prepend, with_kwargs)

    def register_full_backward_hook(self, hook: Any, prepend: bool = False) -> RemovableHandle:
        """Run `hook(module, grad_input, grad_output)` once the gradients of the inputs are known."""
        return hooks.hang(self, "_backward_hooks", hook, prepend)

    def register_full_backward_pre_hook(self, hook: Any, prepend: bool = False) -> RemovableHandle:
        """Run `hook(module, grad_output)` before the gradients pass through the module."""
        return hooks.hang(self, "_backward_pre_hooks", hook, prepend)

    # ----- printing -----
    def extra_repr(self) -> str:
        """Return what stands between the parentheses; a subclass says."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {_indented(repr(module))}" for name, module in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({extra})"
        body = "".join(f"\n  {line}" for line in lines + children)
        return f"{self._get_name()}({body}\n)" if body else f"{self._get_name()}()"


ASSIGNABLE = {
    "_parameters": ("parameter", "torch.nn.Parameter or None"),
    "_modules": ("child module", "torch.nn.Module or None"),
    "_buffers": ("buffer", "torch.nn.Buffer, torch.Tensor or None"),
}


@contextmanager
def filling(module: Module, device: Any = None) -> Iterator[None]:
    """Hide how a layer fills its own new parameters; state each as made once it has its first values.

    They are made on `device`, or where factories make tensors if none is given.
    """
    with making_at(wanted_or_default(device, "empty")), events.observed_by(None):
        yield
    if events.observer() is not None:
        for parameter in module.parameters(recurse=False):
            if not parameter.uninitialized:
                events.emit(events.TensorMade(parameter))


def _take_away(module: Module, name: str, but: str) -> None:
    """Free a name that something else was registered under; on its own shelf it keeps its place."""
    own = module.__dict__
    for shelf in (own, *(own[s] for s in SHELVES if s != but and s in own)):
        shelf.pop(name, None)


def _check_name(module: Module, name: Any, shelf: str) -> None:
    """Refuse names that cannot be looked up as an attribute path."""
    what = SHELVES[shelf]
    if shelf not in module.__dict__:
        raise AttributeError(f"cannot assign {what} before Module.__init__() call")
    if not isinstance(name, str):
        raise TypeError(f"{what} name should be a string. Got {errors.typename(name)}")
    if hasattr(module, name) and name not in module.__dict__[shelf]:
        raise KeyError(f"attribute '{name}' already exists")
    if "." in name:
        raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if shelf == "_modules" else ""))
    if name == "":
        raise KeyError(f'{what} name can\'t be empty string ""')


def _once(pairs: Any, remove_duplicate: bool = True) -> Named:
    """Yield (name, thing) without None and without a thing that was there before."""
    seen: set[int] = set()
    for name, thing in pairs:
        if thing is not None and id(thing) not in seen:
            if remove_duplicate:
                seen.add(id(thing))
            yield name, thing


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")
