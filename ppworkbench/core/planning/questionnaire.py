"""The plan of a whole questionnaire: which questions keep their limits, and how many to ask.

One number of people answers all questions, so the most demanding question decides about it. Limits
of privacy do not depend on it; solving finds the most accurate parameter that keeps them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Design, DesignedAttribute, Perturbation
from ppworkbench.core.design.devices import DEVICES, MOST_DEVICES, Device, Snapped, snap
from ppworkbench.core.design.perturbation import FreeParameter
from ppworkbench.core.design.presets import named_design
from ppworkbench.core.design.presets.base import percent
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Params, Within
from ppworkbench.core.planning.power import (
    Direct,
    Randomised,
    Technique,
    TestPlan,
    break_even,
    check_positive,
    named_technique,
)
from ppworkbench.core.privacy.belief import (
    SensitiveBelief,
    belief_by_report,
    listed,
    sensitive_belief,
)
from ppworkbench.core.privacy.epsilon import epsilon
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.noncompliance import NonCompliance
from ppworkbench.core.privacy.utility.planning import plan_attribute
from ppworkbench.core.privacy.utility.respondents import needed_respondents, times_effect

_KEPT = 1e-9
"""How far a limit may be missed by rounding."""
_SAMPLES = 97


@dataclass(frozen=True)
class Limits(Params):
    """What counts for a question; a limit that is not set does not count."""

    belief: Annotated[
        float | None,
        Within(0, 1, open_low=True, open_high=True),
        Info("Belief", "Highest belief in the sensitive answer"),
    ] = None
    epsilon: Annotated[
        float | None, Within(0, open_low=True), Info("Epsilon", "Highest epsilon")
    ] = None
    half_width: Annotated[
        float | None,
        Within(0, 1, open_low=True),
        Info("Half-width", "Largest half-width of the 95 % interval"),
    ] = None

    @property
    def are_private(self) -> bool:
        """Whether there is a limit of privacy."""
        return self.belief is not None or self.epsilon is not None


@dataclass(frozen=True)
class PlanSettings:
    """What a questionnaire is planned for.

    Parameters
    ----------
    limits, own_limits
        The limits of all questions, and of those that have their own.
    test
        A test of every question's sensitive share.
    n
        How many people are asked; as many as are needed if not given.
    design_effect
        How many times more people the way of sampling needs.
    underreport
        How many points too few a direct question finds, as is suspected.
    costs
        Of a direct and of a randomised interview.
    budget
        What all interviews may cost; it decides about n.
    needed
        How many people other aims ask for, by question.
    """

    limits: Limits = dataclasses.field(default_factory=Limits)
    own_limits: Mapping[str, Limits] = dataclasses.field(
        default_factory=lambda: MappingProxyType({})
    )
    test: TestPlan | None = None
    n: int | None = None
    noncompliance: NonCompliance | None = None
    design_effect: float = 1.0
    underreport: float | None = None
    costs: tuple[float, float] | None = None
    budget: float | None = None
    needed: Mapping[str, float] = dataclasses.field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        """Refuse costs and effects that no survey has."""
        check_positive(self.design_effect, Message("design effect"), "design_effect")
        for cost in self.costs or ():
            check_positive(cost, Message("cost of an interview"), "cost")
        if self.budget is not None:
            check_positive(self.budget, Message("budget"), "budget")
            if self.costs is None:
                raise ParameterError(
                    "A budget needs the costs of a direct and of a randomised interview.",
                    field="budget",
                )

    def limits_of(self, name: str) -> Limits:
        """The limits of one question."""
        return self.own_limits.get(name, self.limits)

    @property
    def people(self) -> int | None:
        """How many are asked: those that were named, or that the budget pays for."""
        if self.n is not None or self.budget is None or self.costs is None:
            return self.n
        return max(1, math.floor(self.budget / self.costs[1]))


@dataclass(frozen=True, eq=False)
class QuestionPlan:
    """What the plan says of one question.

    ``light`` is "ok", "more" (people are needed), "breaks" (a limit of privacy) or "impossible";
    ``words`` say it. ``respondents`` are None where no limit asks for any. ``power``, ``bias``,
    ``rmse`` and ``break_even`` are those of the sensitive share; None for numbers.
    """

    attribute: str
    light: str
    words: Message
    respondents: float | None
    perturbation: Perturbation
    device: Device | None
    epsilon: float
    belief: SensitiveBelief | None = None
    beliefs: Numbers | None = None
    power: float | None = None
    bias: float | None = None
    rmse: float | None = None
    direct_rmse: float | None = None
    break_even: float | None = None
    budget: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The plan of the question as plain JSON values, infinity as the text "inf"."""
        found = self.belief
        document: dict[str, Any] = {
            "light": self.light,
            "words": self.words,
            "respondents": plain(self.respondents),
            "belief": None if found is None else found.after,
            "belief_prior": None if found is None else found.before,
            "belief_by_report": None if self.beliefs is None else self.beliefs.tolist(),
            "rise": None if found is None else found.rise,
            "odds": None if found is None else plain(found.odds_factor),
            "epsilon": plain(self.epsilon),
            "power": self.power,
            "bias": self.bias,
            "rmse": plain(self.rmse),
            "break_even": plain(self.break_even),
            "perturbation": self.perturbation.to_json(),
            "device": None if self.device is None else self.device.to_json(),
        }
        if self.direct_rmse is not None:
            document["direct_rmse"] = self.direct_rmse
        return document


