"""Counts of a distorted attribute of a sample, and errors of what is estimated from them.

A report z that is a set contributes the score ``([v in z] - h) / (g - h)`` to the total of every
value v, and 1 to the number of people; a share is the ratio of both. Scores are no cells: such
reports themselves are kept, packed, and their sums of products are worked out at the end.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from ppworkbench.core.arrays import Codes, Numbers, posteriors
from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sampling_roles import RESPONDENTS
from ppworkbench.core.data.sets import Sets
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.fit import fit_sets
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress
from ppworkbench.core.reconstruct.channel import CountedChannel, invert
from ppworkbench.core.reconstruct.counting import ColumnCounter
from ppworkbench.core.reconstruct.grid import Bins
from ppworkbench.core.reconstruct.intervals import INFORMATION
from ppworkbench.core.reconstruct.reconstruct import ReconstructOptions, reconstruct_counts
from ppworkbench.core.reconstruct.reconstruction import Reconstruction
from ppworkbench.core.reconstruct.sets import SetCounter
from ppworkbench.core.reconstruct.stopping import stop_rule
from ppworkbench.core.sampling.moments import (
    SampleMoments,
    Terms,
    TrueCells,
    degrees_inside,
    simple_covariance,
)
from ppworkbench.core.sampling.results import SampledReconstruction, summarise
from ppworkbench.core.sampling.sample import Frame, SampleReader, SampleRows
from ppworkbench.core.sampling.variance import (
    SampledValues,
    SampleTotals,
    covariance_by_clusters,
    covariance_by_rows,
    effective_size,
    stratum_factors,
    t_factor,
)
from ppworkbench.core.score_intervals import Contributions, cell_contributions
from ppworkbench.core.share_intervals import line_between, share_interval

EFFECTIVE = "effective-number"
"""The code of the remark about intervals from an effective number of answers."""

LINEARISED = "variance of the weighted answers under the sampling, through the inverse of P"
SANDWICH = (
    "sandwich variance of the pseudo-likelihood on the support; estimates of 0 are treated as known"
)

_MOST_GROUPS = 64
"""Groups of reported numbers whose sampling effects are averaged."""
_ABSENT = 1e-9
_MOST_CONFIDENCE = 1 - 1e-12


class SampledCounter:
    """Counts a distorted attribute of a sample, altogether and by cluster."""

    def __init__(
        self,
        attribute: Attribute,
        perturbation: Perturbation,
        reader: SampleReader | Frame,
        bins: Bins = None,
    ) -> None:
        self._counter = ColumnCounter(attribute, perturbation, bins)
        grid = self._counter.grid
        cells = grid.z_cells.count
        # Fine cells of noise by cluster are too many, and tell no more than groups of them.
        is_fine = grid.may_be_trimmed and cells > max(grid.k, _MOST_GROUPS)
        self._wide = -(-cells // _MOST_GROUPS) if is_fine else 1
        self._groups = -(-cells // self._wide)
        has_population = reader.sampling.population is not None
        is_plain = reader.options.target == RESPONDENTS
        self._finite = has_population and not is_plain and self._wide == 1
        self._moments = SampleMoments()

    @property
    def counted(self) -> CountedChannel:
        return self._counter.counted()

    def add(self, column: Column, sample: SampleRows, rows: Codes | None = None) -> None:
        """Count the next rows; ``rows`` are those of them that were asked."""
        chosen = column if rows is None else column.take(rows)
        self._counter.add(chosen, sample.take(rows).weights)
        place = self._counter.grid.z_cells.place(chosen.data)
        kept = rows
        if place.min(initial=0) < 0:
            inside = np.flatnonzero(place >= 0)
            place = place[inside]
            kept = inside if rows is None else rows[inside]
        codes = (place // self._wide if self._wide > 1 else place).astype(np.intp, copy=False)
        terms = Terms(len(codes), np.zeros((self._groups, 1)), codes)
        self._moments.add(terms, sample, kept, finite=self._finite)

    def reconstruct(
        self, frame: Frame, settings: ReconstructOptions, seed: int, progress: Progress
    ) -> SampledReconstruction:
        groups = self._moments.totals(of_large_population(frame), Terms(0, self._together()))
        counted, effect = self.counted, mean_effect(groups)
        if counted.rows and (effect > 1 or counted.squares is not None):
            counted = with_size(counted, counted.rows / effect)
        degrees = groups.degrees_of_freedom()
        t = t_factor(settings.confidence, degrees)
        found = reconstruct_counts(
            counted,
            settings.algorithm,
            stop=settings.stop,
            # What is worked out with a normal quantile reaches as far as t does.
            confidence=min(1 - 2 * float(ndtr(-t)), _MOST_CONFIDENCE),
            sharpness=settings.sharpest,
            seed=seed,
            progress=progress,
        )
        found = dataclasses.replace(found, confidence=settings.confidence)
        size = counted.rows / effect
        is_fitted = found.centre is None and found.interval_method != INFORMATION
        if self._wide > 1 or is_fitted:
            told = (*groups.remarks, *about_size(size, frame))
            return SampledReconstruction(
                found, summarise(groups, undistorted=counted.is_undistorted), degrees, size,
                remarks=told,
            )  # fmt: skip
        errors = self._errors(counted, found, frame)
        moved, kind = with_errors(found, errors, t, frame.options.interval)
        summary = summarise(errors.values.totals, undistorted=counted.is_undistorted)
        return SampledReconstruction.of(moved, summary, degrees, size, kind, errors.values)

    def _together(self) -> Numbers:
        wide = -(-self._groups // _MOST_GROUPS)
        group = np.arange(self._groups) // wide
        return np.asarray(group[:, None] == np.arange(group[-1] + 1), np.float64)

    def _errors(self, counted: CountedChannel, found: Reconstruction, frame: Frame) -> CellErrors:
        unbiased: SampledValues | None = None
        hidden = np.zeros(counted.k, np.bool_)
        look_up = np.eye(counted.k)
        if counted.is_square:
            if not counted.is_undistorted:
                inverted = invert(counted.matrix)
                look_up, hidden = inverted.inverse.T, inverted.hidden
            look_up = np.where(counted.possible[:, None], look_up, 0.0)
            least = None
            if frame.is_simple:
                # As a sample without any roles has it.
                least = (counted.matrix.T @ look_up**2 - np.eye(counted.k)).min(axis=0)
                least = np.maximum(least, 0.0) * counted.rows
            terms = Terms(0, look_up[self._counter.counted_cells()], least=least)
            totals = self._moments.totals(frame, terms)
            unbiased = totals.ratios(np.eye(counted.k), _ones(totals))
        if unbiased is not None:
            # At the border of the simplex the estimate varies less than the solution does, so that
            # these intervals are wider than they need be, never narrower.
            channel = None if counted.is_undistorted or hidden.any() else counted.matrix
            return CellErrors(unbiased, found.raw, LINEARISED, hidden, look_up, channel)
        x = found.probability
        support = x > _ABSENT
        totals = self._moments.totals(frame, self._likelihood_terms(counted, x, support))
        moves = totals.sums(np.eye(counted.k))
        # The influences are moves away from the maximum, where their sum is 0.
        values = dataclasses.replace(moves, values=x, replicates=moves.replicates + x)
        return CellErrors(values, x, SANDWICH, hidden)

    def _likelihood_terms(
        self, counted: CountedChannel, x: Numbers, support: NDArray[np.bool_]
    ) -> Terms:
        influence = influence_of(counted.matrix, counted.usable, x, support)
        cells = self._counter.counted_cells()
        true = TrueCells(posteriors(counted.matrix, x)[cells], counted.matrix.T @ influence)
        return Terms(0, influence[cells], true_cells=true)


@dataclass(frozen=True, eq=False)
class CellErrors:
    """Errors of shares, and what their intervals lie around.

    ``look_up`` are the contributions of reports where the shares are their mean, ``channel`` the
    probability of every report given the truth.
    """

    values: SampledValues
    centre: Numbers
    method: str
    hidden: NDArray[np.bool_]
    look_up: Numbers | None = None
    channel: Numbers | None = None


def with_errors(
    found: Reconstruction, errors: CellErrors, t: float, kind: str
) -> tuple[Reconstruction, str]:
    """The reconstruction with intervals under the sampling, and the kind of these."""
    values = errors.values
    error = np.where(errors.hidden, np.inf, values.errors)
    low, high, kinds = np.zeros(found.k), np.ones(found.k), []
    varied: list[Contributions | None] = [None] * found.k
    if errors.channel is not None and errors.look_up is not None:
        varied = [*cell_contributions(errors.channel, errors.look_up, errors.centre)]
    for place in range(found.k):
        line = None
        if errors.look_up is not None and not errors.hidden[place]:
            line = line_between(errors.look_up[:, place])
        spread = varied[place] if line is None else None
        size = effective_size(values, place, line, contributions=spread)
        centre = float(errors.centre[place])
        ends = share_interval(
            kind, centre, float(error[place]), t, line=line, size=size, contributions=spread
        )
        low[place], high[place] = ends.low, ends.high
        kinds.append(ends.kind)
    low, high = np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0)
    moved = dataclasses.replace(
        found,
        low=np.clip(low, 0.0, 1.0),
        high=np.clip(high, 0.0, 1.0),
        centre=errors.centre,
        standard_error=error,
        covariance=values.covariance,
        interval_method=errors.method,
    )
    # A share at the edge may fall back on another kind than the others.
    return moved, max(set(kinds), key=kinds.count)


def mean_effect(totals: SampleTotals) -> float:
    """The mean sampling effect of the reported answers, 1 at least.

    A few clusters that happen to agree shall not promise more than as many answers can tell.
    """
    frame = totals.frame
    if frame.is_about_respondents or not frame.has_roles or totals.weighted_n <= 0:
        return 1.0
    return shares_effect(totals.ratios(np.eye(len(totals.values)), _ones(totals)))


def shares_effect(shares: SampledValues) -> float:
    """The mean sampling effect of shares, 1 at least."""
    frame, simple = shares.totals.frame, float(np.trace(shares.simple))
    if frame.is_about_respondents or not frame.has_roles:
        return 1.0
    effect = float(np.trace(shares.covariance)) / simple if simple > 0 else math.nan
    return max(effect if math.isfinite(effect) else shares.totals.weights_effect, 1.0)


def influence_of(
    channel: Numbers, counts: Numbers, x: Numbers, support: NDArray[np.bool_]
) -> Numbers:
    """How much a report moves each share, one row per report: 0 off the support."""
    reported = channel @ x
    inverse = np.divide(1.0, reported, out=np.zeros_like(reported), where=reported > 0)
    rows = channel[:, support]
    information = (rows.T * (counts * inverse**2)) @ rows
    # A basis of moves that keep the sum: every column adds up to 0.
    size = int(support.sum())
    influence = np.zeros_like(channel)
    if size > 1:
        basis = np.linalg.qr(np.column_stack([np.ones(size), np.eye(size)[:, 1:]]))[0][:, 1:]
        inner = np.linalg.pinv(basis.T @ information @ basis, hermitian=True)
        influence[:, support] = (rows * inverse[:, None]) @ basis @ inner @ basis.T
    return influence


def of_large_population(frame: Frame) -> Frame:
    """The sample as one of a large population: the device's randomness does not shrink with it."""
    if not frame.has_population:
        return frame
    sampling = dataclasses.replace(frame.sampling, population=None)
    return dataclasses.replace(frame, sampling=sampling, fractions=np.zeros(len(frame.sizes)))


