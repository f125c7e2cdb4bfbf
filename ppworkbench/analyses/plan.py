"""The plan of a survey: what its questions keep and need, what randomising pays, and solving."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ppworkbench.analyses.design import noncompliance_of
from ppworkbench.analyses.trade_off.goals import Goal
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Design, DesignedAttribute
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.params import declarations
from ppworkbench.core.planning.alternatives import SIZES, compare_techniques
from ppworkbench.core.planning.invitations import Invitations, count_invitations
from ppworkbench.core.planning.power import TestPlan
from ppworkbench.core.planning.questionnaire import (
    JudgedQuestion,
    QuestionnairePlan,
    QuestionPlan,
    plan_judged,
    planned_names,
)
from ppworkbench.core.planning.settings import Limits, PlanSettings, pays_sentence
from ppworkbench.core.planning.solution import Solution, solve
from ppworkbench.core.privacy.utility.noncompliance import NonCompliance
from ppworkbench.core.progress import Progress, silent
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
        """The name of the attribute."""
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
    plan
        None where there is nothing to plan.
    problem
        Why there is no plan.
    """

    study: Study
    settings: PlanSettings
    rows: tuple[PlanRow, ...] = ()
    plan: QuestionnairePlan | None = None
    notices: tuple[Message, ...] = ()
    problem: str = ""

    @property
    def choices(self) -> PlanChoices:
        """What was chosen for the plan."""
        return self.study.plan

    @property
    def goal(self) -> Goal:
        """The goals of the study, which are the limits of all questions."""
        return Goal.from_json(self.study.goals)

    @property
    def n(self) -> int:
        """How many people are asked."""
        return self.study.settings.respondents

    def row(self, name: str) -> PlanRow | None:
        """The row of a question."""
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
        told: dict[str, Any] = {"needed": needed, "attribute": total.decisive, "n": self.n}
        has_skips = total.skipped[total.decisive] > 0
        if needed <= self.n and has_skips:
            return Message(
                "The plan needs {needed:,} respondents, expected skips included; {attribute} "
                "decides. {n:,} are enough.",
                **told,
            )
        if needed <= self.n:
            return Message(
                "The plan needs {needed:,} respondents; {attribute} decides. {n:,} are enough.",
                **told,
            )
        if has_skips:
            return Message(
                "The plan needs {needed:,} respondents, expected skips included; {attribute} "
                "decides. With {n:,} there are {missing:,} too few.",
                missing=needed - self.n,
                **told,
            )
        return Message(
            "The plan needs {needed:,} respondents; {attribute} decides. With {n:,} there are "
            "{missing:,} too few.",
            missing=needed - self.n,
            **told,
        )

    @cached_property
    def total(self) -> Invitations | None:
        """How many answers are enough for every question; None where no limit asks for any."""
        if self.plan is None:
            return None
        choices = self.choices
        return count_invitations(self.plan.questions, choices.skip_of, choices.response_rate)

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


def usual_limits(study: Study) -> Limits:
    """The limits of all questions: the goals of the study that count in its plan."""
    goal, choices = Goal.from_json(study.goals), study.plan
    return Limits(
        belief=goal.belief if goal.belief < 1 else None,
        epsilon=goal.epsilon if choices.has_epsilon else None,
        half_width=min(goal.points / 100, 1.0) if choices.aim == HALF_WIDTH else None,
    )


def plan_settings(study: Study) -> PlanSettings:
    """What the study is planned for."""
    choices, usual = study.plan, usual_limits(study)
    is_tested, is_against = choices.aim == POWER, choices.test == AGAINST
    test = None
    if is_tested:
        test = TestPlan(
            choices.power,
            against=choices.against if is_against else None,
            difference=None if is_against else choices.groups,
            alpha=choices.alpha,
            sides=choices.sides,
        )
    counting = {"belief", "epsilon", *((POWER,) if is_tested else (HALF_WIDTH,))}
    counting |= {AGAINST} if is_tested and is_against else set()
    own, untested = {}, set()
    for name in set(choices.own) & set(planned_names(study.design)):
        limits = {key: value for key, value in choices.own[name].items() if key in counting}
        if any(limits.get(key, 0.0) is None for key in (POWER, AGAINST)):
            untested.add(name)
        elif (limits.get(POWER) or 1.0) <= choices.alpha:
            # Such a test shows nothing.
            del limits[POWER]
        if limits:
            own[name] = replace(usual, **limits)
    return PlanSettings(
        limits=usual,
        own_limits=own,
        test=test,
        untested=frozenset(untested),
        n=study.settings.respondents,
        noncompliance=noncompliance_of(study),
        design_effect=choices.design_effect,
        underreport=choices.underreport,
        costs=choices.costs,
        budget=None if choices.costs is None else choices.budget,
    )


