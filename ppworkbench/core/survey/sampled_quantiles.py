"""Quantiles of a number with Woodruff's intervals.

The interval of the share "at most q" is mapped back through the estimated distribution function.

References
----------
R. S. Woodruff (1952), "Confidence intervals for medians and other position measures", JASA 47.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.reconstruct import reconstruct
from ppworkbench.core.sampling.moments import Terms
from ppworkbench.core.sampling.replicates import DEFAULT_REPLICATES, replicate_factors
from ppworkbench.core.sampling.results import SampleSummary
from ppworkbench.core.sampling.roles import BOOTSTRAP, Sampling, SamplingOptions
from ppworkbench.core.sampling.sample import rows_as_clusters
from ppworkbench.core.sampling.variance import SampledValues, t_factor
from ppworkbench.core.survey.conditions import EVERYBODY, Comparison, Condition, Operator
from ppworkbench.core.survey.inquiry import Inquiry, asked_by, inquire
from ppworkbench.core.survey.parser import as_condition
from ppworkbench.core.survey.regions import asked_attribute, regions_of
from ppworkbench.core.survey.sampled import SurveySample, other_weights, share_terms
from ppworkbench.core.survey.words import few, joined, nobody

COARSE = "coarse-quantile"
_SMALL = 1e-12


@dataclass(frozen=True)
class QuantileAt:
    """The number that a share ``at`` does not exceed."""

    at: float
    estimate: float
    low: float
    high: float

    def to_json(self) -> dict[str, float]:
        """The numbers under their names."""
        return {"at": self.at, "estimate": self.estimate, "low": self.low, "high": self.high}


@dataclass(frozen=True, eq=False)
class Quantiles:
    """Quantiles of a number among those who meet a condition."""

    of: str
    condition: Condition
    quantiles: tuple[QuantileAt, ...]
    sample: SampleSummary
    confidence: float
    remarks: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The result for other programs."""
        return {
            "of": self.of,
            "condition": str(self.condition),
            "quantiles": [one.to_json() for one in self.quantiles],
            "confidence": self.confidence,
            **self.sample.to_json(),
            "remarks": list(self.remarks),
        }


def sampled_quantiles(  # noqa: PLR0913 (keywords with defaults)
    table: Table,
    design: Design,
    of: str,
    at: Sequence[float] = (0.25, 0.5, 0.75),
    condition: Condition | str = EVERYBODY,
    *,
    confidence: float = 0.95,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Quantiles:
    """Estimate quantiles of a number among those who meet a condition.

    An undistorted number has the smallest value whose weighted share reaches each of ``at``. Of a
    distorted one the distribution is reconstructed; the condition must then be on undistorted
    attributes.

    Parameters
    ----------
    seed
        Start of the bootstrap that gives the errors where noise is too wide for contributions.
    condition, sampling, options
        As for :func:`ppworkbench.core.survey.counts.count`.
    """
    condition = as_condition(condition)
    _check(asked_attribute(of, design).kind, of, at)
    survey = SurveySample.read(
        table, design, sampling, options or SamplingOptions(), confidence=confidence
    )
    assert survey is not None  # noqa: S101 (options are given)
    regions = regions_of(condition, design)
    inquiry = inquire(table, design, asked_by(regions, design, moment=of))
    factor = inquiry.factor_of(of)[0]
    others = other_weights(inquiry, (factor,))
    inside = np.ones(inquiry.n) if others is None else others
    region = regions.get(of)
    if region is not None:
        inside = inside * region.contains(inquiry.answers.data[of])
    if design.perturbation(of).is_identity:
        curve: _Curve = _Steps.of(inquiry.answers.data[of], inside * _weights(survey, inquiry))
        share_of = _plain_share(inquiry, survey, of, inside)
        remarks = inquiry.remarks
    else:
        _refuse_distorted(inquiry, of, condition)
        data = inquiry.answers.data[of]
        curve = _reconstructed(inquiry, design, of, inside * _weights(survey, inquiry))
        share_of = _distorted_share(
            table, design, of, condition, survey, _Bootstrap(inquiry, survey, inside, data, seed)
        )
        remarks = inquiry.remarks
    if curve.is_empty:
        raise nobody(condition)
    found, lines, summary = [], list(remarks), None
    for place, one in enumerate(at):
        q = curve.inverse(one)
        shares = share_of(q, part(progress, place / len(at), (place + 1) / len(at)))
        t = t_factor(confidence, survey.degrees(shares.totals))
        centre, reach = curve.share(q), t * float(shares.errors[0])
        low, high = curve.inverse(centre - reach), curve.inverse(centre + reach)
        found.append(QuantileAt(float(one), q, min(low, q), max(high, q)))
        lines += [*survey.remarks(shares), *curve.remarks(low, high)]
        summary = survey.summary(shares.totals)
    assert summary is not None  # noqa: S101 (at least one is asked for)
    return Quantiles(
        of, condition, tuple(found), summary, confidence, joined([*lines, *few(inquiry.n)])
    )


def _check(kind: Kind, of: str, at: Sequence[float]) -> None:
    if not kind.is_numeric:
        raise ParameterError(
            Message("Attribute {of!r} is not a number and has no quantiles.", of=of),
            attribute=of,
            field="of",
        )
    wrong = [one for one in at if not 0 < one < 1]
    if wrong or not at:
        raise ParameterError("Quantiles are asked for at shares above 0 and below 1.", field="at")


def _refuse_distorted(inquiry: Inquiry, of: str, condition: Condition) -> None:
    tested = [
        one
        for factor in inquiry.factors
        for one in factor.asked
        if one.name in condition.attributes
    ]
    if any(not one.perturbation.is_identity for one in tested):
        raise ParameterError(
            Message(
                "Quantiles of the distorted {of!r} need a condition on undistorted attributes.",
                of=of,
            ),
            attribute=of,
            field="condition",
        )


def _weights(survey: SurveySample, inquiry: Inquiry) -> Numbers:
    return survey.weights(inquiry.answers.rows)


class _Curve:
    """An estimated distribution function."""

    is_empty: bool = False

    def share(self, q: float) -> float:
        raise NotImplementedError

    def inverse(self, share: float) -> float:
        raise NotImplementedError

    def remarks(self, low: float, high: float) -> tuple[str, ...]:  # noqa: ARG002
        return ()


@dataclass(frozen=True, eq=False)
class _Steps(_Curve):
    """The weighted shares of the values that came."""

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
        totals = survey.totals(terms, inquiry.answers.rows)
        return totals.ratios(np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]]))

    return share


