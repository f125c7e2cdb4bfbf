"""Counts of a distorted attribute of a sample, and errors of what is estimated from them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sampling_roles import RESPONDENTS
from ppworkbench.core.data.table import Column
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress
from ppworkbench.core.reconstruct.channel import CountedChannel
from ppworkbench.core.reconstruct.counting import ColumnCounter
from ppworkbench.core.reconstruct.grid import Bins
from ppworkbench.core.reconstruct.intervals import (
    INFORMATION,
    with_share_error,
)
from ppworkbench.core.reconstruct.inversion import invert
from ppworkbench.core.reconstruct.reconstruct import ReconstructOptions, reconstruct_counts
from ppworkbench.core.reconstruct.reconstruction import Reconstruction
from ppworkbench.core.sampling.moments import SampleMoments, Terms, TrueCells
from ppworkbench.core.sampling.reconstruction_results import SampledReconstruction
from ppworkbench.core.sampling.results import summarise
from ppworkbench.core.sampling.sample import Frame, SampleReader, SampleRows
from ppworkbench.core.sampling.variance import (
    SampledValues,
    SampleTotals,
    effective_size,
    error_remarks,
    t_factor,
)
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


def with_device_share(
    result: SampledReconstruction, matrix: Numbers, spread: Numbers | None
) -> SampledReconstruction:
    """The result with the error of the device's share, where that is not exact."""
    if spread is None:
        return result
    found = with_share_error(result.found, matrix, spread)
    return dataclasses.replace(result, found=found, sample=result.sample.with_share())


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
        """What was counted so far, by weight."""
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
        """Estimate the distribution of all people and the errors of its shares."""
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
        return SampledReconstruction(
            moved,
            summarise(errors.values.totals, undistorted=counted.is_undistorted),
            degrees,
            size,
            kind,
            errors.values.device_errors,
            errors.values.sampling_errors,
            errors.values.sampling_effects,
            error_remarks(errors.values, degrees),
        )

    def _terms(self, look_up: Numbers) -> Terms:
        """Functions of the cells that were counted, for those that are kept by cluster."""
        return Terms(0, look_up[self._counter.counted_cells()])

    def _together(self) -> Numbers:
        """Which cells belong to each of not too many groups."""
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
            totals = self._moments.totals(frame, self._terms(look_up))
            unbiased = totals.ratios(np.eye(counted.k), _ones(totals))
        if unbiased is not None:
            # At the border of the simplex the estimate varies less than the solution does, so that
            # these intervals are wider than they need be, never narrower.
            return CellErrors(unbiased, found.raw, LINEARISED, hidden, look_up)
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
        posterior = counted.matrix * x
        total = posterior.sum(axis=1, keepdims=True)
        posterior = np.divide(posterior, total, out=np.zeros_like(posterior), where=total > 0)
        cells = self._counter.counted_cells()
        true = TrueCells(posterior[cells], counted.matrix.T @ influence)
        return Terms(0, influence[cells], true_cells=true)


@dataclass(frozen=True, eq=False)
class CellErrors:
    """Errors of shares, and what their intervals lie around.

    ``look_up`` are the contributions of reports where the shares are their mean.
    """

    values: SampledValues
    centre: Numbers
    method: str
    hidden: NDArray[np.bool_]
    look_up: Numbers | None = None


def with_errors(
    found: Reconstruction, errors: CellErrors, t: float, kind: str
) -> tuple[Reconstruction, str]:
    """The reconstruction with intervals under the sampling, and the kind of these."""
    values = errors.values
    error = np.where(errors.hidden, np.inf, values.errors)
    low, high, kinds = np.zeros(found.k), np.ones(found.k), []
    for place in range(found.k):
        line = None
        if errors.look_up is not None and not errors.hidden[place]:
            line = line_between(errors.look_up[:, place])
        size = effective_size(values, place, line)
        centre = float(errors.centre[place])
        ends = share_interval(kind, centre, float(error[place]), t, line=line, size=size)
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
    shares = totals.ratios(np.eye(len(totals.values)), _ones(totals))
    simple = float(np.trace(shares.simple))
    effect = float(np.trace(shares.covariance)) / simple if simple > 0 else math.nan
    return max(effect if math.isfinite(effect) else totals.weights_effect, 1.0)


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
    """What a reader should know about intervals of a number under noise."""
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
