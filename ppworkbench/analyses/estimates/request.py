"""Questions about the people who meet a condition: what they take, and how they are estimated."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, cast

from ppworkbench.analyses.estimates.result import ArmEstimates, SurveyResult
from ppworkbench.analyses.request import Request
from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option, Read, Within, declarations
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.survey.answers import Confidence
from ppworkbench.core.survey.conditions.condition import EVERYBODY, Condition, parse_condition
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL

if TYPE_CHECKING:
    from ppworkbench.analyses.source import Source
    from ppworkbench.core.data.attribute import Attribute
    from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.survey.parted import PartedAnswers
    from ppworkbench.study.distorted_cache import Answers

SHARED = ("condition", "target", "arms")
"""What studies keep of most statistics: who is asked about, and whose answers count."""
MOST_VALUES = 24
"""An attribute with more values makes no picture that anybody can read."""


def read_condition(given: Any) -> Condition:
    if given is None:
        return EVERYBODY
    if isinstance(given, Condition):
        return given
    if not isinstance(given, str):
        raise TypeError(Message("it must be a condition as text"))
    return parse_condition(given)


CONDITION = Info(
    "Where", "condition, e.g. sex = F and 18 <= age < 30 and district in {north, east}"
)
Where = Annotated[
    Condition,
    Read(read_condition, annotation="str | Condition"),
    Option(metavar="CONDITION"),
    CONDITION,
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


@dataclass(frozen=True, eq=False)
class EstimateInput:
    """What a statistic is estimated from.

    Parameters
    ----------
    design
        That of the arms whose answers count.
    seed
        Where the draws of the sequential method start, and those of participants.
    sampling, options
        How people were drawn, and how that is used.
    """

    answers: Answers | PartedAnswers
    design: Design
    seed: int = 0
    sampling: Sampling | None = None
    options: SamplingOptions | None = None
    progress: Progress = silent

    @property
    def source(self) -> Table | PartedAnswers:
        """The reported answers, or the parts that they are counted in."""
        from ppworkbench.study.distorted_cache import distorted_of

        return distorted_of(self.answers)

    @property
    def original(self) -> Table | None:
        """The true answers, where these are known."""
        from ppworkbench.study.distorted_cache import original_of

        return original_of(self.answers)

    @property
    def table(self) -> Table:
        """The reported answers as single records; refuse parts."""
        from ppworkbench.core.survey.answers import as_table

        return as_table(self.source)

    @property
    def drawn(self) -> dict[str, Any]:
        """How people were drawn, as keywords."""
        return {"sampling": self.sampling, "options": self.options}


@dataclass(frozen=True, kw_only=True)
class AnswersRequest(Request):
    """A question that studies keep as a statistic.

    A study keeps it under the names of ``takes``; the window offers it under ``short`` and
    ``hint``. No other code asks for the name of a statistic or for the class of a result.
    """

    statistic: ClassVar[str] = ""
    """What studies call it; empty where they do not keep it."""
    finds: ClassVar[type[SurveyResult]]
    short: ClassVar[Message] = Message("")
    hint: ClassVar[Message] = Message("")
    takes: ClassVar[tuple[str, ...]]
    """What studies keep of it."""
    spelled: ClassVar[Mapping[str, str]] = {}
    """Its parameters that have another name there."""
    named: ClassVar[tuple[str, ...]] = ()
    """The parameters that are attributes."""
    own_question: ClassVar[str] = ""
    """What holds a question of its own kind, asked by a form of its own."""
    why_none: ClassVar[Message] = Message("")
    """Why there is no question of its own kind."""
    is_from_counts: ClassVar[bool] = False
    """Whether counts of a folder of parts are enough; others take all of its rows."""
    why_no_parts: ClassVar[Message] = Message("")
    """Why a folder of parts is not asked at all."""
    why_only_population: ClassVar[Message] = Message("")
    """Why it is not told of the people who answered alone."""
    why_only_joint: ClassVar[Message] = Message("This statistic has no sequential method.")
    only_numbers: ClassVar[bool] = False
    """Whether it tells about attributes that are numbers only."""
    needs_condition: ClassVar[bool] = False
    """Whether there is nothing to estimate of everybody."""
    is_number: ClassVar[bool] = False
    """Whether it is one number, which can be split, and told by another method or target."""
    is_share: ClassVar[bool] = True
    """Whether its numbers are shares of people, not numbers of an attribute."""
    has_interval: ClassVar[bool] = True
    has_readings: ClassVar[bool] = False
    """Whether it is told with the readings of those who did not follow the instructions."""
    lists_people: ClassVar[bool] = False
    """Whether it guesses about single people: then it belongs to the attacks, and is not kept."""
    kept_numbers: ClassVar[int] = 5
    """So many numbers stand for it in the list of what was asked: the estimate, the two ends of
    its interval, face value and truth."""

    # What those have that do not declare them
    arms = cast("tuple[str, ...]", ())
    by_arm = False
    method = JOINT

    @classmethod
    def of_kept(cls, kept: Mapping[str, Any]) -> Self:
        """The request of what a study keeps, beside a question of its own kind."""
        own = {one.name for one in dataclasses.fields(cls)}
        values = {cls.spelled.get(name, name): value for name, value in kept.items()}
        told = {name: value for name, value in values.items() if name in own}
        asked: Self | None = kept.get(cls.own_question)
        return cls(**told) if asked is None else dataclasses.replace(asked, **told)

    def to_kept(self) -> dict[str, Any]:
        """What a study keeps of a question of its own kind: what is not as usual."""
        usual = {one.name: one.default for one in declarations(type(self))}
        return {n: one for n, one in self.to_json().items() if getattr(self, n) != usual[n]}

    @classmethod
    def from_kept(cls, given: Mapping[str, Any]) -> Self:
        """What a study kept; older ones kept more."""
        known = {one.name for one in declarations(cls)}
        return cls.from_json({name: one for name, one in given.items() if name in known})

    @classmethod
    def is_offered(cls, design: Design) -> bool:  # noqa: ARG003
        """Whether a design has what it asks about."""
        return True

    @classmethod
    def can_be_of(cls, attribute: Attribute) -> bool:
        """Whether it can tell about an attribute."""
        return attribute.kind.is_numeric or not cls.only_numbers

    @classmethod
    def can_be_by(cls, attribute: Attribute) -> bool:  # noqa: ARG003
        """Whether it can tell of another attribute by this one."""
        return True

    def can_be_split(self, by: str) -> bool:  # noqa: ARG002
        """Whether it can be told for every value of an attribute."""
        return False

    @property
    def steps(self) -> int:
        """How many attributes the sequential method reconstructs one by one."""
        return 1

    @property
    def has_valid_interval(self) -> bool:
        """Whether the interval holds; after several steps one by one it does not."""
        return self.method == JOINT or self.steps <= 1

    def untestable(self, design: Design) -> Sequence[str]:  # noqa: ARG002
        """The attributes that a condition must not test here."""
        return ()

    def within(self, design: Design) -> Design:
        """The design of the arms whose answers count."""
        return design.within_arms(self.arms) if self.arms else design

    def condition_in(self, design: Design) -> Condition:  # noqa: ARG002
        """Whom it is about."""
        return EVERYBODY

    def attributes_in(self, design: Design) -> tuple[str, ...]:
        """The attributes of its condition, and those that it names."""
        named = (getattr(self, name) for name in self.named)
        return (*self.condition_in(design).attributes, *named)

    def needs(self, design: Design) -> tuple[str, ...]:
        """The attributes that it needs; an error names what the design does not know."""
        return known_attributes(self.condition_in(design), self.attributes_in(design), design)

    def read_columns(self, design: Design) -> tuple[str, ...]:
        """The columns that it is estimated from, arms and roles apart."""
        return self.needs(self.within(design))

    def takes_rows(self, *, sampled: bool) -> bool:
        """Whether counts of a folder of parts are not enough, and its rows are put together.

        Who they are nobody knows, so that there are no participants, nor draws one by one.

        Parameters
        ----------
        sampled
            Whether weights, strata, clusters or a choice of the target are used.
        """
        if self.why_no_parts or self.method == SEQUENTIAL:
            return False
        return sampled or not self.is_from_counts

    def pools_arms(self, design: Design) -> bool:
        """Whether arms with different devices are put together to one share."""
        from ppworkbench.core.survey.pooled import pooled_name

        names = set(filter(None, self.attributes_in(design)))
        if "pooling" not in self.takes or not names <= set(design.names):
            return False
        return pooled_name(self.within(design), names) is not None

    @abstractmethod
    def estimate(self, given: EstimateInput) -> Any:
        """Ask the answers."""

    def run(self, source: Source, progress: Progress = silent) -> SurveyResult:
        """Read what it needs, and estimate; what the design does not know is told first."""
        from ppworkbench.study.distorted_cache import Answers

        design = source.design
        names = self.needs(self.within(design))
        how = {"seed": source.seed or 0, **source.drawn}
        original = None
        answers: Answers | PartedAnswers
        if source.parted is not None:
            answers = put_together(self, source.parted, design, **source.drawn)
        else:
            given = source.answers(names, part(progress, 0.0, 0.4))
            original = given.original
            answers = Answers(given.table, original)
        found = estimate(self, answers, design, progress=part(progress, 0.4, 1.0), **how)
        apart = estimate_by_arm(self, answers, design, **how) if self.by_arm else None
        remarks = source.remarks
        if self.arms or self.by_arm:
            remarks += _without_arms(design, original)
        if remarks:
            found = dataclasses.replace(found, remarks=(*remarks, *found.remarks))
        return self.finds(self, found, design, apart)


@dataclass(frozen=True, kw_only=True)
class SurveyRequest(AnswersRequest):
    """A question about the people who meet a condition, in the arms that count."""

    spelled: ClassVar[Mapping[str, str]] = {"condition": "where"}

    where: Where = EVERYBODY
    confidence: Annotated[Confidence, Option(group="statistic")] = 0.95
    arms: Arms = ()

    def condition_in(self, design: Design) -> Condition:  # noqa: ARG002
        return self.where

    @property
    def steps(self) -> int:
        """Those of the condition, and what is told about."""
        return len(self.where.attributes) + 1

    def shared(self, given: EstimateInput) -> dict[str, Any]:
        """What estimates have in common, as keywords."""
        told = {"confidence": self.confidence, "progress": given.progress}
        noisy: dict[str, Any] = {}
        if hasattr(self, "sharpest"):
            # What numbers under noise need in addition.
            noisy = {"sharpness": self.sharpest, "seed": given.seed}
        return {"original": given.original, **told, **given.drawn, **noisy}


def known_attributes(condition: Condition, names: Sequence[str], design: Design) -> tuple[str, ...]:
    """The attributes of a condition and some more; an error names what the design has not."""
    from ppworkbench.core.survey.conditions.regions import asked_attribute, regions_of

    found = tuple(filter(None, dict.fromkeys([*regions_of(condition, design), *names])))
    for name in found:
        asked_attribute(name, design)
    return found


def put_together(
    asked: AnswersRequest,
    answers: Answers | PartedAnswers,
    design: Design,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
) -> Answers | PartedAnswers:
    """The rows of a folder of parts, for a question that counts are not enough for."""
    from ppworkbench.core.survey.parted import PartedAnswers
    from ppworkbench.study.distorted_cache import Answers

    sampled = sampling is not None or options is not None
    if not isinstance(answers, PartedAnswers) or not asked.takes_rows(sampled=sampled):
        return answers
    return Answers(answers.rows(design, asked.read_columns(design), sampling))


def estimate(
    asked: AnswersRequest,
    answers: Answers | PartedAnswers,
    design: Design,
    *,
    seed: int = 0,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
    progress: Progress = silent,
) -> Any:
    """What is asked of the answers of the arms that it chooses."""
    within = asked.within(design)
    found = asked.estimate(EstimateInput(answers, within, seed, sampling, options, progress))
    remarks = _disagreement(
        asked, found, answers, design, {"seed": seed, "sampling": sampling, "options": options}
    )
    return dataclasses.replace(found, remarks=(*remarks, *found.remarks)) if remarks else found


def _disagreement(
    asked: AnswersRequest,
    found: Any,
    answers: Answers | PartedAnswers,
    design: Design,
    how: Mapping[str, Any],
) -> tuple[str, ...]:
    """What is said where the arms do not agree about something else than a pooled share.

    Parts would have to be read again for every arm: they are told by arm where that is asked for.
    """
    from ppworkbench.core.reconstruct.agreement import DISAGREEMENT, LEVEL
    from ppworkbench.core.survey.arm_equality import compares_arms
    from ppworkbench.core.survey.parted import PartedAnswers

    arms = asked.within(design).versions
    if "by_arm" not in asked.takes or asked.method == SEQUENTIAL:
        return ()
    names = tuple(name for name in asked.needs(design) if name != arms.column)
    is_parted = isinstance(answers, PartedAnswers)
    if asked.pools_arms(design) or is_parted or len(arms.asking(names)) < 2:
        return ()
    if not compares_arms(found):
        return ()
    try:
        apart = estimate_by_arm(asked, answers, design, **how)
    except WorkbenchError:
        # One of the arms may have nobody who meets the condition.
        return ()
    test = apart.equality
    if test is None or not test.p < LEVEL:
        return ()
    said = Message(
        "The arms do not agree (p = {p:.2g}); look at each of them by itself (by arm).",
        p=test.p,
        code=DISAGREEMENT,
    )
    return (said, *test.remarks)


def estimate_by_arm(
    asked: AnswersRequest, answers: Answers | PartedAnswers, design: Design, **how: Any
) -> ArmEstimates:
    """The statistic in every arm that asks for it; keywords as for `estimate`.

    The answers stay whole: an arm is a part of the sample, and what people of one cluster have in
    common moves the estimates of all arms that it is in.
    """
    from ppworkbench.core.survey.arm_equality import arm_equality, pooled_arm_equality
    from ppworkbench.study.distorted_cache import distorted_of

    if not design.has_arms:
        raise ParameterError("The design has no arms to be told apart.", field="by_arm")
    within = asked.within(design)
    arms = within.versions
    if len(arms.members) < 2:
        raise ParameterError(
            "There are not two arms to be told apart; choose more of them.", field="by_arm"
        )
    names = [name for name in asked.needs(design) if name != arms.column]
    request: Any = asked
    found = {
        name: estimate(dataclasses.replace(request, arms=(name,)), answers, design, **how)
        for name in arms.asking(names)
    }
    test = None
    if how.get("sampling") is None and how.get("options") is None:
        test = pooled_arm_equality(distorted_of(answers), within, names, how.get("seed", 0))
    return ArmEstimates(found, test or arm_equality(tuple(found.values())))


def _without_arms(design: Design, original: Table | None) -> tuple[str, ...]:
    """That nobody knows the true answers of an arm, unless these tell the arm, too."""
    return tuple(
        Message(
            "The true answers have no column {column!r}, so those of single arms are not known.",
            column=column,
        )
        for column in design.versions.columns
        if original is not None and column not in original
    )


def describe_arms(
    design: Design, chosen: Sequence[str], apart: ArmEstimates | None = None
) -> list[str]:
    """Which arms there were, and whether they agree."""
    if not design.has_arms:
        return []
    said: list[str] = [
        Message(
            "Respondents were drawn into the arms {names}; every answer was corrected by the "
            "device of its own arm.",
            names=design.versions.names,
        )
    ]
    if chosen:
        said.append(Message("Only answers of the arms {names} count.", names=tuple(chosen)))
    if apart is not None and apart.equality is not None:
        said.append(apart.equality.sentence)
    return said
