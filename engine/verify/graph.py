"""The graph that operations build: which node made a tensor, and where each edge must lead."""

from __future__ import annotations

import re

from engine.verify.formula import read_formula
from engine.verify.laws.sentences import is_true
from engine.verify.laws.table import FORWARD, PULLS, asks
from engine.verify.world import World

RESHAPED = ("squeeze_", "unsqueeze_", "t_", "transpose_", "swapaxes_", "swapdims_")  # in place, but of shape

LOOSE = (
    "AsStridedBackward0",
    "CopySlices",
)  # what a tensor hangs on after its memory was written through another
TOGGLED = re.compile(r"\brequires_grad_?\b\s*(?:\(|=(?!\s*True\s*[,)])(?!=))")
OWN_NAMES = {
    "copy": "CopyBackwards", "contiguous": "CloneBackward0", "to": "ToCopyBackward0",
    "diagonal_copy": "DiagonalBackward0_copy", "nll_loss_nd": "NllLossBackward0",
    "linalg_inv": "LinalgInvExBackward0", "linalg_solve": "LinalgSolveExBackward0",
    "linalg_cholesky": "LinalgCholeskyExBackward0",
}  # fmt: skip
OF = re.compile(r"_sym_\w+$|_dtype$|_dim$|_device$")  # what a formula may say of an argument
SPOKEN = {  # what formulas may speak of that is no argument: gradients, sizes, results with a name
    *("grad", "grads", "count", "n", "m", "batch", "weights"),
    *("indices", "total_weight", "buffer", "min", "max", "exponent", "inverse", "L", "sign", "logabsdet"),
}
NO_NUMBER = 2**63  # nodes that only raise an error are made with the highest number
KEY = re.compile(r"\[.*?\]")  # of a list or a dict: what stands in it is no path


