"""A quantile of a number among the respondents who meet a condition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers, project
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.noises.base import domain_of
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.sharpness import AUTO, Sharpness
from ppworkbench.core.reconstruct.worst_case import (
    TRUE_CELLS,
    Limits,
    possible_number,
    quantile_limits,
)
from ppworkbench.core.survey.answers import meeting, naive_data, true_data
from ppworkbench.core.survey.bounded import (
    BoundedOptions,
    bound_quantile,
    noisy_tests,
    too_noisy,
    unbounded,
    within,
)
from ppworkbench.core.survey.conditions import EVERYBODY, Condition
from ppworkbench.core.survey.estimates import JOINT, Estimate, interval_factor
from ppworkbench.core.survey.grids import bins_of
from ppworkbench.core.survey.inquiry import Inquiry, asked_by, inquire
from ppworkbench.core.survey.joint_em import joint_distribution
from ppworkbench.core.survey.parser import as_condition
from ppworkbench.core.survey.regions import Region, asked_attribute, regions_of
from ppworkbench.core.survey.smoothed import smoothed_totals
from ppworkbench.core.survey.totals import Totals, weighted_totals
from ppworkbench.core.survey.words import (
    amount,
    at_face_value,
    few,
    impossible,
    interval,
    joined,
    nobody,
)

_CELLS = 200


@dataclass(frozen=True)
class Quantile:
    """The number below which a share of those lies who meet a condition.

    Parameters
    ----------
    share
        The share, 0.5 for the median.
    value
        The quantile with its interval, the uncorrected one and, where known, the truth.
    limits
        The worst-case bounds that the interval is, where the number is under noise.
    """

    of: str
    share: float
    condition: Condition
    value: Estimate
    respondents: int
    confidence: float
    remarks: tuple[str, ...] = ()
    limits: Limits | None = None

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        if self.limits is not None and self.limits.says_nothing:
            return too_noisy(self.limits, Message("quantile"))
        reach = interval(self.value, self.confidence)
        if self.limits is not None:
            reach = Message.joined((reach, self.limits.assumption.clause), ", ")
        told = Message(
            "{share:g} % of {of} lie below about {found} ({reach}).",
            share=100 * self.share,
            of=self.of,
            found=amount(self.value.estimate),
            reach=reach,
        )
        return Message.joined((told, at_face_value(self.value.naive)))

    def to_json(self) -> dict[str, Any]:
        """The result for other programs."""
        bounds = {} if self.limits is None else {"bounds": self.limits.to_json()}
        return self.value.to_json() | bounds | {
            "method": JOINT,
            "of": self.of,
            "share": self.share,
            "condition": str(self.condition),
            "respondents": self.respondents,
            "confidence": self.confidence,
            "remarks": list(self.remarks),
        }  # fmt: skip


def quantile(  # noqa: PLR0913 (keywords with defaults)
    table: Table,
    design: Design,
    of: str,
    share: float = 0.5,
    condition: Condition | str = EVERYBODY,
    *,
    original: Table | None = None,
    confidence: float = 0.95,
    sharpness: Sharpness = AUTO,
    progress: Progress = silent,
) -> Quantile:
    """Estimate a quantile of a number among those who meet a condition.

    The interval holds every t at which the share below t may be the one that is asked for
    (R. S. Woodruff 1952): with normal limits of that share where weights undo the distortion, with
    worst-case bounds where the number is under noise.
    """
    condition = as_condition(condition)
    regions = regions_of(condition, design)
    attribute = asked_attribute(of, design)
    _check(of, share, design)
    perturbation = design.perturbation(of)
    few_numbers = attribute.kind == "integer" and attribute.width < _CELLS
    noisy = perturbation.exact_share is None and perturbation.interval_edges(attribute) is None
    cells = int(attribute.width) + 1 if few_numbers else TRUE_CELLS if noisy else _CELLS
    edges = bins_of(attribute, perturbation, cells)
    assert edges is not None  # noqa: S101 (a number has bins)
    asked = asked_by(regions, design, split={of: edges})
    inquiry = inquire(table, design, asked, part(progress, 0.0, 0.3))
    options = BoundedOptions(confidence, sharpness)
    limits = _limits(inquiry, of, share, options)
    if limits is None:
        totals = weighted_totals(inquiry, inquiry.factor_of(of)[0], part(progress, 0.3, 1.0))
        if totals.values.sum() <= 0:
            raise nobody(condition)
        shares = totals.shares()[0]
        ends = _woodruff(totals, edges, share, interval_factor(confidence))
    else:
        shares, ends = _smooth_shares(inquiry, of, condition), (limits.low, limits.high)
    below = np.concatenate([[0.0], np.cumsum(project(shares))])
    middle = possible_number(float(np.interp(share, below, edges)), attribute)
    low, high = (possible_number(end, attribute) for end in ends)
    naive = _plain(naive_data(inquiry.answers, design), of, share, regions)
    truth = true_data(original, design, tuple(dict.fromkeys([*regions, of])))
    true = _plain(truth, of, share, regions)
    if limits is None:
        error = (high - low) / (2 * interval_factor(confidence))
        value = Estimate(middle, min(low, middle), max(high, middle), error, naive, true)
    else:
        value = within(middle, limits, confidence, naive, true)
    remarks = joined([*inquiry.remarks, *few(inquiry.n), *impossible(regions)])
    return Quantile(of, share, condition, value, inquiry.n, confidence, remarks, limits)


def _check(of: str, share: float, design: Design) -> None:
    if not design[of].attribute.kind.is_numeric:
        raise ParameterError(
            Message(
                "Attribute {of!r} is {kind} and has no quantiles; choose its distribution.",
                of=of,
                kind=Message(design[of].attribute.kind),
            ),
            attribute=of,
            field="of",
        )
    if not 0 < share < 1:
        raise ParameterError(
            Message("Share is {share:g}; it must be above 0 and below 1.", share=share),
            field="share",
        )


def _limits(inquiry: Inquiry, of: str, share: float, options: BoundedOptions) -> Limits | None:
    """Worst-case bounds, or None where weights undo everything."""
    numbers = noisy_tests(inquiry)
    if not numbers:
        return None
    own, _ = inquiry.factor_of(of)
    if any(number is own for number in numbers):
        return bound_quantile(inquiry, of, share, options)
    return unbounded(*domain_of(own.asked[0].attribute), numbers[0])


def _woodruff(totals: Totals, edges: Numbers, share: float, reach: float) -> tuple[float, float]:
    """Where the share below a border may be the one that is asked for, by its normal limits."""
    count = len(totals.values)
    below = np.tri(count + 1, count, -1) - share
    excess = below @ totals.values
    error = np.sqrt(np.maximum(np.einsum("ia,ab,ib->i", below, totals.covariance, below), 0.0))
    low, high = excess - reach * error, excess + reach * error
    # Nothing lies below the first border, everything below the last one.
    for limit in (low, high):
        limit[[0, -1]] = -share, 1 - share
    return quantile_limits(edges, low, high)


def _smooth_shares(inquiry: Inquiry, of: str, condition: Condition) -> Numbers:
    """The shares of the cells of a number, from a smooth estimate."""
    if len(inquiry.factors) == 1:
        found = smoothed_totals(inquiry).values
    else:
        joint = joint_distribution(inquiry)
        axis = inquiry.factors.index(inquiry.factor_of(of)[0])
        shares = joint.targets()
        found = shares.sum(axis=tuple(i for i in range(shares.ndim) if i != axis))
    if found.sum() <= 0:
        raise nobody(condition)
    return np.asarray(found / found.sum())


def _plain(
    data: Mapping[str, NDArray[Any]] | None,
    of: str,
    share: float,
    regions: Mapping[str, Region],
) -> float | None:
    """The quantile of the answers as they stand; None where nobody meets the condition."""
    if data is None:
        return None
    chosen = data[of][meeting(data, regions, len(data[of]))]
    return float(np.quantile(chosen, share, method="inverted_cdf")) if len(chosen) else None
