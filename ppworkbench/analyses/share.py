"""Which share of people meet a condition, of everybody or of those who meet another one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from ppworkbench.analyses.survey_request import (
    CONDITION,
    ByArm,
    Method,
    NumberResult,
    Pooling,
    Sharpest,
    SurveyRequest,
    SurveyResult,
    read_condition,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option, Read
from ppworkbench.core.survey.conditions.condition import (
    EVERYBODY,
    Comparison,
    Condition,
    Operator,
)
from ppworkbench.core.survey.conditions.parser import parse_condition
from ppworkbench.core.survey.estimates import JOINT
from ppworkbench.results.sheet import Sheet

if TYPE_CHECKING:
    from ppworkbench.analyses.survey.questions import Question
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
        """The share in one sentence."""
        said: str = self.found.sentence if self.value else self.found.share_sentence
        return said

    def labels(self) -> tuple[tuple[str, Message], ...]:
        """What the number is; among others it is one value of several."""
        key = "value" if self.value else "statistic"
        return ((key, Message.of(self.shown(self.found.of)) if self.value else Message(key)),)

    def rows(self, found: Any) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        """The share."""
        return [((self.value or "share",), self.value_of(found))]

    def beside(self, found: Any) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        """The number of people, or the shares of all answers."""
        if not self.value:
            return [(("count",), found.value)]
        return [((label,), one) for label, one in zip(found.labels, found.shares, strict=True)]

    def value_of(self, found: Any) -> Estimate:
        """The share."""
        value: Estimate = (
            found.shares[found.labels.index(self.value)] if self.value else found.share
        )
        return value

    def measured(self) -> Message:
        """What the number is."""
        return Message("share")

    def sheets(self) -> tuple[Sheet, ...]:
        """The share, and what it was found from."""
        other = "distribution" if self.value else "count"
        return (*super().sheets(), self.sheet_of(other, self.beside))

    def _document(self) -> Mapping[str, Any]:
        whole, own = super()._document(), self._value.to_json()
        if self.value:
            return {**own, "value": self.value, **whole}
        count = self.found.value.to_json()
        shared = {name: one for name, one in whole.items() if name not in count}
        return {**own, **shared, "count": count}


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
    statistic: ClassVar[str] = "count"
    finds: ClassVar[type[SurveyResult]] = ShareResult

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

    def question(self, design: Design) -> Question:
        """A count of everybody, or one answer of a distribution."""
        asked = condition_of(self.what, design)
        if self.where == EVERYBODY:
            return super().question(design).with_(condition=asked)
        name, _ = answer_of(asked, design)
        return super().question(design).with_(statistic="distribution", of=name)

    @classmethod
    def of_question(cls, asked: Question) -> Self:
        """The share of those who meet the condition of a count."""
        return cls(
            what=str(asked.condition), method=asked.method, arms=asked.arms, by_arm=asked.by_arm,
            pooling=asked.pooling,
        )  # fmt: skip


QUESTION = Share
