"""How collecting goes: answers by day, skips, refusals, and whether reports fit the design.

Only days are known, never times. Shares are those of *reported* answers; beside them stands what
the design would give if the true answers were as somebody drew them. A large difference has one of
three causes, which the answers alone cannot tell apart unless no true shares explain the reports:
another truth than expected, a device that was ignored, or columns that were swapped.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import chdtrc

from ppworkbench.analyses.designs.design import expected_shares, report_of
from ppworkbench.analyses.planning.study_plan import PlanBuilder
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data import sets
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.planning.invitations import Invitations, count_invitations
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.share_intervals import NOT_CHANCE, simplex_fit
from ppworkbench.study.study import PriorChoice, Study

FEWEST = 30
"""With fewer answers a comparison says nothing."""
DISAGREES, IMPOSSIBLE = "disagrees", "impossible"
"""Codes of the line below a question: another truth than expected, or no truth at all."""
_SURE = 0.001
_LEAST_EXPECTED = 5.0
_CELLS = 8
_LONGEST_GAP = 400
_WEEK = 7


@dataclass(frozen=True)
class DayCount:
    day: dt.date
    answers: int
    total: int


@dataclass(frozen=True)
class ReportedShare:
    """A reported answer, or the numbers from ``low`` to ``high``, with its share.

    ``expected`` is None where nobody drew an expectation.
    """

    value: str
    count: int
    share: float
    expected: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class QuestionMonitor:
    """The reported answers to one question.

    ``statistic``, ``degrees`` and ``p`` are those of the chi-square test against the expectation;
    None where there is none. ``line`` says it when the two cannot agree.
    """

    name: str
    answers: int
    skips: int
    shares: tuple[ReportedShare, ...]
    statistic: float | None = None
    degrees: int = 0
    p: float | None = None
    line: Message | None = None

    @property
    def skipped(self) -> float:
        asked = self.answers + self.skips
        return self.skips / asked if asked else 0.0


@dataclass(frozen=True)
class Monitoring:
    """All that Collect shows of the answers so far.

    ``needed`` is None where no goal asks for answers; ``refused`` are counts by reason, the most
    frequent first.
    """

    answers: int
    needed: Invitations | None
    days: tuple[DayCount, ...]
    refused: tuple[tuple[str, int], ...]
    questions: tuple[QuestionMonitor, ...]

    @property
    def lines(self) -> tuple[Message, ...]:
        """What should make somebody look: questions whose reports do not fit."""
        return tuple(one.line for one in self.questions if one.line is not None)

    @property
    def days_to_go(self) -> int | None:
        """In how many days the needed total is reached at the pace of the last week."""
        if self.needed is None or math.isinf(self.needed.answers) or not self.days:
            return None
        left = self.needed.answers - self.answers
        if left <= 0:
            return 0
        last = self.days[-1].day
        recent = [one for one in self.days if (last - one.day).days < _WEEK]
        span = (last - recent[0].day).days + 1
        pace = sum(one.answers for one in recent) / span
        return math.ceil(left / pace) if pace > 0 else None


def monitor(
    study: Study,
    answers: Table | None = None,
    days: Mapping[str, int] | None = None,
    refused: Mapping[str, int] | None = None,
    progress: Progress = silent,
) -> Monitoring:
    """How collecting goes.

    Parameters
    ----------
    answers
        Reported answers; those of the study by default.
    days
        Answers by day, as ``2026-11-17``; what is no day is left out.
    refused
        Refused answers by reason.
    """
    table = study.distorted if answers is None else answers
    questions = () if table is None else tuple(_questions(study, table, progress))
    skipped = {one.name: one.skipped for one in questions if one.answers + one.skips >= FEWEST}
    counted = sorted((refused or {}).items(), key=lambda pair: (-pair[1], pair[0]))
    return Monitoring(
        0 if table is None else table.rows,
        needed_total(study, skipped),
        count_days(days or {}),
        tuple((reason, count) for reason, count in counted if count > 0),
        questions,
    )


def needed_total(study: Study, skipped: Mapping[str, float] | None = None) -> Invitations | None:
    """The answers that the most demanding question needs, by the shares who skipped each."""
    shares, asked = skipped or {}, []
    for row in PlanBuilder().build(study).rows:
        # No number of people is enough for what everybody skips.
        is_lost = shares.get(row.name, 0.0) >= 1 and row.found.respondents is not None
        asked.append(replace(row.found, respondents=math.inf) if is_lost else row.found)
    known = {name: share for name, share in shares.items() if share < 1}
    return count_invitations(asked, lambda name: known.get(name, 0.0))


def count_days(days: Mapping[str, int]) -> tuple[DayCount, ...]:
    """Answers by day in order with their sum; days without answers are there too.

    >>> [(one.day.day, one.total) for one in count_days({"2026-11-03": 2, "2026-11-01": 5})]
    [(1, 5), (2, 5), (3, 7)]
    """
    known: dict[dt.date, int] = {}
    for text, count in days.items():
        try:
            known[dt.date.fromisoformat(text)] = int(count)
        except ValueError:
            continue
    if not known:
        return ()
    first, last = min(known), max(known)
    listed = sorted(known)
    if (last - first).days <= _LONGEST_GAP:
        listed = [first + dt.timedelta(days=step) for step in range((last - first).days + 1)]
    result, total = [], 0
    for day in listed:
        total += known.get(day, 0)
        result.append(DayCount(day, known.get(day, 0), total))
    return tuple(result)


def _questions(study: Study, table: Table, progress: Progress) -> Iterator[QuestionMonitor]:
    drawn = set(study.design.drawn_columns)
    asked = [one.name for one in study.design if one.name in table and one.name not in drawn]
    for place, name in enumerate(asked):
        progress(place / len(asked), name)
        yield _question(study, table, name)


def _question(study: Study, table: Table, name: str) -> QuestionMonitor:
    column, versions = table[name], study.design.versions
    missing = column.missing
    for arms in (table[one] for one in versions.columns if one in table):
        # Who was not asked has not skipped.
        asking = [arms.attribute.values.index(arm) for arm in versions.asking((name,))]
        missing = missing & np.isin(arms.data, asking)
    answers, skips = len(column) - column.missing_count, int(np.count_nonzero(missing))
    report = _expectation(study, name)
    has_drawn = not versions.columns and name in study.choices
    shares = tuple(
        _share(cell, answers, cell[4] if has_drawn else None) for cell in _cells(column, report)
    )
    found = QuestionMonitor(name, answers, skips, shares)
    # Arms have devices of their own, and a set names several values: no multinomial counts.
    if versions.columns or column.is_set or report is None or answers < FEWEST:
        return found
    return _tested(found, report, has_drawn=has_drawn)


_Cell = tuple[str, int, float | None, float | None, float | None]
"""Value, count, ends of numbers, and the expected share."""


def _share(cell: _Cell, answers: int, expected: float | None) -> ReportedShare:
    value, count, low, high, _ = cell
    return ReportedShare(value, count, count / answers if answers else 0.0, expected, low, high)


def _expectation(study: Study, name: str) -> AttributeReport | None:
    """What the design promises for the drawn truth; None where it cannot be worked out.

    Original answers are no expectation: they would be compared with themselves.
    """
    chosen = study.choices.get(name, PriorChoice())
    source = "drawn" if chosen.weights and chosen.source != "uniform" else "uniform"
    without = study.with_(original=None).with_choice(name, PriorChoice(source, chosen.weights))
    try:
        return report_of(without, name)
    except WorkbenchError:
        return None


def _cells(column: Column, report: AttributeReport | None) -> Iterator[_Cell]:
    expected = None
    if report is not None:
        expected = next((one for one in expected_shares(report) if one.role == "distorted"), None)
    if column.is_set or column.is_categorical:
        values = column.attribute.values
        if column.is_set:
            counts = sets.count_named(column.data, len(values))
        else:
            counts = np.bincount(column.data[column.data >= 0], minlength=len(values))
        fits = expected is not None and len(expected.share) == len(values)
        for place, value in enumerate(values):
            share = float(expected.share[place]) if fits and expected is not None else None
            yield value, int(counts[place]), None, None, share
        return
    if expected is None or expected.edges is None:
        return
    edges, shares = _coarse(expected.edges, expected.share)
    # Noise without an end may lie beyond the cells that are drawn.
    present = np.clip(column.data[~column.missing], edges[0], edges[-1])
    counts = np.histogram(present, edges)[0]
    for low, high, count, share in zip(edges[:-1], edges[1:], counts, shares, strict=True):
        yield "", int(count), float(low), float(high), float(share)


def _coarse(edges: Numbers, shares: Numbers) -> tuple[Numbers, Numbers]:
    """A few cells of about one width instead of many."""
    count = len(shares)
    if count <= _CELLS:
        return edges, shares / shares.sum()
    cuts = np.unique(np.linspace(0, count, _CELLS + 1).round().astype(int))
    joined = np.add.reduceat(shares, cuts[:-1])
    return edges[cuts], joined / joined.sum()


def _tested(found: QuestionMonitor, report: AttributeReport, *, has_drawn: bool) -> QuestionMonitor:
    """The question with its test; a line only where chance is no explanation."""
    counts = np.array([one.count for one in found.shares], float)
    statistic: float | None = None
    degrees, p = 0, None
    if has_drawn:
        expected = np.array([one.expected or 0.0 for one in found.shares]) * found.answers
        statistic, degrees = _chi_square(counts, expected)
        p = float(chdtrc(degrees, statistic)) if degrees > 0 else None
    line = None
    if p is None or p < _SURE:
        line = _impossible(found, report, counts)
        if line is None and p is not None and statistic is not None:
            line = _disagrees(found.name, statistic, degrees)
    return replace(found, statistic=statistic, degrees=degrees, p=p, line=line)


def _disagrees(name: str, statistic: float, degrees: int) -> Message:
    if degrees == 1:
        return Message(
            "{attribute}: the reported answers differ from the drawn expectation (chi-square "
            "{statistic:.1f}, 1 degree of freedom). Check the device and the columns, then the "
            "expectation.",
            code=DISAGREES,
            attribute=name,
            statistic=statistic,
        )
    return Message(
        "{attribute}: the reported answers differ from the drawn expectation (chi-square "
        "{statistic:.1f}, {degrees} degrees of freedom). Check the device and the columns, then "
        "the expectation.",
        code=DISAGREES,
        attribute=name,
        statistic=statistic,
        degrees=degrees,
    )


def _impossible(found: QuestionMonitor, report: AttributeReport, counts: Numbers) -> Message | None:
    """A line where no true shares make such reports likely."""
    matrix = report.answering
    if report.perturbation.is_identity or matrix is None or len(matrix) != len(counts):
        return None
    reported = counts / counts.sum()
    fit = simplex_fit(reported, matrix, found.answers)
    if fit.verdict != NOT_CHANCE:
        return None
    return Message(
        "{attribute}: no true answers explain these reports (chi-square {statistic:.1f}). The "
        "device was ignored, or columns or answers were swapped.",
        code=IMPOSSIBLE,
        attribute=found.name,
        statistic=fit.distance**2,
    )


def _chi_square(counts: Numbers, expected: Numbers) -> tuple[float, int]:
    """Pearson's statistic over cells in which enough is expected, and its degrees of freedom.

    Cells with too little are joined with the next larger one.
    """
    order = np.argsort(expected)
    joined: list[tuple[float, float]] = []
    seen = wanted = 0.0
    for place in order:
        seen, wanted = seen + float(counts[place]), wanted + float(expected[place])
        if wanted >= _LEAST_EXPECTED:
            joined.append((seen, wanted))
            seen = wanted = 0.0
    if joined:
        joined[-1] = joined[-1][0] + seen, joined[-1][1] + wanted
    if len(joined) < 2:
        return 0.0, 0
    return sum((one - meant) ** 2 / meant for one, meant in joined), len(joined) - 1
