"""How many respondents meet a condition."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.spending import share_asked
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.agreement import LIKELIHOOD, check_pooling
from ppworkbench.core.reconstruct.sharpness import AUTO, Sharpness
from ppworkbench.core.reconstruct.worst_case import Limits
from ppworkbench.core.sampling.results import SampleSummary, about_all
from ppworkbench.core.sampling.variance import SampledValues
from ppworkbench.core.share_fit import MISFIT, NOT_CHANCE, RARE, Fit
from ppworkbench.core.share_intervals import OUT_OF_BOUNDS, Line, outside_remarks
from ppworkbench.core.survey.answers import (
    Answers,
    PartedSource,
    as_table,
    distorted_answers,
    meeting,
    naive_data,
    true_data,
)
from ppworkbench.core.survey.bounded import (
    BoundedOptions,
    bound_count,
    bounded_estimate,
    noisy_tests,
    sampled_options,
    too_noisy,
    within,
)
from ppworkbench.core.survey.conditions.condition import Condition
from ppworkbench.core.survey.conditions.parser import as_condition
from ppworkbench.core.survey.conditions.regions import Region, regions_of
from ppworkbench.core.survey.estimates import (
    JOINT,
    SEQUENTIAL,
    Estimate,
    Totals,
    amount,
    at_face_value,
    cut_remarks,
    few,
    impossible,
    interval,
    joined,
    methods,
    percent_interval,
    scaled,
    share_errors,
    share_with_interval,
    weighted_totals,
    widened,
    with_interval,
    with_share_remark,
)
from ppworkbench.core.survey.factors.factor import ValueFactor
from ppworkbench.core.survey.inquiry import Inquiry, asked_by, inquire, inquire_merged
from ppworkbench.core.survey.joint_em import smoothed_totals
from ppworkbench.core.survey.pooled import PooledSample, chosen_error, pooled_sample, pooled_shares
from ppworkbench.core.survey.sampled import (
    SurveySample,
    plain_fit,
    reported_line,
    sample_json,
    share_fit,
    share_terms,
    smooth_terms,
    stated_contents,
)
from ppworkbench.core.survey.sequential import REMARK, assigned_set


@dataclass(frozen=True)
class Count:
    """The number of respondents who meet a condition.

    Parameters
    ----------
    value
        The number with its interval, the naive count and, where known, the truth.
    share
        The share of those who meet it.
    respondents
        The number of complete records, among which was counted.
    remarks
        Sentences that a reader should know.
    sample
        Whom the numbers are about, where the sampling is taken into account.
    limits
        The worst-case bounds that the interval is, where a number under noise is tested.
    fit
        Whether a number of people that cannot be is chance; the share has it under a sampling.
    """

    condition: Condition
    method: str
    value: Estimate
    share: Estimate
    respondents: int
    confidence: float
    remarks: tuple[str, ...] = ()
    sample: SampleSummary | None = None
    limits: Limits | None = None
    fit: Fit | None = None
    is_undistorted: bool = False
    sampled: SampledValues | None = field(default=None, compare=False, repr=False)
    """What is compared between arms under a sampling: the share with all that it varies by."""

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        value, n = self.value, self.respondents
        if self.limits is not None and self.limits.says_nothing:
            return too_noisy(self.limits, Message("number"))
        found, reach = amount(value.estimate), interval(value, self.confidence)
        if self.sample is not None:
            return self._sampled_sentence(found, reach, self.sample)
        if self.limits is not None:
            told = Message(
                "About {found} of {n:,} respondents meet {condition} ({reach}), {assumption}.",
                found=found,
                n=n,
                condition=self.condition,
                reach=reach,
                assumption=self.limits.assumption.clause,
            )
        elif self.condition.tests:
            told = Message(
                "About {found} of {n:,} respondents meet {condition} ({reach}).",
                found=found,
                n=n,
                condition=self.condition,
                reach=reach,
            )
        else:
            told = Message(
                "About {found} of {n:,} respondents ({reach}).", found=found, n=n, reach=reach
            )
        if stated_contents(self) is not None:
            told = Message.joined((told, about_all(n)))
        # Sets have no plain count to set beside the estimate.
        return told if value.naive is None else Message.joined((told, at_face_value(value.naive)))

    @property
    def share_sentence(self) -> str:
        """The share in plain words, and whom it is about; their number follows."""
        if self.limits is not None and self.limits.says_nothing:
            return self.sentence
        share, sample, people = self.share, self.sample, float(self.respondents)
        reach: str = percent_interval(share, self.confidence)
        if self.limits is not None:
            clause = self.limits.assumption.clause
            reach = Message("{reach}, {assumption}", reach=reach, assumption=clause)
        told = [
            Message(
                "About {share:.1f} % meet {condition} ({reach}).",
                share=100 * share.estimate + 0.0,
                condition=self.condition,
                reach=reach,
            )
        ]
        if sample is not None:
            people = sample.weighted_n
            told.append(sample.sentence)
        elif stated_contents(self) is not None:
            told.append(about_all(self.respondents))
        found = amount(self.value.estimate)
        told.append(Message("Of {people:,.0f} people: {found}.", people=people, found=found))
        if share.naive is not None:
            told.append(Message("Without correction: {naive:.1f} %.", naive=100 * share.naive))
        return Message.joined(told)

    def _sampled_sentence(self, found: str, reach: str, sample: SampleSummary) -> str:
        if self.condition.tests:
            told = Message(
                "About {found} of {people:,.0f} people meet {condition} ({reach}).",
                found=found,
                people=sample.weighted_n,
                condition=self.condition,
                reach=reach,
            )
        else:
            told = Message(
                "About {found} of {people:,.0f} people ({reach}).",
                found=found,
                people=sample.weighted_n,
                reach=reach,
            )
        if self.value.naive is None:
            return Message.joined((told, sample.sentence))
        return Message.joined((told, sample.sentence, at_face_value(self.value.naive)))

    def with_share_errors(self, errors: Numbers) -> Count:
        """The same with the errors of devices' shares, those of the number and of the share."""
        confidence, sample = self.confidence, self.sample
        share = widened(self.share, float(errors[1]), confidence, (0.0, 1.0))
        value = scaled(share, max(self.respondents, 1))
        if sample is not None:
            value = widened(self.value, float(errors[0]), confidence, (0.0, math.inf))
        fit, remarks = self.fit, self.remarks
        if fit is not None:
            fit = fit.widened(share.estimate, float(errors[1]))
            told = (MISFIT, OUT_OF_BOUNDS)
            kept = [one for one in remarks if getattr(one, "code", "") not in told]
            remarks = (*kept, *_out_of_bounds(share, fit))
        return dataclasses.replace(
            self,
            value=value,
            share=share,
            sample=None if sample is None else sample.with_share(),
            remarks=with_share_remark(remarks),
            fit=fit,
        )

    def to_json(self) -> dict[str, Any]:
        """The result for other programs."""
        document = self.value.to_json() | {
            "method": self.method,
            "condition": str(self.condition),
            "respondents": self.respondents,
            "confidence": self.confidence,
            "remarks": list(self.remarks),
        }
        if self.limits is not None:
            document["bounds"] = self.limits.to_json()
        if self.fit is not None:
            document["fit"] = self.fit.to_json()
        document["share"] = self.share.to_json()
        return document | sample_json(self)


