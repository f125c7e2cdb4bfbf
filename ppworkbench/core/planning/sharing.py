"""Sharing out one epsilon among the questions of a questionnaire.

Where people are asked some parts only, or in waves, the total is that of the worst m parts to be
asked: the sum of the m largest, a convex function of the epsilons. With a threshold t it is
``min over t of m t + Σ (e_p - t)+``, so that at the optimum every part below the m-th largest is
raised to it, which costs nothing. One multiplier λ is left: parts above t have the slope -λ, those
at t have slopes -λ a_p with 0 ≤ a_p ≤ 1, and all a sum to m.
"""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Protocol

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

from ppworkbench.core.design.budget import EQUAL, MAX, MEASURES, RULES, SUM, WEIGHTS, WIDTH, Parts
from ppworkbench.core.design.perturbation import EPSILON
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.params import Info, OneOf, Params, Within
from ppworkbench.core.privacy.spending import worst_sum

FLOOR = 0.01
"""Less than this tells nothing, and a question that tells nothing need not be asked."""
_EXACT = 1e-13
_BELIEF = Within(0, 1, open_low=True, open_high=True)
_MEASURED = 49
"""Epsilons at which a variance is worked out; between them it is off by less than 1 in 1,000."""
_HUGE, _FALLING = 1e200, 1e-9
_BENT = 0.02
"""How much steeper than before a curve may become that is convex but for rounding and steps."""
_MOVES = (0.3, 0.2, 0.1, 0.05, 0.02, 0.01)
"""What is moved between two questions at a time, as parts of their mean epsilon."""
_MOST_MOVES = 200
_WORTH = 1e-6
"""The part of all costs that a move must save."""
_LOG_FLOOR, _LOG_MOST = math.log(FLOOR), math.log(EPSILON.high)


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
        d, f = math.expm1(epsilon), self.share
        return (self.k - 1) / d**2 + (1 + f * (self.k - 2)) / d + f * (1 - f)

    def slope(self, epsilon: float) -> float:
        d = math.expm1(epsilon)
        by_d = -2 * (self.k - 1) / d**3 - (1 + self.share * (self.k - 2)) / d**2
        return by_d * (d + 1)


class MeasuredCurve:
    """A variance that is worked out from the mechanism itself, at a few epsilons.

    Between them its logarithm is a smooth and falling function of that of epsilon. Mechanisms that
    move in steps have variances that rise here and there by a little; nobody is to pay for that.
    ``measure`` works one out, and ``has_steps`` says whether that may differ much from the curve.
    """

    def __init__(self, measure: Callable[[float], float]) -> None:
        self.measure = measure
        places = np.geomspace(FLOOR, EPSILON.high, _MEASURED)
        found = [min(measure(float(place)), _HUGE) for place in places]
        slopes = np.diff(np.sqrt(found)) / np.diff(places)
        self.has_steps = bool((slopes[1:] < slopes[:-1] * (1 + _BENT)).any())
        heights = np.log(np.maximum(np.minimum.accumulate(found), 1 / _HUGE))
        heights -= _FALLING * np.arange(_MEASURED)
        curve = PchipInterpolator(np.log(places), heights)
        self._starts: list[float] = curve.x.tolist()
        self._pieces: list[list[float]] = curve.c.T.tolist()

    def variance(self, epsilon: float) -> float:
        """The variance that was worked out, or one between those of two neighbours."""
        return math.exp(self._at(epsilon)[0])

    def slope(self, epsilon: float) -> float:
        height, rise = self._at(epsilon)
        return math.exp(height) * rise / epsilon

    def _at(self, epsilon: float) -> tuple[float, float]:
        """The logarithm of the variance, and its derivative by that of epsilon."""
        at = math.log(epsilon)
        place = min(max(bisect(self._starts, at) - 1, 0), len(self._pieces) - 1)
        x, (a, b, c, d) = at - self._starts[place], self._pieces[place]
        return ((a * x + b) * x + c) * x + d, (3 * a * x + 2 * b) * x + c


