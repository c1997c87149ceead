"""Writes small traces by hand, as a program would: leaves, operations, backward passes. Only for tests."""

from __future__ import annotations

from typing import Any


class Program:
    """A trace in the making. Methods return ids; `trace` is the trace so far."""

    def __init__(self) -> None:
        self.trace: dict[str, Any] = {
            "version": 1, "engine": "0.1.0", "mirrors": "PyTorch 2.13.0", "source": "",
            "tensors": {}, "nodes": {}, "modules": {}, "values": {},
            "rows": [], "outcome": {"kind": "finished"},
        }  # fmt: skip
        self.accumulators: dict[str, str] = {}
        self.calls = 0

    def row(self, kind: str, **fields: Any) -> None:
        """Append a row."""
        self.trace["rows"].append({"kind": kind, "at": None, **fields})

    def value(self, data: Any = 1.5) -> str:
        """Intern a value."""
        v = f"v{len(self.trace['values']) + 1}"
        self.trace["values"][v] = {"dtype": "float32", "shape": [], "data": data}
        return v

    def tensor(self, kind: str, name: str | None, node: str | None = None, parameter: bool = False) -> str:
        """Add a tensor to the tables."""
        t = f"t{len(self.trace['tensors']) + 1}"
        names = [name] if name else []
        self.trace["tensors"][t] = {
            "kind": kind, "shape": [], "dtype": "float32", "node": node, "output_nr": 0,
            "parameter": parameter, "at": None, "names": names,
        }  # fmt: skip
        return t

    def leaf(self, name: str | None, data: Any = 1.5, parameter: bool = False) -> str:
        """Make a leaf and bind it."""
        return self._made("leaf", name, data, parameter)

    def data(self, name: str | None, data: Any = 1.5) -> str:
        """Make a tensor without grad and bind it."""
        return self._made("data", name, data, False)

    def _made(self, kind: str, name: str | None, data: Any, parameter: bool) -> str:
        t = self.tensor(kind, name, parameter=parameter)
        self.row("tensor_made", tensor=t, value=self.value(data))
        if name and not parameter:
            self.bind(name, t)
        return t

    def bind(self, name: str, t: str) -> None:
        """Bind a name."""
        self.row("names_bound", names={name: t}, unbound=[])

    def op(self, op: str, *inputs: str, name: str | None = None, data: Any = 1.5) -> str:
        """Apply an operation to tensors; return its output."""
        nodes = self.trace["nodes"]
        edges = [self.edge(t) for t in inputs]
        n = f"n{len(nodes) + 1}"
        out = self.tensor("result", name, n)
        words = ["self", "other", "third", "fourth"]
        args = [[words[i], {"tensor": t}] for i, t in enumerate(inputs)]
        nodes[n] = {
            "name": f"{op.capitalize()}Backward0", "op": op, "seq": len(nodes), "edges": edges,
            "inputs": words[: len(inputs)], "args": args, "outputs": [out], "formulas": {},
            "at": None, "module": None,
        }  # fmt: skip
        self.row(
            "op_applied", op=op, node=n, args=args, outputs=[out], values=[self.value(data)],
            inplace=False, saved=[], module=None,
        )  # fmt: skip
        if name:
            self.bind(name, out)
        return out

    def edge(self, t: str) -> list | None:
        """Return the edge to the node that a tensor's gradient goes to."""
        tensor, nodes = self.trace["tensors"][t], self.trace["nodes"]
        if tensor["kind"] == "data":
            return None
        if tensor["node"]:
            return [tensor["node"], 0]
        known = self.accumulators.get(t)
        if known is None:
            known = self.accumulators[t] = f"n{len(nodes) + 1}"
            nodes[known] = {
                "name": "AccumulateGrad", "op": None, "seq": None, "edges": [], "inputs": [], "args": [],
                "outputs": [], "variable": t, "formulas": {}, "at": None, "module": None,
            }  # fmt: skip
        return [known, 0]

    def backward(self, *roots: str) -> None:
        """Run a backward pass: its rows name each node it reaches, in a plausible order."""
        nodes = self.trace["nodes"]
        waiting = [self.edge(t)[0] for t in roots]
        self.row(
            "backward_began", call=self.calls, api="Tensor.backward",
            roots=list(roots), root_nodes=list(waiting), grads=[],
            implicit=True, retain_graph=False, create_graph=False, inputs=[], missing={},
        )  # fmt: skip
        reached: list[str] = []
        while waiting:
            n = waiting.pop(0)
            if n not in reached:
                reached.append(n)
                waiting += [edge[0] for edge in nodes[n]["edges"] if edge]
        for n in reached:
            self.row("node_entered", node=n, grads=[], queue=[])
            if t := nodes[n].get("variable"):
                after = self.value()
                fields = {"before": None, "arriving": after, "after": after, "how": "stolen"}
                self.row("grad_accumulated", node=n, tensor=t, **fields)
        self.row("backward_ended", call=self.calls)
        self.calls += 1
