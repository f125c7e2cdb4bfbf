"""The distribution of an attribute among the respondents who meet a condition."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

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
from ppworkbench.core.share_intervals import Fit, Line, simplex_fit, worst_remarks
from ppworkbench.core.survey.answers import (
    Asked,
    PartedSource,
    as_table,
    distorted_answers,
    meeting,
)
from ppworkbench.core.survey.bounded import (
    BoundedOptions,
    bound_shares,
    reconstructed_shares,
)
from ppworkbench.core.survey.conditions.condition import EVERYBODY, Condition, as_condition
from ppworkbench.core.survey.conditions.regions import Region, asked_attribute, regions_of
from ppworkbench.core.survey.estimates import (
    JOINT,
    SEQUENTIAL,
    Estimate,
    Totals,
    cut_remarks,
    few,
    impossible,
    joined,
    methods,
    nobody,
    percent_interval,
    share_errors,
    share_with_interval,
    uncertain,
    widened,
    with_share_remark,
)
from ppworkbench.core.survey.factors.factor import ValueFactor
from ppworkbench.core.survey.factors.grids import Bins, bins_of, places
from ppworkbench.core.survey.inquiry import Inquiry, asked_by
from ppworkbench.core.survey.sampled import (
    SurveyResult,
    is_undistorted,
    line_among,
    spread_among,
)
from ppworkbench.core.survey.samples import Counted, Sample, sample_of, target_totals
from ppworkbench.core.survey.sequential import REMARK, assigned_set, reconstructed_within


@dataclass(frozen=True, eq=False)
class Distribution(SurveyResult):
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
    fit
        Whether all shares at once are possible, where the sampling is taken into account.
    assumption
        What the intervals rest on where they are worst-case bounds.
    covariance
        That of the shares before they were moved, where it is at hand.
    """

    of: str
    method: str
    labels: tuple[str, ...]
    edges: Numbers | None
    shares: tuple[Estimate, ...]
    raw: tuple[float, ...]
    fit: Fit | None = None
    assumption: Assumption | None = None
    covariance: Numbers | None = None

    @property
    def probabilities(self) -> Numbers:
        """The nearest distribution: nowhere negative, sum 1."""
        return project(np.array([one.estimate for one in self.shares]))

    @property
    def sentence(self) -> str:
        if self.sample is None:
            return self._told
        return Message.joined((self._told, self.sample.sentence))

    @property
    def _told(self) -> Message:
        top = max(range(len(self.shares)), key=lambda i: self.shares[i].estimate)
        share = self.shares[top]
        about = Message("{share:.1f} %", share=100 * share.estimate)
        reach = percent_interval(share, self.confidence)
        return Message(
            "The most frequent {of} of those who meet {condition} is {labels}, about {about} "
            "({reach})."
            if self.condition.tests
            else "The most frequent {of} is {labels}, about {about} ({reach}).",
            of=self.of,
            condition=self.condition,
            labels=self.labels[top],
            about=about,
            reach=reach,
        )

    def with_share_errors(self, errors: Numbers) -> Distribution:
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
        values, probabilities = [], self.probabilities.tolist()
        for i, (label, share) in enumerate(zip(self.labels, self.shares, strict=True)):
            entry: dict[str, Any] = {"value": label}
            if self.edges is not None:
                entry["edges"] = [float(self.edges[i]), float(self.edges[i + 1])]
            entry |= share.to_json() | {"raw": self.raw[i], "probability": probabilities[i]}
            values.append(entry)
        document = {"values": values} | self.named_json("method", "of")
        if self.assumption is not None:
            document["bounds"] = self.assumption.to_json()
        document |= self.sample_json()
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
        sample = sample_of(
            table, design, sampling, options, method=method, original=original,
            confidence=confidence,
        )  # fmt: skip
        if method == SEQUENTIAL:
            return _assigned_shares(sample, as_table(table), of, condition, bins, seed, progress)
        return _joint_shares(
            sample, of, condition, bins, progress, sharpness=sharpness, seed=seed, pooling=pooling
        )

    found = estimate(design, progress)
    names = dict.fromkeys([*regions_of(condition, design), of])
    errors = share_errors(design, names, lambda moved: estimate(moved).raw)
    return found if errors is None else found.with_share_errors(errors)