class PlanBuilder:
    """Builds the view of now; a question that has not changed is not judged again."""

    def __init__(self) -> None:
        self._judged: dict[str, tuple[tuple[object, ...], JudgedQuestion]] = {}

    def build(self, study: Study) -> PlanView:
        """The plan of a study; what stands in its way is told instead."""
        settings = plan_settings(study)
        names = planned_names(study.design)
        if not names:
            return PlanView(study, settings, problem=Message("There are no questions to plan."))
        design, notices = study.design, _circumstances(settings)
        try:
            settings, judged, untestable = self._judge(study, design, settings)
            if all(one.misfit is not None for one in judged if one.technique is not None):
                # An under-report that fits no question is told; the rest of the plan holds.
                notices += [Message.of(one.misfit.message) for one in judged if one.misfit][:1]
                settings = replace(settings, underreport=None)
                settings, judged, untestable = self._judge(study, design, settings)
            plan = plan_judged(design, judged, settings)
        except WorkbenchError as error:
            return PlanView(study, settings, problem=error.message)
        notices += [
            Message(
                "{attribute}: the expected share is the value to test against; it is not tested.",
                attribute=name,
            )
            for name in untestable
        ]
        rows = tuple(_row(study, one, settings) for one in plan.questions)
        return PlanView(study, settings, rows, plan, (*notices, *plan.warnings))

    def _judge(
        self, study: Study, design: Design, settings: PlanSettings
    ) -> tuple[PlanSettings, list[JudgedQuestion], list[str]]:
        """All questions; those whose share is the one to test against are left out of the test."""
        untestable: list[str] = []
        judged = []
        for name in planned_names(design):
            one = self._judge_one(study, design, name, settings)
            test, technique = settings.test_of(name), one.technique
            if test is not None and technique is not None and _is_same_share(test, technique.share):
                untestable.append(name)
            judged.append(one)
        if not untestable:
            return settings, judged, []
        settings = replace(settings, untested=settings.untested | set(untestable))
        judged = [
            replace(one, settings=settings) if one.designed.name in untestable else one
            for one in judged
        ]
        return settings, judged, untestable

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


def _is_same_share(test: TestPlan, share: float) -> bool:
    return test.against is not None and abs(share - test.against) <= _SAME


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
            return _parameter_label(designed, free.name), free.now
    return "", None


def _parameter_label(designed: DesignedAttribute, name: str) -> str:
    perturbation = designed.perturbation
    labels = {one.name: one.info.label for one in declarations(type(perturbation))}
    free = perturbation.free_parameters(designed.attribute)
    return labels.get(name) or next((one.label for one in free if one.name == name), "") or name


# Solving


@dataclass(frozen=True, eq=False)
class SolvedRow:
    """A question before and after solving, and the parameter that was looked for."""

    before: PlanRow
    after: PlanRow
    solution: Solution

    @property
    def parameter(self) -> str:
        """The parameter as people call it."""
        before = self.before
        designed = DesignedAttribute(before.attribute, before.found.perturbation)
        return _parameter_label(designed, self.solution.parameter)

    @property
    def values(self) -> tuple[float | None, float | None]:
        """The parameter before and after."""
        now, snapped = self.solution.now, self.solution.snapped
        return now, now if snapped is None else snapped

    @property
    def is_changed(self) -> bool:
        """Whether it gets another parameter."""
        return self.before.found.perturbation != self.after.found.perturbation


@dataclass(frozen=True, eq=False)
class SolvedPlan:
    """What solving all questions would make of a study."""

    before: PlanView
    after: PlanView
    rows: tuple[SolvedRow, ...]

    @property
    def study(self) -> Study:
        """The study with the parameters that were found."""
        return self.after.study

    @property
    def is_changed(self) -> bool:
        """Whether any question gets another parameter."""
        return any(row.is_changed for row in self.rows)


def solve_plan(study: Study, progress: Progress = silent) -> SolvedPlan:
    """The most accurate parameter of every question within its limits of privacy."""
    priors = {name: study.prior(name) for name in planned_names(study.design)}
    solved, solutions = solve(study.design, priors, plan_settings(study), progress=progress)
    before = PlanBuilder().build(study)
    after = PlanBuilder().build(study.with_(design=solved))
    rows = []
    for one in solutions:
        first, second = before.row(one.attribute), after.row(one.attribute)
        if first is not None and second is not None:
            rows.append(SolvedRow(first, second, one))
    return SolvedPlan(before, after, tuple(rows))


