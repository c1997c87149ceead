"""Prompts of Python, IPython and notebooks: their code stays, their outputs go."""

from __future__ import annotations

import re

from app.sandbox.child.mending.draft import Draft, Line
from app.sandbox.child.mending.parsing import is_right
from app.sandbox.child.mending.wrapping import drop_output

PROMPT = re.compile(r"^\s*[>＞]{3}[ \xa0]?(.*)$")
MORE = re.compile(r"^\s*\.\.\.(?:[ \xa0](.*)|(\S.*)?)$")
CELL = re.compile(r"^\s*In ?\[[\d* \xa0]*\] ?[:：][ \xa0]?(.*)$")
CELL_MORE = re.compile(r"^\s*\.{3,}[:：][ \xa0]?(.*)$")
RESULT = re.compile(r"^\s*Out ?\[[\d* ]*\] ?[:：]")
NUMBERED = re.compile(r"^\s*\[(\d+)\][:：][ \xa0]?(.*)$")

WORDS = r"(?:import|from|for|while|if|elif|else|def|class|with|try|except|finally|del|return|assert|raise)\b"
STATEMENT = re.compile(
    rf"^\s*(?:{WORDS}|@\w|print ?\(|[A-Za-z_][\w.\[\], :'\"]*\s*(?:[-+*/@%]|//|\*\*)?=(?!=))"
    r"|^[a-z_]\w*(?:\.\w+)+\(.*\)$"
)
SHOWS = re.compile(r"torch\.(?:Size|return_types)")  # how a result may begin that looks like a call
QUIET = re.compile(  # a line after which nothing is printed
    rf"^\s*(?:{WORDS}|[A-Za-z_][\w.\[\], :]*\s*(?:[-+*/@%]|//|\*\*)?=(?!=))"
    r"|\.(?:backward|step|zero_grad)\(.*\)\s*$"
)
OUTPUT = re.compile(
    r"^(?:tensor\(|array\(|\[|\{|\(|-?\d|True\b|False\b|None\b|torch\.|<|Traceback|-{20,}"
    r"|\w+(?:Error|Warning)\b)"
)


def has_prompts(text: str) -> bool:
    """Return whether lines of a text begin with a prompt."""
    lines = text.splitlines()
    if any(PROMPT.match(line) or CELL.match(line) for line in lines):
        return True
    first = next((line for line in lines if line.strip()), "")
    return NUMBERED.match(first) is not None


def prompts(draft: Draft) -> None:
    """Take prompts and the outputs between them away."""
    if has_prompts(draft.text()):
        Session(draft).cut()


class Session:
    """One pass over the lines. `state` says what the line before was."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.kept: list[Line] = []
        self.cell: list[Line] = []
        self.state = "before"  # then: code, block, output, cell
        self.gap = False
        self.numbers: set[str] = set()
        self.numbered = not any(CELL.match(line.text) or PROMPT.match(line.text) for line in draft.lines)

    def cut(self) -> None:
        """Sort every line into code or output."""
        for line in self.draft.lines:
            if not self._prompted(line):
                self._other(line)
        self._end_of_cell()
        self.draft.keep(self.kept)

    def _prompted(self, line: Line) -> bool:
        """Take a line that begins with a prompt; return whether it did."""
        text = line.text
        if found := PROMPT.match(text):
            self._take(line, found[1], "code")
        elif found := CELL.match(text):
            self._end_of_cell()
            self._take(line, found[1], "code" if found[1].strip() else "cell")
        elif RESULT.match(text):
            self._end_of_cell()
            self._drop(line)
        elif self.state == "code" and (found := CELL_MORE.match(text)):
            self._take(line, found[1], "code")
        elif self.state == "code" and (found := MORE.match(text)):
            self._take(line, found[1] or found[2] or "", "code")
        elif self.numbered and (found := NUMBERED.match(text)):
            self._end_of_cell()
            again = found[1] in self.numbers
            self.numbers.add(found[1])
            if again:
                self._drop(line)
            else:
                self._take(line, found[2], "cell")
        else:
            return False
        return True

    def _take(self, line: Line, text: str, state: str) -> None:
        self.draft.note("prompts", line.origin)
        self.state, self.gap = state, False
        if text.strip() or state == "code":
            (self.cell if state == "cell" else self.kept).append(Line(text, line.origin))

    def _drop(self, line: Line) -> None:
        drop_output(self.draft, line)
        self.state, self.gap = "output", False

    def _other(self, line: Line) -> None:
        """Sort a line without a prompt."""
        if self.state == "before":
            self.kept.append(line)
        elif self.state == "cell":
            self.cell.append(line)
        elif not line.text.strip():
            self.gap = True
            if self.state == "block":
                self.kept.append(line)
        elif self._goes_on(line.text) or self._begins(line.text):
            if not self._goes_on(line.text):
                self.state = "block"
            self.kept.append(line)
            self.gap = False
        else:
            drop_output(self.draft, line)
            self.state = "output" if self.state != "block" else "block"

    def _goes_on(self, text: str) -> bool:
        """Return whether a line belongs to the block that the code before it opened."""
        indented = text[:1] in " \t"
        last = self.kept[-1].text.rstrip() if self.kept else ""
        inside = last.endswith((":", "：", "(", "[", "{", ",", "\\")) or last[:1] in (" ", "\t")
        return self.state in ("code", "block") and indented and inside

    def _begins(self, text: str) -> bool:
        """Return whether a line without a prompt is code all the same: a statement where no output can be."""
        if not STATEMENT.match(text) or SHOWS.match(text):
            return False
        last = self.kept[-1].text if self.kept else ""
        return self.gap or self.state == "block" or (self.state == "code" and bool(QUIET.search(last)))

    def _end_of_cell(self) -> None:
        """Keep what is code of a notebook's cell; what it printed stands under it."""
        lines, self.cell = self.cell, []
        while lines and not lines[-1].text.strip():
            lines.pop()
        for i in range(1, len(lines)):
            if OUTPUT.match(lines[i].text) and is_right("\n".join(line.text for line in lines[:i])):
                whole = is_right("\n".join(line.text for line in lines))
                if (
                    not whole
                    or not lines[i - 1].text.strip()
                    or lines[i].text.startswith(("tensor(", "array("))
                ):
                    for line in lines[i:]:
                        drop_output(self.draft, line)
                    lines = lines[:i]
                    break
        self.kept += lines
