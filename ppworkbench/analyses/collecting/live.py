"""What people watch while answers arrive: estimates in steps, and days.

A live estimate is made from counts of reported answers, so that a million of them take no longer
than ten. It is the number that Survey gives for the same answers. While a collection is open
nothing here is finer than a step of the collector: whoever sees two numbers must not learn what the
last person reported.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.analyses.collecting.monitoring import Monitoring, monitor
from ppworkbench.analyses.designs.goals import Goal
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.table import Column, Table, code_type
from ppworkbench.core.design import Design
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.belief import meant_places
from ppworkbench.core.survey.conditions.condition import Condition, Membership
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.means import mean
from ppworkbench.fieldwork.collector.control import STEP, Collection, ReportedCounts, State, Status
from ppworkbench.study.study import Study

TINY = 30
"""With fewer answers an estimate is no more than an example."""
_POINTS = 60
"""Places at which the expected band is drawn."""
_FARTHEST = 1_000_000
_MOST_STEPS = 200
"""Steps that are kept; beyond that every other one goes."""
_PAUSES = ((5_000, 0.0), (50_000, 3.0), (math.inf, 30.0))
"""Below so many answers, seconds between two times that whole rows are read."""


@dataclass(frozen=True)
class LiveTarget:
    """What is estimated live: the share of some answers to a question, or the mean of a number.

    ``values`` is empty for a number.
    """

    name: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class LivePoint:
    answers: int
    estimate: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    def rounded(self) -> LivePoint:
        """The same at a whole step: an exact number would tell how many came since."""
        return dataclasses.replace(self, answers=self.answers // STEP * STEP or self.answers)


@dataclass(frozen=True)
class LiveEstimate:
    """How a number has come along, and how precise it will be if nothing changes.

    Parameters
    ----------
    points
        The steps so far in order, the current one last.
    wanted
        The half-width that is the goal, in the unit of the number.
    needed
        How many answers reach it at the present spread; None without an estimate or a goal.
    why
        Why there is no estimate; None if there is.
    """

    target: LiveTarget
    points: tuple[LivePoint, ...] = ()
    wanted: float = 0.0
    needed: int | None = None
    why: Message | None = None

    @property
    def now(self) -> LivePoint | None:
        return self.points[-1] if self.points else None

    @property
    def is_tiny(self) -> bool:
        return self.now is None or self.now.answers < TINY

    def band(self, until: int) -> tuple[Numbers, Numbers, Numbers]:
        """Answers from now on, and both ends of the interval that they would give.

        The half-width shrinks with the root of the number of answers.
        """
        now = self.now
        if now is None or until <= now.answers:
            return np.empty(0), np.empty(0), np.empty(0)
        n = np.linspace(now.answers, until, _POINTS)
        half = now.half_width * np.sqrt(now.answers / n)
        return n, now.estimate - half, now.estimate + half


def live_targets(study: Study) -> tuple[LiveTarget, ...]:
    """What can be watched: marked answers first, then randomised questions, then the others."""
    design = study.design
    drawn = set(design.drawn_columns)
    found: list[tuple[int, LiveTarget]] = []
    for one in design:
        attribute = one.attribute
        if one.name in drawn or one.why_not_single is not None:
            continue
        is_plain = one.perturbation.is_identity
        if not attribute.kind.is_categorical:
            found.append((3 if is_plain else 2, LiveTarget(one.name)))
            continue
        shares = np.asarray(study.prior(one.name).probabilities)
        values = tuple(attribute.values[place] for place in meant_places(attribute, shares))
        rank = 0 if attribute.sensitive else 3 if is_plain else 1
        found.append((rank, LiveTarget(one.name, values)))
    return tuple(target for _, target in sorted(found, key=lambda pair: pair[0]))


def needs_rows(design: Design, target: LiveTarget) -> bool:
    """Whether counts of one column do not suffice: arms, groups and numbers need whole rows."""
    in_group = any(target.name in group.attributes for group in design.groups)
    return not target.values or design.has_arms or design.ask is not None or in_group


def table_of_counts(design: Design, name: str, counts: NDArray[Any], missing: int = 0) -> Table:
    attribute = design[name].attribute
    kind = code_type(len(attribute.values))
    codes = np.repeat(np.arange(len(counts)), np.asarray(counts, np.int64))
    data = np.concatenate([codes, np.full(missing, -1)]).astype(kind)
    return Table((Column(attribute, data),))


def live_point(design: Design, table: Table, target: LiveTarget) -> LivePoint | Message:
    """The estimate from a table of reported answers, or why there is none."""
    try:
        if target.values:
            tested = Condition((Membership(target.name, target.values),))
            found = count(table, design, tested)
            value, people = found.share, found.respondents
        else:
            average = mean(table, design, target.name)
            value, people = average.value, average.respondents
    except WorkbenchError as error:
        return error.message if isinstance(error.message, Message) else Message(error.message)
    if not all(map(math.isfinite, (value.estimate, value.low, value.high))):
        return Message("Too few answers for an interval.")
    return LivePoint(people, value.estimate, value.low, value.high)


def live_estimate(
    study: Study, target: LiveTarget, points: Sequence[LivePoint], why: Message | None = None
) -> LiveEstimate:
    """The steps so far with the goal of the study and how many answers reach it."""
    attribute = study.design[target.name].attribute
    wanted = Goal.from_json(study.goals).half_width(attribute)
    needed = None
    if points and points[-1].half_width > 0 and 0 < wanted < math.inf:
        now = points[-1]
        reached = now.answers * (now.half_width / wanted) ** 2
        needed = math.ceil(min(reached, _FARTHEST) - 1e-9)
    return LiveEstimate(target, tuple(points), wanted, needed, why)


def shown_days(days: Mapping[str, int], shown: int) -> dict[str, int]:
    """Answers by day without those that are not shown yet: the latest ones.

    >>> shown_days({"2026-11-01": 7, "2026-11-02": 8}, 10)
    {'2026-11-01': 7, '2026-11-02': 3}
    """
    left = max(sum(days.values()) - shown, 0)
    kept = dict(sorted(days.items()))
    for day in reversed(list(kept)):
        taken = min(left, kept[day])
        kept[day], left = kept[day] - taken, left - taken
    return {day: answers for day, answers in kept.items() if answers}


@dataclass(frozen=True)
class Seen:
    """A collection as somebody may see it now.

    ``days`` and ``monitoring`` are those of the last step, like the estimate.
    """

    status: Status
    estimate: LiveEstimate | None = None
    monitoring: Monitoring | None = None


class Watch:
    """Looks at a collection again and again, and remembers the steps that it saw.

    The collection keeps no order of arrival, so that what was estimated before exists only here,
    for as long as somebody watches. To be used by one thread at a time.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self._round = 0
        self._steps: list[ReportedCounts] = []
        self._points: dict[tuple[LiveTarget, int], LivePoint | Message] = {}
        self._monitored: tuple[object, Monitoring] | None = None
        self._read_at = 0.0

    def look(self, study: Study, target: LiveTarget | None) -> Seen:
        status = self.collection.status()
        if status.round != self._round:
            self._round, self._steps, self._monitored = status.round, [], None
            self._points.clear()
        live = self.collection.live()
        is_new = live.answers > 0 and (not self._steps or self._steps[-1].answers != live.answers)
        if is_new:
            self._steps.append(live)
            if len(self._steps) > _MOST_STEPS:
                self._steps = self._steps[::2] + self._steps[-1:]
        design = self.collection.design()
        estimate = None
        if target is not None:
            is_closed = status.state is State.CLOSED
            estimate = self._estimate(study, design, target, is_closed=is_closed)
        return Seen(status, estimate, self._monitor(study, status, live.answers))

    def _estimate(
        self, study: Study, design: Design, target: LiveTarget, *, is_closed: bool
    ) -> LiveEstimate | None:
        if target.name not in design or target.name not in study.design:
            return None
        why: Message | None = None
        points: list[LivePoint] = []
        for step in self._steps:
            found = self._point(design, step, target, is_last=step is self._steps[-1])
            if isinstance(found, LivePoint):
                points.append(found if is_closed else found.rounded())
            elif step is self._steps[-1]:
                why = found
        return live_estimate(study, target, points, why)

    def _point(
        self, design: Design, step: ReportedCounts, target: LiveTarget, *, is_last: bool
    ) -> LivePoint | Message | None:
        key = (target, step.answers)
        if key in self._points:
            return self._points[key]
        if not needs_rows(design, target):
            counts = step.counts[target.name]
            table = table_of_counts(design, target.name, counts, step.missing[target.name])
        elif is_last:
            table = self.collection.table()
        else:
            # The rows of an earlier step cannot be told any more.
            return None
        found = live_point(design, table, target)
        self._points[key] = found
        return found

    def _monitor(self, study: Study, status: Status, answers: int) -> Monitoring:
        key = (status.round, answers, status.state is State.CLOSED, study.design, study.choices)
        kept = self._monitored
        pause = next(seconds for most, seconds in _PAUSES if answers < most)
        is_due = kept is None or time.monotonic() - self._read_at >= pause
        if (kept is None or kept[0] != key) and is_due:
            days = shown_days(status.days, status.shown)
            table = self.collection.table() if answers else None
            found = monitor(study.with_(distorted=None), table, days, status.refused)
            kept = self._monitored = (key, dataclasses.replace(found, answers=status.shown))
            self._read_at = time.monotonic()
        assert kept is not None  # noqa: S101 (made above at the latest)
        refused = sorted(status.refused.items(), key=lambda pair: (-pair[1], pair[0]))
        return dataclasses.replace(kept[1], refused=tuple(pair for pair in refused if pair[1]))