@dataclass(frozen=True)
class BudgetSettings(Params):
    """One epsilon for all answers of a person, and how it is shared out."""

    total: Annotated[float, Within(0, 1000, open_low=True), Info("Total", "Epsilon in total")] = 8.0
    rule: Annotated[str, OneOf(RULES), Info("Rule", "How the total is shared out")] = SUM
    of: Annotated[
        str, OneOf(MEASURES), Info("Of", "What is made small: interval width or variance")
    ] = WIDTH


@dataclass(frozen=True)
class Need:
    """One question's claim to the budget: how its error falls, its weight, what it keeps."""

    curve: Curve
    weight: float = 1.0
    locked: float | None = None
    """The epsilon that the question keeps."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.weight) and 1e-12 <= self.weight <= 1e12):
            raise ParameterError.saying(
                "The weight of a question is {weight:g}; it must lie between 1e-12 and 1e+12.",
                weight=self.weight,
                field="weights",
            )


@dataclass(frozen=True)
class Cost:
    """What a question costs at an epsilon: its weight times the variance or its root."""

    need: Need
    is_width: bool

    def at(self, epsilon: float) -> float:
        variance = self.need.curve.variance(epsilon)
        return self.need.weight * (math.sqrt(variance) if self.is_width else variance)

    @property
    def has_steps(self) -> bool:
        """Whether the curve may differ much from what the mechanism gives."""
        return isinstance(self.need.curve, MeasuredCurve) and self.need.curve.has_steps

    def exact(self, epsilon: float) -> float:
        """The cost by the mechanism itself where it moves in steps."""
        curve = self.need.curve
        if not isinstance(curve, MeasuredCurve) or not curve.has_steps:
            return self.at(epsilon)
        variance = curve.measure(epsilon)
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
        raise overspent(spent, settings.total, len(free))
    if not free and left < -_EXACT:
        raise overspent(spent, settings.total, 0)
    # Beyond the largest epsilon nothing is worth having.
    left = min(left, EPSILON.high * len(free))
    found = _by_rule(free, left, settings) if free else {}
    return Shared({name: locked[name] if name in locked else found[name] for name in needs})


def overspent(spent: float, total: float, free: int) -> ParameterError:
    """Why a total, of which locked questions spend some, is too little for the others."""
    if spent == 0:
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
        return dict(zip(names, in_proportion(claims, total), strict=True))
    costs = [Cost(need, settings.of == WIDTH) for need in needs]
    falling = [cost.at if settings.rule == MAX else _steepness(cost) for cost in costs]
    found = _on_one_level(falling, total)
    if settings.rule == SUM and any(cost.has_steps for cost in costs):
        found = _exchanged(costs, found)
    return dict(zip(names, found, strict=True))


def _exchanged(costs: list[Cost], found: list[float]) -> list[float]:
    """Epsilons of the same sum that cost less, where curves cannot tell of a mechanism's steps.

    As long as it pays, some epsilon goes from the question that misses it least to the one that
    gains most.
    """
    epsilons, now = list(found), [cost.exact(one) for cost, one in zip(costs, found, strict=True)]
    worth, mean = _WORTH * math.fsum(now), math.fsum(found) / len(found)

    def change(place: int, move: float) -> float:
        there = epsilons[place] + move
        if not FLOOR <= there <= EPSILON.high:
            return math.inf
        return costs[place].exact(there) - now[place]

    for move in (mean * part for part in _MOVES):
        more = [change(place, move) for place in range(len(costs))]
        less = [change(place, -move) for place in range(len(costs))]
        for _ in range(_MOST_MOVES):
            to = min(range(len(costs)), key=more.__getitem__)
            others = (place for place in range(len(costs)) if place != to)
            source = min(others, key=less.__getitem__, default=to)
            if source == to or more[to] + less[source] > -worth:
                break
            for place, by in ((to, move), (source, -move)):
                epsilons[place] += by
                now[place] = costs[place].exact(epsilons[place])
                more[place], less[place] = change(place, move), change(place, -move)
    return epsilons


def _steepness(cost: Cost) -> Callable[[float], float]:
    return lambda epsilon: -cost.slope(epsilon)


def in_proportion(
    claims: Sequence[float],
    total: float,
    spent: Callable[[Sequence[float]], float] = math.fsum,
) -> list[float]:
    """Epsilons in proportion to claims, within the bounds, that spend the total."""
    if not claims:
        return []
    low, high = math.log(FLOOR / max(claims)), math.log(EPSILON.high / min(claims))

    def parts(level: float) -> list[float]:
        return [min(max(math.exp(level) * one, FLOOR), EPSILON.high) for one in claims]

    return parts(rising_root(lambda level: spent(parts(level)) - total, low, high))


def _on_one_level(falling: list[Callable[[float], float]], total: float) -> list[float]:
    """Epsilons at which all falling functions have one value, within the bounds."""
    ends = [(_log(one(FLOOR)), _log(one(EPSILON.high))) for one in falling]
    # Both in logarithms, in which the functions are nearly straight. What was found at other levels
    # lies around what is looked for, so that a few steps lead there.
    known: list[tuple[float, list[float]]] = []

    def at(place: int, level: float, above: int | None, below: int | None) -> float:
        top, bottom = ends[place]
        if level >= top:
            return _LOG_FLOOR
        if level <= bottom:
            return _LOG_MOST
        function = falling[place]
        low, high = (_LOG_FLOOR, top), (_LOG_MOST, bottom)
        if above is not None and known[above][0] < top:
            low = known[above][1][place], known[above][0]
        if below is not None and known[below][0] > bottom:
            high = known[below][1][place], known[below][0]
        return find_root(
            lambda x: level - _log(function(math.exp(x))),
            (low[0], level - low[1]),
            (high[0], level - high[1]),
        )

    def parts(level: float) -> list[float]:
        higher = [i for i, (other, _) in enumerate(known) if other > level]
        lower = [i for i, (other, _) in enumerate(known) if other < level]
        above = min(higher, key=lambda i: known[i][0], default=None)
        below = max(lower, key=lambda i: known[i][0], default=None)
        found = [at(place, level, above, below) for place in range(len(falling))]
        known.append((level, found))
        return [min(max(math.exp(x), FLOOR), EPSILON.high) for x in found]

    low, high = min(end[1] for end in ends), max(end[0] for end in ends)
    found = parts(rising_root(lambda level: total - math.fsum(parts(level)), low, high))
    # Where a mechanism moves in steps no level may spend exactly the total.
    off = total / math.fsum(found)
    if abs(off - 1) < _EXACT:
        return found
    return in_proportion(found, total)


def _log(value: float) -> float:
    """A logarithm, also where a curve is flat."""
    return math.log(max(value, 1 / _HUGE))


def rising_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function passes 0; the end that is nearer where it does not."""
    if function(low) >= 0:
        return low
    if function(high) <= 0:
        return high
    return float(brentq(function, low, high, xtol=_EXACT, rtol=8.9e-16))


