"""Estimates with their intervals, a line for each, as pages make them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.message import Message
from ppworkbench.gui.charts.legend import ROLES
from ppworkbench.gui.charts.looks import series_of
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.results import picture as pictures
from ppworkbench.results.picture import Axis, Picture, Role, Shape
from ppworkbench.results.sheet import Kind


@dataclass(frozen=True)
class Mark:
    """A number in a row.

    ``look`` is one of the three roles or ``series i``. Ends that are not finite are not drawn.
    ``words`` stand beside the mark, ``note`` greyer behind them.
    """

    look: str
    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    words: str = ""
    note: str = ""

    @property
    def has_interval(self) -> bool:
        """Whether both ends are known."""
        return math.isfinite(self.low) and math.isfinite(self.high)


@dataclass(frozen=True)
class IntervalRow:
    """Marks on one line under a name; ``note`` stands at the right end of the row."""

    name: str
    marks: tuple[Mark, ...] = ()
    caption: str = ""
    note: str = ""
    bold: bool = False


def plain_number(value: float) -> str:
    """A number for the hover box and the clipboard."""
    return number(value, 1)


def rows_picture(
    title: str,
    rows: tuple[IntervalRow, ...],
    *,
    is_share: bool = False,
    from_zero: bool = True,
    limits: tuple[float, float] | None = None,
) -> Picture:
    """Rows as a picture: marks of the same name are one series.

    The axis does not reach beyond ``limits``; arrows at its ends stand for what does.
    """
    found: dict[tuple[str, str], list[tuple[int, Mark]]] = {}
    for place, one in enumerate(rows):
        for mark in one.marks:
            found.setdefault((mark.look, mark.name), []).append((place, mark))
    marks = tuple(_series(look, name, placed) for (look, name), placed in found.items())
    low, high = _ends(rows, from_zero=from_zero, limits=limits)
    labels = tuple(f"{one.name}\n{one.caption}" if one.caption else one.name for one in rows)
    strong = frozenset(place for place, one in enumerate(rows) if one.bold)
    notes = tuple(map(_note, rows)) if any(map(_note, rows)) else ()
    kind, nothing = Kind.SHARE if is_share else Kind.NUMBER, Message("")
    across = Axis(nothing, low=low, high=high, kind=kind)
    down = Axis(nothing, labels=labels, notes=notes, strong=strong)
    return Picture("intervals", Message(title), across, down, marks)


def _note(row: IntervalRow) -> str:
    said = [f"{mark.words} {mark.note}".strip() for mark in row.marks]
    return row.note or ", ".join(filter(None, said))


def _series(look: str, name: str, placed: list[tuple[int, Mark]]) -> pictures.Mark:
    places, values, low, high = (
        np.array(column, np.float64)
        for column in zip(*((at, m.value, m.low, m.high) for at, m in placed), strict=True)
    )
    role = ROLES.get(look, Role.SERIES)
    series = series_of(look) if role is Role.SERIES else None
    if not any(mark.has_interval for _, mark in placed):
        return pictures.Mark(
            Shape.POINTS, role, Message(name), values, places, series=series
        )  # fmt: skip
    return pictures.Mark(
        Shape.INTERVALS, role, Message(name), values, places, low, high, series=series
    )


def _ends(
    rows: tuple[IntervalRow, ...], *, from_zero: bool, limits: tuple[float, float] | None
) -> tuple[float, float]:
    ends = [0.0] if from_zero else []
    for mark in (mark for one in rows for mark in one.marks):
        ends += [e for e in (mark.value, mark.low, mark.high) if math.isfinite(e)]
    if limits is not None:
        ends = [min(max(end, limits[0]), limits[1]) for end in ends]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    is_at_zero = from_zero and low == 0
    if high <= low:
        reach = max(abs(high), 1.0) * 0.5
        low, high = (low if is_at_zero else low - reach), high + reach
    spread = high - low
    return low - (0.02 if is_at_zero else 0.05) * spread, high + 0.04 * spread


class IntervalPlot(PictureChart):
    """Rows from top to bottom; ``wide`` draws intervals as pills instead of whiskers."""

    def __init__(self, themes: ThemeManager, name: str, *, wide: bool = False) -> None:
        self.shown: tuple[IntervalRow, ...] = ()
        super().__init__(themes, name, least=(220, 110), is_wide=wide)

    def show_rows(
        self,
        rows: tuple[IntervalRow, ...],
        write: Callable[[float], str] = plain_number,
        *,
        is_share: bool = False,
        from_zero: bool = True,
        limits: tuple[float, float] | None = None,
    ) -> None:
        """Show other rows; the axis does not reach beyond ``limits``."""
        self.shown = rows
        name = self.accessibleName()
        picture = rows_picture(
            name, rows, is_share=is_share, from_zero=from_zero, limits=limits
        )  # fmt: skip
        self.set_picture(picture if rows else None, write)
