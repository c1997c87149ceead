"""State dicts: a module's tensors by path, out and in again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from engine import events, modes
from engine.nn import errors
from engine.tensor import Parameter, Tensor


class IncompatibleKeys(NamedTuple):
    """What `load_state_dict` returns: the keys that did not fit."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys!r}, unexpected_keys={self.unexpected_keys!r})"
        )

    __str__ = __repr__


def persistent(module: Any, prefix: str) -> Iterator[tuple[str, dict, str]]:
    """Yield (path, shelf, name) of every parameter and persistent buffer, in state dict order."""
    for name in module._parameters:
        yield prefix + name, module._parameters, name
    for name in module._buffers:
        if name not in module._non_persistent_buffers_set:
            yield prefix + name, module._buffers, name
    for name, child in module._modules.items():
        if child is not None:
            yield from persistent(child, f"{prefix}{name}.")


def collected(module: Any, destination: Any, prefix: str, keep_vars: bool) -> OrderedDict:
    """Return the tensors by path; detached, unless the very parameters are wanted."""
    found = OrderedDict() if destination is None else destination
    with events.observed_by(None):
        for path, shelf, name in persistent(module, prefix):
            tensor = shelf[name]
            if tensor is not None:
                found[path] = tensor if keep_vars or tensor.uninitialized else tensor.detach()
    return found


def loaded(module: Any, given: Any, strict: bool, assign: bool) -> IncompatibleKeys:
    """Copy what fits into the module; then refuse what did not."""
    if not isinstance(given, Mapping):
        raise TypeError(errors.not_a_state_dict(given))
    wrong: list[str] = []
    missing: list[str] = []
    expected = set()
    for path, shelf, name in persistent(module, ""):
        if shelf[name] is None:
            continue
        expected.add(path)
        if path not in given:
            missing.append(path)
        elif (problem := _copied(shelf, name, path, given[path], assign)) is not None:
            wrong.append(problem)
    unexpected = [key for key in given if key not in expected]
    if strict:
        lists = (("Unexpected", unexpected), ("Missing", missing))
        for what, keys in lists:
            if keys:
                wrong.insert(0, errors.key_list(what, keys))
    if wrong:
        raise RuntimeError(errors.state_dict_errors(type(module).__name__, wrong))
    return IncompatibleKeys(missing, unexpected)


def _copied(shelf: dict, name: str, path: str, value: Any, assign: bool) -> str | None:
    """Put one value in; return what is wrong with it, if anything."""
    own = shelf[name]
    if not isinstance(value, Tensor):
        return errors.state_kind(path, value)
    if own.uninitialized and not value.uninitialized:
        own.materialize(value.array.shape)
    if value.array.shape != own.array.shape:
        return errors.state_size(path, value.shape, own.shape)
    if not assign:
        with modes.backward_mode(False):
            own.copy_(value)
    elif isinstance(own, Parameter) and not isinstance(value, Parameter):
        shelf[name] = Parameter(value, requires_grad=own.requires)
    else:
        shelf[name] = value
    return None
