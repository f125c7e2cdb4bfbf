"""What is known about one column: its kind, its possible answers, its labels."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from enum import StrEnum
from typing import Self

from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message

Code = float | str
"""What a labelled format stores in a cell: a number or a short text."""

MISSING_VALUE = "missing"
"""The value that stands for a missing answer when the policy is to keep it as a value."""

LONGEST_TITLE = 40
"""Longer labels are sentences, which no list and no axis has room for."""


class Kind(StrEnum):
    """The kinds of attributes: five of questions, and one of reports that name several values."""

    BINARY = "binary"
    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTEGER = "integer"
    CONTINUOUS = "continuous"
    SET = "set"

    @property
    def is_categorical(self) -> bool:
        return self in (Kind.BINARY, Kind.NOMINAL, Kind.ORDINAL)

    @property
    def is_numeric(self) -> bool:
        return self in (Kind.INTEGER, Kind.CONTINUOUS)


QUESTION_KINDS = tuple(kind for kind in Kind if kind is not Kind.SET)
"""The kinds that a true answer can have; a set is only ever reported."""


class MissingPolicy(StrEnum):
    """What happens to missing answers before an analysis."""

    LEAVE = "leave"
    IMPUTE = "impute"
    DROP = "drop"
    VALUE = "value"


NAMING = frozenset({"names", "record-number"})
"""Codes of the reasons for a kind where each answer may stand for one person."""

FROM_DATA, PUBLIC = "data", "public"
"""Where a domain comes from: the answers, or what a person says about the question."""
REFUSE, CLIP = "refuse", "clip"
"""What becomes of numbers outside of the domain when answers are distorted."""
_ROUNDING = 1e-9
"""Part of a domain's width that is a rounding error."""

_NO_DOMAIN = {
    Kind.BINARY: Message("a binary attribute has values, not a domain"),
    Kind.NOMINAL: Message("a nominal attribute has values, not a domain"),
    Kind.ORDINAL: Message("an ordinal attribute has values, not a domain"),
    Kind.SET: Message("an attribute of sets has values, not a domain"),
}
_LARGEST = 1e100
"""Variances square a number and tests square those; the largest double is about 1e308."""
_NO_VALUES = {
    Kind.INTEGER: Message("integer attributes have a domain, not values"),
    Kind.CONTINUOUS: Message("continuous attributes have a domain, not values"),
}


@dataclass(frozen=True)
class MissingCode:
    """A code that a file declares to mean "no answer", with its label if it has one."""

    code: Code
    label: str = ""


