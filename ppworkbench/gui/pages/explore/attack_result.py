"""What an attack found, as it is shown: picture, sentence and table."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ppworkbench.core.attacks import (
    BestGuess,
    Counted,
    Filtering,
    Finding,
    Linkage,
    Measured,
    RepeatedQuestion,
)
from ppworkbench.core.attacks.filtering import ALONE, BAYES, METHODS, SPECTRAL
from ppworkbench.gui.charts.intervals import IntervalRow, Mark
from ppworkbench.gui.charts.levels import LevelLine, LevelPoint, Levels, Reference
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, percent, significant


@dataclass(frozen=True)
class StepLevels(Levels):
    """Shares on an axis that begins at nothing, in steps of ten in a hundred."""

    @property
    def y_range(self) -> tuple[float, float]:
        values = [point.mean for line in self.lines for point in line.points]
        highest = max(values + [one.value for one in self.references], default=1.0)
        return 0.0, min(max(math.ceil(highest * 10 + 0.2) / 10, 0.2), 1.0)


@dataclass(frozen=True)
class AttackView:
    """Rows of marks or curves, never both; the first column of the table is words.

    Parameters
    ----------
    title, axis
        Over the picture, and below it.
    legend
        Looks and words of the marks.
    knows
        What the attacker is taken to know, and how the numbers came about.
    """

    title: str
    axis: str
    sentence: str
    knows: str
    heads: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]
    rows: tuple[IntervalRow, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    curves: StepLevels | None = None
    ticks: tuple[str, ...] = ()


Naming = Callable[[str], str]
"""What people call the attribute of that name."""

_MOST_ROWS = 18
"""Rows that a picture shows; the table has all of them."""


def share(value: float, digits: int = 1) -> str:
    """A share as a percentage; rounding leaves no minus before a zero."""
    return percent(round(value, digits + 2) + 0.0, digits)


def in_100(value: float) -> str:
    """How many of 100, without decimals where there are enough digits."""
    digits = 0 if value >= 0.1 or value <= 0 else 1
    # 99.7 of 100 must not be told as all of them.
    digits = 1 if 0.995 <= value < 0.9995 else digits
    return number(100 * value, digits)


def span(low: float, high: float) -> str:
    """An interval of shares, in percent without the sign."""
    return tr("%s to %s") % (number(100 * low, 1), number(100 * high, 1))


def counted(right: Counted) -> str:
    """How often something was right; a dash where nothing was tried."""
    return "–" if not right.n else share(right.share)


def ends(right: Counted) -> str:
    """The interval of how often something was right."""
    return "–" if not right.n else span(*right.interval)


def in_slices(slices: int | None) -> str:
    """What counts as a guessed number; nothing for values."""
    if slices is None:
        return ""
    return " " + tr("A number is guessed correctly if its bin, one of %s, is.") % (number(slices))


def _view_filter(found: Filtering, shown: Naming) -> AttackView:
    """The picture of filtered noise."""
    names = {ALONE: tr("separately"), SPECTRAL: tr("spectral"), BAYES: tr("jointly")}
    looks = {ALONE: "series 4", SPECTRAL: "series 2", BAYES: "series 0"}
    whole, alone = found.removed[BAYES], found.removed[ALONE]
    sentence = tr(
        "From %s attributes jointly, an attacker removes %s of the noise variance "
        "(interval %s); from each attribute separately, %s."
    ) % (
        number(len(found.attributes)),
        share(whole.value),
        span(*whole.interval),
        share(alone.value),
    )
    if found.kept == len(found.attributes):
        sentence += " " + tr(
            "The spectral filter finds signal in every direction and removes nothing."
        )
    else:
        sentence += " " + tr("The spectral filter keeps %s of %s directions and removes %s.") % (
            number(found.kept),
            number(len(found.attributes)),
            share(found.removed[SPECTRAL].value),
        )
    rows = [
        IntervalRow(
            name,
            tuple(
                Mark(looks[m], names[m], removed[m].value, *_drawn(removed[m], bold or m == BAYES))
                for m in METHODS
            ),
            caption,
            bold=bold,
        )
        for name, caption, removed, bold in (
            (tr("all jointly"), "", found.removed, True),
            *(
                (shown(one.name), tr("noise σ %s") % significant(one.stated, 3), one.removed, False)
                for one in found.attributes[: _MOST_ROWS - 1]
            ),
        )
    ]
    table = tuple(
        (
            shown(one.name),
            *(significant(v, 3) for v in (one.stated, one.published, *_errors(one.rmse))),
        )
        for one in found.attributes
    )
    knows = tr(
        "The attacker knows only the design. The table shows the stated noise and the "
        "root mean square error before and after filtering, over %s records."
    ) % number(found.records)
    return AttackView(
        tr("Share of the noise variance removed"),
        tr("share of the noise variance removed"),
        sentence,
        knows,
        (tr("attribute"), tr("noise"), tr("reported"), *(names[m] for m in METHODS)),
        table,
        tuple(rows),
        tuple((looks[m], names[m]) for m in METHODS),
    )


def _drawn(removed: Measured, whole: bool) -> tuple[float, float]:
    """The interval where it would not lie over others."""
    return removed.interval if whole else (math.nan, math.nan)


def _errors(rmse: dict[str, float]) -> tuple[float, ...]:
    return tuple(rmse[m] for m in METHODS)


def _view_guess(found: BestGuess, shown: Naming) -> AttackView:
    """The picture of a best guess."""
    seen = in_slices(found.slices)
    low, high = found.right.interval
    drawn, stated, blind = (in_100(v) for v in (found.right.share, found.expected, found.blind))
    if found.expected - found.blind < 1e-9:
        sentence = tr(
            "A reported answer to “%s” never changes the best guess: it is correct %s "
            "times in 100 with or without the report (in this draw %s, interval %s)."
        ) % (shown(found.name), stated, drawn, span(low, high))
    else:
        sentence = tr(
            "From a reported answer to “%s” an attacker guesses correctly %s times in "
            "100 in this draw (interval %s), by the formula %s; without it, %s."
        ) % (shown(found.name), drawn, span(low, high), stated, blind)
    everything = IntervalRow(
        tr("all answers"),
        _guess_marks(found.blind, found.expected, found.right),
        bold=True,
    )
    rows = [
        IntervalRow(
            one.reported or translate(one.guess),
            _guess_marks(one.before, one.expected, one.right),
            tr("guess: %s") % one.guess if one.reported else "",
        )
        for one in [one for one in found.guesses if one.right.n][: _MOST_ROWS - 1]
    ]
    first = tr("guess") if found.slices else tr("reported → guess")
    table = [
        (
            translate(one.guess)
            if found.slices
            else f"{one.reported} → {_same(one.reported, one.guess)}",
            counted(one.right),
            ends(one.right),
            share(one.expected),
        )
        for one in found.guesses
    ]
    whole = (tr("all answers"), counted(found.right), ends(found.right), share(found.expected))
    return AttackView(
        tr("Attack success: %s") % shown(found.name),
        tr("share of correct guesses"),
        sentence,
        tr("The attacker knows the design and the true distribution.") + seen,
        (first, tr("this draw"), tr("95\u202f% interval"), tr("formula")),
        (whole, *table),
        (everything, *rows),
        (
            ("series 4", tr("prior")),
            ("series 2", tr("by the formula")),
            ("series 0", tr("in this draw, 95\u202f% interval")),
        ),
    )


def _same(reported: str, guess: str) -> str:
    return tr("the same") if reported == guess else guess


def _guess_marks(before: float, expected: float, right: Counted) -> tuple[Mark, ...]:
    marks = [
        Mark("series 4", tr("prior"), before),
        Mark("series 2", tr("by the formula"), expected),
    ]
    if right.n:
        marks.append(Mark("series 0", tr("in this draw"), right.share, *right.interval))
    return tuple(marks)


def _view_link(found: Linkage, shown: Naming) -> AttackView:
    """The picture of linked records."""
    last = found.steps[-1]
    sentence = tr(
        "With %s known attributes, %s of %s respondents are unique. Undistorted, %s of "
        "100 links would be correct; distorted, %s of 100 (interval %s)."
    ) % (
        number(len(last.names)),
        number(last.unique_original),
        number(found.records),
        in_100(last.undistorted),
        in_100(last.linked.share),
        span(*last.linked.interval),
    )
    knows = tr(
        "The attacker knows the design and the true answers to these attributes by name, "
        "and links %s records to the best match; ties are broken at random."
    ) % number(last.linked.n)
    levels = tuple(float(place) for place in range(1, len(found.steps) + 1))
    n = found.records
    curves = (
        ("unique", tr("unique, original"), "original",
         [(s.unique_original / n, math.nan) for s in found.steps]),
        ("unique distorted", tr("unique, distorted"), "distorted",
         [(s.unique_distorted / n, math.nan) for s in found.steps]),
        ("open", tr("correct if undistorted"), "series 1",
         [(s.undistorted, math.nan) for s in found.steps]),
        ("linked", tr("correct if distorted"), "series 0",
         [(s.linked.share, _half(s.linked)) for s in found.steps]),
    )  # fmt: skip
    lines = tuple(
        LevelLine(
            key, name, look, tuple(LevelPoint(x, *y) for x, y in zip(levels, points, strict=True))
        )
        for key, name, look, points in curves
    )
    table = tuple(
        (
            # The sign stays with the first word where a long name takes two lines.
            f"+\u00a0{shown(step.names[-1])}",
            number(step.unique_original),
            number(step.unique_distorted),
            tr("%s (%s)") % (number(100 * step.linked.share, 1), ends(step.linked)),
            share(step.undistorted),
        )
        for step in found.steps
    )
    return AttackView(
        tr("Unique respondents and correct links by known attributes"),
        tr("number of known attributes"),
        sentence,
        knows,
        (
            tr("known"),
            tr("unique"),
            tr("distorted", "narrow heading"),
            tr("correct links, %"),
            tr("undistorted", "narrow heading"),
        ),
        table,
        curves=StepLevels(lines, (), levels),
        ticks=tuple(number(len(step.names)) for step in found.steps),
    )


def _half(right: Counted) -> float:
    low, high = right.interval
    return (high - low) / 2


def _view_repeat(found: RepeatedQuestion, shown: Naming) -> AttackView:
    """The picture of a repeated question."""
    asking = found.asking
    values = [point.value for point in asking.fresh]
    # The first time at which little is left to hide, else the last.
    place = next((i for i, value in enumerate(values) if value >= 0.95), len(values) - 1)
    sentence = tr(
        "Asked %s times, randomised anew each time, the best guess about “%s” is correct "
        "%s times in 100. If the first reported answer is kept and repeated, %s; prior "
        "guess %s."
    ) % (
        number(asking.times[place]),
        shown(found.name),
        in_100(values[place]),
        in_100(asking.memoised),
        in_100(asking.blind),
    )
    if math.isfinite(found.epsilon) and asking.times[place] > 1:
        sentence += " " + tr("Epsilon adds up: %s for 1 answer, %s for %s new ones.") % (
            significant(found.epsilon, 2),
            significant(found.epsilon * asking.times[place], 2),
            number(asking.times[place]),
        )
    simulated = any(point.error > 0 for point in asking.fresh)
    knows = tr("The attacker knows the design, the true distribution and who answers.")
    knows += in_slices(found.slices)
    if simulated:
        knows += " " + tr("Values with ± are simulated, the others exact.")
    levels = tuple(float(place) for place in range(len(asking.times)))
    fresh = tuple(
        LevelPoint(level, point.value, 1.96 * point.error if point.error > 0 else math.nan)
        for level, point in zip(levels, asking.fresh, strict=True)
    )
    kept = tuple(LevelPoint(level, asking.memoised) for level in levels)
    lines = (
        LevelLine("fresh", tr("randomised anew"), "series 0", fresh),
        LevelLine("kept", tr("kept answer"), "series 1", kept),
    )
    table = tuple(
        (number(m), _measured(point), share(asking.memoised), _epsilon(found.epsilon * m))
        for m, point in zip(asking.times, asking.fresh, strict=True)
    )
    return AttackView(
        tr("Correct guesses by times asked: %s") % shown(found.name),
        tr("times asked"),
        sentence,
        knows,
        (tr("times"), tr("anew"), tr("kept"), tr("epsilon, anew")),
        table,
        curves=StepLevels(
            lines, (Reference(tr("prior guess"), asking.blind, dotted=True),), levels
        ),
        ticks=tuple(number(m) for m in asking.times),
    )


def _measured(point: Measured) -> str:
    if 0.9995 <= point.value < 1 - 1e-12:
        return tr("over %s") % share(0.999)
    if point.error <= 0:
        return share(point.value)
    return f"{number(100 * point.value, 1)} ± {share(1.96 * point.error)}"


def _epsilon(value: float) -> str:
    return significant(value, 2) if math.isfinite(value) else "∞"


def _view_points(found: Finding) -> AttackView:
    """The picture of an attack that has none of its own: its numbers with their intervals."""
    points = found.points()
    measure = translate(found.measure)
    return AttackView(
        measure[:1].upper() + measure[1:],
        measure,
        translate(found.sentence),
        tr("The attacker knows the design and the true distribution."),
        ("", tr("this draw"), tr("95\u202f% interval")),
        tuple((label, share(value), span(*interval)) for label, value, interval in points),
        tuple(
            IntervalRow(label, (Mark("series 0", tr("in this draw"), value, *interval),))
            for label, value, interval in points[:_MOST_ROWS]
        ),
        (("series 0", tr("in this draw, 95\u202f% interval")),),
    )


def build_view(found: Finding, shown: Naming = str) -> AttackView:
    """The picture of a result, with attributes called as people know them."""
    if isinstance(found, BestGuess):
        return _view_guess(found, shown)
    if isinstance(found, RepeatedQuestion):
        return _view_repeat(found, shown)
    if isinstance(found, Filtering):
        return _view_filter(found, shown)
    if isinstance(found, Linkage):
        return _view_link(found, shown)
    return _view_points(found)
