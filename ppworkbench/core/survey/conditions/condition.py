"""Conditions on answers: tests of one attribute each, joined by "and".

A condition is what somebody wrote, word for word; its regions say what it means for the attributes
of a design: :mod:`ppworkbench.core.survey.conditions.regions`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NoReturn

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message

WORD = re.compile(r"""[^\s'"<>=!≤≥≠∈{}()\[\],]+""")
"""A name or value that needs no quotes."""

KEYWORDS = frozenset({"and", "&", "&&", "∧", "in", "not", "between", "or", "|", "||", "∨"})
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class Operator(StrEnum):
    EQUAL = "="
    UNEQUAL = "!="
    BELOW = "<"
    AT_MOST = "<="
    ABOVE = ">"
    AT_LEAST = ">="

    @property
    def mirrored(self) -> Operator:
        return Operator(self.translate(str.maketrans("<>", "><")))

    @property
    def compares_order(self) -> bool:
        """Whether it asks which of two comes first."""
        return self not in (Operator.EQUAL, Operator.UNEQUAL)


@dataclass(frozen=True)
class Comparison:
    """``attribute operator value``."""

    attribute: str
    operator: Operator
    value: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "operator", Operator(self.operator))

    def __str__(self) -> str:
        return f"{_name(self.attribute)} {self.operator} {_value(self.value)}"


@dataclass(frozen=True)
class Membership:
    """``attribute in {values}``, or ``not in``."""

    attribute: str
    values: tuple[str, ...]
    negated: bool = False

    def __post_init__(self) -> None:
        if not self.values:
            raise ParameterError.saying(
                "The list of values of {attribute!r} is empty; name at least one.",
                attribute=self.attribute,
                field="condition",
            )

    def __str__(self) -> str:
        word = "not in" if self.negated else "in"
        return f"{_name(self.attribute)} {word} {{{', '.join(map(_value, self.values))}}}"


@dataclass(frozen=True)
class Range:
    """``low <= attribute < high``; each end may belong to the range or not."""

    attribute: str
    low: str
    high: str
    low_included: bool = True
    high_included: bool = False

    def __str__(self) -> str:
        first = "<=" if self.low_included else "<"
        second = "<=" if self.high_included else "<"
        return f"{_value(self.low)} {first} {_name(self.attribute)} {second} {_value(self.high)}"


Test = Comparison | Membership | Range


@dataclass(frozen=True)
class Condition:
    """All of its tests hold; a condition without tests holds for everybody.

    >>> str(Condition((Comparison("sex", "=", "F"), Membership("district", ("Old Town", "East")))))
    "sex = F and district in {'Old Town', East}"
    """

    tests: tuple[Test, ...] = ()

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that are tested, each once, in the order of the tests."""
        return tuple(dict.fromkeys(test.attribute for test in self.tests))

    def titled(self, shown: Callable[[str], str]) -> Condition:
        """The condition with what ``shown`` calls the attributes: to be read, not to be parsed."""
        return Condition(
            tuple(replace(test, attribute=shown(test.attribute)) for test in self.tests)
        )

    def __str__(self) -> str:
        """The condition as it can be typed; empty when it holds for everybody."""
        return " and ".join(map(str, self.tests))


EVERYBODY = Condition()


def is_number(text: str) -> bool:
    return NUMBER.fullmatch(text) is not None


def _name(text: str) -> str:
    # A bare number on the left of a comparison is taken for its value.
    return _quoted(text) if is_number(text) else _value(text)


def _value(text: str) -> str:
    bare = WORD.fullmatch(text) and text.lower() not in KEYWORDS
    return text if bare else _quoted(text)


def _quoted(text: str) -> str:
    mark = '"' if "'" in text and '"' not in text else "'"
    return f"{mark}{text.replace(mark, mark * 2)}{mark}"


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
