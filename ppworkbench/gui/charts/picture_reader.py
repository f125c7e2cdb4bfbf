"""What a picture says: its places, their numbers, its table, and itself for those who hear it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.charts.axes import decade_ticks, short_number
from ppworkbench.gui.charts.chart import Entry, Rows
from ppworkbench.gui.charts.legend import look_of_mark
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, percent
from ppworkbench.results.picture import Axis, Mark, Picture, Shape
from ppworkbench.results.sheet import Kind

_MOST_ROWS = 100_000
"""Rows of a table."""
_TOLD = 40
"""Places that are told to those who do not see the picture."""


@dataclass(frozen=True, eq=False)
class PictureReader:
    """Reads one picture; ``write`` writes its numbers where their kind does not say how."""

    picture: Picture
    write: Callable[[float], str] | None = None

    @cached_property
    def cloud(self) -> Mark | None:
        """The points of which each has a name."""
        return next((mark for mark in self.picture.marks if len(mark.names)), None)

    @cached_property
    def marks(self) -> list[Mark]:
        """Those that have a column in the table: with a name; bands are about others."""
        shapes = {Shape.RULE, Shape.CELLS, Shape.BAND, Shape.BOXES}
        if not self.picture.is_numbered:
            return []
        return [one for one in self.picture.marks if one.name and one.shape not in shapes]

    @cached_property
    def places(self) -> Numbers:
        """Where something stands along the axis of the things."""
        things = self.picture.things
        if things.labels:
            return np.arange(len(things.labels), dtype=np.float64)
        shown = [self.picture.values_of(mark)[0] for mark in self.marks]
        return np.unique(np.concatenate(shown)) if shown else np.zeros(0)

    @cached_property
    def count(self) -> int:
        """How many places or points there are."""
        return len(self.places) if self.cloud is None else len(self.cloud.names)

    @property
    def has_cells(self) -> bool:
        return any(mark.shape is Shape.CELLS for mark in self.picture.marks)

    @property
    def span(self) -> tuple[float, float]:
        """As far as a handle goes: not beyond what is drawn beside it."""
        marks = (mark for mark in self.picture.marks if mark.shape is not Shape.RULE)
        places = [self.picture.values_of(mark)[0] for mark in marks]
        known = np.concatenate(places) if places else np.zeros(1)
        return float(known.min()), float(known.max())

    # Places

    def title_of(self, place: int) -> str:
        """What stands over the numbers of a place."""
        things, cloud = self.picture.things, self.cloud
        if cloud is not None:
            return str(cloud.names[place])
        if things.labels:
            name, _, rest = things.labels[place].partition("\n")
            return f"{name}, {rest}" if rest and not self.picture.is_lying else name
        at = self._written(things, float(self.places[place]))
        return f"{translate(things.title)}: {at}" if things.title else at

    def entries(self, place: int) -> list[Entry]:
        """Look, name and number of every mark at a place."""
        picture, cloud = self.picture, self.cloud
        found = []
        if cloud is not None and picture.x.title:
            across = self._written(picture.x, float(cloud.x[place]))
            found.append(("", translate(picture.x.title), across))
        for mark in self.marks:
            cells = self._numbers_at(mark, place)
            if cells is not None and math.isfinite(cells[0]):
                look = look_of_mark(picture, mark)
                found.append((look, translate(mark.name), self._said(*cells)))
        return found

    def levels(self) -> list[Entry]:
        """What is the same at all places."""
        return [
            (look_of_mark(self.picture, rule), translate(rule.name), self._at(rule))
            for rule in self.picture.rules
            if not self.picture.stands(rule)
        ]

    def words_of_rule(self, rule: Mark) -> str:
        return f"{translate(rule.name)} {self._at(rule)}"

    def _at(self, rule: Mark) -> str:
        return self._written(self.picture.numbers, float(rule.y[0]))

    def _numbers_at(self, mark: Mark, place: int) -> tuple[float, float, float] | None:
        """A number with the ends of its interval; NaN where there are none."""
        own, numbers = self.picture.values_of(mark)
        if mark.shape is Shape.DOTS:
            some = numbers[own == self.places[place]]
            return (float(some.mean()), float(some.min()), float(some.max())) if len(some) else None
        if self.cloud is not None:
            at = place if place < len(numbers) else -1
        else:
            where = np.flatnonzero(own == self.places[place])
            at = int(where[0]) if len(where) else -1
        if at < 0:
            return None
        low, high = (math.nan if e is None else float(e[at]) for e in (mark.low, mark.high))
        return float(numbers[at]), low, high

    def _said(self, value: float, low: float, high: float) -> str:
        said, *ends = (self._written(self.picture.numbers, one) for one in (value, low, high))
        is_known = math.isfinite(low) and math.isfinite(high)
        return tr("%s (%s to %s)") % (said, *ends) if is_known else said

    def _written(self, axis: Axis, value: float) -> str:
        if self.write is not None and axis is self.picture.numbers:
            return self.write(value)
        if axis.kind is Kind.SHARE:
            return percent(value, 1)
        return number(value) if axis.kind is Kind.COUNT else short_number(value)

    # As a table and in words

    def head_looks(self) -> tuple[str, ...]:
        found = [""] * (1 + (self.cloud is not None))
        for mark in self.marks:
            found += [look_of_mark(self.picture, mark), *[""] * (2 * (mark.low is not None))]
        return tuple(found)

    def table(self, most: int = _MOST_ROWS) -> Rows:
        picture, marks, cloud = self.picture, self.marks, self.cloud
        for mark in picture.marks:
            if mark.shape in _TABLES:
                return _TABLES[mark.shape](picture, mark)
        heads = [*[""] * (cloud is not None), translate(picture.things.title)]
        for mark in marks:
            name = translate(mark.name)
            ends = [tr("%s, low") % name, tr("%s, high") % name] if mark.low is not None else []
            heads += [name, *ends]
        if picture.rules and not marks:
            heads.append(translate(picture.numbers.title))
        rows = [heads]
        for place in range(min(self.count, most)):
            is_named = cloud is not None or bool(picture.things.labels)
            row = [self.title_of(place) if is_named else f"{self.places[place]:.10g}"]
            row += [] if cloud is None else [_plain(float(cloud.x[place]))]
            for mark in marks:
                found = self._numbers_at(mark, place) or (math.nan,) * 3
                row += [_plain(one) for one in found[: 3 if mark.low is not None else 1]]
            rows.append(row)
        for mark in picture.rules:
            at = mark.x if picture.stands(mark) else mark.y
            rows.append([translate(mark.name), _plain(float(at[0])), *[""] * (len(heads) - 2)])
        return rows

    def summary(self, entries: Callable[[int], list[Entry]]) -> str:
        """The picture in words, for screen readers; ``entries`` tell of a place."""
        picture = self.picture
        is_told = self.cloud is not None or picture.handles or not picture.is_numbered
        if picture.note and is_told:
            return translate(picture.note)
        count = self.count
        some = np.arange(0, count, max(1, -(-count // _TOLD)))
        if picture.things.is_log and count:
            ends = float(self.places[-1]), float(self.places[0])
            decades = [10.0**at for at, _ in decade_ticks(*ends)]
            some = np.unique([*np.searchsorted(self.places, decades), count - 1])
        told = []
        for place in some.tolist():
            said = ", ".join(f"{name} {value}" for _, name, value in entries(place))
            notes = picture.things.notes
            said = said or (notes[place] if place < len(notes) else "")
            told.append(f"{self.title_of(place)}: {said}".removeprefix(": "))
        told += [f"{name} {value}" for _, name, value in self.levels()]
        return "; ".join(told)


def _plain(value: float) -> str:
    return f"{value:.10g}" if math.isfinite(value) else ""


def _table_of_cells(picture: Picture, cells: Mark) -> Rows:
    wide = len(picture.x.labels)
    said = cells.words or tuple(_plain(float(value)) for value in np.ravel(cells.y))
    rows = zip(picture.y.labels, range(0, len(said), max(wide, 1)), strict=False)
    return [
        ["", *picture.x.labels],
        *([name, *(one.partition("\n")[0] for one in said[at : at + wide])] for name, at in rows),
    ]


def _table_of_dots(picture: Picture, dots: Mark) -> Rows:
    places, numbers = picture.values_of(dots)
    apart = [numbers[places == place] for place in range(len(picture.things.labels))]
    longest = max(map(len, apart), default=0)
    return [
        [translate(picture.numbers.title), *picture.things.labels],
        *(
            [str(i + 1), *(_plain(float(one[i])) if i < len(one) else "" for one in apart)]
            for i in range(longest)
        ),
    ]


_TABLES = {Shape.CELLS: _table_of_cells, Shape.DOTS: _table_of_dots}