def find_root(
    function: Callable[[float], float],
    low: tuple[float, float],
    high: tuple[float, float],
    exact: float = _EXACT,
) -> float:
    """Where a rising function passes 0, between places with values that are known already.

    The secant of both ends, with the value of an end that stays halved every time (the Illinois
    method): for functions that are nearly straight few values are needed.

    >>> round(find_root(lambda x: x**3 - 2, (1.0, -1.0), (2.0, 6.0)), 9)
    1.25992105
    """
    (a, at_a), (b, at_b) = low, high
    if at_a >= 0:
        return a
    if at_b <= 0:
        return b
    middle, side = a, 0
    for _ in range(200):
        before = middle
        middle = (a * at_b - b * at_a) / (at_b - at_a)
        if not a < middle < b:
            middle = (a + b) / 2
        value = function(middle)
        if value == 0 or b - a < exact or abs(middle - before) < exact / 4:
            break
        if value > 0:
            b, at_b = middle, value
            at_a *= 0.5 if side > 0 else 1.0
            side = 1
        else:
            a, at_a = middle, value
            at_b *= 0.5 if side < 0 else 1.0
            side = -1
    return middle


def epsilon_for_belief(prior: float, most: float) -> float:
    """The largest epsilon with which belief in an answer never rises above ``most``.

    >>> round(epsilon_for_belief(0.12, 0.31), 4), round(epsilon_for_belief(0.1, 0.5), 4)
    (1.1923, 2.1972)
    """
    if not 0 < prior < 1:
        raise ParameterError.saying(
            "The share is {prior:g}; it must lie between 0 and 1.", prior=prior, field="prior"
        )
    if not _BELIEF.holds(most):
        raise ParameterError.saying(
            "The belief is {most:.4g}; {demand}.", most=most, demand=_BELIEF.demand, field="belief"
        )
    if not prior < most:
        raise ParameterError.saying(
            "A belief of at most {most:.4g} cannot be promised: {prior:.4g} is believed "
            "before any answer.",
            most=most,
            prior=prior,
            field="belief",
        )
    return math.log(most / (1 - most)) - math.log(prior / (1 - prior))


