"""How many respondents meet a condition."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import RESPONDENTS, Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.agreement import LIKELIHOOD, check_pooling
from ppworkbench.core.reconstruct.sharpness import AUTO, Sharpness
from ppworkbench.core.reconstruct.worst_case import Limits
from ppworkbench.core.sampling.results import about_all
from ppworkbench.core.share_intervals import MISFIT, OUT_OF_BOUNDS, Fit, outside_remarks
from ppworkbench.core.survey.answers import (
    PartedSource,
    as_table,
    distorted_answers,
)
from ppworkbench.core.survey.bounded import (
    bound_count,
    too_noisy,
)
from ppworkbench.core.survey.conditions.condition import Condition, as_condition
from ppworkbench.core.survey.conditions.regions import Region, regions_of
from ppworkbench.core.survey.estimates import (
    JOINT,
    SEQUENTIAL,
    Estimate,
    cut_remarks,
    few,
    impossible,
    joined,
    methods,
    people_amount,
    people_interval,
    percent_interval,
    scaled,
    share_errors,
    widened,
    with_interval,
    with_share_remark,
)
from ppworkbench.core.survey.inquiry import asked_by
from ppworkbench.core.survey.sampled import SurveyResult, stated_contents
from ppworkbench.core.survey.samples import Sample, number_of, sample_of
from ppworkbench.core.survey.sequential import REMARK, assigned_set


@dataclass(frozen=True)
class Count(SurveyResult):
    """The number of respondents who meet a condition.

    Parameters
    ----------
    value
        The number with its interval, the naive count and, where known, the truth.
    share
        The share of those who meet it.
    limits
        The worst-case bounds that the interval is, where a number under noise is tested.
    fit
        Whether a number of people that cannot be is chance; the share has it under a sampling.
    """

    method: str
    value: Estimate
    share: Estimate
    limits: Limits | None = None
    fit: Fit | None = None

    @property
    def sentence(self) -> str:
        value, n = self.value, self.respondents
        if self.limits is not None and self.limits.says_nothing:
            return too_noisy(self.limits, Message("number"))
        told = [self._told]
        if self.sample is not None:
            told.append(self.sample.sentence)
        elif stated_contents(self) is not None:
            told.append(about_all(n))
        # Sets have no plain count to set beside the estimate, and open answers no other one.
        if value.naive is not None and not self.is_undistorted:
            told.append(Message("Without correction: {naive}.", naive=people_amount(value.naive)))
        return told[0] if len(told) == 1 else Message.joined(told)

    @property
    def _told(self) -> Message:
        sample, value = self.sample, self.value
        known: dict[str, Any] = {
            "found": people_amount(value.estimate),
            "whole": self._whole,
            "condition": self.condition,
            "reach": people_interval(value, self.confidence),
        }
        if self.limits is not None and sample is None:
            return Message(
                "About {found} of {whole} meet {condition} ({reach}), {assumption}.",
                assumption=self.limits.assumption.clause,
                **known,
            )
        # The answers themselves are known; only of others like them there is something to estimate.
        is_known = self.is_undistorted and (sample is None or round(sample.weighted_n) == sample.n)
        if not is_known or not self.condition.tests:
            return Message(
                "About {found} of {whole} meet {condition} ({reach})."
                if self.condition.tests
                else "About {found} of {whole} ({reach}).",
                **known,
            )
        if sample is not None and sample.target == RESPONDENTS:
            return Message("{found} of {whole} meet {condition}.", **known)
        return Message(
            "{found} of {whole} meet {condition} ({reach} of as many in the population).", **known
        )

    @property
    def _whole(self) -> Message:
        """Out of how many, and of what, those who meet the condition are told."""
        if self.sample is not None:
            return self.sample.whole
        return Message("{n:,} respondents", n=self.respondents)

    @property
    def share_sentence(self) -> str:
        """The share in plain words, and whom it is about; their number follows."""
        if self.limits is not None and self.limits.says_nothing:
            return self.sentence
        share, sample = self.share, self.sample
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
            told.append(sample.sentence)
        elif stated_contents(self) is not None:
            told.append(about_all(self.respondents))
        found = people_amount(self.value.estimate)
        told.append(Message("Of {whole}: {found}.", whole=self._whole, found=found))
        if share.naive is not None and not self.is_undistorted:
            told.append(Message("Without correction: {naive:.1f} %.", naive=100 * share.naive))
        return Message.joined(told)

    def with_share_errors(self, errors: Numbers) -> Count:
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
        document = self.value.to_json() | self.named_json("method")
        if self.limits is not None:
            document["bounds"] = self.limits.to_json()
        if self.fit is not None:
            document["fit"] = self.fit.to_json()
        document["share"] = self.share.to_json()
        return document | self.sample_json()


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
    >>> import numpy as np
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
        regions = regions_of(condition, design)
        sample = sample_of(
            table, design, sampling, options, method=method, original=original,
            confidence=confidence,
        )  # fmt: skip
        if method == SEQUENTIAL:
            return _assigned_count(sample, as_table(table), condition, regions, seed, progress)
        return _joint_count(sample, condition, regions, sharpness, pooling, seed, progress)

    def numbers(found: Count) -> list[float]:
        return [found.value.estimate, found.share.estimate]

    found = estimate(design, progress)
    names = regions_of(condition, design)
    errors = share_errors(design, names, lambda moved: numbers(estimate(moved)))
    return found if errors is None else found.with_share_errors(errors)


def _joint_count(
    sample: Sample,
    condition: Condition,
    regions: Mapping[str, Region],
    sharpness: Sharpness,
    pooling: str,
    seed: int,
    progress: Progress,
) -> Count:
    design = sample.design
    inquiry = sample.inquire(asked_by(regions, design), part(progress, 0.0, 0.3))
    people = sample.people(inquiry, regions, part(progress, 0.3, 1.0), pooling=pooling, seed=seed)
    true, true_share = sample.true_people(regions, inquiry.n)
    how, about = sample.bounds(inquiry, sharpness)
    limits, fit = bound_count(inquiry, how), None
    if limits is None:
        only = inquiry.factors[0] if len(inquiry.factors) == 1 else None
        fit = sample.fit(inquiry, people.shares, 0, only)
        naive = None if people.naive is None else people.naive / people.totals.weighted_n
        share = sample.estimate(
            people.shares, 0, naive=naive, true=true_share, share=True, line=people.line, fit=fit,
            contributions=people.contributions,
        )  # fmt: skip
        value = sample.number(people.number, share, people.naive, true)
        told = (*people.remarks, *sample.remarks(people.shares), *_out_of_bounds(share, fit))
        told += cut_remarks((share,))
    else:
        value, share = sample.bounded_people(inquiry, people, limits, (true, true_share))
        told = sample.bound_remarks(limits.assumption, about, people.totals)
        limits = limits.scaled(people.totals.weighted_n / inquiry.n)
    told = (*people.disagreement, *inquiry.remarks, *told, *few(inquiry.n), *impossible(regions))
    remarks = joined(told)
    return Count(
        JOINT, value, share, limits, None if share.details else fit,
        condition=condition, respondents=inquiry.n, confidence=sample.confidence, remarks=remarks,
        sample=sample.summary(people.totals, inquiry, remarks),
        is_undistorted=design.is_undistorted(regions),
        sampled=people.shares if share.details else None,
    )  # fmt: skip


def _assigned_count(
    sample: Sample,
    table: Table,
    condition: Condition,
    regions: Mapping[str, Region],
    seed: int,
    progress: Progress,
) -> Count:
    design = sample.design
    answers = distorted_answers(table, design, regions)
    chosen = assigned_set(answers, design, regions, seed, progress)
    reported = sample.reported(answers)
    naive = None if reported is None else number_of(reported, regions)
    true, _ = sample.true_people(regions, answers.n)
    value = with_interval(chosen.size, chosen.standard_error, sample.confidence, naive, true)
    share = scaled(value, 1 / max(answers.n, 1))
    told = (*answers.remarks, *(REMARK,) * (len(regions) > 1), *_out_of_bounds(share, None))
    return Count(
        SEQUENTIAL, value, share,
        condition=condition, respondents=answers.n, confidence=sample.confidence,
        remarks=joined([*told, *few(answers.n), *impossible(regions)]),
        is_undistorted=design.is_undistorted(regions),
    )  # fmt: skip


def _out_of_bounds(share: Estimate, fit: Fit | None) -> tuple[str, ...]:
    below = share.estimate < 0
    return outside_remarks(share.estimate) if fit is None else fit.remarks(below=below)
