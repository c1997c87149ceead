"""Changes to a text that cannot break it: each says where and what; one that is not safe is None.

Lines are moved and put in only where a statement has its lines to itself.
"""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import Any

from app.sandbox.child.doctor.program import Program, Span, keyword, units

Edit = dict[str, Any]  # {"at": span, "text": what stands there instead}
Edits = list[Edit]
NOWHERE = [0, 0, 0, 0]  # the place of what cannot be changed
MOST, LONGEST = 200, 10_000  # edits of one change, and characters they write


def replaced(program: Program, node: ast.AST, text: str) -> Edits:
    """Write a text in place of a node."""
    return [{"at": NOWHERE if node in program.formatted else program.span(node), "text": text}]


def after_text(program: Program, node: ast.AST, text: str) -> Edits:
    """Write a text right behind a node."""
    _, _, line, column = NOWHERE if node in program.formatted else program.span(node)
    return [{"at": [line, column, line, column], "text": text}]


def is_alone(program: Program, statement: ast.stmt) -> bool:
    """Return whether nothing but a comment shares a statement's lines."""
    first, last = program.lines[statement.lineno - 1], program.lines[statement.end_lineno - 1]
    before = first.encode()[: statement.col_offset].decode(errors="replace")
    behind = last.encode()[statement.end_col_offset :].decode(errors="replace").strip()
    return not before.strip() and (not behind or behind.startswith("#")) and not first.endswith("\\")


def indent(program: Program, statement: ast.stmt) -> str:
    """Return the white space before a statement."""
    line = program.lines[statement.lineno - 1]
    return line[: len(line) - len(line.lstrip())]


def before(program: Program, statement: ast.stmt, *lines: str) -> Edits | None:
    """Put lines before a statement, as deep as it is."""
    if not is_alone(program, statement) or getattr(statement, "decorator_list", None):
        return None
    space, at = indent(program, statement), [statement.lineno, 0, statement.lineno, 0]
    return [{"at": at, "text": "".join(space + line + program.newline for line in lines)}]


def behind(program: Program, statement: ast.stmt, *lines: str) -> Edits | None:
    """Put lines after a statement, as deep as it is."""
    if not is_alone(program, statement):
        return None
    space, end = indent(program, statement), statement.end_lineno
    if end < len(program.lines):
        text = "".join(space + line + program.newline for line in lines)
        return [{"at": [end + 1, 0, end + 1, 0], "text": text}]
    width = units(program.lines[end - 1])
    return [{"at": [end, width, end, width], "text": "".join(program.newline + space + x for x in lines)}]


def removed(program: Program, statement: ast.stmt) -> Edits | None:
    """Take a statement away with its lines; a block must not become empty."""
    if not is_alone(program, statement) or len(program.block(statement)) < 2:
        return None
    first, end = statement.lineno, statement.end_lineno
    if end < len(program.lines):
        return [{"at": [first, 0, end + 1, 0], "text": ""}]
    start = units(program.lines[first - 2]) if first > 1 else 0
    return [{"at": [max(first - 1, 1), start, end, units(program.lines[end - 1])], "text": ""}]


def moved(program: Program, statement: ast.stmt, to: ast.stmt, put: Any = before) -> Edits | None:
    """Move a statement of one line `before` or `behind` another."""
    if statement.lineno != statement.end_lineno:
        return None
    cut, line = removed(program, statement), program.lines[statement.lineno - 1].strip()
    paste = put(program, to, line)
    return None if cut is None or paste is None else cut + paste


def wrapped(program: Program, statement: ast.stmt, head: str) -> Edits | None:
    """Put a statement under a head such as `with torch.no_grad():`."""
    edits = before(program, statement, head)
    if edits is None:
        return None
    deeper = "\t" if indent(program, statement).startswith("\t") else "    "
    edits[0]["text"] += deeper
    return edits


