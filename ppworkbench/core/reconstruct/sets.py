"""Estimating a distribution from reports that are sets of values.

The share of sets that name a value gives an unbiased estimate with an exact variance. Where it is
negative somewhere, the most likely distribution is found by EM: a set z is ``e^ε`` times as likely
for a value that it names as for any other one, so that

``x_c ← x_c · mean over z of (1 + (e^ε - 1) [c in z]) / (1 + (e^ε - 1) x(z))``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag

from ppworkbench.core.arrays import Numbers, project, weighted_counts
from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sets import Sets
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.channels import Naming
from ppworkbench.core.design.fit import fit_sets
from ppworkbench.core.design.perturbation import Identity, Perturbation
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.channel import CountedChannel
from ppworkbench.core.reconstruct.pooled import FEWEST_EXPECTED, Test, wald_test
from ppworkbench.core.reconstruct.reconstruction import (
    Reconstruction,
    about_iterations,
    nothing_answered,
    without_stop_rule,
)
from ppworkbench.core.reconstruct.stopping import StopRule
from ppworkbench.core.share_intervals import outside_remarks

EQ, LIKELIEST = "eq", "em-as"
_MOST_ITERATIONS = 5000
_SETTLED = 1e-9
"""A step of all shares together below which EM has converged."""
_ROUNDING = 1e-12
METHOD = Message("exact variance of the share of sets that name a value")


class SetCounter:
    """Counts reports that are sets; they may come in any number of pieces."""

    def __init__(self, attribute: Attribute, perturbation: Perturbation) -> None:
        self.attribute, self.perturbation = attribute, perturbation
        self._sets: list[Sets] = []
        self._weights: list[Numbers] = []
        self.rows = self.missing = 0
        self._squares = 0.0

    def add(
        self, column: Column, weights: Numbers | None = None, progress: Progress = silent
    ) -> None:
        """Count a piece of the column; ``weights`` say how much each respondent counts."""
        fit_sets(Table((column,)), self.attribute)
        there = ~column.missing
        counting = np.ones(len(column)) if weights is None else np.asarray(weights, np.float64)
        counting = counting[there]
        found, places, _ = sets.distinct(column.data[there])
        self._sets.append(found)
        self._weights.append(weighted_counts(places, counting, len(found)))
        self.rows += len(counting)
        self.missing += column.missing_count
        self._squares += float(counting @ counting)
        progress(1.0, Message("counting {attribute}", attribute=self.attribute.name))

    def cells(self) -> CountedChannel:
        """The cells of true answers, without any counts."""
        k = self.attribute.k
        return CountedChannel(np.eye(k), np.zeros(k), self.attribute, Identity())

    @property
    def naming(self) -> Naming:
        """How often the sets name the true value, and any other."""
        return self.perturbation.sets.naming(self.attribute.k)

    @property
    def packed(self) -> Sets:
        return np.concatenate(self._sets) if self._sets else sets.all_missing(0, self.attribute.k)

    @property
    def weights(self) -> Numbers:
        return np.concatenate(self._weights) if self._weights else np.zeros(0)

    def merge(self, other: SetCounter) -> None:
        self._sets += other._sets
        self._weights += other._weights
        self.rows += other.rows
        self.missing += other.missing
        self._squares += other._squares

    def settle(self) -> None:
        """Put the sets into an order that does not depend on the pieces they came in."""
        if self._sets:
            found, places, _ = sets.distinct(self.packed)
            self._weights = [weighted_counts(places, self.weights, len(found))]
            self._sets = [found]

    @property
    def total(self) -> float:
        return float(sum(float(one.sum()) for one in self._weights))

    @property
    def size(self) -> float:
        """How many reports of equal weight would tell as much."""
        return self.total**2 / self._squares if self._squares > 0 else 0.0

    def named(self) -> Numbers:
        return sets.weigh_named(self.packed, self.attribute.k, self.weights) / self.total

    def reconstruct(
        self,
        algorithm: str = "default",
        stop: StopRule | None = None,
        confidence: float | None = 0.95,
        original: Numbers | None = None,
        progress: Progress = silent,
    ) -> Reconstruction:
        return reconstruct_sets([self], algorithm, stop, confidence, original, progress)

    @classmethod
    def joined(cls, counters: Sequence[SetCounter]) -> list[SetCounter]:
        """Those that counted through the same device as one, without those who counted nobody."""
        found: dict[Perturbation, SetCounter] = {}
        for one in counters:
            if one.total > 0:
                into = found.setdefault(one.perturbation, cls(one.attribute, one.perturbation))
                into._sets += one._sets  # noqa: SLF001 (of the same class)
                into._weights += one._weights  # noqa: SLF001
                into._squares += one._squares  # noqa: SLF001
                into.rows, into.missing = into.rows + one.rows, into.missing + one.missing
        return list(found.values())


@dataclass(frozen=True, eq=False)
class SetShares:
    """Unbiased shares from the sets of one device or of several.

    Every device by itself gives unbiased shares; their mean weighs each by its reports over the
    variance that a report has where all values are alike, whatever the reports say. It is as
    unbiased as they are, and its variance is exact.

    Parameters
    ----------
    parts
        How much every device weighs, with its reports.
    named_variance
        The variance of each share, by the share of the sets that name the value.
    """

    parts: tuple[tuple[float, SetCounter], ...]
    raw: Numbers
    named_variance: Numbers

    @classmethod
    def of(cls, counters: Sequence[SetCounter]) -> SetShares:
        """The shares that these say together; somebody must have answered."""
        joined = SetCounter.joined(counters)
        worth = [set_worth(one.naming, one.attribute.k, one.size) for one in joined]
        parts = tuple((each / sum(worth), one) for each, one in zip(worth, joined, strict=True))
        raw, variance = np.zeros(joined[0].attribute.k), np.zeros(joined[0].attribute.k)
        for weight, one in parts:
            named, naming = one.named(), one.naming
            raw += weight * naming.share(named)
            variance += weight**2 * named * (1 - named) / naming.gap**2 / one.size
        return cls(parts, raw, variance)

    def covariance(self, shares: Numbers) -> Numbers:
        found = np.zeros((len(shares), len(shares)))
        for weight, one in self.parts:
            found += weight**2 * one.naming.covariance(shares) / one.size
        return found


def set_worth(naming: Naming, k: int, size: float) -> float:
    """How much so many sets tell: one over the variance of a share where all values are alike."""
    return size / float(naming.variance(1 / k))


def reconstruct_sets(
    counters: Sequence[SetCounter],
    algorithm: str = "default",
    stop: StopRule | None = None,
    confidence: float | None = 0.95,
    original: Numbers | None = None,
    progress: Progress = silent,
) -> Reconstruction:
    """Estimate the distribution of the true answers from the sets of all devices together."""
    attribute = counters[0].attribute
    if not any(one.total > 0 for one in counters):
        raise nothing_answered(attribute.name)
    found = SetShares.of(counters)
    used = [one for _, one in found.parts]
    packed = np.concatenate([one.packed for one in used])
    weights = np.concatenate([one.weights for one in used])
    odds = np.concatenate([np.full(len(one.weights), one.naming.odds) for one in used])
    raw = found.raw
    is_plain = algorithm == "default" and stop is None and raw.min() >= -_ROUNDING
    iterations, finished = 0, True
    if algorithm == EQ or is_plain:
        if stop is not None:
            raise without_stop_rule(EQ)
        shares, name = project(raw / max(raw.sum(), _ROUNDING)), EQ
    else:
        most = _MOST_ITERATIONS if stop is None else min(stop.limit, _MOST_ITERATIONS)
        shares, iterations, finished = maximise(packed, weights, odds, project(raw), most, progress)
        name = LIKELIEST
    least = float(raw.min())
    told = Reconstruction(
        attribute=attribute,
        algorithm=name,
        stop="" if stop is None else stop.words,
        iterations=iterations,
        values=attribute.values,
        probability=shares,
        raw=raw,
        log_likelihood=log_likelihood(packed, weights, odds, shares),
        rows=sum(one.rows for one in counters),
        missing=sum(one.missing for one in counters),
        warnings=(
            *outside_remarks(least if least < -_ROUNDING else 0.0),
            *about_iterations(LIKELIEST, iterations, finished=finished),
        ),
    ).beside(original)
    error, covariance = np.sqrt(found.named_variance), found.covariance(shares)
    return told.around(error, covariance, confidence, METHOD)


def compare_parts(parts: Sequence[Sequence[SetCounter]]) -> tuple[Test, bool]:
    """Wald's test that all parts have the same shares, and whether it has enough reports.

    The unbiased shares of every part are moved to a sum of 1, which they have on average; what is
    left has as many degrees of freedom as shares of single answers have.
    """
    k, others = parts[0][0].attribute.k, len(parts) - 1
    if others < 1:
        return Test(0.0, 0, 1.0), True
    found = [SetShares.of(part) for part in parts]
    pooled = SetShares.of([one for part in parts for one in part])
    shares = project(pooled.raw)
    contrast = contrast_of(others, k)
    spread = block_diag(*(one.covariance(shares) for one in found))
    apart = contrast @ np.concatenate([one.raw for one in found])
    expected = [
        one.size * np.minimum(named := one.naming.named(shares), 1 - named).min()
        for each in found
        for _, one in each.parts
    ]
    test = wald_test(apart, contrast @ spread @ contrast.T, others * (k - 1), math.inf)
    return test, min(expected) >= FEWEST_EXPECTED


def contrast_of(others: int, k: int) -> Numbers:
    """Takes shares of several parts to what each differs from the last, within a sum of 0."""
    centred = np.eye(k) - 1 / k
    found = np.kron(np.hstack([np.eye(others), -np.ones((others, 1))]), centred)
    return np.asarray(found, np.float64)


def maximise(
    packed: Sets,
    weights: Numbers,
    odds: float | Numbers,
    start: Numbers,
    most: int = _MOST_ITERATIONS,
    progress: Progress = silent,
) -> tuple[Numbers, int, bool]:
    """The most likely distribution, how many iterations it took, and whether they were enough.

    ``odds`` is that of every set where devices differ.
    Steps are squared (Varadhan and Roland 2008): two of EM say how far a third may go.
    """
    k = len(start)
    shares = start * 0.99 + 0.01 / k
    shares /= shares.sum()
    used = 0
    while used < most:
        first = _step(packed, weights, odds, shares)
        second = _step(packed, weights, odds, first)
        used += 2
        change, bend = first - shares, second - 2 * first + shares
        length = float(np.abs(bend).sum())
        if float(np.abs(second - first).sum()) < _SETTLED:
            return second, used, True
        reach = max(1.0, float(np.abs(change).sum()) / length) if length > 0 else 1.0
        leapt = shares + 2 * reach * change + reach**2 * bend
        # A leap out of the simplex is no distribution; then the plain step counts.
        shares = leapt / leapt.sum() if (leapt > 0).all() else second
        progress(min(used / most, 0.99), Message("iteration {iteration}", iteration=used))
    return shares, used, False


def _step(packed: Sets, weights: Numbers, odds: float | Numbers, shares: Numbers) -> Numbers:
    found = np.zeros(len(shares))
    more = np.broadcast_to(np.asarray(odds, np.float64) - 1, len(weights))
    for rows, named in sets.parts(packed, len(shares)):
        spread = named.astype(np.float64)
        each = weights[rows] / (1 + more[rows] * (spread @ shares))
        found += float(each.sum()) + (each * more[rows]) @ spread
    found *= shares
    return np.asarray(found / found.sum())


def log_likelihood(packed: Sets, weights: Numbers, odds: float | Numbers, shares: Numbers) -> float:
    """``Σ_z N_z log (1 + (e^ε - 1) x(z))``, up to what does not depend on the shares."""
    total, more = 0.0, np.broadcast_to(np.asarray(odds, np.float64) - 1, len(weights))
    for rows, named in sets.parts(packed, len(shares)):
        total += float(weights[rows] @ np.log1p(more[rows] * (named @ shares)))
    return total
