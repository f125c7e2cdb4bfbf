r"""Who has the sensitive item of a list: regression by least squares and by likelihood.

With h the probability of each harmless item and p that of the sensitive one, both logistic in the
predictors, somebody says y with the probability B(y) in the short list and p B(y - 1) + (1 - p)
B(y) in the long one, B being binomial. People who would give themselves away may leave the item
out: a share u of those with all of the harmless items, a share l of those with none.

References
----------
K. Imai (2011), Multivariate regression analysis for the item count technique, *Journal of the
American Statistical Association* 106; G. Blair and K. Imai (2012), Statistical analysis of list
experiments, *Political Analysis* 20.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.classes import Estimate
from ppworkbench.core.compliance.lists import ListCounts, wald
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.models.likelihood import Evaluation
from ppworkbench.core.models.maximise import Maximum, maximise
from ppworkbench.core.progress import Progress, silent

CEILING, FLOOR = "ceiling", "floor"
CONTROL, SENSITIVE = "control", "sensitive"
AT_BOUND = "list-at-bound"
"""Code of the remark that a share ended at 0 or 1."""
UNKNOWN = "list-unknown"
"""Code of the remark that the answers tell nothing about a share."""
_STARTS = (0.1, 0.3, 0.5, 0.8)
_EM_STEPS = 15
_CLOSE = 1e-3
"""Shares nearer to 0 or 1 than this are tried at the bound itself."""
_UNKNOWN = 1e3
"""Log odds with a larger standard error are those of the start: nothing tells about them."""
_NONE = 1e-300


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
        """Rows without predictors."""
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

    def half(self, *, is_long: bool) -> ListRows:
        """Only the people with the long list, or with the short one."""
        chosen = self.is_long == is_long
        return ListRows(
            self.numbers[chosen], self.is_long[chosen], self.x[chosen], self.people[chosen],
            self.items,
        )  # fmt: skip

    @property
    def mean(self) -> float:
        """The mean number."""
        return float(self.people @ self.numbers) / float(self.people.sum())


def _has_full_rank(x: Numbers) -> bool:
    scale = np.abs(x).max(axis=0, initial=0.0)
    return bool(np.linalg.matrix_rank(x / np.where(scale > 0, scale, 1.0)) == x.shape[1])


@dataclass(frozen=True)
class ListCoefficient:
    """A change in log odds of the sensitive item, or of a harmless one."""

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
        With binomial coefficients; None for least squares.
    """

    share: Estimate
    coefficients: tuple[ListCoefficient, ...]
    leaving_out: dict[str, Estimate]
    log_likelihood: float | None
    remarks: tuple[str, ...] = ()


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
    theta = np.concatenate([first.theta, second.theta])
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
        gradient = _share_gradient(rows, every)
        error = math.sqrt(max(float(gradient @ covariance[size:, size:] @ gradient), 0.0))
        found = wald(share, error, factor)
    return ListFit(
        found, _coefficients(terms, theta, errors), {}, None, (_share_at_bound(),) * is_bound
    )


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
    start[0] = _logit(mean)
    return maximise(evaluate, start)


def fit_likelihood(
    rows: ListRows,
    terms: Sequence[str],
    factor: float,
    leaving_out: Sequence[str] = (),
    progress: Progress = silent,
) -> ListFit:
    """Fit both parts of the model at once: EM from several starts, then Newton's method.

    Parameters
    ----------
    leaving_out
        ``CEILING`` and ``FLOOR`` where people at that end may leave the item out.
    """
    model = _Model(rows, {name: None for name in (CEILING, FLOOR) if name in leaving_out})
    best = _climb(model, progress)
    for name in model.free:
        share = float(expit(best.theta[model.place(name)]))
        if _CLOSE < share < 1 - _CLOSE:
            continue
        held = _Model(rows, {**model.leaving_out, name: float(round(share))})
        found = _climb(held, progress)
        if found.evaluation.value >= best.evaluation.value - 1e-5:
            model, best = held, found
    return _told(model, best, terms, factor)


