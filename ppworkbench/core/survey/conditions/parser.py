"""Reading conditions such as ``sex = F and 18 <= age < 30 and district in {north, east}``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.survey.conditions.condition import (
    KEYWORDS,
    WORD,
    Comparison,
    Condition,
    Membership,
    Operator,
    Range,
    Test,
    is_number,
)

_OPERATORS = {"==": "=", "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">="}
_TOKEN = re.compile(
    r"\s*(?:(?P<single>'(?:[^']|'')*')|(?P<double>\"(?:[^\"]|\"\")*\")"
    r"|(?P<operator><=|>=|==|!=|<>|[<>=≤≥≠])|(?P<mark>[{}()\[\],∈])"
    r"|(?P<word>" + WORD.pattern + r"))"
)
_CLOSING = {"{": "}", "(": ")", "[": "]"}
_AND = frozenset({"and", "&", "&&", "∧"})
_IN, _NOT, _BETWEEN = frozenset({"in"}), frozenset({"not"}), frozenset({"between"})
_OR = frozenset({"or", "|", "||", "∨"})
_SIGNS, _IN_WORDS = "=, !=, <, <=, >, >=, 'in' or 'between'", "'in'"


def parse_condition(text: str) -> Condition:
    """Read a condition.

    Tests are joined by ``and``. One test is ``name = value``, ``!=``, ``<``, ``<=``, ``>``, ``>=``,
    ``low <= name < high``, ``name between low and high`` (both ends included),
    ``name in {value, ...}`` or ``name not in {...}``. Names and values that hold spaces, signs or
    one of these words stand in single or double quotes; a quote inside is written twice.

    >>> parse_condition("sex = F and 30 >= age")  # doctest: +NORMALIZE_WHITESPACE
    Condition(tests=(Comparison(attribute='sex', operator=<Operator.EQUAL: '='>, value='F'),
        Comparison(attribute='age', operator=<Operator.AT_MOST: '<='>, value='30')))
    >>> str(parse_condition('"Credits status" in ("none", repaid)'))
    "'Credits status' in {none, repaid}"
    """
    return _Reader(text).condition()


def as_condition(given: Condition | str) -> Condition:
    return parse_condition(given) if isinstance(given, str) else given


@dataclass(frozen=True)
class Token:
    """A piece of a text; the last one is of the kind ``end``."""

    kind: str
    text: str
    position: int

    def is_word(self, words: frozenset[str]) -> bool:
        """Whether it is one of these keywords."""
        return self.kind == "keyword" and self.text.lower() in words

    def __str__(self) -> str:
        return Message("the end") if self.kind == "end" else Message("{text!r}", text=self.text)


class TokenReader:
    """Takes tokens one after the other; it stays at the end."""

    def __init__(self, tokens: Iterable[Token]) -> None:
        self._tokens = tuple(tokens)
        self._next = 0

    @property
    def _here(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        token = self._here
        self._next += token.kind != "end"
        return token


def _tokens(text: str) -> list[Token]:
    tokens = []
    start, end = 0, len(text.rstrip())
    while start < end:
        match = _TOKEN.match(text, start)
        if match is None:
            start += len(text[start:]) - len(text[start:].lstrip())
            _refuse_sign(text, start)
        tokens.append(_token(match))
        start = match.end()
    return [*tokens, Token("end", "", end)]


def _refuse_sign(text: str, start: int) -> NoReturn:
    if text[start] in "'\"":
        what = Message(
            "the quote {text} is not closed; double a quote inside a text", text=text[start]
        )
    else:
        what = Message(
            "{text!r} cannot be read; put names and values with symbols in quotes",
            text=text[start],
        )
    raise _error(what, start)


def _token(match: re.Match[str]) -> Token:
    kind = match.lastgroup or ""
    text, position = match[kind], match.start(kind)
    if kind in ("single", "double"):
        return Token("quoted", text[1:-1].replace(text[0] * 2, text[0]), position)
    if kind == "operator":
        return Token("operator", _OPERATORS.get(text, text), position)
    if text == "∈":
        return Token("keyword", "in", position)
    if kind == "word" and text.lower() in KEYWORDS:
        return Token("keyword", text, position)
    return Token(kind, text, position)


def _error(what: str, position: int) -> ParameterError:
    sentence = Message(
        "The condition cannot be read at position {position}: {what}.",
        position=position + 1,
        what=what,
    )
    return ParameterError(sentence, field="condition")


def _in_quotes(expected: str) -> str:
    return Message("{expected} (put names and values with spaces in quotes)", expected=expected)


class _Reader(TokenReader):
    """Reads a condition."""

    def __init__(self, text: str) -> None:
        super().__init__(_tokens(text))

    def condition(self) -> Condition:
        if self._here.kind == "end":
            return Condition()
        tests = [self._test()]
        while self._here.kind != "end":
            self._join()
            tests.append(self._test())
        return Condition(tuple(tests))

    def _fail(self, expected: str) -> NoReturn:
        sentence = Message(
            "The condition cannot be read at position {position}: {expected}, found {here}.",
            position=self._here.position + 1,
            expected=expected,
            here=self._here,
        )
        raise ParameterError(sentence, field="condition")

    def _join(self) -> None:
        if self._here.is_word(_AND):
            self._take()
        elif self._here.is_word(_OR):
            raise _error(
                Message(
                    "conditions are joined by 'and' only; for one of several values "
                    "write 'name in {value, value}'"
                ),
                self._here.position,
            )
        elif self._here.kind in ("word", "quoted"):
            self._fail(_in_quotes(Message("expected 'and' or the end")))
        else:
            self._fail(Message("expected 'and' or the end"))

    def _test(self) -> Test:
        first = self._term(Message("expected the name of an attribute"))
        if self._here.kind == "operator":
            return self._comparison(first)
        if self._here.is_word(_BETWEEN):
            return self._between(first)
        negated = self._here.is_word(_NOT)
        if negated:
            self._take()
        if not self._here.is_word(_IN):
            expected = (
                Message("expected {in_words} after 'not'", in_words=_IN_WORDS)
                if negated
                else Message("expected {signs}", signs=_SIGNS)
            )
            is_word = self._here.kind in ("word", "quoted")
            self._fail(_in_quotes(expected) if is_word else expected)
        self._take()
        return Membership(first.text, self._values(), negated)

    def _term(self, expected: str) -> Token:
        if self._here.kind not in ("word", "quoted"):
            if self._here.kind == "keyword":
                self._fail(
                    Message(
                        "{expected} (put a name that is a keyword in quotes)",
                        expected=expected,
                    )
                )
            self._fail(expected)
        return self._take()

    def _comparison(self, first: Token) -> Test:
        operator = Operator(self._take().text)
        second = self._term(Message("expected a value"))
        if self._here.kind == "operator":
            return self._range(first, operator, second)
        is_mirrored = first.kind == "word" and is_number(first.text) and not is_number(second.text)
        if is_mirrored:
            return Comparison(second.text, operator.mirrored, first.text)
        return Comparison(first.text, operator, second.text)

    def _range(self, first: Token, operator: Operator, name: Token) -> Range:
        token = self._take()
        second = Operator(token.text)
        third = self._term(Message("expected a value"))
        rising = {Operator.BELOW, Operator.AT_MOST}
        falling = {Operator.ABOVE, Operator.AT_LEAST}
        if {operator, second} <= rising:
            ends = (first.text, third.text, operator, second)
        elif {operator, second} <= falling:
            ends = (third.text, first.text, second.mirrored, operator.mirrored)
        else:
            raise _error(
                Message(
                    "{operator} and {second} do not make a range; write 'low <= name < high'",
                    operator=operator,
                    second=second,
                ),
                token.position,
            )
        low, high, low_sign, high_sign = ends
        return Range(
            name.text, low, high, low_sign is Operator.AT_MOST, high_sign is Operator.AT_MOST
        )

    def _between(self, name: Token) -> Range:
        self._take()
        low = self._term(Message("expected the lowest value"))
        if not self._here.is_word(_AND):
            self._fail(Message("expected 'and' and the highest value"))
        self._take()
        high = self._term(Message("expected the highest value"))
        return Range(name.text, low.text, high.text, high_included=True)

    def _values(self) -> tuple[str, ...]:
        if self._here.text not in _CLOSING or self._here.kind != "mark":
            self._fail(Message("expected a list of values such as {north, east}"))
        closing = _CLOSING[self._take().text]
        values = [self._term(Message("expected a value")).text]
        while self._here.kind == "mark" and self._here.text == ",":
            self._take()
            values.append(self._term(Message("expected a value")).text)
        if self._here.kind != "mark" or self._here.text != closing:
            self._fail(Message("expected ',' or {closing!r}", closing=closing))
        self._take()
        return tuple(values)