# Direct or randomised


@dataclass(frozen=True, eq=False)
class ErrorCurve:
    """The error of one technique; ``key`` is what the command line calls it."""

    key: str
    name: Message
    errors: Numbers


@dataclass(frozen=True, eq=False)
class ErrorCurves:
    """Root mean square errors of one question over respondents or budgets.

    The first curve is the design's own. ``pays_from`` is where it meets that of asking directly:
    infinite where it never does, None where there is no such number. ``cost`` is that of a
    randomised interview where budgets are compared, else None.
    """

    at: Numbers
    curves: tuple[ErrorCurve, ...]
    pays_from: float | None
    cost: float | None = None

    @property
    def is_budget(self) -> bool:
        """Whether errors are told by what the interviews cost, not by respondents."""
        return self.cost is not None

    @property
    def sentence(self) -> Message | None:
        """From when on randomising pays."""
        if self.pays_from is None:
            return None
        if math.isinf(self.pays_from):
            return Message("Randomising never pays: its own bias is as large as the under-report.")
        if self.cost is not None:
            return pays_sentence(self.pays_from, self.cost)
        return Message(
            "Randomising pays from {n:,} respondents on.", n=max(1, math.ceil(self.pays_from))
        )


def error_curves(view: PlanView, name: str) -> ErrorCurves | None:
    """The errors of a question's techniques; None for numbers, which have no share."""
    row = view.row(name)
    if row is None or not row.has_share:
        return None
    settings, study = view.settings, view.study
    keys = compared_techniques(row)
    if row.found.break_even is None:
        # More than this share cannot be hidden, so that nobody knows what asking directly gives.
        keys = tuple(key for key in keys if key != "direct")
    sizes = np.unique(np.rint(np.concatenate([np.geomspace(SIZES[0], SIZES[-1], 60), SIZES])))
    found = compare_techniques(
        study.design, name, study.prior(name), settings, keys, sizes.tolist(), are_fitting=False
    )
    curves = tuple(
        ErrorCurve(key, technique_name(key), np.array(one["rmse"], np.float64))
        for key, one in found["techniques"].items()
        if math.isfinite(one["variance"])
    )
    cost = None if settings.costs is None else settings.costs[1]
    pays_from = row.found.break_even if cost is None else row.found.budget
    at = np.array(found["at"], np.float64)
    return ErrorCurves(at, _told_apart(curves), pays_from, cost)


_DEVICES = ("forced=0.75", "unrelated=0.7", "warner=0.7", "crosswise=0.25")
"""Devices that a yes/no question is compared with; as these they are mostly used."""


def compared_techniques(row: PlanRow) -> tuple[str, ...]:
    """What a question is compared with, as the command line calls it."""
    return ("direct", *_DEVICES, "list") if row.attribute.k == 2 else ("direct",)


def _told_apart(curves: tuple[ErrorCurve, ...]) -> tuple[ErrorCurve, ...]:
    """The curves without those that lie on an earlier one: devices may have the same matrix."""
    kept: list[ErrorCurve] = []
    for curve in curves:
        if not any(np.allclose(curve.errors, one.errors, rtol=1e-6, atol=0) for one in kept):
            kept.append(curve)
    return tuple(kept)


def technique_name(key: str) -> Message:
    """What people call a technique."""
    name, _, value = key.partition("=")
    names = {
        "design": Message("This design"),
        "direct": Message("Direct question"),
        "list": Message("List of 3 items"),
        "forced": Message("Forced response"),
        "unrelated": Message("Unrelated question"),
        "warner": Message("Warner"),
        "crosswise": Message("Crosswise"),
    }
    if not value:
        return names[name]
    return Message("{technique} {value:.2f}", technique=names[name], value=float(value))


# The same on the command line


