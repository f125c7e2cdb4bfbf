"""Counts of an attribute that arms of a sample ask with devices of their own."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from ppworkbench.core.arrays import Numbers, project
from ppworkbench.core.data.sampling_roles import RESPONDENTS
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.agreement import (
    LEVEL,
    MEAN,
    ArmSet,
    ArmShares,
    SetTests,
    disagreement,
    mean_of_arms,
    own_inverse,
)
from ppworkbench.core.reconstruct.by_arm import BOUNDARY, DeviceCounter
from ppworkbench.core.reconstruct.channel import CountedChannel
from ppworkbench.core.reconstruct.intervals import widened_by
from ppworkbench.core.reconstruct.inversion import invert
from ppworkbench.core.reconstruct.pooled import (
    Arm,
    Test,
    fit_shares,
    is_at_bound,
    share_slope,
    wald_test,
)
from ppworkbench.core.reconstruct.reconstruct import ReconstructOptions
from ppworkbench.core.sampling.counters import (
    CellErrors,
    SampledCounter,
    influence_of,
    mean_effect,
    of_large_population,
    with_device_share,
    with_errors,
)
from ppworkbench.core.sampling.moments import SampleMoments, Terms, TrueCells
from ppworkbench.core.sampling.reconstruction_results import SampledArms, SampledReconstruction
from ppworkbench.core.sampling.results import summarise
from ppworkbench.core.sampling.sample import Frame, SampleReader, SampleRows
from ppworkbench.core.sampling.variance import SampledValues, error_remarks, t_factor

POOLED_SANDWICH = "sandwich variance of the pseudo-likelihood of all devices together"


class ArmCounter:
    """Counts an attribute of a sample that is asked in arms, altogether and by cluster."""

    def __init__(
        self,
        name: str,
        design: Design,
        reader: SampleReader | Frame,
        settings: ReconstructOptions,
        *,
        by_arm: bool = False,
        sets: Sequence[Sequence[str]] = (),
    ) -> None:
        self._sets, self._pooling = sets, settings.pooling
        self._counter = DeviceCounter(name, design, settings.bins)
        self._designed = design[name]
        asked = self._counter.arms
        self._places = {arm: design.versions.names.index(arm) for arm in asked}
        devices = {arm: self._counter.device(arm) for arm in asked}
        self._counter.refuse_columns()

        def counter(device: Perturbation) -> SampledCounter:
            return SampledCounter(self._designed.attribute, device, reader, settings.bins)

        self._alone = {arm: counter(device) for arm, device in devices.items()} if by_arm else {}
        self._by_arm = by_arm
        self._whole = None
        if len(set(devices.values())) == 1:
            self._whole = counter(next(iter(devices.values())))
        else:
            self._counter.check_settings(settings.algorithm, settings.stop)
        has_population = reader.sampling.population is not None
        self._finite = has_population and reader.options.target != RESPONDENTS
        self._moments = SampleMoments()
        self._unknown = 0

    @property
    def counted(self) -> CountedChannel:
        """Counts of some device, for the cells of the true answers."""
        return self._counter.any_counted() if self._whole is None else self._whole.counted

    @property
    def _compares(self) -> bool:
        """Whether cells of several arms are needed."""
        is_values = self._designed.attribute.kind.is_categorical
        return is_values and (self._whole is None or (self._by_arm and len(self._places) > 1))

    def add(self, table: Table, codes: NDArray[np.intp], sample: SampleRows) -> None:
        """Count the next rows; ``codes`` are the places of their arms."""
        column = table[self._designed.name]
        self._counter.add(table, codes, weights=sample.weights)
        self._unknown += int(np.count_nonzero(codes < 0))
        if self._whole is not None:
            rows = np.flatnonzero(np.isin(codes, list(self._places.values())))
            self._whole.add(column, sample, rows)
        for arm, counter in self._alone.items():
            counter.add(column, sample, np.flatnonzero(codes == self._places[arm]))
        if self._compares:
            k = self._designed.attribute.k
            first = np.full(max(self._places.values()) + 1, -1, np.intp)
            first[list(self._places.values())] = k * np.arange(len(self._places))
            known = (codes >= 0) & (codes < len(first)) & (column.data >= 0)
            kept = np.flatnonzero(known)
            kept = kept[first[codes[kept]] >= 0]
            cells = first[codes[kept]] + column.data[kept]
            terms = Terms(len(cells), np.eye(k * len(self._places)), cells)
            self._moments.add(terms, sample, kept, finite=self._finite)

    def reconstruct(
        self, frame: Frame, settings: ReconstructOptions, seed: int, progress: Progress
    ) -> SampledReconstruction:
        """Estimate the distribution in all arms together, and in each."""
        if self._whole is None:
            result = self._pooled(frame, settings)
        else:
            result = self._whole.reconstruct(frame, settings, seed, progress)
            usual = self._counter.spread_in(next(iter(self._places)))
            result = with_device_share(result, self._whole.counted.matrix, usual)
            missing = result.found.missing + self._unknown
            found = dataclasses.replace(result.found, missing=missing)
            result = dataclasses.replace(result, found=found)
        apart = self._apart(frame, settings, seed) if self._by_arm else None
        return dataclasses.replace(result, by_arm=apart, not_asked=self._counter.not_asked)

    def pooled_values(self, frame: Frame, *, number: bool = False) -> SampledValues:
        """The shares in all arms together, or the numbers of people, with their errors."""
        arms = self._arms()
        counts = np.concatenate([arm.counts for arm in arms])
        if self._pooling == MEAN:
            values = mean_of_arms([arm for arm in arms if arm.n > 0])[0]
            by_arm = [own_inverse(arm) - values[:, None] for arm in arms]
            slope, x = np.hstack(by_arm) / counts.sum(), project(values)
        else:
            values = x = fit_shares(arms).shares
            stacked = np.vstack([arm.matrix for arm in arms])
            # Shares of 0 are free to move: their intervals are too wide rather than too narrow.
            slope = influence_of(stacked, counts, x, np.ones(len(x), np.bool_)).T
        if number:
            # How many people there are is an estimate of the sample as well.
            slope, values = counts.sum() * slope + values[:, None], counts.sum() * values
        found = self._values(frame, arms, x, slope)
        moved = values - found.values
        return dataclasses.replace(found, values=values, replicates=found.replicates + moved)

    def _pooled(self, frame: Frame, settings: ReconstructOptions) -> SampledReconstruction:
        found = self._counter.reconstruct(settings.confidence, None, pooling=settings.pooling)
        values, x = self.pooled_values(frame), found.probability
        cells = len(self._places) * len(x)
        groups = self._moments.totals(of_large_population(frame), Terms(0, np.eye(cells)))
        size = found.rows / mean_effect(groups)
        degrees = groups.degrees_of_freedom()
        hidden = np.isinf(found.standard_error) if found.standard_error is not None else x < 0
        errors = CellErrors(values, x, POOLED_SANDWICH, hidden)
        t = t_factor(settings.confidence, degrees)
        found, kind = with_errors(found, errors, t, frame.options.interval)
        sample = summarise(values.totals)
        moved = self._counter.moved_by_share(x, settings.pooling)
        if moved is not None:
            found, sample = widened_by(found, moved), sample.with_share()
        return SampledReconstruction(
            found, sample, degrees, size, kind, values.device_errors, values.sampling_errors,
            values.sampling_effects,
            (*self.disagreement(frame), *error_remarks(values, degrees)),
        )  # fmt: skip

    def disagreement(self, frame: Frame, chosen: Numbers | None = None) -> tuple[str, ...]:
        """What is said where the arms do not agree; parameters as for :func:`disagreement`."""
        if not self._compares:
            return ()
        test, rough = self._equality(frame)
        if test is None or not test.p < LEVEL:
            return ()
        shares = ArmShares.of({arm.name: [arm] for arm in self._arms() if arm.n > 0})
        values = self._designed.attribute.values
        pooling = self._pooling if self._whole is None else MEAN
        return (disagreement(test.p, shares, values, chosen=chosen, pooling=pooling), *rough)

    def _equality(self, frame: Frame) -> tuple[Test | None, tuple[str, ...]]:
        """Wald's test that all arms have the same shares, and what is to be known about it."""
        arms = self._arms()
        parts = [[arm] for arm in arms if arm.n > 0]
        if len(parts) < 2:
            return None, ()
        test = self._compare(frame, arms, fit_shares(arms).shares, parts)
        return test, (BOUNDARY,) if is_at_bound(arms, parts) else ()

    def _arms(self) -> list[Arm]:
        """The weighted reports of every arm, in the order of the cells."""
        counted = {arm: self._counter.counted_in(arm) for arm in self._places}
        return [Arm(arm, one.usable, one.matrix) for arm, one in counted.items() if one is not None]

    def _values(
        self, frame: Frame, arms: Sequence[Arm], x: Numbers, slope: Numbers
    ) -> SampledValues:
        """Errors of estimates that change with the cells of all arms by ``slope``."""
        posteriors = []
        for arm in arms:
            joint = arm.matrix * x
            total = joint.sum(axis=1, keepdims=True)
            posteriors.append(np.divide(joint, total, out=np.zeros_like(joint), where=total > 0))
        true = TrueCells(
            np.asarray(block_diag(*posteriors)),
            np.asarray(block_diag(*(arm.matrix for arm in arms))).T @ slope.T,
        )
        totals = self._moments.totals(frame, Terms(0, slope.T, true_cells=true))
        if frame.has_replicates:
            # These were counted by cell.
            totals = dataclasses.replace(totals, replicates=totals.replicates @ slope.T)
        return totals.sums(np.eye(len(slope)))

    def _apart(self, frame: Frame, settings: ReconstructOptions, seed: int) -> SampledArms:
        alone = {}
        for arm, counter in self._alone.items():
            result = counter.reconstruct(frame, settings, seed, silent)
            spread = self._counter.spread_in(arm)
            alone[arm] = with_device_share(result, counter.counted.matrix, spread)
        if not self._compares:
            return SampledArms(alone, None)
        test, remarks = self._equality(frame)
        arms = self._arms()
        sets = self._compare_sets(frame, arms, fit_shares(arms).shares)
        return SampledArms(alone, test, remarks, sets)

    def _compare_sets(self, frame: Frame, arms: Sequence[Arm], x: Numbers) -> SetTests | None:
        pools = [[arm for arm in arms if arm.name in one and arm.n > 0] for one in self._sets]
        pools = [pool for pool in pools if pool]
        if len(pools) < 2:
            return None
        sets = []
        for pool in pools:
            within = Test(0.0, 0, 1.0)
            if len(pool) > 1:
                within = self._compare(frame, arms, x, [[arm] for arm in pool])
            shares, slope = fit_shares(pool).shares, _shares_of(pool, arms)[1]
            errors = self._values(frame, arms, x, slope).errors
            sets.append(ArmSet(tuple(arm.name for arm in pool), shares, errors, within))
        return SetTests(tuple(sets), self._compare(frame, arms, x, pools), "wald")

    def _compare(
        self, frame: Frame, arms: Sequence[Arm], x: Numbers, sets: Sequence[Sequence[Arm]]
    ) -> Test:
        """Wald's test that sets of arms have the same shares."""
        values, slopes = zip(*(_shares_of(part, arms) for part in sets), strict=True)
        found = self._values(frame, arms, x, np.vstack(slopes))
        others = len(sets) - 1
        contrast = np.kron(np.hstack([np.eye(others), -np.ones((others, 1))]), np.eye(len(x)))
        apart, df = contrast @ np.concatenate(values), others * (len(x) - 1)
        spread = contrast @ found.covariance @ contrast.T
        return wald_test(apart, spread, df, found.totals.degrees_of_freedom())


def _shares_of(part: Sequence[Arm], arms: Sequence[Arm]) -> tuple[Numbers, Numbers]:
    """Shares of some arms, and how these change with the counts of all.

    A single arm has those that its reports say, whether all of them are possible or not.
    """
    starts = np.cumsum([0, *(len(arm.counts) for arm in arms)])
    if len(part) == 1:
        inverse = invert(part[0].matrix).inverse
        value, own = inverse @ (part[0].counts / part[0].n), inverse @ share_slope(part[0])
    else:
        fit = fit_shares(part)
        value, own = fit.shares, fit.slope
    slope, first = np.zeros((len(value), int(starts[-1]))), 0
    for arm in part:
        place = next(i for i, one in enumerate(arms) if one is arm)
        size = len(arm.counts)
        slope[:, starts[place] : starts[place] + size] = own[:, first : first + size]
        first += size
    return np.asarray(value), slope
