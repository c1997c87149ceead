"""What stands around pasted code: Markdown fences, line numbers, tracebacks, notebook magics, sentences."""

from __future__ import annotations

import re

from app.sandbox.child.mending.draft import Draft, Line
from app.sandbox.child.mending.gutters import LABELS
from app.sandbox.child.mending.parsing import is_right
from app.sandbox.child.mending.scan import leads

# ----- fences -----
FENCE = re.compile(r"^\s*(?:```+|~~~+)\s*\{?\.?([\w+-]*)[^`]*$")
OTHER = {
    "text",
    "txt",
    "output",
    "out",
    "bash",
    "sh",
    "shell",
    "console",
    "plain",
    "plaintext",
    "json",
    "yaml",
    "cpp",
}
PRINTED = re.compile(r"^\s*(?:tensor\(|Traceback|[\d.\-\[\], ]+$|\w+(?:Error|Warning)\b|True$|False$|None$)")


def fences(draft: Draft) -> None:
    """Keep what stands between Markdown fences."""
    marks = [(i, FENCE.match(line.text)) for i, line in enumerate(draft.lines)]
    marks = [(i, found[1].lower()) for i, found in marks if found]
    if not marks:
        return
    for i, _ in marks:
        draft.note("fences", draft.lines[i].origin)
    if len(marks) == 1:
        draft.keep(line for i, line in enumerate(draft.lines) if i != marks[0][0])
        return
    kept: list[Line] = []
    last = 0
    for (start, word), (end, _) in zip(marks[::2], [*marks[1::2], (len(draft.lines), "")], strict=False):
        block = draft.lines[start + 1 : end]
        _outside(draft, draft.lines[last:start])
        last = end + 1
        first = next((line.text for line in block if line.text.strip()), "")
        if word in OTHER or (not word and kept and PRINTED.match(first)):
            for line in block:
                drop_output(draft, line)
        else:
            kept += block
    _outside(draft, draft.lines[last:])
    draft.keep(kept)


def _outside(draft: Draft, lines: list[Line]) -> None:
    for line in lines:
        if line.text.strip():
            draft.note("prose", line.origin, line.text.strip())


def drop_output(draft: Draft, line: Line) -> None:
    """Note a line of output that goes; of an error its message is worth keeping."""
    draft.note("outputs", line.origin)
    if ERROR.match(line.text):
        draft.note("traceback", line.origin, line.text.strip())


# ----- line numbers -----
NUMBER = re.compile(r"^(\s*)(\d{1,4})([.:|)]?)(?=\s|$|[A-Za-z_@#\"'(\[>])(.*)$")


def numbers(draft: Draft) -> None:
    """Take away line numbers: the first line has one, and every next line the next."""
    found: list[tuple[int, str, int]] = []  # index of the line, what follows the number, where that begins
    wanted = 1
    for i, line in enumerate(draft.lines):
        match = NUMBER.match(line.text)
        if match and (not found or int(match[2]) == wanted):
            wanted = int(match[2]) + 1
            found.append((i, match[4], match.start(4)))
        elif line.text.strip():
            break
    if len(found) < 2:
        return
    rests = [rest for _, rest, _ in found]
    blank = min((len(rest) - len(rest.lstrip()) for rest in rests if rest.strip()), default=0)
    texts = [rest[blank:] for rest in rests]
    column = min(
        (start + len(rest) - len(rest.lstrip()) for _, rest, start in found if rest.strip()), default=0
    )
    aligned = [draft.lines[i].text[column:] for i, _, _ in found]
    if not is_right("\n".join(texts)) and is_right("\n".join(aligned)):
        texts = aligned
    for (i, _, _), text in zip(found, texts, strict=True):
        draft.put(i, text, "numbers")


# ----- tracebacks and messages -----
BEGINS = re.compile(r"^\s*(?:-{20,}\s*|\S*\s*Traceback \(most recent call last\).*)$")
ERROR = re.compile(r"^\s*(?:E\s+)?(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Interrupt|Iteration)\b(?::|\s*$)")
WARNING = re.compile(r"^.*\b[A-Z]\w*Warning: ")


