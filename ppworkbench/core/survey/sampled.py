"""Estimates of a survey whose sampling is known: contributions of records, and their errors.

The whole sample stays in every formula: records without an answer, and those outside a condition,
contribute 0.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import POPULATION, WALD, Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.sampling.moments import SampleMoments, Terms
from ppworkbench.core.sampling.replicates import made_replicates
from ppworkbench.core.sampling.results import (
    EstimateDetails,
    IntervalContents,
    SampleSummary,
    interval_contents,
    summarise,
)
from ppworkbench.core.sampling.sample import (
    Frame,
    SampleReader,
    SampleRows,
    refuse_randomised,
)
from ppworkbench.core.sampling.variance import (
    SampledValues,
    SampleTotals,
    effective_size,
    error_remarks,
    t_factor,
)
from ppworkbench.core.score_intervals import Contributions, cell_contributions
from ppworkbench.core.share_intervals import (
    Fit,
    Line,
    ShareInterval,
    edge_error,
    edge_fit,
    line_between,
    line_of_products,
    nearest_edge,
    number_interval,
    share_interval,
    wald,
)
from ppworkbench.core.survey.answers import Answers, PartedSource, as_table, original_answers
from ppworkbench.core.survey.conditions.condition import Condition
from ppworkbench.core.survey.estimates import (
    JOINT,
    SEQUENTIAL,
    SHARE_INCLUDED,
    Estimate,
    interval_factor,
    record_weights,
    scaled,
)
from ppworkbench.core.survey.factors.factor import Factor, ValueFactor
from ppworkbench.core.survey.inquiry import Inquiry
from ppworkbench.core.survey.joint_em import SMOOTHED, contributions, joint_distribution, outer
from ppworkbench.core.survey.sequential import REMARK as STEPWISE

_NESTED = np.array([[0, 1], [1, 1]])
"""Everybody, and those who count among them."""


@dataclass(frozen=True, eq=False)
class SurveySample:
    """The sampling of a table of answers, and what every result of it needs.

    ``original`` are the true answers where they are known.
    """

    table: Table
    sample: SampleRows
    frame: Frame
    design: Design
    original: Table | None
    confidence: float

    @classmethod
    def read(
        cls,
        source: Table | PartedSource,
        design: Design,
        sampling: Sampling | None,
        options: SamplingOptions | None = None,
        *,
        original: Table | None = None,
        confidence: float = 0.95,
    ) -> Self:
        """Check the roles of a table's columns; without any, rows were drawn one by one."""
        roles = sampling or Sampling()
        refuse_randomised(roles, design)
        reader = SampleReader(roles, options, repeats_draws=design.repeats_draws)
        table = as_table(source)
        rows = reader.read(table)
        interval_factor(confidence)
        frame, rows = made_replicates(reader.frame(), rows)
        return cls(table, rows, frame, design, original, confidence)

    @classmethod
    def stated(
        cls,
        table: Table | PartedSource,
        design: Design,
        sampling: Sampling | None,
        options: SamplingOptions | None,
        *,
        method: str = JOINT,
        original: Table | None = None,
        confidence: float = 0.95,
    ) -> Self | None:
        """The sampling of a table of answers; None where nothing is said about it."""
        if sampling is None and options is None:
            return None
        if method == SEQUENTIAL:
            raise ParameterError(
                "The sequential method knows no sampling; use the joint one or turn the sampling "
                "off.",
                field="method",
            )
        return cls.read(table, design, sampling, options, original=original, confidence=confidence)

    def totals(
        self, terms: Terms, answers: Answers, rows: NDArray[np.int64] | None = None
    ) -> SampleTotals:
        """The totals of contributions of answers; ``rows`` where they are of some records only."""
        moments = SampleMoments()
        rows = answers.rows if rows is None else rows
        moments.add(terms, self.sample, rows, finite=self.frame.has_population)
        return moments.totals(dataclasses.replace(self.frame, asked_share=answers.asked_share))

    def weights(self, rows: NDArray[np.int64]) -> Numbers:
        given = self.sample.each_weight
        return given if len(rows) == len(given) else given[rows]

    def truth(self, names: Iterable[str]) -> tuple[dict[str, NDArray[Any]], Numbers] | None:
        """The true answers of complete records and their weights; None where they are not known.

        An original with other records than the table has no weights.
        """
        if self.original is None or self.original.rows != self.sample.n:
            return None
        names = tuple(names)
        if not self.design.versions.ask_everybody(names):
            # Nobody knows who was asked: the original has no arms, or in another order.
            return None
        answers = original_answers(self.original, self.design, names)
        weights = self.weights(answers.rows)
        return (answers.data, weights) if weights.sum() > 0 else None

    def degrees(self, totals: SampleTotals, group: int = -1) -> float:
        """The degrees of freedom of an estimate about one group, or about all of them."""
        return totals.degrees_of_freedom(group)

    def estimate(  # noqa: PLR0913 (keywords with defaults)
        self,
        found: SampledValues,
        place: int,
        *,
        naive: float | None = None,
        true: float | None = None,
        group: int = -1,
        share: bool = False,
        line: Line | None = None,
        contributions: Contributions | None = None,
        people: float | None = None,
        fit: Fit | None = None,
    ) -> Estimate:
        """One of the values with its interval.

        Parameters
        ----------
        group
            The function that is its domain.
        line, contributions, people
            How the reports of a share depend on it, what they vary by where there is no line, and
            of how many people they are.
        """
        value, error = float(found.values[place]), float(found.errors[place])
        totals = found.totals
        degrees = self.degrees(totals, group)
        t = t_factor(self.confidence, degrees)
        ends = ShareInterval(WALD, *wald(value, error, t))
        if share:
            size = effective_size(found, place, line, people, contributions)
            kind = self.frame.options.interval
            ends = share_interval(
                kind, value, error, t, line=line, size=size, contributions=contributions
            )
        effect = float(found.sampling_effects[place])
        details = EstimateDetails(
            degrees, float(found.device_errors[place]), float(found.sampling_errors[place]),
            effect, totals.n / effect if effect > 0 else float("nan"), fit,
        )  # fmt: skip
        return Estimate(value, ends.low, ends.high, error, naive, true, details, ends.kind)

    def number(
        self,
        found: SampledValues,
        share: Estimate,
        naive: float | None,
        true: float | None,
        place: int = 0,
    ) -> Estimate:
        """The number of the people whose share has been estimated, with the interval of that."""
        number = self.estimate(found, place, naive=naive, true=true)
        people = found.totals.weighted_n
        if self.frame.is_simple:
            # As many as answered: their number does not vary.
            return dataclasses.replace(
                scaled(share, people), naive=naive, true=true, details=number.details
            )
        ends = ShareInterval(share.interval, share.low, share.high)
        low, high = number_interval(
            number.estimate, number.standard_error, people, share.estimate, share.standard_error,
            ends,
        )  # fmt: skip
        return dataclasses.replace(number, low=low, high=high, interval=ends.kind)

    def remarks(self, found: SampledValues, group: int = -1) -> tuple[str, ...]:
        return error_remarks(found, self.degrees(found.totals, group))

    def summary(
        self, totals: SampleTotals, inquiry: Inquiry, remarks: Sequence[str] = ()
    ) -> SampleSummary:
        """Whom the result is about; the remarks tell whether noise was smoothed away."""
        return summarise(totals, smoothed=SMOOTHED in remarks, undistorted=is_undistorted(inquiry))


