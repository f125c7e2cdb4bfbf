r"""Shares of classes of people from the reports of several arms, by maximum likelihood.

In arm g a class answers by a known column of probabilities, so that ``lambda_g = M_g q`` with the
same shares q in every arm. The log-likelihood ``sum_g sum_r n_gr log (M_g q)_r`` is concave, and q
lies on the simplex: there is one maximum, inside or on the boundary.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, fdtrc

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.design.matrices.base import NEARLY_SINGULAR, condition_number
from ppworkbench.core.json_values import finite_fields, finite_or_none
from ppworkbench.core.rng import SeededStreams

_EM_STEPS, _NEWTON_STEPS = 60, 200
_AT_BOUND = 1e-9
_SETTLED = 1e-11
"""Shares that would move less are found."""
_SINGULAR = 1e-12
FEWEST_EXPECTED, DRAWS = 5.0, 2000
"""Expected answers in a cell that chi-square needs, and surveys that are drawn where it has not."""
_DRAWN_EM_STEPS, _DRAWN_STEPS = 20, 60
_DRAWN_GAP = 1e-7
"""What the log-likelihood of a drawn survey may lack."""
DRAWN_ROUNDING = 1e-6
"""Statistics of drawn surveys that differ less are alike."""


@dataclass(frozen=True, eq=False)
class SampledCounts:
    """How far the weighted counts of all arms are known under a sampling.

    Parameters
    ----------
    covariance
        Of the counts of all arms, one after another: arms may share clusters.
    degrees
        The degrees of freedom of that covariance.
    starts
        Where the counts of this arm begin; several of them where arms were merged.
    """

    covariance: Numbers
    degrees: float
    starts: tuple[int, ...]

    def selector(self, values: int) -> Numbers:
        """The matrix that takes the counts of this arm out of those of all."""
        chosen = np.zeros((values, len(self.covariance)))
        for start in self.starts:
            chosen[:, start : start + values] += np.eye(values)
        return chosen


@dataclass(frozen=True, eq=False)
class Arm:
    """The reports of one arm, and what each class of people answers there.

    Parameters
    ----------
    counts
        How often each value was reported; weighted counts need not be whole.
    matrix
        One row per reported value, one column per class.
    sampled
        How far the counts are known where people were not drawn one by one.
    """

    name: str
    counts: Numbers
    matrix: Numbers
    sampled: SampledCounts | None = None

    @property
    def n(self) -> float:
        return float(self.counts.sum())

    def with_matrix(self, matrix: Numbers) -> Arm:
        return Arm(self.name, self.counts, matrix, self.sampled)

    @property
    def share_covariance(self) -> Numbers:
        shares = self.counts / self.n
        if self.sampled is None:
            return (np.diag(shares) - np.outer(shares, shares)) / self.n
        slope = share_slope(self) @ self.sampled.selector(len(self.counts))
        return np.asarray(slope @ self.sampled.covariance @ slope.T)


def share_slope(arm: Arm) -> Numbers:
    """How reported shares change with the counts of an arm."""
    size = len(arm.counts)
    return np.asarray((np.eye(size) - np.outer(arm.counts / arm.n, np.ones(size))) / arm.n)


def merge_arms(arms: Sequence[Arm], matrix: Numbers) -> Arm:
    counts = np.sum([arm.counts for arm in arms], axis=0)
    known = [arm.sampled for arm in arms if arm.sampled is not None]
    if not known:
        return Arm("", counts, matrix)
    starts = tuple(start for one in known for start in one.starts)
    return Arm("", counts, matrix, SampledCounts(known[0].covariance, known[0].degrees, starts))


def count_covariance(arms: Sequence[Arm]) -> Numbers | None:
    """Of the counts of these arms, one after another; None where people were drawn one by one."""
    known = [arm.sampled for arm in arms]
    if not known or any(one is None for one in known):
        return None
    chosen = np.vstack(
        [
            one.selector(len(arm.counts))
            for one, arm in zip(known, arms, strict=True)
            if one is not None
        ]
    )
    assert known[0] is not None  # noqa: S101 (none of them is)
    return np.asarray(chosen @ known[0].covariance @ chosen.T)


def wald_test(values: Numbers, covariance: Numbers, df: int, degrees: float) -> Test:
    """Wald's test that all values are 0, by F where the covariance has few degrees of freedom."""
    statistic = max(
        float(values @ np.linalg.pinv(covariance, rcond=1e-9, hermitian=True) @ values), 0.0
    )
    return Test(statistic, df, upper_tail(statistic, df, degrees))


