r"""List experiments: people say only how many of some items apply to them.

A random half hears J harmless items, the others the same with the sensitive one. With F the
cumulated shares of counts, people with y harmless items are

    pi(y, 1) = F_short(y) - F_long(y),    pi(y, 0) = F_long(y) - F_short(y - 1)

with and without the sensitive one, and their sum over y is the difference in mean counts.

References
----------
G. Blair and K. Imai (2012), Statistical analysis of list experiments, *Political Analysis* 20.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from scipy.special import chdtrc, ndtr

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.classes import Estimate
from ppworkbench.core.errors import DataError

MANY = 0.15
"""If more people of the short list say J or 0, those who hear the long one may give way."""
_ROUNDING = 1e-9
"""A share that is certain, and farther below 0 than this, is negative."""
_DRAWS = 10_000
"""Normal vectors that give the weights of a chi-bar-square with more than three parts."""


@dataclass(frozen=True, eq=False)
class ListCounts:
    """How many people of each half gave which number.

    Parameters
    ----------
    short, long
        Of the numbers 0 to J, and 0 to J + 1; weighted if people count differently.
    covariance
        Of the shares of all these numbers, short before long; None for a simple random sample.

    >>> given = ListCounts(np.array([1, 2, 1.0]), np.array([1, 1, 1, 1.0]))
    >>> given.items, given.difference(1.96).estimate
    (2, 0.5)
    """

    short: Numbers
    long: Numbers
    covariance: Numbers | None = None

    def __post_init__(self) -> None:
        if min(self.short.sum(), self.long.sum()) <= 1:
            raise DataError(
                "A list needs at least two people who hear the short version, and two who hear "
                "the long one.",
                field="arms",
            )

    @property
    def items(self) -> int:
        """The number of harmless items, J."""
        return len(self.short) - 1

    @property
    def short_shares(self) -> Numbers:
        return np.asarray(self.short / self.short.sum())

    @property
    def long_shares(self) -> Numbers:
        return np.asarray(self.long / self.long.sum())

    @property
    def ceiling(self) -> float:
        """How many have all of the harmless items."""
        return float(self.short_shares[-1])

    @property
    def floor(self) -> float:
        """How many have none of the harmless items."""
        return float(self.short_shares[0])

    @property
    def share_covariance(self) -> Numbers:
        """The covariance of all shares, short before long."""
        if self.covariance is not None:
            return self.covariance
        found = np.zeros((2 * self.items + 3,) * 2)
        edge = self.items + 1
        for place, counts in ((slice(0, edge), self.short), (slice(edge, None), self.long)):
            shares = counts / counts.sum()
            found[place, place] = (np.diag(shares) - np.outer(shares, shares)) / counts.sum()
        return found

    def difference(self, factor: float) -> Estimate:
        """The difference in mean counts: the share of people with the sensitive item."""
        slope = np.concatenate([-np.arange(self.items + 1), np.arange(self.items + 2)])
        shares = np.concatenate([self.short_shares, self.long_shares])
        parts = self.share_covariance * np.outer(slope, slope)
        if self.covariance is None:
            # Sample variances divide by n - 1.
            edge, short, long = self.items + 1, self.short.sum(), self.long.sum()
            variance = parts[:edge].sum() * short / (short - 1)
            variance += parts[edge:].sum() * long / (long - 1)
        else:
            variance = parts.sum()
        return wald(float(slope @ shares), math.sqrt(max(float(variance), 0.0)), factor)


def wald(estimate: float, error: float, factor: float) -> Estimate:
    """An estimate with an interval of so many standard errors to each side."""
    return Estimate(estimate, error, estimate - factor * error, estimate + factor * error)


@dataclass(frozen=True)
class TypeShare:
    """People with so many harmless items, with or without the sensitive one.

    ``p`` is that of the test that the share is not negative.
    """

    count: int
    sensitive: bool
    share: float
    standard_error: float
    p: float


def type_table(counts: ListCounts) -> tuple[tuple[TypeShare, ...], float]:
    """The shares of all types, and the p of the test that none of them is negative.

    A negative share means that hearing the sensitive item changed how people counted the others.
    """
    items = counts.items
    by_short, by_long = np.tri(items + 1), np.tri(items + 1, items + 2)
    before = np.vstack([np.zeros(items + 1), by_short[:-1]])
    slopes = {
        True: np.hstack([by_short, -by_long]),
        False: np.hstack([-before, by_long]),
    }
    values = np.concatenate([counts.short_shares, counts.long_shares])
    types, tests = [], []
    for sensitive, slope in slopes.items():
        shares = slope @ values
        covariance = slope @ counts.share_covariance @ slope.T
        errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        for count, (share, error) in enumerate(zip(shares, errors, strict=True)):
            p = float(ndtr(share / error)) if error > 0 else float(share >= -_ROUNDING)
            types.append(TypeShare(count, sensitive, float(share), float(error), p))
        # pi(J, 1) and pi(0, 0) are plain shares of one half, which cannot be negative.
        kept = slice(0, items) if sensitive else slice(1, items + 1)
        tests.append(_orthant_test(shares[kept], covariance[kept, kept]))
    return tuple(types), min(1.0, 2 * min(tests))


def _orthant_test(estimates: Numbers, covariance: Numbers) -> float:
    """How likely estimates so far outside are if no true share is negative (chi-bar-square)."""
    known = np.diag(covariance) > 1e-15
    if (estimates[~known] < -_ROUNDING).any():
        return 0.0
    estimates, covariance = estimates[known], covariance[np.ix_(known, known)]
    if (estimates >= 0).all():
        return 1.0
    # Cells without anybody make shares depend on each other; they stay apart by next to nothing.
    covariance = covariance + np.eye(len(covariance)) * 1e-9 * np.diag(covariance).max()
    root = np.linalg.cholesky(np.linalg.inv(covariance)).T
    _, distance = nnls(root, root @ estimates)
    weights = _chi_bar_weights(covariance, root)
    return sum(
        weight * float(chdtrc(size, distance**2)) for size, weight in enumerate(weights) if size
    )


def _chi_bar_weights(covariance: Numbers, root: Numbers) -> list[float]:
    """How likely so many coordinates of a normal vector's nearest point in the orthant are 0."""
    size = len(covariance)
    weights = [0.0] * (size + 1)
    if size > 3:
        draws = np.random.default_rng(1).standard_normal((_DRAWS, size))
        for draw in draws:
            nearest, _ = nnls(root, draw)
            weights[int(np.count_nonzero(nearest <= 0))] += 1 / _DRAWS
        return weights
    for count in range(size + 1):
        for chosen in itertools.combinations(range(size), count):
            zero = list(chosen)
            rest = [place for place in range(size) if place not in chosen]
            inverse = np.asarray(np.linalg.inv(covariance[np.ix_(zero, zero)]), np.float64)
            given = covariance[np.ix_(rest, rest)]
            if zero:
                cross = covariance[np.ix_(rest, zero)]
                given = given - cross @ inverse @ cross.T
            weights[count] += _positive(inverse) * _positive(given)
    return weights