def unwrapped(program: Program, statement: ast.With) -> Edits | None:
    """Take a block's head away and bring its lines one step out."""
    body = statement.body
    if not all(is_alone(program, each) for each in body) or body[0].lineno == statement.lineno:
        return None
    outer, inner = indent(program, statement), indent(program, body[0])
    lines = range(statement.lineno + 1, statement.end_lineno + 1)
    if any(many_lines(node) for node in ast.walk(statement)) or not inner.startswith(outer):
        return None
    if any(x.strip() and not x.startswith(inner) for x in (program.lines[n - 1] for n in lines)):
        return None
    edits = [{"at": [statement.lineno, 0, body[0].lineno, 0], "text": ""}]
    return edits + [
        {"at": [n, len(outer), n, len(inner)], "text": ""}
        for n in lines
        if n >= body[0].lineno and program.lines[n - 1].strip()
    ]


def many_lines(node: ast.AST) -> bool:
    """Return whether a node is a text of several lines, which no indent may change."""
    return isinstance(node, (ast.Constant, ast.JoinedStr)) and node.lineno != node.end_lineno


def without_argument(program: Program, call: ast.Call, name: str) -> Edits:
    """Take a keyword argument away, with the comma before or behind it."""
    gone = keyword(call, name)
    parts = sorted([*call.args, *call.keywords], key=lambda each: (each.lineno, each.col_offset))
    i = parts.index(gone)
    at = program.span(gone)
    if i > 0:
        at = program.span(parts[i - 1])[2:] + at[2:]
    elif len(parts) > 1:
        at = at[:2] + program.span(parts[1])[:2]
    return [{"at": at, "text": ""}]


def with_argument(program: Program, call: ast.Call, text: str) -> Edits | None:
    """Add an argument at the end of a call."""
    parts = [*call.args, *call.keywords]
    if not parts:
        line, column = program.span(call)[2:]
        return [{"at": [line, column - 1, line, column - 1], "text": text}]
    last = max(parts, key=lambda each: (each.end_lineno, each.end_col_offset))
    if isinstance(last, ast.GeneratorExp):
        return None
    return after_text(program, last, f", {text}")


def applied(source: str, lines: list[str], edits: Edits) -> str:
    """Return the text with all edits made. Raises ValueError if two of them meet."""
    index = offsets(source, lines)
    spots = [(index(each["at"][:2]), index(each["at"][2:]), each["text"]) for each in ordered(edits)]
    if any(one[1] > other[0] for one, other in pairwise(spots)):
        raise ValueError("two edits meet")
    for start, end, text in reversed(spots):
        source = source[:start] + text + source[end:]
    return source


def ordered(edits: Edits) -> Edits:
    """Return edits in the order of the text; what is put in at one place is one edit."""
    found: Edits = []
    for each in sorted(edits, key=lambda edit: edit["at"]):
        start, end = each["at"][:2], each["at"][2:]
        if found and start == end and found[-1]["at"] == each["at"]:
            found[-1] = {"at": each["at"], "text": found[-1]["text"] + each["text"]}
        else:
            found.append(each)
    return found


def offsets(source: str, lines: list[str]) -> Any:
    """Return a function from a place (line, UTF-16 column) to its index in the text."""
    starts, position = [], 0
    for line in lines:
        starts.append(position)
        position += len(line)
        position += 2 if source.startswith("\r\n", position) else 1

    def index(place: Span) -> int:
        line, column = place
        text = lines[line - 1] if line <= len(lines) else ""
        inside = text.encode("utf-16-le", errors="surrogatepass")[: 2 * column]
        return starts[line - 1] + len(inside.decode("utf-16-le", errors="surrogatepass"))

    return index


def checked(program: Program, edits: Edits | None) -> Edits | None:
    """Return edits if the text they lead to is a program, and another one."""
    if not edits or len(edits) > MOST or sum(len(each["text"]) for each in edits) > LONGEST:
        return None
    if any(each["at"] == NOWHERE for each in edits):
        return None
    try:
        after = applied(program.source, program.lines, edits)
        ast.parse(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError, IndexError):
        return None
    return ordered(edits) if after != program.source else None
