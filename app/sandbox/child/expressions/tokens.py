"""A formula as signs: numbers, names, operators, brackets, with the mathematician's spellings of them.

Cuts only; what does not belong into a formula makes it none. Never raises.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SIGNS = (
    dict.fromkeys("×·⋅∙∗＊", "*")
    | dict.fromkeys("÷∕／", "/")
    | dict.fromkeys("−–－", "-")
    | {
        "＋": "+",
        "＝": "=",
        "（": "(",
        "）": ")",
        "［": "[",
        "］": "]",
        "，": ",",
        "＾": "^",
        "｜": "|",
        "；": ";",
    }
)
GREEK = dict(
    zip("αβγδεζηθικμνξρςστυφϕχψωΓΔΘΛΞΠΣΦΨΩ",
        """alpha beta gamma delta epsilon zeta eta theta iota kappa mu nu xi rho sigma sigma tau upsilon phi
        phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega""".split(), strict=True)
) | {"λ": "lam", "π": "pi"}  # fmt: skip
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")

TOKEN = re.compile(
    r"""(?P<space>[ \t\u00a0\u2009\u202f\u3000]+|\#[^\n\r]*)
    |(?P<end>\r\n|\r|\n|;)
    |(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+(?![A-Za-z0-9_.]))?)
    |(?P<turned>\.T(?![A-Za-z0-9_]))
    |(?P<name>[A-Za-z][A-Za-z0-9_]*[₀-₉]*|[Ͱ-Ͽ](?:[0-9₀-₉]+|_[A-Za-z0-9]+)?)
    |(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
    |(?P<sign>\*\*|[-+*/@=()\[\],|^√])""",
    re.VERBOSE,
)
PYTHONS_OWN = re.compile(r"(?<![A-Za-z0-9_.])(?:0[xXoObB][0-9a-fA-F]|[0-9.]+[jJ](?![A-Za-z0-9_]))")
LONGEST = 1_000  # characters of a formula
MOST_NUMBERS = 24  # characters of one number


@dataclass(frozen=True, slots=True)
class Token:
    """One sign. `text` is how Python writes it; `start` and `end` are where it stands in the typed text."""

    kind: str
    text: str
    start: int
    end: int
    math: bool = False  # Python would not have understood it


def tokens(text: str) -> list[Token] | None:
    """Return a text's signs, without spaces and remarks, or None if it has any that no formula has."""
    if len(text) > LONGEST or PYTHONS_OWN.search(text):
        return None
    plain = "".join(SIGNS.get(char, char) for char in text)  # one for one: places stay
    found: list[Token] = []
    at = 0
    while at < len(plain):
        match = TOKEN.match(plain, at)
        if match is None:
            return None
        if match.lastgroup != "space":
            token = _token(match, text)
            if token is None:
                return None
            found.append(token)
        at = match.end()
    return found


def _token(match: re.Match[str], text: str) -> Token | None:
    kind, said, (start, end) = match.lastgroup, match[0], match.span()
    strange = text[start:end] != said
    match kind:
        case "name":
            strange = not said.isascii()
            said = said.translate(LOWERED)
            if not said.isascii():
                if said[0] not in GREEK:
                    return None
                said = GREEK[said[0]] + said[1:]
        case "number" if len(said) > MOST_NUMBERS:
            return None
        case "number" if said.strip("0.") and re.match(r"0[0-9]", said):
            return None  # 007 is no number of Python's
        case "raised":
            strange, said = True, "**" + said.translate(RAISED)
        case "sign" if said == "^":
            strange, said = True, "**"
        case "sign" if said == "√":
            strange = True
    return Token(kind, said, start, end, strange)
