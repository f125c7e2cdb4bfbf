"""What a question should reach, whether it does, and what would mend it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ppworkbench.analyses.trade_off.frontier import FrontierDesign
from ppworkbench.analyses.trade_off.places import (
    ATTACK,
    BELIEF,
    EPSILON,
    FamilyCurve,
    TradePlace,
    is_epsilon,
    place_of,
    privacy_measures,
    report_place,
)
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.privacy.utility.goal_seek import Question

_SHOWN = 5e-4
"""A difference of privacy that nobody sees."""


@dataclass(frozen=True)
class Goal:
    """What a question shall meet: a limit of every measure of privacy, and a precision.

    ``points`` are percentage points of a share, or percent of the range of a number.
    """

    belief: float = 0.6
    epsilon: float = 2.0
    attack_success: float = 0.8
    points: float = 3.0

    @classmethod
    def from_json(cls, kept: object) -> Goal:
        """The goals as a study keeps them, whatever a file may hold."""
        given = kept if isinstance(kept, Mapping) else {}
        plain = cls()
        found = {
            name: float(value)
            for name in (BELIEF, EPSILON, ATTACK, "points")
            if isinstance(value := given.get(name), int | float)
            and math.isfinite(value)
            and value > 0
        }
        return replace(plain, **found)

    def to_json(self) -> dict[str, float]:
        """The goals as plain values."""
        return {
            BELIEF: self.belief,
            EPSILON: self.epsilon,
            ATTACK: self.attack_success,
            "points": self.points,
        }

    def limit(self, measure: str) -> float:
        """The most that a measure of privacy may be."""
        return float(getattr(self, measure))

    def half_width(self, attribute: Attribute) -> float:
        """The widest half of an interval, in the unit of the estimate."""
        return self.points / 100 * (attribute.width if attribute.kind.is_numeric else 1.0)

    def is_met(self, place: TradePlace, measure: str, attribute: Attribute) -> bool:
        """Whether a design is private and precise enough, up to what is shown of it."""
        is_private = place.privacy <= self.limit(measure) + _SHOWN
        return is_private and place.half_width <= self.half_width(attribute) * 1.0005


def needed_respondents(question: Question, place: TradePlace, goal: Goal) -> float:
    """How many respondents bring the half-width of a design down to the goal.

    Infinite where the bias alone is as wide as the goal: more people do not mend it.
    """
    wanted = goal.half_width(question.attribute)
    if not math.isfinite(place.half_width) or wanted <= place.bias:
        return math.inf
    chance = place.half_width**2 - place.bias**2
    return max(1, math.ceil(question.n * chance / (wanted**2 - place.bias**2) - 1e-9))


@dataclass(frozen=True)
class Repair:
    """What meets a missed goal; else the design that comes closest to it, if any is private enough.

    ``value`` is that of the parameter along the curve; None where another mechanism is taken.
    ``closest`` is where that design stands.
    """

    perturbation: Perturbation | None = None
    value: float | None = None
    closest: TradePlace | None = None
    needed: float = math.inf
    """Respondents with which the closest design would meet the goal."""


def find_repair(
    question: Question,
    measure: str,
    goal: Goal,
    curve: FamilyCurve | None,
    designs: tuple[FrontierDesign, ...],
    now: float | None,
) -> Repair:
    """The nearest design of the curve that meets the goal, else one of the frontier.

    ``now`` is the value of the curve's parameter that the design has.
    """
    attribute = question.attribute
    value = None if curve is None else _meeting_value(question, measure, goal, curve, now)
    if curve is not None and value is not None:
        made = curve.put(value)
        return Repair(made, value, place_of(question, made, measure))
    good = [one for one in designs if goal.is_met(one.place, measure, attribute)]
    if good:
        # In the middle of those that do, where neither goal is met by a hair only.
        found = good[len(good) // 2]
        return Repair(found.perturbation, closest=found.place)
    places = [one.place for one in designs]
    if curve is not None:
        places += [curve.place(i) for i in range(len(curve.values))]
    private = [one for one in places if one.privacy <= goal.limit(measure) + _SHOWN]
    if not private:
        return Repair()
    closest = min(private, key=lambda one: one.half_width)
    return Repair(closest=closest, needed=needed_respondents(question, closest, goal))


def _meeting_value(
    question: Question, measure: str, goal: Goal, curve: FamilyCurve, now: float | None
) -> float | None:
    """A round value of the parameter that meets the goal, as near as possible to that of now."""
    wanted = goal.half_width(question.attribute) * 1.0005
    is_good = (curve.privacy <= goal.limit(measure) + _SHOWN) & (curve.half_width <= wanted)
    good = np.flatnonzero(is_good)
    if not len(good):
        return None
    free, values = curve.free, curve.values
    start = float(values[good[0]]) if now is None else now
    there = free.position(start)
    place = min(good.tolist(), key=lambda i: abs(free.position(float(values[i])) - there))
    value = float(values[place])
    if free.whole or not (free.scale == "linear" or is_epsilon(free)):
        return value
    # Between the samples a rounder value may do, as 0.53 between 0.527 and 0.533.
    around = values[max(place - 1, 0) : place + 2]
    for digits in (1, 2) if is_epsilon(free) else (2, 3):
        step = 10.0**-digits
        first, last = math.floor(around.min() / step), math.ceil(around.max() / step)
        round_values = [round(i * step, digits) for i in range(first, last + 1)]
        for one in sorted(round_values, key=lambda one: abs(one - start)):
            tried = place_of(question, curve.put(one), measure)
            if goal.is_met(tried, measure, question.attribute):
                return one
    return value


MET, MISSED, PLAIN = "met", "missed", "plain"


@dataclass(frozen=True)
class Light:
    """Whether a question meets its goals; ``needed`` respondents if only precision is missing.

    ``privacy`` is set where that is missing: the value of the measure above its limit.
    """

    state: str
    needed: float = 0.0
    privacy: float | None = None
    measure: str = BELIEF
    is_biased: bool = False
    """Whether non-compliance is why no number of respondents is enough."""


def light_of(report: AttributeReport, goal: Goal) -> Light:
    """The light of a question: its main measure of privacy and its precision."""
    if report.perturbation.is_identity:
        return Light(PLAIN)
    attribute = report.attribute
    measure = privacy_measures(attribute)[0]
    place = report_place(report, measure)
    if goal.is_met(place, measure, attribute):
        return Light(MET, measure=measure)
    if place.privacy > goal.limit(measure) + _SHOWN:
        return Light(MISSED, privacy=place.privacy, measure=measure)
    question = Question(attribute, report.prior, report.utility.n)
    needed = needed_respondents(question, place, goal)
    is_biased = math.isinf(needed) and place.is_finite
    return Light(MISSED, needed, measure=measure, is_biased=is_biased)
