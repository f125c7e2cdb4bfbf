"""Quantiles of a number among the respondents who meet a condition.

The interval of the share "at most q" is mapped back through the estimated distribution function.
Under noise, worst-case bounds of that share take the interval's place.

References
----------
R. S. Woodruff (1952), "Confidence intervals for medians and other position measures", JASA 47.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppworkbench.core.arrays import Numbers, project
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.noises.base import domain_of
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.reconstruct import reconstruct
from ppworkbench.core.reconstruct.sharpness import AUTO, Sharpness
from ppworkbench.core.reconstruct.worst_case import TRUE_CELLS, Limits, possible_number
from ppworkbench.core.sampling.moments import Terms
from ppworkbench.core.sampling.variance import SampledValues, t_factor
from ppworkbench.core.survey.answers import meeting
from ppworkbench.core.survey.bounded import (
    BoundedOptions,
    bound_quantile,
    noisy_tests,
    too_noisy,
    unbounded,
    within,
)
from ppworkbench.core.survey.conditions.condition import (
    EVERYBODY,
    Comparison,
    Condition,
    Operator,
    as_condition,
)
from ppworkbench.core.survey.conditions.regions import Region, asked_attribute, regions_of
from ppworkbench.core.survey.estimates import (
    amount,
    at_face_value,
    few,
    impossible,
    interval_factor,
    joined,
    nobody,
)
from ppworkbench.core.survey.factors.grids import bins_of
from ppworkbench.core.survey.inquiry import Inquiry, asked_by, inquire
from ppworkbench.core.survey.joint_em import joint_distribution, smoothed_totals
from ppworkbench.core.survey.sampled import (
    SurveyResult,
    SurveySample,
    other_weights,
    share_terms,
    value_terms,
)
from ppworkbench.core.survey.samples import Counted, DrawnSample, Sample, sample_of

COARSE = "coarse-quantile"
"""The code of a remark."""
QUARTILES = (0.25, 0.5, 0.75)
_CELLS = 200
_SMALL = 1e-12


@dataclass(frozen=True)
class QuantileAt:
    """The number that a share ``at`` does not exceed.

    Parameters
    ----------
    naive, true
        The same of the distorted answers as they stand, and of the true ones where they are known.
    limits
        The worst-case bounds that the interval is, where the number is under noise.
    """

    at: float
    estimate: float
    low: float
    high: float
    naive: float | None = None
    true: float | None = None
    limits: Limits | None = None

    def sentence(self, of: str, confidence: float) -> Message:
        if self.limits is not None and self.limits.says_nothing:
            return too_noisy(self.limits, Message("quantile"))
        reach = Message(
            "{level:g} % interval {low} to {high}",
            level=100 * confidence,
            low=amount(self.low),
            high=amount(self.high),
        )
        if self.limits is not None:
            reach = Message.joined((reach, self.limits.assumption.clause), ", ")
        told = Message(
            "{share:g} % of {of} lie below about {found} ({reach}).",
            share=100 * self.at,
            of=of,
            found=amount(self.estimate),
            reach=reach,
        )
        return Message.joined((told, at_face_value(self.naive)))

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "at": self.at,
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
        }
        known = {"naive": self.naive, "true": self.true}
        document |= {name: number for name, number in known.items() if number is not None}
        return document if self.limits is None else document | {"bounds": self.limits.to_json()}


@dataclass(frozen=True, eq=False)
class Quantiles(SurveyResult):
    """Quantiles of a number among those who meet a condition."""

    of: str
    quantiles: tuple[QuantileAt, ...]

    @property
    def sentence(self) -> str:
        told = [one.sentence(self.of, self.confidence) for one in self.quantiles]
        if self.sample is not None:
            told.append(self.sample.sentence)
        return Message.joined(tuple(dict.fromkeys(told)))

    def to_json(self) -> dict[str, Any]:
        return {
            "of": self.of,
            "condition": str(self.condition),
            "quantiles": [one.to_json() for one in self.quantiles],
            "respondents": self.respondents,
            "confidence": self.confidence,
            **self.sample_json(),
            "remarks": list(self.remarks),
        }


def quantile(  # noqa: PLR0913 (keywords with defaults)
    table: Table,
    design: Design,
    of: str,
    at: Sequence[float] = QUARTILES,
    condition: Condition | str = EVERYBODY,
    *,
    original: Table | None = None,
    confidence: float = 0.95,
    sharpness: Sharpness = AUTO,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
    seed: int = 0,  # noqa: ARG001 (all statistics take one)
    progress: Progress = silent,
) -> Quantiles:
    """Estimate quantiles of a number among those who meet a condition.

    An undistorted number has the smallest value whose weighted share reaches each of ``at``; the
    distribution of a distorted one is reconstructed. Intervals are Woodruff's. Where something is
    under noise, they are worst-case bounds.

    Parameters
    ----------
    original, condition, sharpness, sampling, options
        As for :func:`ppworkbench.core.survey.counts.count`.
    """
    condition = as_condition(condition)
    regions = regions_of(condition, design)
    _check(asked_attribute(of, design).kind, of, at)
    design.refuse_sets(regions)
    interval_factor(confidence)
    sample = sample_of(table, design, sampling, options, original=original, confidence=confidence)
    inquiry = _split(table, design, of, regions, part(progress, 0.0, 0.3))
    if noisy_tests(inquiry):
        return _bounded(inquiry, sample, of, at, condition, sharpness, part(progress, 0.3, 1.0))
    return _sampled(table, of, at, condition, sample.drawn(), progress)


def _check(kind: Kind, of: str, at: Sequence[float]) -> None:
    if not kind.is_numeric:
        raise ParameterError.saying(
            "Attribute {of!r} is {kind} and has no quantiles; choose its distribution.",
            of=of,
            kind=Message(kind),
            attribute=of,
            field="of",
        )
    wrong = [one for one in at if not 0 < one < 1]
    if wrong or not at:
        raise ParameterError("Quantiles are asked for at shares above 0 and below 1.", field="at")


def _split(
    table: Table, design: Design, of: str, regions: Mapping[str, Region], progress: Progress
) -> Inquiry:
    attribute, perturbation = design[of].attribute, design.perturbation(of)
    few_numbers = attribute.kind is Kind.INTEGER and attribute.width < _CELLS
    channel = perturbation.numbers
    noisy = channel.exact_share is None and channel.interval_edges(attribute) is None
    cells = int(attribute.width) + 1 if few_numbers else TRUE_CELLS if noisy else _CELLS
    edges = bins_of(attribute, perturbation, cells)
    assert edges is not None  # noqa: S101 (a number has bins)
    return inquire(table, design, asked_by(regions, design, split={of: edges}), progress)


def _edges(inquiry: Inquiry, of: str) -> Numbers:
    edges = next(one.bins for one in inquiry.factor_of(of)[0].asked if one.name == of)
    assert edges is not None  # noqa: S101 (the number is split)
    return edges


def _plain(counted: Counted | None, of: str, regions: Mapping[str, Region]) -> _Curve:
    """Answers as they stand; nobody where they are not known."""
    if counted is None:
        return _Curve()
    data, weights = counted
    return _Steps.of(data[of], weights * meeting(data, regions, len(data[of])))


# ---- worst-case bounds, where noise cannot be undone ----


def _bounded(
    inquiry: Inquiry,
    sample: Sample,
    of: str,
    at: Sequence[float],
    condition: Condition,
    sharpness: Sharpness,
    progress: Progress,
) -> Quantiles:
    design = sample.design
    regions, attribute = regions_of(condition, design), design[of].attribute
    options, about = sample.bounds(inquiry, sharpness)
    shares = _smooth_shares(inquiry, of, condition, sample.given_weights)
    edges = _edges(inquiry, of)
    below = np.concatenate([[0.0], np.cumsum(project(shares))])
    naive = _plain(sample.reported(inquiry.answers), of, regions)
    true = _plain(sample.truth(dict.fromkeys([*regions, of])), of, regions)
    found = []
    for place, one in enumerate(at):
        progress(place / len(at), Message("bounding quantiles"))
        limits = _limits(inquiry, of, one, options)
        if limits is None:
            raise nobody(condition)
        middle = possible_number(float(np.interp(one, below, edges)), attribute)
        value = within(middle, limits, options.confidence, None, None)
        found.append(
            QuantileAt(
                float(one), value.estimate, value.low, value.high, naive.quantile(one),
                true.quantile(one), limits,
            )
        )  # fmt: skip
    remarks = joined([*inquiry.remarks, *about, *few(inquiry.n), *impossible(regions)])
    return Quantiles(
        of,
        tuple(found),
        condition=condition,
        respondents=inquiry.n,
        confidence=sample.confidence,
        remarks=remarks,
        sample=sample.about(inquiry),
    )


def _limits(inquiry: Inquiry, of: str, share: float, options: BoundedOptions) -> Limits | None:
    numbers = noisy_tests(inquiry)
    own, _ = inquiry.factor_of(of)
    if any(number is own for number in numbers):
        return bound_quantile(inquiry, of, share, options)
    return unbounded(*domain_of(own.asked[0].attribute), numbers[0])


def _smooth_shares(
    inquiry: Inquiry, of: str, condition: Condition, weights: Numbers | None
) -> Numbers:
    if len(inquiry.factors) == 1:
        found = smoothed_totals(inquiry, weights=weights).values
    else:
        joint = joint_distribution(inquiry, weights=weights)
        axis = inquiry.factors.index(inquiry.factor_of(of)[0])
        shares = joint.targets()
        found = shares.sum(axis=tuple(i for i in range(shares.ndim) if i != axis))
    if found.sum() <= 0:
        raise nobody(condition)
    return np.asarray(found / found.sum())


# ---- Woodruff's intervals ----


def _sampled(
    table: Table,
    of: str,
    at: Sequence[float],
    condition: Condition,
    survey: DrawnSample,
    progress: Progress,
) -> Quantiles:
    design = survey.design
    regions = regions_of(condition, design)
    inquiry = inquire(table, design, asked_by(regions, design, moment=of))
    answers = inquiry.answers
    weights = survey.weights(answers.rows)
    # The number's own device is undone by the reconstruction, all others by their weights.
    others = other_weights(inquiry, (inquiry.factor_of(of)[0],))
    inside = np.ones(inquiry.n) if others is None else others
    region = regions.get(of)
    if region is not None:
        inside = inside * region.contains(answers.data[of])
    if design.perturbation(of).is_identity:
        curve: _Curve = _Steps.of(answers.data[of], inside * weights)
        share_of = _plain_share(inquiry, survey, of, inside)
    else:
        if any(not design.perturbation(name).is_identity for name in condition.attributes):
            curve = _weighted(_split(table, design, of, regions, silent), survey, of, condition)
        else:
            curve = _reconstructed(inquiry, design, of, inside * weights)
        share_of = _distorted_share(table, design, of, condition, survey)
    if curve.is_empty:
        raise nobody(condition)
    naive = _plain(survey.reported(answers), of, regions)
    true = _plain(survey.truth(dict.fromkeys([*regions, of])), of, regions)
    found, lines, summary = [], list(inquiry.remarks), None
    for place, one in enumerate(at):
        q = curve.inverse(one)
        shares = share_of(q, part(progress, place / len(at), (place + 1) / len(at)))
        t = t_factor(survey.confidence, survey.degrees(shares.totals))
        centre, reach = curve.share(q), t * float(shares.errors[0])
        low, high = curve.inverse(centre - reach), curve.inverse(centre + reach)
        found.append(
            QuantileAt(
                float(one), q, min(low, q), max(high, q), naive.quantile(one), true.quantile(one)
            )
        )  # fmt: skip
        lines += [*survey.remarks(shares), *curve.remarks(low, high)]
        summary = survey.summary(shares.totals, inquiry)
    remarks = joined([*lines, *few(inquiry.n), *impossible(regions)])
    return Quantiles(
        of, tuple(found), condition=condition, respondents=inquiry.n,
        confidence=survey.confidence, remarks=remarks, sample=summary,
    )  # fmt: skip


class _Curve:
    is_empty: bool = True

    def share(self, q: float) -> float:
        raise NotImplementedError

    def inverse(self, share: float) -> float:
        raise NotImplementedError

    def remarks(self, low: float, high: float) -> tuple[str, ...]:  # noqa: ARG002
        return ()

    def quantile(self, share: float) -> float | None:
        """The quantile, or None where there is nobody."""
        return None if self.is_empty else self.inverse(share)


@dataclass(frozen=True, eq=False)
class _Steps(_Curve):
    values: Numbers
    cumulated: Numbers

    @classmethod
    def of(cls, data: Numbers, weights: Numbers) -> _Steps:
        values, places = np.unique(data[weights != 0], return_inverse=True)
        sums = np.bincount(places, weights[weights != 0], len(values))
        total = sums.sum()
        return cls(values, np.cumsum(sums) / total if total > 0 else np.zeros(0))

    @property
    def is_empty(self) -> bool:  # type: ignore[override]
        return not len(self.cumulated)

    def share(self, q: float) -> float:
        return float(self.cumulated[np.searchsorted(self.values, q, side="right") - 1])

    def inverse(self, share: float) -> float:
        """The smallest value whose share reaches it; the ends for shares beyond."""
        reached = self.cumulated >= share - _SMALL
        return float(self.values[int(np.argmax(reached)) if reached.any() else -1])


@dataclass(frozen=True, eq=False)
class _Bins(_Curve):
    """A reconstructed distribution, even within its bins."""

    edges: Numbers
    cumulated: Numbers
    whole: bool

    is_empty = False

    def share(self, q: float) -> float:
        border = q + 0.5 if self.whole else q
        return float(np.interp(border, self.edges, self.cumulated))

    def inverse(self, share: float) -> float:
        place = float(np.interp(share, self.cumulated, self.edges))
        if not self.whole:
            return place
        return float(np.clip(math.ceil(place - 0.5), self.edges[0] + 0.5, self.edges[-1] - 0.5))

    def remarks(self, low: float, high: float) -> tuple[str, ...]:
        width = float(np.diff(self.edges).max())
        if high - low >= width or (self.whole and width <= 1):
            return ()
        return (
            Message(
                "The interval is narrower than a bin of the reconstruction, {width:.3g}, which is "
                "all that the distorted answers can tell.",
                code=COARSE,
                width=width,
            ),
        )


ShareOf = Callable[[float, Progress], SampledValues]


def _plain_share(inquiry: Inquiry, survey: SurveySample, of: str, inside: Numbers) -> ShareOf:
    """The share at most q of an undistorted number."""
    data = inquiry.answers.data[of]

    def share(q: float, _: Progress) -> SampledValues:
        terms = Terms(inquiry.n, np.ones((1, 1)), None, (inside, inside * (data <= q)))
        totals = survey.totals(terms, inquiry.answers)
        return totals.ratios(np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]]))

    return share


def _reconstructed(inquiry: Inquiry, design: Design, of: str, weights: Numbers) -> _Bins:
    attribute, perturbation = design[of].attribute, design.perturbation(of)
    column = Column(perturbation.distorted(attribute), inquiry.answers.data[of])
    found = reconstruct(column, attribute, perturbation, confidence=None, weights=weights)
    assert found.edges is not None  # noqa: S101 (a number has borders)
    cumulated = np.concatenate([[0.0], np.cumsum(found.probability)])
    return _Bins(found.edges, cumulated / cumulated[-1], attribute.kind is Kind.INTEGER)


def _weighted(inquiry: Inquiry, survey: SurveySample, of: str, condition: Condition) -> _Bins:
    if not inquiry.is_well_conditioned:
        raise ParameterError.saying(
            "The noise is too wide for quantiles of {of!r} under this condition; use a "
            "condition on undistorted attributes.",
            of=of,
            attribute=of,
            field="condition",
        )
    factor = inquiry.factor_of(of)[0]
    totals = survey.totals(value_terms(inquiry, factor), inquiry.answers)
    size = float(totals.values.sum())
    if size <= 0:
        raise nobody(condition)
    cumulated = np.concatenate([[0.0], np.cumsum(project(totals.values / size))])
    whole = factor.asked[0].attribute.kind is Kind.INTEGER
    return _Bins(_edges(inquiry, of), cumulated, whole)


def _distorted_share(
    table: Table,
    design: Design,
    of: str,
    condition: Condition,
    survey: SurveySample,
) -> ShareOf:
    """The share at most q of a distorted number."""

    def share(q: float, _: Progress) -> SampledValues:
        tests = (*condition.tests, Comparison(of, Operator.AT_MOST, f"{q:.15g}"))
        inquiry = inquire(table, design, asked_by(regions_of(Condition(tests), design), design))
        terms = _within(inquiry, of) if condition.tests else share_terms(inquiry)
        assert terms is not None  # noqa: S101 (a number under noise has bounds)
        totals = survey.totals(terms, inquiry.answers)
        return totals.ratios(np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]]))

    return share


def _within(inquiry: Inquiry, of: str) -> Terms:
    """Contributions to the number of those in the domain, and of those at most q among them."""
    factor, codes = inquiry.factor_of(of)
    inside = other_weights(inquiry, (factor,))
    below = factor.weights.matrix[codes, 0]
    return Terms(
        inquiry.n, np.ones((1, 1)), None, (inside, below if inside is None else inside * below)
    )
