"""Differences between groups of respondents, and between two answers of the same people.

Both sides of a difference come from one linearisation, so that groups may share clusters and may
themselves be seen through a device.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.grid import labels_of
from ppworkbench.core.sampling.moments import Terms
from ppworkbench.core.sampling.results import SampleSummary
from ppworkbench.core.sampling.variance import SampledValues, t_factor, two_sided_p
from ppworkbench.core.score_intervals import Contributions
from ppworkbench.core.share_intervals import EXACT, SCORE, Line
from ppworkbench.core.survey.conditions.condition import (
    EVERYBODY,
    Comparison,
    Condition,
    Operator,
    as_condition,
)
from ppworkbench.core.survey.conditions.regions import asked_attribute, regions_of
from ppworkbench.core.survey.estimates import (
    LEAST_TESTED,
    Estimate,
    amount,
    cut_remarks,
    few,
    joined,
    record_weights,
    small_groups,
)
from ppworkbench.core.survey.factors.factor import Factor
from ppworkbench.core.survey.factors.grids import Bins, bins_of
from ppworkbench.core.survey.inquiry import Inquiry, asked_by, coded, factors_of, inquire, too_wide
from ppworkbench.core.survey.means import moment_square, moment_weights
from ppworkbench.core.survey.sampled import (
    SurveySample,
    least_variance,
    line_among,
    other_weights,
    reported_line,
)
from ppworkbench.core.survey.true_cells import contributions_of

_TOLD = 3
"""So many differences can be read as sentences; all of them stand in the table."""
_OF_FEW = {EXACT, SCORE}
"""Intervals of shares with so few reports that normal ones fail."""


@dataclass(frozen=True)
class Difference:
    """The estimate of group a minus that of group b.

    ``p`` and ``p_holm`` are the two-sided p value and the one corrected for all differences.
    """

    a: str
    b: str
    estimate: float
    low: float
    high: float
    standard_error: float
    t: float
    degrees_of_freedom: float
    p: float
    p_holm: float

    def to_json(self) -> dict[str, Any]:
        return {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in asdict(self).items()
        }


@dataclass(frozen=True, eq=False)
class GroupDifferences:
    """Estimates of groups and the differences between them.

    ``groups`` has None for a group of which by the estimate nobody is a member; ``people`` tells
    how many people who may belong to each answered, and ``sizes`` how many of them do by the
    estimate.
    """

    of: str
    by: str
    condition: Condition
    labels: tuple[str, ...]
    groups: tuple[Estimate | None, ...]
    differences: tuple[Difference, ...]
    sample: SampleSummary
    confidence: float
    remarks: tuple[str, ...] = ()
    is_undistorted: bool = False
    people: tuple[int, ...] = ()
    sizes: tuple[float, ...] = ()

    @property
    def sentence(self) -> str:
        told = [
            Message(
                "{a} minus {b}: difference {found}, {level:g} % interval {low} to {high}.",
                a=one.a,
                b=one.b,
                found=amount(one.estimate),
                level=100 * self.confidence,
                low=amount(one.low),
                high=amount(one.high),
            )
            for one in self.differences[:_TOLD]
        ]
        return Message.joined((*told, self.sample.sentence))

    def to_json(self) -> dict[str, Any]:
        groups = [
            {"group": label, "people": people, "size": size}
            | ({"estimate": None} if group is None else group.to_json())
            for label, people, size, group in zip(
                self.labels, self.people, self.sizes, self.groups, strict=True
            )
        ]
        return {
            "of": self.of,
            "by": self.by,
            "condition": str(self.condition),
            "groups": groups,
            "differences": [one.to_json() for one in self.differences],
            "confidence": self.confidence,
            **self.sample.to_json(),
            "remarks": list(self.remarks),
        }


def compare(  # noqa: PLR0913 (keywords with defaults)
    table: Table,
    design: Design,
    of: str,
    by: str,
    *,
    value: str | None = None,
    condition: Condition | str = EVERYBODY,
    reference: str | None = None,
    bins: Bins = None,
    confidence: float = 0.95,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
    progress: Progress = silent,
) -> GroupDifferences:
    """Compare a mean, or the share of a value, between the groups of another attribute.

    Parameters
    ----------
    of, value
        A number, or an attribute of values with the value whose share is compared.
    by
        The attribute whose values (or bins) are the groups.
    reference
        A group that all others are compared with; all pairs are compared if not given.
    condition, sampling, options
        As for :func:`ppworkbench.core.survey.counts.count`.
    """
    condition = as_condition(condition)
    survey = SurveySample.read(table, design, sampling, options, confidence=confidence)
    edges = bins_of(asked_attribute(by, design), design.perturbation(by), bins)
    labels = labels_of(design[by].attribute, edges)
    _check(design, of, by, value, condition)
    if reference is not None and reference not in labels:
        raise ParameterError.saying(
            "Attribute {attribute!r} has no group {reference!r}; it has {groups}.",
            reference=reference,
            groups=labels,
            attribute=by,
            field="reference",
        )
    tests = condition.tests
    if value is not None:
        tests = (*tests, Comparison(of, Operator.EQUAL, value))
    regions = regions_of(Condition(tests), design)
    asked = asked_by(regions, design, split={by: edges}, moment=None if value else of)
    inquiry = inquire(table, design, asked, part(progress, 0.0, 0.4))
    terms, remarks = _group_terms(inquiry, of, by, part(progress, 0.4, 1.0))
    totals = survey.totals(terms, inquiry.answers)
    count = len(labels)
    known = np.flatnonzero(totals.values[:count] > 0)
    if not len(known):
        raise DataError("By the estimate nobody is in any of the groups; widen the condition.")
    every = np.eye(2 * count)
    found = totals.ratios(every[count + known], every[known])
    if value is not None and survey.frame.is_simple:
        floors = [_least_variance(inquiry, by, int(group)) for group in known]
        found = dataclasses.replace(found, least=np.array(floors) / totals.values[known] ** 2)
    groups: list[Estimate | None] = [None] * count
    line = None if value is None else line_among(inquiry, inquiry.factor_of(of)[0])
    people, sizes = _people(inquiry, of, by)
    for place, group in enumerate(known):
        groups[group] = survey.estimate(
            found, place, group=int(group), share=value is not None, line=line,
            people=int(people[group]),
            contributions=None if value is None or line is not None else _spread(
                inquiry, of, by, int(group), survey.weights(inquiry.answers.rows)
            ),
        )  # fmt: skip
    pairs = _pairs([labels[group] for group in known], reference)
    degrees = survey.degrees(totals) - 1
    return GroupDifferences(
        of if value is None else f"{of} = {value}", by, condition, labels, tuple(groups),
        _differences(
            found, pairs, [labels[group] for group in known], degrees, confidence, people[known],
            shares=[groups[group] for group in known],
            most=math.inf if value is None else 1.0,
        ),
        survey.summary(totals, inquiry), confidence,
        joined(
            [*inquiry.remarks, *remarks, *survey.remarks(found), *few(inquiry.n),
             *small_groups({labels[group]: people[group] for group in known}),
             *(() if value is None else cut_remarks(groups))]
        ),
        people=tuple(int(one) for one in people), sizes=tuple(sizes.tolist()),
    )  # fmt: skip


def compare_answers(  # noqa: PLR0913 (keywords with defaults)
    table: Table,
    design: Design,
    first: Condition | str,
    second: Condition | str,
    *,
    condition: Condition | str = EVERYBODY,
    confidence: float = 0.95,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
    progress: Progress = silent,
) -> GroupDifferences:
    """Compare the shares of the same people who meet two conditions: the first minus the second.

    The contributions ``r_A - r_B`` of each person take in that one person's answers go together.

    Parameters
    ----------
    condition, sampling, options
        As for :func:`compare`.
    """
    survey = SurveySample.read(table, design, sampling, options, confidence=confidence)
    among = as_condition(condition)
    answers = as_condition(first), as_condition(second)
    if answers[0] == answers[1]:
        raise ParameterError.saying(
            "{condition} cannot be compared with itself; name another answer.",
            condition=answers[0],
            field="against",
        )
    both = Condition((*answers[0].tests, *answers[1].tests, *among.tests))
    whole = inquire(table, design, asked_by(regions_of(both, design), design), progress)
    rows = [_contributions(whole, design, Condition((*one.tests, *among.tests))) for one in answers]
    multipliers = (_contributions(whole, design, among) if among.tests else None, *rows)
    products = {(1, 2): _contributions(whole, design, both)}
    terms = Terms(whole.n, np.ones((1, 1)), None, multipliers, products)
    totals = survey.totals(terms, whole.answers)
    if totals.values[0] <= 0:
        raise DataError.saying(
            "The estimated number who meet {condition} is 0; widen the condition.",
            condition=among,
            field="condition",
        )
    found = totals.ratios(np.eye(3)[1:], np.tile(np.eye(3)[0], (2, 1)))
    labels = str(answers[0]), str(answers[1])
    inside = np.ones(whole.n) if multipliers[0] is None else multipliers[0]
    people, size = int(np.count_nonzero(inside)), float(inside.sum())
    lines = [_line_of_answer(whole, design, one, among) for one in answers]
    weights = survey.weights(whole.answers.rows) * (inside != 0)
    shares = tuple(
        survey.estimate(
            found, i, share=True, line=lines[i], people=people,
            contributions=None if lines[i] is not None else _spread_of_answer(
                whole, design, one, among, weights
            ),
        )
        for i, one in enumerate(answers)
    )  # fmt: skip
    return GroupDifferences(
        labels[0], "", among, labels, shares,
        _differences(
            found, [(0, 1)], labels, survey.degrees(totals), confidence, shares=shares
        ),
        survey.summary(totals, whole), confidence,
        joined([*whole.remarks, *survey.remarks(found), *few(whole.n), *cut_remarks(shares)]),
        people=(people, people), sizes=(size, size),
    )  # fmt: skip


def _check(design: Design, of: str, by: str, value: str | None, condition: Condition) -> None:
    attribute = asked_attribute(of, design)
    if attribute.kind.is_numeric == (value is not None):
        words = (
            Message("Attribute {of!r} is a number; compare its mean, without a value.", of=of)
            if attribute.kind.is_numeric
            else Message("Attribute {of!r} has no mean; name the value to be compared.", of=of)
        )
        raise ParameterError(words, attribute=of, field="of")
    if of == by or of in condition.attributes:
        raise ParameterError.saying(
            "Attribute {of!r} cannot be compared with itself.", of=of, attribute=of, field="of"
        )


def _contributions(whole: Inquiry, design: Design, condition: Condition) -> Numbers:
    asked = asked_by(regions_of(condition, design), design)
    inquiry = coded(whole.answers, factors_of(asked, design, whole.answers))
    inquiry.refuse_noise()
    return record_weights(inquiry)


def _line_of_answer(
    whole: Inquiry, design: Design, answer: Condition, among: Condition
) -> Line | None:
    if not all(design.perturbation(name).is_identity for name in among.attributes):
        return None
    asked = asked_by(regions_of(answer, design), design)
    return reported_line(coded(whole.answers, factors_of(asked, design, whole.answers)))


def _spread_of_answer(
    whole: Inquiry, design: Design, answer: Condition, among: Condition, counts: Numbers
) -> Contributions | None:
    if not all(design.perturbation(name).is_identity for name in among.attributes):
        return None
    asked = asked_by(regions_of(answer, design), design)
    return contributions_of(coded(whole.answers, factors_of(asked, design, whole.answers)), counts)


def _least_variance(inquiry: Inquiry, by: str, group: int) -> float:
    """What the devices of other questions make a group's sum vary by at least."""
    grouping, cells = inquiry.factor_of(by)
    return least_variance(inquiry.without(grouping), grouping.weights.matrix[cells, group])


