"""What an operation is: a forward on arrays, and one rule per differentiable input.

The names of a rule's parameters say what is saved for backward; its own source text is the formula
on the screen. Runs nothing itself: `apply.py` runs forwards, `node.py` runs rules.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import linecache
import re
from collections.abc import Callable
from typing import Any

GRADS = ("grad", "grads", "needs")  # rule parameters that are not saved values
META = (
    "_sym_sizes",
    "_sym_sizes_opt",
    "_sym_numel",
    "_sym_strides",
    "_sym_argsize_0",
    "_dim",
    "_dtype",
    "_device",
)
TABLE: dict[str, Op] = {}


class Op:
    """One operation: `forward` on arrays and `rules`, one function per differentiable input.

    `inputs` are the edges of its node, in order; `parameters` the arguments of `forward`.
    `name` may carry an overload after a dot ("sum.dim"); `node` is PyTorch's node name. `outputs` is their
    number, or their names; of these the first `flows` carry gradients. `spelled` says where learners find it.
    `shows` is saved although no rule reads it; `hides` is saved, but nodes have no `_saved_...` of it.
    """

    def __init__(
        self,
        name: str,
        forward: Callable,
        node: str | None,
        rules: dict[str, Callable],
        *,
        view: bool = False,
        promote: Any = None,
        outputs: int | tuple[str, ...] = 1,
        flows: int | None = None,
        spelled: str | None = None,
        shows: tuple[str, ...] = (),
        hides: tuple[str, ...] = (),
        scalar: str | None = None,
        formulas: dict[str, str] | None = None,
        variadic: bool = False,
    ) -> None:
        self.overload = name
        self.name = name.partition(".")[0]
        self.forward = forward
        self.node = node
        self.view = view
        self.promote = promote
        self.results = outputs if isinstance(outputs, tuple) else ()
        self.outputs = outputs if isinstance(outputs, int) else len(outputs)
        self.flows = flows
        self.spelled = frozenset((inner_or_outer(name) if spelled is None else spelled).split())
        self.scalar = scalar
        self.variadic = variadic
        signature = inspect.signature(forward).parameters
        self.parameters = tuple(signature)
        self.arity = len(self.parameters)
        self.defaults = {k: p.default for k, p in signature.items() if p.default is not p.empty}
        self.rules = rules
        self.inputs = tuple(rules)
        self.positions = tuple(self.parameters.index(i) for i in self.inputs)
        self.reads = {i: tuple(inspect.signature(rule).parameters) for i, rule in rules.items()}
        # PyTorch's generated code evaluates the formulas in the alphabetical order of the inputs' names.
        self.calls = tuple((self.inputs.index(i), rules[i], self.reads[i]) for i in sorted(self.inputs))
        self.shows = shows
        self.hides = frozenset(hides)
        self.given_formulas = formulas or {}
        self.tails: dict[int, tuple] = {}
        self.plans: dict[int, tuple] = {}
        self.works: dict[int, Any] = {}  # what its nodes have in common, by mask (node.py)
        self.twins: tuple | None = None  # its rules on bare arrays, once asked for (twins.py)
        self.node_type: type | None = None  # the class of its nodes, once there is one (node.py)

    def __repr__(self) -> str:
        return f"<op {self.overload}>"

    @functools.cached_property
    def formulas(self) -> dict[str, str]:
        """Return each input's rule as text: the body of the very lambda that runs."""
        texts = {i: self.given_formulas.get(i) or rule_text(rule) for i, rule in self.rules.items()}
        return {i: re.sub(r"\bF\.(\w+?)(?:__\w+)?\(", r"\1(", text) for i, text in texts.items()}

    def formula(self, name: str, values: dict[str, Any]) -> str:
        """Return the rule of input `name` as it ran with `values`: of `a if test else b`, what was taken."""
        text = self.formulas[name]
        if " if " not in text:
            return text
        body = ast.parse(text, mode="eval").body
        scope = {**self.rules[name].__globals__, **values}
        while isinstance(body, ast.IfExp):
            test = compile(ast.Expression(body.test), "<rule>", "eval")
            body = body.body if eval(test, scope) else body.orelse  # noqa: S307 - our own source
        return ast.unparse(body)

    @functools.cached_property
    def saves(self) -> tuple[str, ...]:
        """Return the names of all that its node may hold, as PyTorch packs them: by name, results last."""
        read = {name for names in self.reads.values() for name in names if name not in GRADS}
        return tuple(sorted(read | set(self.shows), key=lambda name: (self._is_result(name), name)))

    def left_out(self, given: int) -> tuple:
        """Return the defaults of the arguments after the first `given`."""
        known = self.tails.get(given)
        if known is None:
            known = self.tails[given] = tuple(self.defaults[name] for name in self.parameters[given:])
        return known

    def plan(self, mask: int) -> tuple[tuple[str, str, int], ...]:
        """Return what to save, as (name, source, index); the bits of `mask` tell which inputs need grad."""
        known = self.plans.get(mask)
        if known is None:
            needed = set(self.shows)
            for bit, name in enumerate(self.inputs):
                needed.update(self.reads[name] if mask >> bit & 1 else ())
            known = self.plans[mask] = tuple(self._source(n, n in needed) for n in self.saves)
        return known

    def _is_result(self, name: str) -> bool:
        return name not in self.parameters and (name in self.results or name.startswith("result"))

    def _source(self, name: str, needed: bool) -> tuple[str, str, int]:
        if name in self.parameters:
            return name, "argument" if needed else "attribute", self.parameters.index(name)
        if name in self.results:
            return name, "result" if needed else "nothing", self.results.index(name)
        if name.startswith("result"):
            return name, "result" if needed else "nothing", int(name[6:] or 0)
        for suffix in META:
            if name.endswith(suffix) and name.removesuffix(suffix) in self.parameters:
                if suffix == "_sym_strides" and not needed:
                    return name, "empty", 0
                return name, suffix, self.parameters.index(name.removesuffix(suffix))
        raise ValueError(f"op {self.overload}: nothing is called {name!r}")


