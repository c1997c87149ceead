"""Views: what shares memory with what, and what writing through a view does to the graph."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from engine import errors, events, modes
from engine.node import Node, gradient_edge, node_type
from engine.ops.table import TABLE, Op
from engine.tensor import Tensor, info_of, make_at, strides_of

NORMAL, MULTI, NO_GRAD, INFERENCE, FUNCTION = "normal", "multi", "no_grad", "inference", "function"


class View:
    """How a view came about, and the version at which its grad_fn was current."""

    __slots__ = ("kind", "version")

    def __init__(self, kind: str, version: int) -> None:
        self.kind = kind
        self.version = version


def attach(op: Op, source: Tensor, outputs: tuple[Tensor, ...], kind: str | None = None) -> None:
    """Make `outputs` views of what `source` looks into: the root, never a view in between."""
    root = source if source.base is None else source.base
    if kind is None:
        kind = MULTI if op.outputs != 1 else NORMAL
        if not modes.is_grad_enabled():
            kind = INFERENCE if modes.is_inference_mode_enabled() else NO_GRAD
        elif source.base is not None and kind == NORMAL:
            kind = source.view_of.kind
    counter = root.shared_counter()
    for output in outputs:
        output.base, output.counter = root, counter
        output.view_of = View(kind, counter[0])


def current_node(view: Tensor) -> Any:
    """Return a view's grad_fn; if its memory was written since, make the AsStridedBackward0 it has now.

    The new node takes its sequence number at this moment, so that even looking changes the order.
    """
    before = view.node
    node = _renewed(view)
    if node is not before:
        events.emit(events.Rebased(view, before, node))
    return node


def _renewed(view: Tensor) -> Any:
    info = view.view_of
    now = view.version_now()
    if info.version == now or not (view.node is not None or view.base.requires):
        return view.node
    if info.kind == NO_GRAD and view.node is None:
        raise RuntimeError(errors.no_grad_view_of_changed_base())
    events.changing()
    edge = gradient_edge(view.base)
    node = node_type(TABLE["as_strided"])(TABLE["as_strided"], (edge,), (info_of(view),))
    size, stride, offset = geometry(view.base.array, view.array)
    node.saved = {"size": size, "storage_offset": offset, "stride": stride}
    node.saved["self_sym_sizes"] = view.base.array.shape
    node.saved["self_sym_strides"] = strides_of(view.base.array)
    move_retains(view, node)
    if view.hooks is None and view.node is not None and view.node.tensor_hooks:
        view.hooks = view.node.tensor_hooks.get(view.output_nr)  # those to come join them
    view.node, view.output_nr, view.requires = node, 0, True
    info.version = now
    return node


def geometry(root: np.ndarray, array: np.ndarray) -> tuple[tuple, tuple, int]:
    """Return size, stride and offset of `array` inside `root`, in elements."""
    start = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
    return array.shape, strides_of(array), start // array.itemsize


def check_inplace(tensor: Tensor, recorded: bool) -> None:
    """Refuse writes in place that autograd cannot follow, in PyTorch's order."""
    if tensor.inference and not modes.is_inference_mode_enabled():
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a "
            "clone to get a normal tensor before doing inplace update.See "
            "https://github.com/pytorch/rfcs/pull/17 for more details."
        )
    if not recorded:
        return
    if tensor.base is not None:
        _check_view(tensor)
        if tensor.requires_grad and tensor.base.is_leaf and tensor.base.requires:
            raise RuntimeError(errors.leaf_view_in_place())
    elif tensor.requires and tensor.node is None:
        raise RuntimeError(errors.leaf_in_place())


def check_overlap(written: Tensor, args: tuple) -> None:
    """Refuse to write into memory that is read through another view of it (MemoryOverlap.cpp)."""
    for other in args:
        if isinstance(other, Tensor) and other is not written and partial_overlap(written.array, other.array):
            raise RuntimeError(errors.partial_overlap())


