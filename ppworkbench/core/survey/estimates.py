"""An estimated number with its interval, and totals of several targets with their covariance.

Beside an estimate stand what was seen and what is true; its numbers and remarks are worded here.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtri

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import AUTO, WALD
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.params import check_confidence
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.registry import Registry
from ppworkbench.core.sampling.results import EstimateDetails
from ppworkbench.core.score_intervals import Contributions
from ppworkbench.core.share_intervals import Line, share_interval
from ppworkbench.core.survey.conditions.condition import Condition
from ppworkbench.core.survey.conditions.regions import Region
from ppworkbench.core.survey.factors.factor import Factor
from ppworkbench.core.survey.inquiry import CHUNK, SHARE_EXACT, Inquiry

JOINT, SEQUENTIAL = "joint", "sequential"

methods: Registry[str] = Registry("method")
"""How records that meet a condition are found."""
methods.register(JOINT, "Joint (unbiased)")(JOINT)
methods.register(SEQUENTIAL, "Sequential (as published)")(SEQUENTIAL)


@dataclass(frozen=True)
class Estimate:
    """One number.

    Parameters
    ----------
    estimate
        The number itself; nothing keeps an unbiased estimate from being negative.
    low, high
        The ends of its interval.
    standard_error
        Infinite where a single record gives no idea of it.
    naive
        What the distorted answers give when they are taken for true ones; None where there is
        nobody to take it from.
    true
        What the original answers give, where they are known.
    details
        The parts of the error, where an estimate was made under a sampling.
    interval
        The kind of the interval, where there is a choice.
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    naive: float | None
    true: float | None = None
    details: EstimateDetails | None = None
    interval: str = ""

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "standard_error": self.standard_error,
            "naive": self.naive,
        }
        if self.true is not None:
            document["true"] = self.true
        if self.interval:
            document["interval"] = self.interval
        return document if self.details is None else document | self.details.to_json()


def with_interval(
    estimate: float,
    standard_error: float,
    confidence: float,
    naive: float | None,
    true: float | None = None,
) -> Estimate:
    """An estimate with its normal interval ``estimate ± z * standard error``."""
    reach = interval_factor(confidence) * standard_error
    return Estimate(
        float(estimate), float(estimate - reach), float(estimate + reach), float(standard_error),
        None if naive is None else float(naive), None if true is None else float(true),
    )  # fmt: skip


def share_with_interval(  # noqa: PLR0913 (keywords with defaults)
    share: float,
    standard_error: float,
    confidence: float,
    naive: float | None = None,
    true: float | None = None,
    *,
    line: Line | None = None,
    size: float = math.nan,
    contributions: Contributions | None = None,
) -> Estimate:
    """A share with the interval of :func:`ppworkbench.core.share_intervals.share_interval`."""
    error = float(standard_error)
    t = interval_factor(confidence)
    ends = share_interval(
        AUTO, float(share), error, t, line=line, size=size, contributions=contributions
    )
    return Estimate(float(share), ends.low, ends.high, error, naive, true, interval=ends.kind)


def scaled(found: Estimate, by: float) -> Estimate:
    """The estimate times a known number, such as a share times the number of people."""
    naive, true = (None if one is None else one * by for one in (found.naive, found.true))
    return dataclasses.replace(
        found, estimate=found.estimate * by, low=found.low * by, high=found.high * by,
        standard_error=found.standard_error * by, naive=naive, true=true,
    )  # fmt: skip


CUT = Message(
    "The interval would reach beyond what is possible and is cut there; it is rough.", code="cut"
)


def cut_remarks(shares: Iterable[Estimate | None]) -> tuple[str, ...]:
    """A remark where the normal interval of a share left [0, 1]."""
    ends = [one for one in shares if one is not None and one.interval == WALD]
    is_cut = any((one.low <= 0 or one.high >= 1) and one.low < one.high for one in ends)
    return (CUT,) if is_cut else ()


SHARE_INCLUDED = Message(
    "The intervals include the standard error of the share that a device rests on.",
    code="device-share",
)


