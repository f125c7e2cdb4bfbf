"""Questions typed by a person, before there are any data."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.errors import DataError

_NUMBER = r"([-−]?\d[\d.,\s]*?)"
_RANGE = re.compile(rf"^\s*(?:from\s|od\s)?\s*{_NUMBER}\s*(?:to|do|-|–|…|\.\.\.?)\s*{_NUMBER}\s*$")
"""A range in the languages of the window: "18 to 90", "od 18 do 90"."""
_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+(\.\d*)?")


@dataclass(frozen=True)
class Question:
    """A question as it is typed: a name, a kind, and its answers or range as text."""

    name: str
    kind: Kind
    answers: str

    def attribute(self) -> Attribute:
        """The attribute, or an error that names the question.

        >>> Question("Age", Kind.INTEGER, "18 to 90").attribute().domain
        (18.0, 90.0)
        >>> Question("Wiek", Kind.INTEGER, "od 18 do 90").attribute().domain
        (18.0, 90.0)
        >>> Question("Sex", Kind.BINARY, "female, male").attribute().values
        ('female', 'male')
        """
        name = self.name.strip()
        if not name:
            raise DataError("A question has no name; type one in the first column.")
        if self.kind.is_numeric:
            return Attribute(name, self.kind, domain=self._range(name))
        separator = ";" if ";" in self.answers else ","
        values = [value.strip() for value in self.answers.split(separator) if value.strip()]
        if len(values) < 2:
            raise DataError.saying(
                "Question {name!r} has fewer than 2 answers; separate them by commas.",
                name=name,
                attribute=name,
            )
        return Attribute(name, self.kind, tuple(values))

    def _range(self, name: str) -> tuple[float, float]:
        found = _RANGE.match(self.answers)
        if found is None:
            raise DataError.saying(
                "Question {name!r} needs a range such as '18 to 90'.", name=name, attribute=name
            )
        try:
            low, high = (_number(part) for part in found.groups())
        except ValueError:
            raise DataError.saying(
                "Question {name!r} has a range that is not numeric; write it as '18 to 90'.",
                name=name,
                attribute=name,
            ) from None
        if low >= high:
            raise DataError.saying(
                "Question {name!r} has its range reversed; write the lower end first.",
                name=name,
                attribute=name,
            )
        return low, high


def _number(typed: str) -> float:
    """A number with a decimal point or comma, perhaps with separated thousands.

    >>> _number("1,000"), _number("2,5"), _number("10 000"), _number("1,234.5")
    (1000.0, 2.5, 10000.0, 1234.5)
    """
    plain = "".join(typed.split()).replace("−", "-")
    grouped = _THOUSANDS.fullmatch(plain.lstrip("-")) is not None
    return float(plain.replace(",", "" if grouped else "."))
