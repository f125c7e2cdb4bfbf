"""Sharing out one epsilon among the questions of a questionnaire."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Protocol

from scipy.optimize import brentq

from ppworkbench.core.design.perturbation import EPSILON
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Params, Within

FLOOR = 0.01
"""Less than this tells nothing, and a question that tells nothing need not be asked."""
RULES = ("equal", "weights", "sum", "max")
EQUAL, WEIGHTS, SUM, MAX = RULES
WIDTH, VARIANCE = "width", "variance"
_EXACT = 1e-13


class Curve(Protocol):
    """The variance of an estimate from one respondent, as epsilon grows: falling and convex."""

    def variance(self, epsilon: float) -> float:
        """The variance; divide by the number of respondents."""

    def slope(self, epsilon: float) -> float:
        """Its derivative."""


@dataclass(frozen=True)
class ValueCurve:
    """The share ``f`` of one of k values under k-RR, the people's own variation included.

    With D = e^ε - 1 the variance is ``(k - 1)/D² + (1 + f (k - 2))/D + f (1 - f)``.

    >>> round(ValueCurve(5).variance(1.0), 4)
    1.9368
    """

    k: int
    share: float = 0.0

    def variance(self, epsilon: float) -> float:
        """The variance of the estimated share."""
        d, f = math.expm1(epsilon), self.share
        return (self.k - 1) / d**2 + (1 + f * (self.k - 2)) / d + f * (1 - f)

    def slope(self, epsilon: float) -> float:
        """Its derivative."""
        d = math.expm1(epsilon)
        by_d = -2 * (self.k - 1) / d**3 - (1 + self.share * (self.k - 2)) / d**2
        return by_d * (d + 1)


@dataclass(frozen=True)
class NumberCurve:
    """The mean of a number under Laplace noise: ``2 (W/ε)²``, and the numbers' own variance.

    >>> NumberCurve(2.0).variance(1.0)
    8.0
    """

    width: float
    own: float = 0.0

    def variance(self, epsilon: float) -> float:
        """The variance of the estimated mean."""
        return 2 * (self.width / epsilon) ** 2 + self.own

    def slope(self, epsilon: float) -> float:
        """Its derivative."""
        return -4 * self.width**2 / epsilon**3


@dataclass(frozen=True)
class MeasuredCurve:
    """A variance that is worked out from the mechanism itself, with slopes by differences."""

    measure: Callable[[float], float]

    def variance(self, epsilon: float) -> float:
        """The variance that was worked out."""
        return self.measure(epsilon)

    def slope(self, epsilon: float) -> float:
        """The difference of two neighbours."""
        step = 1e-5 * epsilon
        return (self.measure(epsilon + step) - self.measure(epsilon - step)) / (2 * step)


@dataclass(frozen=True)
class BudgetSettings(Params):
    """One epsilon for all answers of a person, and how it is shared out."""

    total: Annotated[float, Within(0, 1000, open_low=True), Info("Total", "Epsilon in total")] = 8.0
    rule: Annotated[str, OneOf(RULES), Info("Rule", "How the total is shared out")] = SUM
    of: Annotated[
        str, OneOf((WIDTH, VARIANCE)), Info("Of", "What is made small: interval width or variance")
    ] = WIDTH


@dataclass(frozen=True)
class Need:
    """One question's claim to the budget: how its error falls, its weight, what it keeps."""

    curve: Curve
    weight: float = 1.0
    locked: float | None = None
    """The epsilon that the question keeps."""

    def __post_init__(self) -> None:
        """Refuse a weight that is none."""
        if not (math.isfinite(self.weight) and 1e-12 <= self.weight <= 1e12):
            raise ParameterError.saying(
                "The weight of a question is {weight:g}; it must lie between 1e-12 and 1e+12.",
                weight=self.weight,
                field="weights",
            )


@dataclass(frozen=True)
class _Cost:
    """What a question costs at an epsilon: its weight times the variance or its root."""

    need: Need
    is_width: bool

    def at(self, epsilon: float) -> float:
        variance = self.need.curve.variance(epsilon)
        return self.need.weight * (math.sqrt(variance) if self.is_width else variance)

    def slope(self, epsilon: float) -> float:
        slope = self.need.curve.slope(epsilon)
        if self.is_width:
            slope /= 2 * math.sqrt(self.need.curve.variance(epsilon))
        return self.need.weight * slope


@dataclass(frozen=True)
class Shared:
    """The epsilon of each question, and the largest that a rule could not use."""

    epsilons: Mapping[str, float] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """Epsilon of all answers together."""
        return math.fsum(self.epsilons.values())


