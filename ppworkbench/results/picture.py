"""A chart of a result as values: pyqtgraph draws it in the window, matplotlib elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ppworkbench.core.message import Message
from ppworkbench.results.sheet import Column, Kind, Sheet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]


MANY = 24
"""Points of a line of which each has its mark and its interval; of more there is a band."""


class Shape(StrEnum):
    """What a mark is drawn as."""

    BARS = "bars"
    INTERVALS = "intervals"
    LINE = "line"
    POINTS = "points"
    DOTS = "dots"
    BAND = "band"
    CELLS = "cells"
    PEOPLE = "people"
    RULE = "rule"
    BOXES = "boxes"


class Role(StrEnum):
    """Whose numbers a mark shows; its look follows from that everywhere."""

    ESTIMATE = "estimate"
    REPORTED = "reported"
    TRUE = "true"
    REFERENCE = "reference"
    SERIES = "series"


MOST_LINES = 18
"""Lines of a picture below each other; the frame of a result has all."""


@dataclass(frozen=True)
class Interval:
    """A number with the ends of its interval, where a result keeps them apart."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Shares:
    """A distribution: a share per value, or per cell between ``edges``, with its intervals.

    ``role`` says whose answers they are: original, distorted or reconstructed; of a series beside
    these it is how the series is drawn, and ``name`` what it is called.
    """

    role: str
    share: Values
    edges: Values | None = None
    low: Values | None = None
    high: Values | None = None
    name: str = ""


@dataclass(frozen=True, eq=False)
class Axis:
    """One axis.

    Parameters
    ----------
    labels
        Where its places are things, the first on top or on the left; what follows a new line is
        smaller.
    kind
        How its numbers are written; an axis of texts has none.
    notes
        What stands at the other end of the lines of the things.
    strong
        The places of the things that matter most.
    """

    title: Message
    unit: str = ""
    labels: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    is_log: bool = False
    kind: Kind = Kind.NUMBER
    notes: tuple[str, ...] = ()
    strong: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class Mark:
    """One series of a picture.

    Parameters
    ----------
    name
        What the legend calls it.
    x, y
        Places along both axes, NaN where there is nothing; dots are many numbers of each thing,
        with a line at their mean; cells have a row of ``y`` per place of
        the y axis, and a column per place of the x axis. A rule goes along the axis on which it
        has no place. Boxes have words on several lines, and make axes needless.
    low, high
        The ends of intervals, of a band or of the spread of a line, along the axis of the numbers;
        the left and the right ends of boxes.
    words
        What is written beside its places, empty where nothing is; of cells, row by row.
    names
        What the points of a cloud are called.
    series
        Its place among the series, where the same series has the same colour in other pictures.
    """

    shape: Shape
    role: Role
    name: Message
    x: Values
    y: Values
    low: Values | None = None
    high: Values | None = None
    words: tuple[str, ...] = ()
    names: Sequence[str] = ()
    series: int | None = None

    def __post_init__(self) -> None:
        is_ended = self.low is not None and self.high is not None
        if self.shape in {Shape.INTERVALS, Shape.BAND, Shape.BOXES} and not is_ended:
            raise ValueError(f"{self.shape} need both ends: {self.name}.")


