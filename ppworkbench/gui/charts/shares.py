"""Shares of answers as data, as a table and as a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.message import Message
from ppworkbench.gui.charts.legend import role_of
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import percent
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape, Shares
from ppworkbench.results.sheet import Kind

MOST_BARS = 20
WIDEST = 1.25
"""How far bands reach beyond the highest share, which is what the axis is made for."""
_CELLS_TOLD = 11
"""Cells of numbers that are read aloud."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """What the plot shows: labels of values, or numbers in cells.

    ``base`` is the share with which reports name a value that is not the true one, where they are
    sets: distorted shares are to be read from there. ``about`` is what people call the attribute,
    and ``note`` how many answered, which a figure tells that leaves the page. ``values`` names the
    cells where there are more values than bars have room for: they are drawn as numbers 0, 1, 2, …
    then.
    """

    series: tuple[Shares, ...] = ()
    labels: tuple[str, ...] = ()
    domain: tuple[float, float] | None = None
    unit: str = ""
    names: dict[str, str] = field(default_factory=dict)
    base: float | None = None
    about: str = ""
    values: tuple[str, ...] = ()
    note: Message = Message("")

    @property
    def is_numeric(self) -> bool:
        """Whether the cells lie on an axis of numbers."""
        return not self.labels

    def name(self, one: Shares) -> str:
        return one.name or self.names.get(one.role, one.role)

    # As a table and in words

    def looks(self) -> tuple[str, ...]:
        """How each column of the table is drawn; row names and ends of intervals are not."""
        heads = ((one.role, *[""] * (len(self._heads(one)) - 1)) for one in self.series)
        return "", *(look for looks in heads for look in looks)

    def _heads(self, one: Shares) -> list[str]:
        name = self.name(one)
        ends = [] if one.low is None else [tr("%s, low") % name, tr("%s, high") % name]
        return [name, *ends]

    def table(self, words: Callable[[Numbers, int], str], digits: int) -> list[list[str]]:
        """One row per value, or per cell of numbers; series with other cells follow below."""
        rows = [["", *(head for one in self.series for head in self._heads(one))]]
        seen: list[Numbers | None] = []
        for first in self.series:
            edges = first.edges
            if any(_are_same(edges, other) for other in seen):
                continue
            seen.append(edges)
            for place in range(len(first.share)):
                row = [self.labels[place] if edges is None else words(edges, place)]
                for one in self.series:
                    if _are_same(edges, one.edges):
                        parts = (
                            part for part in (one.share, one.low, one.high) if part is not None
                        )
                        row += [percent(float(part[place]), digits) for part in parts]
                    else:
                        row += [""] * len(self._heads(one))
                rows.append(row)
        return rows

    def told(self, words: Callable[[Numbers, int], str]) -> str:
        """The first rows for those who hear them; what is not there is not said."""
        if self.is_numeric:
            heads, *rows = self.table(words, 2)
            listed = [(row[0], zip(heads[1:], row[1:], strict=True)) for row in rows[:_CELLS_TOLD]]
        else:
            listed = [
                (label, zip(map(self.name, self.series), self._told_at(place), strict=True))
                for place, label in enumerate(self.labels[:MOST_BARS])
            ]
        return "; ".join(
            f"{label}: {', '.join(f'{name} {value}' for name, value in pairs if value)}"
            for label, pairs in listed
        )

    def _told_at(self, place: int) -> Iterator[str]:
        """The shares of a value, each with half of its interval."""
        for one in self.series:
            words = percent(float(one.share[place]), 1)
            if one.low is not None and one.high is not None:
                half = (float(one.high[place]) - float(one.low[place])) / 2
                words = f"{words} ± {percent(half, 1)}"
            yield words

    # As a picture

    def picture(self, title: str) -> Picture:
        """Bars for values; for numbers steps of the true answers, and lines of the others."""
        labels = self.values or self.labels
        across = Axis(Message.of(self.about or self.unit), labels=labels)
        marks = self._lines() if self.is_numeric else self._bars()
        top = max((float(np.nanmax(one.y, initial=0.0)) for one in marks), default=0.0)
        bands = [float(np.nanmax(one.high, initial=0.0)) for one in marks if one.high is not None]
        # A very wide band may leave the picture: what it belongs to must stay readable.
        is_wide = self.is_numeric and max(bands, default=0.0) > WIDEST * top
        high = WIDEST * top if is_wide else None
        shares, nothing = (
            Axis(Message("share"), kind=Kind.SHARE, low=0.0, high=high),
            np.full(1, np.nan),
        )
        if self.base is not None and any(one.role == "distorted" for one in self.series):
            named, at = Message("reported by chance"), np.full(1, self.base)
            marks.append(Mark(Shape.RULE, Role.REFERENCE, named, nothing, at))
        for end in () if labels else (self.domain or ()):
            at = np.full(1, float(end))
            marks.append(Mark(Shape.RULE, Role.REFERENCE, Message("range"), at, nothing))
        return Picture("histogram", Message.of(title), across, shares, tuple(marks), self.note)

    def _bars(self) -> list[Mark]:
        return [
            self._mark(
                Shape.BARS, one, np.arange(1.0 * len(one.share)), one.share, one.low, one.high
            )
            for one in self.series
        ]

    def _lines(self) -> list[Mark]:
        """Heights as if every series had the cells of the first, which makes them comparable."""
        marks: list[Mark] = []
        width = 0.0
        for one in self.series:
            if one.edges is None:
                continue
            cells = np.diff(one.edges)
            width = width or float(np.median(cells))
            x, y = (one.edges[:-1] + one.edges[1:]) / 2, one.share * (width / cells)
            low = high = None
            if one.role == "original":
                x = np.repeat(one.edges, 2)
                y = np.concatenate([[0.0], np.repeat(y, 2), [0.0]])
            elif one.low is not None and one.high is not None:
                low, high = one.low * (width / cells), one.high * (width / cells)
            marks.append(self._mark(Shape.LINE, one, x, y, low, high))
        return marks

    def _mark(
        self, shape: Shape, one: Shares, x: Numbers, y: Numbers, low: Numbers | None,
        high: Numbers | None,
    ) -> Mark:  # fmt: skip
        role, series = role_of(one.role)
        return Mark(shape, role, Message.of(self.name(one)), x, y, low, high, series=series)


def _are_same(edges: Numbers | None, other: Numbers | None) -> bool:
    if edges is None or other is None:
        return edges is other
    return np.array_equal(edges, other)


def fits_bars(k: int) -> bool:
    """Whether so many values can be drawn as bars side by side."""
    return k <= MOST_BARS
