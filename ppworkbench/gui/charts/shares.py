"""Shares of answers as data and as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.charts.looks import series_look
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import percent

ROLES = ("original", "distorted", "reconstructed")
MOST_BARS = 20


@dataclass(frozen=True, eq=False)
class Shares:
    """One distribution: a share per value, or per cell between ``edges``.

    ``low`` and ``high`` are the interval of each share where there is one.
    """

    role: str
    share: Numbers
    edges: Numbers | None = None
    low: Numbers | None = None
    high: Numbers | None = None


@dataclass(frozen=True, eq=False)
class Histogram:
    """What the plot shows: labels of values, or numbers in cells.

    ``base`` is the share with which reports name a value that is not the true one, where they are
    sets: distorted shares are to be read from there.
    """

    series: tuple[Shares, ...] = ()
    labels: tuple[str, ...] = ()
    domain: tuple[float, float] | None = None
    unit: str = ""
    names: dict[str, str] = field(default_factory=dict)
    base: float | None = None

    @property
    def is_numeric(self) -> bool:
        """Whether the cells lie on an axis of numbers."""
        return not self.labels


@dataclass(frozen=True, eq=False)
class Estimate:
    """The estimate of an algorithm that is not in focus, in the cells of the original."""

    name: str
    place: int
    share: Numbers
    edges: Numbers | None = None
    low: Numbers | None = None
    high: Numbers | None = None

    @property
    def look(self) -> str:
        """How it is drawn."""
        return series_look(self.place)


@dataclass(frozen=True, eq=False)
class Comparison:
    """What the plot shows.

    ``values`` names the cells where there are more values than bars have room for: they are drawn
    as numbers 0, 1, 2, … then.
    """

    histogram: Histogram = field(default_factory=Histogram)
    estimates: tuple[Estimate, ...] = ()
    values: tuple[str, ...] = ()


def fits_bars(k: int) -> bool:
    """Whether so many values can be drawn as bars side by side."""
    return k <= MOST_BARS


@dataclass(frozen=True, eq=False)
class ShareColumn:
    """A named distribution; ``look`` is how the plot draws it."""

    name: str
    look: str
    share: Numbers
    edges: Numbers | None = None
    low: Numbers | None = None
    high: Numbers | None = None

    @property
    def heads(self) -> list[str]:
        """What stands over its numbers."""
        if self.low is None or self.high is None:
            return [self.name]
        return [self.name, tr("%s, low") % self.name, tr("%s, high") % self.name]

    def cells(self, place: int, digits: int) -> list[str]:
        """Its numbers at one answer."""
        parts = [self.share]
        if self.low is not None and self.high is not None:
            parts += [self.low, self.high]
        return [percent(float(part[place]), digits) for part in parts]


def head_looks(columns: Sequence[ShareColumn]) -> tuple[str, ...]:
    """How each column is drawn in the plot; row names and ends of intervals are not."""
    return "", *(look for one in columns for look in (one.look, *[""] * (len(one.heads) - 1)))


def table_of_values(
    columns: Sequence[ShareColumn], labels: Sequence[str], digits: int
) -> list[list[str]]:
    """One row per answer."""
    rows = [["", *(head for column in columns for head in column.heads)]]
    for place, label in enumerate(labels):
        rows.append([label, *(cell for one in columns for cell in one.cells(place, digits))])
    return rows


def table_of_cells(
    columns: Sequence[ShareColumn], words: Callable[[Numbers, int], str], digits: int
) -> list[list[str]]:
    """One row per cell of numbers; series with other cells follow below."""
    rows = [["", *(head for column in columns for head in column.heads)]]
    seen: list[Numbers] = []
    for first in columns:
        edges = first.edges
        if edges is None or any(np.array_equal(edges, other) for other in seen):
            continue
        seen.append(edges)
        own = [one.edges is not None and np.array_equal(edges, one.edges) for one in columns]
        for place in range(len(edges) - 1):
            cells = [words(edges, place)]
            for is_own, one in zip(own, columns, strict=True):
                cells += one.cells(place, digits) if is_own else [""] * len(one.heads)
            rows.append(cells)
    return rows


def said(label: str, names: Sequence[str], values: Sequence[str]) -> str:
    """A row for those who hear it; what is not there is not said."""
    known = (f"{name} {value}" for name, value in zip(names, values, strict=True) if value)
    return f"{label}: {', '.join(known)}"


def said_share(column: ShareColumn, place: int) -> str:
    """A share for those who hear it, with half of its interval."""
    words = percent(float(column.share[place]), 1)
    if column.low is None or column.high is None:
        return words
    half = (float(column.high[place]) - float(column.low[place])) / 2
    return f"{words} ± {percent(half, 1)}"
