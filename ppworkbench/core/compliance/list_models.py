r"""Who has the sensitive item of a list: regressions of the counts of both lists.

*Linear*: the counts of each list by the predictors. Whatever the harmless items are, the difference
of both fits is the best linear description of the sensitive one, for chance says who hears which
list.

*Least squares* in two steps: the mean J h of the short list, then J h + p of the long one, h and p
logistic in the predictors.

References
----------
K. Imai (2011), Multivariate regression analysis for the item count technique, *Journal of the
American Statistical Association* 106; J. G. MacKinnon and H. White (1985), Some
heteroskedasticity-consistent covariance matrix estimators, *Journal of Econometrics* 29.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.classes import Estimate
from ppworkbench.core.compliance.lists import ListCounts, wald
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.models.maximise import Evaluation, Maximum, maximise

CONTROL, SENSITIVE = "control", "sensitive"
AT_BOUND = "list-at-bound"
"""Code of the remark that a share ended at 0 or 1."""
LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class ListRows:
    """What people said, with their predictors; equal rows stand once, with how many they are.

    ``x`` has a column of ones first.
    """

    numbers: Numbers
    is_long: NDArray[np.bool_]
    x: Numbers
    people: Numbers
    items: int

    @classmethod
    def of_counts(cls, counts: ListCounts) -> ListRows:
        numbers = np.concatenate([np.arange(len(counts.short)), np.arange(len(counts.long))])
        is_long = np.arange(len(numbers)) >= len(counts.short)
        people = np.concatenate([counts.short, counts.long])
        ones = np.ones((len(numbers), 1))
        return cls(numbers.astype(np.float64), is_long, ones, people, counts.items)

    @classmethod
    def merged(
        cls, numbers: Numbers, is_long: NDArray[np.bool_], x: Numbers, items: int
    ) -> ListRows:
        """Merge people who said the same, and are the same; refuse predictors that are alike."""
        codes = numbers.astype(np.int64) * 2 + is_long
        for column in x.T:
            # Column by column: sorting whole rows takes ten times as long.
            values, places = np.unique(column, return_inverse=True)
            if len(values) > 1:
                _, codes = np.unique(codes * len(values) + places, return_inverse=True)
        _, first, people = np.unique(codes, return_index=True, return_counts=True)
        numbers, is_long, x = numbers[first], is_long[first], x[first]
        if not _has_full_rank(x):
            raise DataError(
                "Some predictors say the same as others, or the same of everybody; leave one out.",
                field="predict",
            )
        # The long half alone tells about the sensitive item, the short one about the others.
        if not (_has_full_rank(x[is_long]) and _has_full_rank(x[~is_long])):
            raise DataError(
                "Among people who hear the same list, some predictors say the same as others, or "
                "the same of everybody; leave one out.",
                field="predict",
            )
        return cls(numbers, is_long, x, people.astype(np.float64), items)

    def take(self, chosen: NDArray[np.bool_] | slice) -> ListRows:
        return ListRows(
            self.numbers[chosen], self.is_long[chosen], self.x[chosen], self.people[chosen],
            self.items,
        )  # fmt: skip

    def half(self, *, is_long: bool) -> ListRows:
        return self.take(self.is_long == is_long)

    @property
    def mean(self) -> float:
        return float(self.people @ self.numbers) / float(self.people.sum())


def _has_full_rank(x: Numbers) -> bool:
    scale = np.abs(x).max(axis=0, initial=0.0)
    return bool(np.linalg.matrix_rank(x / np.where(scale > 0, scale, 1.0)) == x.shape[1])


@dataclass(frozen=True)
class ListCoefficient:
    """A change with a predictor: of the sensitive item, or of the number of harmless ones.

    In log odds; the linear regression has shares and counts.
    """

    part: str
    term: str
    estimate: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class ListFit:
    """A fitted model.

    Parameters
    ----------
    share
        The mean probability of the sensitive item.
    leaving_out
        The shares u and l of people who leave the item out, by name, where they were asked for.
    log_likelihood
        None for least squares and for the linear regression.
    assumption_p
        That of the test of what the model assumes of the harmless items; NaN without one.
    assumption_test
        What that test is.
    """

    share: Estimate
    coefficients: tuple[ListCoefficient, ...]
    leaving_out: dict[str, Estimate]
    log_likelihood: float | None
    remarks: tuple[str, ...] = ()
    assumption_p: float = math.nan
    assumption_test: str = ""

    @property
    def is_contradicted(self) -> bool:
        """Whether the answers speak against what the model assumes."""
        return self.assumption_p < LEVEL


def fit_linear(rows: ListRows, terms: Sequence[str], factor: float) -> ListFit:
    """Fit the counts of each list, and take the difference.

    Standard errors hold whatever the variances are (HC2), so that without predictors they are those
    of the difference in means.
    """
    size = len(terms)
    covariance = np.zeros((2 * size + 1, 2 * size + 1))
    values = linear_values(rows)
    for place, is_long in ((0, False), (size, True)):
        half = rows.half(is_long=is_long)
        own = slice(place, place + size)
        inverse = np.linalg.pinv((half.x.T * half.people) @ half.x)
        pull = half.x @ inverse
        square = (half.numbers - half.x @ values[own]) ** 2
        freedom = 1 - (pull * half.x).sum(axis=1)
        # Somebody whom a coefficient follows exactly is taken to vary as the others do.
        usual = float(half.people @ square) / max(float(half.people.sum()) - size, 1.0)
        square = np.where(freedom > 1e-9, square / np.maximum(freedom, 1e-9), usual)
        covariance[own, own] = (pull.T * (half.people * square)) @ pull
    weights = rows.people / rows.people.sum()
    mean = weights @ rows.x
    apart = (rows.x - mean) @ (values[size:-1] - values[:size])
    both = covariance[:size, :size] + covariance[size:-1, size:-1]
    covariance[-1, -1] = mean @ both @ mean + (weights @ apart**2) / rows.people.sum()
    return linear_fit(values, covariance, terms, factor)


def linear_values(rows: ListRows) -> Numbers:
    """The coefficients of the short list, those of the long one, and the share."""
    found = []
    for is_long in (False, True):
        half = rows.half(is_long=is_long)
        root = np.sqrt(half.people)
        found.append(np.linalg.lstsq(half.x * root[:, None], half.numbers * root, rcond=None)[0])
    share = (rows.people @ rows.x) @ (found[1] - found[0]) / rows.people.sum()
    return np.concatenate([*found, [share]])


def linear_influences(rows: ListRows, values: Numbers) -> Numbers:
    """How each row moves every one of these values, its people included."""
    size = rows.x.shape[1]
    result = np.zeros((len(rows.numbers), len(values)))
    for place, is_long in ((0, False), (size, True)):
        chosen, own = rows.is_long == is_long, slice(place, place + size)
        half = rows.take(chosen)
        inverse = np.linalg.pinv((half.x.T * half.people) @ half.x)
        apart = half.people * (half.numbers - half.x @ values[own])
        result[chosen, own] = apart[:, None] * (half.x @ inverse)
    mean = rows.people @ rows.x / rows.people.sum()
    change = values[size:-1] - values[:size]
    result[:, -1] = (result[:, size:-1] - result[:, :size]) @ mean
    result[:, -1] += rows.people * ((rows.x - mean) @ change) / rows.people.sum()
    return result


def linear_fit(
    values: Numbers, covariance: Numbers, terms: Sequence[str], factor: float
) -> ListFit:
    size = len(terms)
    short, long = slice(0, size), slice(size, 2 * size)
    change = covariance[short, short] + covariance[long, long]
    change = change - covariance[short, long] - covariance[long, short]
    errors = [np.sqrt(np.maximum(np.diag(one), 0.0)) for one in (change, covariance)]
    share = wald(float(values[-1]), float(errors[1][-1]), factor)
    coefficients = (
        *coefficients_of(SENSITIVE, terms, values[long] - values[short], errors[0]),
        *coefficients_of(CONTROL, terms, values[short], errors[1][short]),
    )
    return ListFit(share, coefficients, {}, None)


def fit_least_squares(rows: ListRows, terms: Sequence[str], factor: float) -> ListFit:
    """Fit the harmless items in the short list, then the rest of the long one.

    Standard errors are the sandwich of both steps together. Without predictors the share is the
    difference in means.
    """
    short, long = rows.half(is_long=False), rows.half(is_long=True)
    first = _least_squares(short, short.numbers, rows.items, short.mean / rows.items)
    control = rows.items * expit(long.x @ first.theta)
    rest = long.numbers - control
    second = _least_squares(long, rest, 1, float(long.people @ rest) / float(long.people.sum()))
    size = rows.x.shape[1]
    steps = np.zeros((2 * size, 2 * size))
    squares = np.zeros_like(steps)
    p = expit(long.x @ second.theta)
    slope = p * (1 - p)
    by_control = control * (1 - control / rows.items)
    steps[:size, :size] = first.evaluation.information
    steps[size:, size:] = second.evaluation.information
    steps[size:, :size] = (long.x.T * (long.people * slope * by_control)) @ long.x
    h = expit(short.x @ first.theta)
    one = (short.numbers - rows.items * h) * rows.items * h * (1 - h)
    two = (rest - p) * slope
    squares[:size, :size] = (short.x.T * (short.people * one**2)) @ short.x
    squares[size:, size:] = (long.x.T * (long.people * two**2)) @ long.x
    every = expit(rows.x @ second.theta)
    share = float(rows.people @ every) / float(rows.people.sum())
    is_bound = second.separated or not 1e-6 < share < 1 - 1e-6
    with np.errstate(all="ignore"):
        inverse = np.linalg.pinv(steps)
        covariance = inverse @ squares @ inverse.T
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    if is_bound:
        errors[size:] = math.nan
        found = Estimate(float(np.round(share, 6)), *(math.nan,) * 3)
    else:
        found = wald(share, share_error(rows, every, covariance[size:, size:]), factor)
    coefficients = (
        *coefficients_of(SENSITIVE, terms, second.theta, errors[size:]),
        *coefficients_of(CONTROL, terms, first.theta, errors[:size]),
    )
    return ListFit(found, coefficients, {}, None, (share_at_bound(),) * is_bound)


def _least_squares(rows: ListRows, target: Numbers, most: int, mean: float) -> Maximum:
    def evaluate(theta: Numbers) -> Evaluation:
        eta = rows.x @ theta
        mean = expit(eta)
        apart = target - most * mean
        slope = most * mean * (1 - mean)
        score = rows.x.T @ (rows.people * apart * slope)
        information = (rows.x.T * (rows.people * slope**2)) @ rows.x
        value = -0.5 * float(rows.people @ apart**2)
        return Evaluation(value, score, information, float(np.abs(eta).max()))

    start = np.zeros(rows.x.shape[1])
    start[0] = logit(mean)
    return maximise(evaluate, start)


def coefficients_of(
    part: str, terms: Sequence[str], values: Numbers, errors: Numbers
) -> tuple[ListCoefficient, ...]:
    return tuple(
        ListCoefficient(part, term, float(value), float(error))
        for term, value, error in zip(terms, values, errors, strict=True)
    )


def share_error(rows: ListRows, every: Numbers, covariance: Numbers) -> float:
    """The standard error of the mean probability, from coefficients and from who was asked."""
    weights = rows.people / rows.people.sum()
    gradient = (weights * every * (1 - every)) @ rows.x
    apart = every - weights @ every
    variance = gradient @ covariance @ gradient + (weights @ apart**2) / rows.people.sum()
    return math.sqrt(max(float(variance), 0.0))


def logit(share: float) -> float:
    """The log odds; those of 0 and 1 are cut off."""
    inside = min(max(share, 1e-3), 1 - 1e-3) if not 0 < share < 1 else share
    return math.log(inside / (1 - inside))


def share_at_bound() -> str:
    return Message(
        "The share of the model ends at the bound, so it has no standard error; look at the "
        "difference.",
        code=AT_BOUND,
    )
