"""Questions about a number under noise, answered by worst-case bounds."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.noises.base import centres
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.bounds import Bounds, Model, Sample, repeat
from ppworkbench.core.reconstruct.channel import CountedChannel
from ppworkbench.core.reconstruct.grid import EdgeCells
from ppworkbench.core.reconstruct.sharpness import (
    AUTO,
    Observed,
    Sharpness,
    bumps,
    expect,
    find_sharpness,
)

TRUE_CELLS = 64
_REPORTED_CELLS = 200
_MOST_BINS = 128
"""With more bins each takes the upper limit of some of them together, which is as true."""
_TOO_WIDE = 0.8
_TEN = 10.0

WORST_CASE = "worst-case"
"""The code of messages about these bounds."""


@dataclass(frozen=True)
class Assumption:
    """What bounds rest on: that no peak of a number is narrower than this; None for nothing."""

    attribute: str
    sharpest: float | None
    cell: float

    @property
    def method(self) -> Message:
        """The method in words, as it stands beside intervals."""
        return Message("worst-case bounds, {condition}", code=WORST_CASE, condition=self.clause)

    @property
    def remark(self) -> Message:
        """From what several intervals come, as a sentence."""
        return Message("The intervals are {method}.", code=WORST_CASE, method=self.method)

    @property
    def clause(self) -> Message:
        """The assumption as the end of a sentence."""
        if self.sharpest is None:
            return Message(
                "if {attribute} is spread evenly within cells of {width}",
                attribute=self.attribute,
                width=_two_digits(self.cell),
            )
        return Message(
            "if no peak of {attribute} is narrower than ±{width}",
            attribute=self.attribute,
            width=_two_digits(self.sharpest),
        )

    def to_json(self) -> dict[str, Any]:
        return {"method": str(self.method), "attribute": self.attribute, "sharpest": self.sharpest}


def _two_digits(width: float) -> Message:
    """A width in two digits, never as a power of ten.

    >>> _two_digits(4.234), _two_digits(243.7)
    ('4.2', '244')
    """
    return Message("{width:.2g}" if width < 99.5 else "{width:,.0f}", width=width)


@dataclass(frozen=True)
class Limits:
    """An interval by worst-case bounds beside what is possible without the answers.

    ``with_ten_times`` is the width that ten times the answers would leave, known where the
    interval is too wide to say anything.
    """

    low: float
    high: float
    lowest: float
    highest: float
    assumption: Assumption
    with_ten_times: float | None = None

    @property
    def says_nothing(self) -> bool:
        """Whether more than 80 % of what is possible fits the answers."""
        return says_nothing(self.low, self.high, self.lowest, self.highest)

    def scaled(self, factor: float) -> Limits:
        ten = None if self.with_ten_times is None else factor * self.with_ten_times
        low, high = factor * self.low, factor * self.high
        return Limits(low, high, factor * self.lowest, factor * self.highest, self.assumption, ten)

    def to_json(self) -> dict[str, Any]:
        document = self.assumption.to_json() | {
            "possible": [self.lowest, self.highest],
            "says_nothing": self.says_nothing,
        }
        if self.with_ten_times is None:
            return document
        return document | {"width_with_ten_times_the_answers": self.with_ten_times}


def says_nothing(low: float, high: float, lowest: float, highest: float) -> bool:
    """Whether an interval takes up more than 80 % of what is possible."""
    return high - low > _TOO_WIDE * (highest - lowest)


@dataclass(frozen=True, eq=False)
class NoisyNumber:
    """A number under noise in its true cells, with the bounds of its statistics.

    A statistic is given by its value in each true cell, one row per part of the records' weights;
    see :mod:`ppworkbench.core.reconstruct.bounds`.
    """

    attribute: Attribute
    edges: Numbers
    bounds: Bounds
    sharpest: float | None

    @property
    def assumption(self) -> Assumption:
        cell = float(np.median(np.diff(self.edges)))
        return Assumption(self.attribute.name, self.sharpest, cell)

    @property
    def middles(self) -> Numbers:
        return centres(self.edges, self.attribute)

    def share(self, target: Numbers, highest: float = 1.0) -> Limits:
        """Limits of one share, of which no more than ``highest`` is possible."""
        low, high = self.shares(target[None])
        found = self._limits(float(low[0]), min(float(high[0]), highest), 0.0, highest)
        if not found.says_nothing:
            return found
        low, high = self.bounds.with_answers(_TEN).limits(target[None])
        return dataclasses.replace(found, with_ten_times=float(high[0] - low[0]))

    def shares(self, targets: Numbers) -> tuple[Numbers, Numbers]:
        """Lower and upper limits of several shares.

        However certain the answers seem, so few do not rule out more than true answers would of
        whom not a single one is in the share (Clopper and Pearson 1934).
        """
        low, high = self.bounds.limits(targets)
        unseen = ((1 - self.bounds.confidence) / 2) ** (1 / max(self.bounds.sample.size, 1.0))
        return np.clip(low, 0.0, unseen), np.clip(high, 1 - unseen, 1.0)

    def ratio(self, above: Numbers, below: Numbers, lowest: float, highest: float) -> Limits:
        """Limits of one ratio of statistics that lies between two values in any case."""
        ends = np.array([lowest]), np.array([highest])
        low, high = self.bounds.ratios(above[None], below[None], *ends)
        found = self._limits(float(low[0]), float(high[0]), lowest, highest)
        if not found.says_nothing:
            return found
        more = self.bounds.with_answers(_TEN)
        low, high = more.ratios(above[None], below[None], *ends)
        return dataclasses.replace(found, with_ten_times=float(high[0] - low[0]))

    def ratios(self, above: Numbers, below: Numbers) -> tuple[Numbers, Numbers]:
        """Lower and upper limits of several shares of a part, each between 0 and 1."""
        count = len(above)
        return self.bounds.ratios(above, below, np.zeros(count), np.ones(count))

    def quantile(self, share: float, part: Numbers) -> Limits:
        """Limits of the number below which a share of a part lies.

        All t where 0 lies between the limits of ``F(t) - share``. Between two borders the limits
        are taken for straight lines, and they are no farther apart than these.
        """
        found = self._quantile(self.bounds, share, part)
        inside = np.flatnonzero(part.any(axis=0))
        possible = self.edges[inside[0]], self.edges[inside[-1] + 1]
        limits = self._limits(*found, float(possible[0]), float(possible[1]))
        if not limits.says_nothing:
            return self._whole(limits)
        low, high = self._quantile(self.bounds.with_answers(_TEN), share, part)
        return self._whole(dataclasses.replace(limits, with_ten_times=high - low))

    def _quantile(self, bounds: Bounds, share: float, part: Numbers) -> tuple[float, float]:
        inside = np.flatnonzero(part.any(axis=0))
        first, last = int(inside[0]), int(inside[-1]) + 1
        inner = np.arange(first + 1, last)
        below = (np.arange(part.shape[1]) < inner[:, None]).astype(np.float64) - share
        low, high = bounds.limits(below[:, None, :] * part) if len(inner) else (_NONE, _NONE)
        ends = np.array([-share, 1 - share])
        low, high = (np.concatenate([ends[:1], one, ends[1:]]) for one in (low, high))
        return quantile_limits(self.edges[first : last + 1], low, high)

    def _whole(self, limits: Limits) -> Limits:
        ends = (limits.low, limits.high, limits.lowest, limits.highest)
        low, high, lowest, highest = (possible_number(end, self.attribute) for end in ends)
        return dataclasses.replace(limits, low=low, high=high, lowest=lowest, highest=highest)

    def _limits(self, low: float, high: float, lowest: float, highest: float) -> Limits:
        return Limits(low, max(low, high), lowest, highest, self.assumption)


_NONE: Numbers = np.empty(0)


def possible_number(number: float, attribute: Attribute) -> float:
    """The answer that a place on the scale stands for: a whole number where only these are."""
    if attribute.kind is not Kind.INTEGER:
        return number
    low, high = attribute.domain or (-math.inf, math.inf)
    return float(min(max(round(number), low), high))


def quantile_limits(borders: Numbers, low: Numbers, high: Numbers) -> tuple[float, float]:
    """Where a quantile may lie, given limits of ``F(t) - share`` at the borders t.

    >>> low, high = np.array([-0.5, -0.1, 0.1, 0.5]), np.array([-0.5, 0.1, 0.3, 0.5])
    >>> [round(end, 3) for end in quantile_limits(np.arange(4.0), low, high)]
    [0.833, 1.5]
    """
    # What is below a higher border is no less: limits may be made monotone without loss.
    return (
        _crossing(borders, np.minimum.accumulate(high[::-1])[::-1], first=False),
        _crossing(borders, np.maximum.accumulate(low), first=True),
    )


def _crossing(borders: Numbers, values: Numbers, *, first: bool) -> float:
    """Where a rising line through values passes 0: at the last negative or first positive one."""
    if first:
        place = int(np.argmax(values > 0)) if (values > 0).any() else len(values) - 1
        before = max(place - 1, 0)
    else:
        negative = np.flatnonzero(values < 0)
        before = int(negative[-1]) if len(negative) else 0
        place = min(before + 1, len(values) - 1)
    rise = values[place] - values[before]
    if rise <= 0:
        return float(borders[place] if first else borders[before])
    share = float(np.clip(-values[before] / rise, 0.0, 1.0))
    return float(borders[before] + share * (borders[place] - borders[before]))


@dataclass(frozen=True, eq=False)
class Records:
    """Weights of the single records, where a question is about more than the number.

    Parameters
    ----------
    numbers
        What was reported of the number.
    condition
        A weight with the expectation 1 for who meets the rest of the condition, 0 for others.
    parts
        Weights of the parts, a row each; their expectations are points of a simplex.
    other
        Another number that may go with this one, as reported; it makes the pilot better.
    counted
        How many people every record stands for; None where all count the same.
    worth
        The effective number of records beside what these weights make of it.
    times
        How many records each stands for, where equal ones were merged.
    """

    numbers: Numbers
    condition: Numbers
    parts: Numbers
    other: Numbers | None = None
    counted: Numbers | None = None
    worth: float = 1.0
    times: Numbers | None = None

    def keep(self, kept: NDArray[np.bool_]) -> Records:
        other = None if self.other is None else self.other[kept]
        counted = None if self.counted is None else self.counted[kept]
        times = None if self.times is None else self.times[kept]
        return Records(
            self.numbers[kept], self.condition[kept], self.parts[:, kept], other, counted,
            self.worth, times,
        )  # fmt: skip

    def sample(self, codes: NDArray[np.intp], cells: int) -> Sample:
        found = Sample.weighted(codes, self.parts, cells, self.counted, self.times)
        return found.repeated(self.worth)

    @property
    def shares(self) -> Numbers | None:
        """How much every record counts, as many in all as independent ones would."""
        if self.counted is None:
            if self.worth == 1:
                return self.times
            return repeat(np.full(len(self.numbers), self.worth), self.times)
        total, squares = float(self.counted.sum()), float((self.counted**2).sum())
        return self.counted * (self.worth * total / squares)


@dataclass(frozen=True, eq=False)
class _Labels:
    """Which of a few reports every record made, and ``C[w, v] = Pr(report w | truth v)``."""

    labels: NDArray[np.intp]
    reports: Numbers

    def observe(
        self, codes: NDArray[np.intp], channel: Numbers, counted: Numbers | None
    ) -> Observed:
        kinds = len(self.reports)
        flat = np.bincount(codes * kinds + self.labels, counted, len(channel) * kinds)
        counts = flat.reshape(len(channel), kinds).astype(np.float64)
        return Observed(counts, channel, self.reports)

    def divided(self, high: NDArray[np.bool_]) -> _Labels:
        """The same, each report divided in two that are known without error."""
        reports = np.asarray(np.kron(self.reports, np.eye(2)), np.float64)
        return _Labels(2 * self.labels + high, reports)

    def model(self, fitted: Numbers, records: Records) -> Model:
        """Expected weights and products of weights, if these depend on the report only."""
        parts, times = records.parts, records.times
        own = np.ones(parts.shape[1]) if records.counted is None else records.counted
        once, twice = repeat(own, times), repeat(own**2, times)

        def by_truth(values: Numbers, by: Numbers) -> Numbers:
            counts = np.bincount(self.labels, by, len(self.reports))
            sums = np.bincount(self.labels, values * by, len(self.reports))
            return sums / np.where(counts > 0, counts, 1.0) @ self.reports

        first = np.stack([by_truth(one, once) @ fitted for one in parts])
        second = np.stack([[by_truth(one * two, twice) @ fitted for two in parts] for one in parts])
        return Model(np.maximum(first, 0.0), second)


def _label(weight: Numbers, times: Numbers | None) -> _Labels:
    """Tell reports apart by their weight: high ones speak for the condition.

    The mean weights of both reports give their probabilities, for the expectations are 1 and 0.
    """
    against = weight <= 0.5
    if against.all() or not against.any():
        return _Labels(np.zeros(len(weight), np.intp), np.ones((1, 1)))
    high, low = (
        float(np.average(weight[side], weights=None if times is None else times[side]))
        for side in (~against, against)
    )
    chances = np.clip(np.array([1 - low, -low]) / (high - low), 0.0, 1.0)
    return _Labels(against.astype(np.intp), np.stack([chances, 1 - chances]))


def bound_number(
    counted: CountedChannel,
    confidence: float = 0.95,
    sharpness: Sharpness = AUTO,
    narrowest: float = math.inf,
    records: Records | None = None,
) -> NoisyNumber:
    """Make a number under noise ready for questions.

    Parameters
    ----------
    counted
        Its reported answers; the borders of X are among those of the true cells.
    sharpness
        The sharpest feature: ``auto``, ``none`` or a number.
    narrowest
        The width of the narrowest interval that is asked for.
    records
        Weights of the records, where the question is about more than this number.
    """
    fine = counted.merged(_REPORTED_CELLS).divided(TRUE_CELLS)
    assert fine.x_edges is not None  # noqa: S101 (a number)
    assert fine.z_edges is not None  # noqa: S101
    channel = fine.matrix / np.maximum(fine.matrix.sum(axis=0), 1e-300)
    if records is None:
        observed = Observed(fine.usable[:, None], channel, np.ones((1, 1)))
        sharpest = find_sharpness(observed, fine.x_edges, sharpness, narrowest)
        shapes = _shapes(fine.x_edges, sharpest)
        squares = None if fine.squares is None else np.where(fine.possible, fine.squares, 0.0)
        sample = Sample.counted(fine.usable, squares)
        fitted = expect(observed, shapes, sample.size)
        model = Model(fitted, fitted[None])
    else:
        codes = EdgeCells(fine.z_edges).place(records.numbers)
        kept = (codes >= 0) & fine.possible[codes]
        codes, records = codes[kept], records.keep(kept)
        labels = _label(records.condition, records.times)
        observed = labels.observe(codes, channel, records.shares)
        sharpest = find_sharpness(observed, fine.x_edges, sharpness, narrowest)
        shapes = _shapes(fine.x_edges, sharpest)
        if records.other is not None:
            labels = labels.divided(records.other > _median(records.other, records.times))
            observed = labels.observe(codes, channel, records.shares)
        sample = records.sample(codes, len(channel))
        fitted = expect(observed, shapes, sample.size)
        model = labels.model(fitted, records)
    bounds = Bounds(channel, shapes, model, sample, confidence)
    return NoisyNumber(fine.attribute, fine.x_edges, bounds, sharpest)


def _median(numbers: Numbers, times: Numbers | None) -> float:
    """The middle of numbers that came so often each.

    >>> _median(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]))
    2.0
    """
    if times is None:
        return float(np.median(numbers))
    order = np.argsort(numbers, kind="stable")
    below = np.cumsum(times[order])
    ends = np.searchsorted(below, [(below[-1] - 1) // 2, below[-1] // 2], side="right")
    return float(numbers[order][ends].mean())


def _shapes(edges: Numbers, sharpest: float | None) -> Numbers:
    return np.eye(len(edges) - 1) if sharpest is None else bumps(edges, sharpest)


def bin_limits(
    counted: CountedChannel, confidence: float = 0.95, sharpness: Sharpness = AUTO
) -> tuple[Numbers, Numbers, Assumption]:
    """Lower and upper limits of the shares of a number's bins, and what they rest on."""
    assert counted.x_edges is not None  # noqa: S101 (a number has bins)
    together = counted
    if counted.k > _MOST_BINS:
        stride = -(-counted.k // TRUE_CELLS)
        borders = np.append(counted.x_edges[:-1:stride], counted.x_edges[-1])
        together = counted.with_x_edges(borders)
    assert together.x_edges is not None  # noqa: S101
    narrowest = float(np.diff(together.x_edges).min())
    number = bound_number(together, confidence, sharpness, narrowest)
    low, high = number.shares(bin_targets(number.edges, together.x_edges)[:, None, :])
    if together is counted:
        return low, high, number.assumption
    place = np.minimum(np.arange(counted.k) // stride, together.k - 1)
    return np.zeros(counted.k), high[place], number.assumption


def bin_targets(edges: Numbers, bins: Numbers) -> Numbers:
    """Which of the cells between edges lie in each bin, one row per bin."""
    middles = (edges[:-1] + edges[1:]) / 2
    place = np.searchsorted(bins, middles, side="right") - 1
    return np.asarray(place == np.arange(len(bins) - 1)[:, None], np.float64)


def move_inside(shares: Numbers, low: Numbers, high: Numbers) -> Numbers:
    """The distribution within the limits that is nearest in the sense of one common shift.

    >>> move_inside(np.array([0.7, 0.2, 0.1]), np.zeros(3), np.array([0.5, 1, 1])).round(3).tolist()
    [0.5, 0.3, 0.2]
    """
    if np.all((shares >= low) & (shares <= high)) or low.sum() > 1 or high.sum() < 1:
        return shares
    below, above = -1.0, 1.0
    for _ in range(60):
        shift = (below + above) / 2
        if np.clip(shares + shift, low, high).sum() < 1:
            below = shift
        else:
            above = shift
    moved = np.clip(shares + above, low, high)
    return np.asarray(moved / moved.sum())