def _asked(
    design: Design, of: str, condition: Condition, bins: Bins
) -> tuple[Mapping[str, Region], Numbers | None, tuple[Asked, ...]]:
    regions = regions_of(condition, design)
    edges = bins_of(asked_attribute(of, design), design.perturbation(of), bins)
    return regions, edges, asked_by(regions, design, split={of: edges})


def _joint_shares(  # noqa: PLR0913
    sample: Sample,
    of: str,
    condition: Condition,
    bins: Bins,
    progress: Progress,
    *,
    sharpness: Sharpness,
    seed: int,
    pooling: str,
) -> Distribution:
    design = sample.design
    regions, edges, asked = _asked(design, of, condition, bins)
    inquiry = sample.inquire(asked, part(progress, 0.0, 0.3))
    factor, n, names = inquiry.factor_of(of)[0], inquiry.n, dict.fromkeys([*regions, of])
    totals, smoothed = target_totals(sample, inquiry, factor, part(progress, 0.3, 1.0))
    k = len(totals.values)
    base = totals.sums(np.ones((1, k)))
    if base.values[0] <= 0:
        raise nobody(condition)
    pooled, told = (None, ()) if regions else sample.pooled(of, pooling, n, seed)
    shares = sample.shares(totals, of_all=not regions) if pooled is None else pooled
    cells = None
    if isinstance(factor, ValueFactor) and len(inquiry.factors) == 1 and not regions:
        # The reported cells are the values themselves, and under a sampling are summed already.
        cells = totals.cell_weights
    if cells is None:
        naive = _plain_shares(sample.reported(inquiry.answers), of, regions, k, edges)
    else:
        naive = (cells / cells.sum()).tolist()
    true = _plain_shares(sample.truth(names), of, regions, k, edges)
    options, about = sample.bounds(inquiry, sharpness)
    bounds, fit, assumption = _bounds(inquiry, of, options), None, None
    if bounds is None:
        fits = [sample.fit(inquiry, shares, v, factor, v) or Fit() for v in range(k)]
        lines = [None] * k if pooled is not None else _lines(inquiry, of, regions, k)
        spread = [None] * k if pooled is not None else spread_among(
            inquiry, factor, shares.values, is_tested=of in regions
        )  # fmt: skip
        people = sample.people_inside(inquiry, factor, base)
        shown = tuple(
            sample.estimate(
                shares, v, naive=naive[v], true=true[v], share=True, line=lines[v],
                contributions=spread[v], people=people, fit=fits[v],
            )
            for v in range(k)
        )  # fmt: skip
        if cells is not None:
            effect = float(np.mean(shares.edge_effects))
            fit = simplex_fit(cells / cells.sum(), factor.channel, n, effect, seed)
        doubts = uncertain(float(base.values[0]), float(base.errors[0]))
        misfit = worst_remarks(shares.values.tolist(), fits)
        said = (*smoothed, *doubts, *sample.remarks(shares), *misfit, *cut_remarks(shown))
    else:
        alone, low, high, assumption = bounds
        if alone is None:
            ones = np.ones((k, k))
            smooth = sample.smooth_ratio(inquiry, shares, np.eye(k), ones) if smoothed else shares
            alone = move_inside(project(smooth.values), low, high)
        moved = dataclasses.replace(shares, values=alone)
        ends = zip(low.tolist(), high.tolist(), strict=True)
        shown = tuple(sample.bounded(moved, v, at, naive[v], true[v]) for v, at in enumerate(ends))
        said = (assumption.remark, *sample.bound_remarks(assumption, about, totals))
        if not shown[0].details:
            shares = moved
    remarks = joined([*told, *inquiry.remarks, *said, *few(n), *impossible(regions)])
    is_drawn = bool(shown[0].details)
    return Distribution(
        of, JOINT, labels_of(design[of].attribute, edges), edges, shown,
        tuple(shares.values.tolist()), fit, assumption,
        None if bounds is not None and not is_drawn else sample.covariance(shares),
        condition=condition, respondents=n, confidence=sample.confidence, remarks=remarks,
        sample=sample.summary(totals, inquiry, remarks),
        is_undistorted=design.is_undistorted(names), sampled=shares if is_drawn else None,
    )  # fmt: skip