def plain(number: float | None) -> float | str | None:
    """A number for JSON."""
    return "inf" if number is not None and math.isinf(number) else number


@dataclass(frozen=True, eq=False)
class QuestionnairePlan:
    """The plan of all questions; ``n`` is the number of people that they are judged for."""

    questions: tuple[QuestionPlan, ...]
    n: int | None
    warnings: tuple[Message, ...] = ()

    @property
    def decisive(self) -> QuestionPlan | None:
        """The question that needs most people; None where no limit asks for any."""
        asking = [one for one in self.questions if one.respondents is not None]
        return max(asking, key=lambda one: one.respondents or 0, default=None)

    @property
    def respondents(self) -> float | None:
        """How many people the plan needs."""
        return None if self.decisive is None else self.decisive.respondents

    @property
    def budget(self) -> float | None:
        """From which budget on randomising is the better choice for every question."""
        found = [one.budget for one in self.questions if one.budget is not None]
        return max(found, default=None)

    def to_json(self) -> dict[str, Any]:
        """The plan as plain JSON values."""
        return {
            "respondents": plain(self.respondents),
            "n": self.n,
            "decisive": None if self.decisive is None else self.decisive.attribute,
            "attributes": {one.attribute: one.to_json() for one in self.questions},
            "budget": plain(self.budget),
        }


def plan_questionnaire(
    design: Design,
    priors: Mapping[str, Prior] | None = None,
    settings: PlanSettings | None = None,
    only: str | None = None,
) -> QuestionnairePlan:
    """Judge every question of a design, or only one, for one number of people.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Forced
    >>> asked = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
    >>> design = Design((DesignedAttribute(asked, Forced(p_truth=0.7)),))
    >>> prior = {"drug": Prior.from_weights(asked, [0.8, 0.2])}
    >>> found = plan_questionnaire(design, prior, PlanSettings(Limits(half_width=0.05), n=500))
    >>> found.respondents, str(found.questions[0].words)
    (646, 'needs n = 646')
    """
    if not design.attributes:
        raise DesignError("The design has no attributes to plan a survey for.", field="attributes")
    settings = settings or PlanSettings()
    known = {} if priors is None else priors
    chosen = tuple(design) if only is None else (design[only],)
    judged = [_Judged.of(design, one.name, known.get(one.name), settings) for one in chosen]
    needed = [one.respondents for one in judged if one.respondents is not None]
    n = settings.people
    if n is None and needed and not math.isinf(max(needed)):
        n = int(max(needed))
    return QuestionnairePlan(tuple(one.plan(n) for one in judged), n, device_warnings(design))


