"""Correlations of true answers, seen through their devices.

With contributions u that are unbiased for the answers and q that are unbiased for their squares,
``(mean(u_a u_b) - mean(u_a) mean(u_b)) / root of both (mean(q) - mean(u)^2)``. For two attributes
with two values it is phi.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.json_values import finite_fields
from ppworkbench.core.message import Message
from ppworkbench.core.models.coding import value_place
from ppworkbench.core.models.linearised import covariance_of_sums, degrees_of_freedom
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.sampling.results import IntervalContents, interval_contents
from ppworkbench.core.sampling.variance import t_factor
from ppworkbench.core.survey.answers import Asked, original_answers
from ppworkbench.core.survey.answers import taken_for_true as at_face_value
from ppworkbench.core.survey.conditions.condition import EVERYBODY, Comparison, Condition, Operator
from ppworkbench.core.survey.conditions.regions import regions_of
from ppworkbench.core.survey.estimates import amount
from ppworkbench.core.survey.inquiry import Inquiry, inquire
from ppworkbench.core.survey.means import moment_square, moment_weights
from ppworkbench.core.survey.sampled import SurveySample

MOST_ATTRIBUTES = 30
OUTSIDE = "correlation-outside"
ANCHOR_UNUSED = "anchor-unused"
"""The code of the remark that a check question plays no part."""


@dataclass(frozen=True)
class Correlation:
    """One pair of attributes; the estimate may lie outside -1 to 1 by chance."""

    a: str
    b: str
    estimate: float
    low: float
    high: float
    standard_error: float
    naive: float
    true: float | None = None

    def to_json(self) -> dict[str, Any]:
        row = {"a": self.a, "b": self.b} | finite_fields(
            self, "estimate", "low", "high", "standard_error", "naive"
        )
        return row if self.true is None else row | finite_fields(self, "true")


@dataclass(frozen=True, eq=False)
class Correlations:
    attributes: tuple[str, ...]
    n: int
    correlations: tuple[Correlation, ...]
    confidence: float
    target: str
    contents: IntervalContents
    remarks: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        known = [one for one in self.correlations if math.isfinite(one.estimate)]
        if not known:
            return Message("No correlation can be told from these answers.")
        first = max(known, key=lambda one: abs(one.estimate))
        return Message(
            "{attribute} and {other_attribute}: correlation {estimate}, {level:g} % interval {low} "
            "to {high}.",
            attribute=first.a,
            other_attribute=first.b,
            estimate=amount(first.estimate, 2),
            level=100 * self.confidence,
            low=amount(first.low, 2),
            high=amount(first.high, 2),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "attributes": list(self.attributes),
            "n": self.n,
            "correlations": [one.to_json() for one in self.correlations],
            "confidence": self.confidence,
            "target": self.target,
            "contains": list(self.contents.contains),
            "excludes": list(self.contents.excludes),
            "remarks": list(self.remarks),
        }


@dataclass(frozen=True)
class _Side:
    attribute: Attribute
    value: str

    @property
    def name(self) -> str:
        return self.attribute.name

    @property
    def label(self) -> str:
        plain = self.value == "" or (
            len(self.attribute.values) == 2 and self.value == self.attribute.values[1]
        )
        return self.name if plain else f"{self.name}={self.value}"


def correlate(  # noqa: PLR0913 (keywords with defaults)
    table: Table,
    design: Design,
    of: Sequence[str],
    *,
    confidence: float = 0.95,
    original: Table | None = None,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
    progress: Progress = silent,
) -> Correlations:
    """The correlations of all pairs.

    Parameters
    ----------
    of
        Numbers, attributes with two values, or ``name=value``.
    """
    if len(of) < 2:
        raise ParameterError("A correlation needs two attributes; name another.", field="of")
    if len(of) > MOST_ATTRIBUTES:
        raise ParameterError.saying(
            "At most {most} attributes at once.", most=MOST_ATTRIBUTES, field="of"
        )
    sides = tuple(_side(text, design) for text in of)
    design.refuse_sets(side.name for side in sides)
    survey = SurveySample.stated(table, design, sampling, options, confidence=confidence)
    remarks: list[str] = [
        Message(
            "The check question of {attribute!r} is not used: everybody is taken to have been "
            "attentive. A regression uses it.",
            attribute=side.name,
            code=ANCHOR_UNUSED,
        )
        for side in sides
        if design.anchor_of(side.name) is not None
    ]
    found = []
    n = 0
    pairs = list(itertools.combinations(sides, 2))
    for number, (a, b) in enumerate(pairs):
        progress(number / len(pairs), Message("correlating"))
        one, told, count = _pair(table, design, a, b, survey, confidence, original)
        found.append(one)
        remarks += told
        n = max(n, count)
    target = "population" if survey is None else survey.frame.options.target
    return Correlations(
        tuple(side.label for side in sides), n, tuple(found), confidence, target,
        interval_contents(
            sampling, target, undistorted=design.is_undistorted(side.name for side in sides)
        ),
        tuple(dict.fromkeys(remarks)),
    )  # fmt: skip


def split_value(text: str, design: Design) -> tuple[str, str]:
    """The attribute and the value of ``name=value``; the value is empty where only a name stands.

    A name may have equals signs and outer blanks itself, so the longest one that the design knows
    is taken.
    """
    if text in design:
        return text, ""
    for place in reversed([place for place, sign in enumerate(text) if sign == "="]):
        for name in (text[:place], text[:place].strip()):
            if name in design:
                return name, text[place + 1 :].strip()
    name, _, value = text.partition("=")
    return name.strip(), value.strip()


def _side(text: str, design: Design) -> _Side:
    name, value = split_value(text, design)
    if name not in design:
        raise ParameterError.saying(
            "The design has no attribute {attribute!r}.", attribute=name, field="of"
        )
    attribute = design[name].attribute
    if not attribute.kind.is_categorical:
        return _Side(attribute, "")
    if not value and attribute.k == 2:
        value = attribute.values[1]
    if not value:
        raise ParameterError.saying(
            "{attribute!r} has {count} values; say which one counts, as in {attribute}={value}.",
            count=attribute.k,
            value=attribute.values[-1],
            attribute=name,
            field="of",
        )
    value_place(attribute, value)
    return _Side(attribute, value)


def _pair(
    table: Table,
    design: Design,
    a: _Side,
    b: _Side,
    survey: SurveySample | None,
    confidence: float,
    original: Table | None,
) -> tuple[Correlation, list[str], int]:
    if a.name == b.name:
        raise ParameterError.saying("{attribute!r} is named twice.", attribute=a.name, field="of")
    inquiry = _inquire(table, design, a, b)
    moments = _moments(inquiry, a, b)
    weights = np.ones(inquiry.n) if survey is None else survey.weights(inquiry.answers.rows)
    estimate, slope = _correlation(weights @ moments / weights.sum())
    error, degrees, told = math.nan, math.inf, []
    if math.isfinite(estimate):
        mean = weights @ moments / weights.sum()
        values = ((moments - mean) @ slope)[:, None] * weights[:, None] / weights.sum()
        error, degrees, remarks = _error(values, inquiry, survey)
        told = list(remarks)
    else:
        told.append(
            Message(
                "By the estimate {attribute} or {other_attribute} does not vary, so there is no "
                "correlation to tell.",
                attribute=a.label,
                other_attribute=b.label,
            )
        )
    reach = t_factor(confidence, degrees) * error
    if abs(estimate) > 1:
        told.append(
            Message(
                "The correlation of {attribute} and {other_attribute} is outside -1 to 1, as may "
                "happen by chance.",
                attribute=a.label,
                other_attribute=b.label,
                code=OUTSIDE,
            )
        )
    naive = _plain(
        {side.name: at_face_value(side.name, inquiry.answers, design) for side in (a, b)}, a, b,
        weights,
    )  # fmt: skip
    true = None
    if original is not None:
        true = _true(original, design, a, b, survey if original.rows == table.rows else None)
    one = Correlation(
        a.label, b.label, estimate, estimate - reach, estimate + reach, error, naive, true
    )
    return one, [*inquiry.remarks, *told], inquiry.n


def _condition(side: _Side) -> Condition:
    if not side.value:
        return EVERYBODY
    return Condition((Comparison(side.name, Operator.EQUAL, side.value),))


def _inquire(table: Table, design: Design, a: _Side, b: _Side) -> Inquiry:
    asked = [
        Asked(
            side.attribute,
            design.perturbation(side.name),
            regions_of(_condition(side), design).get(side.name),
            moment=not side.value,
        )
        for side in (a, b)
    ]
    return inquire(table, design, asked)


def _true(
    original: Table, design: Design, a: _Side, b: _Side, survey: SurveySample | None
) -> float | None:
    """The correlation of the true answers, weighted where their rows are those of the sample."""
    answers = original_answers(original, design, (a.name, b.name))
    weights = np.ones(answers.n) if survey is None else survey.weights(answers.rows)
    return _plain(answers.data, a, b, weights) if weights.sum() > 0 else None


def _moments(inquiry: Inquiry, a: _Side, b: _Side) -> Numbers:
    """For every record what is unbiased for x_a, x_b, x_a x_b, x_a² and x_b²."""
    if len(inquiry.factors) == 1:
        return _shared_coin(inquiry, a, b)
    parts = [_single(inquiry, side) for side in (a, b)]
    (first, first_square), (second, second_square) = parts
    return np.column_stack([first, second, first * second, first_square, second_square])


def _single(inquiry: Inquiry, side: _Side) -> tuple[Numbers, Numbers]:
    factor, codes = inquiry.factor_of(side.name)
    if side.value:
        weight = factor.weights.matrix[codes, 0]
        return weight, weight
    data = inquiry.answers.data[side.name]
    found = moment_weights(factor, codes, data)
    asked = factor.asked[0]
    if found is None or asked.perturbation.numbers.why_only_mean(asked.attribute):
        raise DataError.saying(
            "The noise of {attribute!r} has no simple correction, so its correlation cannot "
            "be told.",
            attribute=side.name,
        )
    return found[1], moment_square(factor, codes, data)


def _shared_coin(inquiry: Inquiry, a: _Side, b: _Side) -> Numbers:
    """Both answers were distorted by one coin: weights of the group's own channel."""
    factor, codes = inquiry.factors[0], inquiry.codes[0]
    parts = []
    for wanted in ((a.name,), (b.name,), (a.name, b.name)):
        asked = tuple(
            one if one.name in wanted else replace(one, region=None) for one in factor.asked
        )
        other = replace(factor, asked=asked)  # type: ignore[type-var]
        parts.append(other.weights.matrix[codes, 0])
    return np.column_stack([*parts, parts[0], parts[1]])


