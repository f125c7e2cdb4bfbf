"""Questions about the people who meet a condition, and what they find."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from ppworkbench.analyses.request import Request
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option, Read, Within
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.agreement import POOLINGS
from ppworkbench.core.survey.answers import Confidence
from ppworkbench.core.survey.conditions.condition import EVERYBODY, Condition
from ppworkbench.core.survey.conditions.parser import parse_condition
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL
from ppworkbench.results.picture import Axis, Picture, interval_note, intervals
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Column, Kind, Sheet, estimate_columns
from ppworkbench.results.text import REPORTED, Naming, naming

if TYPE_CHECKING:
    from ppworkbench.analyses.source import Source
    from ppworkbench.analyses.survey.answers import ArmEstimates
    from ppworkbench.analyses.survey.questions import Question
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.survey.estimates import Estimate


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


CONDITION = Info(
    "Where", "condition, e.g. sex = F and 18 <= age < 30 and district in {north, east}"
)
Where = Annotated[
    Condition,
    Read(read_condition, annotation="str | Condition"),
    Option(metavar="CONDITION"),
    CONDITION,
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
ByArm = Annotated[
    bool,
    Option(group="arms"),
    Info("By arm", "also every arm by itself, and the test that all are the same"),
]
Pooling = Annotated[
    str,
    OneOf(POOLINGS),
    Option(group="arms"),
    Info(
        "Pooling",
        "how arms with different devices are put together: one distribution for all, or the mean "
        "of their own estimates, for arms that do not agree",
    ),
]
Method = Annotated[
    str,
    OneOf((JOINT, SEQUENTIAL)),
    Option(group="statistic"),
    Info("Method", "All attributes jointly, or one after another as published"),
]
Bins = Annotated[
    int | None,
    Within(1, 1_000),
    Option(group="statistic"),
    Info("Bins", "Number of bins of a numeric attribute"),
]


@dataclass(frozen=True, kw_only=True)
class AnswersRequest(Request):
    """A question that studies keep as a statistic."""

    statistic: ClassVar[str]
    """What studies call it."""
    finds: ClassVar[type[SurveyResult]]

    def question(self, design: Design) -> Question:  # noqa: ARG002 (names may need it)
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

    def needs(self, design: Design) -> tuple[str, ...]:
        """The attributes that it needs; an error names what the design does not know."""
        from ppworkbench.analyses.survey.questions import check_attributes, within_arms

        question = self.question(design)
        return check_attributes(question, within_arms(question, design))

    def run(self, source: Source, progress: Progress = silent) -> SurveyResult:
        """Read what it needs, and estimate; what the design does not know is told first."""
        from ppworkbench.analyses.survey.answers import estimate, estimate_by_arm, put_together
        from ppworkbench.study.distorted_cache import Answers

        design = source.design
        # Where a list of people starts to be drawn is a part of its question.
        question = self.question(design).with_(seed=source.seed or 0)
        names = self.needs(design)
        chosen = {"seed": source.seed or 0, **source.drawn, **self.settings()}
        original = None
        if source.parted is not None:
            answers = put_together(question, source.parted, design, **source.drawn)
        else:
            given = source.answers(names, part(progress, 0.0, 0.4))
            original = given.original
            answers = Answers(given.table, original)
        found = estimate(question, answers, design, progress=part(progress, 0.4, 1.0), **chosen)
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

    def question(self, design: Design) -> Question:
        """The same as studies keep it."""
        return super().question(design).with_(condition=self.where)

    @classmethod
    def of_question(cls, asked: Question) -> Self:
        """The request that asks what a study keeps."""
        own = {one.name for one in dataclasses.fields(cls)} - {"where"}
        kept = {one.name for one in dataclasses.fields(asked)}
        return cls(where=asked.condition, **{name: getattr(asked, name) for name in own & kept})


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

    @property
    def parts(self) -> list[tuple[str, Any]]:
        """The whole, and every arm by itself where that was asked for."""
        return [("", self.found), *({} if self.apart is None else self.apart.results).items()]

    def sentence(self) -> str:
        """The result in one sentence."""
        found: str = self.found.sentence
        return found

    def readings(self) -> tuple[str, ...]:
        """What the intervals hold, and whether the arms agree."""
        from ppworkbench.core.survey.sampled import stated_contents

        contents = stated_contents(self.found)
        said: list[str] = [] if contents is None else [contents.sentence]
        if self.apart is not None and self.apart.equality is not None:
            said.append(self.apart.equality.sentence)
        elif self.apart is not None and len(self.apart.results) > 1:
            said.append(
                Message("The errors of these estimates allow no test that all arms are equal.")
            )
        return tuple(said)

    def note(self) -> Message:
        """What a picture says of its people and of its bars, which need not be confidence."""
        found = self.found
        limits = getattr(found, "limits", None)
        assumption = getattr(found if limits is None else limits, "assumption", None)
        n = getattr(found, "respondents", None)
        n = found.sample.n if n is None else n
        if assumption is None:
            return interval_note(n, found.confidence)
        return Message("n = {n:,}; bars are {method}.", n=n, method=assumption.method)

    def _document(self) -> Mapping[str, Any]:
        document: dict[str, Any] = self.found.to_json()
        return document if self.apart is None else document | self.apart.to_json()


class EstimatesResult(SurveyResult):
    """A statistic of one or several estimates, each with its interval."""

    @abstractmethod
    def labels(self) -> tuple[tuple[str, Message], ...]:
        """Keys and heads of the columns that tell which number a row holds."""

    @abstractmethod
    def rows(self, found: Any) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        """The numbers of the whole or of an arm, with what tells them apart."""

    def sheets(self) -> tuple[Sheet, ...]:
        """A row for each number, with a column ``arm`` where every arm is told by itself."""
        return (self.sheet_of(self.request.name, self.rows),)

    def sheet_of(self, name: str, rows: Rows) -> Sheet:
        """A sheet of estimates, of the whole and of the arms."""
        told = [(arm, *row) for arm, found in self.parts for row in rows(found)]
        columns = estimate_columns([value for _, _, value in told])
        heads = self.labels()
        for place, (key, head) in reversed(list(enumerate(heads))):
            texts = [labels[place] for _, labels, _ in told]
            columns = (Column(key, head, Kind.TEXT, texts), *columns)
        if self.apart is not None:
            arms = [arm for arm, _, _ in told]
            named = Column("arm", Message("arm"), Kind.TEXT, arms, blank=Message("all"))
            columns = (named, *columns)
        return Sheet(name, self.request.label, columns)


Rows = Callable[[Any], "Iterable[tuple[tuple[str, ...], Estimate]]"]


class NumberResult(EstimatesResult):
    """A statistic that is one number."""

    def labels(self) -> tuple[tuple[str, Message], ...]:
        """What the number is."""
        return (("statistic", Message("statistic")),)

    @abstractmethod
    def value_of(self, found: Any) -> Estimate:
        """The number of the whole or of an arm."""

    @abstractmethod
    def measured(self) -> Message:
        """What the number is, for an axis."""

    @property
    def _value(self) -> Estimate:
        return self.value_of(self.found)

    @property
    def estimate(self) -> float:
        """The number itself."""
        return self._value.estimate

    @property
    def low(self) -> float:
        """The lower end of its interval."""
        return self._value.low

    @property
    def high(self) -> float:
        """The upper end of its interval."""
        return self._value.high

    @property
    def standard_error(self) -> float:
        """Its standard error; infinite where nothing is known of it."""
        return self._value.standard_error

    def pictures(self) -> tuple[Picture, ...]:
        """A point with its interval, and one for every arm that is told by itself."""
        labels = [arm or str(Message("all")) for arm, _ in self.parts]
        values = [self.value_of(found) for _, found in self.parts]
        label, axis = self.request.label, Axis(self.measured())
        return (intervals(self.request.name, label, axis, labels, values, note=self.note()),)