def device_warnings(design: Design) -> tuple[Message, ...]:
    """A warning where respondents get more different devices than they can keep apart."""
    devices = [one.device for one in design if one.device is not None]
    names = {one.name for one in devices if not one.kind.does_anything}
    if len(names) <= MOST_DEVICES:
        return ()
    return (
        Message(
            "The questionnaire has {count} different devices; more than {most} confuse "
            "respondents.",
            count=len(names),
            most=MOST_DEVICES,
        ),
    )


@dataclass(frozen=True, eq=False)
class _Judged:
    """A question with all that does not depend on n."""

    designed: DesignedAttribute
    prior: Prior | None
    settings: PlanSettings

    @classmethod
    def of(cls, design: Design, name: str, prior: Prior | None, settings: PlanSettings) -> _Judged:
        one, perturbation = design[name], design.perturbation(name)
        if perturbation is not one.perturbation:
            # A member of a group is distorted as its marginal says.
            one = dataclasses.replace(one, perturbation=perturbation)
        return cls(one, prior, settings)

    @cached_property
    def technique(self) -> Randomised | None:
        """None for numbers, which have no sensitive share."""
        one = self.designed
        if not one.attribute.kind.is_categorical:
            return None
        ignoring = self.settings.noncompliance
        return Randomised(one.attribute, one.perturbation, self.prior, ignoring)

    @cached_property
    def epsilon(self) -> float:
        """That of what people do."""
        if self.technique is None:
            return self.designed.perturbation.epsilon_of(self.designed.attribute)
        return epsilon(self.technique.answering)

    @cached_property
    def respondents(self) -> float | None:
        """How many people the limits ask for; None if they ask for none."""
        attribute, settings = self.designed.attribute, self.settings
        needed = [times_effect(n, settings.design_effect) for n in self._needed()]
        if attribute.name in settings.needed:
            needed.append(settings.needed[attribute.name])
        return max(needed, default=None)

    def _needed(self) -> Iterator[float]:
        one, settings, technique = self.designed, self.settings, self.technique
        half_width = settings.limits_of(one.name).half_width
        if technique is None:
            if half_width is not None:
                yield plan_attribute(
                    one.attribute,
                    one.perturbation,
                    self.prior,
                    half_width,
                    "half-width",
                    noncompliance=settings.noncompliance,
                ).respondents
            return
        share = technique.share
        if half_width is not None:
            variance, bias = technique.variance(share), technique.bias(share)
            yield needed_respondents(
                np.array([variance]),
                half_width,
                "half-width",
                bias=np.array([bias]) if abs(bias) > _KEPT else None,
            )
        if settings.test is not None:
            yield settings.test.needed(technique, share)

    @cached_property
    def joint(self) -> Joint | None:
        """What people report, and what is true of them."""
        technique = self.technique
        return (
            None if technique is None else Joint.of(technique.answering, technique.channel.shares)
        )

    @property
    def is_private(self) -> bool:
        """Whether the limits of privacy count: not for what is asked openly and marked nowhere."""
        one = self.designed
        return not one.perturbation.is_identity or bool(one.attribute.sensitive)

    @property
    def is_blind(self) -> bool:
        """Whether nothing can be estimated."""
        return self.technique is not None and self.technique.is_singular

    def broken(self) -> Iterator[Message]:
        """The limits of privacy that the question breaks, in words."""
        limits = self.settings.limits_of(self.designed.name)
        if not self.is_private:
            return
        seen = self.joint
        if limits.belief is not None and seen is not None:
            after = sensitive_belief(seen, self.designed.attribute).after
            if after > limits.belief + _KEPT:
                yield Message(
                    "belief {belief} > {limit}", belief=percent(after), limit=percent(limits.belief)
                )
        if limits.epsilon is not None and self.epsilon > limits.epsilon + _KEPT:
            if math.isinf(self.epsilon):
                yield Message("epsilon ∞ > {limit:.3g}", limit=limits.epsilon)
            else:
                yield Message(
                    "epsilon {epsilon:.3g} > {limit:.3g}",
                    epsilon=self.epsilon,
                    limit=limits.epsilon,
                )

    def plan(self, n: int | None) -> QuestionPlan:
        """The question with n people."""
        light, words = self._light(n)
        one, settings, technique, seen = self.designed, self.settings, self.technique, self.joint
        found = QuestionPlan(
            one.name, light, words, self.respondents, one.perturbation, one.device, self.epsilon
        )
        if technique is None or seen is None:
            return found
        share = technique.share
        more: dict[str, Any] = {
            "belief": sensitive_belief(seen, one.attribute),
            "beliefs": belief_by_report(seen, one.attribute),
            "bias": technique.bias(share),
        }
        if n is not None:
            effective = n / settings.design_effect
            more["rmse"] = float(technique.rmse(share, effective))
            if settings.test is not None:
                more["power"] = settings.test.power_with(technique, share, effective)
        if settings.underreport is not None:
            direct = Direct(settings.underreport)
            effect = settings.design_effect
            more["break_even"] = effect * break_even(technique, direct, share)
            if settings.costs is not None:
                costs = (settings.costs[1], settings.costs[0])
                more["budget"] = effect * break_even(technique, direct, share, costs)
                if settings.budget is not None:
                    asked = settings.budget / settings.costs[0] / effect
                    more["direct_rmse"] = float(direct.rmse(share, asked))
        return dataclasses.replace(found, **more)

    def _light(self, n: int | None) -> tuple[str, Message]:
        if self.is_blind:
            return "impossible", Message("cannot be estimated")
        needed = self.respondents
        if needed is not None and math.isinf(needed):
            return "impossible", Message("no n is enough")
        broken = tuple(self.broken())
        if broken:
            return "breaks", Message("breaks: {limits}", limits=broken)
        if needed is not None and n is not None and needed > n:
            return "more", Message("needs n = {n:,}", n=int(needed))
        return "ok", Message("meets all limits")