def _positive(covariance: Numbers) -> float:
    """The probability that at most three normal numbers with mean 0 are all positive."""
    size = len(covariance)
    scale = np.sqrt(np.diag(covariance))
    related = np.clip(covariance / np.outer(scale, scale), -1, 1)
    angles = sum(math.asin(related[pair]) for pair in itertools.combinations(range(size), 2))
    return float((0.5**size) + (angles / (2 * math.pi)) * (0.5 if size == 3 else 1.0))


def beliefs(share: float, harmless: Numbers) -> tuple[float, ...]:
    """How likely the sensitive item is after each number of the long list.

    Parameters
    ----------
    share
        Of people with the sensitive item.
    harmless
        How many people have each number of harmless items.

    >>> [round(one, 2) for one in beliefs(0.2, np.array([0.25, 0.5, 0.25]))]
    [0.0, 0.11, 0.33, 1.0]
    """
    without, having = np.append(harmless, 0.0), np.append(0.0, harmless)
    joint = share * having
    total = joint + (1 - share) * without
    found = np.where(total > 0, joint / np.where(total > 0, total, 1.0), share)
    # Whether anybody said them or not, the two ends leave no doubt.
    found[0], found[-1] = 0.0, 1.0
    return tuple(found.tolist())


def exposed(share: float, harmless: Numbers) -> tuple[float, float]:
    """How many people with the long list show that they lack the item, and that they have it."""
    return (1 - share) * float(harmless[0]), share * float(harmless[-1])


@dataclass(frozen=True)
class DoubleList:
    """Two lists with the same sensitive item, each respondent hearing one of them long.

    ``p`` is that of the test that both lists give the same share.
    """

    share: Estimate
    first: float
    second: float
    p: float


def double_list(
    first: Numbers, second: Numbers, first_long: NDArray[np.bool_], factor: float
) -> DoubleList:
    """Numbers that people gave for both lists, and who heard the first of them long.

    >>> one, two = np.array([2, 3, 1, 2.0]), np.array([1, 1, 2, 2.0])
    >>> double_list(one, two, np.array([True, True, False, False]), 1.96).share.estimate
    1.0
    """
    if min(np.count_nonzero(first_long), np.count_nonzero(~first_long)) < 2:
        raise DataError(
            "Two lists need at least two people who hear each of them long.", field="arms"
        )

    def compare(values: Numbers) -> tuple[float, float]:
        halves = values[first_long], values[~first_long]
        error = math.sqrt(sum(float(half.var(ddof=1)) / len(half) for half in halves))
        return float(halves[0].mean() - halves[1].mean()), error

    estimate, error = compare(first - second)
    apart, apart_error = compare(first + second)
    p = float(abs(apart) <= _ROUNDING)
    if apart_error > 0:
        p = 2 * float(ndtr(-abs(apart) / apart_error))
    share = wald(estimate / 2, error / 2, factor)
    return DoubleList(share, share.estimate + apart / 2, share.estimate - apart / 2, p)


def with_direct_question(
    admitting: float, people: float, deniers: Estimate, factor: float
) -> Estimate:
    """The share when those who admit the item openly count, and the list asks the others.

    Parameters
    ----------
    admitting, people
        How many said yes to a direct question, of how many.
    deniers
        The difference in mean counts among those who said no.
    """
    open_share = admitting / people
    hidden = 1 - open_share
    estimate = open_share + hidden * deniers.estimate
    variance = (1 - deniers.estimate) ** 2 * open_share * hidden / people
    variance += (hidden * deniers.standard_error) ** 2
    return wald(estimate, math.sqrt(variance), factor)


def independent_items(shares: Sequence[float]) -> Numbers:
    """How many people have each number of items that have nothing to do with each other.

    >>> independent_items([0.5, 0.5]).tolist()
    [0.25, 0.5, 0.25]
    """
    found = np.ones(1)
    for share in shares:
        found = np.convolve(found, [1 - share, share])
    return found


def list_variance(share: float, control_variance: float, long_share: float) -> float:
    """The variance of the difference in mean counts, times the number of all respondents.

    Parameters
    ----------
    share
        Of people with the sensitive item.
    control_variance
        Of the count of harmless items.
    long_share
        Of respondents who hear the list with the sensitive item.

    >>> round(list_variance(0.2, 0.75, 0.5), 4)
    3.32
    """
    long = control_variance + share * (1 - share)
    return control_variance / (1 - long_share) + long / long_share
