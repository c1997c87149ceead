"""Reads a lesson's folder: `en.md`, `zh.md`, `snippet.py` and further programs. Runs nothing.

---                                   front matter: title, summary; in en.md also needs, minutes, answers
title: What backward() does
summary: …
---

## A heading begins a section         one screen
```show
at: grad w #1                         the step that the section talks about (app/lessons/moments.py)
program: other.py                     if it is not snippet.py
level: engine                         the detail it needs: story, chain or engine; else the reader's own
```
Prose in Markdown, with computed numbers {= grad(w)}, links [so](<step:grad w #2>) and $formulas$.
```checkpoint
id: second                            the same in all languages
ask: What is w.grad after the second backward()?
reveal: grad w #2                     the step that shows the answer
answer: grad(w)                       taken from the trace at that step
choices: 20 | 40 | 0                  or `choice:` with `when:` and `reason:`; without: a number is typed
wrong: 20                             a known wrong answer
  reason: …
because: …                            told in any case
```
What comes after the question is shown once it is answered.
"""

from __future__ import annotations

import re
from pathlib import Path

from app.lessons.blocks import Entry, Misread, entries, single
from app.lessons.model import Checkpoint, Choice, Lesson, Problem, Section, Text

MAIN = "snippet.py"
NAME = re.compile(r"(\d\d)-([a-z0-9]+(?:-[a-z0-9]+)*)")
FENCE = re.compile(r"```(show|checkpoint)\s*$")
FRONT = {"title", "summary", "needs", "minutes", "answers", "terms"}
SHOW = {"at", "program", "level"}
LEVELS = {"story", "chain", "engine"}
CHECKPOINT = {
    "id", "ask", "reveal", "answer", "choices", "choice", "wrong", "otherwise", "because", "click",
}  # fmt: skip
INNER = {"when", "reason"}
CLICKED = {"node", "line"}


class Unreadable(ValueError):
    """A folder that holds no lesson, with everything that is wrong."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


def read_lesson(folder: Path) -> Lesson:
    """Return the lesson in a folder. Raises Unreadable."""
    name = NAME.fullmatch(folder.name)
    problems = []
    if name is None:
        problems.append(
            Problem(folder.name, 1, "the folder is called NN-some-words, for example 03-two-paths")
        )
    texts, fronts = {}, {}
    programs = {}
    for file in (*sorted(folder.glob("*.md")), *sorted(folder.glob("*.py"))):
        try:
            if file.suffix == ".py":
                programs[file.name] = read(file)
            else:
                fronts[file.stem], texts[file.stem] = read_text(file)
        except Misread as wrong:
            problems.append(Problem(f"{folder.name}/{file.name}", wrong.line, wrong.words))
    if "en.md" not in {file.name for file in folder.glob("*.md")}:
        problems.append(Problem(folder.name, 1, "en.md is missing"))
    if not (folder / MAIN).is_file():
        problems.append(Problem(folder.name, 1, f"{MAIN} is missing"))
    if problems:
        raise Unreadable(problems)
    front = fronts["en"]
    return Lesson(
        slug=name[2],
        number=int(name[1]),
        folder=folder,
        needs=words(single(front, "needs", "")),
        minutes=int(single(front, "minutes", "10")),
        answers=words(single(front, "answers", "")),
        terms=words(single(front, "terms", "")),
        programs={MAIN: programs.pop(MAIN), **programs},
        texts=texts,
    )


def read(file: Path) -> str:
    """Return the text of a file, with or without the mark that Windows puts first. Raises Misread."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as wrong:
        before = wrong.object[: wrong.start].count(b"\n")
        raise Misread(before + 1, "this is not UTF-8; save the file in UTF-8") from None


def words(listed: str) -> tuple[str, ...]:
    """Return what commas separate."""
    return tuple(each.strip() for each in listed.split(",") if each.strip())