@dataclass(frozen=True)
class Attribute:
    """One column of a table.

    Parameters
    ----------
    values
        The possible answers of a binary, nominal or ordinal attribute as people read them,
        in order; those that a set can name.
    domain
        The lowest and highest possible number of an integer or continuous attribute.
    label
        The question as it was asked.
    title
        A short name for people ("Rode without a ticket"); the name is that of the column.
    unit
        What a number counts ("euros", "years"); empty for a number without one.
    codes
        What a labelled format stores for each of the values; empty when a value stands for
        itself.
    number_labels
        Labels of single numbers of a numeric attribute (``98`` "98 or older").
    missing_codes, missing_ranges
        What the file declares as missing. Every declared or met code of a range is also listed
        as a code, so that each cell can tell which one it held.
    measure
        Measure level of the file: ``nominal``, ``ordinal``, ``scale`` or empty.
    missing
        The policy for missing answers.
    reason
        Why the kind was guessed; empty when a person or a design set it.
    sensitive
        The values that may harm a respondent, as a person marked them; never guessed.
    set_size
        How many values each set names; None where that differs, and where there are no sets.
    domain_source
        ``data`` where the domain or the list of values was read off the answers, which it then
        tells something about; ``public`` where a person typed, picked or confirmed it.
    outside
        Whether numbers outside of the domain are refused or take the nearest end: ``refuse`` or
        ``clip``.
    """

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    domain: tuple[float, float] | None = None
    label: str = ""
    codes: tuple[Code, ...] = ()
    number_labels: tuple[tuple[float, str], ...] = ()
    missing_codes: tuple[MissingCode, ...] = ()
    missing_ranges: tuple[tuple[float, float], ...] = ()
    measure: str = ""
    missing: MissingPolicy = MissingPolicy.LEAVE
    reason: str = ""
    sensitive: tuple[str, ...] = ()
    title: str = ""
    unit: str = ""
    set_size: int | None = None
    domain_source: str = PUBLIC
    outside: str = REFUSE

    @property
    def may_name_people(self) -> bool:
        """Whether the answers looked like identifiers, names or free text when they were read.

        A kind that a person or a codebook set is not doubted.
        """
        return Message.of(self.reason).code in NAMING

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", Kind(self.kind))
        if self.kind.is_numeric:
            self._check_domain()
        else:
            self._check_values()
            # Values have no ends to lie beyond.
            object.__setattr__(self, "outside", REFUSE)
        self._check_sensitive()

    @property
    def shown(self) -> str:
        """What people read where there is room for a few words; the column's name if need be.

        >>> Attribute("v17", Kind.INTEGER, domain=(0, 120), label="Age in years").shown
        'Age in years'
        >>> Attribute("age", Kind.INTEGER, domain=(0, 120), label="How old are you?").shown
        'age'
        """
        if self.title:
            return self.title
        label = " ".join(self.label.split())
        is_title = 0 < len(label) <= LONGEST_TITLE and not label.endswith("?")
        return label if is_title else self.name

    @property
    def heading(self) -> str:
        """What people read over all that belongs to the attribute, with its column as a caption.

        >>> Attribute("v17", Kind.INTEGER, domain=(0, 120), title="Age").heading
        'Age (v17)'
        """
        return self.name if self.shown == self.name else f"{self.shown} ({self.name})"

    @property
    def k(self) -> int:
        """The number of possible values; 0 for a numeric attribute."""
        return len(self.values)

    @property
    def width(self) -> float:
        """The width of the domain; 0 for a categorical attribute."""
        return 0.0 if self.domain is None else self.domain[1] - self.domain[0]

    def with_(self, **changes: object) -> Self:
        """The same attribute with some fields changed; marks of values that go away go, too."""
        if "sensitive" not in changes and self.sensitive and "values" in changes:
            left = [value for value in self.sensitive if value in changes["values"]]  # type: ignore[operator]
            changes["sensitive"] = tuple(left) if len(left) < len(changes["values"]) else ()  # type: ignore[arg-type]
        if all(_is_same(getattr(self, field), value) for field, value in changes.items()):
            # Most edits of a study leave most attributes as they are.
            return self
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def _check_values(self) -> None:
        if self.domain is not None:
            raise self._error(_NO_DOMAIN[self.kind])
        if len(set(self.values)) != len(self.values):
            twice = next(v for v in self.values if self.values.count(v) > 1)
            raise self._error(Message("the value {twice!r} is listed twice", twice=twice))
        if self.kind is Kind.BINARY and len(self.values) != 2:
            raise self._error(
                Message("a binary attribute has 2 values, not {count}", count=len(self.values))
            )
        if self.set_size is not None:
            self._check_set_size(self.set_size)
        if self.codes and len(self.codes) != len(self.values):
            raise self._error(
                Message(
                    "{count} values need as many codes, not {count2}",
                    count=len(self.values),
                    count2=len(self.codes),
                )
            )

    def _check_set_size(self, size: int) -> None:
        if self.kind is not Kind.SET:
            raise self._error(Message("only sets have a size"))
        if not 1 <= size < len(self.values):
            raise self._error(
                Message(
                    "a set of {size} of {k} answers says nothing; the size must lie "
                    "between 1 and {most}",
                    size=size,
                    k=len(self.values),
                    most=len(self.values) - 1,
                )
            )

    def _check_domain(self) -> None:
        if self.values:
            raise self._error(_NO_VALUES[self.kind])
        if self.set_size is not None:
            raise self._error(Message("only sets have a size"))
        if self.domain is None:
            raise self._error(Message("a numeric attribute needs a domain [lowest, highest]"))
        low, high = self.domain
        if not (math.isfinite(low) and math.isfinite(high)):
            raise self._error(Message("the domain must be two finite numbers"))
        if max(abs(low), abs(high)) > _LARGEST:
            raise self._error(
                Message(
                    "the domain [{low:g}, {high:g}] exceeds the largest number "
                    "{largest:g}; correct it",
                    low=low,
                    high=high,
                    largest=_LARGEST,
                )
            )
        if low > high:
            raise self._error(
                Message(
                    "the domain [{low:g}, {high:g}] is reversed; swap the ends",
                    low=low,
                    high=high,
                )
            )
        if self.kind is Kind.INTEGER and not (float(low).is_integer() and float(high).is_integer()):
            raise self._error(
                Message("the domain [{low:g}, {high:g}] must be whole numbers", low=low, high=high)
            )
        object.__setattr__(self, "domain", (float(low), float(high)))
        for field, known in (("domain_source", (FROM_DATA, PUBLIC)), ("outside", (REFUSE, CLIP))):
            given = getattr(self, field)
            if given not in known:
                raise self._error(
                    Message(
                        "{field!r} is {given!r}; it is one of {known}",
                        field=field,
                        given=given,
                        known=", ".join(known),
                    )
                )

    def _check_sensitive(self) -> None:
        unknown = [value for value in self.sensitive if value not in self.values]
        if unknown:
            raise self._error(
                Message("the sensitive answer {value!r} is not one of its values", value=unknown[0])
            )
        if self.sensitive and len(set(self.sensitive)) == len(self.values):
            raise self._error(
                Message("all values are marked as sensitive; leave at least one unmarked")
            )
        # In the order of the values, so that two ways of marking them are the same.
        ordered = tuple(value for value in self.values if value in self.sensitive)
        object.__setattr__(self, "sensitive", ordered)

    def _error(self, what: str) -> DataError:
        return DataError.saying("Attribute {attribute!r}: {what}.", what=what, attribute=self.name)


