"""What a lesson asks of its program's trace: `grad(w)`, `value(y)[0]`, `next_node()`, `count("ran y")`.

An expression has Python's syntax: the functions below, numbers, texts, indexing, comparison and arithmetic,
and nothing else. A name stands for a variable of the program as it is bound at that moment; a module's
parameter is called as PyTorch calls it: `grad(fc.weight)`, or `grad("0.weight")`.

    value(x) grad(x)            numbers of a tensor or of its .grad, None where there is none
    shape(x) version(x)         its shape; how often its memory was written
    is_leaf(x) requires_grad(x) what PyTorch would say
    grad_fn(x)                  the class of the node that made x, None for a leaf
    saved(N)                    the names of what a node keeps for backward, [] once they are freed
    waits(N)                    how many paths a node still waits for
    buffer(N)                   what has arrived at a node so far, summed
    received(N)                 what a node got when it last began to run
    flow(N) flow(N, M)          what left a node last (for M)
    memory("graph")             how many bytes are held by the graph, or by "grads", or by the "optimizer"
    state(p, "exp_avg")         what the optimizer keeps for a parameter
    queue()                     the classes of the nodes that are ready, as the heap holds them
    next_node()                 the class of the node that runs next
    count("ran N") total("…")   how often a kind of step happened so far, and in the whole run
    line("grad w #2")           the line of the code that a step belongs to
    field("checkpoint_ended", "bytes")  what the row of a step holds under a name (static/trace.schema.json)
    then("grad w #2", …)        the value of an expression at another moment
    printed() output(2)         what was printed last, or second
    error() warning()           the message the run ended with, "" without one; that of the last warning
    abs round sum min max len   as in Python; norm(…) is the root of the sum of squares
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

from app.lessons import moments
from app.lessons.run import Run

OPERATORS: dict[type, Callable] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
PLAIN = {"abs": abs, "round": round, "sum": sum, "min": min, "max": max, "len": len, "sqrt": math.sqrt}


class NotAFact(ValueError):
    """An expression that the trace cannot answer, with the sentence that says why."""


def evaluate(run: Run, expression: str, k: int) -> Any:
    """Return the value of an expression after row k. Raises NotAFact."""
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
        return Reading(run, k).read(tree)
    except SyntaxError:
        raise NotAFact(f"`{expression}` is not an expression") from None
    except (NotAFact, moments.NoSuchStep) as error:
        raise NotAFact(f"`{expression}`: {error}") from None
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise NotAFact(f"`{expression}` has no value at this step ({error})") from None


class Reading:
    """Reads expressions at one moment of a run."""

    def __init__(self, run: Run, k: int) -> None:
        self.run, self.k, self.state = run, k, run.at(k)

    def read(self, node: ast.expr) -> Any:
        """Return what an expression is worth."""
        match node:
            case ast.Constant():
                return node.value
            case ast.List() | ast.Tuple():
                return [self.read(each) for each in node.elts]
            case ast.UnaryOp():
                return OPERATORS[type(node.op)](self.read(node.operand))
            case ast.BinOp():
                return OPERATORS[type(node.op)](self.read(node.left), self.read(node.right))
            case ast.BoolOp(op=ast.And()):
                return all(self.read(each) for each in node.values)
            case ast.BoolOp():
                return any(self.read(each) for each in node.values)
            case ast.Compare():
                return self.compared(node)
            case ast.Subscript():
                return self.read(node.value)[self.read(node.slice)]
            case ast.Call(func=ast.Name(id="then"), args=[where, inner]):
                return Reading(self.run, moments.row_of(self.run, self.read(where))).read(inner)
            case ast.Call(func=ast.Name(id=name)) if name in PLAIN:
                return PLAIN[name](*map(self.read, node.args))
            case ast.Call(func=ast.Name(id=name)) if name in FACTS:
                return FACTS[name](self, *map(self.subject, node.args))
        raise NotAFact(f"`{ast.unparse(node)}` is not understood; app/lessons/facts.py lists what is")

    def compared(self, node: ast.Compare) -> bool:
        """Return whether a chain of comparisons holds."""
        values = [self.read(each) for each in (node.left, *node.comparators)]
        return all(OPERATORS[type(how)](a, b) for how, a, b in zip(node.ops, values, values[1:]))

    def subject(self, node: ast.expr) -> Any:
        """Return what stands between the brackets of a fact: a name as it is written, else a value."""
        if isinstance(node, ast.Name | ast.Attribute):
            return ast.unparse(node)
        return self.read(node)

    # ----- the facts -----
    def tensor(self, name: str) -> str:
        """Return the tensor of a name."""
        found = self.run.tensor(name, self.k)
        if found is None:
            raise NotAFact(f"no tensor is called {name}")
        return found

    def node(self, name: str) -> str:
        """Return the node of a name: of several, the last that exists by now."""
        found = list(self.run.nodes_called(name))
        if not found:
            raise NotAFact(f"no node is called {name}")
        leaf = [each for each in found if self.run.trace["nodes"][each].get("variable")]
        born = [each for each in found if each in self.state.saved]
        return (born or leaf or found)[-1]

    def held(self, value: str | None) -> Any:
        """Return the numbers of a value."""
        return self.run.numbers(value)

    def value(self, name: str) -> Any:
        """value(x)"""
        return self.held(self.state.value[self.tensor(name)])

    def grad(self, name: str) -> Any:
        """grad(x)"""
        return self.held(self.state.grad.get(self.tensor(name)))

    def shape(self, name: str) -> list[int]:
        """shape(x)"""
        return self.run.trace["tensors"][self.tensor(name)]["shape"]

    def version(self, name: str) -> int:
        """version(x)"""
        return self.state.version.get(self.tensor(name), 0)

    def is_leaf(self, name: str) -> bool:
        """is_leaf(x)"""
        return self.run.trace["tensors"][self.tensor(name)]["kind"] != "result"

    def requires_grad(self, name: str) -> bool:
        """requires_grad(x)"""
        return self.run.trace["tensors"][self.tensor(name)]["kind"] != "data"

    def grad_fn(self, name: str) -> str | None:
        """grad_fn(x)"""
        node = self.run.trace["tensors"][self.tensor(name)]["node"]
        return None if node is None else self.run.trace["nodes"][node]["name"]

    def saved(self, name: str) -> list[str]:
        """saved(N)"""
        return self.state.saved.get(self.node(name), [])

    def waits(self, name: str) -> int:
        """waits(N)"""
        return self.state.missing.get(self.node(name), 0)

    def buffer(self, name: str, input_nr: int = 0) -> Any:
        """buffer(N)"""
        return self.held(self.state.buffer.get((self.node(name), input_nr)))

    def received(self, name: str, input_nr: int = 0) -> Any:
        """received(N)"""
        node = self.node(name)
        if node not in self.state.received:
            raise NotAFact(f"{name} has not run yet")
        return self.held(self.state.received[node][input_nr])

    def flow(self, name: str, target: str | None = None) -> Any:
        """flow(N, M)"""
        source, targets = self.node(name), set(self.run.nodes_called(target)) if target else None
        for slot, edge in enumerate(self.run.trace["nodes"][source]["edges"]):
            if edge and (targets is None or edge[0] in targets) and (source, slot) in self.state.flow:
                return self.held(self.state.flow[source, slot])
        raise NotAFact("nothing has flowed there yet")

    def kept(self, name: str, which: str) -> Any:
        """state(p, "exp_avg")"""
        for entry in self.state.state[self.tensor(name)]:
            if which in entry[:2]:
                now = entry[3]
                return self.held(now) if isinstance(now, str) and now in self.run.trace["values"] else now
        raise NotAFact(f"the optimizer keeps no {which} for {name}")

    def memory(self, what: str) -> int:
        """memory("graph")"""
        held = [0, 0, 0]
        for k, *now in self.run.trace.get("memory", ()):
            if k <= self.k:
                held = now
        return held[("graph", "grads", "optimizer").index(what)]

    def queue(self) -> list[str]:
        """queue()"""
        return [self.run.trace["nodes"][node]["name"] for node in self.state.queue]

    def next_node(self) -> str:
        """next_node()"""
        node = self.run.next_node(self.k)
        if node is None:
            raise NotAFact("no node runs after this step")
        return self.run.trace["nodes"][node]["name"]

    def count(self, words: str) -> int:
        """count("ran N")"""
        return sum(k <= self.k for k in moments.rows_of(self.run, words))

    def total(self, words: str) -> int:
        """total("ran N")"""
        return len(moments.rows_of(self.run, words))

    def line(self, address: str) -> int:
        """line("grad w #2")"""
        return self.run.rows[moments.row_of(self.run, address)]["at"][0]

    def field(self, address: str, name: str) -> Any:
        """field("checkpoint_ended", "bytes")"""
        told = self.run.rows[moments.row_of(self.run, address)][name]
        return self.held(told) if isinstance(told, str) and told in self.run.trace["values"] else told

    def printed(self) -> str:
        """printed()"""
        return self.state.printed[-1]

    def output(self, number: int) -> str:
        """output(2)"""
        return self.state.printed[number - 1]

    def error(self) -> str:
        """error()"""
        return self.run.trace["outcome"].get("message", "")

    def warning(self) -> str:
        """warning()"""
        return [row["message"] for row in self.run.rows[: self.k + 1] if row["kind"] == "warning"][-1]

    def norm(self, data: Any) -> float:
        """norm(grad(w))"""
        return math.sqrt(sum(each * each for each in moments.flat(data)))


NAMES = (
    "value grad shape version is_leaf requires_grad grad_fn saved waits buffer received flow memory queue "
    "next_node count total line field printed output error warning norm"
)
FACTS: dict[str, Callable] = {name: getattr(Reading, name) for name in NAMES.split()}
FACTS["state"] = Reading.kept


def told(value: Any, digits: int | None = None) -> str:
    """Write a fact as prose shows it: 6, -0.25, [2, 4], 0.3333…; `digits` after the point if given."""
    if isinstance(value, list):
        return f"[{', '.join(told(each, digits) for each in value)}]"
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        return str(value)
    if digits is not None:
        return f"{value:.{digits}f}"
    exact = f"{value:.9g}"
    if "e" not in exact and len(exact.lstrip("-").replace(".", "")) <= 6:
        return exact
    return shortened(value)


def shortened(value: float) -> str:
    """Write a number with four figures and the sign that there are more; never rounded up."""
    whole, _, power = f"{value:.16e}".partition("e")
    cut = whole[: len(whole) - 13]
    if -4 <= int(power) < 6:
        places = max(0, 3 - int(power))
        scaled = math.trunc(value * 10**places) / 10**places
        return f"{scaled:.{places}f}…"
    return f"{cut}…e{int(power)}"
