"""A mean or a share in groups of people, or two answers of the same people."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from ppworkbench.analyses.survey_request import SurveyRequest, SurveyResult
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
    from ppworkbench.analyses.survey.questions import Question
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
        """The groups, and the differences between two of them."""
        found = self.found
        label = Column("group", Message("group"), Kind.TEXT, found.labels)
        people = Column("people", Message("people"), Kind.COUNT, found.people)
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
            Sheet("groups", Message("Groups"), (label, people, *values)),
            Sheet("differences", self.request.label, differences),
        )

    def groups(self) -> pd.DataFrame:
        """One row per group; empty numbers where by the estimate nobody is a member."""
        return self.sheet("groups").to_frame()

    def pictures(self) -> tuple[Picture, ...]:
        """A point with its interval for every group."""
        found, label = self.found, self.request.label
        values = [one or _Nobody() for one in found.groups]
        numbers, things = Axis(Message.of(self.shown(found.of))), Message.of(self.shown(found.by))
        note = self.note()
        return (
            intervals("groups", label, numbers, found.labels, values, note=note, things=things),
        )


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
    statistic: ClassVar[str] = "compare"
    finds: ClassVar[type[SurveyResult]] = ComparisonResult

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
        """Check that it is said what is compared."""
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

    def question(self, design: Design) -> Question:
        """The same with the answer apart from its attribute."""
        from ppworkbench.core.models import split_value

        of, value = split_value(self.of, design)
        reference = self.reference or ""
        return super().question(design).with_(of=of, value=value, reference=reference)

    @classmethod
    def of_question(cls, asked: Question) -> Self:
        """The request that asks what a study keeps."""
        return cls(
            of=f"{asked.of}={asked.value}" if asked.value else asked.of, by=asked.by,
            where=asked.condition, reference=asked.reference or None, arms=asked.arms,
        )  # fmt: skip

    def run(self, source: Source, progress: Progress = silent) -> SurveyResult:
        """Compare groups, or the answers of the same people."""
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