def with_size(counted: CountedChannel, size: float) -> CountedChannel:
    """The counts with squared weights that make the effective number of answers another one."""
    if size == counted.size:
        return counted
    squares = counted.counts if counted.squares is None else counted.squares
    present = float(squares[counted.possible].sum())
    if present <= 0 or size <= 0:
        return counted
    return dataclasses.replace(counted, squares=squares * (counted.total**2 / (present * size)))


def _ones(totals: SampleTotals) -> Numbers:
    return np.ones((len(totals.values), len(totals.values)))


def about_size(size: float, frame: Frame) -> Iterable[str]:
    if frame.is_about_respondents:
        yield Message(
            "The intervals of a number under noise also hold who happened to be drawn.",
            code=EFFECTIVE,
        )
    elif frame.has_roles:
        yield Message(
            "The intervals are those of {n:,.0f} independent answers, as many as this sample is "
            "worth.",
            code=EFFECTIVE,
            n=size,
        )


SCORES = Message("variance of the weighted scores of sets under the sampling")
_ROWS = 1 << 14
"""Reports that are spread out at once."""


class SetMoments:
    """Sums over the scores of reports that may come in pieces."""

    def __init__(self, attribute: Attribute, perturbation: Perturbation) -> None:
        self._k, self._naming = attribute.k, perturbation.sets.naming(attribute.k)
        self._packed: list[Sets] = []
        self._parts: list[SampleRows] = []
        self._replicates: Any = 0.0
        self._rows, self._all_weight = 0, 0.0

    def add(self, packed: Sets, sample: SampleRows, kept: Codes) -> None:
        rows = sample.take(kept)
        self._packed.append(packed)
        self._rows += sample.n
        self._all_weight += sample.weight
        if rows.has_replicates:
            found = np.column_stack(
                [
                    np.append(sets.weigh_named(packed, self._k, column), column.sum())
                    for column in np.ascontiguousarray(rows.replicates.T)
                ]
            ).T
            self._replicates = self._replicates + found
        # Replicates are as large as all other columns together, and are summed already.
        self._parts.append(dataclasses.replace(rows, replicates=np.zeros((0, 0))))

    def totals(self, frame: Frame) -> SampleTotals:
        """The totals of all scores, and of people last, with everything their errors need."""
        packed = np.concatenate(self._packed)
        n = len(packed)
        weights = np.concatenate([one.each_weight for one in self._parts])
        strata = groups = np.concatenate([one.each_stratum for one in self._parts])
        if frame.has_clusters:
            groups = np.concatenate([one.each_cluster for one in self._parts])
        count = frame.groups
        score = self._score_matrix()
        sums = self._sums(packed, weights, groups, count) @ score.T
        values, weight = sums.sum(axis=0), float(weights.sum())
        squares = self._products(packed, weights**2)
        factors = stratum_factors(frame)
        if not frame.has_clusters:
            within = squares * factors.multiple[0]
            if len(frame.sizes) > 1:
                within = self._products(packed, weights**2 * factors.multiple[strata])
            spread = covariance_by_rows(score @ within @ score.T, sums, frame, factors)
        else:
            spread = covariance_by_clusters(sums, frame, factors)
        lost = np.zeros_like(squares)
        if frame.fractions.any():
            drawn = weights**2 * frame.fractions[strata]
            lost = self._device(self._products(packed, drawn), frame.asked_share)
        once = squares if (weights == 1).all() else self._products(packed, weights)
        simple = simple_covariance(
            values, score @ once @ score.T, self._device(once), self._rows, self._all_weight, frame
        )
        effect = n * float(weights @ weights) / weight**2 if weight else 1.0
        replicates = np.zeros((0, self._k + 1))
        if frame.has_replicates:
            replicates = self._replicates @ score.T
        return SampleTotals(
            values, np.asarray(spread), lost, self._device(squares), simple, frame, n, weight,
            effect, self._degrees(groups, weights, count, frame), replicates,
            frame.replicate_scale, sums, factors.remarks, persons=self._count_persons(),
        )  # fmt: skip

    def _count_persons(self) -> int:
        known = [one.persons for one in self._parts if one.persons is not None]
        return len(np.unique(np.concatenate(known))) if known else 0

    def _score_matrix(self) -> Numbers:
        """Takes who is named, and 1 last, to the scores, and 1 last."""
        gap = self._naming.gap
        found = np.eye(self._k + 1)
        found[: self._k, : self._k] /= gap
        found[: self._k, self._k] = -self._naming.h / gap
        return found

    def _sums(self, packed: Sets, weights: Numbers, groups: Codes, count: int) -> Numbers:
        """The weight of the reports that name each value, by group; of all of them last."""
        found = np.empty((count, self._k + 1))
        for value in range(self._k):
            named = sets.names(packed, value)
            found[:, value] = np.bincount(groups[named], weights[named], count)
        found[:, self._k] = np.bincount(groups, weights, count)
        return found

    def _products(self, packed: Sets, weights: Numbers) -> Numbers:
        """Sums of products of who is named, by weight; of single ones in the last column."""
        found = np.zeros((self._k + 1, self._k + 1))
        for start in range(0, len(packed), _ROWS):
            rows = slice(start, start + _ROWS)
            named = np.ones((len(packed[rows]), self._k + 1))
            named[:, : self._k] = sets.unpack(packed[rows], self._k)
            found += (named.T * weights[rows]) @ named
        return found

    def _device(self, products: Numbers, asked_share: float = 1.0) -> Numbers:
        """The part of sums of products that the device brings, and who was asked.

        Of a respondent one value is true, so the product of two true indicators is the one of them
        or 0, of which the score is an unbiased estimate.
        """
        score = self._score_matrix()
        once = score @ products[:, self._k]
        true = np.diag(once)
        true[: self._k, self._k] = true[self._k, : self._k] = once[: self._k]
        return np.asarray(score @ products @ score.T - asked_share * true)

    def _degrees(self, groups: Codes, weights: Numbers, count: int, frame: Frame) -> Numbers:
        if not frame.has_roles:
            return np.full(self._k + 2, np.inf)
        if frame.has_replicates:
            return np.full(self._k + 2, float(frame.replicate_rank - 1))
        inside = np.bincount(groups, weights > 0, count).astype(np.float64)
        return np.repeat(degrees_inside(inside[:, None], frame), self._k + 2)


