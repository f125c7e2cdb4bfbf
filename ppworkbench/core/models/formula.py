"""Formulas such as ``drug=yes ~ sex + age + sex:age``, read without evaluating anything.

A formula may come in a study from a stranger, so nothing in it is ever run: the only functions are
``log``, ``center`` and ``scale``, and powers are whole numbers.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.survey.conditions.condition import Token, TokenReader

LOG, CENTER, SCALE = "log", "center", "scale"
FUNCTIONS = (LOG, CENTER, SCALE)
HIGHEST_POWER = 6
MOST_TERMS = 200

_NAME = r"[^\W\d][\w.]*"
_TOKEN = re.compile(
    r"\s*(?:`(?P<quoted>[^`]+)`|(?P<single>'(?:[^']|'')*')|(?P<double>\"(?:[^\"]|\"\")*\")"
    rf"|(?P<word>{_NAME})|(?P<number>\d+(?:\.\d+)?)|(?P<sign>[~+:*^()\[\]=-]))"
)
_BARE = re.compile(_NAME)


@dataclass(frozen=True)
class Variable:
    """One attribute in a term.

    Parameters
    ----------
    function
        What is done to a number: ``log``, ``center``, ``scale``, or nothing.
    power
        To which power the result is raised.
    reference
        The value that the others are compared with; the first one if empty.
    """

    name: str
    function: str = ""
    power: int = 1
    reference: str = ""

    @property
    def label(self) -> str:
        """The variable without its reference, as it is written in a table of coefficients."""
        text = self.name if _BARE.fullmatch(self.name) else f"`{self.name}`"
        text = f"{self.function}({text})" if self.function else text
        return text if self.power == 1 else f"{text}^{self.power}"

    def __str__(self) -> str:
        if not self.reference:
            return self.label
        value = self.reference
        plain = _BARE.fullmatch(value)
        quoted = value if plain else "'" + value.replace("'", "''") + "'"
        return f"{self.label}[ref={quoted}]"


@dataclass(frozen=True)
class Term:
    """A product of variables; without any it is the intercept."""

    variables: tuple[Variable, ...] = ()

    @property
    def labels(self) -> frozenset[str]:
        """What it is a product of, whatever the order and the references."""
        return frozenset(one.label for one in self.variables)

    @property
    def label(self) -> str:
        return ":".join(one.label for one in self.variables)

    def __str__(self) -> str:
        return ":".join(map(str, self.variables))


@dataclass(frozen=True)
class Formula:
    """What is explained, and by what.

    ``value`` is the answer whose share is explained; empty where the attribute is taken whole.

    >>> formula = parse_formula("drug = yes ~ sex*age + center(income)^2 + `house type`[ref=flat]")
    >>> [str(term) for term in formula.terms]
    ['sex', 'age', 'center(income)^2', '`house type`[ref=flat]', 'sex:age']
    >>> str(formula)
    'drug=yes ~ sex + age + center(income)^2 + `house type`[ref=flat] + sex:age'
    """

    outcome: str
    value: str
    terms: tuple[Term, ...]
    intercept: bool = True

    @property
    def predictors(self) -> tuple[str, ...]:
        """The attributes on the right, each once, in their order."""
        every = (one.name for term in self.terms for one in term.variables)
        return tuple(dict.fromkeys(every))

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.outcome, *self.predictors)))

    def __str__(self) -> str:
        left = str(Variable(self.outcome))
        if self.value:
            plain = _BARE.fullmatch(self.value)
            left += "=" + (self.value if plain else "'" + self.value.replace("'", "''") + "'")
        right = [] if self.intercept else ["0"]
        right += map(str, self.terms)
        return f"{left} ~ {' + '.join(right) or '1'}"


def parse_formula(text: str) -> Formula:
    """Read a formula; an error names the position of what cannot be read."""
    return _Reader(text).formula()


def _tokens(text: str) -> Iterator[Token]:
    start, end = 0, len(text.rstrip())
    while start < end:
        match = _TOKEN.match(text, start)
        if match is None:
            start += len(text[start:]) - len(text[start:].lstrip())
            _fail(
                start,
                Message(
                    "{sign!r} has no meaning here; put names with spaces or signs in backticks",
                    sign=text[start],
                ),
            )
        kind = match.lastgroup or ""
        found, position = match[kind], match.start(kind)
        if kind in ("single", "double"):
            yield Token("value", found[1:-1].replace(found[0] * 2, found[0]), position)
        else:
            yield Token("name" if kind == "quoted" else kind, found, position)
        start = match.end()
    yield Token("end", "", end)


def _fail(position: int, what: str) -> NoReturn:
    raise ParameterError.saying(
        "The formula cannot be read at position {position}: {what}.",
        position=position + 1,
        what=what,
        field="formula",
    )


class _Reader(TokenReader):
    def __init__(self, text: str) -> None:
        super().__init__(_tokens(text))

    def formula(self) -> Formula:
        outcome = self._name(Message("expected the attribute that is explained"))
        value = self._value() if self._skip("=") else ""
        if not self._skip("~"):
            _fail(self._here.position, Message("expected '~' and what explains it"))
        terms, intercept = self._sum()
        if self._here.kind != "end":
            _fail(
                self._here.position,
                Message("expected '+', ':' or '*', found {found!r}", found=self._here.text),
            )
        for term in terms:
            if any(one.name == outcome for one in term.variables):
                raise ParameterError.saying(
                    "{attribute!r} cannot explain itself; take it away on the right.",
                    attribute=outcome,
                    field="formula",
                )
        return Formula(outcome, value, terms, intercept)

    def _skip(self, sign: str) -> bool:
        if self._here.kind == "sign" and self._here.text == sign:
            self._take()
            return True
        return False

    def _sum(self) -> tuple[tuple[Term, ...], bool]:
        """Terms in the order of their degree, as tables of coefficients have them."""
        found: dict[frozenset[str], Term] = {}
        intercept = True
        minus = self._skip("-")
        while True:
            if self._here.kind == "number":
                token = self._take()
                if token.text not in ("0", "1"):
                    _fail(token.position, Message("only 0 and 1 may stand alone"))
                intercept = (token.text == "1") != minus
            elif minus:
                _fail(self._here.position, Message("only '- 1' can be taken away"))
            else:
                for term in self._product():
                    found.setdefault(term.labels, term)
            if self._skip("+"):
                minus = False
            elif self._skip("-"):
                minus = True
            else:
                break
        if len(found) > MOST_TERMS:
            _fail(self._here.position, Message("more than {most} terms", most=MOST_TERMS))
        if not found and not intercept:
            _fail(self._here.position, Message("nothing is left that could explain it"))
        # A variable has one reference, wherever it was given.
        references = {
            one.name: one.reference
            for term in found.values()
            for one in term.variables
            if one.reference
        }
        terms = (
            Term(
                tuple(
                    Variable(one.name, one.function, one.power, references.get(one.name, ""))
                    for one in term.variables
                )
            )
            for term in found.values()
        )
        return tuple(sorted(terms, key=lambda term: len(term.variables))), intercept

    def _product(self) -> list[Term]:
        """``a*b*c``: all products of what stands between the stars."""
        parts = [self._interaction()]
        while self._skip("*"):
            parts.append(self._interaction())
        if len(parts) > 6:
            _fail(self._here.position, Message("more than six variables in one product"))
        terms = []
        for size in range(1, len(parts) + 1):
            for chosen in itertools.combinations(parts, size):
                every = [one for term in chosen for one in term.variables]
                unique = {one.label: one for one in every}
                terms.append(Term(tuple(unique.values())))
        return terms

    def _interaction(self) -> Term:
        variables = [self._variable()]
        while self._skip(":"):
            variables.append(self._variable())
        return Term(tuple({one.label: one for one in variables}.values()))

    def _variable(self) -> Variable:
        start = self._here.position
        name = self._name(Message("expected an attribute"))
        function = ""
        if self._skip("("):
            if name not in FUNCTIONS:
                _fail(
                    start,
                    Message(
                        "{name!r} is no known function; known are {known}",
                        name=name,
                        known=", ".join(FUNCTIONS),
                    ),
                )
            function, name = name, self._name(Message("expected an attribute"))
            self._expect(")")
        reference = ""
        if self._skip("["):
            word = self._name(Message("expected 'ref'"))
            if word != "ref":
                _fail(self._here.position, Message("expected 'ref', as in district[ref=north]"))
            self._expect("=")
            reference = self._value()
            self._expect("]")
        power = 1
        if self._skip("^"):
            token = self._take()
            if token.kind != "number" or not token.text.isdigit():
                _fail(token.position, Message("expected a whole number after '^'"))
            power = int(token.text)
            if not 1 <= power <= HIGHEST_POWER:
                _fail(
                    token.position,
                    Message("the power must be 1 to {most}", most=HIGHEST_POWER),
                )
        return Variable(name, function, power, reference)

    def _name(self, expected: str) -> str:
        if self._here.kind not in ("word", "name"):
            _fail(self._here.position, expected)
        return self._take().text

    def _value(self) -> str:
        if self._here.kind not in ("word", "name", "number", "value"):
            _fail(self._here.position, Message("expected a value"))
        return self._take().text

    def _expect(self, sign: str) -> None:
        if not self._skip(sign):
            _fail(self._here.position, Message("expected {sign!r}", sign=sign))
