"""The share of respondents who meet a condition, for every value of another attribute."""

from __future__ import annotations

import dataclasses
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
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.grid import labels_of
from ppworkbench.core.sampling.moments import Terms
from ppworkbench.core.score_intervals import Contributions
from ppworkbench.core.share_intervals import Line
from ppworkbench.core.survey.answers import PartedSource, meeting, naive_data, true_data
from ppworkbench.core.survey.bounded import BoundedOptions, between, bound_split
from ppworkbench.core.survey.conditions.condition import Condition, as_condition
from ppworkbench.core.survey.conditions.regions import Region, asked_attribute, regions_of
from ppworkbench.core.survey.estimates import (
    Estimate,
    cut_remarks,
    few,
    joined,
    record_weights,
    share_with_interval,
)
from ppworkbench.core.survey.factors.factor import Factor
from ppworkbench.core.survey.factors.grids import Bins, bins_of, places
from ppworkbench.core.survey.inquiry import Inquiry, asked_by, coded, factors_of, inquire_merged
from ppworkbench.core.survey.joint_em import smoothed_totals
from ppworkbench.core.survey.sampled import SurveySample, least_variance, reported_line
from ppworkbench.core.survey.true_cells import contributions_of


@dataclass(frozen=True, eq=False)
class Split:
    """Shares of those who meet a condition, within each value or bin of an attribute.

    Parameters
    ----------
    by
        The attribute.
    condition
        The tests that count: those of the asked condition that are not about ``by``.
    labels
        The values or bins of the attribute.
    shares
        One estimate per value; None where by the estimate nobody has the value.
    sizes
        The estimated number of respondents with each value.
    """

    by: str
    condition: Condition
    labels: tuple[str, ...]
    shares: tuple[Estimate | None, ...]
    sizes: tuple[float, ...]
    respondents: int
    confidence: float
    remarks: tuple[str, ...] = ()


def split_share(  # noqa: PLR0913 (keywords with defaults)
    table: Table | PartedSource,
    design: Design,
    by: str,
    condition: Condition | str,
    *,
    bins: Bins = None,
    original: Table | None = None,
    confidence: float = 0.95,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
    progress: Progress = silent,
) -> Split:
    """Estimate which share meets a condition, for every value of another attribute.

    With ``a_v`` the weights of "has the value v" and ``b_v`` those of "has it and meets the
    condition", the share is ``sum_t b_v(z_t) / sum_t a_v(z_t)``; its standard error is that of a
    ratio estimator (Cochran 1977, chapter 6). Tests of the attribute itself are left out: within
    one of its values they hold or not. ``sampling`` and ``options`` are used as for
    :func:`ppworkbench.core.survey.counts.count`.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Attribute, Kind
    >>> from ppworkbench.core.data.table import Column
    >>> from ppworkbench.core.design import DesignedAttribute, Identity, Uniform
    >>> sex = Attribute("sex", Kind.BINARY, ("F", "M"))
    >>> vote = Attribute("vote", Kind.BINARY, ("yes", "no"))
    >>> answers = np.repeat([0, 1], 50), np.repeat([0, 1], [34, 66])
    >>> told = Table((Column(sex, answers[0]), Column(vote, answers[1])))
    >>> design = Design(
    ...     (DesignedAttribute(sex, Identity()), DesignedAttribute(vote, Uniform(keep=0.8)))
    ... )
    >>> split = split_share(told, design, "sex", "vote = yes")
    >>> [round(share.estimate, 6) for share in split.shares]
    [0.8, -0.333333]
    """
    attribute = asked_attribute(by, design)
    regions = regions_of(as_condition(condition), design)
    counted = Condition(tuple(t for t in as_condition(condition).tests if t.attribute != by))
    regions = {name: region for name, region in regions.items() if name != by}
    if not regions:
        raise ParameterError.saying(
            "There is nothing to split by {by!r}; add a condition on another attribute.",
            by=by,
            attribute=by,
            field="condition",
        )
    survey = SurveySample.stated(
        table, design, sampling, options, original=original, confidence=confidence
    )
    edges = bins_of(attribute, design.perturbation(by), bins)
    asked = asked_by(regions, design, split={by: edges})
    inquiry = inquire_merged(table, design, asked, part(progress, 0.0, 0.3))
    labels = labels_of(attribute, edges)
    groups = _Groups(by, regions, edges, len(labels))
    if survey is not None:
        shares, sizes, remarks = _sampled(inquiry, survey, groups, part(progress, 0.3, 1.0))
        return Split(by, counted, labels, shares, sizes, inquiry.n, confidence, remarks)
    alone = coded(
        inquiry.answers,
        factors_of(asked_by({}, design, split={by: edges}), design, inquiry.answers),
    )
    if inquiry.is_well_conditioned and alone.is_well_conditioned:
        found = _weighted(inquiry, alone, by, part(progress, 0.3, 1.0))
        remarks = ()
    else:
        found, remarks = _smoothed(inquiry, alone, part(progress, 0.3, 1.0))
    naive = groups.shares(naive_data(inquiry.answers, design), inquiry.times)
    true = groups.shares(true_data(original, design, groups.names))
    bounds = bound_split(inquiry, by, BoundedOptions(confidence))
    if bounds is not None:
        remarks = (bounds[2].remark,)
    line = _line(inquiry, by) if bounds is None else None
    shares = tuple(
        None
        if size <= 0
        else share_with_interval(
            share,
            error,
            confidence,
            naive[v],
            true[v],
            line=line,
            size=float(size),
            contributions=None if line is not None else _spread(inquiry, by, v),
        )
        if bounds is None
        else between(share, bounds[0][v], bounds[1][v], confidence, naive[v], true[v])
        for v, (share, error, size) in enumerate(zip(*found, strict=True))
    )
    remarks = joined([*inquiry.remarks, *remarks, *few(inquiry.n), *cut_remarks(shares)])
    return Split(
        by, counted, labels, shares, tuple(found[2].tolist()), inquiry.n, confidence, remarks
    )


