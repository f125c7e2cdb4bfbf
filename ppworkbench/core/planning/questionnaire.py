"""The plan of a whole questionnaire: which questions keep their limits, and how many to ask.

One number of people answers all questions, so the most demanding question decides about it. Limits
of privacy do not depend on it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Design, DesignedAttribute, Identity, Perturbation
from ppworkbench.core.design.arms import Arms
from ppworkbench.core.design.devices import MOST_DEVICES, Device
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.design.presets import percent
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.planning.power import Direct, ListCount, Randomised, break_even
from ppworkbench.core.planning.settings import PlanSettings
from ppworkbench.core.privacy.belief import (
    SensitiveBelief,
    belief_by_report,
    listed,
    sensitive_belief,
)
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.sets import set_belief
from ppworkbench.core.privacy.spending import share_asked
from ppworkbench.core.privacy.utility.noncompliance import (
    NOT_OF_SETS,
    check_safe_answer,
    fitting_noncompliance,
    known_noncompliance,
    number_epsilon,
)
from ppworkbench.core.privacy.utility.planning import (
    needed_respondents,
    plan_attribute,
    times_effect,
)

if TYPE_CHECKING:
    from ppworkbench.core.planning.allocation import Pooled

_KEPT = 1e-9
"""How far a limit may be missed by rounding."""


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
    return "inf" if number is not None and math.isinf(number) else number


@dataclass(frozen=True, eq=False)
class QuestionnairePlan:
    """The plan of all questions; ``n`` is the number of people that they are judged for.

    ``cost`` is that of a randomised interview, where it is known.
    """

    questions: tuple[QuestionPlan, ...]
    n: int | None
    warnings: tuple[Message, ...] = ()
    cost: float | None = None

    @property
    def decisive(self) -> QuestionPlan | None:
        """The question that needs most people; None where no limit asks for any."""
        asking = [one for one in self.questions if one.respondents is not None]
        return max(asking, key=lambda one: one.respondents or 0, default=None)

    @property
    def respondents(self) -> float | None:
        return None if self.decisive is None else self.decisive.respondents

    @property
    def budget(self) -> float | None:
        """From which budget on randomising is the better choice for every question."""
        found = [one.budget for one in self.questions if one.budget is not None]
        return max(found, default=None)

    def to_json(self) -> dict[str, Any]:
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
    >>> from ppworkbench.core.planning.settings import Limits
    >>> asked = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
    >>> design = Design((DesignedAttribute(asked, Forced(p_truth=0.7)),))
    >>> prior = {"drug": Prior.from_weights(asked, [0.8, 0.2])}
    >>> found = plan_questionnaire(design, prior, PlanSettings(Limits(half_width=0.05), n=500))
    >>> found.respondents, str(found.questions[0].words)
    (646, 'needs 646 people')
    """
    if not planned_names(design):
        raise DesignError("The design has no attributes to plan a survey for.", field="attributes")
    settings = settings or PlanSettings()
    known = {} if priors is None else priors
    names = planned_names(design) if only is None else (design.question(only).name,)
    judged = [JudgedQuestion.of(design, name, known.get(name), settings) for name in names]
    return plan_judged(design, judged, settings)


def planned_names(design: Design) -> tuple[str, ...]:
    """The questions of a design: not the columns that tell how people were drawn, and their arm."""
    roles = {*design.roles, *design.drawn_columns}
    asked = tuple(name for name in design.names if name not in roles)
    return (*asked, *(one.name for one in design.lists))


def plan_judged(
    design: Design, judged: Sequence[JudgedQuestion], settings: PlanSettings
) -> QuestionnairePlan:
    """The plan of questions that are judged already, which does not depend on n."""
    if settings.noncompliance is not None:
        check_safe_answer(settings.noncompliance, [one.designed.attribute for one in judged])
    needed = [one.respondents for one in judged if one.respondents is not None]
    n = settings.people
    if n is None and needed and not math.isinf(max(needed)):
        n = int(max(needed))
    return QuestionnairePlan(
        tuple(one.plan(n) for one in judged),
        n,
        tuple(_warnings(design, judged, settings)),
        None if settings.costs is None else settings.costs[1],
    )


