"""How the people who answered were drawn: what statistics ask of it, whatever it is.

A :class:`SimpleSample` takes everybody alike, as drawn one by one from many people; a
:class:`DrawnSample` knows weights, strata and clusters. Both have totals, functions of them with
errors, and intervals by these; no statistic asks which one it has.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import DataError
from ppworkbench.core.privacy.spending import share_asked
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.agreement import LIKELIHOOD
from ppworkbench.core.reconstruct.sharpness import Sharpness
from ppworkbench.core.reconstruct.worst_case import Assumption, Limits
from ppworkbench.core.sampling.moments import Pair, Terms
from ppworkbench.core.sampling.results import SampleSummary
from ppworkbench.core.sampling.variance import SampleTotals
from ppworkbench.core.score_intervals import Contributions
from ppworkbench.core.share_intervals import Fit, Line
from ppworkbench.core.survey.answers import (
    Answers,
    Asked,
    PartedSource,
    meeting,
    naive_data,
    true_data,
)
from ppworkbench.core.survey.bounded import (
    BoundedOptions,
    between,
    bounded_estimate,
    noisy_tests,
    sampled_options,
)
from ppworkbench.core.survey.conditions.regions import Region
from ppworkbench.core.survey.estimates import (
    JOINT,
    Estimate,
    Totals,
    interval_factor,
    sample_covariance,
    scaled,
    share_with_interval,
    weighted_totals,
    with_interval,
)
from ppworkbench.core.survey.factors.factor import Factor, ValueFactor
from ppworkbench.core.survey.inquiry import Inquiry, inquire, inquire_merged
from ppworkbench.core.survey.joint_em import SMOOTHED, smoothed_totals
from ppworkbench.core.survey.pooled import chosen_error, pooled_sample, pooled_shares
from ppworkbench.core.survey.sampled import (
    SurveySample,
    people_inside,
    plain_fit,
    reported_line,
    share_fit,
    share_terms,
    shares_of_sum,
    smooth_terms,
    value_terms,
    without_everybody,
)
from ppworkbench.core.survey.true_cells import contributions_of

Counted = tuple[Mapping[str, NDArray[Any]], Numbers]
"""Answers as they stand, and how many people each record counts for."""
Said = tuple[str, ...]
Found = Any
"""Totals and functions of them: :class:`Totals` of a simple sample, ``SampleTotals`` and
``SampledValues`` of a drawn one."""

_MEETING, _ALL = np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]])


@dataclass(frozen=True, eq=False)
class People:
    """Those who meet a condition: how many they are, and which share of all.

    Parameters
    ----------
    line
        How the reported share depends on the true one, where contributions have two values.
    naive
        The number as the answers stand; None where these are sets.
    remarks, disagreement
        What is said of the noise, and where arms do not agree.
    contributions
        What reports vary by where there is no line.
    """

    totals: Found
    number: Found
    shares: Found
    line: Line | None
    naive: float | None
    remarks: tuple[str, ...] = ()
    disagreement: tuple[str, ...] = ()
    contributions: Contributions | None = None


@dataclass(frozen=True, eq=False)
class SimpleSample:
    """Everybody alike, as drawn one by one from many people.

    Equal records of a source that is no table are merged.
    """

    source: Table | PartedSource
    design: Design
    original: Table | None
    confidence: float

    def inquire(self, asked: Sequence[Asked], progress: Progress = silent) -> Inquiry:
        """The complete answers in the cells of their factors."""
        return inquire_merged(self.source, self.design, asked, progress)

    def counts(self, answers: Answers) -> Numbers:
        """How many people each record counts for."""
        return answers.counts

    @property
    def given_weights(self) -> None:
        """The weights of the table's records; None where all count the same."""
        return None

    def reported(self, answers: Answers) -> Counted | None:
        """Distorted answers as if they were original ones; None where some are sets."""
        data = naive_data(answers, self.design)
        return None if data is None else (data, self.counts(answers))

    def truth(self, names: Iterable[str]) -> Counted | None:
        """The true answers of complete records, where they are known."""
        data = true_data(self.original, self.design, tuple(names))
        if data is None:
            return None
        return data, np.ones(len(next(iter(data.values()), ())))

    def true_people(
        self, regions: Mapping[str, Region], people: int
    ) -> tuple[float | None, float | None]:
        """The number and the share of those who truly meet a condition, where they are known.

        Where each person is asked some questions only, as many as among these ``people``.
        """
        data = true_data(self.original, self.design, tuple(regions))
        if data is None or self.original is None:
            return None, None
        met = meeting(data, regions, self.original.rows)
        number = float(np.count_nonzero(met))
        if share_asked(self.design, tuple(regions)) < 1:
            number = people * float(met.mean()) if len(met) else 0.0
        return number, number / max(people, 1)

    def people(
        self,
        inquiry: Inquiry,
        regions: Mapping[str, Region],
        progress: Progress = silent,
        *,
        pooling: str = LIKELIHOOD,
        seed: int = 0,
    ) -> People:
        """Those who meet a condition; of one question whose device differs by arm, by all arms."""
        if inquiry.is_well_conditioned:
            found = weighted_totals(inquiry, progress=progress)
        else:
            found = smoothed_totals(inquiry, progress)
        disagreement: Said = ()
        line = reported_line(inquiry)
        pooled = pooled_shares(self.source, self.design, regions, pooling)
        if pooled is not None:
            chosen = _chosen(regions, len(pooled.shares))
            error = chosen_error(chosen, pooled.covariance)
            share = Totals(np.array([chosen @ pooled.shares]), np.array([[error**2]]), found.n)
            found, line = share.scaled(found.n), None
            disagreement = pooled.remarks(chosen, seed)
        naive, reported = None, self.reported(inquiry.answers)
        if reported is not None:
            naive = number_of(reported, regions)
        # Divided: a whole number of people stays whole.
        least = None if found.least is None else found.least / found.n**2
        shares = Totals(found.values / found.n, found.covariance / found.n**2, found.n, least=least)
        varied = contributions_of(inquiry) if line is None and pooled is None else None
        return People(found, found, shares, line, naive, found.remarks, disagreement, varied)

    def record_totals(
        self,
        inquiry: Inquiry,
        columns: tuple[Numbers, ...],
        products: Callable[[], Mapping[Pair, Numbers]],  # noqa: ARG002 (of a sampling alone)
    ) -> Totals:
        """Sums of contributions of the records; ``products`` are as those of :class:`Terms`."""
        terms = np.stack(columns)
        counted = inquiry.counted(terms)
        values = counted.sum(axis=1)
        return Totals(values, sample_covariance(values, counted @ terms.T, inquiry.n), inquiry.n)

    def totals_of(self, inquiry: Inquiry, factor: Factor, progress: Progress = silent) -> Totals:
        """How many people belong to each target of a factor, by weights."""
        return weighted_totals(inquiry, factor, progress)

    def smooth_totals(self, inquiry: Inquiry, progress: Progress = silent) -> Totals:
        """The same of all targets where noise cannot be undone by weights."""
        return smoothed_totals(inquiry, progress)

    def shares(self, totals: Found, *, of_all: bool) -> Found:
        """Totals as shares of their sum, which may be known to be the number of people."""
        return totals.of_sum(of_all=of_all)

    def covariance(self, found: Found) -> Numbers:
        """The covariance of estimates, which a handful of records may show too small."""
        return np.asarray(found.safe_covariance)

    def pooled(self, of: str, pooling: str, n: int, seed: int) -> tuple[Found | None, Said]:
        """The shares by all arms of a question whose device differs by arm, and what to know."""
        found = pooled_shares(self.source, self.design, (of,), pooling)
        if found is None:
            return None, ()
        return Totals(found.shares, found.covariance, n), found.remarks(seed=seed)

    def people_inside(self, inquiry: Inquiry, of: Factor, base: Found) -> float:  # noqa: ARG002
        """How many people a share is taken among; ``base`` is their estimated number."""
        return float(base.values[0])

    def estimate(  # noqa: PLR0913 (keywords with defaults)
        self,
        found: Found,
        place: int,
        *,
        naive: float | None = None,
        true: float | None = None,
        share: bool = False,
        line: Line | None = None,
        contributions: Contributions | None = None,
        people: float | None = None,
        fit: Fit | None = None,  # noqa: ARG002 (told beside the result)
        group: int = -1,  # noqa: ARG002
    ) -> Estimate:
        """One of some values with its interval, as that of :class:`SurveySample`."""
        value, error = float(found.values[place]), float(found.errors[place])
        if not share:
            return with_interval(value, error, self.confidence, naive, true)
        size = found.n if people is None else people
        return share_with_interval(
            value, error, self.confidence, naive, true, line=line, size=size,
            contributions=contributions,
        )  # fmt: skip

    def number(
        self,
        found: Found,
        share: Estimate,
        naive: float | None,
        true: float | None,
    ) -> Estimate:
        """The number of the people whose share has been estimated, with the interval of that."""
        return dataclasses.replace(scaled(share, found.n), naive=naive, true=true)

    def total(self, found: Found, naive: float | None, true: float | None) -> None:
        """The total of a number: one of the people who answered says nothing."""

    def bounds(
        self,
        inquiry: Inquiry,  # noqa: ARG002
        sharpness: Sharpness,
    ) -> tuple[BoundedOptions, Said]:
        """How worst-case bounds are found, and what to know about them."""
        return BoundedOptions(self.confidence, sharpness), ()

    def bounded(
        self, found: Found, place: int, ends: tuple[float, float], naive: float | None,
        true: float | None,
    ) -> Estimate:  # fmt: skip
        """A smooth estimate with its worst-case interval."""
        return between(float(found.values[place]), *ends, self.confidence, naive, true)

    def smooth_ratio(
        self,
        inquiry: Inquiry,  # noqa: ARG002
        found: Found,
        upper: Numbers,  # noqa: ARG002
        lower: Numbers,  # noqa: ARG002
    ) -> Found:
        """A ratio of smooth totals as it is shown: the same with a sampling and without."""
        return found

    def bounded_people(
        self,
        inquiry: Inquiry,
        people: People,
        limits: Limits,
        true: tuple[float | None, float | None],
    ) -> tuple[Estimate, Estimate]:
        """The number and the share between the limits of the number of respondents."""
        ends = limits.low, limits.high
        value = self.bounded(people.number, 0, ends, people.naive, true[0])
        return value, scaled(value, 1 / inquiry.n)

    def bound_remarks(self, assumption: Assumption, about: Said, totals: Found) -> Said:  # noqa: ARG002
        """What is said of worst-case bounds beyond the sentence."""
        return ()

    def fit(
        self, inquiry: Inquiry, found: Found, place: int, factor: Factor | None, target: int = 0
    ) -> Fit | None:
        """Whether a share outside 0 to 1 can be chance; nothing is known of one record."""
        if inquiry.n < 2:
            return None
        share, error = float(found.values[place]), float(found.errors[place])
        return plain_fit(inquiry, share, error, factor, target)

    def remarks(self, found: Found, group: int = -1) -> Said:  # noqa: ARG002
        """What a reader should know about the errors."""
        return ()

    def summary(self, totals: Found, inquiry: Inquiry, remarks: Said = ()) -> None:
        """Nothing is said about the sampling."""

    def about(self, inquiry: Inquiry) -> None:
        """Nor of an inquiry without totals of its own."""

    def drawn(self) -> DrawnSample:
        """The same as a sample whose rows were drawn one by one, for what needs no other."""
        return DrawnSample.read(
            self.source, self.design, None, original=self.original, confidence=self.confidence
        )


