"""The learner's program as a text: what stands where, what calls say, what names bind. Runs nothing."""

from __future__ import annotations

import ast
import re
from collections import Counter

LOOPS = (ast.For, ast.AsyncFor, ast.While)
SHARED = re.compile(r"\.numpy\(|from_numpy|as_tensor|frombuffer|dlpack|\basarray\(|__array__|\.set_\(")
WRITTEN = re.compile(r"\]\s*[-+*/%|&@^]?=(?!=)|[-+*/%]=|\.(?:fill|sort|put|resize|shuffle)\(|\bout=|copyto")
LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)  # what may run at any time
Extent = tuple[int, int, int, int]


class Program:
    """The syntax tree of one source, by places: line and column in UTF-16 units, as rows have them."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines = re.split(r"\r\n|\r|\n", source)
        self.words = set(re.findall(r"\w+", source))
        self.extents: set[Extent] = set()
        self.calls: dict[Extent, ast.Call] = {}
        self.bindings: dict[Extent, tuple[Extent, Extent]] = {}  # single target -> statement, value
        self.withs: dict[Extent, ast.expr] = {}
        self.classes: set[str] = set()
        self.statement: dict[Extent, int] = {}  # the statement of the module it stands in, if it runs with it
        self.once: dict[Extent, int] = {}  # calls that are a statement of the module: they run once
        self.given: Counter[str] = Counter()  # how often a name, or what hangs on it, may be given something
        self.flat = True  # no function or class: a name is the same thing everywhere
        self.shares_arrays = SHARED.search(source) is not None
        self.unseen_writes = self.shares_arrays and WRITTEN.search(source) is not None  # perhaps, by NumPy
        try:
            body = ast.parse(source).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            body = []
        todo: list[tuple[ast.AST, int | None, bool]] = [(each, i, False) for i, each in enumerate(body)]
        for i, each in enumerate(body):
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call):
                self.once[self.extent(each.value)] = i
        while todo:
            node, i, again = todo.pop()
            self.give(node, again)
            if getattr(node, "end_lineno", None) is not None:
                self.note(node)
                if i is not None:
                    self.statement[self.extent(node)] = i
            self.flat = self.flat and not isinstance(node, (*LATER, ast.ClassDef))
            i, again = (None if isinstance(node, LATER) else i), again or isinstance(node, (*LOOPS, *LATER))
            todo += ((child, i, again) for child in ast.iter_child_nodes(node))

    def give(self, node: ast.AST, again: bool) -> None:
        """Count what gives a name something; twice where it may happen `again`."""
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                self.given[name] += 1 + again
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                root = node
                while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
                    root = root.func if isinstance(root, ast.Call) else root.value
                if isinstance(root, ast.Name) and not isinstance(node, ast.Subscript):
                    self.given[root.id] += 1
            case ast.alias(name=name, asname=other):
                self.given[other or name] += 1

    def note(self, node: ast.AST) -> None:
        """Remember where a node of the syntax tree stands, and what it is."""
        extent = self.extent(node)
        self.extents.add(extent)
        match node:
            case ast.Call():
                self.calls[extent] = node
            case ast.Assign(targets=[ast.Name() as target], value=value):
                self.bindings[self.extent(target)] = extent, self.extent(value)
            case ast.ClassDef(name=name):
                self.classes.add(name)
            case ast.With(items=items):
                self.withs |= {self.extent(item.context_expr): item.context_expr for item in items}

    def extent(self, node: ast.AST) -> Extent:
        """Return where a node stands."""
        return (
            node.lineno, self.units(node.lineno, node.col_offset),
            node.end_lineno, self.units(node.end_lineno, node.end_col_offset),
        )  # fmt: skip

    def units(self, line: int, column: int) -> int:
        """Return a column that is counted in bytes, counted in UTF-16 units."""
        text = self.lines[line - 1]
        if text.isascii():
            return column
        return len(text.encode()[:column].decode(errors="replace").encode("utf-16-le")) // 2

    def text(self, span: list[int]) -> str:
        """Return what stands at a span, of several lines the first."""
        line, start, last, end = span
        raw = (
            self.lines[line - 1].encode("utf-16-le", errors="surrogatepass")
            if line <= len(self.lines)
            else b""
        )
        return raw[2 * start : 2 * end if last == line else None].decode("utf-16-le", errors="replace")

    def call(self, span: list[int] | None) -> ast.Call | None:
        """Return the call at a span."""
        return None if span is None else self.calls.get(tuple(span))

    def arguments(self, span: list[int] | None, order: tuple[str, ...]) -> dict[str, ast.expr] | None:
        """Return what a call gives by name, or None if its text does not tell."""
        call = self.call(span)
        if call is None or any(isinstance(each, ast.Starred) for each in call.args):
            return None
        given = {word.arg: word.value for word in call.keywords}
        return None if None in given else {**dict(zip(order, call.args)), **given}

    def called(self, span: list[int] | None) -> tuple[str, str]:
        """Return the name that is called and the variable it is called on: ("step", "optimizer")."""
        call = self.call(span)
        match call and call.func:
            case ast.Attribute(attr=name, value=ast.Name(id=owner)):
                return name, owner
            case ast.Attribute(attr=name):
                return name, ""
            case ast.Name(id=name):
                return name, ""
        return "", ""


def flag(given: dict[str, ast.expr], name: str, default: bool) -> bool | None:
    """Return what a call says about a flag, or None if it is not written out."""
    value = given.get(name)
    if value is None:
        return default
    return value.value if isinstance(value, ast.Constant) and type(value.value) is bool else None