def _warnings(
    design: Design, judged: Sequence[JudgedQuestion], settings: PlanSettings
) -> Iterator[Message]:
    """What does not go together; an under-report that fits no question is an error."""
    misfits = [one.misfit for one in judged if one.misfit is not None]
    if misfits and len(misfits) == sum(one.technique is not None for one in judged):
        raise misfits[0]
    if len(misfits) > 1 and settings.underreport is not None:
        yield Message(
            "The suspected bias of {bias:.3g} points does not fit the shares of {attributes}.",
            bias=100 * settings.underreport,
            attributes=tuple(one.designed.name for one in judged if one.misfit is not None),
        )
    for one in judged:
        if one.misfit is not None and len(misfits) == 1:
            yield Message(
                "{attribute!r}: {why}", attribute=one.designed.name, why=one.misfit.message
            )
        if one.listed is not None:
            yield Message(
                "{attribute!r}: every harmless item of its list is taken to apply to half of the "
                "people.",
                attribute=one.designed.name,
            )
    if settings.noncompliance is not None and settings.noncompliance.share > 0:
        for one in judged:
            known = (known_noncompliance(device, settings.noncompliance) for device in one.devices)
            if None in known:
                yield Message("{attribute!r}: {why}", attribute=one.designed.name, why=NOT_OF_SETS)
    overspent = settings.overspending()
    if overspent is not None:
        yield overspent
    yield from device_warnings(design)


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
class JudgedQuestion:
    """A question with all that does not depend on n.

    ``arms`` are those that ask it, each with its device and the part of all people who are asked;
    without any everybody answers by the device of ``designed``. ``listed`` is how a list asks it.
    """

    designed: DesignedAttribute
    prior: Prior | None
    settings: PlanSettings
    arms: tuple[tuple[float, Perturbation], ...] = ()
    listed: ListCount | None = None
    counts: tuple[float, ...] = ()
    """The belief after every count of a list."""

    @classmethod
    def of(
        cls, design: Design, name: str, prior: Prior | None, settings: PlanSettings
    ) -> JudgedQuestion:
        """A question as it is distorted, alone or as a member of its group, in every arm."""
        if any(asked.name == name for asked in design.lists):
            return cls._of_list(design.list_of(name), design.versions, prior, settings)
        one, perturbation = design[name], design.usual_device(name)
        if perturbation is not one.perturbation:
            # A member of a group is distorted as its marginal says.
            one = dataclasses.replace(one, perturbation=perturbation)
        members = design.versions.members if design.has_arms else ()
        devices = (
            (arm.share * share_asked(design.of_arm(arm.name), (name,)), device)
            for arm in members
            if (device := arm.device(name, perturbation)) is not None
        )
        arms = tuple(devices)
        asked = share_asked(design, (name,))
        if not members and asked < 1:
            # Each person is asked some of the questions only: a part of them this one.
            arms = ((asked, perturbation),)
        return cls(one, prior, settings, arms)

    @classmethod
    def _of_list(
        cls, asked: ListQuestion, arms: Arms, prior: Prior | None, settings: PlanSettings
    ) -> JudgedQuestion:
        """The item behind a list, whose harmless items are taken to be evenly split."""
        from ppworkbench.core.compliance.lists import beliefs, independent_items

        short, long = (
            math.fsum(arms[name].share for name in names) for names in (asked.short, asked.long)
        )
        place = asked.attribute.values.index(asked.sensitive)
        share = 0.5 if prior is None else float(prior.probabilities[place])
        counts = beliefs(share, independent_items([0.5] * asked.size))
        technique = ListCount(asked.size / 4, long / (short + long), short + long, share)
        shown = dataclasses.replace(asked.attribute, sensitive=(asked.sensitive,))
        designed = DesignedAttribute(shown, Identity())
        return cls(designed, prior, settings, listed=technique, counts=counts)

    @property
    def devices(self) -> tuple[Perturbation, ...]:
        return tuple(dict.fromkeys(one for _, one in self.arms)) or (self.designed.perturbation,)

    @cached_property
    def _versions(self) -> dict[Perturbation, Randomised]:
        """What every device tells about the sensitive share; empty for numbers."""
        attribute, ignoring = self.designed.attribute, self.settings.noncompliance
        if not attribute.kind.is_categorical or self.listed is not None:
            return {}
        if ignoring is not None:
            ignoring = fitting_noncompliance(ignoring, attribute)
        return {one: Randomised(attribute, one, self.prior, ignoring) for one in self.devices}

    @cached_property
    def technique(self) -> Randomised | Pooled | ListCount | None:
        """None for numbers, which have no sensitive share."""
        if self.listed is not None:
            return self.listed
        if not self.arms or not self._versions:
            return next(iter(self._versions.values()), None)
        # Arms bring the models of compliance along, which a plan without them need not wait for.
        from ppworkbench.core.planning.allocation import Pooled

        return Pooled([(share, self._versions[device]) for share, device in self.arms])

    @cached_property
    def epsilon(self) -> float:
        """That of what people do, in the arm that discloses most."""
        if self.listed is not None:
            # The largest count says yes for sure, and 0 says no.
            return math.inf
        if not self._versions:
            attribute, ignoring = self.designed.attribute, self.settings.noncompliance
            return max(number_epsilon(attribute, one, ignoring) for one in self.devices)
        return max(one.epsilon for one in self._versions.values())

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
                yield self._needed_for_mean(half_width)
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
        test = settings.test_of(one.name)
        if test is not None:
            yield test.needed(technique, share)

    def _needed_for_mean(self, half_width: float) -> float:
        arms = self.arms or ((1.0, self.designed.perturbation),)
        needed = {
            device: plan_attribute(
                self.designed.attribute,
                device,
                self.prior,
                half_width,
                "half-width",
                noncompliance=self.settings.noncompliance,
            ).respondents
            for device in self.devices
        }
        asked = math.fsum(share for share, _ in arms)
        total = math.fsum(share * needed[device] for share, device in arms) / asked**2
        # Rounding of shares makes nobody more.
        return total if math.isinf(total) else math.ceil(total - _KEPT)

    @cached_property
    def joint(self) -> Joint | None:
        """What people report, and what is true of them, in the arm where most is believed."""
        # Reports that are sets have no table of all of them.
        single = (one for one in self._versions.values() if one.naming is None)
        seen = (Joint.of(one.answering, one.channel.shares) for one in single)
        attribute = self.designed.attribute
        return max(seen, key=lambda one: sensitive_belief(one, attribute).after, default=None)

    @cached_property
    def belief(self) -> SensitiveBelief | None:
        """The highest belief in the sensitive answer; None for numbers."""
        if self.listed is not None:
            most = str(len(self.counts) - 1)
            values = self.designed.attribute.sensitive
            return SensitiveBelief(values, True, most, self.listed.share, self.counts[-1])
        attribute = self.designed.attribute
        found = [
            set_belief(one.naming, attribute, one.channel.shares)
            for one in self._versions.values()
            if one.naming is not None
        ]
        if self.joint is not None:
            found.append(sensitive_belief(self.joint, attribute))
        return max(found, key=lambda one: one.after, default=None)

    @property
    def is_private(self) -> bool:
        """Whether the limits of privacy count: not for what is asked openly and marked nowhere."""
        is_open = all(one.is_identity for one in self.devices)
        return not is_open or bool(self.designed.attribute.sensitive)

    @property
    def is_blind(self) -> bool:
        return self.technique is not None and self.technique.is_singular

    def broken(self) -> Iterator[Message]:
        limits = self.settings.limits_of(self.designed.name)
        if not self.is_private:
            return
        if limits.belief is not None and self.belief is not None:
            after = self.belief.after
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
        light, words = self._light(n)
        one, settings, technique = self.designed, self.settings, self.technique
        found = QuestionPlan(
            one.name, light, words, self.respondents, one.perturbation, one.device, self.epsilon
        )
        if technique is None:
            return found
        seen = self.joint
        share = technique.share
        more: dict[str, Any] = {
            "belief": self.belief,
            "beliefs": (
                np.array(self.counts) if seen is None else belief_by_report(seen, one.attribute)
            ),
            "bias": technique.bias(share),
        }
        if n is not None:
            effective = n / settings.design_effect
            more["rmse"] = float(technique.rmse(share, effective))
            test = settings.test_of(one.name)
            if test is not None:
                more["power"] = test.power_with(technique, share, effective)
        if self.misfit is None:
            more |= self._paying(technique)
        return dataclasses.replace(found, **more)

    @cached_property
    def misfit(self) -> ParameterError | None:
        """Why the suspected under-report cannot be that of this question; None if it can."""
        if self.technique is None or self.settings.underreport is None:
            return None
        try:
            Direct(self.settings.underreport).expected(self.technique.share)
        except ParameterError as error:
            return error
        return None

    def _paying(self, technique: Randomised | Pooled | ListCount) -> dict[str, float]:
        """From when on randomising pays, and what asking directly gives for the same money."""
        settings, share, effect = self.settings, technique.share, self.settings.design_effect
        if settings.underreport is None:
            return {}
        direct = Direct(settings.underreport)
        found = {"break_even": effect * break_even(technique, direct, share)}
        if settings.costs is not None:
            costs = (settings.costs[1], settings.costs[0])
            found["budget"] = effect * break_even(technique, direct, share, costs)
            if settings.spent is not None:
                asked = settings.spent / settings.costs[0] / effect
                found["direct_rmse"] = float(direct.rmse(share, asked))
        return found

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
            return "more", Message("needs {n:,} people", n=int(needed))
        return "ok", Message("meets all limits")


def check_beliefs(
    design: Design,
    priors: Mapping[str, Prior] | None,
    settings: PlanSettings,
    only: str | None = None,
) -> None:
    """Refuse a limit of belief that is reached before anybody answers: no device helps."""
    known = {} if priors is None else priors
    for name in planned_names(design) if only is None else (design.question(only).name,):
        limit = settings.limits_of(name).belief
        judged = JudgedQuestion.of(design, name, known.get(name), PlanSettings())
        if limit is None or judged.technique is None or not judged.is_private:
            continue
        before = judged.technique.share
        if limit <= before + _KEPT:
            raise ParameterError.saying(
                "Attribute {attribute!r}: the belief limit of {limit} is no higher than the "
                "prior of {before}, so no device keeps it.",
                limit=percent(limit),
                before=percent(before),
                attribute=name,
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