def check_beliefs(
    design: Design,
    priors: Mapping[str, Prior] | None,
    settings: PlanSettings,
    only: str | None = None,
) -> None:
    """Refuse a limit of belief that is reached before anybody answers: no device helps."""
    known = {} if priors is None else priors
    for one in design if only is None else (design[only],):
        limit = settings.limits_of(one.name).belief
        judged = _Judged.of(design, one.name, known.get(one.name), PlanSettings())
        if limit is None or judged.technique is None or not judged.is_private:
            continue
        before = judged.technique.share
        if limit <= before + _KEPT:
            raise ParameterError(
                Message(
                    "Attribute {attribute!r}: the belief limit of {limit} is no higher than the "
                    "prior of {before}, so no device keeps it.",
                    attribute=one.name,
                    limit=percent(limit),
                    before=percent(before),
                ),
                attribute=one.name,
                field="belief",
            )


def belief_sentence(attribute: Attribute, found: SensitiveBelief) -> Message:
    """What a report makes others believe.

    >>> from ppworkbench.core.data.attribute import Kind
    >>> asked = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
    >>> belief_sentence(asked, SensitiveBelief(("yes",), True, "yes", 0.2, 0.5556))
    "drug: a reported 'yes' is believed to mean “yes” with 55.6 %, up from 20 %."
    """
    return Message(
        "{attribute}: a reported {reported!r} is believed to mean {meant} with {after}, up from "
        "{before}.",
        attribute=attribute.name,
        reported=found.reported,
        meant=listed(found.values),
        after=percent(found.after),
        before=percent(found.before),
    )


# Solving


@dataclass(frozen=True, eq=False)
class Solution:
    """The most accurate parameter of a question within its limits of privacy.

    ``exact`` is what the limits allow, ``snapped`` what the device makes of it. Where there is no
    solution, ``reason`` says what can be reached and the question stays as it was.
    """

    attribute: str
    parameter: str
    exact: float | None
    snapped: float | None
    reason: Message | None = None

    def to_json(self) -> dict[str, Any]:
        """The solution as plain JSON values."""
        return {
            "parameter": self.parameter,
            "exact": self.exact,
            "snapped": self.snapped,
            "reason": self.reason,
        }


