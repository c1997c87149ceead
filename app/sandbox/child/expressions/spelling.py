"""A formula's signs as Python: products that nobody wrote, powers, bars and roots; only where it is certain.

What is ambiguous is written down as trouble; what is no formula is None. Never raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from app.sandbox.child.expressions.functions import CONSTANTS, FUNCTIONS, known
from app.sandbox.child.expressions.tokens import Token

OPERATORS = frozenset({"+", "-", "*", "/", "@", "**"})
CLOSING = {"(": ")", "[": "]", "|": "|"}
DEEPEST = 40
MOST_LETTERS = 3  # of a product such as `2xyz`; longer ones are words


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a formula has no program: the kind, what it is about, a better word if there is one, the place."""

    kind: str
    about: str
    start: int
    end: int
    better: str = ""


@dataclass(slots=True)
class Statement:
    """One line of a formula: its name, if it gives one, and its value in Python's spelling."""

    target: str | None
    text: str
    start: int
    end: int
    calls: list[tuple[str, Token]]
    names: list[str]
    math: bool  # Python would have read it otherwise, or not at all


@dataclass(slots=True)
class _Open:
    """A bracket that is open: what closes it, what is written then, whether it holds arguments."""

    sign: str
    after: str = ""
    lists: bool = False
    quotient: bool = False  # the last operator in it was a division


