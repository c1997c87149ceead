"""What an operation was given: its arguments as laws take them, and whether it can have been given these."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np

from engine.verify.derive import IN_WORDS, UNREAD, gathered, parsed
from engine.verify.formula import read_formula
from engine.verify.laws.drawn import DRAWN
from engine.verify.laws.table import EACH, FORWARD, asks
from engine.verify.numbers import Value
from engine.verify.world import Held, World

WORD = re.compile(r"[A-Za-z_]\w*")
UNUSED = {
    "C",
    "HxW",
    "non_blocking",
    "device",
    "dropout_p",
    "buffer",
    "generator",
    "sparse_grad",
}  # no law needs these
PACKED = {"checkpoint", "saved_tensors_hooks", "save_on_cpu"}  # with these, what is saved is not shown
LAWLESS = {"new_ones", "new_zeros", "zeros_like", "CheckpointFunction", "BackwardHookFunction"} | {
    *("linalg_svd", "linalg_qr", "linalg_eigh"),  # the signs of their vectors are free
    *("bitwise_left_shift", "bitwise_right_shift", "nextafter"),  # these look at bits
}
CHOSEN = {"values", "indices"}
RESULTS = {  # results with names of their own
    **dict.fromkeys(("max", "min", "median", "nanmedian", "sort", "topk"), CHOSEN),
    **dict.fromkeys(("kthvalue", "mode", "cummax", "cummin"), CHOSEN),
    **dict.fromkeys(("nll_loss", "nll_loss2d", "nll_loss_nd"), {"output", "total_weight"}),
    "multilabel_margin_loss": {"output", "is_target"},
    "aminmax": {"min", "max"},
    "linalg_inv": {"inverse"},
    "frexp": {"exponent"},
    "linalg_slogdet": {"sign", "logabsdet"},
    "linalg_cholesky": {"L"},
    "log_sigmoid": {"output", "buffer"},
    "_scaled_dot_product_flash_attention_for_cpu": {"output", "logsumexp"},
}


def arguments(row: dict, before: dict[str, Held | None]) -> dict[str, Any]:
    """Return an operation's arguments by name, and the shapes of those that are tensors."""
    named = [
        (n, held(before, what["tensor"]) if "tensor" in what else parsed(what["text"]))
        for n, what in row["args"]
    ]
    known = gathered(named)
    for name, thing in list(known.items()):
        if isinstance(thing, (np.ndarray, Value)):
            known[f"{name}_sym_sizes"] = tuple(thing.shape)
            known[f"{name}_sym_numel"] = int(np.prod(thing.shape))
        elif isinstance(thing, list):
            known[f"{name}_sym_sizes"] = tuple(tuple(x.shape) for x in thing if hasattr(x, "shape"))
    return known


def held(before: dict[str, Held | None], tensor: str) -> Any:
    """Return what a tensor held, or UNREAD."""
    memory = before.get(tensor)
    return UNREAD if memory is None else memory


def stems(names: Any) -> set[str]:
    """Return names without the places in lists: `tensors[0]` is called tensors."""
    return {name.partition("[")[0] for name in names}


def check_arguments(world: World, row: dict, name: str) -> None:
    """Arguments are written out or in known words, and are those that the operation takes."""
    function = FORWARD.get(name)
    for n, what in row["args"]:
        ours = function is not None or name in LAWLESS - {"CheckpointFunction"}
        if ours and parsed(what.get("text", "0")) is UNREAD and not IN_WORDS.fullmatch(what["text"]):
            world.refuse(f"args.{n}", "a plain argument as Python writes it", what["text"])
    if function is None:
        if not is_operation(name) and name not in world.words:
            world.refuse("op", "an operation, or a Function of the program", name)
        return
    takes, names = dict(asks(function)), stems(n for n, _ in row["args"])
    needs = {n for n, default in takes.items() if default is inspect.Parameter.empty}
    if not needs <= names or not names <= takes.keys() | UNUSED:
        world.refuse("args", sorted(takes), sorted(names))
    if row["inplace"]:
        return
    if name in EACH:
        check_broadcast(
            world, row, [world.shape(what["tensor"]) for _, what in row["args"] if "tensor" in what]
        )
    for tensor in row["outputs"]:
        if tensor in world.holds and not went_into_hook(world, row):
            world.refuse("outputs", "a tensor that does not exist yet", tensor)


def is_operation(name: str) -> bool:
    """Say whether an operation is known, if only by its name: some are what rules are made of."""
    return (
        name in FORWARD or name in DRAWN or name in LAWLESS or name[:1] == "_" or name.endswith("_backward")
    )


def check_broadcast(world: World, row: dict, shapes: list[tuple[int, ...]]) -> None:
    """What works element by element makes a result of the shape its arguments have together."""
    try:
        together = np.broadcast_shapes(*shapes)
    except ValueError:
        together = None
    found = world.shape(row["outputs"][0])
    if together != found:
        world.refuse("outputs", f"shape {together}, of {shapes} together", found)


def went_into_hook(world: World, row: dict) -> bool:
    """Say whether a hook was given a result of this operation before its row."""
    earlier = (each for each in world.rows[: world.k] if each["kind"] == "saved_packed")
    return any(each["value"] in row["values"] and each["at"] == row["at"] for each in earlier)


def came_from_hook(world: World, row: dict, v: str) -> bool:
    """Say whether a program's own hook gave this value to be kept for this operation."""
    earlier = (each for each in world.rows[: world.k] if each["kind"] == "saved_packed")
    return any(each["packed"] == v and each["at"] == row["at"] for each in earlier)


def check_labels(world: World, row: dict, name: str) -> None:
    """What is saved is called after an argument or a result, and is all that the node's rules read."""
    labels = stems(label for label, _, _ in row["saved"])
    names = stems(n for n, _ in row["args"])
    tensors = stems(n for n, what in row["args"] if "tensor" in what) | {"result"}
    results = {label for label in labels if re.fullmatch(r"result\d?", label)} | RESULTS.get(name, set())
    strange = labels - names - results - {"saved_tensors"}
    if strange and name in FORWARD:
        world.refuse("saved", f"arguments {sorted(names)} or results", sorted(strange))
    owners = {n: what["tensor"] for n, what in row["args"] if "tensor" in what}
    packed = PACKED & world.words
    for i, (label, tensor, v) in enumerate(row["saved"]):
        if tensor is not None and label in owners and tensor not in (owners[label], *row["outputs"]):
            if not packed and not came_from_hook(world, row, v):
                world.refuse(f"saved[{i}]", owners[label], tensor)
    entry = world.nodes.get(row["node"] or "")
    if entry is None or entry["name"] == "AsStridedBackward0" or packed:
        return
    rules = [
        entry["formulas"].get(i, "") for i, edge in zip(entry["inputs"], entry["edges"]) if edge is not None
    ]
    read = {word for rule in rules if read_formula(rule) for word in WORD.findall(rule)} & (
        tensors - {"grad"}
    )
    if not read <= labels:
        world.refuse("saved", f"also {sorted(read - labels)}", sorted(labels))