def _is_same(old: object, new: object) -> bool:
    # A message equals its English text, but only the message can be translated.
    return type(old) is type(new) and old == new


def within_rounding(domain: tuple[float, float]) -> tuple[float, float]:
    """A domain with what rounding errors add to it: they are no answers outside of it."""
    low, high = domain
    return low - _ROUNDING * (high - low), high + _ROUNDING * (high - low)


def rounded_domain(low: float, high: float) -> tuple[float, float]:
    """A domain for numbers of which the lowest and the highest are known, rounded out.

    The ends of the data are true answers, and a design is published: what is told of them is only
    between which multiples of a step they lie. The step is the largest of 1, 2 and 5 times a power
    of ten that is at most a third of the width. A rounding error beyond a multiple counts as on it.

    >>> rounded_domain(18, 89), rounded_domain(0.13, 0.97), rounded_domain(5, 5)
    ((0.0, 100.0), (0.0, 1.0), (5.0, 6.0))
    """
    lowest, highest = Decimal(repr(float(low))), Decimal(repr(float(high)))
    step = _rounding_step(lowest, highest)
    slack = (highest - lowest) * Decimal(_ROUNDING)
    first = ((lowest + slack) / step).to_integral_value(ROUND_FLOOR) * step
    last = ((highest - slack) / step).to_integral_value(ROUND_CEILING) * step
    if first == last:
        last += step
    # A zero without a sign, whichever side it was rounded from.
    return float(first) + 0.0, float(last) + 0.0


def _rounding_step(low: Decimal, high: Decimal) -> Decimal:
    if low == high:
        # All answers are the same: a step that their size can still be told from.
        return max(Decimal(1), Decimal(10) ** (low.adjusted() - 5)) if low else Decimal(1)
    most = (high - low) / 3
    power = Decimal(10) ** most.adjusted()
    return max(digit * power for digit in (1, 2, 5) if digit * power <= most)


def outside_sentence(attribute: Attribute, count: int) -> Message:
    low, high = attribute.domain or (0.0, 0.0)
    return Message(
        "Attribute {attribute!r}: 1 value lies outside the domain [{low:g}, {high:g}]; widen it or "
        "clip values to it."
        if count == 1
        else "Attribute {attribute!r}: {count} values lie outside the domain [{low:g}, {high:g}]; "
        "widen it or clip values to it.",
        attribute=attribute.name,
        count=count,
        low=low,
        high=high,
    )


def titles_of(attributes: Iterable[Attribute]) -> dict[str, str]:
    """What people read of each attribute in lists and on axes, by the names of the columns.

    Labels of a file may be alike; then the column's name stands behind each of them.
    """
    known = {attribute.name: attribute for attribute in attributes}
    times = Counter(attribute.shown for attribute in known.values())
    return {
        name: attribute.shown if times[attribute.shown] == 1 else attribute.heading
        for name, attribute in known.items()
    }


def sensitive_places(attribute: Attribute) -> tuple[int, ...]:
    """The marked values, or the last: most lists begin with the harmless one."""
    marked = tuple(attribute.values.index(value) for value in attribute.sensitive)
    return marked or (attribute.k - 1,)