def _correlation(means: Numbers) -> tuple[float, Numbers]:
    x, y, xy, xx, yy = (float(mean) for mean in means)
    covariance, first, second = xy - x * y, xx - x * x, yy - y * y
    if first <= 0 or second <= 0:
        return math.nan, np.zeros(5)
    root = math.sqrt(first * second)
    r = covariance / root
    slope = np.array(
        [
            -y / root + r * x / first,
            -x / root + r * y / second,
            1 / root,
            -r / (2 * first),
            -r / (2 * second),
        ]
    )
    return r, slope


def _error(
    values: Numbers, inquiry: Inquiry, survey: SurveySample | None
) -> tuple[float, float, tuple[str, ...]]:
    n = inquiry.n
    if survey is None:
        variance = float((values**2).sum()) * n / max(n - 1, 1)
        return math.sqrt(max(variance, 0.0)), math.inf, ()
    if survey.frame.is_about_respondents:
        raise ParameterError(
            "Correlations are estimated for the population only; choose that target.",
            field="target",
        )
    rows = inquiry.answers.rows
    # What the device adds does not shrink with a finite population; the safe side is to leave
    # that out where a device is used at all.
    exact = all(one.perturbation.is_identity for factor in inquiry.factors for one in factor.asked)
    covariance, remarks = covariance_of_sums(lambda part: values[part], survey, rows, finite=exact)
    return (
        math.sqrt(max(float(covariance[0, 0]), 0.0)),
        degrees_of_freedom(survey, rows),
        remarks,
    )


def _plain(data: Mapping[str, NDArray[Any]], a: _Side, b: _Side, weights: Numbers) -> float:
    columns = []
    for side in (a, b):
        column = np.asarray(data[side.name], np.float64)
        if side.value:
            column = (column == value_place(side.attribute, side.value)).astype(np.float64)
        columns.append(column)
    x, y = columns
    means = [float(weights @ one / weights.sum()) for one in (x, y, x * y, x * x, y * y)]
    return _correlation(np.array(means))[0]
