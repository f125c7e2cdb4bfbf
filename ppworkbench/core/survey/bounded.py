"""Statistics with a test on a number under noise: their intervals are worst-case bounds.

One number at a time is bounded on its own cells. All other attributes of the question enter as a
weight of every record that undoes their distortion, which is unbiased. Where two numbers are both
under noise that no weight undoes, a count is bounded by those of its parts, and other statistics
by nothing but what is possible.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import ndtr

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.table import Column
from ppworkbench.core.design.noises.base import domain_of
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.counting import count_column
from ppworkbench.core.reconstruct.reconstruct import reconstruct_counts
from ppworkbench.core.reconstruct.sharpness import AUTO, Sharpness
from ppworkbench.core.reconstruct.worst_case import (
    TRUE_CELLS,
    WORST_CASE,
    Assumption,
    Limits,
    NoisyNumber,
    Records,
    bin_targets,
    bound_number,
)
from ppworkbench.core.sampling.counters import about_size, mean_effect, with_size
from ppworkbench.core.sampling.moments import Terms
from ppworkbench.core.sampling.variance import t_factor
from ppworkbench.core.survey.answers import Asked
from ppworkbench.core.survey.conditions.regions import NumberRegion
from ppworkbench.core.survey.estimates import Estimate, amount, interval_factor, record_weights
from ppworkbench.core.survey.factors.factor import Factor, NumberFactor
from ppworkbench.core.survey.factors.grids import divided, is_well_conditioned
from ppworkbench.core.survey.inquiry import Inquiry
from ppworkbench.core.survey.sampled import SurveySample

_GROUPS = 10
"""Groups of reports by which the sampling effect of a number is measured."""
_MOST_CONFIDENCE = 1 - 1e-9


def noisy_tests(inquiry: Inquiry) -> list[NumberFactor]:
    """The numbers under noise on which something is tested, those that no weight undoes first."""
    found = [
        factor
        for factor in inquiry.factors
        if isinstance(factor, NumberFactor)
        and factor.is_smooth
        and (factor.asked[0].region is not None or factor.asked[0].split)
    ]
    return sorted(found, key=is_well_conditioned)


def _are_entangled(inquiry: Inquiry, number: NumberFactor) -> bool:
    others = (factor for factor in inquiry.factors if factor is not number)
    return any(
        isinstance(factor, NumberFactor) and not is_well_conditioned(factor) for factor in others
    )


@dataclasses.dataclass(frozen=True, eq=False)
class BoundedOptions:
    """How intervals are made.

    Parameters
    ----------
    weights
        How many people every record stands for; None where all count the same.
    worth
        The effective number of records beside what these weights make of it.
    """

    confidence: float = 0.95
    sharpness: Sharpness = AUTO
    weights: Numbers | None = None
    worth: float = 1.0


def sampled_options(
    inquiry: Inquiry, survey: SurveySample, sharpness: Sharpness
) -> tuple[BoundedOptions, tuple[str, ...]]:
    """How intervals are made under a sampling, and what to know about them.

    The bounds are those of as many independent answers as the sample is worth, and reach as far
    as t does.
    """
    rows = inquiry.answers.rows
    data = np.asarray(inquiry.answers.data[noisy_tests(inquiry)[0].asked[0].name], np.float64)
    borders = np.quantile(data, np.linspace(0, 1, _GROUPS + 1)[1:-1])
    codes = np.searchsorted(borders, data, side="right")
    totals = survey.totals(Terms(inquiry.n, np.eye(_GROUPS), codes), inquiry.answers)
    effect = mean_effect(totals)
    weights = None if survey.sample.weights is None else survey.weights(rows)
    weights_effect = 1.0 if weights is None else totals.weights_effect
    t = t_factor(survey.confidence, survey.degrees(totals))
    options = BoundedOptions(
        min(1 - 2 * float(ndtr(-t)), _MOST_CONFIDENCE), sharpness, weights,
        min(weights_effect / effect, 1.0),
    )  # fmt: skip
    return options, tuple(about_size(inquiry.n / max(effect, weights_effect), survey.frame))


def prepare(
    inquiry: Inquiry,
    number: NumberFactor,
    options: BoundedOptions,
    condition: Numbers | None = None,
    parts: Numbers | None = None,
    other: Numbers | None = None,
    *,
    asks_bins: bool = True,
) -> NoisyNumber:
    """A number of the inquiry ready for questions, with the weights of the records if any."""
    asked = number.asked[0]
    data = np.asarray(inquiry.answers.data[asked.name], np.float64)
    borders = asked.borders()
    bins = borders if len(borders) > 2 else divided(borders, TRUE_CELLS, asked)
    published = asked.perturbation.distorted(asked.attribute)
    counted = count_column(
        Column(published, data), asked.attribute, asked.perturbation, bins, times=inquiry.times
    )
    records = None
    if condition is None and (options.weights is not None or options.worth != 1):
        condition = np.ones(len(data))
        parts = condition[None]
    if condition is not None:
        parts = np.stack([condition, 1 - condition]) if parts is None else parts
        records = Records(
            data, condition, parts, other, options.weights, options.worth, inquiry.times
        )
    narrowest = _narrowest(asked, borders, asked.bins if asks_bins else None)
    return bound_number(counted, options.confidence, options.sharpness, narrowest, records)


def _narrowest(asked: Asked, borders: Numbers, bins: Numbers | None) -> float:
    """The width of the narrowest bin or range inside the domain; half-lines have none."""
    widths = [] if bins is None else np.diff(bins).tolist()
    if isinstance(asked.region, NumberRegion):
        ends = ((low, high) for low, high in asked.region.spans)
        widths += [high - low for low, high in ends if low > borders[0] and high < borders[-1]]
    return min(widths, default=math.inf)


def _inside(asked: Asked, number: NoisyNumber) -> Numbers:
    """1 for the cells that meet the test of the number, 0 for others."""
    middles = (number.edges[:-1] + number.edges[1:]) / 2
    if not isinstance(asked.region, NumberRegion):
        return np.ones(len(middles))
    return asked.region.contains(middles).astype(np.float64)


def _rest(inquiry: Inquiry, left_out: Sequence[Factor]) -> Numbers | None:
    """The weights of all other factors; None if there are none."""
    if all(any(factor is other for other in left_out) for factor in inquiry.factors):
        return None
    return record_weights(inquiry, left_out)


def _rows(first: Numbers, parts: int) -> Numbers:
    return np.vstack([first, *np.zeros((parts - 1, len(first)))])


def bound_count(inquiry: Inquiry, options: BoundedOptions) -> Limits | None:
    """Limits of the number of those who meet the condition; None where no bound is needed."""
    numbers = noisy_tests(inquiry)
    if not numbers:
        return None
    hard = [factor for factor in numbers if not is_well_conditioned(factor)]
    if len(hard) > 1:
        return _bound_together(inquiry, hard, options).scaled(inquiry.n)
    share, _ = _bound_share(inquiry, numbers[0], numbers[:1], options)
    return share.scaled(inquiry.n)


def _bound_share(
    inquiry: Inquiry, factor: NumberFactor, left_out: Sequence[Factor], options: BoundedOptions
) -> tuple[Limits, float]:
    weight = _rest(inquiry, left_out)
    number = prepare(inquiry, factor, options, weight)
    highest = 1.0
    if weight is not None:
        own = inquiry.counted(np.ones(len(weight)))
        size = options.worth * inquiry.n
        if options.weights is not None:
            own = options.weights
            size = options.worth * float(own.sum()) ** 2 / float(own @ own)
        mean = float(np.average(weight, weights=own))
        spread = math.sqrt(float(np.average((weight - mean) ** 2, weights=own)))
        error = spread / math.sqrt(max(size - 1, 1.0))
        highest = min(max(mean + interval_factor(options.confidence) * error, 0.0), 1.0)
    target = _rows(_inside(factor.asked[0], number), number.bounds.parts)
    return number.share(target, highest), highest


def _bound_together(
    inquiry: Inquiry, numbers: list[NumberFactor], options: BoundedOptions
) -> Limits:
    """Limits of a count with several numbers under noise, from those of each alone (Frechet).

    A share of several tests is at most that of any of them, and at least their sum less what they
    can have in common. All of these limits have to hold at once (Bonferroni).
    """
    confidence = 1 - (1 - options.confidence) / (len(numbers) + 1)
    stricter = dataclasses.replace(options, confidence=confidence)
    found = [_bound_share(inquiry, factor, numbers, stricter) for factor in numbers]
    highest = max(rest for _, rest in found)
    low = sum(limits.low for limits, _ in found) - (len(numbers) - 1) * highest
    high = min(limits.high for limits, _ in found)
    low = max(min(low, high), 0.0)
    return Limits(low, high, 0.0, highest, found[0][0].assumption)


def bound_mean(
    inquiry: Inquiry, of: str, moments: tuple[Numbers, Numbers] | None, options: BoundedOptions
) -> Limits | None:
    """Limits of the mean of a number among those who meet the condition.

    Parameters
    ----------
    moments
        For every record, weights with the expectations ``1_S(y)`` and ``y 1_S(y)`` of the number y
        and its own test S; None where there are no good ones.
    """
    numbers = noisy_tests(inquiry)
    if not numbers:
        return None
    own, _ = inquiry.factor_of(of)
    number = next((factor for factor in numbers if factor is own), numbers[0])
    attribute = own.asked[0].attribute
    lowest, highest = domain_of(attribute)
    if number is own:
        if _are_entangled(inquiry, number):
            return unbounded(lowest, highest, number)
        weight = _rest(inquiry, (number,))
        noisy = prepare(inquiry, number, options, weight)
        inside = _inside(number.asked[0], noisy)
        reached = noisy.middles[inside > 0]
        if not len(reached):
            return None
        parts = noisy.bounds.parts
        above, below = _rows(noisy.middles * inside, parts), _rows(inside, parts)
        return noisy.ratio(above, below, float(reached.min()), float(reached.max()))
    if moments is None or _are_hard(inquiry, number, own) or lowest == highest:
        return unbounded(lowest, highest, number)
    return _mean_of_other(inquiry, number, own, moments, options)


def _are_hard(inquiry: Inquiry, number: NumberFactor, own: Factor) -> bool:
    rest = [factor for factor in inquiry.factors if factor is not number and factor is not own]
    return any(isinstance(one, NumberFactor) and not is_well_conditioned(one) for one in rest)


def _mean_of_other(
    inquiry: Inquiry,
    number: NumberFactor,
    own: Factor,
    moments: tuple[Numbers, Numbers],
    options: BoundedOptions,
) -> Limits:
    """The mean of y where x meets a test: y is between the ends of its domain by a weight."""
    lowest, highest = domain_of(own.asked[0].attribute)
    counted, summed = moments
    rest = _rest(inquiry, (number, own))
    rest = np.ones(inquiry.size) if rest is None else rest
    condition = rest * counted
    high = rest * (summed - lowest * counted) / (highest - lowest)
    parts = _with_rest(high, condition - high)
    other = np.divide(summed, counted, out=np.full(len(summed), lowest), where=counted != 0)
    noisy = prepare(inquiry, number, options, condition, parts, other)
    inside = _inside(number.asked[0], noisy)
    none = np.zeros(len(inside))
    above = np.stack([highest * inside, lowest * inside, none])[: len(parts)]
    below = np.stack([inside, inside, none])[: len(parts)]
    return noisy.ratio(above, below, lowest, highest)


def _with_rest(*parts: Numbers) -> Numbers:
    """Weights of parts and of what they leave over, if that is anything."""
    rest = 1 - sum(parts)
    return np.stack([*parts, rest] if np.abs(rest).max() > 1e-9 else parts)


def unbounded(lowest: float, highest: float, number: NumberFactor) -> Limits:
    """The answers to a question say nothing that is sure."""
    name = number.asked[0].name
    cell = float(np.median(np.diff(number.edges)))
    return Limits(lowest, highest, lowest, highest, Assumption(name, None, cell))


def bound_shares(
    inquiry: Inquiry, of: str, options: BoundedOptions
) -> tuple[Numbers, Numbers, Assumption] | None:
    return _bound_targets(inquiry, of, options, _shares_of_bins, _share_of_value)


def bound_split(
    inquiry: Inquiry, by: str, options: BoundedOptions
) -> tuple[Numbers, Numbers, Assumption] | None:
    """Limits of the share that meets the condition, within every value or bin of an attribute.

    None where no bound is needed.
    """
    is_joined = len(inquiry.factor_of(by)[0].names) > 1
    return _bound_targets(
        inquiry, by, options, _split_by_bins, _share_within_value, is_open=is_joined
    )


def _bound_targets(
    inquiry: Inquiry,
    of: str,
    options: BoundedOptions,
    of_bins: Callable[..., tuple[Numbers, Numbers, Assumption]],
    of_value: Callable[..., Limits],
    *,
    is_open: bool = False,
) -> tuple[Numbers, Numbers, Assumption] | None:
    """Limits target by target; from 0 to 1 where the answers say nothing that is sure."""
    numbers = noisy_tests(inquiry)
    if not numbers:
        return None
    own, codes = inquiry.factor_of(of)
    number = next((factor for factor in numbers if factor is own), numbers[0])
    targets = own.targets.shape[1]
    is_open = is_open or (own is not number and not _is_undone(own))
    if is_open or _are_hard(inquiry, number, own):
        nothing = unbounded(0.0, 1.0, number).assumption
        return np.zeros(targets), np.ones(targets), nothing
    if number is own:
        return of_bins(inquiry, number, options)
    rest, scores = _rest(inquiry, (number, own)), own.weights.matrix[codes]
    found = [of_value(inquiry, number, scores, rest, at, options) for at in range(targets)]
    low, high = (np.array([float(getattr(one, end)) for one in found]) for end in ("low", "high"))
    return low, high, min((one.assumption for one in found), key=lambda one: one.sharpest or 0.0)


def _is_undone(factor: Factor) -> bool:
    return not isinstance(factor, NumberFactor) or is_well_conditioned(factor)


def _shares_of_bins(
    inquiry: Inquiry, number: NumberFactor, options: BoundedOptions
) -> tuple[Numbers, Numbers, Assumption]:
    asked = number.asked[0]
    weight = _rest(inquiry, (number,))
    noisy = prepare(inquiry, number, options, weight)
    assert asked.bins is not None  # noqa: S101 (a number is split by bins)
    inside, parts = _inside(asked, noisy), noisy.bounds.parts
    bins = bin_targets(noisy.edges, asked.bins) * inside
    above = np.stack([_rows(one, parts) for one in bins])
    below = np.broadcast_to(_rows(inside, parts), above.shape)
    return (*noisy.ratios(above, below), noisy.assumption)


def _share_of_value(
    inquiry: Inquiry,
    number: NumberFactor,
    scores: Numbers,
    rest: Numbers | None,
    place: int,
    options: BoundedOptions,
) -> Limits:
    weights = scores if rest is None else scores * rest[:, None]
    all_values, one = weights.sum(axis=1), weights[:, place]
    parts = _with_rest(one, all_values - one)
    noisy = prepare(inquiry, number, options, one, parts)
    inside = _inside(number.asked[0], noisy)
    none = np.zeros(len(inside))
    above, below = np.stack([inside, none, none]), np.stack([inside, inside, none])
    return noisy.ratio(above[: len(parts)], below[: len(parts)], 0.0, 1.0)


def _share_within_value(
    inquiry: Inquiry,
    number: NumberFactor,
    scores: Numbers,
    rest: Numbers | None,
    place: int,
    options: BoundedOptions,
) -> Limits:
    has = scores[:, place]
    parts = _with_rest(has) if rest is None else _with_rest(has * rest, has * (1 - rest))
    noisy = prepare(inquiry, number, options, has, parts)
    inside = _inside(number.asked[0], noisy)
    none, all_of_it = np.zeros(len(inside)), np.ones(len(inside))
    among = all_of_it if rest is not None else none
    above, below = np.stack([inside, none, none]), np.stack([all_of_it, among, none])
    return noisy.ratio(above[: len(parts)], below[: len(parts)], 0.0, 1.0)


def _split_by_bins(
    inquiry: Inquiry, number: NumberFactor, options: BoundedOptions
) -> tuple[Numbers, Numbers, Assumption]:
    bins = number.asked[0].bins
    meets = _rest(inquiry, (number,))
    assert bins is not None  # noqa: S101 (a number is split by bins)
    assert meets is not None  # noqa: S101 (something else is tested)
    noisy = prepare(inquiry, number, options, meets)
    each = bin_targets(noisy.edges, bins)
    above = np.stack([_rows(one, noisy.bounds.parts) for one in each])
    below = np.stack([np.vstack([one] * noisy.bounds.parts) for one in each])
    return (*noisy.ratios(above, below), noisy.assumption)


def bound_quantile(
    inquiry: Inquiry, of: str, share: float, options: BoundedOptions
) -> Limits | None:
    own, _ = inquiry.factor_of(of)
    assert isinstance(own, NumberFactor)  # noqa: S101 (only numbers have quantiles)
    if _are_entangled(inquiry, own):
        return unbounded(*domain_of(own.asked[0].attribute), own)
    # The cells of a quantile are no bins that anybody asks for.
    noisy = prepare(inquiry, own, options, _rest(inquiry, (own,)), asks_bins=False)
    inside = _inside(own.asked[0], noisy)
    return noisy.quantile(share, _rows(inside, noisy.bounds.parts)) if inside.any() else None


def reconstructed_shares(
    inquiry: Inquiry, of: str, options: BoundedOptions
) -> tuple[Numbers, Numbers, Numbers, Assumption] | None:
    """Shares of a number's bins under noise among everybody, as ``reconstruct`` has them.

    None where there is a condition, or no noise.
    """
    only = inquiry.factors[0]
    asked = only.asked[0]
    alone = len(inquiry.factors) == 1 and isinstance(only, NumberFactor) and only.is_smooth
    if not alone or asked.name != of or asked.region is not None or asked.bins is None:
        return None
    if len(asked.bins) < 3:
        return None
    published = asked.perturbation.distorted(asked.attribute)
    counted = count_column(
        Column(published, inquiry.answers.data[of]), asked.attribute, asked.perturbation,
        asked.bins, options.weights, times=inquiry.times,
    )  # fmt: skip
    counted = with_size(counted, options.worth * counted.size)
    found = reconstruct_counts(counted, confidence=options.confidence, sharpness=options.sharpness)
    if found.low is None or found.high is None or found.assumption is None:
        return None
    return found.probability, found.low, found.high, found.assumption


def within(
    estimate: float,
    limits: Limits,
    confidence: float,
    naive: float | None,
    true: float | None = None,
) -> Estimate:
    """A smooth estimate with its worst-case interval, moved into it if it lies outside."""
    return between(estimate, limits.low, limits.high, confidence, naive, true)


def bounded_estimate(found: Estimate, low: float, high: float, confidence: float) -> Estimate:
    """An estimate under a sampling with the worst-case interval in place of its own."""
    moved = between(found.estimate, low, high, confidence, found.naive, found.true)
    assert found.details is not None  # noqa: S101 (made under a sampling)
    details = dataclasses.replace(found.details, fit=None)
    return dataclasses.replace(moved, details=details, interval=WORST_CASE)


def between(
    estimate: float,
    low: float,
    high: float,
    confidence: float,
    naive: float | None,
    true: float | None = None,
) -> Estimate:
    low, high = float(low), float(high)
    return Estimate(
        float(min(max(estimate, low), high)), low, high,
        (high - low) / (2 * interval_factor(confidence)),
        None if naive is None else float(naive), None if true is None else float(true),
    )  # fmt: skip


def too_noisy(limits: Limits, what: Message) -> Message:
    """What is said instead of an estimate where nearly everything fits the answers."""
    told = Message(
        "The noise on {attribute} is too strong for this question: every {what} from {low} to "
        "{high} fits the answers, and the condition alone allows {lowest} to {highest}. Wider "
        "intervals, or a mean over everybody, can be answered.",
        code=WORST_CASE,
        attribute=limits.assumption.attribute,
        what=what,
        low=amount(limits.low, 3),
        high=amount(limits.high, 3),
        lowest=amount(limits.lowest, 3),
        highest=amount(limits.highest, 3),
    )
    if limits.with_ten_times is None:
        return told
    width = Message(
        "With ten times the answers the interval would be about {width} wide.",
        width=amount(limits.with_ten_times, 3),
    )
    return Message.joined((told, width), code=WORST_CASE)
