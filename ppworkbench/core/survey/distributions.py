"""The distribution of an attribute among the respondents who meet a condition."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers, project
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.agreement import LIKELIHOOD, check_pooling
from ppworkbench.core.reconstruct.grid import labels_of
from ppworkbench.core.reconstruct.sharpness import AUTO, Sharpness
from ppworkbench.core.reconstruct.worst_case import Assumption, move_inside
from ppworkbench.core.sampling.results import SampleSummary
from ppworkbench.core.sampling.variance import SampledValues
from ppworkbench.core.share_fit import Fit, simplex_fit, worst_remarks
from ppworkbench.core.share_intervals import Line
from ppworkbench.core.survey.answers import (
    Answers,
    Asked,
    PartedSource,
    as_table,
    distorted_answers,
    meeting,
    naive_data,
    true_data,
)
from ppworkbench.core.survey.bounded import (
    BoundedOptions,
    bound_shares,
    bounded_estimate,
    noisy_tests,
    reconstructed_shares,
    sampled_options,
)
from ppworkbench.core.survey.conditions.condition import EVERYBODY, Condition
from ppworkbench.core.survey.conditions.parser import as_condition
from ppworkbench.core.survey.conditions.regions import Region, asked_attribute, regions_of
from ppworkbench.core.survey.estimates import (
    JOINT,
    SEQUENTIAL,
    Estimate,
    Totals,
    cut_remarks,
    few,
    impossible,
    interval_factor,
    joined,
    methods,
    nobody,
    percent_interval,
    share_errors,
    share_with_interval,
    uncertain,
    weighted_totals,
    widened,
    with_share_remark,
)
from ppworkbench.core.survey.factors.factor import ValueFactor
from ppworkbench.core.survey.factors.grids import Bins, bins_of, places
from ppworkbench.core.survey.inquiry import Inquiry, asked_by, inquire, inquire_merged
from ppworkbench.core.survey.joint_em import smoothed_totals
from ppworkbench.core.survey.pooled import PooledSample, pooled_sample, pooled_shares
from ppworkbench.core.survey.sampled import (
    SurveySample,
    is_undistorted,
    line_among,
    people_inside,
    plain_fit,
    sample_json,
    share_fit,
    smooth_terms,
    stated_sample,
    value_terms,
    without_everybody,
)
from ppworkbench.core.survey.sequential import REMARK, assigned_set, reconstructed_within


@dataclass(frozen=True, eq=False)
class Distribution:
    """Shares of an attribute's values or bins among those who meet a condition.

    Parameters
    ----------
    labels, edges
        The values or bins in words, and the borders of bins.
    shares
        One estimate per value, with its interval within [0, 1]. Nothing keeps an unbiased estimate
        from being negative.
    raw
        The shares by the reports alone; those of a number under noise are smoothed.
    respondents
        The number of complete records that were asked.
    sample
        Whom the shares are about, where the sampling is taken into account.
    fit
        Whether all shares at once are possible, where the sampling is taken into account.
    assumption
        What the intervals rest on where they are worst-case bounds.
    covariance
        That of the shares before they were moved, where it is at hand.
    """

    of: str
    condition: Condition
    method: str
    labels: tuple[str, ...]
    edges: Numbers | None
    shares: tuple[Estimate, ...]
    raw: tuple[float, ...]
    respondents: int
    confidence: float
    remarks: tuple[str, ...] = ()
    sample: SampleSummary | None = None
    fit: Fit | None = None
    assumption: Assumption | None = None
    covariance: Numbers | None = None
    is_undistorted: bool = False
    sampled: SampledValues | None = field(default=None, compare=False, repr=False)
    """What is compared between arms under a sampling: the shares with all that it varies by."""

    @property
    def probabilities(self) -> Numbers:
        """The nearest distribution: nowhere negative, sum 1."""
        return project(np.array([one.estimate for one in self.shares]))

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        if self.sample is None:
            return self._told
        return Message.joined((self._told, self.sample.sentence))

    @property
    def _told(self) -> Message:
        top = max(range(len(self.shares)), key=lambda i: self.shares[i].estimate)
        share = self.shares[top]
        about = Message("{share:.1f} %", share=100 * share.estimate)
        reach = percent_interval(share, self.confidence)
        if self.condition.tests:
            return Message(
                "The most frequent {of} of those who meet {condition} is {labels}, about "
                "{about} ({reach}).",
                of=self.of,
                condition=self.condition,
                labels=self.labels[top],
                about=about,
                reach=reach,
            )
        return Message(
            "The most frequent {of} is {labels}, about {about} ({reach}).",
            of=self.of,
            labels=self.labels[top],
            about=about,
            reach=reach,
        )

    def with_share_errors(self, errors: Numbers) -> Distribution:
        """The same with the errors that come from the shares of devices."""
        wide = [
            widened(one, float(error), self.confidence, (0.0, 1.0))
            for one, error in zip(self.shares, errors, strict=True)
        ]
        sample = self.sample
        return dataclasses.replace(
            self,
            shares=tuple(wide),
            sample=None if sample is None else sample.with_share(),
            remarks=with_share_remark(self.remarks),
        )

    def to_json(self) -> dict[str, Any]:
        """The result for other programs: one entry per value or bin."""
        values, probabilities = [], self.probabilities.tolist()
        for i, (label, share) in enumerate(zip(self.labels, self.shares, strict=True)):
            entry: dict[str, Any] = {"value": label}
            if self.edges is not None:
                entry["edges"] = [float(self.edges[i]), float(self.edges[i + 1])]
            entry |= share.to_json() | {"raw": self.raw[i], "probability": probabilities[i]}
            values.append(entry)
        document = {
            "values": values,
            "method": self.method,
            "of": self.of,
            "condition": str(self.condition),
            "respondents": self.respondents,
            "confidence": self.confidence,
            "remarks": list(self.remarks),
        }
        if self.assumption is not None:
            document["bounds"] = self.assumption.to_json()
        document |= sample_json(self)
        return document if self.fit is None else document | {"fit": self.fit.to_json()}


def distribution(  # noqa: PLR0913 (keywords with defaults)
    table: Table | PartedSource,
    design: Design,
    of: str,
    condition: Condition | str = EVERYBODY,
    method: str = JOINT,
    *,
    bins: Bins = None,
    original: Table | None = None,
    confidence: float = 0.95,
    sharpness: Sharpness = AUTO,
    seed: int = 0,
    progress: Progress = silent,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
    pooling: str = LIKELIHOOD,
) -> Distribution:
    """Estimate the distribution of an attribute among those who meet a condition.

    The joint method estimates the number of those who meet the condition and have the value, for
    every value, and divides by their sum. The sequential method reconstructs within the assigned
    records. Without a condition, an attribute whose device differs by arm has the most likely
    distribution of all arms.

    Parameters
    ----------
    of
        The attribute; a number is laid out in bins.
    bins
        The number or the borders of bins.
    condition, method, original, sharpness, seed, sampling, options, pooling
        As for :func:`ppworkbench.core.survey.counts.count`.
    """
    methods[method]
    check_pooling(pooling)
    condition = as_condition(condition)

    def estimate(design: Design, progress: Progress = silent) -> Distribution:
        return _estimate_distribution(
            table, design, of, condition, method, bins=bins, original=original,
            confidence=confidence, sharpness=sharpness, seed=seed, progress=progress,
            sampling=sampling, options=options, pooling=pooling,
        )  # fmt: skip

    found = estimate(design, progress)
    names = dict.fromkeys([*regions_of(condition, design), of])
    errors = share_errors(design, names, lambda moved: estimate(moved).raw)
    return found if errors is None else found.with_share_errors(errors)


def _estimate_distribution(  # noqa: PLR0913
    table: Table | PartedSource,
    design: Design,
    of: str,
    condition: Condition,
    method: str,
    *,
    bins: Bins,
    original: Table | None,
    confidence: float,
    sharpness: Sharpness,
    seed: int,
    progress: Progress,
    sampling: Sampling | None,
    options: SamplingOptions | None,
    pooling: str,
) -> Distribution:
    """The shares by the design as it stands, as if the shares of its devices were exact."""
    regions = regions_of(condition, design)
    attribute = asked_attribute(of, design)
    edges = bins_of(attribute, design.perturbation(of), bins)
    survey = stated_sample(
        table, design, sampling, options, method=method, original=original, confidence=confidence
    )
    if survey is not None:
        asked = asked_by(regions, design, split={of: edges})
        rows = as_table(table)
        inquiry = inquire(rows, design, asked, part(progress, 0.0, 0.3))
        return _sampled_distribution(
            inquiry, survey, of, edges, condition, regions, part(progress, 0.3, 1.0), seed=seed,
            sharpness=sharpness,
            pooled=None if regions else pooled_sample(rows, survey, (of,), pooling),
        )  # fmt: skip
    bounded: Bounded | None = None
    covariance: Numbers | None = None
    lines: Sequence[Line | None] | None = None
    size = math.nan
    if method == SEQUENTIAL:
        answers = distorted_answers(as_table(table), design, dict.fromkeys([*regions, of]))
        others = {name: region for name, region in regions.items() if name != of}
        chosen = assigned_set(answers, design, others, seed, part(progress, 0.0, 0.7))
        asked = asked_by(regions, design, split={of: edges})
        raw, errors, remarks = _within(chosen.answers, asked, of, condition)
        remarks = answers.remarks + remarks + (REMARK,) * (len(others) > 0)
    else:
        asked = asked_by(regions, design, split={of: edges})
        inquiry = inquire_merged(table, design, asked, part(progress, 0.0, 0.3))
        answers = inquiry.answers
        bounded = _bounded(inquiry, of, condition, BoundedOptions(confidence, sharpness))
        if bounded is not None:
            raw, errors = bounded.shares, bounded.errors(confidence)
            remarks = (*inquiry.remarks, bounded.assumption.remark)
        else:
            totals = _joint_totals(inquiry, of, part(progress, 0.3, 1.0))
            if totals.values.sum() <= 0:
                raise nobody(condition)
            raw, errors = totals.shares(of_all=not regions)
            covariance = totals.share_covariance(of_all=not regions)
            pooled = None if regions else pooled_shares(table, design, (of,), pooling)
            if pooled is not None:
                raw, covariance = pooled.shares, pooled.covariance
                errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
            else:
                lines = _lines(inquiry, of, regions, len(raw))
            size, spread = totals.values.sum(), np.sqrt(max(totals.covariance.sum(), 0.0))
            remarks = (*inquiry.remarks, *totals.remarks, *uncertain(size, spread))
            remarks += _misfit(inquiry, of, raw, errors)
            remarks = (*(() if pooled is None else pooled.remarks(seed=seed)), *remarks)
    names = tuple(dict.fromkeys([*regions, of]))
    naive = _plain_shares(naive_data(answers, design), of, regions, len(raw), edges, answers.times)
    true = _plain_shares(true_data(original, design, names), of, regions, len(raw), edges)
    shares = _estimates(
        raw, errors, confidence, naive, true, bounded=bounded, lines=lines, size=size
    )
    remarks += (*few(answers.n), *impossible(regions), *cut_remarks(shares))
    return Distribution(
        of, condition, method, labels_of(attribute, edges), edges, shares, tuple(raw.tolist()),
        answers.n, confidence, joined(remarks),
        assumption=None if bounded is None else bounded.assumption, covariance=covariance,
        is_undistorted=design.is_undistorted((*regions, of)),
    )  # fmt: skip


def _misfit(inquiry: Inquiry, of: str, raw: Numbers, errors: Numbers) -> tuple[str, ...]:
    """What is told of the share that lies farthest outside 0 to 1."""
    factor = inquiry.factor_of(of)[0]
    fits = [plain_fit(inquiry, float(raw[v]), float(errors[v]), factor, v) for v in range(len(raw))]
    return worst_remarks(raw.tolist(), fits)


def _sampled_distribution(  # noqa: PLR0913
    inquiry: Inquiry,
    survey: SurveySample,
    of: str,
    edges: Numbers | None,
    condition: Condition,
    regions: Mapping[str, Region],
    progress: Progress,
    *,
    seed: int,
    sharpness: Sharpness,
    pooled: PooledSample | None,
) -> Distribution:
    """The shares of the people who have each value, under the sampling."""
    factor, rows = inquiry.factor_of(of)[0], inquiry.answers.rows
    smoothed: tuple[str, ...] = ()
    if inquiry.is_well_conditioned:
        terms = value_terms(inquiry, factor, progress)
    else:
        smooth = without_everybody(smooth_terms(inquiry, survey, progress))
        terms, rows, smoothed = smooth.terms, smooth.rows, smooth.remarks
    totals = survey.totals(terms, inquiry.answers, rows)
    k = len(totals.values)
    base = totals.sums(np.ones((1, k)))
    if base.values[0] <= 0:
        raise nobody(condition)
    shares = totals.ratios(np.eye(k), np.ones((k, k))) if pooled is None else pooled.shares
    is_alone = isinstance(factor, ValueFactor) and len(inquiry.factors) == 1 and not regions
    naive: list[float | None]
    if is_alone and totals.cell_weights is not None:
        # The reported cells are the values themselves, and are summed already.
        reported = totals.cell_weights / totals.cell_weights.sum()
        naive = [float(share) for share in reported]
    else:
        weights = survey.weights(inquiry.answers.rows)
        data = naive_data(inquiry.answers, survey.design)
        naive = _plain_shares(data, of, regions, k, edges, weights)
    true: list[float | None] = [None] * k
    truth = survey.truth(dict.fromkeys([*regions, of]))
    if truth is not None:
        true = _plain_shares(truth[0], of, regions, k, edges, truth[1])
    fits = [share_fit(inquiry, survey, shares, v, factor, v) for v in range(k)]
    lines = [None] * k if pooled else _lines(inquiry, of, regions, k)
    people = people_inside(inquiry, factor)
    found = [
        survey.estimate(
            shares,
            v,
            naive=naive[v],
            true=true[v],
            share=True,
            fit=fits[v],
            line=lines[v],
            people=people,
        )
        for v in range(k)
    ]
    fit = None
    if is_alone:
        effect = float(np.mean(shares.edge_effects))
        fit = simplex_fit(reported, factor.channel, inquiry.n, effect, seed)
    told = [*smoothed, *uncertain(float(base.values[0]), float(base.errors[0]))]
    told += [*survey.remarks(shares), *worst_remarks([one.estimate for one in found], fits)]
    told += cut_remarks(found)
    shown, assumption = tuple(found), None
    if noisy_tests(inquiry):
        options, about = sampled_options(inquiry, survey, sharpness)
        projected = shares.values
        if smoothed:
            # A number under noise is smoothed in one way, with a sampling and without.
            projected = smoothed_totals(inquiry, weights=survey.sample.weights).shares()[0]
        shown, assumption = _bounded_shares(
            inquiry, of, options, found, project(projected), survey.confidence
        )
        told = [assumption.remark, *about, *totals.remarks]
    told = [*(() if pooled is None else pooled.remarks()), *inquiry.remarks, *told]
    remarks = joined([*told, *few(inquiry.n), *impossible(regions)])
    return Distribution(
        of, condition, JOINT, labels_of(survey.design[of].attribute, edges), edges, shown,
        tuple(shares.values.tolist()), inquiry.n, survey.confidence, remarks,
        survey.summary(totals, inquiry, remarks), fit, assumption, shares.covariance,
        sampled=shares,
    )  # fmt: skip


def _bounded_shares(
    inquiry: Inquiry,
    of: str,
    options: BoundedOptions,
    found: Sequence[Estimate],
    projected: Numbers,
    confidence: float,
) -> tuple[tuple[Estimate, ...], Assumption]:
    """Smooth shares under a sampling with their worst-case bounds."""
    alone = reconstructed_shares(inquiry, of, options)
    if alone is None:
        bounds = bound_shares(inquiry, of, options)
        assert bounds is not None  # noqa: S101 (a number under noise is asked for or tested)
        alone = move_inside(projected, bounds[0], bounds[1]), *bounds
    shares, low, high, assumption = alone
    shown = tuple(
        bounded_estimate(
            dataclasses.replace(one, estimate=float(shares[v])), float(low[v]), float(high[v]),
            confidence,
        )
        for v, one in enumerate(found)
    )  # fmt: skip
    return shown, assumption


@dataclass(frozen=True, eq=False)
class Bounded:
    """Smooth shares with their worst-case bounds."""

    shares: Numbers
    low: Numbers
    high: Numbers
    assumption: Assumption

    def errors(self, confidence: float) -> Numbers:
        """Half the interval in standard errors."""
        return (self.high - self.low) / (2 * interval_factor(confidence))


def _bounded(
    inquiry: Inquiry, of: str, condition: Condition, options: BoundedOptions
) -> Bounded | None:
    alone = reconstructed_shares(inquiry, of, options)
    if alone is not None:
        return Bounded(*alone)
    limits = bound_shares(inquiry, of, options)
    if limits is None:
        return None
    totals = _joint_totals(inquiry, of, silent)
    if totals.values.sum() <= 0:
        raise nobody(condition)
    shares = move_inside(project(totals.shares()[0]), limits[0], limits[1])
    return Bounded(shares, *limits)


def _joint_totals(inquiry: Inquiry, of: str, progress: Progress) -> Totals:
    if inquiry.is_well_conditioned:
        return weighted_totals(inquiry, inquiry.factor_of(of)[0], progress)
    return smoothed_totals(inquiry, progress)


def _within(
    answers: Answers, asked: Sequence[Asked], of: str, condition: Condition
) -> tuple[Numbers, Numbers, tuple[str, ...]]:
    """The distribution in a set of records, reconstructed there.

    A test of the attribute itself cuts the reconstructed distribution, not the set: records that
    were chosen by an assigned value no longer come through the design's channel.
    """
    if not answers.n:
        raise nobody(condition)
    one = next(one for one in asked if one.name == of)
    found, cells = reconstructed_within(answers, one)
    assert found.covariance is not None  # noqa: S101 (intervals were asked for)
    totals = Totals(
        found.probability @ cells, cells.T @ found.covariance @ cells, answers.n, found.warnings
    )
    if totals.values.sum() <= 0:
        raise nobody(condition)
    return (*totals.shares(), found.warnings)


def _plain_shares(
    data: Mapping[str, NDArray[Any]] | None,
    of: str,
    regions: Mapping[str, Region],
    k: int,
    edges: Numbers | None,
    weights: Numbers | None = None,
) -> list[float | None]:
    """Shares as the answers stand, None where nobody meets the condition."""
    if data is None:
        return [None] * k
    chosen = data[of]
    if regions:
        inside = meeting(data, regions, len(chosen))
        chosen, weights = chosen[inside], None if weights is None else weights[inside]
    found = np.bincount(places(chosen, edges), weights, k)
    if not found.sum() > 0:
        return [None] * k
    return [float(share) for share in found / found.sum()]


def _estimates(  # noqa: PLR0913
    raw: Numbers,
    errors: Numbers,
    confidence: float,
    naive: list[float | None],
    true: list[float | None],
    *,
    bounded: Bounded | None,
    lines: Sequence[Line | None] | None,
    size: float,
) -> tuple[Estimate, ...]:
    if bounded is not None:
        numbers = zip(project(raw), bounded.low, bounded.high, errors, strict=True)
        return tuple(
            Estimate(float(share), float(low), float(high), float(error), naive[v], true[v])
            for v, (share, low, high, error) in enumerate(numbers)
        )
    return tuple(
        share_with_interval(
            raw[v], errors[v], confidence, naive[v], true[v],
            line=None if lines is None else lines[v], size=size,
        )
        for v in range(len(raw))
    )  # fmt: skip


def _lines(inquiry: Inquiry, of: str, regions: Mapping[str, Region], k: int) -> list[Line | None]:
    """How the reports of each value depend on its share."""
    factor = inquiry.factor_of(of)[0]
    if of in regions and not is_undistorted(inquiry):
        # Its own condition makes a ratio of two estimates of each share.
        return [None] * k
    return [line_among(inquiry, factor, v) for v in range(k)]