def upper_tail(statistic: float, df: int, degrees: float = math.inf) -> float:
    """The probability of a larger chi-square, or F times its degrees of freedom."""
    if math.isinf(degrees):
        return float(chdtrc(df, statistic))
    return float(fdtrc(df, degrees, statistic / df)) if degrees > 0 else math.nan


@dataclass(frozen=True, eq=False)
class Test:
    """A likelihood-ratio test; Wald's test under a sampling."""

    statistic: float
    df: int
    p: float

    def to_json(self, statistic: str) -> dict[str, Any]:
        """The test under the name of its statistic."""
        return {statistic: finite_or_none(self.statistic), **finite_fields(self, "df", "p")}


@dataclass(frozen=True, eq=False)
class Shares:
    """The most likely shares, and how far they are known.

    Parameters
    ----------
    at_bound
        The classes whose share is 0.
    """

    arms: tuple[Arm, ...]
    shares: Numbers
    log_likelihood: float
    at_bound: NDArray[np.bool_]

    @cached_property
    def covariance(self) -> Numbers:
        """The inverse of the Fisher information on the simplex; classes at the bound held there.

        Under a sampling it stands on both sides of the covariance of the scores.
        """
        spread = count_covariance(self.arms)
        if spread is None:
            free = np.flatnonzero(~self.at_bound)
            return self._inverse(expected_information(self.arms, self.shares), free)
        slope = self.slope
        return np.asarray(slope @ spread @ slope.T)

    @cached_property
    def slope(self) -> Numbers:
        """How the shares change with the counts of all arms, one after another."""
        stacked = np.vstack([arm.matrix for arm in self.arms])
        counts = np.concatenate([arm.counts for arm in self.arms])
        chance = stacked @ self.shares
        information = (stacked.T * _ratio(counts, chance**2)) @ stacked
        inverse = self._inverse(information, np.flatnonzero(~self.at_bound))
        return np.asarray(inverse @ (stacked.T * _ratio(np.ones(len(counts)), chance)))

    def _inverse(self, information: Numbers, free: NDArray[np.intp]) -> Numbers:
        covariance = np.zeros(information.shape)
        if len(free) > 1:
            basis = _directions(len(free))
            inner = basis.T @ information[np.ix_(free, free)] @ basis
            covariance[np.ix_(free, free)] = basis @ np.linalg.pinv(inner) @ basis.T
        return covariance

    @property
    def standard_errors(self) -> Numbers:
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)))

    @property
    def is_on_boundary(self) -> bool:
        return bool(self.at_bound.any())

    @cached_property
    def fit(self) -> Test | None:
        """G² against free shares in every arm; None where there is nothing left to test.

        As many shares as reports fit exactly, unless one ends at its bound: then G² says how badly
        they fit, and no p is known.
        """
        df = sum(len(arm.counts) - 1 for arm in self.arms) - (len(self.shares) - 1)
        spread = count_covariance(self.arms)
        if df <= 0 and (spread is not None or not self.is_on_boundary):
            return None
        if spread is not None:
            return self._wald_fit(spread, df)
        statistic = max(2 * (saturated(self.arms) - self.log_likelihood), 0.0)
        return Test(statistic, max(df, 0), float(chdtrc(df, statistic)) if df > 0 else math.nan)

    def _wald_fit(self, spread: Numbers, df: int) -> Test:
        """How far the reported shares are from those that the classes explain."""
        apart, rows, first = [], [], 0
        for arm in self.arms:
            size = len(arm.counts)
            row = -arm.matrix @ self.slope
            row[:, first : first + size] += share_slope(arm)
            rows.append(row)
            apart.append(arm.counts / arm.n - arm.matrix @ self.shares)
            first += size
        slope = np.vstack(rows)
        assert self.arms[0].sampled is not None  # noqa: S101 (there is a covariance)
        degrees = self.arms[0].sampled.degrees
        return wald_test(np.concatenate(apart), slope @ spread @ slope.T, df, degrees)


