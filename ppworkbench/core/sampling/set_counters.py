"""Reports of a sample that are sets of values: weighted shares, and their errors.

A report z contributes the score ``([v in z] - h) / (g - h)`` to the total of every value v, and 1
to the number of people; a share is the ratio of both. Scores are no cells: the reports themselves
are kept, packed, and their sums of products are worked out at the end.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from ppworkbench.core.arrays import Codes, Numbers, project
from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sets import Sets
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.fit import fit_sets
from ppworkbench.core.design.perturbation import Perturbation
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
)
from ppworkbench.core.reconstruct.by_arm import DeviceCounter
from ppworkbench.core.reconstruct.channel import CountedChannel
from ppworkbench.core.reconstruct.pooled import Test, wald_test
from ppworkbench.core.reconstruct.reconstruct import ReconstructOptions
from ppworkbench.core.reconstruct.reconstruction import Reconstruction
from ppworkbench.core.reconstruct.sets import (
    SetCounter,
    contrast_of,
    reconstruct_sets,
    set_worth,
)
from ppworkbench.core.reconstruct.stopping import stop_rule
from ppworkbench.core.sampling.counters import CellErrors, of_large_population, with_errors
from ppworkbench.core.sampling.moments import degrees_inside, simple_covariance
from ppworkbench.core.sampling.reconstruction_results import SampledArms, SampledReconstruction
from ppworkbench.core.sampling.results import summarise
from ppworkbench.core.sampling.sample import Frame, SampleRows
from ppworkbench.core.sampling.variance import (
    SampledValues,
    SampleTotals,
    covariance_between,
    covariance_by_clusters,
    covariance_by_rows,
    error_remarks,
    stratum_factors,
    t_factor,
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
            frame.replicate_scale, sums, factors.remarks,
        )  # fmt: skip

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
        """The cells of the true answers."""
        return self.sets.cells()

    def add(self, column: Column, sample: SampleRows, rows: Codes | None = None) -> None:
        """Count the next rows; ``rows`` are those of them that were asked."""
        chosen = column if rows is None else column.take(rows)
        packed = fit_sets(Table((chosen,)), self.sets.attribute)
        self.sets.add(chosen, sample.take(rows).weights)
        there = np.flatnonzero(~chosen.missing)
        self._moments.add(packed[there], sample, there if rows is None else rows[there])

    def totals(self, frame: Frame) -> SampleTotals:
        """The totals of the scores of all values, and of people last."""
        return self._moments.totals(frame)

    def shares(self, frame: Frame) -> SampledValues:
        """The unbiased shares under the sampling, with their errors."""
        return _ratios(self.totals(frame))

    def reconstruct(
        self, frame: Frame, settings: ReconstructOptions, seed: int, progress: Progress
    ) -> SampledReconstruction:
        """Estimate the distribution of all people and the errors of its shares."""
        del seed
        rule = stop_rule(settings.stop)
        found = self.sets.reconstruct(settings.algorithm, rule, progress=progress)
        large = self.shares(of_large_population(frame))
        return with_sampling(found, self.shares(frame), settings, frame, _effect(large))


class SampledSetArms:
    """The same of arms, altogether and each by itself; their devices may differ."""

    def __init__(
        self,
        name: str,
        design: Design,
        *,
        by_arm: bool = False,
        sets: Sequence[Sequence[str]] = (),
    ) -> None:
        devices = DeviceCounter(name, design)
        devices.refuse_columns()
        arms = design.versions
        self._name, self._by_arm, self._named_sets = name, by_arm, sets
        self._places = {arm: arms.names.index(arm) for arm in devices.arms}
        attribute = design[name].attribute
        self._alone = {
            arm: SampledSetCounter(attribute, devices.device(arm)) for arm in self._places
        }
        used = {devices.device(arm) for arm in self._places}
        # Weighted shares of one device need no mean of arms.
        self._whole = SampledSetCounter(attribute, used.pop()) if len(used) == 1 else None
        self._unknown = self._not_asked = 0
        self._count = len(arms.members)

    @property
    def counted(self) -> CountedChannel:
        """The cells of the true answers."""
        return next(iter(self._alone.values())).counted

    def add(self, table: Table, codes: NDArray[np.intp], sample: SampleRows) -> None:
        """Count the next rows; ``codes`` are the places of their arms."""
        column, asked = table[self._name], np.isin(codes, list(self._places.values()))
        self._unknown += int(np.count_nonzero(codes < 0))
        self._not_asked += int(np.count_nonzero(~asked & (codes >= 0) & (codes < self._count)))
        if self._whole is not None:
            self._whole.add(column, sample, np.flatnonzero(asked))
        for arm, counter in self._alone.items():
            counter.add(column, sample, np.flatnonzero(codes == self._places[arm]))

    def reconstruct(
        self, frame: Frame, settings: ReconstructOptions, seed: int, progress: Progress
    ) -> SampledReconstruction:
        """Estimate the distribution in all arms together, and in each."""
        if self._whole is not None:
            result = self._whole.reconstruct(frame, settings, seed, progress)
        else:
            counters = [one.sets for one in self._alone.values()]
            rule = stop_rule(settings.stop)
            found = reconstruct_sets(counters, settings.algorithm, rule, progress=progress)
            values = self.pooled_values(frame)
            found = dataclasses.replace(found, raw=values.values)
            effect = _effect(self.pooled_values(of_large_population(frame)))
            result = with_sampling(found, values, settings, frame, effect)
        missing = result.found.missing + self._unknown
        return dataclasses.replace(
            result,
            found=dataclasses.replace(result.found, missing=missing),
            by_arm=self._apart(frame, settings, seed) if self._by_arm else None,
            not_asked=self._not_asked,
            remarks=(*self.disagreement(frame), *result.remarks),
        )

    def pooled_values(self, frame: Frame, *, number: bool = False) -> SampledValues:
        """The shares in all arms together, or the numbers of people, with their errors."""
        if self._whole is not None:
            totals = self._whole.totals(frame)
            return _numbers(totals) if number else _ratios(totals)
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

    def disagreement(self, frame: Frame, chosen: Numbers | None = None) -> tuple[str, ...]:
        """What is said where the arms do not agree; arms are put together as a mean anyway."""
        answered = self._answered()
        if len(answered) < 2:
            return ()
        p = self._compare(frame, [[arm] for arm in answered]).p
        if not p < LEVEL:
            return ()
        k = self.counted.k
        own = {arm: self._joint(frame, [arm])[0].values[:k] for arm in answered}
        values = self.counted.attribute.values
        return (disagreement(p, ArmShares(own), values, chosen=chosen, pooling=MEAN),)

    def _answered(self) -> list[str]:
        return [arm for arm, one in self._alone.items() if one.sets.total > 0]

    def _weights(self, arms: Sequence[str]) -> Numbers:
        """How much the shares of each arm weigh in those of all of these."""
        counters = [self._alone[arm].sets for arm in arms]
        worth = np.array([set_worth(one.naming, one.attribute.k, one.size) for one in counters])
        return np.asarray(worth / worth.sum(), np.float64)

    def _joint(self, frame: Frame, arms: Sequence[str]) -> tuple[SampledValues, SampleTotals]:
        """The shares of several arms and how many people each has, one arm after another."""
        found = [_shares_and_people(self._alone[arm].totals(frame)) for arm in arms]
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

    def _apart(self, frame: Frame, settings: ReconstructOptions, seed: int) -> SampledArms:
        answered = self._answered()
        alone = {
            arm: self._alone[arm].reconstruct(frame, settings, seed, silent) for arm in answered
        }
        told = tuple(
            Message("Nobody answered in the arm {arm!r}.", arm=arm)
            for arm in self._places
            if arm not in answered
        )
        test = self._compare(frame, [[arm] for arm in answered]) if len(answered) > 1 else None
        return SampledArms(alone, test, told, self._compare_sets(frame, answered))

    def _compare_sets(self, frame: Frame, answered: Sequence[str]) -> SetTests | None:
        pools = [[arm for arm in one if arm in answered] for one in self._named_sets]
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
    return SampledReconstruction(
        moved, summarise(values.totals), degrees, found.rows / effect, kind,
        values.device_errors, values.sampling_errors, values.sampling_effects,
        error_remarks(values, degrees),
    )  # fmt: skip


def _effect(shares: SampledValues) -> float:
    """The mean sampling effect of shares, 1 at least."""
    frame, simple = shares.totals.frame, float(np.trace(shares.simple))
    if frame.is_about_respondents or not frame.has_roles or not simple > 0:
        return 1.0
    effect = float(np.trace(shares.covariance)) / simple
    return max(effect, 1.0) if np.isfinite(effect) else max(shares.totals.weights_effect, 1.0)


def _ratios(totals: SampleTotals) -> SampledValues:
    k = len(totals.values) - 1
    return totals.ratios(np.eye(k, k + 1), np.eye(k + 1)[[k] * k])


def _numbers(totals: SampleTotals) -> SampledValues:
    k = len(totals.values) - 1
    return totals.sums(np.eye(k, k + 1))


def _shares_and_people(totals: SampleTotals) -> SampledValues:
    """The shares, and the number of people last, as functions of the same totals."""
    k = len(totals.values) - 1
    shares, people = _ratios(totals), totals.sums(np.eye(k + 1)[[k]])
    assert shares.slope is not None  # noqa: S101 (ratios have one)
    assert people.slope is not None  # noqa: S101 (and so have sums)
    slope = np.vstack([shares.slope, people.slope])
    replicates = np.hstack([shares.replicates, people.replicates])
    return totals.linear(np.append(shares.values, people.values), slope, replicates)
