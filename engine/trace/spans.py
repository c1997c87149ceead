"""Where in the source: the span of the expression a frame is running, and of the target that binds a name.

Works from code positions and one index of the syntax tree; knows no facts and no rows.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from functools import cached_property
from types import CodeType, FrameType, TracebackType
from typing import Any

SNIPPET = "<snippet>"  # the file name every learner's program is compiled with

Extent = tuple[int, int, int, int]  # line, column, end line, end column; columns in UTF-8 bytes
Span = list[int]  # the same with columns in UTF-16 units, as the page counts

HEADS = {ast.If: "test", ast.While: "test", ast.Assert: "test", ast.IfExp: "test", ast.For: "iter"}
BINDERS = (ast.Name, ast.arg)
SCOPES = (ast.FunctionDef, ast.ClassDef)
MODULE_SCOPE = 0


def innermost(frame: FrameType | None) -> FrameType | None:
    """Return the learner's own frame that is nearest to `frame`, going outward."""
    while frame is not None and frame.f_code.co_filename != SNIPPET:
        frame = frame.f_back
    return frame


def scope_of(code: CodeType) -> int:
    """Return what tells one function of the snippet from another: its first line, 0 for the module."""
    return MODULE_SCOPE if code.co_name == "<module>" else code.co_firstlineno


class Spans:
    """The index of one source: looks up spans, each position computed once."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._indexed = False
        self._exact: set[Extent] = set()
        self._replaced: dict[Extent, Extent] = {}
        self._starts: dict[tuple[int, int], tuple[int, int]] = {}
        self._binders: dict[tuple[int, str], list[tuple[Extent, Extent]]] = {}  # statement, target
        self._cache: dict[tuple[int, int], Span | None] = {}
        self._positions: dict[int, tuple[CodeType, list]] = {}

    @cached_property
    def _lines(self) -> list[bytes]:
        return [line.encode() for line in re.split(r"\r\n|\r|\n", self._source)]

    def _ready(self) -> None:
        """Make the index, when it is first asked."""
        self._indexed = True
        try:
            self._index(ast.parse(self._source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass  # the run itself will be refused with the reason

    # ----- looking up -----
    def of_frame(self, frame: FrameType | None) -> Span | None:
        """Return the span of what a frame of the snippet is running."""
        return None if frame is None else self.at(frame.f_code, frame.f_lasti)

    def of_traceback(self, trace: TracebackType | None) -> Span | None:
        """Return the span where an exception passed through the snippet, innermost frame."""
        found = None
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == SNIPPET:
                found = self.at(trace.tb_frame.f_code, trace.tb_lasti)
            trace = trace.tb_next
        return found

    def at(self, code: CodeType, instruction: int) -> Span | None:
        """Return the span of one instruction."""
        key = (id(code), instruction)
        if key not in self._cache:
            self._cache[key] = self._look_up(code, instruction)
        return self._cache[key]

    def line(self, line: int | None, column: int | None) -> Span | None:
        """Return the span of one character, as a syntax error gives it: column from 1, in characters."""
        if line is None or not 1 <= line <= len(self._lines):
            return None
        text = self._lines[line - 1].decode()
        start = min(max((column or 1) - 1, 0), len(text))
        return [line, _units(text[:start]), line, _units(text[: start + 1])]

    def binding(self, name: str, scope: int, last: Span | None, now: Span | None) -> Span | None:
        """Return the target that bound `name`: in the statement that ran last, else the nearest above."""
        if not self._indexed:
            self._ready()
        found = self._binders.get((scope, name))
        if not found:
            return None
        for here in (last, now):
            if here is None:
                continue
            i = bisect_right(found, ((here[0], here[1] + 1),)) - 1
            inside = i >= 0 and (here[0], here[1]) < found[i][0][2:]
            if here is last and inside:
                return self.span(found[i][1])
            if here is now and i - inside >= 0:  # the statement that runs now has bound nothing yet
                return self.span(found[i - inside][1])
        return self.span(found[0 if last is None else -1][1])

    def span(self, extent: Extent) -> Span:
        """Return an extent with its columns in UTF-16 units."""
        line, column, end_line, end_column = extent
        return [line, self._column(line, column), end_line, self._column(end_line, end_column)]

    def _column(self, line: int, column: int) -> int:
        text = self._lines[line - 1] if line <= len(self._lines) else b""
        return column if text.isascii() else _units(text[:column].decode(errors="replace"))

    def _look_up(self, code: CodeType, instruction: int) -> Span | None:
        if not self._indexed:
            self._ready()
        known = self._positions.get(id(code))
        if known is None:
            known = self._positions[id(code)] = (code, list(code.co_positions()))
        position = known[1][instruction // 2] if 0 <= instruction // 2 < len(known[1]) else (None,) * 4
        line, end_line, column, end_column = position
        if None in position or line < 1:
            return None
        extent = (line, column, end_line, end_column)
        if extent in self._replaced:
            extent = self._replaced[extent]
        elif extent not in self._exact and extent[2:] in self._starts:
            extent = self._starts[extent[2:]] + extent[2:]
        return self.span(extent)

    # ----- the index -----
    def _index(self, tree: ast.Module) -> None:
        """Walk the tree without recursion: deep expressions must not exhaust the stack."""
        todo: list[tuple[ast.AST, int, Any, Any]] = [(tree, MODULE_SCOPE, None, None)]
        while todo:
            node, scope, statement, target = todo.pop()
            statement = node if isinstance(node, ast.stmt) else statement
            if isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Store):
                target = target or node  # `a, b` is bound at once
            if hasattr(node, "end_lineno"):
                self._note(node, extent_of(node))
            if isinstance(node, BINDERS) and not isinstance(getattr(node, "ctx", None), ast.Load):
                place = extent_of(target or node)
                head = head_of(statement) if isinstance(node, ast.Name) else place
                name = node.id if isinstance(node, ast.Name) else node.arg
                self._binders.setdefault((scope, name), []).append((head, place))
            if isinstance(node, SCOPES):
                scope = min((d.lineno for d in node.decorator_list), default=node.lineno)
            todo += [(child, scope, statement, target) for child in ast.iter_child_nodes(node)]
        for found in self._binders.values():
            found.sort()

    def _note(self, node: ast.AST, extent: Extent) -> None:
        self._exact.add(extent)
        match node:
            case ast.Call() | ast.Attribute():
                self._starts.setdefault(extent[2:], extent[:2])
            case ast.With(items=items):
                self._replaced[extent] = extent_of(items[0].context_expr)
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target]):
                self._replaced[extent_of(target)] = extent
        if type(node) in HEADS:
            self._replaced[extent] = extent_of(getattr(node, HEADS[type(node)]))


def extent_of(node: ast.AST) -> Extent:
    """Return where a node of the tree stands."""
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def head_of(statement: ast.stmt) -> Extent:
    """Return the extent of a statement without the block that follows it."""
    last: ast.AST = statement
    if isinstance(statement, ast.With):
        last = statement.items[-1].optional_vars or statement.items[-1].context_expr
    elif type(statement) in HEADS:
        last = getattr(statement, HEADS[type(statement)])
    return statement.lineno, statement.col_offset, last.end_lineno, last.end_col_offset


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", errors="surrogatepass")) // 2
