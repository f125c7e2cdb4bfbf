"""Counts of an attribute that arms of a sample ask with devices of their own."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from ppworkbench.core.arrays import Numbers, posteriors, project
from ppworkbench.core.data.sampling_roles import RESPONDENTS
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.agreement import (
    LEVEL,
    MEAN,
    WALD,
    ArmSet,
    ArmShares,
    SetTests,
    disagreement,
    mean_of_arms,
    own_inverse,
)
from ppworkbench.core.reconstruct.by_arm import BOUNDARY, DeviceCounter
from ppworkbench.core.reconstruct.channel import CountedChannel, invert
from ppworkbench.core.reconstruct.intervals import widened_by, with_share_error
from ppworkbench.core.reconstruct.pooled import (
    Arm,
    Test,
    fit_shares,
    is_at_bound,
    share_slope,
    wald_test,
)
from ppworkbench.core.reconstruct.reconstruct import ReconstructOptions
from ppworkbench.core.reconstruct.sets import contrast_of, reconstruct_sets, set_worth
from ppworkbench.core.reconstruct.stopping import stop_rule
from ppworkbench.core.sampling.counters import (
    CellErrors,
    SampledCounter,
    SampledSetCounter,
    influence_of,
    mean_effect,
    numbers_of,
    of_large_population,
    ratios_of,
    shares_and_people,
    shares_effect,
    with_errors,
    with_sampling,
)
from ppworkbench.core.sampling.moments import SampleMoments, Terms, TrueCells
from ppworkbench.core.sampling.results import SampledArms, SampledReconstruction, summarise
from ppworkbench.core.sampling.sample import Frame, SampleReader, SampleRows
from ppworkbench.core.sampling.variance import (
    SampledValues,
    SampleTotals,
    covariance_between,
    t_factor,
)

POOLED_SANDWICH = "sandwich variance of the pseudo-likelihood of all devices together"


_Column = TypeVar("_Column", bound=SampledCounter | SampledSetCounter)


class ArmCounter(ABC, Generic[_Column]):
    """Counts an attribute of a sample, altogether and in every arm that asks it.

    A design without arms has one version of the questionnaire, which everybody was asked.
    """

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
        self._designed, self._reader, self._settings = design[name], reader, settings
        self._by_arm, self._sets = by_arm, sets
        arms = design.versions
        self._has_arms, self._count = design.has_arms, len(arms.members)
        self._devices = arms.devices(name, design.usual_device(name))
        self._places = {arm: arms.names.index(arm) for arm in self._devices}
        self._refuse_columns()
        used = set(self._devices.values())
        # Reports through one device need nothing to be put together.
        self._whole: _Column | None = self._column(used.pop()) if len(used) == 1 else None
        self._alone: dict[str, _Column] = {}
        if self._needs_alone:
            self._alone = {arm: self._column(device) for arm, device in self._devices.items()}
        self._unknown = self._not_asked = 0
        self._prepare(design)

    def _prepare(self, design: Design) -> None:
        """Make what else counts."""

    def _refuse_columns(self) -> None:
        if any(device.columns for device in self._devices.values()):
            raise ParameterError.saying(
                "The device of {attribute!r} depends on another column, which reconstruction "
                "does not use with a sampling; turn the sampling off.",
                attribute=self._designed.name,
                field="sampling",
            )

    @abstractmethod
    def _column(self, device: Perturbation) -> _Column:
        """What counts the reports through a device."""

    @property
    def _needs_alone(self) -> bool:
        return self._by_arm

    @property
    def counted(self) -> CountedChannel:
        """Counts of some device, for the cells of the true answers."""
        return self._any_counted() if self._whole is None else self._whole.counted

    @abstractmethod
    def _any_counted(self) -> CountedChannel: ...

    def add(self, table: Table, codes: NDArray[np.intp], sample: SampleRows) -> None:
        """Count the next rows; ``codes`` are the places of their arms."""
        column, asked = table[self._designed.name], np.isin(codes, list(self._places.values()))
        self._unknown += int(np.count_nonzero(codes < 0))
        self._not_asked += int(np.count_nonzero(~asked & (codes >= 0) & (codes < self._count)))
        if self._whole is not None:
            self._whole.add(column, sample, np.flatnonzero(asked) if self._has_arms else None)
        for arm, counter in self._alone.items():
            counter.add(column, sample, np.flatnonzero(codes == self._places[arm]))

    def reconstruct(self, frame: Frame, seed: int, progress: Progress) -> SampledReconstruction:
        if self._whole is None:
            result = self._pooled(frame, progress)
        else:
            result = self._alone_in(next(iter(self._places)), self._whole, frame, seed, progress)
            missing = result.found.missing + self._unknown
            found = dataclasses.replace(result.found, missing=missing)
            result = dataclasses.replace(result, found=found)
        return dataclasses.replace(
            result,
            by_arm=self._apart(frame, seed) if self._by_arm else None,
            not_asked=self._not_asked,
            remarks=(*self._told(frame), *result.remarks),
        )

    def _alone_in(
        self, arm: str, counter: _Column, frame: Frame, seed: int, progress: Progress = silent
    ) -> SampledReconstruction:
        result = counter.reconstruct(frame, self._settings, seed, progress)
        spread = self._designed.share_spread
        if spread is None or self._devices[arm] != self._designed.perturbation:
            return result
        found = with_share_error(result.found, counter.counted.matrix, spread)
        return dataclasses.replace(result, found=found, sample=result.sample.with_share())

    @abstractmethod
    def _pooled(self, frame: Frame, progress: Progress) -> SampledReconstruction:
        """What devices that differ say together."""

    @abstractmethod
    def _apart(self, frame: Frame, seed: int) -> SampledArms:
        """Every arm by itself."""

    @abstractmethod
    def pooled_values(self, frame: Frame, *, number: bool = False) -> SampledValues:
        """The shares in all arms together, or the numbers of people, with their errors."""

    def disagreement(self, frame: Frame, chosen: Numbers | None = None) -> tuple[str, ...]:
        """What is said where the arms do not agree; parameters as for :func:`disagreement`."""
        test, rough = self._equality(frame)
        if test is None or not test.p < LEVEL:
            return ()
        values, shares = self._designed.attribute.values, self._own_shares(frame)
        said = disagreement(test.p, shares, values, chosen=chosen, pooling=self._pooling)
        return (said, *rough)

    def _told(self, frame: Frame) -> tuple[str, ...]:
        return self.disagreement(frame)

    @property
    def _pooling(self) -> str:
        return MEAN

    @abstractmethod
    def _equality(self, frame: Frame) -> tuple[Test | None, tuple[str, ...]]:
        """Wald's test that all arms have the same shares, and what is to be known about it."""

    @abstractmethod
    def _own_shares(self, frame: Frame) -> ArmShares: ...