def _spread(
    inquiry: Inquiry, of: str, by: str, group: int, weights: Numbers
) -> Contributions | None:
    """What reports in a group vary by, where it is known who belongs to it."""
    asked, (grouping, cells) = inquiry.factor_of(of)[0], inquiry.factor_of(by)
    inside = other_weights(inquiry, (asked, grouping))
    inside = weights * (1.0 if inside is None else inside)
    others = [one for one in inquiry.factors if one is not asked]
    if not all(one.perturbation.is_identity for factor in others for one in factor.asked):
        return None
    counts = inside * grouping.weights.matrix[cells, group]
    return contributions_of(inquiry.without(*others), counts)


def _people(inquiry: Inquiry, of: str, by: str) -> tuple[Numbers, Numbers]:
    """How many people may belong to each group, and how many do by the estimate."""
    (grouping, cells), asked = inquiry.factor_of(by), inquiry.factor_of(of)[0]
    others = other_weights(inquiry, (grouping, asked))
    inside = None if others is None else (others != 0).astype(np.float64)
    look_up = grouping.weights.matrix
    counted = [np.bincount(cells, one, len(look_up)) for one in (inside, others)]
    return np.asarray(counted[0] @ (look_up != 0)), np.asarray(counted[1] @ look_up)


def _group_terms(
    inquiry: Inquiry, of: str, by: str, progress: Progress
) -> tuple[Terms, tuple[str, ...]]:
    (grouping, cells), (asked, codes) = inquiry.factor_of(by), inquiry.factor_of(of)
    if asked is grouping or len(asked.names) > 1:
        raise ParameterError.saying(
            "Attribute {of!r} shares its randomisation with others here, so groups cannot be "
            "compared by it.",
            of=of,
            attribute=of,
            field="of",
        )
    inquiry.refuse_noise(asked)
    others = other_weights(inquiry, (grouping, asked), progress)
    counted, summed, squared, remarks = _parts(asked, codes, inquiry)
    products: dict[tuple[int, int], Numbers | None] = {}
    if squared is not None:
        products[1, 1] = squared if others is None else others * squared
    if others is not None:
        counted = others if counted is None else others * counted
        summed = others * summed
    look_up = grouping.weights.matrix
    return Terms(inquiry.n, look_up, cells, (counted, summed), products), remarks