def partial_overlap(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether two dense arrays share some of their memory, but are not the same."""
    if not a.size or not b.size or not (_dense(a) and _dense(b)):
        return False
    starts = [x.__array_interface__["data"][0] for x in (a, b)]
    ends = [start + x.nbytes for start, x in zip(starts, (a, b), strict=True)]
    if starts[0] == starts[1] and ends[0] == ends[1]:
        return a.strides != b.strides
    return starts[0] < ends[1] and starts[1] < ends[0]


def _dense(array: np.ndarray) -> bool:
    """Return whether the elements fill their stretch of memory without gaps or sharing."""
    order = sorted(
        (stride, size) for stride, size in zip(array.strides, array.shape, strict=True) if size > 1
    )
    expected = array.itemsize
    for stride, size in order:
        if stride != expected:
            return False
        expected *= size
    return True


def _check_view(tensor: Tensor) -> None:
    kind = tensor.view_of.kind
    if kind == MULTI:
        raise RuntimeError(errors.multi_view_in_place(tensor.grad_fn, tensor.output_nr))
    if kind == FUNCTION:
        raise RuntimeError(errors.function_view_in_place(tensor.grad_fn, tensor.output_nr))
    if kind in (NO_GRAD, INFERENCE):
        raise RuntimeError(errors.no_grad_view_in_place())


def rebase(tensor: Tensor, node: Node) -> None:
    """Let a tensor's history go through `node` from now on; through a view, that of its root too."""
    events.changing()
    if tensor.base is None:
        move_retains(tensor, node)
        tensor.node, tensor.output_nr, tensor.requires, tensor.hooks = node, 0, True, None
        return
    root = tensor.base
    slices = CopySlices(root, tensor, node)
    move_retains(root, slices)
    root.node, root.output_nr, root.requires, root.hooks = slices, 0, True, None
    _renewed(tensor)
    tensor.hooks = None


def standing(tensor: Tensor) -> list[tuple[Tensor, Any, int]]:
    """Return where a tensor and its root hang before a write in place, for `moved`; only if watched."""
    if events.observer() is None:
        return []
    return [(each, each.node, each.version_now()) for each in (tensor, tensor.base) if each is not None]


def moved(were: list[tuple[Tensor, Any, int]]) -> None:
    """State what a write in place has done: to the version, and to the graph."""
    if not were:
        return
    tensor, _, version = were[0]
    if tensor.version_now() != version:
        events.emit(events.VersionBumped(tensor, version, tensor.version_now()))
    for each, before, _ in were:
        if each.node is not before:
            events.emit(events.Rebased(each, before, each.node))


def move_retains(tensor: Tensor, node: Node) -> None:
    """`retain_grad()` follows the tensor to its new node (hooks stay with the old one)."""
    if tensor.retains and tensor.node is not None and tensor.node.retains:
        tensor.node.retains.pop(tensor.output_nr, None)
        node.retains, node.hooked = {0: weakref.ref(tensor)}, True


class CopySlices(Node):
    """What a root's history becomes when a view of it is written: `inner` acts on the slice only.

    Edges: where the root's gradient went before, then all of inner's but its first.
    """

    __slots__ = ("root", "size", "storage_offset", "stride")

    def __init__(self, root: Tensor, view: Tensor, inner: Node) -> None:
        edges = (gradient_edge(root), *inner.next_edges[1:])
        super().__init__(None, edges, (info_of(root),))
        self.inner = inner
        self.size, self.stride, self.storage_offset = geometry(root.array, view.array)
        self.root = root.array.shape, strides_of(root.array)

    @property
    def type_name(self) -> str:
        return "CopySlices"

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def run(self, grads: tuple, needed: tuple[bool, ...], create_graph: bool) -> list[Any]:
        if self.inner is None:
            raise RuntimeError(errors.second_backward())
        if grads[0] is None:
            return [None] * len(self.next_edges)
        result = make_at(laid_out(*self.root, grads[0].array.dtype), None, grads[0].place).copy_(grads[0])
        part = result.as_strided(self.size, self.stride, self.storage_offset)
        into_the_slice = self.inner.next_edges[0] is not None  # what was overwritten asked for a gradient
        first, *rest = self.inner.run((part.clone(),), (into_the_slice, *needed[1:]), create_graph)
        if first is None:
            return [None, *rest]
        part.copy_(first)
        return [result if needed[0] else None, *rest]

    def release(self) -> tuple[str, ...]:
        """Drop the inner node: a CopySlices runs once."""
        events.changing()
        dropped = () if self.inner is None else ("fn",)
        self.inner = None
        self.freed = True
        return dropped


def as_strided(array: np.ndarray, size: tuple, stride: tuple, offset: int | None) -> np.ndarray:
    """Return `array`'s memory seen with another geometry, all in elements."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if offset is None:
        offset = geometry(owner, array)[2]
    step = array.itemsize
    return np.ndarray(tuple(size), array.dtype, owner.data, offset * step, tuple(s * step for s in stride))


def laid_out(shape: tuple, strides: tuple, dtype: Any) -> np.ndarray:
    """Return zeros in a given layout (strides in elements); in plain order if the layout has gaps."""
    flat = np.zeros(int(np.prod(shape)), dtype)
    step = flat.itemsize
    order = sorted((stride, size) for stride, size in zip(strides, shape, strict=True) if size > 1)
    expected = 1
    for stride, size in order:
        if stride != expected:
            return flat.reshape(shape)
        expected *= size
    return np.ndarray(shape, dtype, flat, 0, tuple(s * step for s in strides))


def cut(tensor: Tensor) -> None:
    """Drop a tensor's history in place; a view cannot."""
    if tensor.base is not None:
        raise RuntimeError(errors.cant_detach_view())
    events.changing()
    tensor.node, tensor.output_nr, tensor.requires = None, 0, False


def detached(tensor: Tensor) -> Tensor:
    """Return the same memory and version counter with no history: `detach()`."""
    other = tensor.aliased()
    if tensor.inference:
        other.inference = True
    return other
