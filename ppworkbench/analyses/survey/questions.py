"""What can be asked of the distorted answers of a study, and why something cannot."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Self

from ppworkbench.analyses import QUESTIONS
from ppworkbench.analyses.compliance.compliance import ComplianceRequest
from ppworkbench.analyses.estimates import lists
from ppworkbench.analyses.estimates.list_item import ListItem
from ppworkbench.analyses.estimates.request import (
    MOST_VALUES,
    AnswersRequest,
    known_attributes,
    read_condition,
)
from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.core.data.sampling_roles import POPULATION, RESPONDENTS, SamplingOptions
from ppworkbench.core.design import Design
from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.params import OneOf, Params, Read, Within
from ppworkbench.core.reconstruct.agreement import LIKELIHOOD, POOLINGS
from ppworkbench.core.reconstruct.grid import labels_of
from ppworkbench.core.sampling.independence import RAO_SCOTT, TESTS
from ppworkbench.core.survey.conditions.condition import (
    EVERYBODY,
    Comparison,
    Condition,
    Membership,
    Operator,
)
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL
from ppworkbench.core.survey.factors.grids import bins_of
from ppworkbench.core.survey.participants import HIGHEST, RANDOM
from ppworkbench.core.survey.quantiles import QUARTILES
from ppworkbench.study.study import Study

__all__ = ["MOST_VALUES", "Question", "statistics"]

statistics: dict[str, type[AnswersRequest]] = {
    one.statistic: one
    for place in QUESTIONS
    if place.of_survey and issubclass(one := place.load(), AnswersRequest) and one.statistic
}
"""The requests of everything that studies ask of answers and keep, by what they call it."""
COUNT, CROSSTAB, PARTICIPANTS = "count", "crosstab", "participants"
REGRESSION, LIST, COMPLIANCE = "regression", "list", "compliance"
"""Names of statistics for those who ask a certain question."""
NO_SEQUENTIAL_OF_PARTS = Message(
    "The sequential method needs single records, which never leave their parts; choose the joint "
    "method."
)


def _statistic(given: Any) -> str:
    if given not in statistics:
        raise ValueError(Message("it must be one of {choices}", choices=", ".join(statistics)))
    return str(given)


def _own(kind: type[AnswersRequest]) -> Read:
    """A question of its own kind, or what a study kept of one."""

    def parse(given: Any) -> AnswersRequest:
        if isinstance(given, kind):
            return given
        if not isinstance(given, Mapping):
            raise TypeError(str(given))
        return kind.from_kept(given)

    return Read(parse)


@dataclass(frozen=True)
class Question(Params):
    """One question to the distorted answers: what the requests of all statistics take.

    A page keeps what was chosen for one statistic while it asks another. What is empty was not
    chosen.

    Parameters
    ----------
    target
        Whether the number is about everybody whom the sample stands for, or about the people who
        answered.
    model, inquiry, compliance
        Questions of their own kind; condition and arms of a model are those of the question.
    """

    statistic: Annotated[str, Read(_statistic)] = COUNT
    condition: Annotated[Condition, Read(read_condition)] = EVERYBODY
    method: Annotated[str, OneOf((JOINT, SEQUENTIAL))] = JOINT
    of: str = ""
    by: str = ""
    size: int | None = None
    draw: Annotated[str, OneOf((HIGHEST, RANDOM))] = HIGHEST
    seed: int = 0
    value: str = ""
    reference: str = ""
    at: Annotated[tuple[float, ...], Within(0, 1, open_low=True, open_high=True)] = QUARTILES
    target: Annotated[str, OneOf((POPULATION, RESPONDENTS))] = POPULATION
    model: Annotated[Regress | None, _own(Regress)] = None
    arms: tuple[str, ...] = ()
    by_arm: bool = False
    pooling: Annotated[str, OneOf(POOLINGS)] = LIKELIHOOD
    inquiry: Annotated[ListItem | None, _own(ListItem)] = None
    compliance: Annotated[ComplianceRequest | None, _own(ComplianceRequest)] = None
    test: Annotated[str, OneOf(TESTS)] = RAO_SCOTT

    @property
    def kind(self) -> type[AnswersRequest]:
        return statistics[self.statistic]

    @property
    def lacks_own(self) -> bool:
        """Whether it is one of those of its own kind, of which there is none yet."""
        own = self.kind.own_question
        return bool(own) and getattr(self, own) is None

    @cached_property
    def request(self) -> AnswersRequest:
        """The same as commands and scripts ask it; an error says why nothing is asked."""
        asked, kind = self.essence, self.kind
        if self.lacks_own:
            raise ParameterError(kind.why_none)
        return kind.of_kept({name: getattr(asked, name) for name in kind.takes})

    @property
    def essence(self) -> Self:
        """The same without what does not matter to its statistic."""
        needed = ("statistic", *self.kind.takes)
        unused = (one for one in dataclasses.fields(self) if one.name not in needed)
        changes: dict[str, Any] = {one.name: one.default for one in unused}
        if self.model is not None and "model" in needed:
            changes["model"] = self.model.plain
        return dataclasses.replace(self, **changes)

    @property
    def attributes(self) -> tuple[str, ...]:
        asked = self.essence
        explained = () if asked.model is None else asked.model.formula.attributes
        listed = () if asked.inquiry is None else asked.inquiry.predictors
        one = asked.compliance
        checked = () if one is None else one.attributes
        names = (*asked.condition.attributes, asked.of, asked.by, *explained, *listed, *checked)
        return tuple(dict.fromkeys(name for name in names if name))

    @property
    def asks_something(self) -> bool:
        """Whether there is something to estimate: all people need not be counted or listed."""
        return not self.kind.needs_condition or bool(self.condition.tests)

    @property
    def has_several_steps(self) -> bool:
        return not self.kind.own_question and self.request.steps > 1

    @property
    def has_valid_interval(self) -> bool:
        return self.method == JOINT or not self.has_several_steps

    def untestable(self, design: Design) -> Sequence[str]:
        return () if self.lacks_own else self.request.untestable(design)

    def with_(self, **changes: object) -> Self:
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def to_json(self) -> dict[str, Any]:
        asked, kept = self.essence, {"statistic", "condition", "method"}
        kept |= {"at", "size", "draw", "seed"} & {*self.kind.takes}
        usual = {one.name: one.default for one in dataclasses.fields(self)}
        told = {
            name: one
            for name, one in Params.to_json(asked).items()
            if name in kept or getattr(asked, name) != usual[name]
        }
        own = asked.kind.own_question
        # As older programs read it, too.
        return told if not own or asked.lacks_own else told | {own: getattr(asked, own).to_kept()}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """A question that was kept; what cannot be one is a ValueError."""
        known = {one.name for one in dataclasses.fields(cls)}
        try:
            asked = super().from_json(
                {name: one for name, one in given.items() if name in known and one is not None}
            )
        except WorkbenchError as error:
            raise ValueError(str(error)) from None
        if "statistic" not in given or not asked.at:
            raise ValueError(str(given))
        return asked


def pools_arms(question: Question, design: Design) -> bool:
    return "pooling" in question.kind.takes and question.request.pools_arms(design)


def problem_of(question: Question, design: Design) -> str:
    asked, kind = question.essence, question.kind
    try:
        names = known_attributes(asked.condition, asked.attributes, design)
        narrowed = design.within_arms(asked.arms) if asked.arms else design
    except WorkbenchError as error:
        return error.message
    silent_about = [name for name in names if name not in narrowed]
    if silent_about:
        return Message(
            "The chosen arms do not ask {attribute!r}; choose another arm.",
            attribute=silent_about[0],
        )
    if "of" in kind.takes and not asked.of:
        return Message("Choose an attribute.")
    if asked.lacks_own:
        return kind.why_none
    return asked.request.why_not(design) or ""


def problem_with_parts(question: Question, study: Study) -> str:
    if not study.has_reported_parts:
        return ""
    asked = question.essence
    if asked.kind.why_no_parts or asked.method != SEQUENTIAL:
        return asked.kind.why_no_parts
    return NO_SEQUENTIAL_OF_PARTS


def attributes_for(study: Study, statistic: str) -> Sequence[str]:
    kind = statistics[statistic]
    return [one.name for one in study.design if kind.can_be_of(one.attribute)]


def groups_for(study: Study, statistic: str) -> Sequence[str]:
    kind = statistics[statistic]
    return [one.name for one in study.design if kind.can_be_by(one.attribute)]


def group_labels(study: Study, by: str) -> tuple[str, ...]:
    """The groups of an attribute as a comparison names them."""
    if by not in study.design:
        return ()
    attribute = study.design[by].attribute
    return labels_of(attribute, bins_of(attribute, study.design.perturbation(by)))


def uses_sampling(question: Question, study: Study) -> bool:
    """Whether an answer follows from how people were drawn, or from whom it is about.

    Else respondents are a simple random sample, as they always were.
    """
    return study.sampling is not None or question.essence.target != POPULATION


def sampling_options(question: Question, study: Study) -> dict[str, Any]:
    """The roles and options of an estimate, as the command line has them."""
    if not uses_sampling(question, study):
        return {}
    is_default = question.target == POPULATION
    options = None if is_default else SamplingOptions(target=question.target)
    return {"sampling": study.sampling, "options": options}


def first_question(study: Study) -> Question:
    """What is asked first of a study: the share of the first answers marked as sensitive.

    Where none is marked, the item of the first list, which is sensitive by itself.
    """
    for designed in study.design:
        if designed.attribute.sensitive:
            marked = designed.attribute.sensitive
            one = Comparison(designed.name, Operator.EQUAL, marked[0])
            test = Membership(designed.name, marked) if len(marked) > 1 else one
            return Question(condition=Condition((test,)))
    if study.design.lists:
        return Question(LIST, inquiry=lists.first_inquiry(study))
    return Question()


def checked_attribute(question: Question) -> str:
    """The one question that a share is about; empty where it is about others, too."""
    names = {test.attribute for test in question.condition.tests}
    return next(iter(names)) if question.kind.has_readings and len(names) == 1 else ""