@dataclass(frozen=True, eq=False)
class Picture:
    """A chart.

    Parameters
    ----------
    note
        What a reader of a paper must know: how many answered, how far the bars reach.
    handles
        Names of marks that may be dragged in the window; nowhere else.
    of_truth
        Whether all of it was made of true answers; marks of true numbers say it by themselves.
    """

    name: str
    title: Message
    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    note: Message = Message("")
    handles: tuple[str, ...] = ()
    of_truth: bool = False

    @property
    def holds_truth(self) -> bool:
        """Whether it tells of true answers, so that a file of it is for their owner only."""
        return self.of_truth or any(one.role is Role.TRUE for one in self.marks)

    def said(self, say: Callable[[str], str]) -> Picture:
        """The same with our own words beside its places said so; those of other people stay."""

        def words(texts: Sequence[str]) -> tuple[str, ...]:
            return tuple(say(one) if isinstance(one, Message) else one for one in texts)

        def axis(one: Axis) -> Axis:
            return replace(one, labels=words(one.labels), notes=words(one.notes))

        marks = tuple(replace(one, words=words(one.words)) for one in self.marks)
        return replace(self, x=axis(self.x), y=axis(self.y), marks=marks)

    @property
    def is_lying(self) -> bool:
        """Whether the numbers go to the right and the things stand below each other."""
        return bool(self.y.labels)

    @property
    def is_numbered(self) -> bool:
        """Whether places tell numbers; those of people do not."""
        return self.x.kind is not Kind.TEXT

    @property
    def things(self) -> Axis:
        """The axis along which the numbers are read."""
        return self.y if self.is_lying else self.x

    @property
    def numbers(self) -> Axis:
        """The axis of the numbers."""
        return self.x if self.is_lying else self.y

    def values_of(self, mark: Mark) -> tuple[Values, Values]:
        """The places of a mark along the axis of the things, and its numbers."""
        return (mark.y, mark.x) if self.is_lying else (mark.x, mark.y)

    def stands(self, rule: Mark) -> bool:
        """Whether a rule goes upwards."""
        return bool(rule.y[0] != rule.y[0]) or (self.is_lying and bool(rule.x[0] == rule.x[0]))

    @property
    def rules(self) -> list[Mark]:
        """The rules with a name; handles are about the window."""
        rules = [one for one in self.marks if one.shape is Shape.RULE and one.name]
        return [one for one in rules if one.name not in self.handles]

    @property
    def names_rules(self) -> bool:
        """Whether rules have their names at their ends: several look alike, or like lines."""
        is_plain = all(one.role is Role.REFERENCE for one in self.rules)
        return len(self.rules) > is_plain and not any(map(self.stands, self.rules))

    def end_of(self, rule: Mark, near: float) -> tuple[int, bool]:
        """Where a rule has its name: at its left (0) or right end, and whether above it.

        Names stand where lines are further, and beside a handle, which is mostly at the right. Of
        rules that lie together two have their names above them, at both ends, the next ones below.
        """
        import numpy as np

        at = float(rule.y[0])
        beside = [one for one in self.rules if abs(float(one.y[0]) - at) < near]
        beside.sort(key=lambda one: -float(one.y[0]))
        turn = next(place for place, one in enumerate(beside) if one is rule)
        lines = [one.y[[0, -1]] for one in self.marks if one.shape is Shape.LINE and len(one.y)]
        away = np.nanmin(np.abs(np.array([*lines, [np.inf, np.inf]]) - at), axis=0)
        is_left = bool(self.handles) or bool(away[0] > away[1])
        return int(bool(turn % 2) == is_left), turn < 2

    def is_dip(self, point: Mark, place: int) -> bool:
        """Whether a line of the same role comes down to a point from both sides."""
        import numpy as np

        lines = [one for one in self.marks if one.shape is Shape.LINE and one.role is point.role]
        for one in lines:
            x = np.array([*one.x, point.x[place]], np.float64)
            x = np.log1p(x) if self.x.is_log else x
            around = x[-1] + 0.1 * np.ptp(x) * np.array([-1.0, 1.0])
            if (np.interp(around, x[:-1], one.y) > point.y[place]).all():
                return True
        return False

    def place_of(self, mark: Mark) -> tuple[int, int]:
        """The place of a mark among those of its shape at its things, and how many these are."""
        own = set(self.values_of(mark)[0].tolist())
        alike = [
            one
            for one in self.marks
            if one.shape is mark.shape and not own.isdisjoint(self.values_of(one)[0].tolist())
        ]
        return next(i for i, one in enumerate(alike) if one is mark), len(alike)

    def series_of(self, mark: Mark) -> int:
        """The place of a mark among the series, from which its colour follows."""
        if mark.series is not None:
            return mark.series
        series = (one for one in self.marks if one.role is Role.SERIES)
        return next((i for i, one in enumerate(series) if one is mark), 0)


def intervals(  # noqa: PLR0913 (keywords with defaults)
    name: str,
    title: Message,
    numbers: Axis,
    labels: Sequence[str],
    estimates: Sequence[Any],
    *,
    note: Message = Message(""),
    things: Message = Message(""),
    zero: bool = False,
) -> Picture:
    """A point with its interval per line, what was reported and what is true beside it.

    An unknown end reaches nowhere, and an interval reaches to its estimate, which may have been
    published outside of it. ``zero`` marks no difference, which is a ratio of 1.
    """
    import numpy as np

    places = np.arange(len(labels), dtype=np.float64)
    middle, low, high = _reach(estimates)
    marks = [Mark(Shape.INTERVALS, Role.ESTIMATE, Message("estimate"), middle, places, low, high)]
    marks += [
        Mark(Shape.POINTS, role, called, values, places)
        for role, called, values in _beside(estimates)
    ]
    if zero:
        none = np.ones(1) if numbers.is_log else np.zeros(1)
        marks.append(Mark(Shape.RULE, Role.REFERENCE, Message("no difference"), none, none))
    return Picture(name, title, numbers, Axis(things, labels=tuple(labels)), tuple(marks), note)


def bars(
    name: str,
    title: Message,
    things: Message,
    numbers: Axis,
    labels: Sequence[str],
    estimates: Sequence[Any],
    *,
    note: Message = Message(""),
) -> Picture:
    """A bar with its interval per value, what was reported and what is true beside it."""
    import numpy as np

    places = np.arange(len(labels), dtype=np.float64)
    middle, low, high = _reach(estimates)
    marks = [Mark(Shape.BARS, Role.ESTIMATE, Message("estimate"), places, middle, low, high)]
    marks += [
        Mark(Shape.POINTS, role, called, places, values)
        for role, called, values in _beside(estimates)
    ]
    return Picture(name, title, Axis(things, labels=tuple(labels)), numbers, tuple(marks), note)