def plan_command(study: Study, compared: str = "") -> str:
    """The command line that plans the same from files; ``compared`` names a question."""
    view = PlanBuilder().build(study)
    settings, choices, stem = view.settings, study.plan, file_stem(study.title)
    words = ["ppworkbench", "plan", "--design", f"{stem}-design.json"]
    words += _prior_words(study, f"{stem}-original.csv")
    words += ["--n", str(study.settings.respondents)]
    usual = settings.limits
    for name in ("belief", "epsilon", HALF_WIDTH):
        option, value = f"--{name.replace('_', '-')}", getattr(usual, name)
        words += [] if value is None else [option, _number(value)]
        for question, limits in settings.own_limits.items():
            own = getattr(limits, name)
            if own != value:
                words += [option, f"{question}={'none' if own is None else _number(own)}"]
    words += _test_words(settings, choices)
    if settings.underreport is not None:
        words += ["--bias", _number(settings.underreport)]
    if settings.costs is not None:
        direct, randomised = map(_number, settings.costs)
        words += ["--cost-direct", direct, "--cost-randomised", randomised]
    if settings.budget is not None:
        words += ["--budget", _number(settings.budget)]
    if settings.design_effect != 1:
        words += ["--design-effect", _number(settings.design_effect)]
    words += _noncompliance_words(settings.noncompliance)
    words += _invitation_words(study)
    row = view.row(compared)
    if row is not None and row.has_share:
        words += ["--compare", ",".join(compared_techniques(row))]
    return shlex.join(words)


def _invitation_words(study: Study) -> list[str]:
    """How many skip a question, and how many of the invited answer."""
    choices = study.plan
    words = [] if choices.skipped == 0 else ["--skipped", _number(choices.skipped)]
    for name in planned_names(study.design):
        if choices.skip_of(name) != choices.skipped:
            words += ["--skipped", f"{name}={_number(choices.skip_of(name))}"]
    if choices.response_rate != 1:
        words += ["--response-rate", _number(choices.response_rate)]
    return words


def _noncompliance_words(ignoring: NonCompliance | None) -> list[str]:
    if ignoring is None or ignoring.share == 0:
        return []
    words = ["--non-compliance", _number(ignoring.share), "--behaviour", ignoring.behaviour]
    for name, answer in ignoring.own_safe:
        words += ["--safe", f"{name}={answer}"]
    return [*words, "--corrected"] if ignoring.corrected else words


def _prior_words(study: Study, table: str) -> list[str]:
    """Where the expected answers come from."""
    words: list[str] = []
    choices = {name: study.choice(name) for name in planned_names(study.design)}
    has_data = any(one.source == "data" for one in choices.values())
    if has_data:
        words += ["--data", table]
    for name, choice in choices.items():
        if choice.source == "drawn" and choice.weights:
            listed = ",".join(_number(weight) for weight in choice.weights)
            words += ["--expected", f"{name}={listed}"]
        elif choice.source != "data" and has_data:
            words += ["--expected", f"{name}=uniform"]
    return words


def _test_words(settings: PlanSettings, choices: PlanChoices) -> list[str]:
    test = settings.test
    if test is None:
        return []
    words = ["--power", _number(test.power), "--alpha", _number(test.alpha), "--sides", test.sides]
    if test.against is not None:
        words += ["--against", _number(test.against)]
    else:
        words += ["--difference", ":".join(map(_number, choices.groups))]
    for name, limits in settings.own_limits.items():
        if name in settings.untested:
            continue
        if limits.power is not None:
            words += ["--power", f"{name}={_number(limits.power)}"]
        if limits.against is not None and test.against is not None:
            words += ["--against", f"{name}={_number(limits.against)}"]
    for name in sorted(settings.untested):
        words += ["--power", f"{name}=none"]
    return words


def _number(value: float) -> str:
    return f"{int(value)}" if value == int(value) and abs(value) < 1e15 else repr(float(value))


def limits_sentence(view: PlanView) -> Message:
    """What all questions are planned for, in one sentence."""
    usual, test, parts = view.settings.limits, view.settings.test, []
    if usual.belief is not None:
        parts.append(Message("belief at most {limit:.3g} %", limit=100 * usual.belief))
    if usual.epsilon is not None:
        parts.append(Message("epsilon at most {limit:.3g}", limit=usual.epsilon))
    if usual.half_width is not None:
        parts.append(Message("intervals of ± {points:.3g} points", points=100 * usual.half_width))
    if test is not None and test.against is not None:
        parts.append(
            Message(
                "a power of {power:.3g} % against {value:.3g} %",
                power=100 * test.power,
                value=100 * test.against,
            )
        )
    elif test is not None and test.difference is not None:
        parts.append(
            Message(
                "a power of {power:.3g} % to tell {first:.3g} % from {second:.3g} %, n in each "
                "group",
                power=100 * test.power,
                first=100 * test.difference[0],
                second=100 * test.difference[1],
            )
        )
    if not parts:
        return Message("No limits are set.")
    return Message("Planned for: {limits}.", limits=Message.joined(parts, ", "))