def fit_shares(arms: Sequence[Arm]) -> Shares:
    """EM to come near, then Newton's method on the classes that are not at 0."""
    given = tuple(arms)
    stacked = np.vstack([arm.matrix for arm in given])
    counts = np.concatenate([arm.counts for arm in given])
    total = float(counts.sum())
    q = np.full(stacked.shape[1], 1 / stacked.shape[1])
    for _ in range(_EM_STEPS if len(q) > 1 else 0):
        q = q * (stacked.T @ _ratio(counts, stacked @ q)) / total
        q /= q.sum()
    free = q > _AT_BOUND
    for _ in range(_NEWTON_STEPS):
        q = np.where(free, q, 0.0)
        q /= q.sum()
        score = stacked.T @ _ratio(counts, stacked @ q)
        step = _step(stacked, counts, q, score, free)
        if np.abs(step).max() < _SETTLED:
            # Every class has as much to gain as the others, or, at 0, less.
            outside = ~free & (score > total * (1 + 1e-9))
            if not outside.any():
                break
            best = int(np.argmax(np.where(outside, score, -math.inf)))
            free[best] = True
            q[best] = 1e-6
            continue
        q, hit = _advance(stacked, counts, q, step)
        free &= ~hit
    at_bound = q <= _AT_BOUND
    return Shares(given, q, _log_likelihood(counts, stacked @ q), at_bound)


def _step(
    stacked: Numbers, counts: Numbers, q: Numbers, score: Numbers, free: NDArray[np.bool_]
) -> Numbers:
    """Newton's step within the simplex."""
    places = np.flatnonzero(free)
    step = np.zeros(len(q))
    if len(places) < 2:
        return step
    basis = _directions(len(places))
    rate = stacked[:, places] @ basis
    weights = _ratio(counts, (stacked @ q) ** 2)
    information = (rate.T * weights) @ rate
    step[places] = basis @ np.linalg.lstsq(information, basis.T @ score[places], rcond=1e-14)[0]
    return step


def _advance(
    stacked: Numbers, counts: Numbers, q: Numbers, step: Numbers
) -> tuple[Numbers, NDArray[np.bool_]]:
    """As far as the likelihood rises, or until a class is empty; and which then is."""
    falling = step < 0
    room = np.where(falling, -q / np.where(falling, step, -1.0), math.inf)
    furthest = min(1.0, float(room.min()))
    here, length = _log_likelihood(counts, stacked @ q), furthest
    for _ in range(60):
        moved = np.maximum(q + length * step, 0.0)
        if _log_likelihood(counts, stacked @ moved) >= here - 1e-12 * abs(here):
            break
        length /= 2
    hit = (room <= furthest * (1 + 1e-12)) & falling if length == furthest < 1 else falling & False
    return np.where(hit, 0.0, moved), hit


def expected_information(arms: Sequence[Arm], shares: Numbers) -> Numbers:
    """Fisher's information of the shares, before they have to add up to 1.

    Reports of chance 0, which tell everything about their classes, are left to `known_zeros`.
    """
    found = np.zeros((len(shares), len(shares)))
    for arm in arms:
        chance = arm.matrix @ shares
        weight = np.where(chance > 0, arm.n / np.where(chance > 0, chance, 1.0), 0.0)
        found += (arm.matrix.T * weight) @ arm.matrix
    return found


def known_zeros(arms: Sequence[Arm], shares: Numbers) -> NDArray[np.bool_]:
    """The classes that an arm would have noticed at once: they alone give reports of chance 0."""
    seen = [arm.matrix[arm.matrix @ shares <= 0].any(axis=0) for arm in arms]
    return np.asarray(np.any(seen, axis=0), np.bool_)


def log_likelihood(arms: Sequence[Arm], shares: Numbers) -> float:
    return sum(_log_likelihood(arm.counts, arm.matrix @ shares) for arm in arms)


