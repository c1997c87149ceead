"""A lesson's program as it ran: its trace, what its names stand for, and the state after any row."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

Row = dict[str, Any]
BEFORE = -1  # the number of the state before the first row


class State:
    """What holds after a row: values, `.grad`s, names, buffers; folded as static/js/trace/reducer.js does."""

    def __init__(self) -> None:
        self.value: dict[str, str] = {}  # tensor -> value
        self.grad: dict[str, str | None] = {}  # tensor -> value
        self.names: dict[str, str] = {}  # variable -> tensor
        self.version: dict[str, int] = {}  # tensor -> how often its memory was written
        self.missing: dict[str, int] = {}  # node -> edges it still waits for
        self.buffer: dict[tuple[str, int], str] = {}  # (node, input) -> what has arrived so far, summed
        self.flow: dict[tuple[str, int], str | None] = {}  # (node, slot) -> what it sent last
        self.received: dict[str, list[str | None]] = {}  # node -> what it got when it last ran
        self.saved: dict[str, list[str]] = {}  # node -> names it keeps; none left once they are freed
        self.queue: list[str] = []
        self.printed: list[str] = []
        self.state: dict[
            str, list
        ] = {}  # parameter -> what its optimizer keeps: [name, formula, before, now]

    def fold(self, row: Row) -> None:
        """Take one row in; a kind that changes nothing here is left alone."""
        self.value.update(row.get("seen", ()))
        handler = getattr(self, f"on_{row['kind']}", None)
        if handler is not None:
            handler(row)

    def on_tensor_made(self, row: Row) -> None:
        """A tensor begins."""
        self.value[row["tensor"]] = row["value"]

    on_detached = on_tensor_made

    def on_op_applied(self, row: Row) -> None:
        """An operation gives its results and keeps what it saved."""
        self.value.update(zip(row["outputs"], row["values"]))
        if row["node"] is not None:
            self.saved[row["node"]] = [entry[0] for entry in row["saved"]]

    def on_version_bumped(self, row: Row) -> None:
        """Memory was written once more."""
        self.version[row["tensor"]] = row["after"]

    def on_aliases_changed(self, row: Row) -> None:
        """Memory was written: what else shares it shows the new numbers."""
        self.value.update(row["tensors"])

    def on_data_replaced(self, row: Row) -> None:
        """Something was assigned to `.data`."""
        self.value[row["tensor"]] = row["after"]

    def on_names_bound(self, row: Row) -> None:
        """Variables stand for other tensors."""
        for name in row["unbound"]:
            self.names.pop(name, None)
        self.names.update(row["names"])

    def on_printed(self, row: Row) -> None:
        """Something was printed."""
        self.printed.append(row["text"].rstrip("\n"))

    def on_grad_set(self, row: Row) -> None:
        """A `.grad` changes."""
        self.grad[row["tensor"]] = row["after"]

    on_grad_retained = on_grad_accumulated = on_grad_set

    def on_grad_norm_clipped(self, row: Row) -> None:
        """Several `.grad`s are scaled."""
        self.grad.update(zip(row["tensors"], row["after"]))

    on_grad_value_clipped = on_grad_norm_clipped

    def on_parameter_updated(self, row: Row) -> None:
        """An optimizer changes a parameter, and what it keeps for it."""
        self.value[row["tensor"]] = row["after"]
        self.state[row["tensor"]] = row.get("state") or []

    def on_backward_began(self, row: Row) -> None:
        """A pass begins: everybody waits for all edges that point at them."""
        self.missing = dict(row["missing"])
        self.buffer.clear()
        self.flow.clear()

    def on_node_ready(self, row: Row) -> None:
        """The queue as it now stands."""
        self.queue = row["queue"]

    def on_node_entered(self, row: Row) -> None:
        """A node is taken from the queue with what waited for it."""
        self.queue = row["queue"]
        self.received[row["node"]] = row["grads"]
        for key in [key for key in self.buffer if key[0] == row["node"]]:
            del self.buffer[key]

    def on_hook_ran(self, row: Row) -> None:
        """A hook before the rules may have put another gradient in place of what the node got."""
        received = self.received.get(row["node"], [])
        if row["when"] in ("tensor", "before the node") and row["before"] in received:
            received = list(received)
            received[received.index(row["before"])] = row["after"]
            self.received[row["node"]] = received

    def on_edge_flowed(self, row: Row) -> None:
        """A gradient arrives."""
        self.flow[row["node"], row["slot"]] = row["grad"]
        self.missing[row["target"]] = row["missing"]
        if row["grad"] is not None:
            self.buffer.setdefault((row["target"], row["input_nr"]), row["grad"])

    def on_grad_summed(self, row: Row) -> None:
        """It is added to what had arrived before."""
        self.buffer[row["node"], row["input_nr"]] = row["after"]

    def on_saved_freed(self, row: Row) -> None:
        """A node lets go of what it kept."""
        self.saved[row["node"]] = []


class Run:
    """One trace, with what addresses and expressions ask of it."""

    def __init__(self, trace: dict[str, Any]) -> None:
        self.trace, self.rows = trace, trace["rows"]
        self.last = len(self.rows) - 1
        self.at = lru_cache(maxsize=64)(self._at)

    def _at(self, k: int) -> State:
        """Return the state after row k."""
        state = State()
        for row in self.rows[: k + 1]:
            state.fold(row)
        return state

    def names_of(self, tensor: str) -> list[str]:
        """Return every name a tensor ever had."""
        return self.trace["tensors"][tensor]["names"]

    def tensors_called(self, name: str) -> list[str]:
        """Return the tensors that ever had this name, in order of creation."""
        return [key for key, tensor in self.trace["tensors"].items() if name in tensor["names"]]

    def tensor(self, name: str, k: int) -> str | None:
        """Return the tensor a name stands for after row k, else the last that was ever called so."""
        bound = self.at(k).names.get(name)
        called = self.tensors_called(name)
        made = [key for key in called if key in self.at(k).value]
        return bound or next(iter((made or called)[-1:]), None)

    def nodes_called(self, name: str) -> Iterator[str]:
        """Return the nodes that a name fits: `MulBackward0`, a result `y`, a leaf `w`, `MulBackward0(y)`."""
        kind, _, inner = name.removesuffix(")").partition("(")
        for key, node in self.trace["nodes"].items():
            tensors = [node["variable"]] if node.get("variable") else node["outputs"]
            variables = {each for tensor in tensors for each in self.names_of(tensor)}
            fits_kind = kind in (node["name"], node["op"])
            if (fits_kind and (not inner or inner in variables)) or (not inner and kind in variables):
                yield key

    def next_node(self, k: int) -> str | None:
        """Return the node that runs next after row k, or None."""
        later = (row["node"] for row in self.rows[k + 1 :] if row["kind"] == "node_entered")
        return next(later, None)

    def numbers(self, value: str | None) -> Any:
        """Return a value as nested lists of numbers, None for none. Raises ValueError if it is too large."""
        if value is None:
            return None
        held = self.trace["values"][value]
        if "data" not in held:
            raise ValueError(
                f"a value of shape {tuple(held['shape'])} is too large to be told number by number"
            )
        return numbers(held["data"])


def numbers(data: Any) -> Any:
    """Return JSON numbers as Python's: nan and inf are texts there."""
    if isinstance(data, list):
        return [numbers(each) for each in data]
    return float(data) if isinstance(data, str) else data
