"""`python -m engine.observe FILE`: run a trusted snippet and print what happened, as one JSON observation.

A second observer of the same facts, in the format in which real PyTorch was recorded (schema 2), so that
the two can be compared. Guards nothing and draws nothing.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import inspect
import io
import json
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine import autograd, events, facade, random
from engine.backward import GraphRoot
from engine.modes import no_grad
from engine.node import AccumulateGrad, Node
from engine.numeric import runs
from engine.observation import OWN, in_batch, names_of, saved_entry, scrub, tensor_entry, variables
from engine.tensor import Tensor
from engine.trace.run import importer

SCHEMA = 2
CALLS = ("backward", "grad")


# ----- the observer -----
class Observer:
    """Collects backward calls from the facts of one run."""

    def __init__(self, path: str, names: dict[str, Any]) -> None:
        self.path = path
        self.names = names
        self.calls: list[dict] = []
        self.open: list[Open] = []
        self.asked: list[dict] = []
        self.step = 0
        self.uids: dict[int, tuple[int, Node]] = {}

    def __call__(self, fact: Any) -> None:
        """Take note of a fact of a backward pass; others are of no interest here."""
        handle = getattr(self, type(fact).__name__, None)
        if handle is not None:
            with events.observed_by(None), no_grad():
                handle(fact)

    def line(self) -> int | None:
        """Return the line of the innermost frame of the snippet."""
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.path:
            frame = frame.f_back
        return None if frame is None else frame.f_lineno

    def new_call(self, api: str) -> dict:
        """Start the record of one call."""
        parent = self.open[-1].call["index"] if self.open else None
        call = {"index": len(self.calls), "api": api, "line": self.line(), "parent": parent}
        self.calls.append(call)
        return call

    def BackwardBegan(self, fact: events.BackwardBegan) -> None:  # noqa: N802 - named after the fact
        """Describe the call and the whole graph as it is before anything runs."""
        self.open.append(self.described(self.asked[-1], fact.grads))
        self.asked[-1]["reached"] = True

    def BackwardRefused(self, fact: events.BackwardRefused) -> None:  # noqa: N802
        """Describe a call that the engine refused before anything ran."""
        self.described(self.asked[-1], fact.grads)

    def described(self, asked: dict, grads: Sequence[Any]) -> Open:
        """Write down what a call asks for and the graph it meets."""
        given, accumulates = asked["given"], asked["api"] != "autograd.grad"
        keep, create = given.get("retain_graph"), bool(given.get("create_graph"))
        call = asked["call"] = self.new_call(asked["api"])
        call["retain_graph"], call["create_graph"] = create if keep is None else bool(keep), create
        call["accumulate_grad"] = accumulates
        call["allow_unused"] = accumulates or bool(given.get("allow_unused"))
        places = [place(root) for root in asked["roots"]]
        nodes, index = walk([node for node, _ in places if node is not None])
        names = names_of(self.names)
        call["roots"] = [
            {"var": names.get(id(r)), "node": index.get(id(node)), "input_nr": nr, "grad": tensor_entry(g)}
            for r, g, (node, nr) in zip(asked["roots"], grads, places)
        ]
        if given.get("inputs") is not None:
            call["inputs"] = [
                {"var": names.get(id(each)), "node": index.get(id(node)), "input_nr": nr}
                for each in autograd.as_tuple(given["inputs"])
                for node, nr in [place(each)]
            ]
        call["nodes"] = [self.node_entry(i, node, index, names) for i, node in enumerate(nodes)]
        batch = next((g.batch for g in grads if g is not None), None)
        for entry in call["nodes"] if batch else ():
            entry["saved"] = {name: in_batch(what, batch) for name, what in entry.get("saved", {}).items()}
        call["order"], call["events"] = [], []
        return Open(call, index)

    def node_entry(self, i: int, node: Node, index: dict[int, int], names: dict[int, str]) -> dict:
        """Return what is recorded of a node before the pass."""
        uid = self.uids.setdefault(id(node), (len(self.uids), node))[0]
        inputs = [{"dtype": dtype.name, "shape": list(shape)} for shape, dtype in node.outputs_info]
        edges = [None if e is None else [index[id(e[0])], e[1]] for e in node.next_edges]
        entry = {
            "id": i,
            "uid": uid,
            "name": node.type_name,
            "seq": node.seq,
            "next": edges,
            "inputs": inputs,
        }
        if isinstance(node, AccumulateGrad):
            entry["variable"] = names.get(id(node.variable))
        hidden = () if node.op is None else node.op.hides
        names_of = {n: n if n == OWN else f"_saved_{n}" for n in node.saved if n not in hidden}
        saved = {shown: saved_entry(node, n) for n, shown in names_of.items()}
        return {**entry, "saved": saved} if saved else entry

    def NodeEntered(self, fact: events.NodeEntered) -> None:  # noqa: N802
        """Begin a run of a node; it counts once the node has run or raised."""
        self.open[-1].drop_unrun()
        self.step += 1
        event = {"step": self.step, "kind": "run", "node": self.open[-1].index[id(fact.node)]}
        event |= {"grad_in": [tensor_entry(g) for g in fact.grads], "grad_out": None}
        self.open[-1].begin(event, fact.grads)

    def HookRan(self, fact: events.HookRan) -> None:  # noqa: N802
        """Let a hook's result replace what its node received or sends."""
        here = self.open[-1]
        if fact.when == "tensor":
            here.replace("grad_in", fact.before, fact.after)
        elif fact.when in ("before", "after"):
            for before, after in zip(fact.before, fact.after, strict=True):
                here.replace("grad_in" if fact.when == "before" else "grad_out", before, after)

    def NodeRan(self, fact: events.NodeRan) -> None:  # noqa: N802
        """Note what the rules gave; validation and hooks may still change it."""
        self.open[-1].ran(fact.grads)

    def ReducedToShape(self, fact: events.ReducedToShape) -> None:  # noqa: N802
        """Note a gradient as it leaves, broadcast dimensions summed away."""
        self.open[-1].send(fact.slot, fact.after)

    def EdgeFlowed(self, fact: events.EdgeFlowed) -> None:  # noqa: N802
        """Note a gradient as it left, after validation and hooks."""
        if not isinstance(fact.node, GraphRoot):
            self.open[-1].send(fact.slot, fact.grad)

    def GradCaptured(self, fact: events.GradCaptured) -> None:  # noqa: N802
        """Note that a gradient was taken for the caller."""
        call, node = self.open[-1].call, self.open[-1].index[id(fact.node)]
        for j, wanted in enumerate(call.get("inputs", ())):
            if (wanted["node"], wanted["input_nr"]) == (node, fact.input_nr):
                self.step += 1
                event = {"step": self.step, "kind": "tensor_hook", "node": node, "input_nr": fact.input_nr}
                call["events"].append({**event, "input": j, "grad": tensor_entry(fact.grad)})

    def BackwardEnded(self, _: events.BackwardEnded) -> None:  # noqa: N802
        """Forget the last node if it was only visited."""
        self.open[-1].drop_unrun()

    # ----- the doors into the engine -----
    def watching(self, api: str, function: Callable) -> Callable:
        """Return `function` with its arguments and its exception noted: not every call reaches the engine."""
        signature = inspect.signature(function)

        @functools.wraps(function)
        def watched(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            if self.asked and self.asked[-1]["call"] is None:  # Tensor.backward calls autograd.backward
                return function(tensors, *args, **kwargs)
            single = isinstance(tensors, (Tensor, autograd.GradientEdge))
            asked = {"api": api, "call": None, "reached": False}
            asked["roots"] = (tensors,) if single else tuple(tensors)
            asked["given"] = signature.bind_partial(tensors, *args, **kwargs).arguments
            self.asked.append(asked)
            depth = len(self.open)
            try:
                return function(tensors, *args, **kwargs)
            except BaseException as error:
                self.failed(asked, error)
                raise
            finally:
                self.asked.pop()
                del self.open[depth:]

        return watched

    def failed(self, asked: dict, error: BaseException) -> None:
        """Note the exception that left a call."""
        if asked["call"] is None:
            asked["call"] = self.new_call(asked["api"])
            asked["call"]["rejected_before_engine"] = True
        elif asked["reached"]:
            self.open[-1].failed({frame.name for frame in traceback.extract_tb(error.__traceback__)})
        asked["call"]["exception"] = {"type": type(error).__name__, "message": str(error)}

    @contextlib.contextmanager
    def at_the_doors(self) -> Iterator[Mapping[str, Any]]:
        """Watch the doors into the engine for a while; give the modules to import from."""
        modules = facade.modules()
        learners = vars(modules["torch.autograd"])  # frozen for learners, who may call what stands there
        plain = {"Tensor.backward": Tensor.backward, **{f"autograd.{n}": getattr(autograd, n) for n in CALLS}}
        watched = {api: self.watching(api, function) for api, function in plain.items()}
        try:
            put(watched, learners)
            yield modules
        finally:
            put(plain, learners)


BEGUN = {"_evaluate", "compute", "evaluated"}  # functions of the engine that run a node


class Open:
    """A call that is running: its record and the event being written."""

    def __init__(self, call: dict, index: dict[int, int]) -> None:
        self.call, self.index = call, index
        self.event: dict | None = None
        self.live: dict[str, list] = {}

    def begin(self, event: dict, grads: tuple) -> None:
        self.event, self.live = event, {"grad_in": list(grads), "grad_out": []}
        self.call["order"].append(event["node"])
        self.call["events"].append(event)

    def ran(self, grads: tuple) -> None:
        self.live["grad_out"] = list(grads)
        self.event["grad_out"] = [tensor_entry(g) for g in grads]

    def send(self, slot: int, grad: Any) -> None:
        self.live["grad_out"][slot] = grad
        self.event["grad_out"][slot] = tensor_entry(grad)

    def replace(self, side: str, before: Any, after: Any) -> None:
        for i, grad in enumerate(self.live[side]):
            if grad is before:
                self.live[side][i], self.event[side][i] = after, tensor_entry(after)

    def failed(self, passed: set[str]) -> None:
        """A node or a hook raised. `passed`: the functions that the exception went through."""
        if self.event is not None and "validated" in passed:
            self.event["grad_out"] = None
        if not passed & BEGUN:  # the hook of a tensor: the node itself did not begin
            self.drop_unrun()

    def drop_unrun(self) -> None:
        """Forget a node that was only visited so that its gradient could be taken."""
        if self.event is not None and self.event["grad_out"] is None:
            self.call["events"].remove(self.event)
            self.call["order"].pop()
        self.event = None


def put(doors: dict[str, Callable], learners: dict[str, Any]) -> None:
    """Hang these functions where the engine and learners find them."""
    Tensor.backward = doors["Tensor.backward"]
    for name in CALLS:
        function = doors[f"autograd.{name}"]
        setattr(autograd, name, function)
        learners[name] = function


def place(target: Any) -> tuple[Node | None, int]:
    """Return where the gradient of a tensor or GradientEdge goes; (None, 0) for a tensor without."""
    if isinstance(target, Tensor) and not target.requires_grad:
        return None, 0
    return autograd.edge_of(target)


def walk(starts: list[Node]) -> tuple[list[Node], dict[int, int]]:
    """Return all reachable nodes breadth first, edges in order, and their numbers by identity."""
    nodes = list({id(node): node for node in starts}.values())
    index = {id(node): i for i, node in enumerate(nodes)}
    for node in nodes:
        for edge in node.next_edges:
            if edge is not None and id(edge[0]) not in index:
                index[id(edge[0])] = len(nodes)
                nodes.append(edge[0])
    return nodes, index


# ----- one run -----
def observe(path: Path, beside: Callable[[Any], None] | None = None) -> dict:
    """Run a snippet file and return its observation. `beside` sees every fact too, and sees it first."""
    place = str(path.resolve())
    source = path.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "__main__", "__file__": place}
    observer = Observer(place, names)
    out, noted = io.StringIO(), []

    def note(message: Any, category: type, *_: Any, **__: Any) -> None:
        text = scrub(str(message)).split(" (Triggered internally at")[0]
        noted.append({"category": category.__name__, "message": text})

    with warnings.catch_warnings(), contextlib.redirect_stdout(out), observer.at_the_doors() as modules:
        warnings.simplefilter("always")
        warnings.showwarning = note
        random.default_generator().manual_seed(0)
        autograd.begin_program((place, source))
        runs.start(0)
        names["__builtins__"] = {**vars(builtins), "__import__": importer(modules)}
        watch = observer if beside is None else lambda fact: (beside(fact), observer(fact))
        exception = execute(source, place, names, watch)
    return {
        "schema": SCHEMA, "torch": "2.13.0", "snippet": path.name, "stdout": scrub(out.getvalue()),
        "warnings": noted, "exception": exception, "calls": observer.calls, "variables": variables(names),
    }  # fmt: skip


def execute(source: str, place: str, names: dict[str, Any], watch: Callable | None) -> dict | None:
    """Run a text; return the exception that ended it, if any."""
    try:
        with events.observed_by(watch):
            exec(compile(source, place, "exec", dont_inherit=True), names)
    except BaseException as error:  # whatever a snippet raises is what is observed
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == place]
        line = lines[0] if lines else getattr(error, "lineno", None)
        return {
            "type": type(error).__name__, "message": scrub(str(error)),
            "line": line, "innermost_line": lines[-1] if lines else None,
        }  # fmt: skip
    return None


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_file():
        sys.exit("usage: python -m engine.observe FILE (a program to run)")
    json.dump(observe(Path(sys.argv[1])), sys.stdout, ensure_ascii=False)
    sys.stdout.write("\n")