def solve(
    design: Design,
    priors: Mapping[str, Prior] | None,
    settings: PlanSettings,
    only: str | None = None,
) -> tuple[Design, tuple[Solution, ...]]:
    """The design with every question, or only one, as accurate as its limits of privacy allow.

    Families and devices stay. Of two values the odds limit ``R = L/(1-L) · (1-s)/s`` gives a Warner
    probability of R/(1+R) and a forced truth of (R-1)/(R+1); others are searched for.
    """
    known = {} if priors is None else priors
    found = []
    for one in design if only is None else (design[only],):
        limits = settings.limits_of(one.name)
        unrandomised = one.perturbation.is_identity or design.group_of(one.name) is not None
        if unrandomised or not limits.are_private:
            continue
        solved = _solve_one(one, known.get(one.name), settings)
        found.append(solved[0])
        if solved[0].reason is None:
            design = design.with_perturbation(one.name, solved[1], solved[2])
    if not found:
        raise ParameterError(
            "There is nothing to solve; give a randomised question a limit of belief or epsilon.",
            field="belief",
        )
    return design, tuple(found)


def _solve_one(
    one: DesignedAttribute, prior: Prior | None, settings: PlanSettings
) -> tuple[Solution, Perturbation, Device | None]:
    attribute = one.attribute

    def judge(perturbation: Perturbation) -> _Judged:
        changed = dataclasses.replace(one, perturbation=perturbation, device=None)
        return _Judged(changed, prior, settings)

    best: tuple[float, Solution, Perturbation, Device | None] | None = None
    frees = one.perturbation.free_parameters(attribute)
    reason = Message("it has no free parameter")
    for free in frees:
        exact = _most_truthful(_mirrored(free, attribute), judge)
        if exact is None:
            reason = _reach(free, judge)
            continue
        value, perturbation = exact
        device, snapped = None, value
        if one.device is not None and not one.device.kind.does_anything:
            use = perturbation.device_use(attribute)
            found = None if use is None else snap(use, one.device.kind)
            if found is None:
                reason = Message(
                    "its device reaches nothing on the private side of {value:.4g}", value=value
                )
                continue
            device, snapped = found.device, found.snapped
            perturbation = device.applied(perturbation, attribute)
        judged = judge(perturbation)
        renamed = one.perturbation.design_name is not None and (
            named_design(judged.designed.perturbation, attribute.values) is None
        )
        if renamed:
            continue
        error = _error(judged)
        if best is None or error < best[0]:
            best = error, Solution(one.name, free.name, value, snapped), perturbation, device
    if best is not None:
        return best[1:]
    name = frees[0].name if frees else ""
    return Solution(one.name, name, None, None, reason), one.perturbation, one.device


def _error(judged: _Judged) -> float:
    technique = judged.technique
    return 0.0 if technique is None else technique.variance(technique.share)


def _mirrored(free: FreeParameter, attribute: Attribute) -> FreeParameter:
    """A crosswise question with a share below one half stays below it."""
    is_below = free.scale == "linear" and free.now is not None and free.now < free.private
    if not is_below or not attribute.kind.is_categorical or attribute.k != 2:
        return free
    return dataclasses.replace(free, truthful=2 * free.private - free.truthful)


def _most_truthful(
    free: FreeParameter, judge: Callable[[Perturbation], _Judged]
) -> tuple[float, Perturbation] | None:
    """The value nearest to the truth that keeps all limits; None if there is none."""

    def made(position: float) -> Perturbation | None:
        try:
            perturbation = free.put(free.value(position))
            judged = judge(perturbation)
        except (DesignError, ParameterError):
            return None  # For example weights that fit no attribute.
        return None if any(judged.broken()) or judged.is_blind else perturbation

    ends = free.position(free.truthful), free.position(free.private)
    before = None
    for position in np.linspace(*ends, _SAMPLES).tolist():
        found = made(position)
        if found is None:
            before = position
            continue
        outside, inside = before, position
        for _ in range(45 if outside is not None else 0):
            middle = ((outside or 0.0) + inside) / 2
            closer = made(middle)
            if closer is None:
                outside = middle
            else:
                inside, found = middle, closer
        return free.value(inside), found
    return None


