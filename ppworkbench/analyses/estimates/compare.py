"""A mean or a share in groups of people, or two answers of the same people."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from ppworkbench.analyses.estimates.request import (
    MOST_VALUES,
    SHARED,
    EstimateInput,
    SurveyRequest,
)
from ppworkbench.analyses.estimates.result import Numbers, SurveyResult, among, number_decimals
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option, Within
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.survey.conditions.condition import Comparison, Condition, Operator
from ppworkbench.results.picture import Axis, Picture, intervals
from ppworkbench.results.sheet import Column, Kind, Sheet, estimate_columns

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.analyses.source import Source
    from ppworkbench.core.data.attribute import Attribute
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.survey.group_differences import GroupDifferences

_COMPARED = "groups or an answer"


@dataclass(frozen=True)
class _Nobody:
    """The numbers of a group of which by the estimate nobody is a member."""

    estimate: float = math.nan
    low: float = math.nan
    high: float = math.nan
    standard_error: float = math.nan
    naive: None = None


class ComparisonResult(SurveyResult):
    """A mean or a share in groups, and the differences between these."""

    main = "differences"
    request: Compare
    found: GroupDifferences

    def sheets(self) -> tuple[Sheet, ...]:
        found = self.found
        label = Column("group", Message("group"), Kind.TEXT, found.labels)
        # Of a randomised group everybody may be a member; how many are is what people ask.
        people = Column("people", Message("people"), Kind.COUNT, found.people, is_detail=True)
        size = Column("size", Message("people (estimated)"), Kind.COUNT, found.sizes)
        values = estimate_columns([one or _Nobody() for one in found.groups])
        rows = [one.to_json() for one in found.differences]

        def column(key: str, head: Message, kind: Kind = Kind.NUMBER) -> Column:
            is_detail = key in {"t", "degrees_of_freedom"}
            return Column(key, head, kind, [row[key] for row in rows], is_detail=is_detail)

        estimate = dataclasses.replace(
            column("estimate", Message("difference")), low="low", high="high"
        )
        differences = (
            column("a", Message("group"), Kind.TEXT), column("b", Message("minus"), Kind.TEXT),
            estimate, column("low", Message("low")), column("high", Message("high")),
            column("standard_error", Message("standard error")), column("t", Message("t")),
            column("degrees_of_freedom", Message("degrees of freedom")),
            column("p", Message("p"), Kind.P), column("p_holm", Message("p (Holm)"), Kind.P),
        )  # fmt: skip
        return (
            Sheet("groups", Message("Groups"), (label, people, size, *values)),
            Sheet("differences", self.request.label, differences),
        )

    def groups(self) -> pd.DataFrame:
        """One row per group; empty numbers where by the estimate nobody is a member."""
        return self.sheet("groups").to_frame()

    def pictures(self) -> tuple[Picture, ...]:
        found = self.found
        values = [one or _Nobody() for one in found.groups]
        of, value = self.request.answer(self.design)
        measured, things = Message.of(self.shown(of)), Message.of(self.shown(found.by))
        if value:
            measured = Message("{attribute} = {value}", attribute=measured, value=value)
        title = Message("{numbers} by {groups}", numbers=measured, groups=things)
        kind = Kind.SHARE if value else Kind.NUMBER
        numbers, note = Axis(measured, self.unit_of, kind=kind), self.note()
        return (
            intervals("groups", title, numbers, found.labels, values, note=note, things=things),
        )

    @property
    def is_share(self) -> bool:
        return bool(self.request.answer(self.design)[1])

    def decimals(self) -> int:
        return number_decimals(self.design[self.request.answer(self.design)[0]].attribute)

    @property
    def unit_of(self) -> str:
        of, value = self.request.answer(self.design)
        return "" if value else self.design[of].attribute.unit or ""

    def kept(self) -> tuple[Numbers, int]:
        return (len(self.found.labels),), 0

    def described(self, whom: str) -> Message:
        by, (of, value) = self.request.by, self.request.answer(self.design)
        if value:
            what = Message("The share of {of} = {value} by {by}", of=of, value=value, by=by)
            return among(what, whom)
        return among(Message("The mean of {of} by {by}", of=of, by=by), whom)


@dataclass(frozen=True, kw_only=True)
class Compare(SurveyRequest):
    """Compare a mean or a share between groups of people, or two answers of the same people.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> answers = pd.DataFrame({"sex": ["F", "M"] * 5, "hours": [3, 1, 4, 2, 5, 2, 3, 2, 5, 3]})
    >>> pp.Survey(answers).compare("hours", by="sex").groups()["estimate"].tolist()
    [4.0, 2.0]
    """

    name: ClassVar[str] = "compare"
    label: ClassVar[Message] = Message("Comparison of groups")
    leading: ClassVar[tuple[str, ...]] = ("of", "by", "where")
    unused: ClassVar[tuple[str, ...]] = ("original",)
    finds: ClassVar[type[SurveyResult]] = ComparisonResult
    statistic: ClassVar[str] = "compare"
    short: ClassVar[Message] = Message("Compare")
    hint: ClassVar[Message] = Message("How does a share or a mean differ between groups?")
    takes: ClassVar[tuple[str, ...]] = (*SHARED, "of", "by", "value", "reference")
    kept_numbers: ClassVar[int] = 1

    of: Annotated[
        str,
        Option(metavar="NAME[=VALUE]"),
        Info("Of", "number whose mean is compared, or answer whose share is"),
    ]
    by: Annotated[
        str | None,
        Option(metavar="NAME", either=_COMPARED),
        Info("By", "attribute of the groups"),
    ] = None
    against: Annotated[
        str | None,
        Option(metavar="NAME=VALUE", either=_COMPARED),
        Info("Against", "another answer of the same people, in place of groups"),
    ] = None
    reference: Annotated[
        str | None,
        Option(metavar="GROUP"),
        Info("Reference", "compare all groups with this one (default: pairs)"),
    ] = None
    bins: Annotated[
        int | None,
        Within(1, 1_000),
        Option(group="statistic"),
        Info("Bins", "Number of groups that a number is cut into"),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.by is None) == (self.against is None):
            raise ParameterError(
                "Say what is compared: groups by the values of an attribute (by), or another "
                "answer of the same people (against).",
                field="by",
            )
        if self.against is not None and (self.reference or self.bins is not None):
            raise ParameterError(
                "Two answers of the same people have neither a reference nor bins; leave them out.",
                field="reference" if self.reference else "bins",
            )

    @classmethod
    def of_kept(cls, kept: Mapping[str, Any]) -> Self:
        """The request of what a study keeps, where an answer stands apart from its attribute."""
        of, value, reference = (kept[name] for name in ("of", "value", "reference"))
        named = {"of": f"{of}={value}" if value else of, "reference": reference or None}
        return super().of_kept({**kept, **named})

    @classmethod
    def can_be_by(cls, attribute: Attribute) -> bool:
        return attribute.k <= MOST_VALUES and attribute.k != 1

    def answer(self, design: Design) -> tuple[str, str]:
        """What is compared: an attribute, and the answer whose share is; empty for a mean."""
        from ppworkbench.core.models import split_value

        return split_value(self.of, design)

    def attributes_in(self, design: Design) -> tuple[str, ...]:
        return (*self.where.attributes, self.answer(design)[0], self.by or "")

    def untestable(self, design: Design) -> Sequence[str]:
        return (self.answer(design)[0],)

    def why_not(self, design: Design) -> Message | None:
        of, value = self.answer(design)
        if not self.by:
            return Message("Choose the attribute of the groups.")
        if of in (self.by, *self.where.attributes):
            return Message("Groups of {of} cannot be compared by {of} itself.", of=of)
        attribute = design[of].attribute
        if attribute.kind.is_categorical and value not in attribute.values:
            return Message("Choose the answer of {of} that is compared.", of=of)
        return None

    def estimate(self, given: EstimateInput) -> GroupDifferences:
        from ppworkbench.core.survey.group_differences import compare

        of, value = self.answer(given.design)
        return compare(
            given.table, given.design, of, self.by or "", value=value or None,
            condition=self.where, bins=self.bins, reference=self.reference,
            confidence=self.confidence, progress=given.progress, **given.drawn,
        )  # fmt: skip

    def run(self, source: Source, progress: Progress = silent) -> SurveyResult:
        if self.against is None:
            return super().run(source, progress)
        from ppworkbench.core.survey.group_differences import compare_answers

        design = source.design.within_arms(self.arms) if self.arms else source.design
        first = condition_named(self.of, source.design, "of")
        second = condition_named(self.against, source.design, "against")
        names = [*first.attributes, *second.attributes, *self.where.attributes]
        given = source.answers(names, part(progress, 0.0, 0.5))
        found = compare_answers(
            given.table, design, first, second, condition=self.where, confidence=self.confidence,
            progress=part(progress, 0.5, 1.0), **source.drawn,
        )  # fmt: skip
        found = dataclasses.replace(found, remarks=(*given.remarks, *found.remarks))
        return ComparisonResult(self, found, source.design)


def condition_named(text: str, design: Design, field: str) -> Condition:
    """The condition of ``name=value``, an answer to an attribute of values."""
    from ppworkbench.core.models import split_value
    from ppworkbench.core.survey.conditions.regions import asked_attribute

    name, value = split_value(text, design)
    attribute = asked_attribute(name, design)
    if not attribute.kind.is_categorical:
        raise ParameterError.saying(
            "{attribute!r} is a number; two answers are compared by their shares, so name "
            "attributes with values.",
            attribute=name,
            field=field,
        )
    if value not in attribute.values:
        raise ParameterError.saying(
            "Name an answer of {attribute!r} as in '{attribute}={value}'; its values are {known}.",
            attribute=name,
            value=attribute.values[-1],
            known=", ".join(attribute.values[:8]),
            field=field,
        )
    return Condition((Comparison(name, Operator.EQUAL, value),))


QUESTION = Compare