@dataclass(frozen=True, eq=False)
class DrawnSample(SurveySample):
    """People who were drawn with weights, strata or clusters."""

    def inquire(self, asked: Sequence[Asked], progress: Progress = silent) -> Inquiry:
        return inquire(self.table, self.design, asked, progress)

    def counts(self, answers: Answers) -> Numbers:
        return self.weights(answers.rows)

    @property
    def given_weights(self) -> Numbers | None:
        return self.sample.weights

    def reported(self, answers: Answers) -> Counted | None:
        data = naive_data(answers, self.design)
        return None if data is None else (data, self.counts(answers))

    def true_people(
        self, regions: Mapping[str, Region], people: int  # noqa: ARG002
    ) -> tuple[float | None, float | None]:  # fmt: skip
        truth = self.truth(regions)
        if truth is None:
            return None, None
        number = number_of(truth, regions)
        return number, number / float(truth[1].sum())

    def people(
        self,
        inquiry: Inquiry,
        regions: Mapping[str, Region],
        progress: Progress = silent,
        *,
        pooling: str = LIKELIHOOD,
        seed: int = 0,  # noqa: ARG002
    ) -> People:
        pooled = pooled_sample(self, regions, pooling)
        remarks: Said = ()
        disagreement: Said = ()
        terms, rows = share_terms(inquiry, progress, self.frame), inquiry.answers.rows
        if terms is None:
            smooth = smooth_terms(inquiry, self, progress)
            terms, rows, remarks = smooth.terms, smooth.rows, smooth.remarks
        totals = self.totals(terms, inquiry.answers, rows)
        if totals.weighted_n <= 0:
            raise DataError("The answers that count have no weight; nothing can be estimated.")
        number, shares = totals.sums(_MEETING), totals.ratios(_MEETING, _ALL)
        line = reported_line(inquiry)
        if pooled is not None:
            chosen = _chosen(regions, len(pooled.shares.values))
            number, shares = (
                one.contrast(chosen[None, :]) for one in (pooled.numbers, pooled.shares)
            )
            line, disagreement = None, pooled.remarks(chosen)
        only = inquiry.factors[0] if len(inquiry.factors) == 1 else None
        if isinstance(only, ValueFactor) and not remarks and totals.cell_weights is not None:
            # The reported cells are the values themselves, and are summed already.
            cells = totals.cell_weights
            naive: float | None = float(cells @ _chosen(regions, len(cells)))
        else:
            reported = self.reported(inquiry.answers)
            naive = None if reported is None else number_of(reported, regions)
        varied = None
        if line is None and pooled is None:
            varied = contributions_of(inquiry, self.weights(inquiry.answers.rows))
        return People(totals, number, shares, line, naive, remarks, disagreement, varied)

    def record_totals(
        self,
        inquiry: Inquiry,
        columns: tuple[Numbers, ...],
        products: Callable[[], Mapping[Pair, Numbers]],
    ) -> SampleTotals:
        terms = Terms(
            inquiry.n, np.ones((1, 1)), None, columns, products(), least=np.zeros(len(columns))
        )
        return self.totals(terms, inquiry.answers)

    def totals_of(
        self, inquiry: Inquiry, factor: Factor, progress: Progress = silent
    ) -> SampleTotals:
        terms = value_terms(inquiry, factor, progress, self.frame)
        return self.totals(terms, inquiry.answers)

    def smooth_totals(self, inquiry: Inquiry, progress: Progress = silent) -> SampleTotals:
        smooth = without_everybody(smooth_terms(inquiry, self, progress))
        return self.totals(smooth.terms, inquiry.answers, smooth.rows)

    def shares(self, totals: Found, *, of_all: bool) -> Found:
        return shares_of_sum(totals, of_all=of_all)

    def covariance(self, found: Found) -> Numbers:
        return np.asarray(found.covariance)

    def pooled(
        self, of: str, pooling: str, n: int, seed: int  # noqa: ARG002
    ) -> tuple[Found | None, Said]:  # fmt: skip
        found = pooled_sample(self, (of,), pooling)
        return (None, ()) if found is None else (found.shares, found.remarks())

    def people_inside(self, inquiry: Inquiry, of: Factor, base: Found) -> float:  # noqa: ARG002
        return people_inside(inquiry, of)

    def total(self, found: Found, naive: float | None, true: float | None) -> Estimate:
        return self.estimate(found, 0, naive=naive, true=true)

    def bounds(self, inquiry: Inquiry, sharpness: Sharpness) -> tuple[BoundedOptions, Said]:
        if not noisy_tests(inquiry):
            return BoundedOptions(self.confidence, sharpness), ()
        return sampled_options(inquiry, self, sharpness)

    def bounded(
        self, found: Found, place: int, ends: tuple[float, float], naive: float | None,
        true: float | None,
    ) -> Estimate:  # fmt: skip
        value = self.estimate(found, place, naive=naive, true=true)
        return bounded_estimate(value, *ends, self.confidence)

    def smooth_ratio(self, inquiry: Inquiry, found: Found, upper: Numbers, lower: Numbers) -> Found:
        smooth = smoothed_totals(inquiry, weights=self.given_weights)
        if not float(lower[0] @ smooth.values) > 0:
            return found
        return dataclasses.replace(found, values=smooth.ratios(upper, lower).values)

    def bounded_people(
        self,
        inquiry: Inquiry,
        people: People,
        limits: Limits,
        true: tuple[float | None, float | None],
    ) -> tuple[Estimate, Estimate]:
        whole, naive = people.totals.weighted_n, people.naive
        share = self.estimate(
            people.shares, 0, naive=None if naive is None else naive / whole, true=true[1]
        )
        value = self.estimate(people.number, 0, naive=naive, true=true[0])
        if people.remarks:
            # A number under noise is smoothed in one way, with a sampling and without.
            smooth = smoothed_totals(inquiry, weights=self.given_weights)
            estimate = float(smooth.values[0]) / inquiry.n
            share = dataclasses.replace(share, estimate=estimate)
            value = dataclasses.replace(value, estimate=estimate * whole)
        ends = limits.low / inquiry.n, limits.high / inquiry.n
        return (
            bounded_estimate(value, ends[0] * whole, ends[1] * whole, self.confidence),
            bounded_estimate(share, *ends, self.confidence),
        )

    def bound_remarks(self, assumption: Assumption, about: Said, totals: Found) -> Said:
        return (assumption.remark, *about, *totals.remarks)

    def fit(
        self,
        inquiry: Inquiry,
        found: Found,
        place: int,
        factor: Factor | None,
        target: int = 0,
    ) -> Fit:
        return share_fit(inquiry, self, found, place, factor, target)

    def about(self, inquiry: Inquiry) -> SampleSummary:
        everybody = Terms(inquiry.n, np.ones((1, 1)))
        return self.summary(self.totals(everybody, inquiry.answers), inquiry)

    def drawn(self) -> DrawnSample:
        return self


