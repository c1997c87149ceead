"""What the nodes of one operation have in common: how they keep what their rules need, written out once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from engine.ops.table import Op
from engine.saved import FREED, GONE, SavedTensor, unwritten
from engine.tensor import Tensor, strides_of


@functools.cache
def saving(plan: tuple, inputs: tuple[str, ...]) -> Callable[[tuple, tuple], dict[str, Any]]:
    """Return the function from arguments and outputs to what a node saves, written out for one plan.

    A dict display is evaluated in order, so tensors are packed in the order of the plan. An operand that is
    a number is kept as a tensor is: it can be asked for as one, and be freed.
    """
    entries = [(name, entry(*rest, name in inputs)) for name, *rest in plan]
    return written(f"args, outputs: {{{', '.join([f'{name!r}: {text}' for name, text in entries])}}}")


def written(text: str) -> Callable:
    """Return the function that a text of ours is, after the word lambda."""
    return eval(f"lambda {text}", globals())  # noqa: S307 - our own text


def entry(source: str, index: int, operand: bool) -> str:
    """Return the expression for one value that a node saves."""
    return {
        "argument": f"None if args[{index}] is None else SavedTensor(args[{index}])"
        if operand
        else f"kept(args[{index}])",
        "attribute": "None" if operand else f"attribute(args[{index}])",
        "result": f"SavedTensor(outputs[{index}], {index})",
        "_sym_sizes": f"args[{index}].array.shape if isinstance(args[{index}], Tensor) else "
        f"describe(args[{index}], '_sym_sizes')",
        "nothing": "None",
        "empty": "()",
    }.get(source, f"describe(args[{index}], {source!r})")


class Work:
    """What the nodes of an operation have in common whose inputs in `mask` need grad: written out once.

    `save` makes what they save of arguments and outputs; `fixed` is what they all save if that comes from
    defaults alone (nobody writes into it); `kept` are the names under which tensors may lie there.

    `pack` does the same as `save`, in less time and room, where no hook is asked and no operand is None:
    it returns a tuple in which numbers, and tensors that were never written, stand for themselves. `named`
    makes of that what `save` would have made, and `emptied` what is left once it was freed.

    `steps` are their rules on bare arrays (bare.py), once asked for; `places` the same for a tuple.
    """

    __slots__ = ("emptied", "fixed", "kept", "names", "operands", "pack", "places", "save", "steps")

    def __init__(self, op: Op, mask: int) -> None:
        plan = op.plan(mask)
        self.save = saving(plan, op.inputs)
        given = len(op.parameters) - len(op.defaults)
        defaults = (None,) * given + tuple(op.defaults.values())
        alone = all([source == "argument" and index >= given for _, source, index in plan])
        self.fixed = self.save(defaults, ()) if alone else None
        self.kept = tuple([name for name, source, _ in plan if source in ("argument", "result")])
        self.steps: tuple | None = None
        self.places: tuple | None = None
        self.names = tuple([name for name, *_ in plan])
        self.operands = tuple([source == "argument" and name in op.inputs for name, source, _ in plan])
        self.pack = self.emptied = None
        if any(self.operands) and all(
            [name in op.inputs or source != "argument" for name, source, _ in plan]
        ):
            texts = [
                ITSELF.format(f"args[{index}]") if operand else entry(source, index, name in op.inputs)
                for (name, source, index), operand in zip(plan, self.operands)
            ]
            left = ["GONE" if name in self.kept else f"held[{i}]" for i, name in enumerate(self.names)]
            self.pack = written(f"args, outputs: ({''.join([f'({text}), ' for text in texts])})")
            self.emptied = written(f"held: ({''.join([f'{text}, ' for text in left])})")

    def named(self, held: tuple) -> dict[str, Any]:
        """Return by name what a node holds as a tuple."""
        return {
            name: unwritten(value) if operand and type(value) is not SavedTensor else value
            for name, operand, value in zip(self.names, self.operands, held, strict=True)
        }


NUMBERS = frozenset((int, float, bool))
ITSELF = (
    "{0} if isinstance({0}, Tensor) and not ({0}.counter and {0}.counter[0]) and not {0}.inference "
    "or type({0}) in NUMBERS else SavedTensor({0})"
)


def work_of(op: Op, mask: int) -> Work:
    """Return what the nodes of an operation have in common; the row keeps it."""
    made = op.works[mask] = Work(op, mask)
    return made


def kept(value: Any) -> Any:
    """Return an argument as it is saved: each tensor, alone or in a list, with its version."""
    if isinstance(value, Tensor):
        return SavedTensor(value)
    if isinstance(value, (tuple, list)):
        return tuple([SavedTensor(v) if isinstance(v, Tensor) else v for v in value])
    return value


def attribute(value: Any) -> Any:
    """Return an argument that the rules do not need as it is shown: tensors are not kept."""
    return None if isinstance(value, Tensor) else value


def is_kept(value: Any) -> bool:
    """Return whether a saved value is, or has in it, a tensor that was not freed yet."""
    if type(value) is SavedTensor:
        return value.tensor is not FREED
    return type(value) is tuple and any([type(v) is SavedTensor and v.tensor is not FREED for v in value])


def emptied(value: Any) -> Any:
    """Return what stands for a saved value once it was freed."""
    if type(value) is tuple:
        return tuple([GONE if type(part) is SavedTensor else part for part in value])
    return GONE


def describe(value: Any, what: str) -> Any:
    """Return the saved shape facts of an argument: sizes, element count, strides, dtype."""
    if isinstance(value, Tensor):
        return FACTS[what](value)
    if isinstance(value, (list, tuple)):
        return tuple(describe(v, what) for v in value)
    return (0,) if what == "_sym_sizes_opt" else None


FACTS: dict[str, Callable[[Any], Any]] = {
    "_sym_sizes": lambda tensor: tensor.array.shape,
    "_sym_sizes_opt": lambda tensor: tensor.array.shape,
    "_sym_numel": lambda tensor: tensor.array.size,
    "_sym_strides": lambda tensor: strides_of(tensor.array),
    "_sym_argsize_0": lambda tensor: tensor.array.shape[0],
    "_dim": lambda tensor: tensor.array.ndim,
    "_dtype": lambda tensor: tensor.dtype,
    "_device": lambda tensor: str(tensor.device),
}