@dataclass(frozen=True, kw_only=True, eq=False)
class SurveyResult:
    """What every statistic of a survey says besides its numbers.

    Parameters
    ----------
    respondents
        The number of complete records that were asked.
    remarks
        Sentences that a reader should know.
    sample
        Whom the numbers are about, where the sampling is taken into account.
    is_undistorted
        Whether nothing that was asked for is randomised.
    sampled
        What is compared between arms under a sampling, with all that it varies by.
    """

    condition: Condition
    respondents: int
    confidence: float
    remarks: tuple[str, ...] = ()
    sample: SampleSummary | None = None
    is_undistorted: bool = False
    sampled: SampledValues | None = field(default=None, compare=False, repr=False)

    def named_json(self, *names: str) -> dict[str, Any]:
        """These values, and what is told of all results, for other programs."""
        return {name: getattr(self, name) for name in names} | {
            "condition": str(self.condition),
            "respondents": self.respondents,
            "confidence": self.confidence,
            "remarks": list(self.remarks),
        }

    def sample_json(self) -> dict[str, Any]:
        """Whom the result is about and what its intervals hold, for other programs."""
        if self.sample is not None:
            return self.sample.to_json()
        contents = stated_contents(self)
        return {} if contents is None else {"target": POPULATION} | contents.to_json()


