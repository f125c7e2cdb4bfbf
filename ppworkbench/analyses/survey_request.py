"""Questions about the people who meet a condition, and what they find."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from ppworkbench.analyses.request import Request
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option, Read
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.survey.answers import Confidence
from ppworkbench.core.survey.conditions.condition import EVERYBODY, Condition
from ppworkbench.core.survey.conditions.parser import parse_condition
from ppworkbench.results.result import Result
from ppworkbench.results.text import REPORTED, Naming, naming

if TYPE_CHECKING:
    from ppworkbench.analyses.source import Source
    from ppworkbench.analyses.survey.answers import ArmEstimates
    from ppworkbench.analyses.survey.questions import Question
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design.design import Design


def read_condition(given: Any) -> Condition:
    """A condition, or the text of one."""
    if given is None:
        return EVERYBODY
    if isinstance(given, Condition):
        return given
    if not isinstance(given, str):
        raise TypeError(Message("it must be a condition as text"))
    return parse_condition(given)


def _sharpest(given: Any) -> str:
    if isinstance(given, bool) or not isinstance(given, Real | str):
        raise TypeError(Message("it must be 'auto', 'none' or a number"))
    return str(given)


Where = Annotated[
    Condition,
    Read(read_condition, annotation="str | Condition"),
    Option(metavar="CONDITION"),
    Info("Where", "condition, e.g. sex = F and 18 <= age < 30 and district in {north, east}"),
]
Sharpest = Annotated[
    str,
    Read(_sharpest, annotation="str | float"),
    Option(group="statistic"),
    Info(
        "Sharpest feature",
        "Narrowest peak of a number under noise that intervals allow: auto, none or a number",
    ),
]
Arms = Annotated[
    tuple[str, ...],
    Option("arm", "NAME", is_repeated=True, group="arms"),
    Info("Arms", "only answers of this arm of the design, may be repeated (default: all arms)"),
]


@dataclass(frozen=True, kw_only=True)
class AnswersRequest(Request):
    """A question that studies keep as a statistic."""

    statistic: ClassVar[str]
    """What studies call it."""
    finds: ClassVar[type[SurveyResult]]

    def question(self) -> Question:
        """The same as studies keep it, by fields of the same names."""
        from ppworkbench.analyses.survey.questions import Question

        kept = {one.name for one in dataclasses.fields(Question)}
        own = {one.name for one in dataclasses.fields(self)} & kept
        values = {name: getattr(self, name) for name in own}
        return Question(self.statistic, **values)

    def settings(self) -> dict[str, Any]:
        """How it is estimated, beside what studies keep."""
        known = ("confidence", "bins", "sharpest")
        return {name: getattr(self, name) for name in known if hasattr(self, name)}

    def columns(self, design: Design) -> tuple[str, ...]:
        """The attributes that it needs; an error names what the design does not know."""
        from ppworkbench.analyses.survey.questions import check_attributes, within_arms

        question = self.question()
        return check_attributes(question, within_arms(question, design))

    def run(self, source: Source, progress: Progress = silent) -> SurveyResult:
        """Read what it needs, and estimate; what the design does not know is told first."""
        from ppworkbench.analyses.survey.answers import estimate, estimate_by_arm, put_together
        from ppworkbench.study.distorted_cache import Answers

        question, design = self.question(), source.design
        names = self.columns(design)
        chosen = {"seed": source.seed or 0, **source.drawn, **self.settings()}
        original = None
        if source.parted is not None:
            answers = put_together(question, source.parted, design, **source.drawn)
        else:
            given = source.answers(names, part(progress, 0.0, 0.5))
            original = given.original
            answers = Answers(given.table, original)
        found = estimate(question, answers, design, progress=part(progress, 0.5, 1.0), **chosen)
        by_arm = question.by_arm
        apart = estimate_by_arm(question, answers, design, **chosen) if by_arm else None
        remarks = source.remarks
        if question.arms or by_arm:
            remarks += _without_arms(design, original)
        if remarks:
            found = dataclasses.replace(found, remarks=(*remarks, *found.remarks))
        return self.finds(self, found, design, apart)


@dataclass(frozen=True, kw_only=True)
class SurveyRequest(AnswersRequest):
    """A question about the people who meet a condition, in the arms that count."""

    where: Where = EVERYBODY
    confidence: Annotated[Confidence, Option(group="statistic")] = 0.95
    arms: Arms = ()

    def question(self) -> Question:
        """The same as studies keep it."""
        return super().question().with_(condition=self.where)


def _without_arms(design: Design, original: Table | None) -> tuple[str, ...]:
    """That nobody knows the true answers of an arm, unless these tell the arm, too."""
    arms = design.arms
    if arms is None or original is None or arms.column in original:
        return ()
    return (
        Message(
            "The true answers have no column {column!r}, so those of single arms are not known.",
            column=arms.column,
        ),
    )


@dataclass(frozen=True, eq=False, repr=False)
class SurveyResult(Result):
    """A statistic of a survey; ``found`` holds the numbers in full detail.

    Parameters
    ----------
    found
        The result as the library has it.
    design
        The design of the answers, which knows what people call the attributes.
    apart
        Every arm by itself, where that was asked for.
    """

    request: Request
    found: Any
    design: Design
    apart: ArmEstimates | None = None
    state = REPORTED

    @property
    def remarks(self) -> tuple[str, ...]:
        """What must be known to read the numbers, one sentence each."""
        return tuple(map(str, self.found.remarks))

    @property
    def shown(self) -> Naming:
        """What people call the attributes."""
        return naming(one.attribute for one in self.design)

    def sentence(self) -> str:
        """The result in one sentence."""
        found: str = self.found.sentence
        return found

    def readings(self) -> tuple[str, ...]:
        """What the intervals hold."""
        from ppworkbench.core.survey.sampled import stated_contents

        contents = stated_contents(self.found)
        return () if contents is None else (contents.sentence,)

    def _document(self) -> Mapping[str, Any]:
        document: dict[str, Any] = self.found.to_json()
        return document if self.apart is None else document | self.apart.to_json()