def _sampled(
    inquiry: Inquiry, survey: SurveySample, groups: _Groups, progress: Progress
) -> tuple[tuple[Estimate | None, ...], tuple[float, ...], tuple[str, ...]]:
    grouping, cells = inquiry.factor_of(groups.by)
    if len(grouping.names) > 1:
        raise ParameterError.saying(
            "Attribute {by!r} shares its randomisation with others here, so there is no "
            "share by it.",
            by=groups.by,
            attribute=groups.by,
            field="by",
        )
    inquiry.refuse_noise()
    meets = record_weights(inquiry, (grouping,), progress)
    terms = Terms(inquiry.n, grouping.weights.matrix, cells, (None, meets))
    totals = survey.totals(terms, inquiry.answers)
    known, every = np.flatnonzero(totals.values[: groups.k] > 0), np.eye(2 * groups.k)
    weights = survey.weights(inquiry.answers.rows)
    naive = groups.shares(naive_data(inquiry.answers, survey.design), weights)
    true = groups.shares(*(survey.truth(groups.names) or (None,)))
    shares: list[Estimate | None] = [None] * groups.k
    remarks: tuple[str, ...] = ()
    if len(known):
        found = totals.ratios(every[groups.k + known], every[known])
        if survey.frame.is_simple:
            look_up, ones = grouping.weights.matrix, np.ones(inquiry.size)
            least = [
                _least_variance(
                    inquiry, grouping, float(found.values[at]),
                    float(grouping.least_variance[group]), ones if meets is None else meets,
                    look_up[cells, group],
                ) / float(totals.values[group]) ** 2
                for at, group in enumerate(known.tolist())
            ]  # fmt: skip
            found = dataclasses.replace(found, least=np.array(least))
        line = _line(inquiry, groups.by)
        people = np.bincount(cells, minlength=len(terms.look_up)) @ (terms.look_up != 0)
        for at, group in enumerate(known.tolist()):
            shares[group] = survey.estimate(
                found, at, naive=naive[group], true=true[group], group=group, share=True,
                line=line, people=int(people[group]),
                contributions=None if line is not None else _spread(
                    inquiry, groups.by, group, weights
                ),
            )  # fmt: skip
        remarks = (*survey.remarks(found), *cut_remarks(shares))
    # People who answered, whatever they stand for.
    sizes = tuple((np.bincount(cells, minlength=len(terms.look_up)) @ terms.look_up).tolist())
    return tuple(shares), sizes, joined([*inquiry.remarks, *remarks, *few(inquiry.n)])


