"""What is known about one column: its kind, its possible answers, its labels."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
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
    """The five kinds of attributes."""

    BINARY = "binary"
    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTEGER = "integer"
    CONTINUOUS = "continuous"

    @property
    def is_categorical(self) -> bool:
        """Whether an answer is one of k values."""
        return self in (Kind.BINARY, Kind.NOMINAL, Kind.ORDINAL)

    @property
    def is_numeric(self) -> bool:
        """Whether an answer is a number in a domain."""
        return not self.is_categorical


class MissingPolicy(StrEnum):
    """What happens to missing answers before an analysis."""

    LEAVE = "leave"
    IMPUTE = "impute"
    DROP = "drop"
    VALUE = "value"


_NO_DOMAIN = {
    Kind.BINARY: Message("a binary attribute has values, not a domain"),
    Kind.NOMINAL: Message("a nominal attribute has values, not a domain"),
    Kind.ORDINAL: Message("an ordinal attribute has values, not a domain"),
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
        in order.
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

    def __post_init__(self) -> None:
        """Refuse an attribute that contradicts its kind."""
        object.__setattr__(self, "kind", Kind(self.kind))
        if self.kind.is_categorical:
            self._check_values()
        else:
            self._check_domain()
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
        if self.codes and len(self.codes) != len(self.values):
            raise self._error(
                Message(
                    "{count} values need as many codes, not {count2}",
                    count=len(self.values),
                    count2=len(self.codes),
                )
            )

    def _check_domain(self) -> None:
        if self.values:
            raise self._error(_NO_VALUES[self.kind])
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