class SampledSetCounter:
    """Counts an attribute of a sample whose reports are sets."""

    def __init__(self, attribute: Attribute, perturbation: Perturbation) -> None:
        self.sets = SetCounter(attribute, perturbation)
        self._moments = SetMoments(attribute, perturbation)

    @property
    def counted(self) -> CountedChannel:
        return self.sets.cells()

    def add(self, column: Column, sample: SampleRows, rows: Codes | None = None) -> None:
        chosen = column if rows is None else column.take(rows)
        packed = fit_sets(Table((chosen,)), self.sets.attribute)
        self.sets.add(chosen, sample.take(rows).weights)
        there = np.flatnonzero(~chosen.missing)
        self._moments.add(packed[there], sample, there if rows is None else rows[there])

    def totals(self, frame: Frame) -> SampleTotals:
        """The totals of the scores of all values, and of people last."""
        return self._moments.totals(frame)

    def shares(self, frame: Frame) -> SampledValues:
        return ratios_of(self.totals(frame))

    def reconstruct(
        self, frame: Frame, settings: ReconstructOptions, seed: int, progress: Progress
    ) -> SampledReconstruction:
        del seed
        rule = stop_rule(settings.stop)
        found = self.sets.reconstruct(settings.algorithm, rule, progress=progress)
        large = self.shares(of_large_population(frame))
        return with_sampling(found, self.shares(frame), settings, frame, shares_effect(large))