def _parts(
    asked: Factor, codes: Any, inquiry: Inquiry
) -> tuple[Numbers | None, Numbers, Numbers | None, tuple[str, ...]]:
    """Who counts, what is summed, and its square where it is no indicator."""
    attribute = asked.asked[0]
    if not attribute.moment:
        inquiry.refuse_noise()
        return None, asked.weights.matrix[codes, 0], None, ()
    data = inquiry.answers.data[attribute.name]
    found = moment_weights(asked, codes, data)
    if found is None:
        raise too_wide()
    return found[0], found[1], moment_square(asked, codes, data), found[2]


def _pairs(labels: Sequence[str], reference: str | None) -> list[tuple[int, int]]:
    """Places of groups a and b: later ones minus earlier ones, or all minus the reference."""
    if reference is None:
        return [
            (later, earlier) for earlier, later in itertools.combinations(range(len(labels)), 2)
        ]
    if reference not in labels:
        return []
    place = list(labels).index(reference)
    return [(other, place) for other in range(len(labels)) if other != place]


def _differences(  # noqa: PLR0913 (keywords with defaults)
    found: SampledValues,
    pairs: Sequence[tuple[int, int]],
    labels: Sequence[str],
    degrees: float,
    confidence: float,
    people: Numbers | None = None,
    *,
    shares: Sequence[Estimate | None],
    most: float = 1.0,
) -> tuple[Difference, ...]:
    """Wald's intervals, or those of :func:`_from_both` where one of the shares needs another.

    No interval reaches beyond ``most``, the largest difference that there can be.
    """
    if not pairs:
        return ()
    which = np.zeros((len(pairs), len(found.values)))
    for row, (a, b) in enumerate(pairs):
        which[row, a], which[row, b] = 1, -1
    apart = found.contrast(which)
    values, errors = apart.values, apart.errors
    reach = t_factor(confidence, degrees) * errors
    t = np.divide(values, errors, out=np.full(len(values), math.nan), where=errors > 0)
    p = [two_sided_p(float(one), degrees) for one in t]
    if people is not None:
        tested = [min(people[a], people[b]) >= LEAST_TESTED for a, b in pairs]
        p = [one if is_tested else math.nan for one, is_tested in zip(p, tested, strict=True)]
    corrected = holm(p)
    ends = np.column_stack([values - reach, values + reach])
    together = np.outer(found.raw_errors, found.raw_errors)
    for i, (a, b) in enumerate(pairs):
        first, second = shares[a], shares[b]
        if first is None or second is None or not {first.interval, second.interval} & _OF_FEW:
            continue
        alike = float(found.covariance[a, b] / together[a, b]) if together[a, b] > 0 else 0.0
        ends[i] = _from_both(first, second, alike)
    ends = np.clip(ends, -most, most)
    return tuple(
        Difference(
            labels[a], labels[b], float(values[i]), float(ends[i, 0]),
            float(ends[i, 1]), float(errors[i]), float(t[i]), degrees, p[i],
            corrected[i],
        )
        for i, (a, b) in enumerate(pairs)
    )  # fmt: skip