def stated_contents(result: SurveyResult) -> IntervalContents | None:
    """Which errors the intervals of a result hold; None where they are not valid.

    Without a sampling respondents are a simple random sample from a large population.
    """
    if result.sample is not None:
        return IntervalContents(result.sample.contains, result.sample.excludes)
    if STEPWISE in result.remarks:
        return None
    return interval_contents(
        smoothed=SMOOTHED in result.remarks, shared=SHARE_INCLUDED in result.remarks,
        undistorted=result.is_undistorted,
    )  # fmt: skip


def share_terms(
    inquiry: Inquiry, progress: Progress = silent, frame: Frame | None = None
) -> Terms | None:
    """Contributions to the number of all records and of those who meet the condition.

    None where weights are of no use, and a smooth estimate should take their place. With a frame
    in which rows count the same, totals know what they vary by at least.
    """
    if not inquiry.is_well_conditioned:
        return None
    if not inquiry.factors:
        return Terms(inquiry.n, np.ones((1, 2)), meets=_NESTED, least=np.zeros(2))
    least = None
    if frame is not None and frame.is_simple:
        least = np.array([0.0, least_variance(inquiry)])
    if len(inquiry.factors) == 1:
        look_up = inquiry.factors[0].weights.matrix[:, :1]
        both = np.column_stack([np.ones(len(look_up)), look_up])
        return Terms(inquiry.n, both, inquiry.codes[0], meets=_NESTED, least=least)
    weights = record_weights(inquiry, progress=progress)
    return Terms(inquiry.n, np.ones((1, 1)), None, (None, weights), least=least)


def shares_of_sum(totals: SampleTotals, *, of_all: bool) -> SampledValues:
    """Totals as shares of their sum, which is the number of people where they are ``of_all``."""
    k = len(totals.values)
    found = totals.ratios(np.eye(k), np.ones((k, k)))
    if not of_all or totals.least is None:
        return found
    return dataclasses.replace(found, least=totals.least / totals.values.sum() ** 2)


def least_variance(inquiry: Inquiry, inside: Numbers | None = None) -> float:
    """What the distortion of one factor alone makes the number vary by who meet a condition.

    ``inside`` multiplies the contributions, as those of a group do.
    """
    split = max(inquiry.factors, key=lambda factor: float(factor.least_variance[0]))
    others = other_weights(inquiry, (split,))
    each = np.ones(inquiry.size) if others is None else others**2
    if inside is not None:
        each = each * inside**2
    return float(inquiry.counted(each).sum() * split.least_variance[0])


def value_terms(
    inquiry: Inquiry, factor: Factor, progress: Progress = silent, frame: Frame | None = None
) -> Terms:
    """Contributions to the number of records in each target of a factor."""
    others = other_weights(inquiry, (factor,), progress)
    codes = inquiry.codes[inquiry.factors.index(factor)]
    least = None
    if frame is not None and frame.is_simple:
        squares = float(inquiry.n) if others is None else float(inquiry.counted(others**2).sum())
        least = squares * factor.least_variance
    return Terms(inquiry.n, factor.weights.matrix, codes, (others,), least=least)


def other_weights(
    inquiry: Inquiry, leave_out: Sequence[Factor], progress: Progress = silent
) -> Numbers | None:
    """The weights of all other factors; None where there is no other."""
    if all(factor in leave_out for factor in inquiry.factors):
        return None
    return record_weights(inquiry, leave_out, progress)


@dataclass(frozen=True, eq=False)
class SmoothTerms:
    """Contributions where noise cannot be undone by weights, and the records they are of.

    The first function is that of everybody.
    """

    terms: Terms
    rows: NDArray[np.int64]
    remarks: tuple[str, ...] = (SMOOTHED,)


