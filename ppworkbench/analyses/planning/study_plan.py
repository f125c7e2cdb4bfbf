"""The plan of a study as it is now: the question :class:`Plan` of its choices, asked live."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ppworkbench.analyses.command_line import command_of
from ppworkbench.analyses.designs.design import noncompliance_of
from ppworkbench.analyses.designs.goals import Goal
from ppworkbench.analyses.planning.plan import Plan, PlanResult, errors_picture
from ppworkbench.analyses.planning.request import ALL, Costs, DesignSource, Pilot
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Design, DesignedAttribute
from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.params import declarations
from ppworkbench.core.planning.alternatives import SIZES, compare_techniques
from ppworkbench.core.planning.invitations import Invitations
from ppworkbench.core.planning.power import TestPlan
from ppworkbench.core.planning.questionnaire import (
    JudgedQuestion,
    QuestionnairePlan,
    QuestionPlan,
    check_beliefs,
    plan_judged,
    planned_names,
)
from ppworkbench.core.planning.settings import PlanSettings, pays_sentence
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.picture import Picture
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.plan_choices import AGAINST, HALF_WIDTH, POWER, SKIPPED, PlanChoices
from ppworkbench.study.study import Study

_SAME = 1e-9
"""Shares that nobody tells apart."""


@dataclass(frozen=True, eq=False)
class PlanRow:
    """A question of the plan.

    Parameters
    ----------
    limits
        What counts for it, and the share who skip it; None where a limit does not count.
    own
        The limits that are its own and not the study's.
    parameter, value
        What its mechanism can be tuned with; empty and None where there is nothing.
    """

    found: QuestionPlan
    attribute: Attribute
    limits: Mapping[str, float | None]
    own: frozenset[str]
    parameter: str = ""
    value: float | None = None

    @property
    def name(self) -> str:
        return self.found.attribute

    @property
    def has_share(self) -> bool:
        """Whether it has a share of sensitive answers; numbers have none."""
        return self.attribute.kind.is_categorical


@dataclass(frozen=True, eq=False)
class PlanView:
    """The plan of a study as it is now.

    Parameters
    ----------
    request
        The question that it answers.
    plan
        None where there is nothing to plan.
    problem
        Why there is no plan.
    """

    study: Study
    request: Plan
    settings: PlanSettings
    rows: tuple[PlanRow, ...] = ()
    plan: QuestionnairePlan | None = None
    notices: tuple[Message, ...] = ()
    problem: str = ""

    @property
    def choices(self) -> PlanChoices:
        return self.study.plan

    @property
    def goal(self) -> Goal:
        """The goals of the study, which are the limits of all questions."""
        return Goal.from_json(self.study.goals)

    @property
    def is_for_goal(self) -> bool:
        """Whether somebody chose the precision or the power that respondents are needed for."""
        return self.choices.aim != HALF_WIDTH or math.isfinite(self.goal.points)

    @property
    def n(self) -> int:
        return self.study.settings.respondents

    def row(self, name: str) -> PlanRow | None:
        return next((row for row in self.rows if row.name == name), None)

    @property
    def sentence(self) -> Message:
        """How many people the plan needs, with those who skip, and which question decides."""
        total = self.total
        if total is None:
            return Message("No limit asks for respondents.")
        if math.isinf(total.answers):
            return Message(
                "No number of respondents is enough for {attribute}.", attribute=total.decisive
            )
        needed = int(total.answers)
        rest = Message("{n:,} are enough.", n=self.n)
        if needed > self.n:
            missing = needed - self.n
            rest = Message("With {n:,} there are {missing:,} too few.", n=self.n, missing=missing)
        told: dict[str, Any] = {"needed": needed, "attribute": total.decisive, "rest": rest}
        if total.skipped[total.decisive] > 0:
            return Message(
                "You need {needed:,} respondents, expected skips included (because of "
                "{attribute}). {rest}",
                **told,
            )
        return Message("You need {needed:,} respondents (because of {attribute}). {rest}", **told)

    @cached_property
    def total(self) -> Invitations | None:
        """How many answers are enough for every question; None where no limit asks for any."""
        return None if self.plan is None else self.request.total(self.plan, self.study.design)

    def needed(self, row: PlanRow) -> float | None:
        """How many people a question needs, with those who skip it; None if no limit asks."""
        return None if self.total is None else self.total.needed.get(row.name)

    @property
    def breaking(self) -> Message | None:
        """Which questions no number of people mends."""
        names = tuple(row.name for row in self.rows if row.found.light in ("breaks", "impossible"))
        if not names:
            return None
        return Message("More respondents do not help: {attributes}.", attributes=names)


def plan_of(study: Study) -> Plan:
    """The question that a study is planned by; true answers tell what to expect."""
    choices, goal = study.plan, Goal.from_json(study.goals)
    names = planned_names(study.design)
    ignoring = noncompliance_of(study)

    def limit(key: str, usual: float | None) -> Any:
        own = {name: told[key] for name in names if key in (told := choices.own.get(name, {}))}
        return _by_question(usual, own)

    asked: dict[str, Any] = {
        "belief": limit("belief", goal.belief if goal.belief < 1 else None),
        "epsilon": limit(
            "epsilon",
            goal.epsilon if choices.has_epsilon and math.isfinite(goal.epsilon) else None,
        ),
        "n": study.settings.respondents, "bias": choices.underreport, "budget": None,
        "design_effect": None if choices.design_effect == 1 else choices.design_effect,
        "noncompliance": ignoring if ignoring is not None and ignoring.share else None,
        "skipped": _by_question(
            choices.skipped or None,
            {name: own for name in names if (own := choices.skip_of(name)) != choices.skipped},
        ),
        "response_rate": None if choices.response_rate == 1 else choices.response_rate,
    }  # fmt: skip
    if choices.costs is not None:
        asked |= {"costs": Costs(*choices.costs), "budget": choices.budget}
    if choices.aim == HALF_WIDTH:
        asked["half_width"] = limit(HALF_WIDTH, min(goal.planned_points / 100, 1.0))
    else:
        asked |= _test_of(choices, names)
    return Plan(**asked)


def _test_of(choices: PlanChoices, names: Iterable[str]) -> dict[str, Any]:
    """The test of all questions, and of those that want another; None leaves one out."""
    is_against = choices.test == AGAINST
    powers: dict[str, float | None] = {}
    values: dict[str, float | None] = {}
    for name in names:
        own = choices.own.get(name, {})
        power = own.get(POWER, 0.0)
        if power is None or power > choices.alpha:
            # A test with a power below its level shows nothing.
            powers[name] = power
        if is_against and AGAINST in own:
            values[name] = own[AGAINST]
        if None in (powers.get(name, 0.0), values.get(name, 0.0)):
            powers[name] = None
            values.pop(name, None)
    asked = {
        "power": _by_question(choices.power, powers), "alpha": choices.alpha,
        "sides": choices.sides,
    }  # fmt: skip
    if is_against:
        return asked | {"against": _by_question(choices.against, values)}
    return asked | {"difference": choices.groups}


def _by_question(usual: float | None, own: Mapping[str, float | None]) -> Any:
    """A number for all questions, and those of single questions that have others."""
    others = {name: one for name, one in own.items() if one != usual}
    return {**({} if usual is None else {ALL: usual}), **others} or None


class PlanBuilder:
    """Builds the view of now; a question that has not changed is not judged again."""

    def __init__(self) -> None:
        self._judged: dict[str, tuple[tuple[object, ...], JudgedQuestion]] = {}

    def build(self, study: Study) -> PlanView:
        """The plan of a study; what stands in its way is told instead."""
        design, request = study.design, plan_of(study)
        settings = request.settings(design)
        if not planned_names(design):
            problem = Message("There are no questions to plan.")
            return PlanView(study, request, settings, problem=problem)
        notices = _circumstances(settings)
        try:
            judged = self._judge(study, settings)
            if all(one.misfit is not None for one in judged if one.technique is not None):
                # An under-report that fits no question is told; the rest of the plan holds.
                notices += [Message.of(one.misfit.message) for one in judged if one.misfit][:1]
                request = replace(request, bias=None)
                settings = request.settings(design)
                judged = self._judge(study, settings)
            untestable = [one.designed.name for one in judged if _is_untestable(one)]
            if untestable:
                left_out = dict.fromkeys(untestable)
                request = replace(request, power={**(request.power or {}), **left_out})
                settings = request.settings(design)
                judged = [
                    replace(one, settings=settings) if one.designed.name in untestable else one
                    for one in judged
                ]
            plan = plan_judged(design, judged, settings)
        except WorkbenchError as error:
            return PlanView(study, request, settings, problem=error.message)
        notices += [
            Message(
                "{attribute}: the expected share is the value to test against; it is not tested.",
                attribute=name,
            )
            for name in untestable
        ]
        rows = tuple(_row(study, one, settings) for one in plan.questions)
        return PlanView(study, request, settings, rows, plan, (*notices, *plan.warnings))

    def _judge(self, study: Study, settings: PlanSettings) -> list[JudgedQuestion]:
        names = planned_names(study.design)
        return [self._judge_one(study, study.design, name, settings) for name in names]

    def _judge_one(
        self, study: Study, design: Design, name: str, settings: PlanSettings
    ) -> JudgedQuestion:
        # How many people are asked matters to nothing that is kept, but for what they cost.
        about_n = None if settings.budget is None else settings.n
        key = (
            design.question(name), design.usual_device(name) if name in design else None,
            design.arms, design.lists, study.choice(name), id(study.original),
            settings.limits_of(name), settings.test_of(name), settings.noncompliance,
            settings.design_effect, settings.underreport, settings.costs, settings.budget, about_n,
        )  # fmt: skip
        known = self._judged.get(name)
        if known is not None and known[0] == key:
            return known[1]
        one = JudgedQuestion.of(design, name, study.prior(name), settings)
        self._judged[name] = key, one
        return one


def _circumstances(settings: PlanSettings) -> list[Message]:
    """What every number of the plan depends on, where it is not what people expect."""
    said = []
    if settings.noncompliance is not None and settings.noncompliance.share > 0:
        share = 100 * settings.noncompliance.share
        said.append(Message("All numbers assume {share:.3g} % non-compliance.", share=share))
    if settings.test is not None and settings.test.difference is not None:
        said.append(Message("n counts the respondents of each group."))
    return said


def _is_untestable(one: JudgedQuestion) -> bool:
    """Whether the expected share is the one to test against."""
    test: TestPlan | None = one.settings.test_of(one.designed.name)
    if test is None or test.against is None or one.technique is None:
        return False
    return abs(one.technique.share - test.against) <= _SAME


def _row(study: Study, found: QuestionPlan, settings: PlanSettings) -> PlanRow:
    name = found.attribute
    limits, test = settings.limits_of(name), settings.test_of(name)
    designed = study.design.question(name)
    parameter, value = parameter_of(
        DesignedAttribute(designed.attribute, found.perturbation, designed.missing_is_value)
    )
    counted: dict[str, float | None] = {
        "belief": limits.belief,
        "epsilon": limits.epsilon,
        HALF_WIDTH: limits.half_width,
        POWER: None if test is None else test.power,
        AGAINST: None if test is None else test.against,
        SKIPPED: study.plan.skip_of(name),
    }
    own = frozenset(study.plan.own.get(name, {}))
    return PlanRow(found, designed.attribute, counted, own, parameter, value)


def parameter_of(designed: DesignedAttribute) -> tuple[str, float | None]:
    """What the mechanism of a question can be tuned with, as people call it, and its value."""
    perturbation = designed.perturbation
    for free in perturbation.free_parameters(designed.attribute):
        if free.now is not None:
            return parameter_label(designed, free.name), free.now
    return "", None


def parameter_label(designed: DesignedAttribute, name: str) -> str:
    perturbation = designed.perturbation
    labels = {one.name: one.info.label for one in declarations(type(perturbation))}
    free = perturbation.free_parameters(designed.attribute)
    return labels.get(name) or next((one.label for one in free if one.name == name), "") or name


def solve_plan(study: Study, progress: Progress = silent) -> PlanResult:
    request = replace(PlanBuilder().build(study).request, solve=True, strict=False)
    return request.run(_StudySource(study), progress)


class _StudySource(DesignSource):
    """The design of a study, and the answers that it expects."""

    def __init__(self, study: Study) -> None:
        super().__init__(study.design)
        self._study = study

    def pilot(self, progress: Progress = silent) -> Pilot:
        progress(0.0)
        names = planned_names(self.design)
        return Pilot({name: self._study.prior(name) for name in names})


# Direct or randomised


@dataclass(frozen=True, eq=False)
class ErrorCurves:
    """The errors of a question's techniques, the design's own first, and when randomising pays."""

    picture: Picture
    sentence: Message | None = None


def error_curves(view: PlanView, name: str) -> ErrorCurves | None:
    """Root mean square errors of a question; None for numbers, which have no share."""
    row = view.row(name)
    if row is None or not row.has_share:
        return None
    settings, study, keys = view.settings, view.study, compared_techniques(row)
    if row.found.break_even is None:
        # More than this share cannot be hidden, so that nobody knows what asking directly gives.
        keys = tuple(key for key in keys if key != "direct")
    sizes = np.unique(np.rint(np.concatenate([np.geomspace(SIZES[0], SIZES[-1], 60), SIZES])))
    found = compare_techniques(
        study.design, name, study.prior(name), settings, keys, sizes.tolist(), are_fitting=False
    )
    cost = None if settings.costs is None else settings.costs[1]
    pays_from = row.found.break_even if cost is None else row.found.budget
    picture = errors_picture(name, found, pays_from, called=study.shown(name))
    if pays_from is None:
        return ErrorCurves(picture)
    if math.isinf(pays_from):
        words = Message("Randomising never pays: its own bias is as large as the under-report.")
    elif cost is not None:
        words = pays_sentence(pays_from, cost)
    else:
        words = Message(
            "Randomising pays from {n:,} respondents on.", n=max(1, math.ceil(pays_from))
        )
    return ErrorCurves(picture, words)


_DEVICES = ("forced=0.75", "unrelated=0.7", "warner=0.7", "crosswise=0.25")
"""Devices that a yes/no question is compared with; as these they are mostly used."""


def compared_techniques(row: PlanRow) -> tuple[str, ...]:
    """What a question is compared with, as the command line calls it."""
    return ("direct", *_DEVICES, "list") if row.attribute.k == 2 else ("direct",)


# The same as a question


def expected_answers(study: Study, names: Iterable[str]) -> tuple[bool, dict[str, Any]]:
    """Whether true answers say what to expect, and what somebody drew in their place."""
    choices = {name: study.choice(name) for name in names}
    has_data = any(one.source == "data" for one in choices.values())
    expected: dict[str, Any] = {}
    for name, choice in choices.items():
        if choice.source == "drawn" and choice.weights:
            expected[name] = list(choice.weights)
        elif choice.source != "data" and has_data:
            expected[name] = "uniform"
    return has_data, expected


def plan_request(study: Study, compared: str = "") -> tuple[Plan, bool]:
    """The question that plans the same of files, and whether it needs true answers.

    ``compared`` names the attribute whose techniques are compared.
    """
    view = PlanBuilder().build(study)
    has_data, expected = expected_answers(study, planned_names(study.design))
    row = view.row(compared)
    asked = replace(
        view.request, expected=expected or None, strict=_can_keep_beliefs(study, view.settings),
        compare=compared_techniques(row) if row is not None and row.has_share else (),
    )  # fmt: skip
    return asked, has_data


def _can_keep_beliefs(study: Study, settings: PlanSettings) -> bool:
    """Whether all limits of belief can be kept; Plan shows which question breaks one."""
    priors = {name: study.prior(name) for name in planned_names(study.design)}
    try:
        check_beliefs(study.design, priors, settings)
    except ParameterError:
        return False
    return True


def plan_command(study: Study, compared: str = "") -> str:
    """The command line that plans the same from files; ``compared`` names a question."""
    stem, (asked, has_data) = file_stem(study.title), plan_request(study, compared)
    return command_of(asked, f"{stem}-original.csv" if has_data else "", f"{stem}-design.json")


def limits_sentence(view: PlanView) -> Message:
    parts = list(_limits_told(view.settings))
    if not parts:
        return Message("No limits are set.")
    return Message("Planned for: {limits}.", limits=Message.joined(parts, ", "))


def _limits_told(settings: PlanSettings) -> Iterator[Message]:
    usual, test = settings.limits, settings.test
    if usual.belief is not None:
        yield Message("belief at most {limit:.3g} %", limit=100 * usual.belief)
    if usual.epsilon is not None:
        yield Message("epsilon at most {limit:.3g}", limit=usual.epsilon)
    if usual.half_width is not None:
        yield Message("intervals of ± {points:.3g} points", points=100 * usual.half_width)
    if test is not None and test.against is not None:
        yield Message(
            "a power of {power:.3g} % against {value:.3g} %",
            power=100 * test.power, value=100 * test.against,
        )  # fmt: skip
    elif test is not None and test.difference is not None:
        first, second = test.difference
        yield Message(
            "a power of {power:.3g} % to tell {first:.3g} % from {second:.3g} %, n in each group",
            power=100 * test.power, first=100 * first, second=100 * second,
        )  # fmt: skip
