"""How many respondents meet a condition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.sharpness import AUTO, Sharpness
from ppworkbench.core.reconstruct.worst_case import Limits
from ppworkbench.core.survey.answers import distorted_answers, meeting, naive_data, true_data
from ppworkbench.core.survey.bounded import BoundedOptions, bound_count, too_noisy, within
from ppworkbench.core.survey.conditions import Condition
from ppworkbench.core.survey.estimates import (
    JOINT,
    SEQUENTIAL,
    Estimate,
    methods,
    with_interval,
)
from ppworkbench.core.survey.inquiry import Inquiry, asked_by, inquire
from ppworkbench.core.survey.parser import as_condition
from ppworkbench.core.survey.regions import Region, regions_of
from ppworkbench.core.survey.sequential import REMARK, assigned_set
from ppworkbench.core.survey.smoothed import smoothed_totals
from ppworkbench.core.survey.totals import Totals, weighted_totals
from ppworkbench.core.survey.words import (
    amount,
    at_face_value,
    few,
    impossible,
    interval,
    joined,
)

OUT_OF_BOUNDS = "out-of-bounds"
"""The code of the remark about a number of people that cannot be."""


@dataclass(frozen=True)
class Count:
    """The number of respondents who meet a condition.

    Parameters
    ----------
    value
        The number with its interval, the naive count and, where known, the truth.
    respondents
        The number of complete records, among which was counted.
    remarks
        Sentences that a reader should know.
    limits
        The worst-case bounds that the interval is, where a number under noise is tested.
    """

    condition: Condition
    method: str
    value: Estimate
    respondents: int
    confidence: float
    remarks: tuple[str, ...] = ()
    limits: Limits | None = None

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        value, n = self.value, self.respondents
        if self.limits is not None and self.limits.says_nothing:
            return too_noisy(self.limits, Message("number"))
        found, reach = amount(value.estimate), interval(value, self.confidence)
        if self.limits is not None:
            told = Message(
                "About {found} of {n:,} respondents meet {condition} ({reach}), {assumption}.",
                found=found,
                n=n,
                condition=self.condition,
                reach=reach,
                assumption=self.limits.assumption.clause,
            )
        elif self.condition.tests:
            told = Message(
                "About {found} of {n:,} respondents meet {condition} ({reach}).",
                found=found,
                n=n,
                condition=self.condition,
                reach=reach,
            )
        else:
            told = Message(
                "About {found} of {n:,} respondents ({reach}).", found=found, n=n, reach=reach
            )
        return Message.joined((told, at_face_value(value.naive)))

    def to_json(self) -> dict[str, Any]:
        """The result for other programs."""
        bounds = {} if self.limits is None else {"bounds": self.limits.to_json()}
        return (
            self.value.to_json()
            | bounds
            | {
                "method": self.method,
                "condition": str(self.condition),
                "respondents": self.respondents,
                "confidence": self.confidence,
                "remarks": list(self.remarks),
            }
        )


def count(  # noqa: PLR0913 (keywords with defaults)
    table: Table,
    design: Design,
    condition: Condition | str,
    method: str = JOINT,
    *,
    original: Table | None = None,
    confidence: float = 0.95,
    sharpness: Sharpness = AUTO,
    seed: int = 0,
    progress: Progress = silent,
) -> Count:
    """Estimate how many respondents meet a condition.

    The joint method sums ``prod_j h_j(z_tj)`` over the records, with ``h_j = P_j^{-T} 1_{S_j}``. It
    is unbiased, and its standard error comes from the sample variance of the products. Where a
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

    Examples
    --------
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
    condition = as_condition(condition)
    regions = regions_of(condition, design)
    limits: Limits | None = None
    if method == SEQUENTIAL:
        answers = distorted_answers(table, design, regions)
        chosen = assigned_set(answers, design, regions, seed, progress)
        size, error = chosen.size, chosen.standard_error
        remarks = answers.remarks + (REMARK,) * (len(regions) > 1)
    else:
        inquiry = inquire(table, design, asked_by(regions, design), part(progress, 0.0, 0.3))
        answers = inquiry.answers
        found = joint_count(inquiry, part(progress, 0.3, 1.0))
        size, error = float(found.values[0]), float(found.errors[0])
        limits = bound_count(inquiry, BoundedOptions(confidence, sharpness))
        remarks = (*inquiry.remarks, *(() if limits else found.remarks))
    naive = float(np.count_nonzero(meeting(naive_data(answers, design), regions, answers.n)))
    true = true_count(original, design, regions)
    if limits is None:
        value = with_interval(size, error, confidence, naive, true)
    else:
        value = within(size, limits, confidence, naive, true)
    remarks = joined(
        [*remarks, *few(answers.n), *impossible(regions), *_out_of_bounds(value, answers.n)]
    )
    return Count(condition, method, value, answers.n, confidence, remarks, limits)


def joint_count(inquiry: Inquiry, progress: Progress = silent) -> Totals:
    """The joint estimate of the number of records that meet the condition of an inquiry."""
    if inquiry.is_well_conditioned:
        return weighted_totals(inquiry, progress=progress)
    return smoothed_totals(inquiry, progress)


def true_count(
    original: Table | None, design: Design, regions: Mapping[str, Region]
) -> float | None:
    """How many of the original answers meet a condition."""
    data = true_data(original, design, tuple(regions))
    if data is None or original is None:
        return None
    return float(np.count_nonzero(meeting(data, regions, original.rows)))


def _out_of_bounds(value: Estimate, n: int) -> tuple[str, ...]:
    if value.estimate < 0:
        words = "The estimate is negative by chance; treat it as 0."
        return (Message(words, code=OUT_OF_BOUNDS),)
    if value.estimate > n:
        return (
            Message(
                "The estimate is above {n:,} by chance; treat it as {n:,}.",
                code=OUT_OF_BOUNDS,
                n=n,
            ),
        )
    return ()