def share_out(needs: Mapping[str, Need], settings: BudgetSettings) -> Shared:
    """Give every question that is not locked its part of the total.

    ``sum`` makes the costs together smallest, ``max`` makes them alike, so that the largest is
    smallest; ``weights`` shares in proportion to weights and ``equal`` evenly.

    >>> needs = {str(k): Need(ValueCurve(k)) for k in (2, 5, 20)}
    >>> found = share_out(needs, BudgetSettings(total=3.0, rule="max"))
    >>> [round(one, 4) for one in found.epsilons.values()]
    [0.649, 0.9388, 1.4122]
    """
    locked = {name: need.locked for name, need in needs.items() if need.locked is not None}
    free = {name: need for name, need in needs.items() if need.locked is None}
    spent = math.fsum(locked.values())
    left = settings.total - spent
    if free and left < FLOOR * len(free):
        raise _overspent(spent, settings.total, len(locked), len(free))
    if not free and left < -_EXACT:
        raise _overspent(spent, settings.total, len(locked), 0)
    # Beyond the largest epsilon nothing is worth having.
    left = min(left, EPSILON.high * len(free))
    found = _by_rule(free, left, settings) if free else {}
    return Shared({name: locked[name] if name in locked else found[name] for name in needs})


def _overspent(spent: float, total: float, locked: int, free: int) -> ParameterError:
    if not locked:
        return ParameterError.saying(
            "A total of {total:g} is too little for {free} questions; each needs at least "
            "{floor:g}.",
            total=total,
            free=free,
            floor=FLOOR,
            field="total",
        )
    return ParameterError.saying(
        "The locked questions spend {spent:.3g} of a total of {total:g}; unlock one or raise the "
        "total.",
        spent=spent,
        total=total,
        field="locked",
    )


def _by_rule(free: Mapping[str, Need], total: float, settings: BudgetSettings) -> dict[str, float]:
    names, needs = list(free), list(free.values())
    if settings.rule in (EQUAL, WEIGHTS):
        claims = [1.0 if settings.rule == EQUAL else need.weight for need in needs]
        return dict(zip(names, _in_proportion(claims, total), strict=True))
    costs = [_Cost(need, settings.of == WIDTH) for need in needs]
    falling = [cost.at if settings.rule == MAX else _steepness(cost) for cost in costs]
    return dict(zip(names, _on_one_level(falling, total), strict=True))


def _steepness(cost: _Cost) -> Callable[[float], float]:
    return lambda epsilon: -cost.slope(epsilon)


def _in_proportion(claims: list[float], total: float) -> list[float]:
    """Parts in proportion to claims, none below the floor nor above the largest epsilon."""
    low, high = math.log(FLOOR / max(claims)), math.log(EPSILON.high / min(claims))

    def parts(level: float) -> list[float]:
        return [min(max(math.exp(level) * one, FLOOR), EPSILON.high) for one in claims]

    return parts(_root(lambda level: math.fsum(parts(level)) - total, low, high))


def _on_one_level(falling: list[Callable[[float], float]], total: float) -> list[float]:
    """Epsilons at which all falling functions have one value, within the bounds."""
    ends = [(math.log(one(FLOOR)), math.log(one(EPSILON.high))) for one in falling]

    def at(place: int, level: float) -> float:
        top, bottom = ends[place]
        if level >= top:
            return FLOOR
        if level <= bottom:
            return EPSILON.high
        function = falling[place]
        return _root(lambda epsilon: level - math.log(function(epsilon)), FLOOR, EPSILON.high)

    def parts(level: float) -> list[float]:
        return [at(place, level) for place in range(len(falling))]

    low, high = min(end[1] for end in ends), max(end[0] for end in ends)
    found = parts(_root(lambda level: total - math.fsum(parts(level)), low, high))
    # Where a mechanism moves in steps no level may spend exactly the total.
    off = total / math.fsum(found)
    if abs(off - 1) < _EXACT:
        return found
    return _in_proportion(found, total)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function passes 0; the end that is nearer where it does not."""
    if function(low) >= 0:
        return low
    if function(high) <= 0:
        return high
    return float(brentq(function, low, high, xtol=_EXACT, rtol=8.9e-16))


def epsilon_for_belief(prior: float, most: float) -> float:
    """The largest epsilon with which belief in an answer never rises above ``most``.

    >>> round(epsilon_for_belief(0.12, 0.31), 4), round(epsilon_for_belief(0.1, 0.5), 4)
    (1.1923, 2.1972)
    """
    if not 0 < prior < 1:
        raise ParameterError.saying(
            "The share is {prior:g}; it must lie between 0 and 1.", prior=prior, field="prior"
        )
    if not prior < most < 1:
        raise ParameterError(
            Message(
                "A belief of at most {most:.4g} cannot be promised: {prior:.4g} is believed "
                "before any answer.",
                most=most,
                prior=prior,
            ),
            field="belief",
        )
    return math.log(most / (1 - most)) - math.log(prior / (1 - prior))


def largest_belief(prior: float, epsilon: float) -> float:
    """How far belief in an answer can rise at most.

    >>> round(largest_belief(0.1, 2.1972), 4)
    0.5
    """
    return 1 / (1 + (1 - prior) / prior * math.exp(-epsilon))