def count(  # noqa: PLR0913 (keywords with defaults)
    table: Table | PartedSource,
    design: Design,
    condition: Condition | str,
    method: str = JOINT,
    *,
    original: Table | None = None,
    confidence: float = 0.95,
    sharpness: Sharpness = AUTO,
    seed: int = 0,
    progress: Progress = silent,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
    pooling: str = LIKELIHOOD,
) -> Count:
    """Estimate how many respondents meet a condition.

    The joint method sums ``prod_j h_j(z_tj)`` over the records, with ``h_j = P_j^{-T} 1_{S_j}``. It
    is unbiased, and its standard error comes from the sample variance of the products. Of a single
    question whose device differs by arm the most likely share of all arms takes its place. Where a
    number under noise is tested, a smooth estimate is shown and its interval is a worst-case bound.

    Parameters
    ----------
    table
        Distorted answers; records that lack one of the condition's attributes are left out.
    condition
        A condition, or the text of one.
    method
        ``joint`` or ``sequential``.
    original
        The true answers, if they are known, to set beside the estimate.
    sharpness
        The sharpest feature that bounds of a number under noise allow: ``auto``, ``none`` or a
        number in the attribute's unit.
    seed
        Start of the random numbers of assignments and resamples.
    sampling, options
        The roles of the table's columns and how they are used. Without both, respondents are a
        simple random sample; with one of them, the number is that of the people whom they stand
        for, and the result has a share as well.
    pooling
        How arms with different devices are put together: ``likelihood``, one share for all of them,
        or ``mean``, that of the arms' own estimates.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Attribute, Kind
    >>> from ppworkbench.core.data.table import Column
    >>> from ppworkbench.core.design import DesignedAttribute, Uniform
    >>> sex = Attribute("sex", Kind.BINARY, ("F", "M"))
    >>> told = Table((Column(sex, np.repeat([0, 1], [62, 38])),))
    >>> design = Design((DesignedAttribute(sex, Uniform(keep=0.8)),))
    >>> round(count(told, design, "sex = F").value.estimate, 6)
    70.0
    """
    methods[method]
    check_pooling(pooling)
    condition = as_condition(condition)

    def estimate(design: Design, progress: Progress = silent) -> Count:
        return _estimate_count(
            table, design, condition, method, original=original, confidence=confidence,
            sharpness=sharpness, seed=seed, progress=progress, sampling=sampling, options=options,
            pooling=pooling,
        )  # fmt: skip

    def numbers(found: Count) -> list[float]:
        return [found.value.estimate, found.share.estimate]

    found = estimate(design, progress)
    names = regions_of(condition, design)
    errors = share_errors(design, names, lambda moved: numbers(estimate(moved)))
    return found if errors is None else found.with_share_errors(errors)


