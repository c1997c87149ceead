"""A program's syntax tree by place: what stands at a span, which statement, block and loop it is in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

Span = list[int]
LISTS = ("body", "orelse", "finalbody", "handlers")
SCOPES = (ast.FunctionDef, ast.ClassDef, ast.Lambda)
LOOPS = (ast.For, ast.While)
PLAIN = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.Constant)


class Program:
    """One source text. Raises SyntaxError if it is none."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines = re.split(r"\r\n|\r|\n", source)
        self.newline = next(iter(re.findall(r"\r\n|\r|\n", source)), "\n")
        self.tree = ast.parse(source)
        self.nodes: list[ast.AST] = []  # outer ones before inner ones
        self.parent: dict[ast.AST, ast.AST] = {}
        self.formatted: set[ast.AST] = set()  # inside f-strings: Python tells no true places of these
        self._spans: dict[ast.AST, Span] = {}
        self._at: dict[tuple[int, ...], list[ast.AST]] = {}
        todo: list[ast.AST] = [self.tree]
        while todo:
            node = todo.pop()
            self.nodes.append(node)
            if hasattr(node, "end_lineno"):
                self._spans[node] = span = self._span(node)
                if node not in self.formatted:
                    self._at.setdefault(tuple(span), []).append(node)
            for child in ast.iter_child_nodes(node):
                if not hasattr(child, "lineno") and isinstance(child, (ast.expr_context, ast.operator)):
                    continue
                self.parent[child] = node
                if node in self.formatted or isinstance(node, ast.JoinedStr):
                    self.formatted.add(child)
                todo.append(child)

    # ----- places -----
    def span(self, node: ast.AST) -> Span:
        """Return where a node stands, with columns in UTF-16 units as in a trace."""
        return list(self._spans[node])

    def _span(self, node: ast.AST) -> Span:
        first = self._column(node.lineno, node.col_offset)
        return [node.lineno, first, node.end_lineno, self._column(node.end_lineno, node.end_col_offset)]

    def _column(self, line: int, column: int) -> int:
        text = self.lines[line - 1]
        return column if text.isascii() else units(text.encode()[:column].decode(errors="replace"))

    def text(self, node: ast.AST) -> str:
        """Return the source of a node."""
        return ast.get_source_segment(self.source, node) or ""

    def operand(self, node: ast.AST) -> str:
        """Return the source of a node so that `.name` may be written behind it."""
        number = isinstance(node, ast.Constant) and isinstance(node.value, (int, float, complex))
        return self.text(node) if isinstance(node, PLAIN) and not number else f"({self.text(node)})"

    def find(self, at: Span | None, *kinds: type) -> ast.AST | None:
        """Return the outermost node of one of some kinds that stands exactly at a span."""
        found = self._at.get(tuple(at), ()) if at else ()
        return next((node for node in found if isinstance(node, kinds or ast.AST)), None)

    def inside(self, at: Span | None, *kinds: type) -> Iterator[ast.AST]:
        """Yield the nodes of some kinds within a span."""
        for node in self.nodes if at else ():
            if isinstance(node, kinds) and within(self._spans[node], at):
                yield node

    def statement(self, at: Span | None) -> ast.stmt | None:
        """Return the smallest statement around a span."""
        around = [
            node for node in self.nodes if at and isinstance(node, ast.stmt) and within(at, self._spans[node])
        ]
        return around[-1] if around else None

    # ----- blocks -----
    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the statements among which one stands."""
        lists = [getattr(self.parent[statement], name, None) for name in LISTS]
        return next((each for each in lists if isinstance(each, list) and statement in each), [statement])

    def same_block(self, one: ast.stmt, other: ast.stmt) -> bool:
        """Return whether two statements stand among the same."""
        return any(each is other for each in self.block(one))

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what a node is in, from the inside out."""
        while node in self.parent:
            node = self.parent[node]
            yield node

    def scope(self, node: ast.AST) -> ast.AST:
        """Return the function, class or module that a node is in."""
        return next((each for each in self.above(node) if isinstance(each, SCOPES)), self.tree)

    def loop(self, node: ast.AST) -> ast.For | ast.While | None:
        """Return the innermost loop around a node within its function."""
        for each in self.above(node):
            if isinstance(each, SCOPES):
                return None
            if isinstance(each, LOOPS):
                return each
        return None

    def names(self, name: str) -> list[ast.Name]:
        """Return every mention of a name, in the order of the text."""
        found = [node for node in self.nodes if isinstance(node, ast.Name) and node.id == name]
        return sorted(found, key=lambda node: (node.lineno, node.col_offset))

    def is_taken(self, name: str) -> bool:
        """Return whether a name occurs anywhere in the text."""
        return re.search(rf"\b{re.escape(name)}\b", self.source) is not None


def within(inner: Span, outer: Span) -> bool:
    """Return whether a span lies in another."""
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def units(text: str) -> int:
    """Return the length of a text in UTF-16 units."""
    return len(text.encode("utf-16-le", errors="surrogatepass")) // 2


def attribute(node: ast.AST | None, *names: str) -> ast.Attribute | None:
    """Return a node if it is an attribute, with one of some names if there are any."""
    return node if isinstance(node, ast.Attribute) and (not names or node.attr in names) else None


def method(node: ast.AST | None, *names: str) -> ast.Attribute | None:
    """Return `x.name` of a call `x.name(...)` with one of some names."""
    return attribute(node.func, *names) if isinstance(node, ast.Call) else None


def called(node: ast.AST) -> str:
    """Return the last part of what a call calls, or an empty text."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def keyword(call: ast.Call, name: str) -> ast.keyword | None:
    """Return a keyword argument of a call."""
    return next((each for each in call.keywords if each.arg == name), None)