def read_text(file: Path) -> tuple[list[Entry], Text]:
    """Return front matter and text of one language. Raises Misread with the line in the file."""
    lines = read(file).splitlines()
    if not lines or lines[0].strip() != "---" or "---" not in lines[1:]:
        raise Misread(1, "the file begins with front matter between two lines of ---")
    end = lines.index("---", 1)
    front = placed(2, entries, lines[1:end], FRONT)
    for key in ("title", "summary"):
        if not single(front, key):
            raise Misread(1, f"the front matter has no `{key}`")
    minutes = single(front, "minutes", "10")
    if not minutes.isdigit():
        raise Misread(1, f"`minutes` is a whole number, not {minutes}")
    sections = read_sections(lines[end + 1 :], end + 2)
    return front, Text(single(front, "title"), single(front, "summary"), tuple(sections), file)


def placed(first: int, reading, lines: list[str], *arguments):
    """Read a block; say where in the file it is wrong."""
    try:
        return reading(lines, *arguments)
    except Misread as wrong:
        raise Misread(first + wrong.line, wrong.words) from None


def read_sections(lines: list[str], first: int) -> list[Section]:
    """Return the sections of a text. Raises Misread."""
    starts = [i for i, line in enumerate(lines) if line.startswith("## ")]
    before = lines[: starts[0]] if starts else lines
    if any(line.strip() for line in before):
        raise Misread(first, "prose stands before the first heading; a section begins with ## Title")
    ends = [*starts[1:], len(lines)]
    return [read_section(lines[a:b], first + a) for a, b in zip(starts, ends)]


def read_section(lines: list[str], first: int) -> Section:
    """Return one section. Raises Misread."""
    prose: list[str] = []
    after: list[str] = []
    show: list[Entry] = []
    checkpoint = None
    i = 1
    while i < len(lines):
        fence = FENCE.match(lines[i])
        if not fence:
            (after if checkpoint else prose).append(lines[i])
            i += 1
            continue
        end = next((k for k in range(i + 1, len(lines)) if lines[k].strip() == "```"), None)
        if end is None:
            raise Misread(first + i, "the block that begins here does not end")
        block, where = lines[i + 1 : end], first + i + 1
        if fence[1] == "show":
            show = placed(where, entries, block, SHOW)
        elif checkpoint:
            raise Misread(where, "a section has one checkpoint; begin another section")
        else:
            checkpoint = placed(where, read_checkpoint, block)
        i = end + 1
    level = single(show, "level")
    if level not in LEVELS | {None}:
        raise Misread(first, f"`level` is one of {', '.join(sorted(LEVELS))}, not {level}")
    return Section(
        title=lines[0].removeprefix("## ").strip(),
        prose="\n".join(prose).strip(),
        show=single(show, "at"),
        program=single(show, "program", MAIN),
        level=level,
        checkpoint=checkpoint,
        after="\n".join(after).strip(),
        at_line=first,
    )


def read_checkpoint(lines: list[str]) -> Checkpoint:
    """Return a question. Raises Misread."""
    found = entries(lines, CHECKPOINT, INNER)
    for key in ("id", "ask", "because"):
        if not single(found, key):
            raise Misread(0, f"the checkpoint has no `{key}`")
    answer, click = single(found, "answer"), single(found, "click")
    if click and click not in CLICKED:
        raise Misread(0, f"`click` is one of {', '.join(sorted(CLICKED))}")
    listed = [Choice(text.strip()) for text in (single(found, "choices") or "").split("|") if text.strip()]
    reasons = {entry.value: entry.inner.get("reason", "") for entry in found if entry.key == "wrong"}
    choices = [Choice(each.text, None, reasons.get(each.text, "")) for each in listed]
    choices += [
        Choice(entry.value, entry.inner.get("when"), entry.inner.get("reason", ""))
        for entry in found
        if entry.key == "choice"
    ]
    if answer is None and not all(choice.when for choice in choices):
        raise Misread(0, "the checkpoint has no `answer`, and not every choice says `when` it is right")
    return Checkpoint(
        id=single(found, "id"),
        ask=single(found, "ask"),
        kind=click or ("choice" if choices else "number"),
        reveal=single(found, "reveal"),
        answer=answer,
        because=single(found, "because"),
        choices=tuple(choices),
        wrong=tuple(Choice(text, text, reason) for text, reason in reasons.items()) if not choices else (),
        otherwise=single(found, "otherwise", ""),
    )
