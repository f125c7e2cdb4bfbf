"""What a question should reach, whether it does, and what would mend it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ppworkbench.analyses.designs.frontier import FrontierDesign
from ppworkbench.analyses.designs.places import (
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
PLANNED_POINTS = 3.0
"""The precision that numbers of respondents are told for as long as nobody chose one."""


@dataclass(frozen=True)
class Goal:
    """What a question shall meet: a limit of every measure of privacy, and a precision.

    ``points`` are percentage points of a share, or percent of the range of a number. What nobody
    set is infinite: every design meets it.
    """

    belief: float = math.inf
    epsilon: float = math.inf
    attack_success: float = math.inf
    points: float = math.inf

    @classmethod
    def from_json(cls, kept: object) -> Goal:
        """The goals as a study keeps them, whatever a file may hold."""
        given = kept if isinstance(kept, Mapping) else {}
        found = {
            name: float(value)
            for name in (BELIEF, EPSILON, ATTACK, "points")
            if isinstance(value := given.get(name), int | float)
            and math.isfinite(value)
            and value > 0
        }
        return cls(**found)

    def to_json(self) -> dict[str, float]:
        """What somebody set."""
        return {name: value for name, value in vars(self).items() if math.isfinite(value)}

    def limit(self, measure: str) -> float:
        return float(getattr(self, measure))

    def is_set(self, measure: str) -> bool:
        """Whether anything is wanted of a question with this measure of privacy."""
        return math.isfinite(self.limit(measure)) or math.isfinite(self.points)

    @property
    def planned_points(self) -> float:
        """The precision that numbers of respondents are told for."""
        return self.points if math.isfinite(self.points) else PLANNED_POINTS

    def half_width(self, attribute: Attribute) -> float:
        return self.points / 100 * (attribute.width if attribute.kind.is_numeric else 1.0)

    def is_met(self, place: TradePlace, measure: str, attribute: Attribute) -> bool:
        """Whether a design is private and precise enough, up to what is shown of it."""
        if not self.is_set(measure):
            return True
        is_private = place.privacy <= self.limit(measure) + _SHOWN
        is_precise = place.half_width <= self.half_width(attribute) * 1.0005
        return is_private and is_precise and math.isfinite(place.half_width)


def goal_at(place: TradePlace, measure: str, attribute: Attribute) -> Goal:
    """The goal that a design just meets, in round numbers, for somebody to begin with.

    >>> from ppworkbench.core.data.attribute import Kind
    >>> asked = Attribute("q", Kind.BINARY, ("no", "yes"))
    >>> goal_at(TradePlace(0.43, 0.067), BELIEF, asked).to_json()
    {'belief': 0.45, 'points': 7.0}
    """
    whole = attribute.width if attribute.kind.is_numeric else 1.0
    points = 100 * place.half_width / (whole or 1.0)
    step, most, usual = (0.5, 20.0, 2.0) if measure == EPSILON else (0.05, 0.95, 0.6)
    limit = math.ceil(place.privacy / step - _SHOWN) * step if place.privacy <= most else usual
    rounded = 0.5 * math.ceil(2 * points - _SHOWN) if points <= _WIDEST else PLANNED_POINTS
    return replace(Goal(points=max(rounded, 0.5)), **{measure: round(limit, 3)})


_WIDEST = 50.0
"""Points of an interval beyond which nobody would want it."""


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
    is_good &= np.isfinite(curve.half_width)
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


MET, MISSED, PLAIN, OPEN = "met", "missed", "plain", "open"


@dataclass(frozen=True)
class Light:
    """Whether a question meets its goals; ``needed`` respondents if only precision is missing.

    ``privacy`` is set where that is missing: the value of the measure above its limit. Without
    goals the light is open, and ``half_width`` says how precise the question is, in the unit of
    a number or as a share.
    """

    state: str
    needed: float = 0.0
    privacy: float | None = None
    measure: str = BELIEF
    is_biased: bool = False
    """Whether non-compliance is why no number of respondents is enough."""
    half_width: float = 0.0
    attribute: Attribute | None = None


def light_of(report: AttributeReport, goal: Goal) -> Light:
    """The light of a question: its main measure of privacy and its precision."""
    if report.perturbation.is_identity:
        return Light(PLAIN)
    attribute = report.attribute
    measure = privacy_measures(attribute)[0]
    place = report_place(report, measure)
    if not goal.is_set(measure):
        return Light(OPEN, measure=measure, half_width=place.half_width, attribute=attribute)
    if goal.is_met(place, measure, attribute):
        return Light(MET, measure=measure)
    if place.privacy > goal.limit(measure) + _SHOWN:
        return Light(MISSED, privacy=place.privacy, measure=measure)
    question = Question(attribute, report.prior, report.utility.n)
    needed = needed_respondents(question, place, goal)
    is_biased = math.isinf(needed) and place.is_finite
    return Light(MISSED, needed, measure=measure, is_biased=is_biased)
