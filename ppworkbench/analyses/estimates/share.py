"""Which share of people meet a condition, of everybody or of those who meet another one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from ppworkbench.analyses.estimates.request import (
    CONDITION,
    SHARED,
    ByArm,
    EstimateInput,
    Method,
    SurveyRequest,
    read_condition,
)
from ppworkbench.analyses.estimates.result import (
    NumberResult,
    SurveyResult,
    count_decimals,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option, Read
from ppworkbench.core.reconstruct.agreement import Pooling
from ppworkbench.core.reconstruct.sharpness import Sharpest
from ppworkbench.core.survey.conditions.condition import (
    EVERYBODY,
    Comparison,
    Condition,
    Operator,
    parse_condition,
)
from ppworkbench.core.survey.estimates import JOINT
from ppworkbench.results.sheet import Sheet

if TYPE_CHECKING:
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.survey.estimates import Estimate


def read_what(given: Any) -> str:
    """The text of a condition, or the name of an attribute alone, which only its design knows."""
    if isinstance(given, Condition):
        return str(given)
    if isinstance(given, str) and not any(sign in given for sign in "=<>{}"):
        return given
    read_condition(given)
    return str(given)


def condition_of(what: str, design: Design) -> Condition:
    """The condition, or the sensitive answer of an attribute that is named alone."""
    if what not in design:
        return parse_condition(what)
    attribute = design[what].attribute
    if len(attribute.sensitive) != 1:
        raise ParameterError.saying(
            "{attribute!r} has no single sensitive answer; say which share is meant, as in "
            "'{attribute} = {value}'.",
            attribute=what,
            value=attribute.values[0] if attribute.values else "0",
            field="what",
        )
    return Condition((Comparison(what, Operator.EQUAL, attribute.sensitive[0]),))


def answer_of(condition: Condition, design: Design) -> tuple[str, str]:
    """The attribute and the answer of a condition that is nothing more."""
    test = condition.tests[0] if len(condition.tests) == 1 else None
    if not isinstance(test, Comparison) or test.operator is not Operator.EQUAL:
        test = None
    if test is None or not design[test.attribute].attribute.kind.is_categorical:
        raise ParameterError(
            "With where=, share() takes one answer to one attribute, as in "
            "share('fare_evasion = yes', where='sex = F').",
            field="what",
        )
    values = design[test.attribute].attribute.values
    if str(test.value) not in values:
        raise ParameterError.saying(
            "{value!r} is no value of {attribute!r}; its values are {known}.",
            value=str(test.value),
            attribute=test.attribute,
            known=", ".join(values[:8]),
            field="what",
        )
    return test.attribute, str(test.value)


class ShareResult(NumberResult):
    """A share of people; what it was found from is in the document beside it.

    Of everybody it comes from a count, of those who meet another condition from a distribution.
    """

    unit, scale = " %", 100.0
    request: Share
    found: Any
    """A count, or the distribution of the answer among the others."""

    @property
    def value(self) -> str:
        """The answer whose share among others this is; empty for a share of everybody."""
        if self.request.where == EVERYBODY:
            return ""
        return answer_of(condition_of(self.request.what, self.design), self.design)[1]

    def sentence(self) -> str:
        said: str = self.found.sentence if self.value else self.found.share_sentence
        return said

    def labels(self) -> tuple[tuple[str, Message], ...]:
        key = "value" if self.value else "statistic"
        return ((key, Message.of(self.shown(self.found.of)) if self.value else Message(key)),)

    def rows(self, found: Any) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        return [((self.value or "share",), self.value_of(found))]

    def beside(self, found: Any) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        """The number of people, or the shares of all answers."""
        if not self.value:
            return [(("count",), found.value)]
        return [((label,), one) for label, one in zip(found.labels, found.shares, strict=True)]

    def value_of(self, found: Any) -> Estimate:
        value: Estimate = (
            found.shares[found.labels.index(self.value)] if self.value else found.share
        )
        return value

    def measured(self) -> Message:
        return Message("share")

    def figure(self, name: str) -> Estimate | None:
        return self._value if name == "share" else None

    def decimals(self) -> int:
        sample = self.sample
        return count_decimals(
            round(self.found.respondents if sample is None else sample.weighted_n)
        )

    def sheets(self) -> tuple[Sheet, ...]:
        other = "distribution" if self.value else "count"
        return (*super().sheets(), self.sheet_of(other, self.beside))

    def _document(self) -> Mapping[str, Any]:
        whole, own = super()._document(), self._value.to_json()
        if self.value:
            return {**own, "value": self.value, **whole}
        count = self.found.value.to_json()
        shared = {name: one for name, one in whole.items() if name not in count}
        return {**own, **shared, "count": count}

    def described(self, whom: str) -> Message:
        return Message("The share of respondents with {whom}", whom=whom or "…")


@dataclass(frozen=True, kw_only=True)
class Share(SurveyRequest):
    """Estimate a share: of everybody, or of those who meet another condition.

    ``what`` is a condition, or just the name of an attribute one of whose answers is marked as
    sensitive; with ``where`` it is one answer to one attribute.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> answers = pd.DataFrame({"town": ["Ash", "Ash", "Elm", "Ash"]})
    >>> pp.Survey(answers).share("town = Ash").estimate
    0.75
    """

    name: ClassVar[str] = "share"
    label: ClassVar[Message] = Message("Share of people who meet a condition")
    leading: ClassVar[tuple[str, ...]] = ("what", "where")
    finds: ClassVar[type[SurveyResult]] = ShareResult
    statistic: ClassVar[str] = "count"
    short: ClassVar[Message] = Message("Share")
    hint: ClassVar[Message] = Message("Which share meets all of these conditions?")
    takes: ClassVar[tuple[str, ...]] = (*SHARED, "method", "by_arm", "pooling")
    spelled: ClassVar[Mapping[str, str]] = {"condition": "what"}
    is_from_counts: ClassVar[bool] = True
    is_number: ClassVar[bool] = True
    needs_condition: ClassVar[bool] = True
    has_readings: ClassVar[bool] = True

    what: Annotated[
        str,
        Read(read_what, annotation="str | Condition"),
        Option("where", "CONDITION"),
        Info("What", CONDITION.help),
    ]
    where: Annotated[
        Condition,
        Read(read_condition, on_command_line=False, annotation="str | Condition"),
        Info("Where", "among whom the share is taken; then what is one answer to one attribute"),
    ] = EVERYBODY
    method: Method = JOINT
    sharpest: Sharpest = "auto"
    by_arm: ByArm = False
    pooling: Pooling = "likelihood"

    @classmethod
    def of_kept(cls, kept: Mapping[str, Any]) -> Self:
        """The share of those who meet the condition of a count."""
        return super().of_kept({**kept, "condition": str(kept["condition"])})

    def can_be_split(self, by: str) -> bool:
        return bool(set(parse_condition(self.what).attributes) - {by})

    @property
    def steps(self) -> int:
        return len(parse_condition(self.what).attributes)

    def condition_in(self, design: Design) -> Condition:
        return condition_of(self.what, design) if self.where == EVERYBODY else self.where

    def attributes_in(self, design: Design) -> tuple[str, ...]:
        asked = condition_of(self.what, design)
        if self.where == EVERYBODY:
            return asked.attributes
        return (*self.where.attributes, answer_of(asked, design)[0])

    def estimate(self, given: EstimateInput) -> Any:
        from ppworkbench.core.survey.counts import count
        from ppworkbench.core.survey.distributions import distribution

        asked, shared = condition_of(self.what, given.design), self.shared(given)
        if self.where == EVERYBODY:
            return count(
                given.source, given.design, asked, self.method, pooling=self.pooling, **shared
            )
        return distribution(
            given.source, given.design, answer_of(asked, given.design)[0], self.where, self.method,
            pooling=self.pooling, **shared,
        )  # fmt: skip


QUESTION = Share