def saturated(arms: Sequence[Arm]) -> float:
    """The log-likelihood of arms that have nothing to do with each other, nor with a device."""
    return sum(_log_likelihood(arm.counts, arm.counts / max(arm.n, 1e-300)) for arm in arms)


def equality(arms: Sequence[Arm], sets: Sequence[Sequence[Arm]] | None = None) -> Test:
    """Whether all arms have the same shares; or sets of arms, each with its own pooled ones.

    All shares are possible ones, those of single arms as well as pooled ones: reports that no
    shares would make fit badly in one arm or in all, and are no difference between arms.
    """
    parts = [[arm] for arm in arms] if sets is None else sets
    df = (len(parts) - 1) * (arms[0].matrix.shape[1] - 1)
    if not df:
        return Test(0.0, 0, 1.0)
    apart = sum(fit_shares(part).log_likelihood for part in parts)
    statistic = max(2 * (apart - fit_shares(arms).log_likelihood), 0.0)
    return Test(statistic, df, float(chdtrc(df, statistic)))


def is_at_bound(arms: Sequence[Arm], sets: Sequence[Sequence[Arm]]) -> bool:
    """Whether a share of all arms or of a set ends at 0, where tests of equality are rough."""
    return any(fit_shares(part).is_on_boundary for part in (arms, *sets))


def check_equality(
    arms: Sequence[Arm], sets: Sequence[Sequence[Arm]], seed: int = 0
) -> tuple[Test, bool]:
    """The test of :func:`equality`, and whether its p had to be simulated.

    Where fewer than 5 answers are expected in a cell, or a pooled share is 0, chi-square is no
    guide; surveys drawn from the pooled shares are.
    """
    fitted = fit_shares(arms)
    test, shares = equality(arms, sets), fitted.shares
    chances = [arm.matrix @ shares for arm in arms]
    least = min(
        (float((arm.n * one[one > 0]).min()) for arm, one in zip(arms, chances, strict=True)),
        default=math.inf,
    )
    if (least >= FEWEST_EXPECTED and not fitted.is_on_boundary) or not test.df:
        return test, False
    generator = SeededStreams(seed).generator("equality")
    drawn = {
        id(arm): generator.multinomial(round(arm.n), one / one.sum(), DRAWS).astype(np.float64)
        for arm, one in zip(arms, chances, strict=True)
    }
    apart = np.zeros(DRAWS)
    for part in sets:
        apart += _drawn_apart(part, [drawn[id(arm)] for arm in part], shares)
    together = drawn_likelihoods(arms, [drawn[id(arm)] for arm in arms], shares)
    as_large = np.count_nonzero(2 * (apart - together) >= test.statistic - DRAWN_ROUNDING)
    return Test(test.statistic, test.df, float((1 + as_large) / (1 + DRAWS))), True


def _drawn_apart(part: Sequence[Arm], counts: Sequence[Numbers], start: Numbers) -> Numbers:
    """The largest log-likelihoods of arms that are fitted together; of one arm mostly at once."""
    matrix = part[0].matrix
    is_square = len(part) == 1 and matrix.shape[0] == matrix.shape[1]
    if not is_square or condition_number(matrix) >= NEARLY_SINGULAR:
        return drawn_likelihoods(part, counts, start)
    # Shares that are all possible fit their own reports exactly.
    found = _drawn_saturated(counts[0])
    outside = (counts[0] @ np.linalg.inv(matrix).T).min(axis=1) < 0
    if outside.any():
        found[outside] = drawn_likelihoods(part, [counts[0][outside]], start)
    return found


def _drawn_saturated(drawn: Numbers) -> Numbers:
    shares = drawn / np.maximum(drawn.sum(axis=1, keepdims=True), 1.0)
    return np.asarray((drawn * np.log(np.where(drawn > 0, shares, 1.0))).sum(axis=1))


