"""Estimating a distribution from reports that are sets of values.

The share of sets that name a value gives an unbiased estimate with an exact variance. Where it is
negative somewhere, the most likely distribution is found by EM: a set z is ``e^ε`` times as likely
for a value that it names as for any other one, so that

``x_c ← x_c · mean over z of (1 + (e^ε - 1) [c in z]) / (1 + (e^ε - 1) x(z))``.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from ppworkbench.core.arrays import Numbers, project, weighted_counts
from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sets import Sets
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.fit import fit_sets
from ppworkbench.core.design.identity import Identity
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.channel import CountedChannel
from ppworkbench.core.reconstruct.reconstruction import Reconstruction
from ppworkbench.core.reconstruct.stopping import StopRule

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

    def merge(self, other: SetCounter) -> None:
        """Add what another counter of the same attribute has counted."""
        self._sets += other._sets
        self._weights += other._weights
        self.rows += other.rows
        self.missing += other.missing
        self._squares += other._squares

    def cells(self) -> CountedChannel:
        """The cells of true answers, without any counts."""
        k = self.attribute.k
        return CountedChannel(np.eye(k), np.zeros(k), self.attribute, Identity())

    def reconstruct(
        self,
        algorithm: str = "default",
        stop: StopRule | None = None,
        confidence: float | None = 0.95,
        original: Numbers | None = None,
        progress: Progress = silent,
    ) -> Reconstruction:
        """Estimate the distribution of the true answers."""
        k, naming = self.attribute.k, self.perturbation.naming(self.attribute.k)
        pieces = np.concatenate(self._sets) if self._sets else sets.all_missing(0, k)
        # Each set once and in its order, so that it does not matter in which pieces they came.
        packed, places, _ = sets.distinct(pieces)
        given = np.concatenate(self._weights) if self._weights else np.zeros(0)
        weights = weighted_counts(places, given, len(packed))
        total = float(weights.sum())
        if total <= 0:
            raise DataError.saying(
                "No record has an answer to {listed}; nothing can be estimated.",
                listed=Message("{attributes!r}", attributes=(self.attribute.name,)),
            )
        named = sets.weigh_named(packed, k, weights) / total
        raw = naming.share(named)
        is_plain = algorithm == "default" and stop is None and raw.min() >= -_ROUNDING
        iterations, finished = 0, True
        if algorithm == EQ or is_plain:
            if stop is not None:
                raise ParameterError.saying(
                    "The algorithm {name!r} has no stopping rule; leave out the stop, or "
                    "choose 'em' or 'em-as'.",
                    name=EQ,
                    field="stop",
                )
            shares, name = project(raw / max(raw.sum(), _ROUNDING)), EQ
        else:
            most = _MOST_ITERATIONS if stop is None else min(stop.limit, _MOST_ITERATIONS)
            shares, iterations, finished = maximise(
                packed, weights, naming.odds, project(raw), most, progress
            )
            name = LIKELIEST
        size = total**2 / self._squares
        error = np.sqrt(named * (1 - named) / size) / naming.gap
        reach = 0.0 if confidence is None else float(ndtri((1 + confidence) / 2)) * error
        has = confidence is not None
        return Reconstruction(
            attribute=self.attribute,
            algorithm=name,
            stop="" if stop is None else stop.words,
            iterations=iterations,
            values=self.attribute.values,
            edges=None,
            probability=shares,
            raw=raw,
            low=np.minimum(np.clip(raw - reach, 0.0, 1.0), shares) if has else None,
            high=np.maximum(np.clip(raw + reach, 0.0, 1.0), shares) if has else None,
            standard_error=error if has else None,
            covariance=naming.covariance(shares) / size if has else None,
            interval_method=METHOD if has else "",
            confidence=confidence,
            log_likelihood=log_likelihood(packed, weights, naming.odds, shares),
            trace=None,
            information_loss=None
            if original is None
            else float(0.5 * np.abs(original - shares).sum()),
            rows=self.rows,
            missing=self.missing,
            warnings=tuple(self._warnings(raw, finished, iterations)),
        )

    def _warnings(self, raw: Numbers, finished: bool, iterations: int) -> list[str]:
        said: list[str] = []
        negative = int(np.count_nonzero(raw < -_ROUNDING))
        if negative == 1:
            said.append(
                Message(
                    "The unbiased solution has 1 negative estimate: this value is too rare "
                    "for this sample, and is estimated at or near 0."
                )
            )
        elif negative:
            said.append(
                Message(
                    "The unbiased solution has {negative} negative estimates: these values are "
                    "too rare for this sample, and are estimated at or near 0.",
                    negative=negative,
                )
            )
        if not finished:
            said.append(
                Message(
                    "The algorithm {algorithm!r} has not converged after {iterations} "
                    "iterations; 'accelerated' reaches the same result faster.",
                    algorithm=LIKELIEST,
                    iterations=iterations,
                )
            )
        return said


def maximise(
    packed: Sets,
    weights: Numbers,
    odds: float,
    start: Numbers,
    most: int = _MOST_ITERATIONS,
    progress: Progress = silent,
) -> tuple[Numbers, int, bool]:
    """The most likely distribution, how many iterations it took, and whether they were enough.

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


def _step(packed: Sets, weights: Numbers, odds: float, shares: Numbers) -> Numbers:
    ratio = np.zeros(len(shares))
    flat = 0.0
    for rows, named in sets.parts(packed, len(shares)):
        spread = named.astype(np.float64)
        each = weights[rows] / (1 + (odds - 1) * (spread @ shares))
        flat += float(each.sum())
        ratio += each @ spread
    found = shares * (flat + (odds - 1) * ratio)
    return np.asarray(found / found.sum())


def log_likelihood(packed: Sets, weights: Numbers, odds: float, shares: Numbers) -> float:
    """``Σ_z N_z log (1 + (e^ε - 1) x(z))``, up to what does not depend on the shares."""
    total = 0.0
    for rows, named in sets.parts(packed, len(shares)):
        total += float(weights[rows] @ np.log1p((odds - 1) * (named @ shares)))
    return total
