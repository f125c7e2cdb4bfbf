"""List experiments: people say how many of some items apply to them, and nobody asks which.

The arms of the short list hear the harmless items alone, those of the long list the same with the
sensitive one. The answer to the sensitive item stands in no column; the count does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table, list_attributes
from ppworkbench.core.design.arms import Arms
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.message import Message

LEAST_ITEMS = 2
_FIELDS = ("count", "items", "short", "long")


@dataclass(frozen=True)
class ListQuestion:
    """A yes/no question that is asked as one item of a list.

    Parameters
    ----------
    attribute
        The sensitive item; no column holds its answers.
    count
        The column with the number that each respondent gave.
    items
        The harmless items, by their words or by the columns of data that have their own answers.
    short, long
        The arms that hear the harmless items alone, and those that hear the sensitive one, too.
    """

    attribute: Attribute
    count: str
    items: tuple[str, ...]
    short: tuple[str, ...]
    long: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.attribute.kind is not Kind.BINARY or self.attribute.k != 2:
            raise self._wrong(Message("is no yes/no question, so it cannot be an item of a list"))
        if self.size < LEAST_ITEMS:
            raise self._wrong(
                Message(
                    "has a list of {count} harmless items; it needs at least {least}",
                    count=self.size,
                    least=LEAST_ITEMS,
                )
            )
        if not all(item.strip() for item in self.items) or len(set(self.items)) < self.size:
            raise self._wrong(Message("has a list with an item that is empty or stands twice"))
        if not self.short or not self.long:
            raise self._wrong(
                Message("needs an arm that hears the short list, and one that hears the long one")
            )
        both = [arm for arm in self.short if arm in self.long]
        if both:
            raise self._wrong(
                Message("has the arm {arm!r} hear both the short and the long list", arm=both[0])
            )
        if self.count == self.name:
            raise self._wrong(Message("and the count of its list need different names"))

    @property
    def name(self) -> str:
        return self.attribute.name

    @property
    def size(self) -> int:
        """The number of harmless items, J."""
        return len(self.items)

    @property
    def sensitive(self) -> str:
        """The answer that is counted: the one marked as sensitive, else the second."""
        return (self.attribute.sensitive or self.attribute.values[-1:])[0]

    @property
    def count_attribute(self) -> Attribute:
        """The attribute of the counts: whole numbers from 0 to J + 1."""
        return Attribute(self.count, Kind.INTEGER, domain=(0.0, self.size + 1.0))

    @property
    def disclosure(self) -> str:
        """What the device cannot hide, whatever the items."""
        return Message(
            "{attribute!r} is asked by a list: a count of 0 says no and {most} says yes for sure, "
            "so epsilon is ∞; one rare and one common item keep such counts few.",
            attribute=self.name,
            most=self.size + 1,
        )

    def why_items_leak(self, published: Iterable[str]) -> tuple[str, ...]:
        """A warning where items have columns of their own that are published, too."""
        shown = [item for item in self.items if item in set(published)]
        if not shown:
            return ()
        return (
            Message(
                "{items} are published beside {column!r}, which counts them: together they can "
                "tell {attribute!r}; take them out of the design.",
                items=list_attributes(shown, quoted=True),
                column=self.count,
                attribute=self.name,
            ),
        )

    def most(self, arm: str) -> int:
        return self.size + (arm in self.long)

    def hears_long(self, arms: Arms) -> tuple[bool | None, ...]:
        """For every arm whether it hears the long list; None for an arm without a list."""
        return tuple(
            True if name in self.long else False if name in self.short else None
            for name in arms.names
        )

    def check_arms(self, arms: Arms) -> None:
        """Refuse arms that the design does not have, or that leave the count out."""
        if not arms.columns:
            raise self._wrong(
                Message("is asked by a list, which needs arms: one hears it, the other does not")
            )
        for name in (*self.short, *self.long):
            if name not in arms.names:
                raise self._wrong(
                    Message("has a list for the arm {arm!r}, which the design lacks", arm=name)
                )
            if self.count in arms[name].omit:
                raise self._wrong(
                    Message(
                        "has a list for the arm {arm!r}, which omits {column!r}",
                        arm=name,
                        column=self.count,
                    )
                )

    def only(self, arms: Iterable[str]) -> ListQuestion | None:
        """The same list for some arms; None where they hear one of its versions at most."""
        kept = set(arms)
        short = tuple(arm for arm in self.short if arm in kept)
        long = tuple(arm for arm in self.long if arm in kept)
        return dataclasses.replace(self, short=short, long=long) if short and long else None

    def renamed(self, call: Callable[[str], str]) -> ListQuestion:
        return dataclasses.replace(
            self,
            attribute=self.attribute.with_(name=call(self.name)),
            count=call(self.count),
            items=tuple(map(call, self.items)),
        )

    def with_counts(self, table: Table, arms: Arms) -> tuple[Table, tuple[str, ...]]:
        """A table of true answers with the numbers that people would say.

        Counts that are there stay. Else the columns of the items are counted, in the arms of the
        long list with that of the sensitive item; an item without an answer leaves no count.

        Raises
        ------
        DataError
            Where neither the count nor the items are there.
        """
        if self.count in table:
            self.check_counts(table[self.count].data, arms.read(table), arms)
            return table, ()
        absent = [name for name in (*self.items, self.name) if name not in table]
        if absent:
            raise DataError.saying(
                "The data have no column {column!r} with the counts of the list, and none of "
                "its item {item!r} to count.",
                column=self.count,
                item=absent[0],
                attribute=self.count,
                field="lists",
            )
        heard = np.array([np.nan if one is None else float(one) for one in self.hears_long(arms)])
        told = np.append(heard, np.nan)[arms.read(table)]
        true = [_applies(table[item]) for item in self.items]
        own = _applies(table[self.name], self.sensitive)
        # Who hears the short list is not asked the sensitive item, so its answer may be missing.
        counts = sum(yes for yes, _ in true) + np.where(told == 1, own[0], told)
        column = Column(self.count_attribute, np.asarray(counts, np.float64))
        values = [
            f"{item} = {value}"
            for item, (_, value) in zip((*self.items, self.name), (*true, own), strict=True)
        ]
        note = Message(
            "{column!r} counts {items}.", column=self.count, items=list_attributes(values)
        )
        return table.with_(columns=(*table.columns, column)), (note,)

    def check_counts(self, counts: Numbers, codes: np.ndarray[Any, Any], arms: Arms) -> None:
        """Refuse the first number that nobody can say; ``codes`` are the places of rows' arms."""
        most = np.append([self.most(name) for name in arms.names], self.size + 1)[codes]
        given = np.isfinite(counts)
        with np.errstate(invalid="ignore"):
            wrong = given & ((counts != np.floor(counts)) | (counts < 0) | (counts > most))
        if not wrong.any():
            return
        row = int(np.argmax(wrong))
        raise DataError.saying(
            "Row {row:,} of {column!r} says {number:g}, but its list has {most} items; the "
            "answer is a whole number from 0 to {most}.",
            column=self.count,
            number=float(counts[row]),
            most=int(most[row]),
            attribute=self.count,
            row=row + 1,
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "count": self.count, "items": list(self.items), "short": list(self.short),
            "long": list(self.long),
        }  # fmt: skip

    @classmethod
    def from_json(cls, attribute: Attribute, given: Any) -> Self:
        name = attribute.name
        if not isinstance(given, Mapping) or set(given) - set(_FIELDS):
            raise _wrong(name, Message("must be a list with count, items, short and long"))
        count = given.get("count")
        if not isinstance(count, str) or not count:
            raise _wrong(name, Message("needs the name of the column with the counts of its list"))
        parts = []
        for field in _FIELDS[1:]:
            found = given.get(field)
            if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
                raise _wrong(name, Message("must have {field!r} as a list of texts", field=field))
            parts.append(tuple(found))
        return cls(attribute, count, *parts)

    def _wrong(self, what: str) -> DesignError:
        return _wrong(self.name, what)


def _applies(column: Column, value: str | None = None) -> tuple[Numbers, str]:
    """Where an item holds, missing where nothing is said, and the value that says so."""
    attribute = column.attribute
    if column.is_categorical and attribute.k == 2:
        yes = value if value in attribute.values else (attribute.sensitive or attribute.values)[-1]
        found = np.where(column.missing, np.nan, column.data == attribute.values.index(yes))
        return found, yes
    if not column.is_categorical and bool(np.isin(column.data[~column.missing], (0, 1)).all()):
        return np.where(column.missing, np.nan, column.data), "1"
    raise DataError.saying(
        "{attribute!r} is an item of a list, so it must have two values, or the numbers 0 and 1.",
        attribute=attribute.name,
        field="lists",
    )


def _wrong(name: str, what: str) -> DesignError:
    return DesignError.saying("{attribute!r} {what}.", what=what, attribute=name, field="lists")