def _values(estimates: Sequence[Any], key: str) -> Values:
    import numpy as np

    found = np.array([getattr(one, key, None) for one in estimates], np.float64)
    return np.where(np.isfinite(found), found, np.nan)


def _reach(estimates: Sequence[Any]) -> tuple[Values, Values, Values]:
    """Numbers and the ends of their intervals, which hold the numbers themselves."""
    import numpy as np

    middle, low, high = (_values(estimates, key) for key in ("estimate", "low", "high"))
    low = np.where(np.isfinite(low), np.minimum(low, middle), middle)
    high = np.where(np.isfinite(high), np.maximum(high, middle), middle)
    return middle, low, high


def _beside(estimates: Sequence[Any]) -> Iterator[tuple[Role, Message, Values]]:
    """What was reported and what is true, where somebody knows it."""
    import numpy as np

    known = (("naive", Role.REPORTED, Message("uncorrected")), ("true", Role.TRUE, Message("true")))
    for key, role, called in known:
        values = _values(estimates, key)
        if np.isfinite(values).any():
            yield role, called, values


def spread_of(places: Values) -> Values:
    """How far the dots of each thing stand beside it: evenly, by the golden ratio.

    >>> import numpy as np
    >>> spread_of(np.array([0.0, 0.0, 1.0])).round(2).tolist()
    [-0.26, 0.06, -0.26]
    """
    import numpy as np

    turns = np.zeros(len(places))
    for place in np.unique(places):
        is_here = places == place
        turns[is_here] = np.arange(int(is_here.sum()))
    found: Values = 0.52 * ((turns * 0.618034) % 1.0 - 0.5)
    return found


def lengths(
    name: str, title: Message, numbers: Axis, labels: Sequence[str], values: Sequence[float]
) -> Picture:
    """A lying bar per line, the first on top."""
    import numpy as np

    places, found = np.arange(len(labels), dtype=np.float64), np.array(values, np.float64)
    bars = Mark(Shape.BARS, Role.ESTIMATE, numbers.title, found, places)
    return Picture(name, title, numbers, Axis(Message(""), labels=tuple(labels)), (bars,))


def numbers_sheet(picture: Picture) -> Sheet:
    """The numbers that a picture shows, a row each: of which series, where, and with what ends."""
    rows = [row for mark in picture.marks for row in _numbers_of(picture, mark)]
    labels = picture.things.labels
    kind = Kind.TEXT if labels else Kind.NUMBER
    series, places, values, lows, highs = map(list, zip(*rows, strict=True)) if rows else [[]] * 5
    columns = (
        Column("series", Message("series"), Kind.TEXT, series),
        Column("place", Message("place"), kind, places),
        Column(
            "value",
            Message("value"),
            Kind.NUMBER,
            values,
            low="low",
            high="high",
            unit=picture.numbers.unit,
        ),
        Column("low", Message("low"), Kind.NUMBER, lows),
        Column("high", Message("high"), Kind.NUMBER, highs),
    )
    return Sheet(picture.name, picture.title, columns, note=picture.note)


_Row = tuple[str, "str | float", float, float, float]


def _numbers_of(picture: Picture, mark: Mark) -> Iterator[_Row]:
    none = float("nan")
    if mark.shape is Shape.BOXES or not picture.is_numbered:
        return
    if mark.shape is Shape.CELLS:
        for label, row in zip(picture.y.labels, mark.y, strict=False):
            for place, value in zip(picture.x.labels, row.tolist(), strict=False):
                yield str(label), str(place), value, none, none
        return
    labels = [one.partition("\n")[0] for one in picture.things.labels]
    places, numbers = picture.values_of(mark)
    if mark.shape is Shape.RULE:
        value = float((mark.x if picture.stands(mark) else mark.y)[0])
        yield str(mark.name), "" if labels else none, value, none, none
        return
    ends = [[none] * len(places) if end is None else end.tolist() for end in (mark.low, mark.high)]
    for at, (place, number, low, high) in enumerate(
        zip(places.tolist(), numbers.tolist(), *ends, strict=True)
    ):
        if number == number:  # noqa: PLR0124 (NaN)
            named = str(mark.names[at]) if at < len(mark.names) else str(mark.name)
            yield named, labels[round(place)] if labels else place, number, low, high


def interval_note(n: int, confidence: float) -> Message:
    """How many answered and what intervals are, below a chart that leaves the program."""
    return Message(
        "n = {n:,}; bars are {level:g} % confidence intervals.", n=n, level=100 * confidence
    )


def answers_note(n: int, confidence: float | None = None, *, is_expected: bool = False) -> Message:
    """The same where intervals are bars or bands, or where there are none."""
    if confidence is None:
        return Message("n = {n:,}.", n=n)
    said = Message("n = {n:,}; {level:g} % confidence intervals.", n=n, level=100 * confidence)
    if is_expected:
        return Message("Expected for {answers}", answers=said)
    return said