class CellArms(ArmCounter[SampledCounter]):
    """Counts in cells; those of all arms are the cells of one channel."""

    def _prepare(self, design: Design) -> None:
        is_values = self._designed.attribute.kind.is_categorical
        self._compares = is_values and (
            self._whole is None or (self._by_arm and len(self._places) > 1)
        )
        self._counter = DeviceCounter.of(self._designed.name, design, self._settings.bins)
        if self._whole is None:
            self._counter.check_settings(self._settings.algorithm, self._settings.stop)
        has_population = self._reader.sampling.population is not None
        self._finite = has_population and self._reader.options.target != RESPONDENTS
        self._moments = SampleMoments()

    def _column(self, device: Perturbation) -> SampledCounter:
        attribute, bins = self._designed.attribute, self._settings.bins
        return SampledCounter(attribute, device, self._reader, bins)

    def _any_counted(self) -> CountedChannel:
        return self._counter.any_counted()

    @property
    def _pooling(self) -> str:
        return self._settings.pooling if self._whole is None else MEAN

    def _told(self, frame: Frame) -> tuple[str, ...]:
        return self.disagreement(frame) if self._whole is None else ()

    def add(self, table: Table, codes: NDArray[np.intp], sample: SampleRows) -> None:
        super().add(table, codes, sample)
        if not self._compares:
            return
        self._counter.add(table, codes, weights=sample.weights)
        column, k = table[self._designed.name], self._designed.attribute.k
        first = np.full(max(self._places.values()) + 1, -1, np.intp)
        first[list(self._places.values())] = k * np.arange(len(self._places))
        known = (codes >= 0) & (codes < len(first)) & (column.data >= 0)
        kept = np.flatnonzero(known)
        kept = kept[first[codes[kept]] >= 0]
        cells = first[codes[kept]] + column.data[kept]
        terms = Terms(len(cells), np.eye(k * len(self._places)), cells)
        self._moments.add(terms, sample, kept, finite=self._finite)

    def pooled_values(self, frame: Frame, *, number: bool = False) -> SampledValues:
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

    def _pooled(self, frame: Frame, progress: Progress) -> SampledReconstruction:  # noqa: ARG002
        settings = self._settings
        found = self._counter.reconstruct(settings.confidence, pooling=settings.pooling)
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
        return SampledReconstruction.of(found, sample, degrees, size, kind, values)

    def _own_shares(self, frame: Frame) -> ArmShares:  # noqa: ARG002
        return ArmShares.of({arm.name: [arm] for arm in self._arms() if arm.n > 0})

    def _equality(self, frame: Frame) -> tuple[Test | None, tuple[str, ...]]:
        if not self._compares:
            return None, ()
        arms = self._arms()
        parts = [[arm] for arm in arms if arm.n > 0]
        if len(parts) < 2:
            return None, ()
        test = self._compare(frame, arms, fit_shares(arms).shares, parts)
        return test, (BOUNDARY,) if is_at_bound(arms, parts) else ()

    def _arms(self) -> list[Arm]:
        counted = {arm: self._counter.counted_in(arm) for arm in self._places}
        return [Arm(arm, one.usable, one.matrix) for arm, one in counted.items() if one is not None]

    def _values(
        self, frame: Frame, arms: Sequence[Arm], x: Numbers, slope: Numbers
    ) -> SampledValues:
        """Errors of estimates that change with the cells of all arms by ``slope``."""
        true = TrueCells(
            np.asarray(block_diag(*(posteriors(arm.matrix, x) for arm in arms))),
            np.asarray(block_diag(*(arm.matrix for arm in arms))).T @ slope.T,
        )
        totals = self._moments.totals(frame, Terms(0, slope.T, true_cells=true))
        if frame.has_replicates:
            # These were counted by cell.
            totals = dataclasses.replace(totals, replicates=totals.replicates @ slope.T)
        return totals.sums(np.eye(len(slope)))

    def _apart(self, frame: Frame, seed: int) -> SampledArms:
        alone = {arm: self._alone_in(arm, one, frame, seed) for arm, one in self._alone.items()}
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
        values, slopes = zip(*(_shares_of(part, arms) for part in sets), strict=True)
        found = self._values(frame, arms, x, np.vstack(slopes))
        others = len(sets) - 1
        contrast = np.kron(np.hstack([np.eye(others), -np.ones((others, 1))]), np.eye(len(x)))
        apart, df = contrast @ np.concatenate(values), others * (len(x) - 1)
        spread = contrast @ found.covariance @ contrast.T
        return wald_test(apart, spread, df, found.totals.degrees_of_freedom())