def _climb(model: _Model, progress: Progress) -> Maximum:
    """The highest point that several starts lead to."""
    starts = []
    for place, share in enumerate(_STARTS):
        progress(place / len(_STARTS), "fitting")
        theta = model.start(share)
        for _ in range(_EM_STEPS):
            theta = model.improved(theta)
        starts.append((model.evaluate(theta).value, theta))
    starts.sort(key=lambda one: -one[0])
    found = [maximise(model.evaluate, theta) for _, theta in starts[:2]]
    return max(found, key=lambda one: one.evaluation.value)


def _told(model: _Model, best: Maximum, terms: Sequence[str], factor: float) -> ListFit:
    rows, size, theta = model.rows, model.size, best.theta
    every = expit(rows.x @ theta[size : 2 * size])
    share = float(rows.people @ every) / float(rows.people.sum())
    is_bound = best.separated or not 1e-6 < share < 1 - 1e-6
    covariance = np.linalg.pinv(best.evaluation.information, hermitian=True)
    variances = np.diag(covariance).copy()
    variances[variances <= 0] = math.nan
    errors = np.sqrt(variances)
    remarks: list[str] = []
    if is_bound:
        errors[size : 2 * size] = math.nan
        found = Estimate(float(np.round(share, 6)), *(math.nan,) * 3)
        remarks.append(_share_at_bound())
    else:
        gradient = _share_gradient(rows, every)
        inner = covariance[size : 2 * size, size : 2 * size]
        error = math.sqrt(max(float(gradient @ inner @ gradient), 0.0))
        found = _share_estimate(share, error, factor)
    leaving_out = {}
    for name, held in model.leaving_out.items():
        if held is not None:
            leaving_out[name] = Estimate(held, *(math.nan,) * 3)
            remarks.append(_leaving_out_at_bound(name, held))
            continue
        place = model.place(name)
        if not errors[place] < _UNKNOWN:
            leaving_out[name] = Estimate(*(math.nan,) * 4)
            remarks.append(_leaving_out_unknown(name))
            continue
        part = float(expit(theta[place]))
        leaving_out[name] = _share_estimate(part, float(errors[place]) * part * (1 - part), factor)
    if not best.converged and not is_bound:
        remarks.append(Message("The likelihood has no clear maximum; read the model with caution."))
    coefficients = _coefficients(terms, theta[: 2 * size], errors)
    return ListFit(
        found, coefficients, leaving_out, float(best.evaluation.value), tuple(remarks)
    )  # fmt: skip


def _coefficients(
    terms: Sequence[str], theta: Numbers, errors: Numbers
) -> tuple[ListCoefficient, ...]:
    size = len(terms)
    return tuple(
        ListCoefficient(part, term, float(theta[place]), float(errors[place]))
        for part, start in ((SENSITIVE, size), (CONTROL, 0))
        for place, term in enumerate(terms, start)
    )


def _share_gradient(rows: ListRows, every: Numbers) -> Numbers:
    """How the mean probability changes with the coefficients of the sensitive item."""
    weights = rows.people * every * (1 - every) / rows.people.sum()
    return np.asarray(weights @ rows.x)


def _share_estimate(share: float, error: float, factor: float) -> Estimate:
    """A share with an interval that is even on the scale of log odds, hence within 0 and 1."""
    reach = factor * error / (share * (1 - share))
    low, high = (float(expit(_logit(share) + sign * reach)) for sign in (-1, 1))
    return Estimate(share, error, low, high)


def _logit(share: float) -> float:
    inside = min(max(share, 1e-3), 1 - 1e-3) if not 0 < share < 1 else share
    return math.log(inside / (1 - inside))


def _share_at_bound() -> str:
    return Message(
        "The share of the model ends at the bound, so it has no standard error; look at the "
        "difference.",
        code=AT_BOUND,
    )


