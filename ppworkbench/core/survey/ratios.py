"""The ratio of the totals of two numbers among the respondents who meet a condition.

With ``a`` and ``b`` the contributions of a record to both totals, each with the mean of the true
number where the record meets the condition and 0 elsewhere, ``R = sum w a / sum w b``. The
linearised value is ``w (a - R b) / sum w b``. Both numbers have randomness of their own, so that
the product of their contributions is unbiased for the product of the true numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.sampling.moments import Terms
from ppworkbench.core.sampling.results import SampleSummary
from ppworkbench.core.survey.answers import meeting
from ppworkbench.core.survey.conditions.condition import EVERYBODY, Condition, as_condition
from ppworkbench.core.survey.conditions.regions import Region, asked_attribute, regions_of
from ppworkbench.core.survey.estimates import (
    JOINT,
    Estimate,
    amount,
    at_face_value,
    few,
    impossible,
    interval,
    joined,
)
from ppworkbench.core.survey.inquiry import Inquiry, asked_by
from ppworkbench.core.survey.means import moment_square, moment_weights
from ppworkbench.core.survey.sampled import SurveyResult, other_weights
from ppworkbench.core.survey.samples import Counted, DrawnSample

NEAR_ZERO = Message(
    "The total of the divisor is not clearly different from 0, so the ratio is unreliable.",
    code="divisor-near-zero",
)


@dataclass(frozen=True)
class Ratio(SurveyResult):
    """The total of one number divided by that of another, among those who meet a condition."""

    of: str
    by: str
    value: Estimate
    sample: SampleSummary = field(kw_only=True)
    method: str = JOINT
    limits: None = None

    @property
    def sentence(self) -> str:
        value = self.value
        words = (
            "The ratio of {of} to {by} of those who meet {condition} is about {found} ({reach})."
            if self.condition.tests
            else "The ratio of {of} to {by} is about {found} ({reach})."
        )
        told = Message(
            words,
            of=self.of,
            by=self.by,
            condition=self.condition,
            found=amount(value.estimate),
            reach=interval(value, self.confidence),
        )
        parts = [told, self.sample.sentence]
        return Message.joined(
            parts if value.naive is None else [*parts, at_face_value(value.naive)]
        )

    def to_json(self) -> dict[str, Any]:
        found = self.value.to_json() | self.named_json("of", "by", "method")
        return found | self.sample_json()


def ratio(  # noqa: PLR0913 (keywords with defaults)
    table: Table,
    design: Design,
    of: str,
    by: str,
    condition: Condition | str = EVERYBODY,
    *,
    original: Table | None = None,
    confidence: float = 0.95,
    progress: Progress = silent,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
) -> Ratio:
    """Estimate the ratio of the totals of two numbers.

    Parameters
    ----------
    of, by
        The number, and the one that it is divided by; either may be under noise.
    condition, original, sampling, options
        As for :func:`ppworkbench.core.survey.counts.count`.
    """
    condition = as_condition(condition)
    regions = regions_of(condition, design)
    _check(design, of, by)
    survey = DrawnSample.read(
        table, design, sampling, options, original=original, confidence=confidence
    )
    inquiry = survey.inquire(asked_by(regions, design, moments=(of, by)), part(progress, 0.0, 0.5))
    terms, told = _terms(inquiry, of, by, part(progress, 0.5, 1.0))
    totals = survey.totals(terms, inquiry.answers)
    divisor = totals.sums(np.array([[0.0, 0.0, 1.0]]))
    size, error = float(divisor.values[0]), float(divisor.errors[0])
    if size == 0:
        raise DataError.saying(
            "The total of {by!r} is 0, so nothing can be divided by it.", by=by, attribute=by
        )
    found = totals.ratios(np.array([[0.0, 1.0, 0.0]]), np.array([[0.0, 0.0, 1.0]]))
    naive = _plain(survey.reported(inquiry.answers), of, by, regions)
    true = _plain(survey.truth(dict.fromkeys([*regions, of, by])), of, by, regions)
    value = survey.estimate(found, 0, naive=naive, true=true)
    near = (NEAR_ZERO,) if abs(size) < 2 * error else ()
    remarks = joined(
        [*inquiry.remarks, *told, *near, *survey.remarks(found), *few(inquiry.n),
         *impossible(regions)]
    )  # fmt: skip
    return Ratio(
        of, by, value, condition=condition, respondents=inquiry.n, confidence=confidence,
        sample=survey.summary(totals, inquiry), remarks=remarks, sampled=found,
    )  # fmt: skip


def _check(design: Design, of: str, by: str) -> None:
    for name, place in ((of, "of"), (by, "by")):
        attribute = asked_attribute(name, design)
        if not attribute.kind.is_numeric:
            raise ParameterError.saying(
                "Attribute {attribute!r} is no number, so it has no ratio; name a number.",
                attribute=name,
                field=place,
            )
    if of == by:
        raise ParameterError.saying(
            "A ratio needs 2 different numbers, not {of!r} twice.", of=of, attribute=of, field="by"
        )


def _terms(inquiry: Inquiry, of: str, by: str, progress: Progress) -> tuple[Terms, tuple[str, ...]]:
    parts = []
    for name in (of, by):
        factor, codes = inquiry.factor_of(name)
        data = inquiry.answers.data[name]
        found = moment_weights(factor, codes, data)
        if found is None:
            raise ParameterError.saying(
                "The noise of {attribute!r} is too wide for the condition on it; leave that out.",
                attribute=name,
                field="where",
            )
        parts.append((factor, *found, moment_square(factor, codes, data)))
    (first, here, upper, told, upper_square), (second, there, lower, more, lower_square) = parts
    if not inquiry.is_well_conditioned_without(first, second):
        raise ParameterError(
            "The noise is too wide for a ratio among those who meet the condition; leave its "
            "attribute out.",
            field="where",
        )
    others = other_weights(inquiry, (first, second), progress)
    both: Numbers = here * there if others is None else others * here * there
    base: Numbers = np.ones(inquiry.n) if others is None else others
    multipliers = (both, base * upper * there, base * here * lower)
    products = {
        (0, 0): both,
        (0, 1): multipliers[1],
        (0, 2): multipliers[2],
        (1, 1): base * upper_square * there,
        (1, 2): base * upper * lower,
        (2, 2): base * here * lower_square,
    }
    return Terms(inquiry.n, np.ones((1, 1)), None, multipliers, products), (*told, *more)


def _plain(
    counted: Counted | None, of: str, by: str, regions: Mapping[str, Region]
) -> float | None:
    if counted is None:
        return None
    data, weights = counted
    inside = weights * meeting(data, regions, len(data[of]))
    divisor = float(inside @ data[by])
    return float(inside @ data[of]) / divisor if divisor else None