class Graph:
    """Follows which node each tensor hangs on."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.producer: dict[str, list] = {}  # tensor -> [node, output number]
        self.accumulators = {e["variable"]: n for n, e in world.nodes.items() if "variable" in e}
        self.rebased: set[str] = set()  # tensors that were written in place, and what may share their memory
        self.ever_written = {
            t for r in world.rows if r["kind"] == "op_applied" and r["inplace"] for t in r["outputs"]
        }
        self.last_seq = -1
        self.ats = [row["at"] for row in world.rows]
        self.toggled = bool(TOGGLED.search(world.trace["source"]))
        self.by_outputs: dict[tuple, list[str]] = {}
        for name, entry in world.nodes.items():
            self.check_entry(name, entry)
            self.by_outputs.setdefault(tuple(entry["outputs"]), []).append(name)

    def check_entry(self, name: str, entry: dict) -> None:
        """Hold a node's own fields against each other."""
        world = self.world
        leaf = entry["name"] == "AccumulateGrad"
        if leaf != ("variable" in entry) or leaf != (entry["seq"] is None):
            world.refuse(f"nodes.{name}.variable", "a leaf, and no number, if it accumulates", entry, None)
        if not leaf:
            self.check_name(name, entry)
        if len(entry["inputs"]) != len(entry["edges"]):
            world.refuse(f"nodes.{name}.edges", f"one for each of {entry['inputs']}", entry["edges"], None)
        if set(entry["formulas"]) - set(entry["inputs"]):
            world.refuse(
                f"nodes.{name}.formulas", f"rules of {entry['inputs']}", list(entry["formulas"]), None
            )
        for edge in entry["edges"]:
            if edge is not None and not leaf:
                target = world.nodes[edge[0]]
                results = 1 if "variable" in target else len(target["outputs"])
                if results and edge[1] >= results:
                    world.refuse(f"nodes.{name}.edges", f"a result of {edge[0]}", edge, None)
                after = target["seq"]
                if None not in (after, entry["seq"]) and entry["seq"] <= after < NO_NUMBER:
                    world.refuse(
                        f"nodes.{name}.edges",
                        f"nodes made before {entry['seq']}",
                        f"{edge[0]}: {after}",
                        None,
                    )

    def edge_of(self, tensor: str) -> list | None:
        """Return where a tensor's gradient goes now, as far as the rows tell."""
        if tensor in self.producer:
            return self.producer[tensor]
        entry = self.world.tensors[tensor]
        if entry["node"] is not None and tensor not in self.ever_written:
            return [entry["node"], entry["output_nr"]]
        leaf = self.accumulators.get(tensor)
        return None if leaf is None else [leaf, 0]

    # ----- one application ------------------------------------------------------------------------
    def applied(self, row: dict, name: str) -> None:
        """Hold a node against the operation that made it, and each of its edges against its argument."""
        world, node = self.world, row["node"]
        if row["inplace"]:
            self.rebased.update([*world.sharing(row["outputs"][0]), row["outputs"][0]])
        if node is None:
            self.check_unrecorded(row)
            for tensor in row["outputs"]:
                if not row["inplace"]:
                    self.producer.pop(tensor, None)
            return
        entry = world.nodes[node]
        for field in ("args", "outputs", "module", "at"):
            if entry[field] != row[field]:
                world.refuse(f"node {node}.{field}", entry[field], row[field])
        if entry["op"] != name and entry["op"] != row["op"]:
            world.refuse("op", f"{entry['op']}, as {node} says", row["op"])
        if node in world.made_at:
            world.refuse("node", "a node that is new", node)
        world.made_at[node] = world.k
        if entry["seq"] is None or entry["seq"] <= self.last_seq:
            world.refuse(f"node {node}.seq", f"a number above {self.last_seq}", entry["seq"])
        else:
            self.last_seq = entry["seq"]
        through_view = row["inplace"] and entry["name"] in LOOSE
        if not through_view:
            self.check_edges(row, entry)
        for number, tensor in enumerate(row["outputs"]):
            if world.tensors[tensor]["kind"] != "data" or row["inplace"] or name not in FORWARD:
                self.producer[tensor] = [node, number]
        if row["inplace"]:
            self.rebased.discard(row["outputs"][0])  # for now it is known again

    def check_unrecorded(self, row: dict) -> None:
        """An operation that made no node is not the one that a node says made it."""
        for node in self.by_outputs.get(tuple(row["outputs"]), ()):
            entry = self.world.nodes[node]
            if node not in self.world.made_at and (entry["args"], entry["at"]) == (row["args"], row["at"]):
                self.world.refuse("node", node, None)

    def check_name(self, node: str, entry: dict) -> None:
        """Hold a node's name against its operation's: pow makes a PowBackward0 or 1 or 2."""
        op, shown = entry["op"], entry["name"]
        if op is None or shown == "CopySlices":
            right = op is None and (shown == "CopySlices" or shown not in PULLS)
        elif (op in FORWARD or shown in PULLS) and shown not in LOOSE:
            flat = op.strip("_").replace("_", "").lower()
            plain = re.fullmatch(flat + r"backward\d", shown.lower()) and shown in PULLS
            right = plain or shown in (OWN_NAMES.get(op), "NotImplemented")
        else:
            right = re.fullmatch(r"\w*?Backward\d?|NotImplemented", shown) is not None
        if not right:
            self.world.refuse(f"nodes.{node}.name", f"a node of {op}", shown, None)

    def check_edges(self, row: dict, entry: dict) -> None:
        """Hold each edge against the argument it belongs to."""
        named = dict(row["args"])
        for slot, (input_, edge) in enumerate(zip(entry["inputs"], entry["edges"])):
            argument = named.get(input_)
            if argument is None:
                continue
            tensor = argument.get("tensor")
            if row["op"] in RESHAPED and slot == 0:
                tensor = row["outputs"][0]
            wanted = None if tensor is None else self.edge_of(tensor)
            if edge == wanted or tensor is None and edge is None:
                continue
            if tensor is not None and self.may_differ(tensor, edge):
                continue
            self.world.refuse(
                f"node {row['node']}.edges[{slot}]", f"{wanted}, where {tensor or input_} comes from", edge
            )

    def may_differ(self, tensor: str, edge: list | None) -> bool:
        """Say whether an edge may lead elsewhere than a tensor's row says."""
        if edge is None:
            leaf = self.world.tensors[tensor]["node"] is None
            return leaf and (self.toggled or self.world.tensors[tensor]["kind"] == "data")
        name = self.world.nodes[edge[0]]["name"]
        return tensor in self.rebased and (name in LOOSE or name.endswith("Backward0"))

    # ----- at the end -----------------------------------------------------------------------------
    def ended(self) -> None:
        """Hold the tables against all rows together."""
        world = self.world
        self.check_tensors()
        for name, entry in world.nodes.items():
            if entry["at"] is not None and entry["at"] not in self.ats and not world.cut_short:
                world.refuse(f"nodes.{name}.at", "where a row stands", entry["at"], None)
        self.check_numbers()
        self.check_formulas()
        if world.cut_short:
            return
        for name, entry in world.nodes.items():
            if entry["outputs"] and name not in world.made_at:
                world.refuse(f"nodes.{name}", "a row that applied it", "none", None)
        for tensor, entry in world.tensors.items():
            if (entry["kind"] == "result") != (entry["node"] is not None):
                world.refuse(f"tensors.{tensor}.kind", "result if it has a node", entry["kind"], None)
            at = self.producer.get(tensor)
            stale = entry["kind"] == "data"  # a tensor that died before it was looked at again
            now = [entry["node"], entry["output_nr"]]
            if at not in (None, now) and not stale and tensor not in self.rebased:
                world.refuse(f"tensors.{tensor}.node", at, now, None)
            unseen = entry["node"] is not None and not world.nodes[entry["node"]]["outputs"]
            if unseen and entry["output_nr"] != 0 and at is None:
                world.refuse(
                    f"tensors.{tensor}.output_nr", "0: the node has one result", entry["output_nr"], None
                )

    def check_tensors(self) -> None:
        """Hold the entries of tensors against what rows have shown of them."""
        world = self.world
        for tensor, entry in world.tensors.items():
            memory = world.holds.get(tensor)
            kept = memory is not None and tensor not in self.ever_written
            if kept and entry["shape"] != list(memory.shape):
                world.refuse(f"tensors.{tensor}.shape", list(memory.shape), entry["shape"], None)
            if entry["kind"] not in ("leaf", "result", "data"):
                world.refuse(f"tensors.{tensor}.kind", "leaf, result or data", entry["kind"], None)
            if entry["node"] is None and entry["output_nr"] != 0:
                world.refuse(f"tensors.{tensor}.output_nr", "0 without a node", entry["output_nr"], None)
            accumulator = self.accumulators.get(tensor)
            if accumulator is not None and world.nodes[accumulator]["at"] != entry["at"]:
                world.refuse(f"nodes.{accumulator}.at", entry["at"], world.nodes[accumulator]["at"], None)
            dotted = any("." in KEY.sub("", name) and not name.endswith(".grad") for name in entry["names"])
            impossible = not {"nn", "Parameter"} & world.words
            if entry["parameter"] and impossible or dotted and not entry["parameter"]:
                world.refuse(f"tensors.{tensor}.parameter", dotted, entry["parameter"], None)
            leaf = entry["kind"] == "data" and tensor in self.accumulators and tensor not in self.producer
            if leaf and not self.toggled:
                world.refuse(f"tensors.{tensor}.kind", "leaf: gradients are for it", "data", None)

    def check_numbers(self) -> None:
        """Nodes are numbered as they are made, each with a number of its own."""
        world = self.world
        numbers = sorted(
            e["seq"] for e in world.nodes.values() if e["seq"] is not None and e["seq"] < NO_NUMBER
        )
        twice = [n for n, after in zip(numbers, numbers[1:]) if n == after]
        if twice:
            world.refuse("nodes", "a number for each", f"{twice[0]} twice", None)

    def check_formulas(self) -> None:
        """A formula that is plain arithmetic speaks of the gradient, the arguments and the results."""
        for node, entry in self.world.nodes.items():
            names = {n.partition("[")[0] for n, _ in entry["args"]}
            for input_, text in entry["formulas"].items() if names and entry["name"] in PULLS else ():
                function = None if is_true(text, entry["name"]) else read_formula(text)
                if function is None and not is_true(text, entry["name"]):
                    self.world.refuse(f"nodes.{node}.formulas.{input_}", "a formula", text, None)
                words = {n for n, _ in asks(function)} if function else set()
                strange = {w for w in words - names - SPOKEN if OF.sub("", w) not in names}
                if strange and not any(re.fullmatch(r"result\d?", w) for w in strange):
                    self.world.refuse(
                        f"nodes.{node}.formulas.{input_}", f"words of {sorted(names)}", text, None
                    )