def _line(inquiry: Inquiry, by: str) -> Line | None:
    """How the reports in a group depend on the share there: known where the groups are."""
    grouping = inquiry.factor_of(by)[0]
    rest = inquiry.without(grouping)
    if not all(one.perturbation.is_identity for one in grouping.asked):
        return None
    return reported_line(rest) if rest.factors else None


def _weighted(
    inquiry: Inquiry, alone: Inquiry, by: str, progress: Progress
) -> tuple[Numbers, Numbers, Numbers]:
    """Shares, their standard errors and the sizes of the groups, by weights.

    The factor of ``by`` may hold tested attributes too, where one coin is thrown for several; so
    both sums are taken over the records and not over the cells of one attribute.
    """
    factor, codes = inquiry.factor_of(by)
    only, its_codes = alone.factors[0], alone.codes[0]
    rest = record_weights(inquiry, (factor,), part(progress, 0.0, 0.3))
    both, single = factor.weights.matrix, only.weights.matrix
    k, n = single.shape[1], inquiry.n
    shares, errors, sizes = np.zeros(k), np.full(k, math.inf), np.zeros(k)
    for v in range(k):
        progress(0.3 + 0.7 * v / k, "splitting")
        inside = single[its_codes, v]
        meets = rest * both[codes, v]
        sizes[v] = inquiry.counted(inside).sum()
        if sizes[v] <= 0:
            continue
        shares[v] = inquiry.counted(meets).sum() / sizes[v]
        if n > 1:
            squares = inquiry.counted(np.square(meets - shares[v] * inside))
            variance = squares.sum() * n / (n - 1)
            # As with totals: a rare value that did not come still has an interval.
            least = _least_variance(
                inquiry, factor, shares[v], only.least_variance[v], rest, inside
            )
            errors[v] = math.sqrt(max(variance, least)) / sizes[v]
    return shares, errors, sizes


def _least_variance(
    inquiry: Inquiry, by: Factor, share: float, of_group: float, meets: Numbers, inside: Numbers
) -> float:
    """What the device of either question alone makes a share times the group's size vary by."""
    least = float(inquiry.counted(np.square(meets - share)).sum()) * of_group
    rest = inquiry.without(by)
    return max(least, least_variance(rest, inside)) if rest.factors else least


def _spread(
    inquiry: Inquiry, by: str, group: int, weights: Numbers | None = None
) -> Contributions | None:
    """What reports in a group vary by, where the groups are known."""
    grouping, cells = inquiry.factor_of(by)
    if not all(one.perturbation.is_identity for one in grouping.asked):
        return None
    inside = grouping.weights.matrix[cells, group]
    counts = inquiry.counted(inside) if weights is None else inside * weights
    return contributions_of(inquiry.without(grouping), counts)


def _smoothed(
    inquiry: Inquiry, alone: Inquiry, progress: Progress
) -> tuple[tuple[Numbers, Numbers, Numbers], tuple[str, ...]]:
    """The same from smooth estimates; the two errors are taken for independent, which is wide."""
    above = smoothed_totals(inquiry, part(progress, 0.0, 0.7))
    below = smoothed_totals(alone, part(progress, 0.7, 1.0))
    sizes = below.values
    known = np.where(sizes > 0, sizes, np.nan)
    shares = above.values / known
    errors = np.hypot(above.errors, shares * below.errors) / known
    remarks = (*above.remarks, *below.remarks)
    return (np.nan_to_num(shares), np.nan_to_num(errors, posinf=math.inf), sizes), remarks


@dataclass(frozen=True, eq=False)
class _Groups:
    by: str
    regions: Mapping[str, Region]
    edges: Numbers | None
    k: int

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.regions, self.by]))

    def shares(
        self, data: Mapping[str, NDArray[Any]] | None, weights: Numbers | None = None
    ) -> list[float | None]:
        """The shares as the answers stand; None where nobody has the value."""
        if data is None:
            return [None] * self.k
        place = places(data[self.by], self.edges)
        met = meeting(data, self.regions, len(place))
        everybody = np.bincount(place, weights, self.k)
        inside = np.bincount(place[met], None if weights is None else weights[met], self.k)
        return [float(i / e) if e else None for i, e in zip(inside, everybody, strict=True)]