def share_errors(
    design: Design, names: Iterable[str], estimate: Callable[[Design], Sequence[float]]
) -> Numbers | None:
    """The standard errors of estimates that come from the shares of devices alone.

    The share of a population with a birthday in spring is itself an estimate, and what is estimated
    by it moves with it: for a crosswise question by ``(1 - 2 pi) / (2 p - 1)``. None where the
    shares of all devices are exact.
    """
    uncertain = design.uncertain_shares(names)
    if not uncertain:
        return None
    squares = []
    for name, (error, step) in uncertain.items():
        more, less = (
            np.asarray(estimate(design.with_moved_share(name, by)), np.float64)
            for by in (step, -step)
        )
        squares.append(((more - less) * error / (2 * step)) ** 2)
    return np.asarray(np.sqrt(np.sum(squares, axis=0)), np.float64)


def with_share_remark(remarks: Iterable[str]) -> tuple[str, ...]:
    """The remarks of a result whose intervals hold the errors of devices' shares."""
    return joined([*(one for one in remarks if one != SHARE_EXACT), SHARE_INCLUDED])


def widened(
    value: Estimate,
    error: float,
    confidence: float,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> Estimate:
    """An estimate with a further independent error; its interval stays between the limits."""
    reach = interval_factor(confidence) * error
    # An estimate that cannot be is widened from where its interval begins.
    middle = min(max(value.estimate, value.low), value.high)
    return dataclasses.replace(
        value,
        low=max(middle - math.hypot(middle - value.low, reach), limits[0]),
        high=min(middle + math.hypot(value.high - middle, reach), limits[1]),
        standard_error=math.hypot(value.standard_error, error),
    )


def interval_factor(confidence: float) -> float:
    """How many standard errors an interval of that confidence reaches to each side.

    >>> round(interval_factor(0.95), 4)
    1.96
    """
    check_confidence(confidence)
    return float(ndtri((1 + confidence) / 2))


def record_weights(
    inquiry: Inquiry, leave_out: Sequence[Factor] = (), progress: Progress = silent
) -> Numbers:
    """The product of the weights of all factors, for every record.

    ``w_t = prod_j h_j(z_tj)`` has the expectation 1 for a respondent who meets the condition and 0
    for any other.
    """
    weights = np.ones(inquiry.size)
    kept = [
        (factor.weights.matrix[:, 0], codes)
        for factor, codes in zip(inquiry.factors, inquiry.codes, strict=True)
        if factor not in leave_out
    ]
    for start in range(0, inquiry.size, CHUNK):
        progress(start / inquiry.size, "weighting records")
        part = slice(start, start + CHUNK)
        for look_up, codes in kept:
            weights[part] *= look_up[codes[part]]
    progress(1.0, "weighting records")
    return weights


@dataclass(frozen=True, eq=False)
class Totals:
    """How many of n respondents belong to each target.

    Parameters
    ----------
    least
        What the device makes each total vary by at least; a handful of records may show less.
    remarks
        What a reader should know about how the totals came about.
    """

    values: Numbers
    covariance: Numbers
    n: int
    remarks: tuple[str, ...] = ()
    least: Numbers | None = None
    cell_weights: ClassVar[None] = None
    """Reported cells are summed under a sampling only."""

    @property
    def errors(self) -> Numbers:
        """Standard errors; infinite where a single record gives no idea of them."""
        if self.n < 2:
            return np.full(len(self.values), math.inf)
        return self._roots(np.diag(self.covariance), self.least)

    @staticmethod
    def _roots(variance: Numbers, least: Numbers | None) -> Numbers:
        return np.asarray(np.sqrt(np.maximum(variance, 0.0 if least is None else least)))

    @property
    def safe_covariance(self) -> Numbers:
        """The covariance with variances that are nowhere less than the device brings."""
        lacking = self.errors**2 - np.diag(self.covariance) if self.n > 1 else 0.0
        return np.asarray(self.covariance + np.diag(np.broadcast_to(lacking, len(self.values))))

    def _least(self, slope: Numbers) -> Numbers | None:
        return None if self.least is None else slope**2 @ self.least

    @property
    def weighted_n(self) -> float:
        """How many people the respondents count for: themselves."""
        return float(self.n)

    def scaled(self, by: float) -> Totals:
        least = None if self.least is None else by**2 * self.least
        return Totals(by * self.values, by**2 * self.covariance, self.n, least=least)

    def sums(self, which: Numbers) -> Totals:
        covariance = which @ self.covariance @ which.T
        return Totals(which @ self.values, covariance, self.n, least=self._least(which))

    def ratios(self, numerators: Numbers, denominators: Numbers) -> Totals:
        """Ratios of sums of totals, one per row of both matrices."""
        base = denominators @ self.values
        values = (numerators @ self.values) / base
        slope = (numerators - values[:, None] * denominators) / base[:, None]
        covariance = slope @ self.covariance @ slope.T
        return Totals(values, covariance, self.n, least=self._least(slope))

    def shares(self, *, of_all: bool = False) -> tuple[Numbers, Numbers]:
        """The targets' shares of their sum, with standard errors.

        Where they are ``of_all``, the sum is the number of people, which does not vary.

        A share ``R_v = T_v / N`` has the derivatives ``([u = v] - R_v) / N`` by the totals (ratio
        estimator, Cochran 1977, chapter 6).
        """
        found = self.of_sum(of_all=of_all)
        return found.values, found.errors

    def of_sum(self, *, of_all: bool = False) -> Totals:
        """The same as :meth:`shares` with their covariance."""
        k, base = len(self.values), self.values.sum()
        slope = np.eye(k) / base
        if not of_all:
            slope = (np.eye(k) - (self.values / base)[:, None]) / base
        covariance = slope @ self.covariance @ slope.T
        return Totals(self.values / base, covariance, self.n, least=self._least(slope))


def weighted_totals(
    inquiry: Inquiry, split: Factor | None = None, progress: Progress = silent
) -> Totals:
    """Totals by weights: of all targets of one factor, given the only target of each other.

    With ``w`` the product of the other factors' weights, sums of w and of w^2 over the records in
    each of the factor's cells are all that is needed. An error is never taken for less than what
    the distortion of this factor alone brings at least.
    """
    n = inquiry.n
    if not inquiry.factors:
        return Totals(np.array([float(n)]), np.zeros((1, 1)), n)
    if split is None:
        split = max(inquiry.factors, key=lambda factor: float(factor.least_variance[0]))
    weights = record_weights(inquiry, (split,), progress)
    codes = inquiry.codes[inquiry.factors.index(split)]
    look_up = split.weights.matrix
    cells = len(look_up)
    sums, squares = (np.bincount(codes, inquiry.counted(weights**power), cells) for power in (1, 2))
    values = sums @ look_up
    covariance = sample_covariance(values, (look_up.T * squares) @ look_up, n)
    return Totals(values, covariance, n, least=squares.sum() * split.least_variance)


def sample_covariance(values: Numbers, squares: Numbers, n: int) -> Numbers:
    """The covariance of sums of n independent terms, from their sample covariance."""
    return np.asarray((squares - np.outer(values, values) / n) * n / max(n - 1, 1))


def amount(number: float | None, digits: int = 4) -> Message:
    """A number short enough for a sentence: whole from 100 up, else with so many digits.

    >>> amount(1234.56), amount(0.123456), amount(-0.0), amount(float("inf"))
    ('1,235', '0.1235', '0', 'unknown')
    """
    if number is None or not math.isfinite(number):
        return Message("unknown")
    if abs(number) >= 100:
        return Message("{number:,.0f}", number=number)
    return Message(f"{{number:.{digits}g}}", number=number or 0)


def interval(estimate: Estimate, confidence: float) -> str:
    if not math.isfinite(estimate.standard_error):
        return Message("1 record gives no interval")
    return Message(
        "{level:g} % interval {low} to {high}",
        level=100 * confidence,
        low=amount(estimate.low),
        high=amount(estimate.high),
    )


def people_amount(number: float | None) -> Message:
    """A number of people for a sentence: whole, or with one decimal below 100.

    >>> [str(people_amount(one)) for one in (1234.56, 17.87, 25.0, -0.0)]
    ['1,235', '17.9', '25', '0']
    """
    if number is None or not math.isfinite(number):
        return Message("unknown")
    if abs(number) >= 100 or round(number, 1) == round(number):
        return Message("{number:,.0f}", number=round(number) + 0.0)
    return Message("{number:,.1f}", number=number)


def people_interval(estimate: Estimate, confidence: float) -> str:
    if not math.isfinite(estimate.standard_error):
        return Message("1 record gives no interval")
    return Message(
        "{level:g} % interval {low} to {high}",
        level=100 * confidence,
        low=people_amount(estimate.low),
        high=people_amount(estimate.high),
    )


def percent_interval(share: Estimate, confidence: float) -> str:
    if not math.isfinite(share.standard_error):
        return Message("1 record gives no interval")
    return Message(
        "{confidence:g} % interval {low:.1f} to {high:.1f} %",
        confidence=100 * confidence,
        low=100 * share.low,
        high=100 * share.high,
    )


def at_face_value(naive: float | None) -> str:
    """What the distorted answers themselves would say."""
    return Message("Without correction: {naive}.", naive=amount(naive))


def impossible(regions: Mapping[str, Region]) -> tuple[str, ...]:
    """A remark for every attribute of which no possible answer meets the condition."""
    return tuple(
        Message("No possible answer to {attribute!r} meets the condition.", attribute=name)
        for name, region in regions.items()
        if region.is_empty
    )


def few(n: int) -> tuple[str, ...]:
    """A remark when the records are too few for a normal interval."""
    if n >= 30:
        return ()
    if n == 1:
        return (Message("Only 1 record; intervals need larger numbers."),)
    return (Message("Only {n} records; intervals need larger numbers.", n=n),)


LEAST_TESTED, ROUGHLY_TESTED = 10, 20
"""A test with a smaller group is refused, or marked as rough.

Enumerated for equal shares of 15 to 50 % and another group that is ten times as large, a test at
5 % rejects up to 44 % with 5 people in a group, 21 % with 10, 10 % with 20 and 8 % with 30; with
two groups of 10 people it rejects at most 6.2 %. In a linear regression with robust errors the
same test rejects 15 % with 5 people, 10 % with 10 and 7 % with 20; in a logistic one, of 5 people
up to 95 % of the coefficients have no limit.
"""
SMALL_GROUPS = "small-groups"
"""Code of the remarks on them."""


def small_groups(sizes: Mapping[str, float]) -> tuple[str, ...]:
    """Which groups, with so many people each, are too small for a test, and for which it is rough.

    >>> print(*small_groups({"north": 9, "south": 19, "west": 20}))
    Not tested, fewer than 10 people: north. Fewer than 20 people, so that p is rough: south.
    """
    untested = tuple(label for label, size in sizes.items() if size < LEAST_TESTED)
    rough = {label: size for label, size in sizes.items() if label not in untested}
    refused = Message(
        "Not tested, fewer than {least} people: {groups}.",
        least=LEAST_TESTED,
        groups=untested,
        code=SMALL_GROUPS,
    )
    return (*((refused,) if untested else ()), *rough_groups(rough))


def rough_groups(sizes: Mapping[str, float], least: int = ROUGHLY_TESTED) -> tuple[str, ...]:
    """The groups of fewer than so many people, with which a test is rough."""
    rough = tuple(label for label, size in sizes.items() if size < least)
    said = Message(
        "Fewer than {least} people, so that p is rough: {groups}.",
        least=least,
        groups=rough,
        code=SMALL_GROUPS,
    )
    return (said,) if rough else ()


def nobody(condition: Condition) -> DataError:
    return DataError.saying(
        "The estimated number who meet {condition} is 0; widen the condition.", condition=condition
    )


def uncertain(size: float, error: float) -> tuple[str, ...]:
    """A remark when the number of those whom a statistic is about may as well be 0."""
    if size >= 2 * error:
        return ()
    remark = (
        "The number of respondents who meet the condition is not clearly above 0, so the "
        "result is unreliable."
    )
    return (remark,)


def joined(sentences: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sentences))