def largest_belief(prior: float, epsilon: float) -> float:
    """How far belief in an answer can rise at most.

    >>> round(largest_belief(0.1, 2.1972), 4)
    0.5
    """
    return 1 / (1 + (1 - prior) / prior * math.exp(-epsilon))


_LOW, _HIGH = math.log(1e-300), math.log(1e300)


@dataclass(frozen=True)
class _Question:
    """One question that is not locked: a falling function of its epsilon, and how often it counts.

    The function is what the rule makes alike: the price of a little less of the total, or the cost.
    """

    cost: Cost
    times: int
    is_max: bool

    def height(self, epsilon: float) -> float:
        """The logarithm of the falling function."""
        if self.is_max:
            return math.log(self.cost.at(epsilon))
        return math.log(max(-self.cost.slope(epsilon) / self.times, 1e-300))

    def at(self, level: float) -> float:
        """The epsilon at which the function has come down to a level."""
        return rising_root(lambda epsilon: level - self.height(epsilon), FLOOR, EPSILON.high)


@dataclass(frozen=True)
class _Part:
    """Questions that are asked together; ``locked`` is what those that are locked cost."""

    questions: Mapping[str, _Question]
    locked: float

    def cost(self, level: float) -> float:
        return self.locked + math.fsum(one.times * one.at(level) for one in self.of_level)

    def cost_of(self, epsilons: Mapping[str, float]) -> float:
        return self.locked + math.fsum(
            one.times * epsilons[name] for name, one in self.questions.items()
        )

    @property
    def of_level(self) -> Sequence[_Question]:
        return tuple(self.questions.values())

    def level(self, cost: float) -> float:
        """The level at which the part costs so much; an end where it never does."""
        if not self.questions:
            return _HIGH if self.locked > cost else _LOW
        if len(self.questions) == 1:
            (only,) = self.of_level
            epsilon = (cost - self.locked) / only.times
            if epsilon <= FLOOR:
                return _HIGH
            return _LOW if epsilon > EPSILON.high else only.height(epsilon)
        low = min(one.height(EPSILON.high) for one in self.of_level)
        high = max(one.height(FLOOR) for one in self.of_level)
        if self.cost(high) >= cost:
            return _HIGH
        return (
            _LOW
            if self.cost(low) < cost
            else rising_root(lambda at: cost - self.cost(at), low, high)
        )