def smooth_terms(
    inquiry: Inquiry, survey: SurveySample, progress: Progress = silent
) -> SmoothTerms:
    """Contributions by joint EM of the weighted answers: everybody first, then every target."""
    weights = survey.sample.weights
    joint = joint_distribution(inquiry, progress=part(progress, 0.0, 0.5), weights=weights)
    factors = joint.inquiry.factors
    shape = [factor.targets.shape[1] for factor in factors]
    gradients = np.stack(
        [np.ones(joint.probability.shape)]
        + [
            outer([factor.targets[:, i] for factor, i in zip(factors, place, strict=True)])
            for place in np.ndindex(*shape)
        ]
    )
    codes, look_up, expected = contributions(joint, gradients, weights, part(progress, 0.5, 1.0))
    terms = Terms(joint.inquiry.n, look_up, codes, true_products=expected)
    return SmoothTerms(terms, joint.inquiry.answers.rows)


def without_everybody(smooth: SmoothTerms) -> SmoothTerms:
    expected = smooth.terms.true_products
    assert expected is not None  # noqa: S101 (joint EM gives them)
    terms = dataclasses.replace(
        smooth.terms, look_up=smooth.terms.look_up[:, 1:], true_products=expected[1:, 1:]
    )
    return dataclasses.replace(smooth, terms=terms)


def reported_line(inquiry: Inquiry) -> Line | None:
    """How the reported share depends on the true one, where contributions have two values."""
    if is_undistorted(inquiry):
        return Line()
    if not inquiry.is_well_conditioned:
        return None
    return line_of_products(factor.weights.matrix[:, 0] for factor in inquiry.factors)


def line_among(inquiry: Inquiry, of: Factor, target: int = 0) -> Line | None:
    """The same of a share among those who have other answers, which must not be distorted."""
    if is_undistorted(inquiry):
        return Line()
    others = [factor for factor in inquiry.factors if factor is not of]
    known = all(one.perturbation.is_identity for factor in others for one in factor.asked)
    if not (known and inquiry.is_well_conditioned and (len(of.names) == 1 or not others)):
        return None
    return line_between(of.weights.matrix[:, target])


def spread_among(
    inquiry: Inquiry, of: Factor, shares: Numbers, *, is_tested: bool = False
) -> list[Contributions | None]:
    """What the reports vary by that tell the shares of values among those with other answers.

    None where these are distorted, or where the values themselves are tested.
    """
    others = [factor for factor in inquiry.factors if factor is not of]
    known = all(one.perturbation.is_identity for factor in others for one in factor.asked)
    if is_tested or not known or not isinstance(of, ValueFactor) or is_undistorted(inquiry):
        return [None] * len(shares)
    return [*cell_contributions(of.channel, of.weights.matrix, shares)]


def people_inside(inquiry: Inquiry, of: Factor) -> int:
    """How many people have the answers that a share is taken among, where these are known."""
    inside = np.ones(inquiry.size, np.bool_)
    for factor, codes in zip(inquiry.factors, inquiry.codes, strict=True):
        if factor is not of:
            inside &= factor.weights.matrix[codes, 0] != 0
    return int(inquiry.counted(inside.astype(np.float64)).sum())


def is_undistorted(inquiry: Inquiry) -> bool:
    return all(one.perturbation.is_identity for factor in inquiry.factors for one in factor.asked)


def share_fit(
    inquiry: Inquiry,
    survey: SurveySample,
    found: SampledValues,
    place: int,
    factor: Factor | None,
    target: int = 0,
) -> Fit:
    """Whether a share outside 0 to 1 can be chance.

    The standard error at the edge is known where one attribute of values decides; for several
    attributes the estimated one takes its place.
    """
    effect = float(found.edge_effects[place])
    return plain_fit(
        inquiry, float(found.values[place]), float(found.errors[place]), factor, target,
        weights=survey.weights(inquiry.answers.rows), effect=effect,
    )  # fmt: skip


def plain_fit(
    inquiry: Inquiry,
    share: float,
    error: float,
    factor: Factor | None,
    target: int = 0,
    *,
    weights: Numbers | None = None,
    effect: float = 1.0,
) -> Fit:
    """The same of a share with its error; records count the same without weights."""
    if 0 <= share <= 1:
        return Fit()
    if isinstance(factor, ValueFactor) and len(inquiry.factors) == 1:
        channel = factor.channel
        counting = inquiry.times if weights is None else weights
        reported = np.bincount(inquiry.codes[0], counting, len(channel))
        raw = np.linalg.lstsq(channel, reported / reported.sum(), rcond=None)[0]
        edge = nearest_edge(raw, factor.targets[:, target], share)
        error = edge_error(factor.weights.matrix[:, target], channel, edge, inquiry.n, effect)
    return edge_fit(share, error)
