"""List experiments: people say only how many of some items apply to them.

A random half hears the harmless items alone, the others the same with the sensitive one.

References
----------
G. Blair and K. Imai (2012), Statistical analysis of list experiments, *Political Analysis* 20;
K. Imai (2011), Multivariate regression analysis for the item count technique, *Journal of the
American Statistical Association* 106.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls
from scipy.special import chdtrc, expit, gammaln, ndtr
from scipy.stats import multivariate_normal

from ppworkbench.core.arrays import Numbers, weighted_counts
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.models.likelihood import Evaluation
from ppworkbench.core.models.maximise import maximise

_MANY = 0.15
"""More people than this at an end of the short list give themselves away, or fear to."""


@dataclass(frozen=True, eq=False)
class Counts:
    """How many people of each half gave which number.

    ``short`` has the numbers 0 to J, ``long`` 0 to J + 1.
    """

    short: Numbers
    long: Numbers

    def __post_init__(self) -> None:
        """Refuse lists that are too short, and halves with nobody."""
        if self.items < 2:
            raise DataError("A list needs at least 2 harmless items.", field="items")
        if min(self.short.sum(), self.long.sum()) <= 1:
            raise DataError("One of the two halves has nobody; check the arms.", field="arms")

    @property
    def items(self) -> int:
        """The number of harmless items, J."""
        return len(self.short) - 1

    def moments(self, is_long: bool) -> tuple[float, float, float]:
        """Mean, sample variance and number of people of one half."""
        counts = self.long if is_long else self.short
        n, numbers = float(counts.sum()), np.arange(len(counts))
        mean = float(counts @ numbers) / n
        return mean, float(counts @ (numbers - mean) ** 2) / (n - 1), n


@dataclass(frozen=True)
class TypeShare:
    """People with so many harmless items, with or without the sensitive one; p that of >= 0."""

    count: int
    sensitive: bool
    share: float
    standard_error: float
    p: float


@dataclass(frozen=True)
class ListEstimate:
    """The share of the sensitive item, and what can be said against it."""

    difference: float
    standard_error: float
    types: tuple[TypeShare, ...]
    design_effect_p: float
    ceiling: float
    floor: float
    likely: float
    log_likelihood: float
    belief: tuple[float, ...]
    remarks: tuple[str, ...]


def count_people(
    numbers: Numbers, is_long: Numbers, items: int, weights: Numbers | None = None
) -> Counts:
    """Answers of both halves as counts; an error names the first that is impossible."""
    weighing = np.ones(len(numbers)) if weights is None else weights
    most = np.where(is_long, items + 1, items)
    wrong = (numbers != np.floor(numbers)) | (numbers < 0) | (numbers > most)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(
            Message(
                "Row {row:,} says {number:g}, but the list has {most} items there; numbers are "
                "whole, from 0.",
                row=row + 1,
                number=float(numbers[row]),
                most=int(most[row]),
            ),
            row=row + 1,
        )
    codes = numbers.astype(np.intp)
    chosen = np.asarray(is_long, np.bool_)
    return Counts(
        weighted_counts(codes[~chosen], weighing[~chosen], items + 1),
        weighted_counts(codes[chosen], weighing[chosen], items + 2),
    )


def estimate_list(counts: Counts) -> ListEstimate:
    """The difference in means, the table of types, the test of the design, and the likelihood."""
    long_mean, long_variance, long_n = counts.moments(is_long=True)
    mean, variance, n = counts.moments(is_long=False)
    difference = long_mean - mean
    error = math.sqrt(long_variance / long_n + variance / n)
    types, p = _types(counts)
    ceiling, floor = float(counts.short[-1]) / n, float(counts.short[0]) / n
    remarks = []
    if ceiling > _MANY:
        remarks.append(
            Message(
                "{share:.1f} % have all the harmless items: with the sensitive one they would give "
                "themselves away, so they may not count it.",
                share=100 * ceiling,
            )
        )
    if floor > _MANY:
        remarks.append(
            Message(
                "{share:.1f} % have none of the harmless items, so that 1 would tell the sensitive "
                "one; they may not count it.",
                share=100 * floor,
            )
        )
    likely, value = _most_likely(counts)
    return ListEstimate(
        difference, error, types, p, ceiling, floor, likely, value,
        beliefs(min(max(difference, 0.0), 1.0), counts.short / n), tuple(remarks),
    )  # fmt: skip


def _types(counts: Counts) -> tuple[tuple[TypeShare, ...], float]:
    """Shares of types by differences of cumulated shares, and the test that none is negative."""
    short, long = counts.short / counts.short.sum(), counts.long / counts.long.sum()
    below_short, below_long = np.cumsum(short), np.cumsum(long)
    items = counts.items
    by_short = np.tri(items + 1)
    by_long = np.tri(items + 1, items + 2)
    shifted = np.vstack([np.zeros(items + 1), by_short[:-1]])
    parts = {
        True: (below_short - below_long[:-1], by_short, -by_long),
        False: (below_long[:-1] - np.append(0.0, below_short[:-1]), -shifted, by_long),
    }
    covariances = {
        "short": (np.diag(short) - np.outer(short, short)) / counts.short.sum(),
        "long": (np.diag(long) - np.outer(long, long)) / counts.long.sum(),
    }
    told, tests = [], []
    for sensitive, (shares, first, second) in parts.items():
        covariance = first @ covariances["short"] @ first.T
        covariance = covariance + second @ covariances["long"] @ second.T
        errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        for count, (share, error) in enumerate(zip(shares, errors, strict=True)):
            one_sided = float(ndtr(share / error)) if error > 0 else 1.0
            told.append(TypeShare(count, sensitive, float(share), float(error), one_sided))
        kept = slice(0, items) if sensitive else slice(1, items + 1)
        tests.append(_orthant_test(shares[kept], covariance[kept, kept]))
    return tuple(told), min(1.0, 2 * min(tests))


def _orthant_test(estimates: Numbers, covariance: Numbers) -> float:
    """How likely estimates so far outside are, if no true share is negative (chi-bar-square)."""
    if (estimates >= 0).all():
        return 1.0
    root = np.linalg.cholesky(np.linalg.inv(covariance)).T
    found, distance = nnls(root, root @ estimates)
    del found
    return sum(
        weight * (float(chdtrc(size, distance**2)) if size else float(distance <= 0))
        for size, weight in enumerate(_chi_bar_weights(covariance))
    )


def _chi_bar_weights(covariance: Numbers) -> list[float]:
    """How likely so many coordinates of a normal vector's nearest point in the orthant are 0."""
    size = len(covariance)
    weights = [0.0] * (size + 1)
    for count in range(size + 1):
        for chosen in itertools.combinations(range(size), count):
            zero = list(chosen)
            rest = [place for place in range(size) if place not in chosen]
            weights[count] += _positive(_inverse_block(covariance, zero)) * _positive(
                _given(covariance, rest, zero)
            )
    return weights