def drawn_likelihoods(arms: Sequence[Arm], counts: Sequence[Numbers], start: Numbers) -> Numbers:
    r"""The largest log-likelihood of each of many surveys, all of them fitted at once.

    EM comes near but takes thousands of steps to arrive where arms are alike, so a primal-dual
    interior-point method follows. With counts that sum to 1 the shares of the maximum fulfil
    ``s_c(q) + z_c = 1``, ``q_c z_c = 0`` and ``q, z >= 0``, where s is the score. As the likelihood
    is concave, it lacks at most ``n (max_c s_c - 1)``; surveys that lack more are fitted singly.
    """
    drawn = np.hstack(list(counts))
    stacked = np.vstack([arm.matrix for arm in arms])
    total = np.maximum(drawn.sum(axis=1, keepdims=True), 1.0)
    told, k = drawn / total, stacked.shape[1]
    # Nothing that is at 0 would ever leave it.
    q = np.tile(0.9 * start + 0.1 / k, (len(drawn), 1))
    for _ in range(_DRAWN_EM_STEPS):
        q = q * _drawn_scores(told, stacked, q)
    q = np.maximum(q, 1e-6)
    z = np.maximum(1 - _drawn_scores(told, stacked, q), 1e-3)
    for _ in range(_DRAWN_STEPS):
        chance = q @ stacked.T
        # Towards a tenth of what the complementary products are now.
        aim = 0.1 * (q * z).mean(axis=1, keepdims=True)
        curved = np.einsum("dr,rc,re->dce", told / chance**2, stacked, stacked, optimize=True)
        # The last part keeps classes apart that answer alike; it only shortens their steps.
        curved[:, np.arange(k), np.arange(k)] += z / q + 1e-12
        uphill = (told / chance) @ stacked - 1 + aim / q
        step = np.linalg.solve(curved, uphill[:, :, None])[:, :, 0]
        turn = aim / q - z - z / q * step
        q, z = q + _room(q, step) * step, z + _room(z, turn) * turn
        if float((total * (q * z).sum(axis=1, keepdims=True)).max()) < _DRAWN_GAP / 10:
            break
    q = q / q.sum(axis=1, keepdims=True)
    found = np.asarray((drawn * np.log(q @ stacked.T, where=drawn > 0, out=drawn * 0)).sum(axis=1))
    lacking = total[:, 0] * (_drawn_scores(told, stacked, q).max(axis=1) - 1)
    ends = np.cumsum([len(arm.matrix) for arm in arms])[:-1]
    for place in np.flatnonzero(~(lacking < _DRAWN_GAP)):
        pieces = np.split(drawn[place], ends)
        one = [Arm("", some, arm.matrix) for some, arm in zip(pieces, arms, strict=True)]
        found[place] = fit_shares(one).log_likelihood
    return found


def _drawn_scores(told: Numbers, stacked: Numbers, q: Numbers) -> Numbers:
    chance = q @ stacked.T
    return np.asarray(np.divide(told, chance, out=np.zeros_like(told), where=told > 0) @ stacked)


def _room(values: Numbers, step: Numbers) -> Numbers:
    """The part of each row's step that leaves all of its values above 0."""
    furthest = np.max(-step / values, axis=1, keepdims=True)
    return np.asarray(np.minimum(1.0, 0.99 / np.maximum(furthest, 1e-300)), np.float64)


def invert_information(information: Numbers) -> tuple[Numbers, bool]:
    """The covariance of shares that add up to 1, and whether the information is regular."""
    size = len(information)
    if size < 2:
        return np.zeros((size, size)), True
    basis = _directions(size)
    inner = basis.T @ information @ basis
    values = np.linalg.eigvalsh(inner)
    is_regular = bool(values[0] > _SINGULAR * max(float(values[-1]), 1e-300))
    return np.asarray(basis @ np.linalg.pinv(inner, hermitian=True) @ basis.T), is_regular


def _directions(size: int) -> Numbers:
    """Ways to move within the simplex: an orthonormal basis of vectors that add up to 0."""
    whole = np.linalg.qr(np.column_stack([np.ones(size), np.eye(size)[:, 1:]]))[0]
    return np.asarray(whole[:, 1:], np.float64)


def _ratio(counts: Numbers, chance: Numbers) -> Numbers:
    return np.divide(counts, chance, out=np.zeros(len(counts)), where=(counts > 0) & (chance > 0))


def _log_likelihood(counts: Numbers, chance: Numbers) -> float:
    met = counts > 0
    if (chance[met] <= 0).any():
        return -math.inf
    return float(counts[met] @ np.log(chance[met]))
