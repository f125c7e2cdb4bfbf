"""Conditions on answers: tests of one attribute each, joined by "and".

A condition is what somebody wrote, word for word; its regions say what it means for the attributes
of a design: :mod:`ppworkbench.core.survey.conditions.regions`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from ppworkbench.core.errors import ParameterError

WORD = re.compile(r"""[^\s'"<>=!≤≥≠∈{}()\[\],]+""")
"""A name or value that needs no quotes."""

KEYWORDS = frozenset({"and", "&", "&&", "∧", "in", "not", "between", "or", "|", "||", "∨"})
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class Operator(StrEnum):
    """How an answer is compared with a value."""

    EQUAL = "="
    UNEQUAL = "!="
    BELOW = "<"
    AT_MOST = "<="
    ABOVE = ">"
    AT_LEAST = ">="

    @property
    def mirrored(self) -> Operator:
        """The operator when the two sides are exchanged."""
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
    """Whether a text is a plain decimal number."""
    return NUMBER.fullmatch(text) is not None


def _name(text: str) -> str:
    # A bare number on the left of a comparison is taken for its value.
    return _quoted(text) if is_number(text) else _value(text)


def _value(text: str) -> str:
    bare = WORD.fullmatch(text) and text.lower() not in KEYWORDS
    return text if bare else _quoted(text)


def _quoted(text: str) -> str:
    """The text in quotes; a quote inside is written twice."""
    mark = '"' if "'" in text and '"' not in text else "'"
    return f"{mark}{text.replace(mark, mark * 2)}{mark}"