def _bounds(
    inquiry: Inquiry, of: str, options: BoundedOptions
) -> tuple[Numbers | None, Numbers, Numbers, Assumption] | None:
    """The worst-case bounds of all shares; with the shares themselves where a number is alone."""
    alone = reconstructed_shares(inquiry, of, options)
    if alone is not None:
        return alone
    limits = bound_shares(inquiry, of, options)
    return None if limits is None else (None, *limits)


def _assigned_shares(
    sample: Sample,
    table: Table,
    of: str,
    condition: Condition,
    bins: Bins,
    seed: int,
    progress: Progress,
) -> Distribution:
    """The shares among the records that are assigned to the condition.

    A test of the attribute itself cuts the reconstructed distribution, not the set: records that
    were chosen by an assigned value no longer come through the design's channel.
    """
    design = sample.design
    regions, edges, asked = _asked(design, of, condition, bins)
    names = dict.fromkeys([*regions, of])
    answers = distorted_answers(table, design, names)
    others = {name: region for name, region in regions.items() if name != of}
    chosen = assigned_set(answers, design, others, seed, part(progress, 0.0, 0.7)).answers
    if not chosen.n:
        raise nobody(condition)
    found, cells = reconstructed_within(chosen, next(one for one in asked if one.name == of))
    assert found.covariance is not None  # noqa: S101 (intervals were asked for)
    totals = Totals(found.probability @ cells, cells.T @ found.covariance @ cells, chosen.n)
    if totals.values.sum() <= 0:
        raise nobody(condition)
    raw, errors = totals.shares()
    k = len(raw)
    naive = _plain_shares(sample.reported(answers), of, regions, k, edges)
    true = _plain_shares(sample.truth(names), of, regions, k, edges)
    shares = tuple(
        share_with_interval(raw[v], errors[v], sample.confidence, naive[v], true[v])
        for v in range(k)
    )
    told = (*answers.remarks, *found.warnings, *((REMARK,) if others else ()), *few(answers.n))
    return Distribution(
        of, SEQUENTIAL, labels_of(design[of].attribute, edges), edges, shares,
        tuple(raw.tolist()), condition=condition, respondents=answers.n,
        confidence=sample.confidence,
        remarks=joined([*told, *impossible(regions), *cut_remarks(shares)]),
        is_undistorted=design.is_undistorted(names),
    )  # fmt: skip


def _plain_shares(
    counted: Counted | None,
    of: str,
    regions: Mapping[str, Region],
    k: int,
    edges: Numbers | None,
) -> list[float | None]:
    """Shares as the answers stand, None where nobody meets the condition."""
    if counted is None:
        return [None] * k
    data, weights = counted
    chosen = data[of]
    if regions:
        inside = meeting(data, regions, len(chosen))
        chosen, weights = chosen[inside], weights[inside]
    found = np.bincount(places(chosen, edges), weights, k)
    if not found.sum() > 0:
        return [None] * k
    return [float(share) for share in found / found.sum()]


def _lines(inquiry: Inquiry, of: str, regions: Mapping[str, Region], k: int) -> list[Line | None]:
    factor = inquiry.factor_of(of)[0]
    if of in regions and not is_undistorted(inquiry):
        # Its own condition makes a ratio of two estimates of each share.
        return [None] * k
    return [line_among(inquiry, factor, v) for v in range(k)]