class SetArms(ArmCounter[SampledSetCounter]):
    """Counts sets; devices of arms that differ are put together as a mean."""

    @property
    def _needs_alone(self) -> bool:
        return self._by_arm or len(self._places) > 1

    def _column(self, device: Perturbation) -> SampledSetCounter:
        return SampledSetCounter(self._designed.attribute, device)

    def _any_counted(self) -> CountedChannel:
        return next(iter(self._alone.values())).counted

    def _pooled(self, frame: Frame, progress: Progress) -> SampledReconstruction:
        settings = self._settings
        counters = [one.sets for one in self._alone.values()]
        rule = stop_rule(settings.stop)
        found = reconstruct_sets(counters, settings.algorithm, rule, progress=progress)
        values = self.pooled_values(frame)
        missing = found.missing + self._unknown
        found = dataclasses.replace(found, raw=values.values, missing=missing)
        effect = shares_effect(self.pooled_values(of_large_population(frame)))
        return with_sampling(found, values, settings, frame, effect)

    def pooled_values(self, frame: Frame, *, number: bool = False) -> SampledValues:
        if self._whole is not None:
            totals = self._whole.totals(frame)
            return numbers_of(totals) if number else ratios_of(totals)
        answered = self._answered()
        found, totals = self._joint(frame, answered)
        k = self.counted.k
        mean = np.hstack([weight * np.eye(k, k + 1) for weight in self._weights(answered)])
        if number:
            # How many people there are is an estimate of the sample as well.
            people = np.tile(np.append(np.zeros(k), 1.0), len(answered))
            shares, size = mean @ found.values, float(people @ found.values)
            values = size * shares
            moved = size * mean + np.outer(shares, people)
            part = found.contrast(moved)
            return dataclasses.replace(
                part,
                values=values,
                totals=totals,
                replicates=part.replicates + values - part.values,
            )
        return dataclasses.replace(found.contrast(mean), totals=totals)

    def _equality(self, frame: Frame) -> tuple[Test | None, tuple[str, ...]]:
        parts = [[arm] for arm in self._answered()]
        return (self._compare(frame, parts) if len(parts) > 1 else None), ()

    def _own_shares(self, frame: Frame) -> ArmShares:
        k = self.counted.k
        own = {arm: self._joint(frame, [arm])[0].values[:k] for arm in self._answered()}
        return ArmShares(own)

    def _answered(self) -> list[str]:
        return [arm for arm, one in self._alone.items() if one.sets.total > 0]

    def _weights(self, arms: Sequence[str]) -> Numbers:
        counters = [self._alone[arm].sets for arm in arms]
        worth = np.array([set_worth(one.naming, one.attribute.k, one.size) for one in counters])
        return np.asarray(worth / worth.sum(), np.float64)

    def _joint(self, frame: Frame, arms: Sequence[str]) -> tuple[SampledValues, SampleTotals]:
        found = [shares_and_people(self._alone[arm].totals(frame)) for arm in arms]
        first = found[0].totals
        n, weight = sum(one.totals.n for one in found), sum(one.totals.weighted_n for one in found)
        squares = sum(
            one.totals.weights_effect * one.totals.weighted_n**2 / max(one.totals.n, 1)
            for one in found
        )
        totals = dataclasses.replace(
            first, n=n, weighted_n=weight, weights_effect=n * squares / weight**2 if weight else 1.0
        )
        return (
            SampledValues(
                np.concatenate([one.values for one in found]),
                covariance_between(found),
                block_diag(*(one.device for one in found)),
                block_diag(*(one.simple for one in found)),
                totals,
                np.hstack([one.replicates for one in found]),
            ),
            totals,
        )

    def _apart(self, frame: Frame, seed: int) -> SampledArms:
        answered = self._answered()
        alone = {arm: self._alone_in(arm, self._alone[arm], frame, seed) for arm in answered}
        told = tuple(
            Message("Nobody answered in the arm {arm!r}.", arm=arm)
            for arm in self._places
            if arm not in answered
        )
        test, _ = self._equality(frame)
        return SampledArms(alone, test, told, self._compare_sets(frame, answered))

    def _compare_sets(self, frame: Frame, answered: Sequence[str]) -> SetTests | None:
        pools = [[arm for arm in one if arm in answered] for one in self._sets]
        pools = [pool for pool in pools if pool]
        if len(pools) < 2:
            return None
        found = []
        for pool in pools:
            within = Test(0.0, 0, 1.0)
            if len(pool) > 1:
                within = self._compare(frame, [[arm] for arm in pool])
            joint = self._joint(frame, pool)[0].contrast(self._mean_of(pool, pool))
            found.append(ArmSet(tuple(pool), project(joint.values), joint.errors, within))
        return SetTests(tuple(found), self._compare(frame, pools), WALD)

    def _mean_of(self, part: Sequence[str], arms: Sequence[str]) -> Numbers:
        """Takes the joint values of arms to the shares of a part of them."""
        k, weights = self.counted.k, dict(zip(part, self._weights(part), strict=True))
        return np.hstack([weights.get(arm, 0.0) * np.eye(k, k + 1) for arm in arms])

    def _compare(self, frame: Frame, parts: Sequence[Sequence[str]]) -> Test:
        """Wald's test that parts have the same shares; they may share clusters."""
        arms = [arm for part in parts for arm in part]
        found, totals = self._joint(frame, arms)
        k, others = self.counted.k, len(parts) - 1
        means = np.vstack([self._mean_of(part, arms) for part in parts])
        which = contrast_of(others, k) @ means
        return wald_test(
            which @ found.values,
            which @ found.covariance @ which.T,
            others * (k - 1),
            totals.degrees_of_freedom(),
        )


def arm_counters(name: str, design: Design) -> type[CellArms | SetArms]:
    """What counts the reports of an attribute."""
    return SetArms if design.perturbation(name).reports_sets else CellArms


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