def _reach(free: FreeParameter, judge: Callable[[Perturbation], _Judged]) -> Message:
    """What the parameter can reach, where it keeps no limit anywhere."""
    beliefs, epsilons = [], []
    ends = free.position(free.truthful), free.position(free.private)
    for position in np.linspace(*ends, _SAMPLES).tolist():
        try:
            judged = judge(free.put(free.value(position)))
        except (DesignError, ParameterError):
            continue
        if judged.is_blind:
            continue
        epsilons.append(judged.epsilon)
        if judged.joint is not None:
            beliefs.append(sensitive_belief(judged.joint, judged.designed.attribute).after)
    reached = []
    if beliefs:
        reached.append(
            Message(
                "belief from {low} to {high}", low=percent(min(beliefs)), high=percent(max(beliefs))
            )
        )
    if epsilons:
        reached.append(
            Message(
                "epsilon from {low} to {high}",
                low=_epsilon_text(min(epsilons)),
                high=_epsilon_text(max(epsilons)),
            )
        )
    return Message(
        "no {name} keeps the limits; it reaches {reached}", name=free.name, reached=tuple(reached)
    )


def _epsilon_text(value: float) -> Message:
    return Message("∞") if math.isinf(value) else Message("{value:.3g}", value=value)


# Other techniques

_SIZES = (50, 100, 200, 500, 1000, 2000, 5000, 10000)


def compare_techniques(
    design: Design, name: str, prior: Prior | None, settings: PlanSettings, names: Iterable[str]
) -> dict[str, Any]:
    """The root mean square error of a question and of other techniques, over n or over budgets.

    The answer is made of plain JSON values: ``over`` says what ``at`` counts.
    """
    attribute = design[name].attribute
    own = Randomised(attribute, design.perturbation(name), prior, settings.noncompliance)
    techniques: dict[str, Technique] = {"design": own}
    for given in names:
        techniques[given] = named_technique(given, attribute, settings.underreport or 0.0)
    at, costs = np.array(_SIZES, np.float64), settings.costs
    if costs is not None:
        at = at * costs[1]
    found = {}
    for label, technique in techniques.items():
        cost = 1.0 if costs is None else costs[0] if label == "direct" else costs[1]
        n = at / cost / settings.design_effect
        found[label] = {
            "variance": technique.variance(own.share),
            "bias": technique.bias(own.share),
            "rmse": technique.rmse(own.share, n).tolist(),
        }
    over = "respondents" if costs is None else "budget"
    return {"share": own.share, "over": over, "at": at.tolist(), "techniques": found}


# Devices


@dataclass(frozen=True, eq=False)
class DeviceChoice:
    """What a device makes of a question, and how many people that costs."""

    snapped: Snapped
    perturbation: Perturbation
    respondents: float

    def to_json(self) -> dict[str, Any]:
        """The choice as plain JSON values."""
        kind = self.snapped.kind
        return {
            "exact": self.snapped.exact,
            "snapped": self.snapped.snapped,
            "outcomes": self.snapped.device.to_json(),
            "respondents": plain(self.respondents),
            "perturbation": self.perturbation.to_json(),
            "known_to": kind.known_to,
            "burden": kind.burden,
        }


def needed_with(
    attribute: Attribute, perturbation: Perturbation, prior: Prior | None, half_width: float
) -> float:
    """How many people a question needs for a half-width of its share."""
    technique = Randomised(attribute, perturbation, prior)
    variances = np.array([technique.variance(technique.share)])
    return needed_respondents(variances, half_width, "half-width")


def device_choices(
    designed: DesignedAttribute, prior: Prior | None, half_width: float, *, nearest: bool = False
) -> tuple[float, tuple[DeviceChoice, ...]]:
    """How many people a question needs as it is, and with every device that can do it."""
    attribute = designed.attribute
    use = designed.perturbation.device_use(attribute)
    found = []
    for kind in DEVICES.values():
        snapped = None if use is None else snap(use, kind, nearest=nearest)
        if snapped is not None:
            made = snapped.device.applied(designed.perturbation, attribute)
            needed = needed_with(attribute, made, prior, half_width)
            found.append(DeviceChoice(snapped, made, needed))
    return needed_with(attribute, designed.perturbation, prior, half_width), tuple(found)