def _estimate_count(  # noqa: PLR0913
    table: Table | PartedSource,
    design: Design,
    condition: Condition,
    method: str,
    *,
    original: Table | None,
    confidence: float,
    sharpness: Sharpness,
    seed: int,
    progress: Progress,
    sampling: Sampling | None,
    options: SamplingOptions | None,
    pooling: str,
) -> Count:
    """The number by the design as it stands, as if the shares of its devices were exact."""
    regions = regions_of(condition, design)
    survey = SurveySample.read(
        table, design, sampling, options, method=method, original=original, confidence=confidence
    )
    if survey is not None:
        rows = as_table(table)
        inquiry = inquire(rows, design, asked_by(regions, design), part(progress, 0.0, 0.3))
        pooled_values = pooled_sample(rows, survey, regions, pooling)
        return _sampled_count(
            inquiry, survey, condition, regions, part(progress, 0.3, 1.0), sharpness, pooled_values
        )
    limits: Limits | None = None
    fit: Fit | None = None
    line: Line | None = None
    if method == SEQUENTIAL:
        answers = distorted_answers(as_table(table), design, regions)
        chosen = assigned_set(answers, design, regions, seed, progress)
        size, error = chosen.size, chosen.standard_error
        remarks = answers.remarks + (REMARK,) * (len(regions) > 1)
    else:
        asked = asked_by(regions, design)
        inquiry = inquire_merged(table, design, asked, part(progress, 0.0, 0.3))
        answers = inquiry.answers
        found = joint_count(inquiry, part(progress, 0.3, 1.0))
        size, error = float(found.values[0]), float(found.errors[0])
        pooled = pooled_shares(table, design, regions, pooling)
        line = reported_line(inquiry) if pooled is None else None
        disagreement: tuple[str, ...] = ()
        if pooled is not None:
            (region,) = regions.values()
            met = region.contains(np.arange(len(pooled.shares))).astype(np.float64)
            size = inquiry.n * float(met @ pooled.shares)
            error = inquiry.n * chosen_error(met, pooled.covariance)
            disagreement = pooled.remarks(met, seed)
        limits = bound_count(inquiry, BoundedOptions(confidence, sharpness))
        if limits is None and inquiry.n > 1:
            only = inquiry.factors[0] if len(inquiry.factors) == 1 else None
            fit = plain_fit(inquiry, size / inquiry.n, error / inquiry.n, only)
        remarks = (*disagreement, *inquiry.remarks, *(() if limits else found.remarks))
    naive = _naive_number(answers, design, regions, answers.times)
    true = true_count(original, design, regions, answers.n)
    if limits is not None:
        value = within(size, limits, confidence, naive, true)
        share = scaled(value, 1 / max(answers.n, 1))
    elif method == SEQUENTIAL:
        value = with_interval(size, error, confidence, naive, true)
        share = scaled(value, 1 / max(answers.n, 1))
    else:
        value, share = _number_and_share(size, error, answers.n, confidence, line, naive, true)
    told = [*few(answers.n), *impossible(regions), *_out_of_bounds(share, fit)]
    remarks = joined([*remarks, *told, *cut_remarks((share,))])
    return Count(
        condition, method, value, share, answers.n, confidence, remarks, limits=limits, fit=fit,
        is_undistorted=design.is_undistorted(regions),
    )  # fmt: skip


