"""The language wall: an allow-list over a program's syntax tree, and one rewrite. Runs nothing.

Every node kind, name, attribute and import is looked at once, in source order; what is not listed is refused,
so a new Python version fails closed. An attribute whose meaning depends on the object (the engine's internal
names, `format`, every assignment) is rewritten to `_sg_slot(object, "name")._sg_value`, at the same position.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from types import CodeType

from app.sandbox.child import names
from app.sandbox.limits import Limits
from engine.trace.echo import echoing
from engine.trace.run import Refused
from engine.trace.spans import SNIPPET, Spans, extent_of

SLOT, VALUE = "_sg_slot", "_sg_value"

KINDS = frozenset(
    """Module Expr Assign AnnAssign AugAssign Delete Pass Return If For While Break Continue Try ExceptHandler
With withitem Raise Assert Import ImportFrom alias FunctionDef ClassDef Lambda arguments arg Global
Nonlocal Call keyword Attribute Subscript Slice Name Constant Starred List Tuple Set Dict ListComp SetComp
DictComp GeneratorExp comprehension JoinedStr FormattedValue BinOp UnaryOp BoolOp Compare IfExp NamedExpr
Yield YieldFrom Match match_case MatchValue MatchSingleton MatchSequence MatchMapping MatchClass MatchStar
MatchAs MatchOr Load Store Del Add Sub Mult Div FloorDiv Mod Pow LShift RShift BitOr BitXor BitAnd MatMult
And Or Not Invert UAdd USub Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn""".split()
)
WORDS = {
    "AsyncFunctionDef": "async functions are",
    "AsyncFor": "async loops are",
    "AsyncWith": "async with is",
    "Await": "await is",
    "TryStar": "except* is",
    "TypeAlias": "type statements are",
}
BLOCKS = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.FunctionDef, ast.ClassDef, ast.Match)


def gate(source: str, limits: Limits, internal: frozenset[str] = frozenset()) -> CodeType:
    """Return the code of a program that may run; raises Refused or SyntaxError.

    `internal` are attribute names that the engine's objects keep to themselves.
    """
    _measure(source, limits)
    try:
        tree = ast.parse(source, SNIPPET)
        _Gate(source, limits, internal).check(tree)
        return compile(echoing(tree), SNIPPET, "exec", dont_inherit=True)
    except (RecursionError, MemoryError):
        raise Refused("too-deep", "the program is nested too deeply") from None
    except ValueError as error:  # a lone surrogate, an integer of more than 4300 digits
        if isinstance(error, SyntaxError):
            raise
        raise Refused("syntax", f"this is not Python text: {error}") from None


def _measure(source: str, limits: Limits) -> None:
    """Refuse what is too large to be parsed at all."""
    if len(source.encode("utf-8", "surrogatepass")) > limits.source:
        raise Refused("too-long", f"the program is longer than {limits.source:,} bytes")
    if len(source.splitlines()) > limits.lines:
        raise Refused("too-long", f"the program has more than {limits.lines:,} lines")
    if "\0" in source:
        raise Refused("syntax", "the program contains a NUL character")


class _Place:
    """Where the walk is: how deep, in how many blocks, in which class; `bare` says directly in its body."""

    __slots__ = ("node", "parent", "depth", "blocks", "finals", "owner", "bare")

    def __init__(self, node: ast.AST, above: _Place | None, depth: float, blocks: int) -> None:
        self.node, self.depth, self.blocks = node, depth, blocks
        self.parent = above.node if above else None
        self.finals = above.finals if above else 0
        self.owner = above.owner if above else None
        self.bare = above.bare if above else False


class _Gate:
    """One walk over one tree."""

    def __init__(self, source: str, limits: Limits, internal: frozenset[str]) -> None:
        self.source, self.limits = source, limits
        self.guarded = internal | names.GUARDED
        self.hidden = internal | (names.GUARDED - names.PLAIN_IN_PATTERNS)
        self.bound: set[str] = set()
        self.suspects: list[ast.Name] = []
        self.slots: list[tuple[ast.Attribute, str]] = []

    def refuse(self, message: str, node: ast.AST, code: str) -> Refused:
        """Return the refusal of a node, with its place as the page counts it; of a block its first line."""
        if not hasattr(node, "end_lineno"):
            return Refused(code, message)
        line, column, end_line, end_column = extent_of(node)
        if end_line > line:
            end_column = len(re.split(r"\r\n|\r|\n", self.source)[line - 1].encode())
        return Refused(code, message, Spans(self.source).span((line, column, line, end_column)))

    # ----- the walk: iterative, so that depth is a number and no stack -----
    def check(self, tree: ast.Module) -> None:
        """Look at every node once, then rewrite. Raises Refused."""
        todo = [_Place(tree, None, 0, 0)]
        seen = 0
        while todo:
            place = todo.pop()
            seen += 1
            self._size(place, seen)
            kind = type(place.node).__name__
            if kind not in KINDS:
                what = WORDS.get(kind, f"{kind} is")
                raise self.refuse(f"{what} not supported here", self._placed(place), "construct")
            look = LOOKS.get(type(place.node))
            if look is not None:
                look(self, place)
            todo += self._below(place)
        for name in self.suspects:
            if name.id not in self.bound:
                raise self.refuse(f"{name.id}() is not available here", name, "name")
        for attribute, name in self.slots:
            _rewrite(attribute, name)

    def _placed(self, place: _Place) -> ast.AST:
        return place.node if hasattr(place.node, "lineno") else place.parent

    def _size(self, place: _Place, seen: int) -> None:
        """Count nodes, depth, blocks, nested finally clauses."""
        node, limits = place.node, self.limits
        if seen > limits.nodes:
            raise self.refuse(f"the program has more than {limits.nodes:,} parts", node, "too-long")
        if place.depth > limits.depth:
            raise self.refuse("the program is nested too deeply", node, "too-deep")
        if isinstance(node, BLOCKS):
            place.blocks += 1
            if place.blocks > limits.blocks:
                raise self.refuse(f"more than {limits.blocks} nested blocks", node, "too-deep")
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            place.finals, place.bare = 0, False
        if isinstance(node, ast.Try) and node.finalbody:
            place.finals += 1
            if place.finals > limits.finals:
                raise self.refuse(f"more than {limits.finals} nested finally clauses", node, "too-deep")

    def _below(self, place: _Place) -> list[_Place]:
        """Return the children, last first. An elif is no deeper a block than its if."""
        node = place.node
        below = [_Place(child, place, place.depth + 1, place.blocks) for child in ast.iter_child_nodes(node)]
        if isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            below[-1].depth, below[-1].blocks = place.depth + 0.5, place.blocks - 1
        below.reverse()
        return below

    # ----- names -----
    def binds(self, name: str | None, node: ast.AST) -> None:
        """Look at a name that the program gives a meaning."""
        if name is None:
            return
        if name.startswith(names.RESERVED) or (names.is_special(name) and name not in names.ASSIGNABLE):
            raise self.refuse(f"the name {name!r} is not available here", node, "name")
        self.bound.add(name)

    def name(self, place: _Place) -> None:
        node = place.node
        if place.bare and node.id in names.DEFINABLE:  # __radd__ = __add__
            return
        if not isinstance(node.ctx, ast.Load):
            self.binds(node.id, node)
        elif node.id.startswith(names.RESERVED) or (
            names.is_special(node.id) and node.id != "__name__" and node.id not in names.ASSIGNABLE
        ):
            raise self.refuse(f"the name {node.id!r} is not available here", node, "name")
        elif node.id in names.REFUSED_BUILTINS:
            self.suspects.append(node)

    def declared(self, place: _Place) -> None:
        for name in place.node.names:
            self.binds(name, place.node)

    def named(self, place: _Place) -> None:
        self.binds(place.node.name, place.node)

    def argument(self, place: _Place) -> None:
        self.binds(place.node.arg, place.node)

    def function(self, place: _Place) -> None:
        node = place.node
        if not (isinstance(place.parent, ast.ClassDef) and node.name in names.DEFINABLE):
            if names.is_special(node.name):
                raise self.refuse(f"{node.name} cannot be defined here", node, "name")
            self.binds(node.name, node)

    def definition(self, place: _Place) -> None:
        self.binds(place.node.name, place.node)
        if place.node.keywords:
            raise self.refuse("class keywords (metaclass=...) are not supported", place.node, "construct")
        place.owner, place.bare = place.node.name, True

    def rest(self, place: _Place) -> None:
        self.binds(place.node.rest, place.node)

    def keyword(self, place: _Place) -> None:
        name = place.node.arg
        if name is not None and (name.startswith(names.RESERVED) or names.is_special(name)):
            raise self.refuse(f"the name {name!r} is not available here", place.node, "name")

    # ----- attributes -----
    def attribute(self, place: _Place) -> None:
        node, name = place.node, place.node.attr
        loads = isinstance(node.ctx, ast.Load)
        called = isinstance(place.parent, ast.Call) and place.parent.func is node
        if names.is_closed(name) or (names.is_special(name) and not loads):
            raise self.refuse(f"the attribute {name!r} is not available here", node, "attribute")
        if name in names.DEFINABLE and not called:
            raise self.refuse(f"the attribute {name!r} can only be called here", node, "attribute")
        name = names.mangled(name, place.owner)
        if not loads or name in self.guarded or name in names.LIVE or name == "__init__":
            self.slots.append((node, name))

    def pattern(self, place: _Place) -> None:
        for name in place.node.kwd_attrs:
            if names.is_closed(name) or names.is_special(name) or name in self.hidden:
                raise self.refuse(f"the attribute {name!r} is not available here", place.node, "attribute")

    # ----- imports -----
    def imports(self, place: _Place) -> None:
        for alias in place.node.names:
            self._module(alias.name, alias)
            self.binds(alias.asname or alias.name.partition(".")[0], alias)

    def imports_from(self, place: _Place) -> None:
        node = place.node
        if node.level:
            raise self.refuse("relative imports are not available here", node, "module")
        self._module(node.module, node)
        for alias in node.names:
            if alias.name == "*":  # gives public names only; what Python itself must not give stays unbound
                continue
            if alias.name.startswith("_"):
                raise self.refuse(f"the name {alias.name!r} is not available here", alias, "name")
            if node.module == "__future__" and alias.name not in names.FUTURE:
                raise self.refuse(f"the feature {alias.name!r} is not available here", alias, "module")
            self.binds(alias.asname or alias.name, alias)

    def _module(self, module: str, node: ast.AST) -> None:
        """Look at a module's name. What torch holds is torch's to say, when the import runs."""
        root = module.partition(".")[0]
        if module not in names.STANDARD_MODULES | names.NUMPY_MODULES | names.STAND_INS and root != "torch":
            raise self.refuse(f"the module {module!r} is not available here", node, "module")


LOOKS: dict[type, Callable[[_Gate, _Place], None]] = {
    ast.Name: _Gate.name,
    ast.Attribute: _Gate.attribute,
    ast.FunctionDef: _Gate.function,
    ast.ClassDef: _Gate.definition,
    ast.arg: _Gate.argument,
    ast.keyword: _Gate.keyword,
    ast.ExceptHandler: _Gate.named,
    ast.Global: _Gate.declared,
    ast.Nonlocal: _Gate.declared,
    ast.MatchAs: _Gate.named,
    ast.MatchStar: _Gate.named,
    ast.MatchMapping: _Gate.rest,
    ast.MatchClass: _Gate.pattern,
    ast.Import: _Gate.imports,
    ast.ImportFrom: _Gate.imports_from,
}


def _rewrite(node: ast.Attribute, name: str) -> None:
    """Turn `X.name` into `_sg_slot(X, "name")._sg_value`, in whatever context, at the same position."""
    call = ast.Call(ast.Name(SLOT, ast.Load()), [node.value, ast.Constant(name)], [])
    for new in (call, call.func, call.args[1]):
        ast.copy_location(new, node)
    node.value, node.attr = call, VALUE
