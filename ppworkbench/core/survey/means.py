"""The mean of a number among the respondents who meet a condition."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.noises.base import centres, domain_of, integer_edges
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.sharpness import AUTO, Sharpness
from ppworkbench.core.reconstruct.worst_case import Limits
from ppworkbench.core.survey.answers import (
    Answers,
    Asked,
    PartedSource,
    as_table,
    distorted_answers,
    meeting,
    taken_for_true,
)
from ppworkbench.core.survey.bounded import (
    BoundedOptions,
    bound_mean,
    noisy_tests,
    too_noisy,
)
from ppworkbench.core.survey.conditions.condition import EVERYBODY, Condition, as_condition
from ppworkbench.core.survey.conditions.regions import Region, asked_attribute, regions_of
from ppworkbench.core.survey.estimates import (
    JOINT,
    SEQUENTIAL,
    Estimate,
    amount,
    at_face_value,
    few,
    impossible,
    interval,
    joined,
    methods,
    nobody,
    uncertain,
    with_interval,
)
from ppworkbench.core.survey.factors.factor import (
    NOTHING_KEPT,
    SMALLEST_KEEP,
    Codes,
    Factor,
    NumberFactor,
    even_weights,
    inverse_weights,
    uninformative,
)
from ppworkbench.core.survey.factors.grids import is_well_conditioned
from ppworkbench.core.survey.inquiry import Inquiry, asked_by
from ppworkbench.core.survey.joint_em import SMOOTHED
from ppworkbench.core.survey.sampled import SurveyResult, other_weights
from ppworkbench.core.survey.samples import Counted, Found, Sample, sample_of
from ppworkbench.core.survey.sequential import REMARK, assigned_set

Parts = tuple[Numbers, Numbers, tuple[str, ...]]

_FINE = 4096

_EVEN = "The mean has no closed-form correction here; it is computed from bins."


def moment_weights(factor: Factor, codes: Codes, data: NDArray[Any]) -> Parts | None:
    """Functions a and b of a distorted number with the means ``1_S(x)`` and ``x 1_S(x)``.

    None where only large weights would do, and a smooth estimate should take their place.

    - Without a condition on the number: ``a = 1``, ``b = u(z)`` where a simple u undoes the noise.
    - Retention (and no distortion, p = 1): ``(1_S(z) - (1 - p) g(S)) / p``, and the same with
      ``z 1_S(z)`` and its mean under the replacing density g.
    - Else the weights of the discretised channel, with the middle of each cell for its numbers.
    """
    assert isinstance(factor, NumberFactor)  # noqa: S101 (only numbers have means)
    asked = factor.asked[0]
    if asked.is_exact:
        return (*_exact(asked, data), ())
    if asked.region is None:
        undone = asked.perturbation.numbers.unbiased(data, asked.attribute)
        if undone is not None:
            return np.ones(len(data)), undone, ()
    if not is_well_conditioned(factor):
        return None
    look_up = factor.weights.matrix
    low, _ = domain_of(asked.attribute)
    counted = look_up[codes, 0]
    summed = low * counted + (asked.attribute.width or 1.0) * look_up[codes, 1]
    return counted, summed, (_EVEN,)


def moment_square(factor: Factor, codes: Codes, data: NDArray[Any]) -> Numbers:
    """A function q of a distorted number with the mean ``x² 1_S(x)``.

    Where u undoes the noise's effect on the mean, its variance is a polynomial
    ``c + b x + a x²`` of the true number, hence ``q = (u² - c - b u) / (1 + a)``.
    """
    assert isinstance(factor, NumberFactor)  # noqa: S101 (only numbers have means)
    asked = factor.asked[0]
    if asked.is_exact:
        return _exact_square(asked, data)
    if asked.region is None:
        undone = asked.perturbation.numbers.unbiased(data, asked.attribute)
        if undone is not None:
            at = [
                asked.perturbation.numbers.unbiased_variance(asked.attribute, x, x * x)
                for x in (0.0, 1.0, -1.0)
            ]
            if all(variance is not None for variance in at):
                none, one, minus = (float(variance or 0.0) for variance in at)
                bend, slope = (one + minus) / 2 - none, (one - minus) / 2
                if asked.perturbation.numbers.why_only_mean(asked.attribute):
                    # All estimates have the same square: what is told is the least that it can be,
                    # the square of the mean, with which errors are rather too large than too small.
                    middle = float(undone.mean()) if len(undone) else 0.0
                    return np.asarray(2 * middle * undone - middle**2)
                square = undone * undone
                square -= none
                # Most kinds of noise have the same variance everywhere.
                if slope:
                    square -= slope * undone
                if bend:
                    square /= 1 + bend
                return np.asarray(square)
    undo = even_weights if asked.publishes_intervals else inverse_weights
    inside = factor.targets[:, 0] * centres(factor.edges, asked.attribute) ** 2
    look_up = undo(factor.channel, inside[:, None], factor.true_share).matrix
    return np.asarray(look_up[codes, 0])


def _exact_square(asked: Asked, data: Numbers) -> Numbers:
    squares = data**2 if asked.region is None else asked.region.contains(data) * data**2
    keep = asked.perturbation.numbers.exact_share
    if keep is None or asked.perturbation.is_identity:
        return np.asarray(squares)
    _, _, square = _replacing(asked)
    return np.asarray((squares - (1 - keep) * square) / keep)


def _exact(asked: Asked, data: Numbers) -> tuple[Numbers, Numbers]:
    inside: Numbers = np.ones(len(data))
    if asked.region is not None:
        inside = asked.region.contains(data).astype(np.float64)
    keep = asked.perturbation.numbers.exact_share
    if keep is None or asked.perturbation.is_identity:
        return inside, inside * data
    if keep < SMALLEST_KEEP:
        raise uninformative(asked.name, NOTHING_KEPT)
    share, mean, _ = _replacing(asked)
    counted = (inside - (1 - keep) * share) / keep
    return counted, (inside * data - (1 - keep) * mean) / keep


def _replacing(asked: Asked) -> tuple[float, float, float]:
    """The replacing density's mass in the region, and the parts of its first moments from there."""
    attribute, perturbation = asked.attribute, asked.perturbation
    low, high = domain_of(attribute)
    if attribute.kind == "integer":
        edges = integer_edges(low, high)
    else:
        slices = len(perturbation.numbers.slices(attribute)[0]) - 1
        fine = np.linspace(low, high, slices * max(1, _FINE // slices) + 1)
        edges = np.unique(np.concatenate([fine, asked.borders()]))
        edges = edges[edges <= high]
    mass = np.diff(perturbation.numbers.replacing_cdf(edges, attribute))
    middle = centres(edges, attribute)
    if asked.region is not None:
        mass = mass * asked.region.contains(middle)
    return float(mass.sum()), float(mass @ middle), float(mass @ middle**2)


_CHOSEN_BY_ITSELF = (
    "The condition uses the same number as the mean, so the sequential mean may be far off."
)


@dataclass(frozen=True)
class Mean(SurveyResult):
    """The mean of a number among those who meet a condition.

    Parameters
    ----------
    value
        The mean with its interval, the naive mean and, where known, the truth.
    total
        The sum of the number over the people who meet the condition, where the sampling is taken
        into account.
    limits
        The worst-case bounds that the interval is, where a number under noise is tested.
    size
        The estimated number of respondents who meet the condition.
    """

    of: str
    method: str
    value: Estimate
    total: Estimate | None = None
    limits: Limits | None = None
    size: float = math.nan
    has_sets: bool = False
    """Whether some reports are sets, so that nothing can be said without correction."""

    @property
    def sentence(self) -> str:
        value, condition = self.value, self.condition
        if self.limits is not None and self.limits.says_nothing:
            return too_noisy(self.limits, Message("mean"))
        found, reach = amount(value.estimate), interval(value, self.confidence)
        told = Message(
            "The mean {of} of those who meet {condition} is about {found} ({reach}), {assumption}."
            if self.limits is not None
            else "The mean {of} of those who meet {condition} is about {found} ({reach})."
            if condition.tests
            else "The mean {of} is about {found} ({reach}).",
            of=self.of,
            condition=condition,
            found=found,
            reach=reach,
            assumption="" if self.limits is None else self.limits.assumption.clause,
        )
        if self.sample is not None:
            told = Message.joined((told, self.sample.sentence))
        if self.has_sets:
            return told
        if value.naive is None:
            nobody_does = "No reported answers meet the condition."
            return Message.joined((told, nobody_does))
        return Message.joined((told, at_face_value(value.naive)))

    def to_json(self) -> dict[str, Any]:
        document = self.value.to_json() | self.named_json("method", "of")
        if self.limits is not None:
            document["bounds"] = self.limits.to_json()
        if self.total is not None:
            document["total"] = self.total.to_json()
        return document | self.sample_json()


def mean(  # noqa: PLR0913 (keywords with defaults)
    table: Table | PartedSource,
    design: Design,
    of: str,
    condition: Condition | str = EVERYBODY,
    method: str = JOINT,
    *,
    original: Table | None = None,
    confidence: float = 0.95,
    sharpness: Sharpness = AUTO,
    seed: int = 0,
    progress: Progress = silent,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
) -> Mean:
    """Estimate the mean of a number among those who meet a condition.

    The joint method divides ``sum_t w_t u(z_t)`` by ``sum_t w_t``, with w the joint weights of the
    condition and u the function that undoes the noise's effect on the mean: z itself for additive
    and multiplicative noise of mean zero and one, ``(z - (1 - p) E[g]) / p`` for retention. The
    standard error is that of a ratio estimator. The sequential method takes the mean over the
    assigned records.

    Parameters
    ----------
    of
        The number, an integer or continuous attribute.
    condition, method, original, sharpness, seed, sampling, options
        As for :func:`ppworkbench.core.survey.counts.count`.
    """
    methods[method]
    condition = as_condition(condition)
    regions = regions_of(condition, design)
    limits: Limits | None = None
    if not asked_attribute(of, design).kind.is_numeric:
        raise ParameterError.saying(
            "Attribute {of!r} is {kind} and has no mean; choose its distribution.",
            of=of,
            kind=Message(design[of].attribute.kind),
            attribute=of,
            field="of",
        )
    sample = sample_of(
        table, design, sampling, options, method=method, original=original, confidence=confidence
    )
    if method == SEQUENTIAL:
        return _sequential_mean(sample, as_table(table), of, condition, regions, seed, progress)
    asked = asked_by(regions, design, moment=of)
    inquiry = sample.inquire(asked, part(progress, 0.0, 0.3))
    answers = inquiry.answers
    totals, upper, told, people = _moments(inquiry, sample, of, part(progress, 0.3, 1.0))
    if totals.values[0] <= 0:
        raise nobody(condition)
    lower = np.array([[1.0, 0.0]])
    means, sums, size = totals.ratios(upper, lower), totals.sums(upper), totals.sums(lower)
    reported, true = sample.reported(answers), sample.truth(dict.fromkeys([*regions, of]))
    naive_mean, naive_total = _plain(reported, of, regions)
    true_mean, true_total = _plain(true, of, regions)
    how, about = sample.bounds(inquiry, sharpness)
    limits, total = _bounds(inquiry, of, how), None
    if limits is None:
        value = sample.estimate(means, 0, naive=naive_mean, true=true_mean)
        total = sample.total(sums, naive_total, true_total)
        told = (*told, *uncertain(float(size.values[0]), float(size.errors[0])))
        told += sample.remarks(means)
    else:
        if people is None:
            means = sample.smooth_ratio(inquiry, means, upper, lower)
        value = sample.bounded(means, 0, (limits.low, limits.high), naive_mean, true_mean)
        told = sample.bound_remarks(limits.assumption, about, totals)
    remarks = joined([*inquiry.remarks, *told, *few(answers.n), *impossible(regions)])
    return Mean(
        of, JOINT, value, total, limits,
        float(size.values[0]) / totals.weighted_n * answers.n if people is None else people,
        has_sets=reported is None, condition=condition, respondents=answers.n,
        confidence=confidence, remarks=remarks, sample=sample.summary(totals, inquiry, remarks),
        is_undistorted=design.is_undistorted((*regions, of)),
        sampled=means if value.details else None,
    )  # fmt: skip


def _sequential_mean(
    sample: Sample,
    table: Table,
    of: str,
    condition: Condition,
    regions: Mapping[str, Region],
    seed: int,
    progress: Progress,
) -> Mean:
    design, names = sample.design, dict.fromkeys([*regions, of])
    answers = distorted_answers(table, design, names)
    chosen = assigned_set(answers, design, regions, seed, progress)
    middle, error = _assigned_mean(chosen.answers, design, of, condition)
    reported = sample.reported(answers)
    naive, _ = _plain(reported, of, regions)
    true, _ = _plain(sample.truth(names), of, regions)
    value = with_interval(middle, error, sample.confidence, naive, true)
    told = (*answers.remarks, *_sequential_remarks(of, condition))
    return Mean(
        of, SEQUENTIAL, value, size=float(chosen.answers.n), has_sets=reported is None,
        condition=condition, respondents=answers.n, confidence=sample.confidence,
        remarks=joined([*told, *few(answers.n), *impossible(regions)]),
        is_undistorted=design.is_undistorted(names),
    )  # fmt: skip


def _bounds(inquiry: Inquiry, of: str, options: BoundedOptions) -> Limits | None:
    factor, codes = inquiry.factor_of(of)
    if not noisy_tests(inquiry):
        return None
    found = moment_weights(factor, codes, inquiry.answers.data[of])
    return bound_mean(inquiry, of, None if found is None else found[:2], options)


def _moments(
    inquiry: Inquiry, sample: Sample, of: str, progress: Progress
) -> tuple[Found, Numbers, tuple[str, ...], float | None]:
    """Totals, what gives the sum of the numbers from them, and what is said of the noise.

    And how many respondents count, whatever they stand for, where that is summed. The first total
    is the number of those who meet the condition. Where weights are of no use, a smooth estimate
    takes their place, in places between the ends of the domain.
    """
    factor, codes = inquiry.factor_of(of)
    data, found = inquiry.answers.data[of], None
    if inquiry.is_well_conditioned_without(factor):
        found = moment_weights(factor, codes, data)
    if found is None:
        asked = factor.asked[0]
        low, _ = domain_of(asked.attribute)
        upper = np.array([[low, asked.attribute.width or 1.0]])
        return sample.smooth_totals(inquiry, progress), upper, (SMOOTHED,), None
    counted, summed, remarks = found
    others = other_weights(inquiry, (factor,), progress)
    if others is not None:
        # These arrays are nobody else's, unless nothing had to be undone.
        summed = others * summed
        counted *= others

    def products() -> dict[tuple[int, int], Numbers]:
        squared = moment_square(factor, codes, data)
        if others is not None:
            squared *= others
        return {(0, 0): counted, (0, 1): summed, (1, 1): squared}

    people = float(inquiry.counted(counted).sum())
    totals = sample.record_totals(inquiry, (counted, summed), products)
    return totals, np.array([[0.0, 1.0]]), remarks, people


def _plain(
    counted: Counted | None, of: str, regions: Mapping[str, Region]
) -> tuple[float | None, float | None]:
    """The mean and the sum as answers stand, None where nobody meets the condition."""
    if counted is None:
        return None, None
    data, weights = counted
    weights = weights * meeting(data, regions, len(data[of]))
    base, total = float(weights.sum()), float(weights @ data[of])
    return (total / base, total) if base > 0 else (None, None)


def _assigned_mean(
    answers: Answers, design: Design, of: str, condition: Condition
) -> tuple[float, float]:
    if not answers.n:
        raise nobody(condition)
    perturbation, attribute = design.perturbation(of), design[of].attribute
    numbers = taken_for_true(of, answers, design)
    if of not in condition.attributes:
        undone = perturbation.numbers.unbiased(answers.data[of], attribute)
        numbers = numbers if undone is None else undone
    error = float(numbers.std(ddof=1)) / math.sqrt(len(numbers)) if len(numbers) > 1 else math.inf
    return float(numbers.mean()), error


def _sequential_remarks(of: str, condition: Condition) -> tuple[str, ...]:
    if of in condition.attributes:
        return (REMARK, _CHOSEN_BY_ITSELF)
    return (REMARK,) if condition.tests else ()