def _from_both(a: Estimate, b: Estimate, correlation: float) -> tuple[float, float]:
    """The interval of a difference of two shares from their own intervals.

    ``a - b - sqrt((a - l_a)^2 - 2 r (a - l_a)(u_b - b) + (u_b - b)^2)`` to the mirrored end
    (Newcombe 1998, "Interval estimation for the difference between independent proportions",
    Statistics in Medicine 17, method 10; for correlated estimates Zou and Donner 2008, ibid. 27).
    A share outside of its own interval counts as the nearer end.
    """
    x, y = (min(max(one.estimate, one.low), one.high) for one in (a, b))

    def reach(first: float, second: float) -> float:
        return math.sqrt(max(first**2 - 2 * correlation * first * second + second**2, 0.0))

    return x - y - reach(x - a.low, b.high - y), x - y + reach(a.high - x, y - b.low)


def holm(p: Sequence[float]) -> list[float]:
    """P values corrected for their number, from the smallest to the largest (Holm 1979).

    >>> [round(one, 3) for one in holm([0.04, 0.01, 0.03])]
    [0.06, 0.03, 0.06]
    """
    corrected, largest = [math.nan] * len(p), 0.0
    order = sorted(
        (place for place in range(len(p)) if not math.isnan(p[place])), key=p.__getitem__
    )
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * p[place]))
        corrected[place] = largest
    return corrected