@dataclass(slots=True)
class _Spelling:
    tokens: list[Token]
    variables: frozenset[str]
    out: list[str] = field(default_factory=list)
    open: list[_Open] = field(default_factory=lambda: [_Open("")])
    calls: list[tuple[str, Token]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    math: bool = False
    at: int = 0

    def peek(self, ahead: int = 0) -> Token:
        """Return a sign that is to come."""
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else Token("none", "", 0, 0)

    def spell(self) -> bool:
        """Read all signs; False if they are no formula."""
        wants_operand = True
        while self.at < len(self.tokens):
            step = self._operand() if wants_operand else self._operator()
            if step is None or len(self.open) > DEEPEST:
                return False
            wants_operand = step
        return not wants_operand and len(self.open) == 1

    def _take(self, text: str | None = None) -> None:
        token = self.peek()
        self.math |= token.math
        self.out.append(self._gap() + (token.text if text is None else text))
        self.at += 1

    def _gap(self) -> str:
        """Return a space where the text has one between this sign and the one before."""
        before = self.peek(-1) if self.at else None
        unspaced = self.out[-1:] == ["*"]  # a product that is written without a sign
        return " " if before and self.peek().start > before.end and not unspaced else ""

    # ----- where a value begins -----
    def _operand(self) -> bool | None:
        """Take a sign where a value begins; say whether a value still has to come."""
        token = self.peek()
        match token.kind, token.text:
            case "number", _:
                self._take()
                return False
            case "name", _:
                return self._name(token)
            case "sign", "+" | "-":
                self._take()
                return True
            case "sign", "|" if self._is_double_bar(token) and self._is_closed_later():
                self.calls.append(("norm", token))
                self.math = True
                self._take("norm(")
                self.at += 1
                self.open.append(_Open("||"))
                return True
            case "sign", "(" | "|":
                self.math |= token.text == "|"
                if token.text == "|":
                    self.calls.append(("abs", token))
                self._take("abs(" if token.text == "|" else None)
                self.open.append(_Open(token.text))
                return True
            case "sign", "√":
                return self._unbracketed("sqrt", token)
        return None

    def _is_double_bar(self, token: Token) -> bool:
        return token.text == self.peek(1).text == "|" and token.end == self.peek(1).start

    def _is_closed_later(self) -> bool:
        """Return whether another double bar follows the two that are next."""
        rest = self.tokens[self.at + 2 :]
        return any(
            one.text == two.text == "|" and one.end == two.start
            for one, two in zip(rest, rest[1:], strict=False)
        )

    def _name(self, token: Token) -> bool | None:
        function, follows = known(token.text), self.peek(1)
        if token.text == "sigma" and token.math and follows.text == "(":
            function = "sigmoid"
        if follows.text == "(" and not (function is None and self._is_factor(token)):
            self.calls.append((token.text if function is None else function, token))
            self._take(function)
            self._take()
            self.open.append(_Open("(", lists=True))
            return True
        if function is None or token.text in self.variables:
            self.names.append(token.text)
            self._take()
            return False
        if power := self._power_of_function(follows):
            exponent, signs = power
            self.calls.append((function, token))
            self.math = True
            self._take(function)
            self.at += signs
            self._take()
            self.open.append(_Open("(", after=exponent, lists=True))
            return True
        return self._unbracketed(function, token)

    def _power_of_function(self, follows: Token) -> tuple[str, int] | None:
        """Return the power in `sin²(x)` or `sin^2(x)` and its signs, if there is one."""
        if follows.kind == "raised" and self.peek(2).text == "(" and "-" not in follows.text:
            return follows.text, 1
        whole = self.peek(2).kind == "number" and self.peek(2).text.isdigit()
        return (
            ("**" + self.peek(2).text, 2)
            if follows.text == "**" and whole and self.peek(3).text == "("
            else None
        )

    def _is_factor(self, token: Token) -> bool:
        """Return whether `x(...)` is a product: x is known as a number elsewhere."""
        return len(token.text) == 1 and token.text in self.variables

    def _unbracketed(self, function: str, token: Token) -> bool | None:
        """Take a function whose argument is one sign or a bracket: `√x`, `√(x + 1)`, `sin x`."""
        argument = self.peek(1)
        self.calls.append((function, token))
        self.math = True
        if argument.text == "(":
            self._take(function)
            self._take()
            self.open.append(_Open("(", lists=True))
            return True
        if argument.kind not in ("number", "name") or known(argument.text):
            return None
        beyond = self.peek(2)
        if beyond.kind in ("number", "name", "raised", "turned") or beyond.text in ("(", "[", "**", "√"):
            end = beyond.end
            self.troubles.append(Trouble("unclear", "", token.start, end, f"{function}(…)"))
        self._take(function + "(")
        if argument.kind == "name":
            self.names.append(argument.text)
        self.out.append(argument.text + ")")
        self.at += 1
        return False

    # ----- after a value -----
    def _operator(self) -> bool | None:
        """Take a sign after a value; say whether a value has to come now."""
        token, top = self.peek(), self.open[-1]
        text = token.text
        if token.kind == "raised":
            self._take()
            return False
        if token.kind == "turned":
            self._take()
            return False
        if text in OPERATORS:
            if text in ("+", "-", "*", "/", "@"):
                top.quotient = text == "/"
            self._take()
            return True
        if text == "," and top.lists:
            top.quotient = False
            self._take()
            return True
        if top.sign == "||" and text == "|":
            if not self._is_double_bar(token):
                return None
            self._take(")")
            self.at += 1
            self.open.pop()
            return False
        if len(self.open) > 1 and text == CLOSING.get(top.sign):
            self._take((")" if text == "|" else text) + top.after)
            self.open.pop()
            return False
        before = self.peek(-1)
        if text == "[" and before.text != "|" and before.kind in ("name", "turned", "sign"):
            self._take()
            self.open.append(_Open("[", lists=True))
            return True
        return self._product(before, token)

    def _product(self, before: Token, token: Token) -> bool | None:
        """Write the `*` of a product that has none, if it is certain that there is one."""
        if not self._is_product(before, token):
            return None
        if self.open[-1].quotient:
            self.troubles.append(Trouble("quotient", "", before.start, token.end))
        self.math = True
        self.out.append("*")
        return self._operand()

    def _is_product(self, before: Token, token: Token) -> bool:
        touching = before.end == token.start
        short = len(token.text) == 1 or bool(known(token.text)) or token.text in CONSTANTS or token.math
        if token.kind == "name" and not (touching or short):
            return False
        if token.kind not in ("name", "sign") or (token.kind == "sign" and token.text not in "(|√"):
            return False
        if before.kind in ("number", "raised", "turned") or before.text in (")", "|"):
            return True
        if before.kind == "name":
            brief = len(before.text.rstrip("0123456789")) == 1 or before.math or before.text in CONSTANTS
            if token.text == "(":
                return self._is_factor(before) or before.text in CONSTANTS
            lone = len(token.text.rstrip("0123456789")) == 1 or bool(known(token.text)) or token.math
            return brief and token.kind == "name" and (lone or token.text in CONSTANTS)
        return False


def lines(tokens: Iterable[Token]) -> list[list[Token]]:
    """Return the signs of each statement; inside brackets a line goes on."""
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if token.kind != "end":
            found[-1].append(token)
        elif depth <= 0 or token.text == ";":
            found.append([])
    return [line for line in found if line]


def spelled(tokens: list[Token]) -> tuple[list[Statement], list[Trouble]] | None:
    """Return a formula's statements in Python's spelling and what is unclear in them, or None."""
    tokens = list(_single(tokens))
    variables = _variables(tokens)
    statements, troubles = [], []
    for line in lines(tokens):
        target, value, math = _split(line)
        if not value:
            return None
        if numbers := _listed(value):
            statements.append(Statement(target, numbers, value[0].start, value[-1].end, [], [], False))
            continue
        spelling = _Spelling(value, variables)
        if not spelling.spell():
            return None
        text = "".join(spelling.out).strip()
        told = Statement(
            target, text, value[0].start, value[-1].end, spelling.calls, spelling.names, math or spelling.math
        )
        statements.append(told)
        troubles += spelling.troubles
    return statements, troubles


def _split(line: list[Token]) -> tuple[str | None, list[Token], bool]:
    """Return the name that a statement gives, its value, and whether it is written as `f(x) = ...`."""
    if len(line) > 2 and line[0].kind == "name" and line[1].text == "=":
        return line[0].text, line[2:], False
    equals = next((i for i, token in enumerate(line) if token.text == "="), 0)
    head = line[:equals]
    if len(head) >= 4 and head[0].kind == "name" and head[1].text == "(" and head[-1].text == ")":
        inside = head[2:-1]
        if all(t.kind == "name" for t in inside[::2]) and all(t.text == "," for t in inside[1::2]):
            return head[0].text, line[equals + 1 :], True
    return None, line, False


def _listed(value: list[Token]) -> str:
    """Return `[1, 2]` or `[[1], [2]]` as Python writes it, or nothing."""
    if value[0].text != "[" or any(t.kind != "number" and t.text not in ("[", "]", ",", "-") for t in value):
        return ""
    return "".join(", " if token.text == "," else token.text for token in value)


def _single(tokens: list[Token]) -> Iterator[Token]:
    """Yield the signs with `2xy` taken apart: letters after a number, or letters that all stand alone too."""
    alone = {token.text for token in tokens if token.kind == "name" and len(token.text) == 1}
    named = {token.text for token, follows in zip(tokens, tokens[1:], strict=False) if follows.text == "="}
    befores = [Token("none", "", -1, -1), *tokens]
    counts = [b.kind == "number" and b.end == t.start for b, t in zip(befores, tokens, strict=False)]
    words = {token.text for token, is_counted in zip(tokens, counts, strict=True) if not is_counted}
    for i, token in enumerate(tokens):
        counted = counts[i] and len(token.text) <= MOST_LETTERS and token.text not in words
        called = i + 1 < len(tokens) and tokens[i + 1].text == "("
        is_word = known(token.text) or token.text in CONSTANTS or token.text in named or called
        if token.kind != "name" or not token.text.isalpha() or len(token.text) == 1 or token.math or is_word:
            yield token
        elif counted or set(token.text) <= alone:
            for k, letter in enumerate(token.text):
                yield Token("name", letter, token.start + k, token.start + k + 1, True)
        else:
            yield token


def _variables(tokens: list[Token]) -> frozenset[str]:
    """Return the names that a text uses as numbers: bound by it, or somewhere without a bracket after."""
    found = set()
    for token, follows in zip(tokens, [*tokens[1:], Token("none", "", 0, 0)], strict=True):
        if token.kind == "name" and follows.text != "(":
            bound = follows.text == "="
            if bound or token.text not in FUNCTIONS and known(token.text) is None:
                found.add(token.text)
    return frozenset(found)
