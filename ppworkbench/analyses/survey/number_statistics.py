"""Statistics that are numbers: shares of people with a condition, means, ratios and quantiles."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar, TypeVar

from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.analyses.survey.history import (
    count_decimals,
    finite_numbers,
    number_decimals,
    ratio_decimals,
)
from ppworkbench.analyses.survey.questions import (
    COUNT,
    MEAN,
    QUANTILE,
    RATIO,
    Question,
    uses_sampling,
)
from ppworkbench.analyses.survey.statistic import (
    SHARED,
    EstimateInput,
    LabelledEstimates,
    Numbers,
    SampledStatistic,
    among,
    statistics,
)
from ppworkbench.analyses.survey.tables import NUMBERS, Rows, cells, number_cells
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sampling_roles import POPULATION, RESPONDENTS
from ppworkbench.core.design import Design
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.worst_case import Limits
from ppworkbench.core.survey.counts import Count, count
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL, Estimate
from ppworkbench.core.survey.means import Mean, mean
from ppworkbench.core.survey.quantiles import Quantiles, quantile
from ppworkbench.core.survey.ratios import Ratio, ratio

N = TypeVar("N", bound=Count | Mean | Ratio)


class NumberStatistic(SampledStatistic[N]):
    """One number, told beside the same by the other method or for the other target."""

    is_from_counts = True
    is_number = True
    unit: ClassVar[str] = ""
    scale: ClassVar[float] = 1.0
    """By what the number is multiplied to be told in its unit."""

    @abstractmethod
    def number(self, result: N) -> Estimate:
        """The one number."""

    @abstractmethod
    def _decimals(self, result: N, answer: SurveyResult) -> int:
        """With how many decimals the value is written."""

    @abstractmethod
    def _named_values(self, result: N) -> tuple[tuple[str, Estimate], ...]:
        """What a table tells, by name."""

    def limits(self, result: N) -> Limits | None:
        return result.limits

    def respondents(self, result: N) -> int:
        return result.respondents

    def arm_estimates(self, result: N) -> LabelledEstimates:
        return {(): self.number(result)}

    def kept(self, result: N, answer: SurveyResult) -> tuple[Numbers, int]:
        """The value with its interval, if that is valid."""
        value = result.value
        is_valid = answer.question.has_valid_interval and math.isfinite(value.standard_error)
        ends = (value.low, value.high) if is_valid else (None, None)
        told = finite_numbers(value.estimate, *ends, value.naive, value.true)
        return told, self._decimals(result, answer)

    def told_numbers(self, result: N, answer: SurveyResult) -> tuple[str, ...]:
        """The number with its interval, what that rests on, and whom it is about."""
        if result.limits is not None and result.limits.says_nothing:
            return (Message.of(result.sentence),)
        sample = None if result.sample is None else result.sample.sentence
        told = (self._in_methods(result, answer), answer.bounds_remark, sample)
        return tuple(one for one in told if one is not None)

    def _in_methods(self, result: N, answer: SurveyResult) -> Message:
        value, scale = self.number(result), self.scale
        estimate = value.estimate * scale
        if not answer.question.has_valid_interval or not math.isfinite(value.standard_error):
            return Message(
                "The estimate is {estimate:.1f}{unit}.", estimate=estimate, unit=self.unit
            )
        return Message(
            "The estimate is {estimate:.1f}{unit} ({level:.0f} % CI {low:.1f} to {high:.1f}).",
            estimate=estimate,
            unit=self.unit,
            level=100 * result.confidence,
            low=value.low * scale,
            high=value.high * scale,
        )

    def rows(self, result: N, answer: SurveyResult) -> Rows:
        """The number, and the one beside it: by the other method or for the other target."""
        asked = answer.question
        of_method = {JOINT: SEQUENTIAL, SEQUENTIAL: JOINT}
        of_target = {POPULATION: RESPONDENTS, RESPONDENTS: POPULATION}
        if uses_sampling(asked, answer.study):
            head, own, other = "target", asked.target, of_target[asked.target]
        else:
            head, own, other = "method", result.method, of_method[result.method]
        rows = [["statistic", head, *NUMBERS], *self._rows_of(result, own)]
        beside = answer.beside
        return [*rows, *self._rows_of(beside, other)] if isinstance(beside, type(result)) else rows

    def _rows_of(self, result: N, which: str) -> Rows:
        return [[name, which, *number_cells(value)] for name, value in self._named_values(result)]


@statistics.register(
    COUNT, Message("Share"), hint="Which share meets all of these conditions?", rank=10
)
class CountStatistic(NumberStatistic[Count]):
    """How many people meet a condition, and which share of all they are."""

    takes = (*SHARED, "method", "by_arm", "pooling")
    needs_condition = True
    has_readings = True
    unit, scale = " %", 100.0
    asks = "share"

    def can_be_split(self, asked: Question, by: str) -> bool:
        return bool(set(asked.condition.attributes) - {by})

    def steps(self, asked: Question) -> int:
        return len(asked.condition.attributes)

    def estimate(self, asked: Question, given: EstimateInput) -> Count:
        return count(
            given.source, given.design, asked.condition, asked.method, pooling=asked.pooling,
            **given.noisy, **given.shared,
        )  # fmt: skip

    def number(self, result: Count) -> Estimate:
        return result.share

    def figure(self, result: Count, name: str) -> Estimate | None:
        return result.share if name == "share" else None

    def _decimals(self, result: Count, answer: SurveyResult) -> int:  # noqa: ARG002
        people = result.respondents if result.sample is None else result.sample.weighted_n
        return count_decimals(round(people))

    def _named_values(self, result: Count) -> tuple[tuple[str, Estimate], ...]:
        return (("count", result.value), ("share", result.share))

    def described(self, asked: Question, whom: str) -> Message:  # noqa: ARG002
        return Message("The share of respondents with {whom}", whom=whom or "…")


@statistics.register(
    MEAN, Message("Mean"), hint="What is the mean of a number among those who meet them?", rank=20
)
class MeanStatistic(NumberStatistic[Mean]):
    takes = (*SHARED, "method", "of", "by_arm")
    asks = MEAN
    only_numbers = True
    is_share = False

    def can_be_split(self, asked: Question, by: str) -> bool:
        return by != asked.of

    def problem(self, asked: Question, design: Design) -> str:
        if self.can_be_of(design[asked.of].attribute):
            return ""
        return Message("{of} has no mean; choose its distribution.", of=asked.of)

    def estimate(self, asked: Question, given: EstimateInput) -> Mean:
        return mean(
            given.source, given.design, asked.of, asked.condition, asked.method,
            **given.noisy, **given.shared,
        )  # fmt: skip

    def number(self, result: Mean) -> Estimate:
        return result.value

    def figure(self, result: Mean, name: str) -> Estimate | None:
        return result.total if name == "total" else result.value

    def _decimals(self, result: Mean, answer: SurveyResult) -> int:  # noqa: ARG002
        return number_decimals(answer.study.design[answer.question.of].attribute)

    def _named_values(self, result: Mean) -> tuple[tuple[str, Estimate], ...]:
        return ((f"mean of {result.of}", result.value),)

    def described(self, asked: Question, whom: str) -> Message:
        return among(Message("The mean of {of}", of=asked.of), whom)


@statistics.register(
    RATIO,
    Message("Ratio"),
    hint="What is the total of a number, divided by that of another, among them?",
    rank=25,
)
class RatioStatistic(NumberStatistic[Ratio]):
    """The total of a number divided by that of another."""

    takes = (*SHARED, "of", "by")
    asks = RATIO
    is_from_counts = False
    is_number = False
    only_numbers = True
    is_share = False

    def is_offered(self, design: Design) -> bool:
        return sum(one.attribute.kind.is_numeric for one in design) > 1

    def can_be_by(self, attribute: Attribute) -> bool:
        return attribute.kind.is_numeric

    def problem(self, asked: Question, design: Design) -> str:
        if not asked.by:
            return Message("Choose the number to divide by.")
        for name in (asked.of, asked.by):
            if not self.can_be_of(design[name].attribute):
                return Message("{of} is no number and has no ratio.", of=name)
        if asked.of == asked.by:
            return Message("A ratio needs 2 different numbers.")
        return ""

    def estimate(self, asked: Question, given: EstimateInput) -> Ratio:
        return ratio(given.table, given.design, asked.of, asked.by, asked.condition, **given.shared)

    def number(self, result: Ratio) -> Estimate:
        return result.value

    def figure(self, result: Ratio, name: str) -> Estimate | None:  # noqa: ARG002
        return result.value

    def _decimals(self, result: Ratio, answer: SurveyResult) -> int:  # noqa: ARG002
        return ratio_decimals(result.value.estimate)

    def _named_values(self, result: Ratio) -> tuple[tuple[str, Estimate], ...]:
        return ((f"ratio of {result.of} to {result.by}", result.value),)

    def described(self, asked: Question, whom: str) -> Message:
        return among(Message("The ratio of {of} to {by}", of=asked.of, by=asked.by), whom)


@statistics.register(
    QUANTILE,
    Message("Quantiles"),
    hint="Which number has a given share of answers below it?",
    rank=30,
)
class QuantileStatistic(SampledStatistic[Quantiles]):
    """The numbers below which given shares of people lie."""

    takes = (*SHARED, "of", "at")
    asks = QUANTILE
    only_numbers = True
    is_share = False

    def problem(self, asked: Question, design: Design) -> str:
        if self.can_be_of(design[asked.of].attribute):
            return ""
        return Message("{of} has no quantiles; choose its distribution.", of=asked.of)

    def estimate(self, asked: Question, given: EstimateInput) -> Quantiles:
        return quantile(
            given.table, given.design, asked.of, asked.at, asked.condition,
            **given.noisy, **given.shared,
        )  # fmt: skip

    def kept(self, result: Quantiles, answer: SurveyResult) -> tuple[Numbers, int]:
        middle = result.quantiles[len(result.quantiles) // 2]
        told = (middle.estimate, middle.low, middle.high, middle.naive, middle.true)
        attribute = answer.study.design[answer.question.of].attribute
        return finite_numbers(*told), number_decimals(attribute)

    def described(self, asked: Question, whom: str) -> Message:
        return among(Message("The quantiles of {of}", of=asked.of), whom)

    def told_numbers(self, result: Quantiles, answer: SurveyResult) -> tuple[str, ...]:  # noqa: ARG002
        return (Message.of(result.sentence),)

    def rows(self, result: Quantiles, answer: SurveyResult) -> Rows:  # noqa: ARG002
        return [
            ["share", f"quantile of {result.of}", "low", "high", "uncorrected", "true"],
            *(
                cells(one.at, one.estimate, one.low, one.high, one.naive, one.true)
                for one in result.quantiles
            ),
        ]
