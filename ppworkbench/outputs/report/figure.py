"""Figures of a report: distributions and effects as pictures, drawn for a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.message import Message
from ppworkbench.results.figure import picture_bytes, picture_drawing
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape, Shares, intervals
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.results.text import picture_words, written
from ppworkbench.study.blocks import Figure, Grid

Say = Callable[[str], str]

_ROLES = {
    "original": Role.TRUE, "distorted": Role.REPORTED, "reconstructed": Role.ESTIMATE,
}  # fmt: skip
_WORDS = {
    "original": Message("original"), "distorted": Message("distorted"),
    "reconstructed": Message("reconstructed"), "reported": Message("reported"),
}  # fmt: skip
_MOST_MARKS = 30
"""With more intervals than this, they are drawn as a band."""
_SHARE = Axis(Message("Share"), "%", low=0.0)
_FAR = 4.0
"""An interval is drawn up to so many times the width of the points; then it ends in an arrow."""


@dataclass(frozen=True)
class Effect:
    """A number with its interval; what was reported and what is true beside it, where known."""

    label: str
    estimate: float
    low: float
    high: float
    naive: float | None = None
    true: float | None = None


def drawn(picture: Picture, say: Say = str) -> Figure:
    """A picture as a block of a report, with its words for those who cannot see it."""
    found = picture_drawing(picture, say)

    def dots() -> bytes:
        return picture_bytes(picture, "png", "report", say)

    return Figure(
        found.svg, picture_words(picture, say), found.width, found.height, picture.title, dots
    )


def sheet_grid(sheet: Sheet, *shares: str, caption: str = "") -> Grid:
    """A sheet as a table of a report, its intervals in a column each.

    Some of its numbers are read as percentages.
    """
    shown = sheet.in_percent(*shares)
    places = shown.listed or range(shown.rows)
    columns: list[tuple[Message, bool, list[str]]] = []
    for one in shown.drawn():
        columns.append((_head(one), one.is_text, [written(one, place) for place in places]))
        if one.low:
            ends = shown[one.low], shown[one.high]
            known = [tuple(written(end, place) for end in ends) for place in places]
            columns.append((_interval_head(one), False, [_interval(*pair) for pair in known]))
    heads = tuple(head for head, *_ in columns)
    right = tuple(head for head, is_text, _ in columns if not is_text)
    return Grid(heads, tuple(zip(*(cells for *_, cells in columns), strict=True)), right, caption)


def cells_grid(picture: Picture) -> Grid:
    """The cells of a picture as a table, with fewer columns than rows where they differ."""
    words, across, down = picture.marks[0].words, picture.x, picture.y
    width = len(across.labels)
    cells = [words[start : start + width] for start in range(0, len(words), width)]
    if width > len(cells):
        cells, across, down = [*zip(*cells, strict=True)], down, across
    heads = (down.title, *across.labels)
    rows = tuple((name, *row) for name, row in zip(down.labels, cells, strict=True))
    note = Message("± is half of a {level:g} % confidence interval.", level=95)
    columns = Message("Columns: {what}.", what=across.title)
    return Grid(heads, rows, across.labels, Message.joined([columns, picture.note, note]))


def _interval_head(column: Column) -> Message:
    unit = column.unit or "%" * (column.kind is Kind.PERCENT)
    return Message("interval ({unit})", unit=unit) if unit else Message("interval")


def _interval(low: str, high: str) -> str:
    return low if low == high == "-" else Message("{low} to {high}", low=low, high=high)


def _head(column: Column) -> Message:
    unit = column.unit or "%" * (column.kind is Kind.PERCENT)
    return Message("{head} ({unit})", head=column.head, unit=unit) if unit else column.head


def role_word(role: str, series: Sequence[Shares]) -> str:
    """What shares of a role are called beside the others.

    Without the true answers nothing was distorted here: the others are what people reported.
    """
    has_truth = any(one.role == "original" for one in series)
    return "reported" if role == "distorted" and not has_truth else role


def bars_picture(title: str, labels: tuple[str, ...], series: Sequence[Shares]) -> Picture:
    places = np.arange(len(labels), dtype=np.float64)
    marks = [
        Mark(Shape.BARS, _ROLES[one.role], _name(one, series), places, *_percent(one))
        for one in series
    ]
    values = Axis(Message(""), labels=labels)
    return Picture("shares", Message("{title}", title=title), values, _SHARE, tuple(marks), _NOTE)


def curves_picture(title: str, unit: str, series: Sequence[Shares]) -> Picture:
    """Steps over the axis of a number, as share of each interval of equal width."""
    width = next(float(np.median(np.diff(one.edges))) for one in series if one.edges is not None)
    marks: list[Mark] = []
    for one in series:
        assert one.edges is not None  # noqa: S101 (numbers are counted in intervals)
        factor = width / np.diff(one.edges)
        shares, low, high = (None if x is None else x * factor for x in _percent(one))
        assert shares is not None  # noqa: S101
        role, name = _ROLES[one.role], _name(one, series)
        x, y = np.repeat(one.edges, 2), np.concatenate([[0.0], np.repeat(shares, 2), [0.0]])
        marks.append(Mark(Shape.LINE, role, name, x, y))
        if low is not None and high is not None:
            middle = (one.edges[:-1] + one.edges[1:]) / 2
            shape = Shape.BAND if len(shares) > _MOST_MARKS else Shape.INTERVALS
            marks.append(Mark(shape, role, _INTERVAL, middle, shares, low, high))
    last = series[-1]
    assert last.edges is not None  # noqa: S101
    middle = (last.edges[:-1] + last.edges[1:]) / 2
    mean = float(middle @ last.share / max(float(last.share.sum()), 1e-300))
    told = Message(
        "The mean of the {role} distribution is about {mean:.4g}.", role=last.role, mean=mean
    )
    titled = Message("{title}", title=title)
    return Picture("distribution", titled, Axis(titled, unit), _SHARE, tuple(marks), told)


_NOTE = Message("Bars are {level:g} % confidence intervals.", level=95)
_INTERVAL = Message("{level:g} % confidence interval", level=95)


def _name(one: Shares, series: Sequence[Shares]) -> Message:
    return _WORDS[role_word(one.role, series)]


def _percent(one: Shares) -> tuple[Numbers, Numbers | None, Numbers | None]:
    low, high = (None if end is None else 100 * end for end in (one.low, one.high))
    return 100 * one.share, low, high


def effects_picture(
    title: Message, axis: Message, effects: Sequence[Effect], confidence: float, *, unit: str = ""
) -> Picture:
    note = Message("Bars are {level:g} % confidence intervals.", level=100 * confidence)
    low, high = _reach(effects)
    numbers = Axis(axis, unit, low=low, high=high)
    labels = [one.label for one in effects]
    made = intervals("effects", title, numbers, labels, effects, note=note)
    # As the tables of a report call it.
    said = {Role.REPORTED: _WORDS["reported"], Role.TRUE: _WORDS["original"]}
    marks = tuple(replace(one, name=said.get(one.role, one.name)) for one in made.marks)
    return replace(made, marks=marks)


def _reach(effects: Sequence[Effect]) -> tuple[float, float]:
    """The ends of the axis: all points, and of the intervals what is not far from them."""
    points = [x for one in effects for x in (one.estimate, one.naive, one.true) if _is_drawn(x)]
    ends = [end for one in effects for end in (one.low, one.high) if _is_drawn(end)]
    points = points or [0.0]
    # A single question has no spread of its own, and its interval is all there is to be seen.
    lengths = [one.high - one.low for one in effects if _is_drawn(one.low) and _is_drawn(one.high)]
    width = max(max(points) - min(points), min(lengths, default=0.0), 1e-9)
    low = max(min([*ends, *points]), min(points) - _FAR * width)
    high = min(max([*ends, *points]), max(points) + _FAR * width)
    margin = 0.04 * max(high - low, 1e-9)
    return low - margin, high + margin


def _is_drawn(number: float | None) -> TypeGuard[float]:
    return number is not None and math.isfinite(number)