def op(name: str, forward: Callable, *, node: str | None = None, **rest: Any) -> Op:
    """Add a row to the table. Keywords that name parameters of `forward` are its rules."""
    parameters = inspect.signature(forward).parameters
    options = (
        "view",
        "promote",
        "outputs",
        "flows",
        "spelled",
        "shows",
        "hides",
        "scalar",
        "formulas",
        "variadic",
    )
    rules = {k: rest[k] for k in parameters if k in rest}
    unknown = set(rest) - set(rules) - set(options)
    if unknown or name in TABLE:
        raise ValueError(f"op {name}: unknown or doubled {sorted(unknown) or name}")
    row = TABLE[name] = Op(name, forward, node, rules, **{k: rest[k] for k in options if k in rest})
    return row


def inner_or_outer(name: str) -> str:
    """Return where a row is public if it does not say: nowhere if it is an overload or serves rules only."""
    inner = "." in name or name.startswith("_") or name.endswith(("_backward", "_"))
    return "" if inner else "method function"


def rule_text(rule: Callable) -> str:
    """Return the source of a rule: a lambda's body, else its name."""
    if rule.__name__ != "<lambda>":
        return f"{rule.__name__}({', '.join(inspect.signature(rule).parameters)})"
    return ast.unparse(body_of(rule))


def body_of(rule: Callable) -> ast.expr:
    """Return what a lambda, or a function that is one return statement, computes; ValueError for others.

    A lambda is found by its code positions. Two lambdas never share one, so nothing is guessed. Needs
    Python >= 3.11.
    """
    code = rule.__code__
    if rule.__name__ != "<lambda>":
        for node in _functions(code.co_filename):
            *before, last = node.body
            if node.name == rule.__name__ and node.lineno == code.co_firstlineno:
                if isinstance(last, ast.Return) and all(isinstance(n, ast.Expr) for n in before):
                    return copy.deepcopy(last.value)
        raise ValueError(f"{rule.__name__} is more than one return statement")
    spans = [p for p in code.co_positions() if p[0] and p[2] is not None and p[1]]
    line, column = max(((p[1], p[3]) for p in spans if p[3] is not None), default=(code.co_firstlineno, 0))
    for node in _lambdas(code.co_filename):
        if node.lineno == code.co_firstlineno and _within(node.body, line, column):
            if [a.arg for a in node.args.args] == list(code.co_varnames[: code.co_argcount]):
                return copy.deepcopy(node.body)
    raise ValueError(f"no source for the rule at {code.co_filename}:{code.co_firstlineno}")


def _within(body: ast.expr, line: int, column: int) -> bool:
    return (body.lineno, body.col_offset) <= (line, column) <= (body.end_lineno, body.end_col_offset)


@functools.lru_cache(maxsize=64)
def _parsed(filename: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse("".join(linecache.getlines(filename)))))


@functools.lru_cache(maxsize=64)
def _lambdas(filename: str) -> tuple[ast.Lambda, ...]:
    return tuple(n for n in _parsed(filename) if isinstance(n, ast.Lambda))


@functools.lru_cache(maxsize=64)
def _functions(filename: str) -> tuple[ast.FunctionDef, ...]:
    return tuple(n for n in _parsed(filename) if isinstance(n, ast.FunctionDef))


class _Late:
    """`F.mul(a, b)` applies the row "mul" to tensors; bound when `apply` is, used inside rules."""

    def __getattr__(self, name: str) -> Callable:
        from engine.apply import apply

        row = TABLE[name.replace("__", ".")]
        call = functools.partial(apply, row)
        setattr(self, name, call)
        return call


F: Any = _Late()