def _naive_number(
    answers: Answers, design: Design, regions: Mapping[str, Region], weights: Numbers | None
) -> float | None:
    """How many meet the condition as the answers stand; None where these are sets."""
    data = naive_data(answers, design)
    if data is None:
        return None
    met = meeting(data, regions, len(answers.rows))
    return float(np.count_nonzero(met) if weights is None else weights @ met)


def _number_and_share(
    size: float,
    error: float,
    n: int,
    confidence: float,
    line: Line | None,
    naive: float | None,
    true: float | None,
) -> tuple[Estimate, Estimate]:
    """Where all people count the same, the interval of their number is that of the share."""
    people = max(n, 1)
    shares = [None if one is None else one / people for one in (naive, true)]
    share = share_with_interval(
        size / people, error / people, confidence, *shares, line=line, size=n
    )
    return dataclasses.replace(scaled(share, people), naive=naive, true=true), share


def _sampled_count(
    inquiry: Inquiry,
    survey: SurveySample,
    condition: Condition,
    regions: Mapping[str, Region],
    progress: Progress,
    sharpness: Sharpness,
    pooled: PooledSample | None,
) -> Count:
    """The number and the share of the people who meet a condition, under the sampling."""
    terms, rows = share_terms(inquiry, progress), inquiry.answers.rows
    smoothed: tuple[str, ...] = ()
    if terms is None:
        smooth = smooth_terms(inquiry, survey, progress)
        terms, rows, smoothed = smooth.terms, smooth.rows, smooth.remarks
    totals = survey.totals(terms, inquiry.answers, rows)
    if totals.weighted_n <= 0:
        raise DataError("The answers that count have no weight; nothing can be estimated.")
    number = totals.sums(np.array([[0.0, 1.0]]))
    shares = totals.ratios(np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]]))
    disagreement: tuple[str, ...] = ()
    if pooled is not None:
        (region,) = regions.values()
        chosen = region.contains(np.arange(len(pooled.shares.values))).astype(np.float64)
        shares, number = (one.contrast(chosen[None, :]) for one in (pooled.shares, pooled.numbers))
        disagreement = pooled.remarks(chosen)
    only = inquiry.factors[0] if len(inquiry.factors) == 1 else None
    naive: float | None = None
    if isinstance(only, ValueFactor) and not smoothed and totals.cell_weights is not None:
        # The reported cells are the values themselves, and are summed already.
        (region,) = regions.values()
        naive = float(totals.cell_weights @ region.contains(np.arange(len(totals.cell_weights))))
    else:
        weights = survey.weights(inquiry.answers.rows)
        naive = _naive_number(inquiry.answers, survey.design, regions, weights)
    true, true_share = _weighted_truth(regions, survey)
    fit = share_fit(inquiry, survey, shares, 0, only)
    naive_share = None if naive is None else naive / totals.weighted_n
    share = survey.estimate(shares, 0, naive=naive_share, true=true_share, share=True,
        line=None if pooled else reported_line(inquiry), fit=fit,
    )  # fmt: skip
    value = survey.number(number, share, naive, true)
    told = [*smoothed, *survey.remarks(shares), *fit.remarks(below=share.estimate < 0)]
    told += cut_remarks((share,))
    limits = None
    if noisy_tests(inquiry):
        options, about = sampled_options(inquiry, survey, sharpness)
        found = bound_count(inquiry, options)
        assert found is not None  # noqa: S101 (a number under noise is tested)
        limits = found.scaled(totals.weighted_n / inquiry.n)
        if smoothed:
            smooth_count = smoothed_totals(inquiry, weights=survey.sample.weights)
            smooth_share = float(smooth_count.values[0]) / inquiry.n
            share = dataclasses.replace(share, estimate=smooth_share)
            value = dataclasses.replace(value, estimate=smooth_share * totals.weighted_n)
        value = bounded_estimate(value, limits.low, limits.high, survey.confidence)
        ends = found.low / inquiry.n, found.high / inquiry.n
        share = bounded_estimate(share, *ends, survey.confidence)
        told = [limits.assumption.remark, *about, *totals.remarks]
    told = [*disagreement, *inquiry.remarks, *told]
    remarks = joined([*told, *few(inquiry.n), *impossible(regions)])
    return Count(
        condition, JOINT, value, share, inquiry.n, survey.confidence, remarks,
        survey.summary(totals, inquiry, remarks), limits, sampled=shares,
    )  # fmt: skip