Sample = SimpleSample | DrawnSample


def sample_of(
    table: Table | PartedSource,
    design: Design,
    sampling: Sampling | None,
    options: SamplingOptions | None,
    *,
    method: str = JOINT,
    original: Table | None = None,
    confidence: float = 0.95,
) -> Sample:
    """The sample that answers are: simple where nothing is said about the sampling."""
    drawn = DrawnSample.stated(
        table, design, sampling, options, method=method, original=original, confidence=confidence
    )
    if drawn is not None:
        return drawn
    interval_factor(confidence)
    return SimpleSample(table, design, original, confidence)


def target_totals(
    sample: Sample, inquiry: Inquiry, factor: Factor, progress: Progress
) -> tuple[Found, Said]:
    """How many people belong to each target of a factor; smooth where weights are of no use."""
    if inquiry.is_well_conditioned:
        return sample.totals_of(inquiry, factor, progress), ()
    return sample.smooth_totals(inquiry, progress), (SMOOTHED,)


def _chosen(regions: Mapping[str, Region], count: int) -> Numbers:
    """1 for the values of the only attribute that meet its test, 0 for others."""
    (region,) = regions.values()
    return region.contains(np.arange(count)).astype(np.float64)


def number_of(counted: Counted, regions: Mapping[str, Region]) -> float:
    """How many people meet a condition as answers stand."""
    data, weights = counted
    return float(weights @ meeting(data, regions, len(weights)))
