"""What can be asked of the distorted answers of a study, and why something cannot."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ppworkbench.core.compliance.assess_list import ListInquiry
from ppworkbench.core.compliance.question import ComplianceQuestion
from ppworkbench.core.data.sampling_roles import POPULATION, RESPONDENTS, SamplingOptions
from ppworkbench.core.design import Design
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.grid import labels_of
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
from ppworkbench.core.survey.quantiles import QUARTILES
from ppworkbench.study.analyses import lists
from ppworkbench.study.analyses.compliance import questions as compliance
from ppworkbench.study.analyses.regression.questions import ModelQuestion
from ppworkbench.study.study import Study

COUNT, MEAN, QUANTILE, DISTRIBUTION, CROSSTAB, COMPARE, REGRESSION, PARTICIPANTS = (
    "count", "mean", "quantile", "distribution", "crosstab", "compare", "regression",
    "participants",
)  # fmt: skip
LIST, COMPLIANCE = "list", "compliance"
STATISTICS = (
    COUNT, MEAN, QUANTILE, DISTRIBUTION, CROSSTAB, COMPARE, REGRESSION, COMPLIANCE, LIST,
    PARTICIPANTS,
)  # fmt: skip

_OF_COUNTS = (COUNT, MEAN, DISTRIBUTION, CROSSTAB, REGRESSION)
"""Statistics that counts of a folder of parts are enough for; others take all of their rows."""
NOT_OF_PARTS: Mapping[str, str] = {
    PARTICIPANTS: Message(
        "Participants are single records, which never leave their parts; open a single file to "
        "list them."
    ),
    SEQUENTIAL: Message(
        "The sequential method needs single records, which never leave their parts; choose the "
        "joint method."
    ),
}
"""What needs to know who is who, and why a folder of parts is not asked for it."""
_WITH_OF = (MEAN, QUANTILE, DISTRIBUTION, CROSSTAB, COMPARE)
_WITH_BY = (CROSSTAB, COMPARE)
WITH_ARMS = (COUNT, MEAN, DISTRIBUTION, CROSSTAB)
"""Statistics that tell every arm of a questionnaire by itself."""
ONLY_JOINT = (QUANTILE, CROSSTAB, COMPARE, REGRESSION, COMPLIANCE, LIST)
"""Statistics that have no sequential method."""
_ONLY_FOR: tuple[tuple[tuple[str, ...], Mapping[str, Any]], ...] = (
    (_WITH_OF, {"of": ""}),
    (_WITH_BY, {"by": ""}),
    ((COMPARE,), {"value": "", "reference": ""}),
    ((QUANTILE,), {"at": QUARTILES}),
    (WITH_ARMS, {"by_arm": False}),
    ((LIST,), {"inquiry": None}),
    ((COMPLIANCE,), {"compliance": None}),
    ((PARTICIPANTS,), {"size": None, "draw": HIGHEST, "seed": 0}),
)
"""What matters to some statistics only, and what it is for all others."""
MOST_VALUES = 24
"""An attribute with more values makes no picture that anybody can read."""


@dataclass(frozen=True)
class Question:
    """One question to the distorted answers.

    Parameters
    ----------
    of, by
        The attribute that is told about, and that of the columns of a cross table or of the groups
        that are compared.
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
    inquiry
        Which list is asked about, and how.
    compliance
        Of which question it is asked who followed the instructions, and by which model.
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
    inquiry: ListInquiry | None = None
    compliance: ComplianceQuestion | None = None

    @property
    def essence(self) -> Self:
        """The same without what does not matter to its statistic."""
        changes: dict[str, Any] = {}
        for statistics, unused in _ONLY_FOR:
            if self.statistic not in statistics:
                changes |= unused
        if self.statistic in ONLY_JOINT:
            changes["method"] = JOINT
        if self.model is not None:
            changes["model"] = plain_model(self.model) if self.statistic == REGRESSION else None
        if self.statistic in (LIST, COMPLIANCE):
            # Both need all of their people; a list needs both of its versions, and compliance
            # has its own choice of arms.
            changes |= {"condition": EVERYBODY, "arms": ()}
        if self.statistic in (PARTICIPANTS, COMPLIANCE):
            changes["target"] = POPULATION
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
        return self.statistic not in (COUNT, PARTICIPANTS) or bool(self.condition.tests)

    @property
    def has_several_steps(self) -> bool:
        """Whether the sequential method reconstructs several attributes one by one."""
        alone = 1 if self.statistic == COUNT else 0
        return len(self.condition.attributes) > alone

    @property
    def has_valid_interval(self) -> bool:
        """Whether the interval holds; after several steps one by one it does not."""
        return self.method == JOINT or not self.has_several_steps

    def with_(self, **changes: object) -> Self:
        """The same question with something changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def to_json(self) -> dict[str, Any]:
        """The question as it is kept in a study."""
        asked = self.essence
        kept: dict[str, Any] = {
            "statistic": asked.statistic, "condition": str(asked.condition), "method": asked.method,
        }  # fmt: skip
        named = ("of", "by", "value", "reference")
        kept |= {name: value for name in named if (value := getattr(asked, name))}
        if asked.statistic == QUANTILE:
            kept["at"] = list(asked.at)
        if asked.target != POPULATION:
            kept["target"] = asked.target
        if asked.statistic == PARTICIPANTS:
            kept |= {"size": asked.size, "draw": asked.draw, "seed": asked.seed}
        if asked.model is not None:
            kept["model"] = asked.model.to_json()
        if asked.arms:
            kept["arms"] = list(asked.arms)
        if asked.by_arm:
            kept["by_arm"] = True
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
                None if inquiry is None else lists.inquiry_from_json(inquiry),
                None if checked is None else compliance.from_json(checked),
            )  # fmt: skip
        except (KeyError, TypeError, WorkbenchError) as error:
            raise ValueError(str(error)) from None
        known = (
            STATISTICS, (JOINT, SEQUENTIAL), (HIGHEST, RANDOM), (POPULATION, RESPONDENTS),
        )  # fmt: skip
        found = (asked.statistic, asked.method, asked.draw, asked.target)
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


def problem_of(question: Question, design: Design) -> str:  # noqa: PLR0911 (one for each kind)
    """Why a question cannot be asked of a design, as one sentence; empty if it can."""
    asked = question.essence
    try:
        names = check_attributes(asked, design)
        narrowed = within_arms(asked, design)
    except WorkbenchError as error:
        return error.message
    if asked.statistic == COMPLIANCE:
        return compliance.problem_of_compliance(asked.compliance, design)
    silent_about = [name for name in names if name not in narrowed]
    if silent_about:
        return Message(
            "The chosen arms do not ask {attribute!r}; choose another arm.",
            attribute=silent_about[0],
        )
    if asked.statistic == LIST:
        return lists.problem_of_list(asked.inquiry, design)
    if asked.statistic == REGRESSION and asked.model is None:
        return Message("Choose the attribute that is explained.")
    if asked.statistic in _WITH_OF and not asked.of:
        return Message("Choose an attribute.")
    if asked.statistic in (MEAN, QUANTILE) and not design[asked.of].attribute.kind.is_numeric:
        if asked.statistic == MEAN:
            return Message("{of} has no mean; choose its distribution.", of=asked.of)
        return Message("{of} has no quantiles; choose its distribution.", of=asked.of)
    if asked.statistic == CROSSTAB:
        return _problem_of_table(asked)
    return _problem_of_groups(asked, design) if asked.statistic == COMPARE else ""


def problem_with_parts(question: Question, study: Study) -> str:
    """Why a question cannot be asked of a folder of parts; empty if it can."""
    if study.reported_parts is None:
        return ""
    asked = question.essence
    refused = asked.statistic if asked.statistic in NOT_OF_PARTS else asked.method
    return NOT_OF_PARTS.get(refused, "")


def takes_rows(question: Question, *, sampled: bool) -> bool:
    """Whether counts of a folder of parts are not enough, and its rows are put together.

    Who they are nobody knows, so that there are no participants, nor draws one by one.

    Parameters
    ----------
    sampled
        Whether weights, strata, clusters or a choice of the target are used.
    """
    asked = question.essence
    if asked.statistic == PARTICIPANTS or asked.method == SEQUENTIAL:
        return False
    return sampled or asked.statistic not in _OF_COUNTS


def columns_of(question: Question, design: Design) -> tuple[str, ...]:
    """The columns that an answer is estimated from, arms and roles apart."""
    asked = question.essence
    if asked.statistic == REGRESSION:
        return model_of(asked).attributes
    if asked.statistic == COMPLIANCE:
        return compliance.columns_of(compliance_of(asked), design)
    if asked.statistic == LIST and asked.inquiry is not None:
        return lists.columns_of(asked.inquiry, design)
    return check_attributes(asked, within_arms(asked, design))


def _problem_of_table(asked: Question) -> str:
    if not asked.by:
        return Message("Choose a column attribute.")
    if asked.of == asked.by:
        return Message("A cross table needs 2 different attributes.")
    return ""


def _problem_of_groups(asked: Question, design: Design) -> str:
    if not asked.by:
        return Message("Choose the attribute of the groups.")
    if asked.of == asked.by or asked.of in asked.condition.attributes:
        return Message("Groups of {of} cannot be compared by {of} itself.", of=asked.of)
    attribute = design[asked.of].attribute
    if attribute.kind.is_categorical and asked.value not in attribute.values:
        return Message("Choose the answer of {of} that is compared.", of=asked.of)
    return ""


def attributes_for(study: Study, statistic: str) -> Sequence[str]:
    """The attributes that a statistic can tell about."""
    return [
        designed.name
        for designed in study.design
        if statistic not in (MEAN, QUANTILE) or designed.attribute.kind.is_numeric
    ]


def groups_for(study: Study, statistic: str) -> Sequence[str]:
    """The attributes by which a statistic can tell of another one."""
    return [
        designed.name
        for designed in study.design
        if statistic != COMPARE
        or (designed.attribute.k <= MOST_VALUES and designed.attribute.k != 1)
    ]


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
    return next(iter(names)) if question.statistic == COUNT and len(names) == 1 else ""


def model_of(question: Question) -> ModelQuestion:
    """The regression of a question, among those who meet its condition."""
    assert question.model is not None  # noqa: S101 (the question has no problem)
    return question.model.with_(condition=question.condition, target=question.target)


def compliance_of(question: Question) -> ComplianceQuestion:
    """Whose compliance a question is about."""
    assert question.compliance is not None  # noqa: S101 (the question has no problem)
    return question.compliance


def survey_command(question: Question, table: str, design: str) -> str:
    """The command line that asks the same of files; regressions have one of their own."""
    asked = question.essence
    is_list = asked.statistic == PARTICIPANTS
    shares = ",".join(f"{share:g}" for share in asked.at)
    given = {
        "--of": f"{asked.of}={asked.value}" if asked.value else asked.of,
        "--by": asked.by,
        "--reference": asked.reference,
        "--where": str(asked.condition),
        "--at": shares if asked.statistic == QUANTILE else "",
        "--method": "" if asked.method == JOINT else asked.method,
        "--draw": asked.draw if is_list else "",
        "--seed": str(asked.seed) if is_list else "",
        "--size": "" if asked.size is None else str(asked.size),
        "--target": "" if asked.target == POPULATION else asked.target,
    }
    words = ["ppworkbench", asked.statistic, table, "--design", design]
    words += [word for pair in given.items() if pair[1] for word in pair]
    words += [word for arm in asked.arms for word in ("--arm", arm)]
    return shlex.join([*words, *(["--by-arm"] if asked.by_arm else [])])
