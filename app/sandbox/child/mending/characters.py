"""Signs that only look like Python's: full-width punctuation, curly quotes, spaces nobody sees.

In strings and comments all of them are as good as any other and stay.
"""

from __future__ import annotations

import re

from app.sandbox.child.mending import scan
from app.sandbox.child.mending.draft import Draft, Line

WIDE = str.maketrans(
    dict(
        zip(
            "，（）：；［］【】｛｝＝＋－＊／＜＞！％＆｜＾～＠．。、",
            ",():;[][]{}=+-*/<>!%&|^~@..,",
            strict=True,
        )
    )
    | dict(zip("０１２３４５６７８９", "0123456789", strict=True))
    | {"−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "×": "*", "∗": "*", "÷": "/", "…": "..."}
    | {"≤": "<=", "≥": ">=", "≠": "!=", "＃": "#"}
)
SPACES = str.maketrans(
    dict.fromkeys("\xa0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))), " ")
)
NOTHING = str.maketrans(
    dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\xad\u200e\u200f\u202a\u202b\u202c\u202d\u202e")
)
BREAKS = str.maketrans(dict.fromkeys("\u2028\u2029\x85", "\n"))
KINDS = ((WIDE, "fullwidth"), (SPACES, "spaces"), (NOTHING, "spaces"), (BREAKS, "spaces"))
FIELD = re.compile(r"\{[^{}'\"]+\}")


def characters(draft: Draft) -> None:
    """Write Python's own signs where a text has their look-alikes in its code."""
    text = draft.text()
    pieces = [piece for stretch in scan.stretches(text) for piece in _mended(text, stretch)]
    lines: list[Line] = []
    at, current = 0, ""
    for piece, kind in pieces:
        for i, part in enumerate(piece.split("\n")):
            if i:
                lines.append(Line(current, draft.lines[at].origin))
                at, current = at + (kind != "break"), ""
            current += part
        if kind:
            draft.note("spaces" if kind == "break" else kind, draft.lines[at].origin)
    lines.append(Line(current, draft.lines[at].origin))
    draft.keep(lines)


def _mended(text: str, stretch: scan.Stretch) -> list[tuple[str, str]]:
    """Return a stretch in pieces, each with the kind of mend it took (or none)."""
    piece = text[stretch.start : stretch.end]
    match stretch.kind:
        case scan.CODE:
            return _code(piece)
        case scan.COMMENT:
            return [("#", "fullwidth"), (piece[1:], "")] if piece[0] == "＃" else [(piece, "")]
    return _string(piece, stretch)


def _code(piece: str) -> list[tuple[str, str]]:
    """Return code with each look-alike replaced, in pieces."""
    if piece.isascii():
        return [(piece, "")]
    found: list[tuple[str, str]] = []
    for char in piece:
        for table, kind in KINDS:
            if ord(char) in table:
                plain = char.translate(table)
                found.append((plain, "break" if plain == "\n" else kind))
                break
        else:
            found.append((char, ""))
    return found


def _string(piece: str, stretch: scan.Stretch) -> list[tuple[str, str]]:
    """Return a string with straight quotes; the fields of an f-string are code."""
    opening, closing = stretch.opening, stretch.closing
    body = piece[len(opening) : len(piece) - len(closing)]
    if stretch.formatted:
        changed = FIELD.sub(lambda field: field[0].translate(WIDE).translate(SPACES), body)
        middle = (changed, "fullwidth" if changed != body else "")
    else:
        middle = (body, "")
    straight = "'" if opening in scan.SINGLE else '"' if opening in scan.DOUBLE else opening
    ending = straight if closing else ""
    return [
        (straight, "quotes" if straight != opening else ""),
        middle,
        (ending, "quotes" if ending != closing else ""),
    ]