def _reconstructed(inquiry: Inquiry, design: Design, of: str, weights: Numbers) -> _Bins:
    attribute, perturbation = design[of].attribute, design.perturbation(of)
    column = Column(perturbation.distorted(attribute), inquiry.answers.data[of])
    found = reconstruct(column, attribute, perturbation, confidence=None, weights=weights)
    assert found.edges is not None  # noqa: S101 (a number has borders)
    cumulated = np.concatenate([[0.0], np.cumsum(found.probability)])
    return _Bins(found.edges, cumulated / cumulated[-1], attribute.kind is Kind.INTEGER)


@dataclass(frozen=True, eq=False)
class _Bootstrap:
    """Reconstructs from resampled clusters."""

    inquiry: Inquiry
    survey: SurveySample
    inside: Numbers
    data: Numbers
    seed: int

    def error(self, design: Design, of: str, q: float, progress: Progress) -> float:
        """The standard error of the reconstructed share at most q."""
        frame, sample = rows_as_clusters(self.survey.frame, self.survey.sample)
        # The device's randomness does not shrink with the part that was asked: all of it is kept.
        frame = dataclasses.replace(frame, fractions=np.zeros(len(frame.fractions)))
        factors, scale = replicate_factors(frame, BOOTSTRAP, DEFAULT_REPLICATES, self.seed)
        assert sample.clusters is not None  # noqa: S101 (rows stand for clusters)
        clusters = sample.clusters[self.inquiry.answers.rows]
        base = self.inside * _weights(self.survey, self.inquiry)
        middle = _reconstructed(self.inquiry, design, of, base).share(q)
        squares = 0.0
        for k in range(factors.shape[1]):
            progress(k / factors.shape[1], "resampling clusters")
            curve = _reconstructed(self.inquiry, design, of, base * factors[clusters, k])
            squares += float(scale[k]) * (curve.share(q) - middle) ** 2
        return math.sqrt(squares)


def _distorted_share(
    table: Table,
    design: Design,
    of: str,
    condition: Condition,
    survey: SurveySample,
    bootstrap: _Bootstrap,
) -> ShareOf:
    """The share at most q of a distorted number, by contributions where they are of use."""

    def share(q: float, progress: Progress) -> SampledValues:
        tests = (*condition.tests, Comparison(of, Operator.AT_MOST, f"{q:.15g}"))
        inquiry = inquire(table, design, asked_by(regions_of(Condition(tests), design), design))
        terms = share_terms(inquiry)
        if terms is not None:
            if condition.tests:
                terms = _within(inquiry, of)
            totals = survey.totals(terms, inquiry.answers.rows)
            return totals.ratios(np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]]))
        whole = bootstrap.inquiry
        plain = Terms(whole.n, np.ones((1, 1)), None, (bootstrap.inside,))
        totals = survey.totals(plain, whole.answers.rows)
        variance = np.array([[bootstrap.error(design, of, q, progress) ** 2]])
        nothing = np.zeros((1, 1))
        return SampledValues(np.array([math.nan]), variance, nothing, nothing, totals)

    return share


def _within(inquiry: Inquiry, of: str) -> Terms:
    """Contributions to the number of those in the domain, and of those at most q among them."""
    factor, codes = inquiry.factor_of(of)
    inside = other_weights(inquiry, (factor,))
    below = factor.weights.matrix[codes, 0]
    return Terms(
        inquiry.n, np.ones((1, 1)), None, (inside, below if inside is None else inside * below)
    )