def _inverse_block(covariance: Numbers, places: list[int]) -> Numbers:
    return np.asarray(np.linalg.inv(covariance[np.ix_(places, places)]), np.float64)


def _given(covariance: Numbers, places: list[int], known: list[int]) -> Numbers:
    inner = covariance[np.ix_(places, places)]
    if not known:
        return inner
    cross = covariance[np.ix_(places, known)]
    return np.asarray(inner - cross @ _inverse_block(covariance, known) @ cross.T)


def _positive(covariance: Numbers) -> float:
    """The probability that a normal vector with mean 0 has no negative coordinate."""
    size = len(covariance)
    if size == 0:
        return 1.0
    if size == 1:
        return 0.5
    scale = np.sqrt(np.diag(covariance))
    related = covariance / np.outer(scale, scale)
    if size == 2:
        return 0.25 + math.asin(float(np.clip(related[0, 1], -1, 1))) / (2 * math.pi)
    if size == 3:
        pairs = (related[0, 1], related[0, 2], related[1, 2])
        return 0.125 + sum(math.asin(float(np.clip(r, -1, 1))) for r in pairs) / (4 * math.pi)
    found = multivariate_normal(np.zeros(size), related, allow_singular=True).cdf(np.zeros(size))
    return float(found)


def _most_likely(counts: Counts) -> tuple[float, float]:
    """The share with a binomial number of harmless items, and the log-likelihood."""
    items = counts.items
    numbers = np.arange(items + 2)

    def binomial(h: float, shift: int) -> Numbers:
        y = numbers - shift
        inside = (y >= 0) & (y <= items)
        y = np.clip(y, 0, items)
        chosen = gammaln(items + 1) - gammaln(y + 1) - gammaln(items - y + 1)
        return np.where(inside, np.exp(chosen + y * math.log(h) + (items - y) * math.log1p(-h)), 0)

    def slope(values: Numbers, h: float, shift: int) -> Numbers:
        return np.asarray(values * (numbers - shift - items * h))

    def evaluate(theta: Numbers) -> Evaluation:
        h, p = (float(np.clip(expit(x), 1e-12, 1 - 1e-12)) for x in theta)
        plain, more = binomial(h, 0), binomial(h, 1)
        mixed = p * more + (1 - p) * plain
        short, long = plain[:-1], mixed
        by_h = [slope(plain, h, 0)[:-1] / short, (p * slope(more, h, 1)
                + (1 - p) * slope(plain, h, 0)) / long]  # fmt: skip
        by_p = [np.zeros(items + 1), p * (1 - p) * (more - plain) / long]
        value, score, information = 0.0, np.zeros(2), np.zeros((2, 2))
        for given, chance, first, second in zip(
            (counts.short, counts.long), (short, long), by_h, by_p, strict=True
        ):
            rows = np.column_stack([first, second])
            value += float(given @ np.log(np.maximum(chance, 1e-300)))
            score += given @ rows
            information += (rows.T * given) @ rows
        return Evaluation(value, score, information)

    best = None
    mean = counts.moments(is_long=False)[0] / items
    for share in (0.1, 0.3, 0.5, 0.8):
        start = np.array([math.log(mean / (1 - mean)), math.log(share / (1 - share))])
        found = maximise(evaluate, start)
        if best is None or found.evaluation.value > best.evaluation.value:
            best = found
    assert best is not None  # noqa: S101 (there are several starts)
    return float(expit(best.theta[1])), float(best.evaluation.value)


def beliefs(share: float, harmless: Numbers) -> tuple[float, ...]:
    """How likely the sensitive item is after each number in the long half."""
    without, having = np.append(harmless, 0.0), np.append(0.0, harmless)
    joint = share * having
    total = joint + (1 - share) * without
    return tuple(np.where(total > 0, joint / np.where(total > 0, total, 1.0), 0.0).tolist())


def double_list(
    first: tuple[float, float, float], second: tuple[float, float, float]
) -> tuple[float, float]:
    """Both halves hear one long list each; ``y_A - y_B`` of each half as mean, variance and n."""
    estimate = (first[0] - second[0]) / 2
    return estimate, 0.5 * math.sqrt(first[1] / first[2] + second[1] / second[2])


def list_variance(share: float, control_variance: float, long_share: float) -> float:
    """The variance of the difference in means, times n."""
    long = control_variance + share * (1 - share)
    return control_variance / (1 - long_share) + long / long_share
