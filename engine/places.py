"""Where tensors are when some are on a simulated device: what may meet, where a result is, what a node is on.

Nothing here is asked while every tensor of a program is on the CPU (`state().placed`).
Source: PyTorch's TensorIterator (compute_types), the dispatcher's common_device check, Node::device().
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine import errors, events
from engine.device import CPU, Device, place_of
from engine.local import state
from engine.ops.table import Op
from engine.tensor import At, Tensor, make_at

NAMED = frozenset(  # PyTorch's message names the argument, and not both devices
    "mm addmm bmm baddbmm addbmm mv addmv dot addr cat index_select gather scatter scatter_add index_add "
    "index_copy index_fill embedding nll_loss nll_loss_forward nll_loss_nd take masked_select".split()
)
CONVOLUTIONS = frozenset("convolution conv1d conv2d conv3d".split())
INDEXED = frozenset("index index_put".split())  # their index tensors may be on the CPU
FREE = frozenset(("copy",))  # a copy goes from anywhere to anywhere


def named(args: tuple, parameters: tuple[str, ...]) -> Iterator[tuple[str, Tensor]]:
    """Yield every tensor among the arguments with the name of its parameter."""
    for name, value in zip(parameters, args, strict=False):
        for each in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(each, Tensor):
                yield name, each


def settle(op: Op, args: tuple, outputs: tuple[Tensor, ...]) -> None:
    """Refuse operands that are apart; put an operation's results where its operands are."""
    place = target(op, args)
    if place is not None:
        for output in outputs:
            output.place = place


def target(op: Op, args: tuple, inplace: bool = False) -> Device | None:
    """Return where an operation takes place, or refuse its operands in PyTorch's words."""
    if op.overload == "to.device":
        return place_of(Device(args[1]))
    tensors = list(named(args, op.parameters))
    places = [tensor.place for _, tensor in tensors]
    found = next((place for place in places if place is not None), None)
    if found is None or all(place is found for place in places):
        return found
    name = op.overload.partition(".")[0]
    if name in FREE or inplace and places[0] is found and name in INDEXED:
        return places[0]
    if state().in_rule:
        return found
    if name in INDEXED and places[0] is found and all(place in (found, None) for place in places):
        return found
    if name in CONVOLUTIONS:
        raise RuntimeError(errors.convolution_types(tensors[0][1], tensors[1][1]))
    if name in NAMED:
        first = places[0]
        parameter, other = next((n, t) for n, t in tensors if t.place is not first)
        raise RuntimeError(errors.different_device(parameter, other.device, first or CPU, name))
    for i, (_, tensor) in enumerate(tensors):
        alone = tensor.place is None and not tensor.array.ndim and not (inplace and i == 0)
        if tensor.place is not found and not alone:
            raise RuntimeError(errors.two_devices(found, tensor.device))
    return found


def note(node: Any, place: Device | None) -> None:
    """Write down on which device the outputs of a node are."""
    if place is not None:
        node.outputs_info = tuple([At(*info, place) for info in node.outputs_info])


def device_of(node: Any) -> Device | None:
    """Return the device a node runs on: the first simulated one among its outputs, or None for the CPU."""
    return next((info.place for info in node.outputs_info if type(info) is At), None)


def place_of_input(edge: Any) -> Device | None:
    """Return where a gradient that is sent along an edge has to be."""
    info = edge[0].outputs_info[edge[1]]
    return info.place if type(info) is At else None


def arrived(node: Any, slot: int, edge: Any, grad: Tensor, watched: bool) -> Iterator[Any]:
    """Return a gradient on the device of the input it goes to: a single number is moved, others refused.

    Source: engine.cpp, validate_outputs. What one of our own rules left on the CPU is put right silently.
    """
    place = place_of_input(edge)
    if grad.place is place:
        return grad
    copies = node.op is not None and node.op.name == "copy"  # CopyBackwards goes to where src was by itself
    if (grad.place is not None or not node.silent) and not copies:
        if grad.array.ndim:
            raise RuntimeError(errors.gradient_device(node, slot, place or CPU, grad.device))
        if watched:
            yield events.MovedToDevice(node, slot, grad, place or CPU)
    return make_at(grad.array, grad.exotic, place) if grad.node is None else _recorded(grad, place)


def _recorded(grad: Tensor, place: Device | None) -> Tensor:
    with events.observed_by(None):
        return grad.to(place or CPU)


def check_root(index: int, edge: Any, grad: Tensor | None) -> None:
    """Refuse a first gradient that is elsewhere than its root."""
    if grad is not None and grad.place is not (place := place_of_input(edge)):
        raise RuntimeError(errors.root_device(index, place or CPU, grad.device))