def _weighted_truth(
    regions: Mapping[str, Region], survey: SurveySample
) -> tuple[float | None, float | None]:
    """The number and the share of the people who truly meet a condition, where they are known."""
    truth = survey.truth(regions)
    if truth is None:
        return None, None
    data, weights = truth
    number = float(weights @ meeting(data, regions, len(weights)))
    return number, number / float(weights.sum())


def joint_count(inquiry: Inquiry, progress: Progress = silent) -> Totals:
    """The joint estimate of the number of records that meet the condition of an inquiry."""
    if inquiry.is_well_conditioned:
        return weighted_totals(inquiry, progress=progress)
    return smoothed_totals(inquiry, progress)


def true_count(
    original: Table | None, design: Design, regions: Mapping[str, Region], people: int
) -> float | None:
    """How many of the original answers meet a condition.

    Where each person is asked some questions only, as many as would among these ``people``.
    """
    data = true_data(original, design, tuple(regions))
    if data is None or original is None:
        return None
    met = meeting(data, regions, original.rows)
    if share_asked(design, tuple(regions)) < 1:
        return people * float(met.mean()) if len(met) else 0.0
    return float(np.count_nonzero(met))


def _out_of_bounds(share: Estimate, fit: Fit | None) -> tuple[str, ...]:
    if fit is not None and fit.verdict in (RARE, NOT_CHANCE):
        return fit.remarks(below=share.estimate < 0)
    return outside_remarks(share.estimate)
