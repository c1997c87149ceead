"""What stands before lines: line numbers that were copied as a block of their own, quote marks, bullets."""

from __future__ import annotations

import re

from app.sandbox.child.mending.draft import Draft

NUMBER = re.compile(r"^\s*(\d{1,4})[.:|)]?\s*$")
ROW = re.compile(r"^\s*1(?: +\d{1,3}){2,}\s*$")
QUOTE = re.compile(r"^\s*>(?!>>)[ \xa0]?")
LABELS = set(
    "python Python python3 Python3 py ipython code Copy Copied 复制 复制代码 代码 代码如下 运行".split()
)
BULLET = re.compile(r"^\s*[•●◦▪‣·∙][ \t\xa0]+")


def labels(draft: Draft) -> None:
    """Set aside the label of a code box and the word on its button, which were copied with the code."""
    filled = [i for i, line in enumerate(draft.lines) if line.text.strip()]
    for i in filled[:2]:
        label = draft.lines[i].text.strip()
        if label not in LABELS:
            return
        draft.put(i, f"# {label}", "prose")
        draft.note("prose", 0, label)


def gutter(draft: Draft) -> None:
    """Take away line numbers that were copied as a block before the code, or after it."""
    texts = [line.text for line in draft.lines]
    for start, end in numbered(texts):
        for i in range(start, end):
            if texts[i].strip():
                draft.note("numbers", draft.lines[i].origin)
        draft.keep(draft.lines[:start] + draft.lines[end:])
        return


def numbered(texts: list[str]) -> list[tuple[int, int]]:
    """Return from where to where lines are a block of line numbers, and nothing else: at most one block."""
    filled = [i for i, text in enumerate(texts) if text.strip() and text.removeprefix("# ") not in LABELS]
    if not filled:
        return []
    if ROW.match(texts[filled[0]]) and _counts([int(n) for n in texts[filled[0]].split()]):
        return [(filled[0], filled[0] + 1)]
    many = _leading(texts, filled)
    if 2 <= many < len(filled):
        return [(filled[0], filled[many])]
    many = _trailing(texts, filled)
    first = len(filled) - many
    if many >= 2 and first and many in (first, filled[first - 1] - filled[0] + 1):
        return [(filled[first], filled[-1] + 1)]
    return []


def _counts(numbers: list[int]) -> bool:
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _leading(texts: list[str], filled: list[int]) -> int:
    """Return how many lines at the beginning count up by one."""
    many, wanted = 0, None
    for i in filled:
        found = NUMBER.match(texts[i])
        if not found or (wanted is not None and int(found[1]) != wanted):
            break
        many, wanted = many + 1, int(found[1]) + 1
    return many


def _trailing(texts: list[str], filled: list[int]) -> int:
    """Return how many lines at the end count up to their number."""
    many, wanted = 0, None
    for i in reversed(filled):
        found = NUMBER.match(texts[i])
        if not found or (wanted is not None and int(found[1]) != wanted):
            break
        many, wanted = many + 1, int(found[1]) - 1
    return many if wanted == 0 else 0


def marks(draft: Draft) -> None:
    """Take away what quotes or lists put in front of every line."""
    filled = [i for i, line in enumerate(draft.lines) if line.text.strip()]
    for mark in (QUOTE, BULLET):
        if filled and all(mark.match(draft.lines[i].text) for i in filled):
            for i in filled:
                draft.put(i, mark.sub("", draft.lines[i].text), "marks")
