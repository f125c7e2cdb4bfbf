"""How many people have the sensitive item of a list, as a question of its own."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from ppworkbench.analyses.request import Request
from ppworkbench.analyses.survey_request import SurveyResult
from ppworkbench.core.compliance.assess_list import (
    METHODS,
    MODELS,
    ListInquiry,
    assess_list,
    usual_method,
)
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.picture import Axis, Picture, interval_note, intervals
from ppworkbench.results.sheet import Column, Kind, Sheet, interval_columns
from ppworkbench.results.text import equals_p, short_number

if TYPE_CHECKING:
    from ppworkbench.analyses.source import Source
    from ppworkbench.core.compliance.assess_list import ListResult
    from ppworkbench.core.compliance.classes import Estimate


class ListItemResult(SurveyResult):
    """How many people have the sensitive item of a list."""

    found: ListResult
    main: ClassVar[str] = "estimates"

    def sheets(self) -> tuple[Sheet, ...]:
        """What was said, the estimates, who is who, the model, and what is left of privacy."""
        listed = self._listed()
        called = Column("estimated", Message("share"), Kind.TEXT, [name for name, _ in listed])
        numbers = interval_columns([one for _, one in listed])
        estimates = Sheet("estimates", Message("Estimates"), (called, *numbers))
        made = [self._said(), estimates, self._types()]
        return (*made, *self._coefficients(), self._belief())

    def _listed(self) -> list[tuple[str, Estimate]]:
        """All estimates with what they are of."""
        found, model = self.found, self.found.model
        rows: list[tuple[str, Estimate]] = [(Message("difference in means"), found.difference)]
        if model is not None:
            rows.append((MODELS[found.inquiry.method], model.share))
            rows += [
                (Message("leave it out, {end}", end=end), one)
                for end, one in model.leaving_out.items()
            ]
        if found.direct is not None:
            rows.append((Message("with the direct question"), found.direct))
        if found.double is not None:
            rows.append((Message("both lists"), found.double.share))
        return rows

    def _said(self) -> Sheet:
        found = self.found
        halves = (found.counts.short, found.counts.long)
        columns = [
            Column("said", Message("said"), Kind.TEXT, ["short list", "long list"]),
            Column("people", Message("people"), Kind.COUNT, list(found.people)),
        ]
        for count in range(found.question.size + 2):
            people = [float(one[count]) if count < len(one) else math.nan for one in halves]
            head = Message("{count}", count=count)
            columns.append(Column(str(count), head, Kind.COUNT, people))
        return Sheet("said", Message("Numbers of items"), tuple(columns))

    def _types(self) -> Sheet:
        found, size = self.found, self.found.question.size
        columns = [Column("harmless", Message("harmless items"), Kind.COUNT, range(size + 1))]
        halves = (
            ("with", found.types[: size + 1],
             (Message("with it"), Message("± with"), Message("p with"))),
            ("without", found.types[size + 1 :],
             (Message("without it"), Message("± without"), Message("p without"))),
        )  # fmt: skip
        for key, types, heads in halves:
            columns += [
                _numbers(key, heads[0], [one.share for one in types]),
                _numbers(f"{key}_error", heads[1], [one.standard_error for one in types]),
                Column(f"{key}_p", heads[2], Kind.P, [one.p for one in types]),
            ]
        return Sheet("types", Message("Kinds of people"), tuple(columns))

    def _coefficients(self) -> tuple[Sheet, ...]:
        found = self.found
        if found.model is None or not found.inquiry.predictors:
            return ()
        terms = found.model.coefficients
        columns = (
            Column("item", Message("item"), Kind.TEXT, [one.part for one in terms]),
            Column("term", Message("term"), Kind.TEXT, [one.term for one in terms]),
            _numbers("estimate", Message("estimate"), [one.estimate for one in terms]),
            _numbers("error", Message("standard error"), [one.standard_error for one in terms]),
        )
        return (Sheet("coefficients", Message("Coefficients"), columns),)

    def _belief(self) -> Sheet:
        belief = self.found.belief
        columns = (
            Column("said", Message("after the number"), Kind.COUNT, range(len(belief))),
            Column("belief", Message("belief"), Kind.PERCENT, [100 * one for one in belief],
                   unit="%"),
        )  # fmt: skip
        return Sheet("belief", Message("What a number tells"), columns)

    def readings(self) -> tuple[str, ...]:
        """The tests, what a number gives away, and what the intervals hold."""
        found, model, said = self.found, self.found.model, []
        if found.double is not None:
            said.append(
                Message(
                    "Alone the lists give {first} and {second}; test that they agree: p {p}.",
                    first=short_number(found.double.first),
                    second=short_number(found.double.second), p=equals_p(found.double.p),
                )
            )  # fmt: skip
        said.append(
            Message(
                "Test that no share is negative, as it must be if the sensitive item does not "
                "change the answers to the others: p {p}.",
                p=equals_p(found.design_effect_p),
            )
        )
        if model is not None and math.isfinite(model.assumption_p):
            said.append(
                Message(
                    "Test that people with the sensitive item have as many harmless ones as "
                    "others, as the likelihood assumes: p {p}.",
                    p=equals_p(model.assumption_p),
                )
            )
        said.append(
            Message(
                "Epsilon is ∞: 0 says no for sure, {most} says yes for sure. About {no:.1f} % of "
                "the people with the long list show that they lack the item, {yes:.1f} % that "
                "they have it.",
                most=len(found.belief) - 1, no=100 * found.exposed[0], yes=100 * found.exposed[1],
            )
        )  # fmt: skip
        return (*said, found.contents.sentence)

    def pictures(self) -> tuple[Picture, ...]:
        """A point with its interval for each estimate."""
        listed = self._listed()
        note = interval_note(sum(self.found.people), self.found.inquiry.confidence)
        labels, numbers = [name for name, _ in listed], [one for _, one in listed]
        title, axis = Message("Share with the item"), Axis(Message("share"))
        return (intervals("estimates", title, axis, labels, numbers, note=note),)


def _numbers(key: str, head: Message, values: Sequence[float]) -> Column:
    return Column(key, head, Kind.NUMBER, values)


@dataclass(frozen=True, kw_only=True)
class ListItem(Request):
    """Estimate how many people have the sensitive item of a list.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> design = {"format": "ppworkbench-design", "version": 2, "attributes": {
    ...     "half": {"kind": "nominal", "values": ["a", "b"], "perturbation": {"type": "none"}},
    ...     "said": {"kind": "integer", "domain": [0, 3], "perturbation": {"type": "none"}},
    ...     "theft": {"kind": "binary", "values": ["no", "yes"], "perturbation": {"type": "none"}}},
    ...     "arms": {"column": "half", "members": {"a": {"share": 0.5}, "b": {"share": 0.5}}},
    ...     "lists": {"theft": {"count": "said", "items": ["a dog", "a cat"], "short": ["a"],
    ...     "long": ["b"]}}}
    >>> answers = pd.DataFrame({"half": ["a"] * 5 + ["b"] * 5, "said": [0, 1, 1, 1, 2] * 2})
    >>> answers.loc[9, "said"] = 3
    >>> float(pp.Survey(answers, design).list_item("theft").to_frame()["estimate"].round(2)[0])
    0.2
    """

    name: ClassVar[str] = "list_item"
    label: ClassVar[Message] = Message("Sensitive item of a list")
    leading: ClassVar[tuple[str, ...]] = ("attribute",)
    unused: ClassVar[tuple[str, ...]] = ("original",)
    finds: ClassVar[type[SurveyResult]] = ListItemResult

    attribute: Annotated[
        str, Option(metavar="NAME"), Info("Attribute", "sensitive item of the list")
    ]
    method: Annotated[
        str,
        OneOf(("", *METHODS)),
        Info(
            "Method",
            "difference in means or by linear regression, two-step least squares, or likelihood "
            "(default difference; ml with a ceiling or a floor)",
        ),
    ] = ""
    predictors: Annotated[
        tuple[str, ...],
        Option("predict", "A,B,..."),
        Info(
            "Predictors",
            "attributes that the item may go together with; they must not be randomised",
        ),
    ] = ()
    ceiling: Annotated[
        bool,
        Info("Ceiling", "let people with all of the harmless items leave the sensitive one out"),
    ] = False
    floor: Annotated[
        bool,
        Info("Floor", "let people with none of the harmless items leave the sensitive one out"),
    ] = False
    second: Annotated[
        str,
        Option(metavar="NAME"),
        Info("Second list", "second list of the same item, long where this one is short"),
    ] = ""
    direct: Annotated[
        str,
        Option(metavar="NAME"),
        Info("Direct question", "question that asks everybody openly for the item"),
    ] = ""

    @classmethod
    def of(cls, inquiry: ListInquiry) -> ListItem:
        """The same as studies keep it."""
        values: dict[str, Any] = dataclasses.asdict(inquiry)
        del values["confidence"]
        usual = usual_method(leaving_out=inquiry.ceiling or inquiry.floor)
        return cls(**values | ({"method": ""} if inquiry.method == usual else {}))

    def run(self, source: Source, progress: Progress = silent) -> ListItemResult:
        """Read the columns, and estimate."""
        from ppworkbench.analyses.lists import columns_of

        method = self.method or usual_method(leaving_out=self.ceiling or self.floor)
        inquiry = ListInquiry(
            self.attribute, method, self.predictors, self.ceiling, self.floor, self.second,
            self.direct,
        )  # fmt: skip
        given = source.answers(columns_of(inquiry, source.design), part(progress, 0.0, 0.6))
        found = assess_list(
            given.table, source.design, inquiry, sampling=source.sampling,
            sampling_options=source.options, progress=part(progress, 0.6, 1.0),
        )  # fmt: skip
        found = dataclasses.replace(found, remarks=(*given.remarks, *found.remarks))
        return ListItemResult(self, found, source.design)


QUESTION = ListItem