def with_sampling(
    found: Reconstruction,
    values: SampledValues,
    settings: ReconstructOptions,
    frame: Frame,
    effect: float,
) -> SampledReconstruction:
    """A distribution that sets tell, with the errors of its shares under the sampling.

    ``effect`` is the mean sampling effect of the shares.
    """
    degrees = values.totals.degrees_of_freedom()
    errors = CellErrors(values, values.values, SCORES, np.zeros(found.k, np.bool_))
    t = t_factor(settings.confidence, degrees)
    found = dataclasses.replace(found, confidence=settings.confidence)
    moved, kind = with_errors(found, errors, t, frame.options.interval)
    sample = summarise(values.totals)
    return SampledReconstruction.of(moved, sample, degrees, found.rows / effect, kind, values)


def ratios_of(totals: SampleTotals) -> SampledValues:
    k = len(totals.values) - 1
    return totals.ratios(np.eye(k, k + 1), np.eye(k + 1)[[k] * k])


def numbers_of(totals: SampleTotals) -> SampledValues:
    k = len(totals.values) - 1
    return totals.sums(np.eye(k, k + 1))


def shares_and_people(totals: SampleTotals) -> SampledValues:
    """The shares, and the number of people last, as functions of the same totals."""
    k = len(totals.values) - 1
    shares, people = ratios_of(totals), totals.sums(np.eye(k + 1)[[k]])
    assert shares.slope is not None  # noqa: S101 (ratios have one)
    assert people.slope is not None  # noqa: S101 (and so have sums)
    slope = np.vstack([shares.slope, people.slope])
    replicates = np.hstack([shares.replicates, people.replicates])
    return totals.linear(np.append(shares.values, people.values), slope, replicates)
