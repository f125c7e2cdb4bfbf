"""What can be asked of the distorted answers of a study, and why something cannot."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ppworkbench.analyses import lists
from ppworkbench.analyses.compliance import questions as compliance
from ppworkbench.analyses.regression.questions import ModelQuestion
from ppworkbench.analyses.survey.statistic import Statistic, statistics
from ppworkbench.core.compliance.assess_list import ListInquiry
from ppworkbench.core.compliance.question import ComplianceQuestion
from ppworkbench.core.data.sampling_roles import POPULATION, RESPONDENTS, SamplingOptions
from ppworkbench.core.design import Design
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
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
from ppworkbench.core.survey.conditions.parser import parse_condition
from ppworkbench.core.survey.conditions.regions import asked_attribute, regions_of
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL
from ppworkbench.core.survey.factors.grids import bins_of
from ppworkbench.core.survey.participants import HIGHEST, RANDOM
from ppworkbench.core.survey.pooled import pooled_name
from ppworkbench.core.survey.quantiles import QUARTILES
from ppworkbench.study.study import Study

COUNT, MEAN, RATIO, QUANTILE, DISTRIBUTION, CROSSTAB, COMPARE, REGRESSION, PARTICIPANTS = (
    "count", "mean", "ratio", "quantile", "distribution", "crosstab", "compare", "regression",
    "participants",
)  # fmt: skip
LIST, COMPLIANCE = "list", "compliance"
"""Names of statistics for those who ask a certain question; all are in `statistics`."""
NO_SEQUENTIAL_OF_PARTS = Message(
    "The sequential method needs single records, which never leave their parts; choose the joint "
    "method."
)
MOST_VALUES = 24
"""An attribute with more values makes no picture that anybody can read."""


@dataclass(frozen=True)
class Question:
    """One question to the distorted answers.

    Parameters
    ----------
    of, by
        The attribute that is told about, and that of the columns of a cross table, of the groups
        that are compared, or the number that another one is divided by.
    size
        How many participants are wanted; as many as are expected to meet the condition if None.
    draw, seed
        Whether the most probable ones are listed or a random draw, and where that starts.
    value
        The answer whose share is compared; empty for the mean of a number.
    reference
        The group that all others are compared with; all pairs are compared if empty.
    at
        The shares of people below the quantiles.
    target
        Whether the number is about everybody whom the sample stands for, or about the people who
        answered.
    model
        What a regression explains by what, and how; its condition is that of the question.
    arms
        The arms of the questionnaire whose answers count; all of them if empty.
    by_arm
        Whether every arm is told by itself, too.
    pooling
        How arms whose devices differ are put together.
    inquiry
        Which list is asked about, and how.
    compliance
        Of which question it is asked who followed the instructions, and by which model.
    test
        How the independence of a cross table is tested.
    """

    statistic: str = COUNT
    condition: Condition = EVERYBODY
    method: str = JOINT
    of: str = ""
    by: str = ""
    size: int | None = None
    draw: str = HIGHEST
    seed: int = 0
    value: str = ""
    reference: str = ""
    at: tuple[float, ...] = QUARTILES
    target: str = POPULATION
    model: ModelQuestion | None = None
    arms: tuple[str, ...] = ()
    by_arm: bool = False
    pooling: str = LIKELIHOOD
    inquiry: ListInquiry | None = None
    compliance: ComplianceQuestion | None = None
    test: str = RAO_SCOTT

    @property
    def kind(self) -> Statistic[Any]:
        """The statistic that is asked for."""
        return statistics[self.statistic]()

    @property
    def essence(self) -> Self:
        """The same without what does not matter to its statistic."""
        needed = ("statistic", *self.kind.takes)
        unused = (one for one in dataclasses.fields(self) if one.name not in needed)
        changes: dict[str, Any] = {one.name: one.default for one in unused}
        if self.model is not None and "model" in needed:
            changes["model"] = plain_model(self.model)
        return dataclasses.replace(self, **changes)

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes that an answer needs."""
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
        """Whether the sequential method reconstructs several attributes one by one."""
        return self.kind.steps(self) > 1

    @property
    def has_valid_interval(self) -> bool:
        """Whether the interval holds; after several steps one by one it does not."""
        return self.method == JOINT or not self.has_several_steps

    def with_(self, **changes: object) -> Self:
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def to_json(self) -> dict[str, Any]:
        """The question as it is kept in a study."""
        asked, takes = self.essence, self.kind.takes
        kept: dict[str, Any] = {
            "statistic": asked.statistic, "condition": str(asked.condition), "method": asked.method,
        }  # fmt: skip
        named = ("of", "by", "value", "reference")
        kept |= {name: value for name in named if (value := getattr(asked, name))}
        if "at" in takes:
            kept["at"] = list(asked.at)
        if asked.target != POPULATION:
            kept["target"] = asked.target
        if asked.test != RAO_SCOTT:
            kept["test"] = asked.test
        kept |= {name: getattr(asked, name) for name in ("size", "draw", "seed") if name in takes}
        if asked.model is not None:
            kept["model"] = asked.model.to_json()
        if asked.arms:
            kept["arms"] = list(asked.arms)
        if asked.by_arm:
            kept["by_arm"] = True
        if asked.pooling != LIKELIHOOD:
            kept["pooling"] = asked.pooling
        if asked.inquiry is not None:
            kept["inquiry"] = lists.inquiry_to_json(asked.inquiry)
        if asked.compliance is not None:
            kept["compliance"] = compliance.to_json(asked.compliance)
        return kept

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """A question that was kept; what cannot be one is a ValueError."""
        try:
            statistic, method = str(given["statistic"]), str(given.get("method", JOINT))
            condition = parse_condition(str(given.get("condition", "")))
            size, model, inquiry = (given.get(name) for name in ("size", "model", "inquiry"))
            checked = given.get("compliance")
            asked = cls(
                statistic, condition, method, str(given.get("of", "")), str(given.get("by", "")),
                None if size is None else int(size), str(given.get("draw", HIGHEST)),
                int(given.get("seed", 0)), str(given.get("value", "")),
                str(given.get("reference", "")), tuple(map(float, given.get("at", QUARTILES))),
                str(given.get("target", POPULATION)),
                None if model is None else ModelQuestion.from_json(model),
                tuple(map(str, given.get("arms", ()))), bool(given.get("by_arm", False)),
                str(given.get("pooling", LIKELIHOOD)),
                None if inquiry is None else lists.inquiry_from_json(inquiry),
                None if checked is None else compliance.from_json(checked),
                str(given.get("test", RAO_SCOTT)),
            )  # fmt: skip
        except (KeyError, TypeError, WorkbenchError) as error:
            raise ValueError(str(error)) from None
        known = (
            statistics.names, (JOINT, SEQUENTIAL), (HIGHEST, RANDOM), (POPULATION, RESPONDENTS),
            TESTS, POOLINGS,
        )  # fmt: skip
        found = (
            asked.statistic, asked.method, asked.draw, asked.target, asked.test, asked.pooling,
        )  # fmt: skip
        if not asked.at or not all(0 < share < 1 for share in asked.at):
            raise ValueError(str(asked.at))
        if any(one not in among for one, among in zip(found, known, strict=True)):
            raise ValueError(str(found))
        return asked


