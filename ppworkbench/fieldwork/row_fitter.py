"""Rows that a design can have produced, told from those that it cannot.

Anybody can send anything to an address, so a row counts only if the design could have produced it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table, code_type
from ppworkbench.core.design import Design, Identity, Perturbation
from ppworkbench.core.design.design_file import publishable
from ppworkbench.core.design.linked_waves import (
    linking_column,
    person_attribute,
    with_persons,
    without_linking,
)
from ppworkbench.core.design.noises.base import parts_of
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.message import Message

_OFF_GRID = 1e-6
"""How far from the grid a number may be, in steps."""
_DIGITS = 1e-11
"""How far a number that is written with twelve digits may be from itself, as a part of it."""
Cells = Mapping[str, Any]


class RowFitter:
    """Takes rows that fit the design and counts the others by their faults.

    ``is_reported`` tells whether the answers are what the design gives, or true ones.
    """

    def __init__(self, design: Design, *, is_reported: bool = True) -> None:
        self._person = linking_column(design) if is_reported else None
        self._persons: list[float] = []
        self._design = design = without_linking(design)
        if is_reported:
            self._attributes = design.distorted_schema
            published = publishable(design)
            self._numbers = [
                [] if one.domain is None else reported_numbers(published, one)
                for one in self._attributes
            ]
        else:
            self._attributes = tuple(one.attribute for one in design)
            self._numbers = [
                [] if one.domain is None else [ReportedNumbers(Identity(), one)]
                for one in self._attributes
            ]
        self._codes = [{v: c for c, v in enumerate(a.values)} for a in self._attributes]
        self.rows: list[list[Any]] = []
        self.refused: Counter[str] = Counter()

    def take(self, row: Cells | str) -> None:
        """Take a row by the names of its cells; a text says why one is none."""
        if isinstance(row, str):
            self.refused[row] += 1
            return
        try:
            self._check_arm(row)
            cells = [self._cell(row, i) for i in range(len(self._attributes))]
            self._persons.append(self._named(row))
            self.rows.append(cells)
        except _UnfitError as fault:
            self.refused[fault.message] += 1

    def _named(self, row: Cells) -> float:
        """The number of the person; no number where the row comes from no page."""
        given = None if self._person is None else row.get(self._person)
        if self._person is None or given is None or given == "":
            return math.nan
        attribute = person_attribute(self._person)
        return self._number(given, attribute, [ReportedNumbers(Identity(), attribute)])

    def _check_arm(self, row: Cells) -> None:
        arms = self._design.versions
        if not arms.columns:
            return
        arm = row.get(arms.column)
        if arm not in arms.names:
            raise _UnfitError.saying("{column!r} names no arm of the design", column=arms.column)
        omitted = [*arms[str(arm)].omit]
        for asked in self._design.lists:
            if arm not in (*asked.short, *asked.long):
                omitted.append(asked.count)
            elif _is_above(row.get(asked.count), asked.most(str(arm))):
                raise _UnfitError.saying(
                    "{column!r} counts more items than there are", column=asked.count
                )
        for name in omitted:
            if row.get(name) not in (None, ""):
                raise _UnfitError.saying(
                    "{attribute!r} has an answer in an arm that does not ask it", attribute=name
                )

    def _cell(self, row: Cells, place: int) -> Any:
        attribute = self._attributes[place]
        name = attribute.name
        if name not in row:
            raise _UnfitError.saying("a row has no answer named {attribute!r}", attribute=name)
        given = row[name]
        if attribute.kind is Kind.SET:
            return self._set(given, attribute)
        if given is None or given == "":
            return -1 if attribute.kind.is_categorical else math.nan
        if attribute.kind.is_categorical:
            code = self._codes[place].get(given) if isinstance(given, str) else None
            if code is None:
                raise _UnfitError.saying(
                    "{attribute!r} has an answer that is not in the design", attribute=name
                )
            return code
        return self._number(given, attribute, self._numbers[place])

    def _set(self, given: Any, attribute: Attribute) -> list[str] | None:
        """The values that a text names; None for a missing answer."""
        if given is None or given == "":
            return None
        listed = sets.split_text(given) if isinstance(given, str) else [""]
        try:
            sets.of_lists([listed], attribute)
        except DataError:
            raise _UnfitError.saying(
                "{attribute!r} has a set that the design cannot produce", attribute=attribute.name
            ) from None
        return listed

    def _number(
        self, given: Any, attribute: Attribute, possible: Sequence[ReportedNumbers]
    ) -> float:
        try:
            number = float(given) if not isinstance(given, bool) else math.nan
        except (ValueError, TypeError, OverflowError):
            number = math.nan
        if not any(one.holds(number) for one in possible):
            raise _UnfitError.saying(
                "{attribute!r} has a number that the design cannot produce",
                attribute=attribute.name,
            )
        if attribute.kind is Kind.INTEGER and not number.is_integer():
            raise _UnfitError.saying(
                "{attribute!r} has a number that is not whole", attribute=attribute.name
            )
        return number

    def table(self) -> Table:
        """The rows that fit; notes say what does not."""
        columns = []
        for place, attribute in enumerate(self._attributes):
            cells = [row[place] for row in self.rows]
            if attribute.kind is Kind.SET:
                packed = sets.of_lists(cells, attribute)
                columns.append(Column(attribute, packed))
                continue
            kind = code_type(attribute.k) if attribute.kind.is_categorical else np.float64
            columns.append(Column(attribute, np.array(cells, np.float64).astype(kind)))
        notes = [
            Message("{count} row(s) were excluded: {why}.", count=count, why=why)
            for why, count in self.refused.most_common(5)
        ]
        table = Table(tuple(columns), self._design.class_name)
        absent = int(np.isnan(self._persons).sum())
        if self._person is not None and absent < len(self.rows):
            column = Column(person_attribute(self._person), np.array(self._persons))
            table = with_persons(table.with_(columns=(*columns, column)), self._person)
            if absent:
                notes.append(
                    Message(
                        "{count} row(s) name no person; each counts as a person of its own.",
                        count=absent,
                    )
                )
        return table.with_(notes=tuple(notes))


def _is_above(given: Any, most: int) -> bool:
    """Whether a number is too large; what is no number is refused elsewhere."""
    try:
        return float(given) > most
    except (TypeError, ValueError):
        return False


class _UnfitError(WorkbenchError):
    """A row that the design cannot have produced."""


class ReportedNumbers:
    """Which numbers a mechanism of a published design can give.

    >>> from ppworkbench.core.design import Duchi
    >>> age = Attribute("age", Kind.INTEGER, domain=(18, 90))
    >>> ages = ReportedNumbers(Duchi(epsilon=1.0), age)
    >>> ages.nearest(-24), ages.nearest(40)
    (-24.0, None)
    """

    def __init__(self, device: Perturbation, attribute: Attribute) -> None:
        step = 1.0 if attribute.kind is Kind.INTEGER else device.numbers.published_step
        ranges = device.numbers.report_ranges(attribute)
        self._step, self._parts = step, None if step is None else parts_of(step)
        far = max(abs(end) for range_ in ranges for end in range_)
        self._rounding = _DIGITS * far if step is None else _OFF_GRID * step
        # True numbers are rounded to the grid before anything is added to them.
        slack = self._rounding + (0.0 if step is None else step / 2)
        self._points = [low for low, high in ranges if low == high]
        self._ranges = [(low - slack, high + slack) for low, high in ranges if low < high]

    def holds(self, number: float) -> bool:
        if any(low <= number <= high for low, high in self._ranges):
            return True
        return self._point(number) is not None

    def nearest(self, number: float) -> float | None:
        """The report that a number is, without digits beyond the grid; None if it is none."""
        for low, high in self._ranges:
            if low <= number <= high:
                found = self._on_grid(number)
                if found is not None:
                    return found
        return self._point(number)

    def _point(self, number: float) -> float | None:
        for point in self._points:
            # Compared with, not subtracted: a whole number may be too large for a float.
            if point - self._rounding <= number <= point + self._rounding:
                return point
        return None

    def _on_grid(self, number: float) -> float | None:
        if self._step is None:
            return float(number)
        steps = number / self._step
        whole = round(steps)
        if abs(steps - whole) > _OFF_GRID:
            return None
        return float(whole * self._step if self._parts is None else whole / self._parts)


def reported_numbers(design: Design, attribute: Attribute) -> list[ReportedNumbers]:
    name = attribute.name
    devices = design.versions.devices(name, design.usual_device(name)).values()
    return [ReportedNumbers(device, design[name].attribute) for device in devices]