def _leaving_out_at_bound(name: str, share: float) -> str:
    if name == CEILING:
        return Message(
            "The share of people with all of the items who leave the sensitive one out ends at "
            "the bound ({share:.0f} %), so it has no standard error.",
            code=AT_BOUND,
            share=100 * share,
        )
    return Message(
        "The share of people with none of the items who leave the sensitive one out ends at the "
        "bound ({share:.0f} %), so it has no standard error.",
        code=AT_BOUND,
        share=100 * share,
    )


def _leaving_out_unknown(name: str) -> str:
    if name == CEILING:
        return Message(
            "Nothing tells how many people with all of the items leave the sensitive one out.",
            code=UNKNOWN,
        )
    return Message(
        "Nothing tells how many people with none of the items leave the sensitive one out.",
        code=UNKNOWN,
    )


@dataclass(frozen=True, eq=False)
class _Model:
    """The likelihood; ``leaving_out`` holds a share that is known, and None for one to be fitted.

    Parameters are the coefficients of the harmless items, those of the sensitive one, and the log
    odds of the shares that leave it out.
    """

    rows: ListRows
    leaving_out: dict[str, float | None] = dataclasses.field(default_factory=dict)

    @property
    def size(self) -> int:
        return int(self.rows.x.shape[1])

    @property
    def free(self) -> tuple[str, ...]:
        return tuple(name for name, held in self.leaving_out.items() if held is None)

    def place(self, name: str) -> int:
        return 2 * self.size + self.free.index(name)

    def start(self, share: float) -> Numbers:
        theta = np.zeros(2 * self.size + len(self.free))
        theta[0] = _logit(self.rows.half(is_long=False).mean / self.rows.items)
        theta[self.size] = _logit(share)
        theta[2 * self.size :] = _logit(0.3)
        return theta

    def _share(self, name: str, theta: Numbers) -> float:
        held = self.leaving_out.get(name, 0.0)
        return float(expit(theta[self.place(name)])) if held is None else held

    def _parts(self, theta: Numbers) -> _Parts:
        rows, size, items = self.rows, self.size, self.rows.items
        eta, zeta = rows.x @ theta[:size], rows.x @ theta[size : 2 * size]
        y = rows.numbers
        u, low = self._share(CEILING, theta), self._share(FLOOR, theta)
        long = rows.is_long
        kept = long * (1.0 - u * (y == items + 1) - low * (y == 1))
        dropped = long * (u * (y == items) + low * (y == 0))
        p = np.where(long, expit(zeta), 0.0)
        return _Parts(
            eta, zeta, expit(eta), p, _binomial(y, eta, items), _binomial(y - 1, eta, items),
            kept, dropped, u, low,
        )  # fmt: skip

    def evaluate(self, theta: Numbers) -> Evaluation:
        rows, items, y = self.rows, self.rows.items, self.rows.numbers
        found = self._parts(theta)
        a, b, p, h = found.same, found.more, found.p, found.h
        spread = items * h * (1 - h)
        away, away_more = y - items * h, y - 1 - items * h
        a1, b1 = a * away, b * away_more
        a2, b2 = a * (away**2 - spread), b * (away_more**2 - spread)
        weight_a, weight_b = 1 - p + p * found.dropped, p * found.kept
        chance = np.maximum(weight_a * a + weight_b * b, _NONE)
        slope = p * (1 - p)
        apart, apart1 = (found.dropped - 1) * a + found.kept * b, (
            found.dropped - 1) * a1 + found.kept * b1  # fmt: skip
        ones = np.ones((len(y), 1))
        blocks = [rows.x, rows.x]
        first = [weight_a * a1 + weight_b * b1, slope * apart]
        second = {
            (0, 0): weight_a * a2 + weight_b * b2,
            (0, 1): slope * apart1,
            (1, 1): slope * (1 - 2 * p) * apart,
        }
        for name in self.free:
            share, at, gone = (
                (found.u, y == items, y == items + 1)
                if name == CEILING
                else (found.low, y == 0, y == 1)
            )
            rise = share * (1 - share) * rows.is_long
            own, own1 = at * a - gone * b, at * a1 - gone * b1
            k = len(blocks)
            blocks.append(ones)
            first.append(rise * p * own)
            second |= {
                (0, k): rise * p * own1, (1, k): rise * slope * own,
                (k, k): (1 - 2 * share) * rise * p * own,
            }  # fmt: skip
        relative = [one / chance for one in first]
        score = [x.T @ (rows.people * one) for x, one in zip(blocks, relative, strict=True)]
        ends = np.cumsum([0, *(x.shape[1] for x in blocks)])
        information = np.zeros((ends[-1], ends[-1]))
        for i in range(len(blocks)):
            for k in range(i, len(blocks)):
                curve = relative[i] * relative[k] - second.get((i, k), 0.0) / chance
                block = (blocks[i].T * (rows.people * curve)) @ blocks[k]
                information[ends[i] : ends[i + 1], ends[k] : ends[k + 1]] = block
                information[ends[k] : ends[k + 1], ends[i] : ends[i + 1]] = block.T
        farthest = max(
            float(np.abs(one[rows.people > 0]).max(initial=0.0)) for one in (found.eta, found.zeta)
        )
        value = float(rows.people @ np.log(chance))
        return Evaluation(value, np.concatenate(score), information, farthest)

    def improved(self, theta: Numbers) -> Numbers:
        """One step of EM; coefficients take one Newton step of their complete likelihood."""
        rows, size, items, y = self.rows, self.size, self.rows.items, self.rows.numbers
        found = self._parts(theta)
        told = found.p * found.kept * found.more
        untold = (1 - found.p + found.p * found.dropped) * found.same
        chance = np.maximum(told + untold, _NONE)
        open_ones = told / chance
        hiding = found.p * found.dropped * found.same / chance
        result = theta.copy()
        result[:size] += _newton(rows.x, rows.people, y - open_ones, found.h, items)
        carriers = np.where(rows.is_long, open_ones + hiding, 0.0)
        people = rows.people * rows.is_long
        result[size : 2 * size] += _newton(rows.x, people, carriers, found.p, 1)
        for name in self.free:
            at, gone = (y == items, y == items + 1) if name == CEILING else (y == 0, y == 1)
            hidden, shown = float(people @ (hiding * at)), float(people @ (open_ones * gone))
            if hidden + shown > 0:
                share = min(max(hidden / (hidden + shown), 1e-4), 1 - 1e-4)
                result[self.place(name)] = _logit(share)
        return result


@dataclass(frozen=True, eq=False)
class _Parts:
    """Of every row: predictors, probabilities, and B(y) and B(y - 1)."""

    eta: Numbers
    zeta: Numbers
    h: Numbers
    p: Numbers
    same: Numbers
    more: Numbers
    kept: Numbers
    dropped: Numbers
    u: float
    low: float


def _newton(x: Numbers, people: Numbers, target: Numbers, mean: Numbers, most: int) -> Numbers:
    score = x.T @ (people * (target - most * mean))
    information = (x.T * (people * most * mean * (1 - mean))) @ x
    information += np.eye(x.shape[1]) * 1e-9 * max(float(np.trace(information)), 1e-9)
    step = np.linalg.solve(information, score)
    return np.asarray(step * min(1.0, 2.0 / max(float(np.abs(x @ step).max(initial=0.0)), 1e-9)))


def _binomial(y: Numbers, eta: Numbers, items: int) -> Numbers:
    inside = (y >= 0) & (y <= items)
    y = np.clip(y, 0, items)
    chosen = gammaln(items + 1) - gammaln(y + 1) - gammaln(items - y + 1)
    value = np.exp(chosen + y * eta - items * np.logaddexp(0.0, eta))
    return np.where(inside, value, 0.0)