def plain_model(model: ModelQuestion) -> ModelQuestion:
    """The same without what is told beside the coefficients."""
    return model.with_(
        condition=EVERYBODY, effects=False, predict=(), compare_with=None, fit=False,
        target=POPULATION,
    )  # fmt: skip


def check_attributes(question: Question, design: Design) -> tuple[str, ...]:
    """The attributes that an answer needs; an error names what the design does not know."""
    asked = question.essence
    names = dict.fromkeys([*regions_of(asked.condition, design), *asked.attributes])
    found = tuple(name for name in names if name)
    for name in found:
        asked_attribute(name, design)
    return found


def within_arms(question: Question, design: Design) -> Design:
    """The design that a question is asked of: that of its arms, where it chooses some."""
    return design.within_arms(question.arms) if question.arms else design


def pools_arms(question: Question, design: Design) -> bool:
    """Whether arms with different devices are put together to one share."""
    asked = question.essence
    names = set(asked.attributes)
    if "pooling" not in asked.kind.takes or not names <= set(design.names):
        return False
    return pooled_name(within_arms(asked, design), names) is not None


def problem_of(question: Question, design: Design) -> str:
    """Why a question cannot be asked of a design, as one sentence; empty if it can."""
    asked = question.essence
    try:
        names = check_attributes(asked, design)
        narrowed = within_arms(asked, design)
    except WorkbenchError as error:
        return error.message
    silent_about = [name for name in names if name not in narrowed]
    if silent_about:
        return Message(
            "The chosen arms do not ask {attribute!r}; choose another arm.",
            attribute=silent_about[0],
        )
    if "of" in asked.kind.takes and not asked.of:
        return Message("Choose an attribute.")
    return asked.kind.problem(asked, design)


def problem_with_parts(question: Question, study: Study) -> str:
    """Why a question cannot be asked of a folder of parts; empty if it can."""
    if study.reported_parts is None:
        return ""
    asked = question.essence
    if asked.kind.why_no_parts or asked.method != SEQUENTIAL:
        return asked.kind.why_no_parts
    return NO_SEQUENTIAL_OF_PARTS


def takes_rows(question: Question, *, sampled: bool) -> bool:
    """Whether counts of a folder of parts are not enough, and its rows are put together.

    Who they are nobody knows, so that there are no participants, nor draws one by one.

    Parameters
    ----------
    sampled
        Whether weights, strata, clusters or a choice of the target are used.
    """
    asked = question.essence
    if asked.kind.why_no_parts or asked.method == SEQUENTIAL:
        return False
    return sampled or not asked.kind.is_from_counts


def columns_of(question: Question, design: Design) -> tuple[str, ...]:
    """The columns that an answer is estimated from, arms and roles apart."""
    asked = question.essence
    own = asked.kind.own_columns(asked, design)
    return own or check_attributes(asked, within_arms(asked, design))


def attributes_for(study: Study, statistic: str) -> Sequence[str]:
    kind = statistics[statistic]()
    return [one.name for one in study.design if kind.can_be_of(one.attribute)]


def groups_for(study: Study, statistic: str) -> Sequence[str]:
    """The attributes by which a statistic can tell of another one."""
    kind = statistics[statistic]()
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


def model_of(question: Question) -> ModelQuestion:
    """The regression of a question, among those who meet its condition."""
    assert question.model is not None  # noqa: S101 (the question has no problem)
    return question.model.with_(condition=question.condition, target=question.target)


def compliance_of(question: Question) -> ComplianceQuestion:
    assert question.compliance is not None  # noqa: S101 (the question has no problem)
    return question.compliance