def tracebacks(draft: Draft) -> None:
    """Take tracebacks away; the error that ends one stays, as a comment."""
    kept: list[Line] = []
    lines, starts = draft.lines, leads(draft.text())
    i = 0
    while i < len(lines):
        text = lines[i].text
        if starts[i].in_string or not (BEGINS.match(text) or ERROR.match(text) or WARNING.match(text)):
            kept.append(lines[i])
            i += 1
            continue
        end, said = _report(lines, i)
        for line in lines[i:end]:
            draft.note("traceback", line.origin)
        if said:
            draft.note("traceback", 0, " ".join(line.text.strip() for line in said))
            kept += [Line(f"# {line.text.strip()}", line.origin) for line in said]
        i = end
    draft.keep(kept)


def _report(lines: list[Line], start: int) -> tuple[int, list[Line]]:
    """Return where a report that begins at `start` ends, and the lines of its message."""
    at = start
    if BEGINS.match(lines[start].text):
        errors = (
            i for i in range(start + 1, len(lines)) if ERROR.match(lines[i].text) and not _heads(lines[i])
        )
        at = next(errors, -1)
        if at < 0:
            return len(lines), []
    end = at + 1
    warns = WARNING.match(lines[at].text) and not ERROR.match(lines[at].text)
    while end < len(lines) and lines[end].text.strip() and not FENCE.match(lines[end].text):
        if warns and not lines[end].text.startswith("  "):
            break
        end += 1
    return end, lines[at:end]


def _heads(line: Line) -> bool:
    return "Traceback (most recent call last)" in line.text


# ----- magics -----
MAGIC = re.compile(r"^(\s*)(?:(%{1,2}[A-Za-z]\w*)\s*(.*)|!\s*\S.*|\?\S+|[A-Za-z_][\w.]*\?{1,2})\s*$")
TIMED = ("%time", "%timeit", "%prun")


def magics(draft: Draft) -> None:
    """Turn notebook magics and shell lines into comments; what `%time` times is run."""
    starts = leads(draft.text())
    for i, line in enumerate(draft.lines):
        found = MAGIC.match(line.text)
        if not found or not starts[i].free:
            continue
        indent, word, rest = found[1], found[2], found[3] or ""
        code = re.sub(r"^(?:-\w+\s*\d*\s+)*", "", rest)
        if word in TIMED and is_right(code) and code:
            draft.put(i, indent + code, "magics")
        else:
            draft.put(i, f"{indent}{'pass  ' if indent else ''}# {line.text.strip()}", "magics")


# ----- sentences -----
KEYWORDS = """and as assert async await break class continue def del elif else except finally for from global
if import in is lambda nonlocal not or pass raise return try while with yield print""".split()
CALM = rf"(?!(?:{'|'.join(KEYWORDS)})\b)"
TWO_WORDS = re.compile(rf"(?<![\w.\"'(]){CALM}[A-Za-z][A-Za-z'’]*,? {CALM}[A-Za-z'’]+\b")
HAN = re.compile(r"[\u4e00-\u9fff]")
COMMENT = re.compile(r"#.*$")
LABEL = re.compile(  # `Example::`, `输出：`, a console's own lines
    r"^\s*(?:[A-Z][A-Za-z]* ?[a-z]*\s*::?|[\u4e00-\u9fff]{1,12}\s*[:：]"
    r"|[A-Za-z]:\\\S.*|(?:\(\w+\) )?\S*[$%] python3? .*)\s*$"
)
HEADER = re.compile(r"^\s*(?:def|class|for|while|if|with|elif|import|from|@)\b")


def prose(draft: Draft) -> None:
    """Turn sentences into comments where that alone makes a program of the text; else change nothing."""
    trial = draft.copy()
    starts = leads(trial.text())
    for i, line in enumerate(trial.lines):
        if line.text.strip() and not starts[i].in_string and is_sentence(line.text):
            text = (draft.pasted[line.origin - 1] if line.origin else line.text).strip()
            trial.put(i, f"# {text}", "prose")
            trial.note("prose", 0, text)
            for kind in ("fullwidth", "quotes", "spaces"):
                trial.places.get(kind, set()).discard(line.origin)
    if is_right(trial.text()):
        draft.adopt(trial)


def is_sentence(text: str) -> bool:
    """Return whether a line is certainly no Python: words stand side by side, or it is Chinese prose."""
    bare = COMMENT.sub("", text)
    if LABEL.match(text) or text.strip() in LABELS:
        return True
    if HEADER.match(text) and "=" in text:
        return False
    if is_right(text.strip()) or is_right(text.strip() + "\n    pass"):
        return False
    words = len(re.findall(r"[A-Za-z'’]{1,}", bare))
    return (bool(TWO_WORDS.search(bare)) and words >= 3) or len(HAN.findall(bare)) >= 4