def share_parts(
    needs: Mapping[str, Need],
    settings: BudgetSettings,
    parts: Parts,
    ask: int | None = None,
    times: Mapping[str, int] | None = None,
) -> Shared:
    """Give every question that is not locked its part of a total that the worst parts spend.

    Parameters
    ----------
    parts
        What is asked as a whole; every question is in one of them.
    ask
        How many parts each person gets; None for all of them.
    times
        How often a report on a question counts, because of waves; once where nothing is said.

    Examples
    --------
    >>> from ppworkbench.core.planning.sharing import ValueCurve
    >>> needs = {name: Need(ValueCurve(2)) for name in "abcdefgh"}
    >>> found = share_parts(needs, BudgetSettings(4.0), tuple((name,) for name in needs), 2)
    >>> round(found.epsilons["a"], 9)
    2.0
    """
    times, total = times or {}, settings.total
    count = len(parts) if ask is None else ask
    is_max, is_width = settings.rule == MAX, settings.of == WIDTH
    built = [
        _Part(
            {
                name: _Question(Cost(needs[name], is_width), times.get(name, 1), is_max)
                for name in part
                if needs[name].locked is None
            },
            math.fsum((needs[name].locked or 0.0) * times.get(name, 1) for name in part),
        )
        for part in parts
    ]
    free = {name: one for part in built for name, one in part.questions.items()}

    def spent(epsilons: Mapping[str, float]) -> float:
        return worst_sum((part.cost_of(epsilons) for part in built), count)

    least = dict.fromkeys(free, FLOOR)
    if spent(least) > total + _EXACT:
        locked = worst_sum((part.locked for part in built), count)
        raise overspent(locked, total, len(free))
    if settings.rule in (EQUAL, WEIGHTS):
        claims = {n: 1.0 if settings.rule == EQUAL else needs[n].weight for n in free}
    else:
        # Where a mechanism moves in steps no level may spend exactly the total.
        claims = (_alike if is_max else _cheapest)(built, total, count)
    epsilons = in_proportion(
        list(claims.values()), total, lambda parts: spent(dict(zip(claims, parts, strict=True)))
    )
    found = dict(zip(claims, epsilons, strict=True))
    locked_ones = {name: need.locked for name, need in needs.items() if need.locked is not None}
    return Shared(
        {name: locked_ones[name] if name in locked_ones else found[name] for name in needs}
    )


def _alike(parts: Sequence[_Part], total: float, count: int) -> dict[str, float]:
    """Epsilons that make the largest cost smallest, the others raised as far as that is free."""

    def spent(level: float) -> float:
        return worst_sum((part.cost(level) for part in parts), count)

    low, high = _ends(parts)
    level = rising_root(lambda at: total - spent(at), low, high)
    threshold = sorted((part.cost(level) for part in parts), reverse=True)[count - 1]
    return _raised(parts, level, threshold)


def _cheapest(parts: Sequence[_Part], total: float, count: int) -> dict[str, float]:
    low, high = _ends(parts)

    def spent(level: float) -> float:
        threshold = _threshold(parts, level, total, count)
        costs = (max(part.cost(level), threshold) for part in parts)
        return count * threshold + math.fsum(cost - threshold for cost in costs)

    level = rising_root(lambda at: total - spent(at), low, high)
    return _raised(parts, level, _threshold(parts, level, total, count))


def _threshold(parts: Sequence[_Part], level: float, total: float, count: int) -> float:
    if count >= len(parts):
        return 0.0

    def lacking(cost: float) -> float:
        # By which parts of the price those at the threshold hold it down.
        held = (math.exp(min(part.level(cost) - level, 0.0)) for part in parts)
        return count - math.fsum(held)

    return rising_root(lacking, 0.0, total / count)


def _raised(parts: Sequence[_Part], level: float, threshold: float) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in parts:
        own = level if part.cost(level) >= threshold else part.level(threshold)
        found |= {name: one.at(own) for name, one in part.questions.items()}
    return found


def _ends(parts: Sequence[_Part]) -> tuple[float, float]:
    heights = [(q.height(EPSILON.high), q.height(FLOOR)) for p in parts for q in p.of_level]
    if not heights:
        return 0.0, 0.0
    # A part at the threshold may hold only a share of the price.
    return min(low for low, _ in heights), max(high for _, high in heights) + math.log(len(parts))
