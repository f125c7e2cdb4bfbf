r"""The likelihood of the counts of a list.

Somebody says y with the probability f(y) in the short list and p f(y - 1) + (1 - p) f(y) in the
long one. Every count has a chance of its own, and predictors tilt them::

    log f(y | x) = a(y) + y x'g + sum_q c_q(y) x'd_q - what makes it add up to 1

with c_2 to c_J orthogonal to 1 and y. Items whose log odds change alike, related to each other or
not, have d = 0; with d every item may change on its own, and yes/no predictors may do with the
counts what they like. A weak pull to 0 (ridge) keeps d finite where a group lacks a count.

The model takes the count as independent of the sensitive item where predictors are the same. The
counts of people with equal predictors test that, for they have more degrees of freedom than the
model. Where too few are equal the share is held against that of the linear regression, which
assumes nothing (Hausman).

People who would give themselves away may leave the item out: a share u of carriers with all of the
harmless items, a share l of those with none.

References
----------
K. Imai (2011), Multivariate regression analysis for the item count technique, *Journal of the
American Statistical Association* 106; G. Blair and K. Imai (2012), Statistical analysis of list
experiments, *Political Analysis* 20; T. A. Louis (1982), Finding the observed information matrix
when using the EM algorithm, *Journal of the Royal Statistical Society B* 44.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtrc, expit, softmax, xlogy

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.classes import Estimate
from ppworkbench.core.compliance.list_models import (
    AT_BOUND,
    CONTROL,
    LEVEL,
    SENSITIVE,
    ListFit,
    ListRows,
    coefficients_of,
    fit_linear,
    logit,
    share_at_bound,
    share_error,
)
from ppworkbench.core.message import Message
from ppworkbench.core.models.maximise import Evaluation, Maximum, maximise
from ppworkbench.core.progress import Progress, silent

CEILING, FLOOR = "ceiling", "floor"
UNKNOWN = "list-unknown"
"""Code of the remark that the answers tell nothing about a share."""
CONTRADICTED = "list-contradicted"
"""Code of the remark that the likelihood rests on what the answers contradict."""
_STARTS = (0.1, 0.3, 0.5, 0.8)
_EM_STEPS = 6
_CLOSE = 1e-3
"""Shares nearer to 0 or 1 than this are tried at the bound itself."""
_UNKNOWN = 1e3
"""Log odds with a larger standard error are those of the start: nothing tells about them."""
_NONE = 1e-300
_LEAST = 1e-6
"""A share that stands for 0 where log odds have none."""
_RIDGE = 0.1
"""What pulls the separate changes of the counts to 0, by standard deviation of a predictor."""
_FEWEST = 30
"""So many people with equal predictors each half needs, for their counts to test the model."""
_OF_COUNTS = Message("chi-square test of all counts in both lists")
_OF_SHARE = Message("Hausman test of the share against that of the linear regression")
_AT_ONCE = 1 << 15
"""Rows whose temporary arrays are held at the same time."""


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
    rows, theta = model.rows, best.theta
    own = model.sensitive
    every = expit(rows.x @ theta[own])
    share = float(rows.people @ every) / float(rows.people.sum())
    is_bound = best.separated or not 1e-6 < share < 1 - 1e-6
    covariance: Numbers = np.asarray(
        np.linalg.pinv(best.evaluation.information, hermitian=True), np.float64
    )
    variances = np.diag(covariance).copy()
    variances[~((variances > 0) & (variances < _UNKNOWN**2))] = math.nan
    errors = np.sqrt(variances)
    remarks: list[str] = []
    found = Estimate(float(np.round(share, 6)), *(math.nan,) * 3)
    if not is_bound:
        found = _share_estimate(share, share_error(rows, every, covariance[own, own]), factor)
    if rows.x.shape[1] == 1:
        # It knows of bounds, where standard errors do not exist, and near them say little.
        low, high = _profile_interval(model, best, found.estimate, factor)
        found = dataclasses.replace(found, low=low, high=high)
    if is_bound:
        errors[own] = math.nan
        remarks.append(share_at_bound())
    p, test = _assumption_test(model, best, found)
    if p < LEVEL:
        remarks.append(_contradicted(p, test))
    leaving_out = {}
    for name, held in model.leaving_out.items():
        if held is not None:
            leaving_out[name] = Estimate(held, *(math.nan,) * 3)
            remarks.append(_leaving_out_at_bound(name, held))
            continue
        place = model.place(name)
        if not math.isfinite(errors[place]):
            leaving_out[name] = Estimate(*(math.nan,) * 4)
            remarks.append(_leaving_out_unknown(name))
            continue
        part = float(expit(theta[place]))
        leaving_out[name] = _share_estimate(part, float(errors[place]) * part * (1 - part), factor)
    if not best.converged and not is_bound:
        remarks.append(Message("The likelihood has no clear maximum; read the model with caution."))
    coefficients = (
        *coefficients_of(SENSITIVE, terms, theta[own], errors[own]),
        *coefficients_of(CONTROL, terms[1:], theta[model.slopes], errors[model.slopes]),
    )
    return ListFit(
        found, coefficients, leaving_out, model.log_likelihood(best), tuple(remarks), p,
        test,
    )  # fmt: skip


def _share_estimate(share: float, error: float, factor: float) -> Estimate:
    """A share with an interval that is even on the scale of log odds, hence within 0 and 1."""
    reach = factor * error / (share * (1 - share))
    low, high = (float(expit(logit(share) + sign * reach)) for sign in (-1, 1))
    return Estimate(share, error, low, high)


def _profile_interval(
    model: _Model, best: Maximum, estimate: float, factor: float
) -> tuple[float, float]:
    """The shares that the likelihood, at its highest for each of them, does not rule out."""
    place = model.sensitive.start
    rest = np.delete(best.theta, place)

    def beyond(share: float) -> float:
        """How many standard errors farther away than allowed; next to linear in the share."""

        def evaluate(theta: Numbers) -> Evaluation:
            here = model.evaluate(np.insert(theta, place, logit(share)))
            information = np.delete(np.delete(here.information, place, 0), place, 1)
            return Evaluation(here.value, np.delete(here.score, place), information, 0.0)

        drop = best.evaluation.value - maximise(evaluate, rest).evaluation.value
        return math.sqrt(2 * max(drop, 0.0)) - factor

    middle = min(max(estimate, 2 * _LEAST), 1 - 2 * _LEAST)
    low, high = (
        bound if beyond(nearly) <= 0 else float(brentq(beyond, nearly, middle, xtol=1e-6))
        for bound, nearly in ((0.0, _LEAST), (1.0, 1 - _LEAST))
    )
    return low, high


def _assumption_test(model: _Model, best: Maximum, share: Estimate) -> tuple[float, str]:
    """The p of the test of what the model assumes, and what that test is."""
    rows = model.rows
    groups = _groups(rows)
    if groups is not None:
        cells = len(groups) * (2 * rows.items + 1)
        freedom = cells - len(best.theta)
        if freedom > 0:
            highest = sum(
                float(xlogy(half.people, half.people / half.people.sum()).sum())
                for group in groups
                for half in (group.half(is_long=False), group.half(is_long=True))
            )
            value = model.log_likelihood(best)
            return float(chdtrc(freedom, max(2 * (highest - value), 0.0))), _OF_COUNTS
        if rows.x.shape[1] == 1:
            return math.nan, _OF_COUNTS
    # People who leave the item out are missing from the linear regression, too.
    other = fit_linear(rows, ("",) * rows.x.shape[1], 1.0).share
    rest = other.standard_error**2 - share.standard_error**2
    if model.leaving_out or not rest > 0:
        return math.nan, _OF_SHARE
    return float(chdtrc(1, (other.estimate - share.estimate) ** 2 / rest)), _OF_SHARE


def _groups(rows: ListRows) -> list[ListRows] | None:
    """People with equal predictors; None where some of these are few."""
    if rows.x.shape[1] == 1:
        return [rows]
    if rows.people.sum() < 2 * _FEWEST * 2:
        return None
    kinds, place = np.unique(rows.x, axis=0, return_inverse=True)
    sizes = np.bincount(2 * place.reshape(-1) + rows.is_long, rows.people, 2 * len(kinds))
    if sizes.min() < _FEWEST:
        return None
    return [rows.take(place.reshape(-1) == kind) for kind in range(len(kinds))]


def _contradicted(p: float, test: str) -> str:
    return Message(
        "The answers contradict what the likelihood assumes ({test}: p = {p:.3g}): that people "
        "with the sensitive item have as many harmless ones as others. Keep to the difference.",
        code=CONTRADICTED,
        p=p,
        test=test,
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

    Parameters are a(1) to a(J), the tilts g by the predictors, their separate changes d of the
    counts, the coefficients of the sensitive item, and the log odds of the shares that leave it
    out.
    """

    rows: ListRows
    leaving_out: dict[str, float | None] = dataclasses.field(default_factory=dict)

    @property
    def slopes(self) -> slice:
        return slice(self.rows.items, self.rows.items + self.rows.x.shape[1] - 1)

    @property
    def changes(self) -> slice:
        """All that predictors do to the counts: their tilts, and then by contrast what differs."""
        return slice(self.rows.items, self.rows.items * self.rows.x.shape[1])

    @property
    def sensitive(self) -> slice:
        return slice(self.changes.stop, self.changes.stop + self.rows.x.shape[1])

    @functools.cached_property
    def contrasts(self) -> Numbers:
        """The counts themselves, and what is orthogonal to them and to a constant; by row."""
        powers = np.vander(np.linspace(-1, 1, self.rows.items + 1), increasing=True)
        others = np.linalg.qr(powers)[0].T[2:]
        return np.vstack([np.arange(self.rows.items + 1), others])

    @functools.cached_property
    def _pull(self) -> Numbers:
        """By parameter, how strongly it is pulled to 0."""
        tilts, people = self.rows.x[:, 1:], self.rows.people / self.rows.people.sum()
        variance = people @ (tilts - people @ tilts) ** 2
        pull = np.zeros(self.sensitive.stop + len(self.free))
        pull[self.slopes.stop : self.changes.stop] = np.tile(_RIDGE * variance, self.rows.items - 1)
        return pull

    def log_likelihood(self, best: Maximum) -> float:
        """Without what pulls parameters to 0."""
        return float(best.evaluation.value + 0.5 * self._pull @ best.theta**2)

    @property
    def free(self) -> tuple[str, ...]:
        return tuple(name for name, held in self.leaving_out.items() if held is None)

    def place(self, name: str) -> int:
        return int(self.sensitive.stop) + self.free.index(name)

    def start(self, share: float) -> Numbers:
        """The counts of the short list, with a share of the sensitive item."""
        short = self.rows.half(is_long=False)
        counts = np.bincount(short.numbers.astype(np.intp), short.people, self.rows.items + 1)
        theta = np.zeros(self.sensitive.stop + len(self.free))
        theta[: self.rows.items] = np.log(counts[1:] + 0.5) - math.log(counts[0] + 0.5)
        theta[self.sensitive.start] = logit(share)
        theta[self.sensitive.stop :] = logit(0.3)
        return theta

    def _share(self, name: str, theta: Numbers) -> float:
        held = self.leaving_out.get(name, 0.0)
        return float(expit(theta[self.place(name)])) if held is None else held

    def evaluate(self, theta: Numbers) -> Evaluation:
        return self._sums(theta)[0]

    def improved(self, theta: Numbers) -> Numbers:
        """One step of EM: a Newton step of the complete likelihood, whose score is the same."""
        here, complete = self._sums(theta)
        complete += np.eye(len(complete)) * 1e-9 * max(float(np.trace(complete)), 1e-9)
        step = np.linalg.solve(complete, here.score)
        return np.asarray(theta + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-9)))

    def _sums(self, theta: Numbers) -> tuple[Evaluation, Numbers]:
        size = len(theta)
        value, farthest = 0.0, 0.0
        score, lost, complete = np.zeros(size), np.zeros((size, size)), np.zeros((size, size))
        for start in range(0, len(self.rows.numbers), _AT_ONCE):
            part = self.rows.take(slice(start, start + _AT_ONCE))
            found = self._types(part, theta)
            people, told, hid = part.people, found.told, found.hidden
            value += float(people @ np.log(found.chance))
            farthest = max(farthest, found.farthest)
            score += people @ found.first + (people * told) @ found.teller
            score += (people * hid) @ found.hider
            lost += (found.teller.T * (people * told * (1 - told))) @ found.teller
            lost += (found.hider.T * (people * hid * (1 - hid))) @ found.hider
            both = (found.teller.T * (people * told * hid)) @ found.hider
            lost -= both + both.T
            complete += self._complete(part, theta, found)
        value -= 0.5 * float(self._pull @ theta**2)
        score -= self._pull * theta
        complete += np.diag(self._pull)
        return Evaluation(value, score, complete - lost, farthest), complete

    def _types(self, rows: ListRows, theta: Numbers) -> _Types:
        items, y, long = rows.items, rows.numbers, rows.is_long
        numbers = np.arange(items + 1)
        tilts, contrasts = rows.x[:, 1:], self.contrasts
        by_contrast = tilts @ theta[self.changes].reshape(items, -1).T
        f = softmax(np.append(0.0, theta[:items]) + by_contrast @ contrasts, axis=1)
        eta = rows.x @ theta[self.sensitive]
        p = np.where(long, expit(eta), 0.0)
        u, low = self._share(CEILING, theta), self._share(FLOOR, theta)
        padded = np.zeros((len(y), items + 3))
        padded[:, 1:-1] = f
        every, place = np.arange(len(y)), y.astype(np.intp)
        same, fewer = padded[every, place + 1], padded[every, place]
        told = p * (1.0 - u * (y == items + 1) - low * (y == 1)) * fewer
        hidden = p * (u * (y == items) + low * (y == 0)) * same
        chance = np.maximum((1 - p) * same + told + hidden, _NONE)
        has = (y[:, None] == numbers[1:]).astype(np.float64)
        had = (y[:, None] - 1 == numbers[1:]).astype(np.float64)
        # Nobody of the one or the other kind says what lies beyond.
        beyond = np.pad(contrasts, ((0, 0), (1, 1))).T
        own, one_less = beyond[place + 1], beyond[place]
        none = np.zeros((len(y), len(theta) - self.sensitive.start))
        first = np.hstack([has - f[:, 1:], _every_product(own - f @ contrasts.T, tilts), none])
        first[:, self.sensitive] = -p[:, None] * rows.x
        teller = np.hstack([had - has, _every_product(one_less - own, tilts), none])
        hider = np.zeros_like(first)
        teller[:, self.sensitive] = hider[:, self.sensitive] = rows.x
        for name in self.free:
            share, end = (u, items) if name == CEILING else (low, 0)
            teller[:, self.place(name)] = -share * (y - 1 == end)
            hider[:, self.place(name)] = (1 - share) * (y == end)
        return _Types(
            f, p, chance, told / chance, hidden / chance, first, teller, hider,
            float(np.abs(eta[long & (rows.people > 0)]).max(initial=0.0)),
        )  # fmt: skip

    def _complete(self, rows: ListRows, theta: Numbers, found: _Types) -> Numbers:
        result = np.zeros((len(theta), len(theta)))
        people, x = rows.people, rows.x
        f, tilts, contrasts = found.f, x[:, 1:], self.contrasts
        apart = contrasts - (f @ contrasts.T)[:, :, None]
        counts, changes = slice(0, rows.items), self.changes
        result[counts, counts] = np.diag(people @ f[:, 1:]) - (f[:, 1:].T * people) @ f[:, 1:]
        weighted = apart * f[:, None, :]
        by_count = np.einsum("iqy,ip->yqp", weighted[:, :, 1:] * people[:, None, None], tilts)
        cross = by_count.reshape(rows.items, -1)
        result[counts, changes], result[changes, counts] = cross, cross.T
        spread = np.einsum("iqy,iry->iqr", weighted, apart) * people[:, None, None]
        both = np.einsum("iqr,ip,is->qprs", spread, tilts, tilts, optimize=True)
        size = rows.items * tilts.shape[1]
        result[changes, changes] = both.reshape(size, size)
        result[self.sensitive, self.sensitive] = (x.T * (people * found.p * (1 - found.p))) @ x
        for name in self.free:
            share, end = self._share(name, theta), rows.items if name == CEILING else 0
            at_end = found.told * (rows.numbers - 1 == end) + found.hidden * (rows.numbers == end)
            place = self.place(name)
            result[place, place] = share * (1 - share) * float(people @ at_end)
        return result


def _every_product(first: Numbers, second: Numbers) -> Numbers:
    """Every column of one times every column of the other, by row."""
    return np.asarray((first[:, :, None] * second[:, None, :]).reshape(len(first), -1))


@dataclass(frozen=True, eq=False)
class _Types:
    """Of every row: f, p, its probability, and who it may be.

    ``told`` and ``hidden`` are the probabilities of a carrier who told, or hid, the item; ``first``
    are the scores of people without it, ``teller`` and ``hider`` what carriers have beyond.
    """

    f: Numbers
    p: Numbers
    chance: Numbers
    told: Numbers
    hidden: Numbers
    first: Numbers
    teller: Numbers
    hider: Numbers
    farthest: float
