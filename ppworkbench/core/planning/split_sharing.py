"""Sharing out one epsilon where people are asked some parts of a questionnaire only, or in waves.

The total is that of the worst m parts to be asked: the sum of the m largest, a convex function of
the epsilons. With a threshold t it is ``min over t of m t + Σ (e_p - t)+``, so that at the optimum
every part below the m-th largest is raised to it, which costs nothing. One multiplier λ is left:
parts above t have the slope -λ, those at t have slopes -λ a_p with 0 ≤ a_p ≤ 1, and all a sum to m.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scipy.optimize import brentq

from ppworkbench.core.design.budget import EQUAL, MAX, WEIGHTS, WIDTH, Parts
from ppworkbench.core.design.perturbation import EPSILON
from ppworkbench.core.planning.sharing import FLOOR, BudgetSettings, Need, Shared, overspent
from ppworkbench.core.privacy.spending import worst_sum

_EXACT = 1e-13
_LOW, _HIGH = math.log(1e-300), math.log(1e300)


@dataclass(frozen=True)
class _Question:
    """One question that is not locked: a falling function of its epsilon, and how often it counts.

    The function is what the rule makes alike: the price of a little less of the total, or the cost.
    """

    need: Need
    times: int
    is_max: bool
    is_width: bool

    def height(self, epsilon: float) -> float:
        """The logarithm of the falling function."""
        need = self.need
        variance = need.curve.variance(epsilon)
        if self.is_max:
            cost = math.sqrt(variance) if self.is_width else variance
            return math.log(need.weight * cost)
        slope = -need.curve.slope(epsilon)
        if self.is_width:
            slope /= 2 * math.sqrt(variance)
        return math.log(max(need.weight * slope / self.times, 1e-300))

    def at(self, level: float) -> float:
        """The epsilon at which the function has come down to a level."""
        return _root(lambda epsilon: level - self.height(epsilon), FLOOR, EPSILON.high)


@dataclass(frozen=True)
class _Part:
    """Questions that are asked together; ``locked`` is what those that are locked cost."""

    questions: Mapping[str, _Question]
    locked: float

    def cost(self, level: float) -> float:
        """What the part costs where all its questions are at a level."""
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
        return _LOW if self.cost(low) < cost else _root(lambda at: cost - self.cost(at), low, high)


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
                name: _Question(needs[name], times.get(name, 1), is_max, is_width)
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
        claims = {n: 1.0 if settings.rule == EQUAL else q.need.weight for n, q in free.items()}
        found = _in_proportion(claims, total, spent)
    else:
        found = (_alike if is_max else _cheapest)(built, total, count)
        # Where a mechanism moves in steps no level may spend exactly the total.
        found = _in_proportion(found, total, spent)
    locked_ones = {name: need.locked for name, need in needs.items() if need.locked is not None}
    return Shared(
        {name: locked_ones[name] if name in locked_ones else found[name] for name in needs}
    )


def _in_proportion(
    claims: Mapping[str, float], total: float, spent: Callable[[Mapping[str, float]], float]
) -> dict[str, float]:
    """Epsilons in proportion to claims, within the bounds, that spend the total."""
    if not claims:
        return {}

    def at(level: float) -> dict[str, float]:
        return {
            name: min(max(math.exp(level) * one, FLOOR), EPSILON.high)
            for name, one in claims.items()
        }

    low = math.log(FLOOR / max(claims.values()))
    high = math.log(EPSILON.high / min(claims.values()))
    return at(_root(lambda level: spent(at(level)) - total, low, high))


def _alike(parts: Sequence[_Part], total: float, count: int) -> dict[str, float]:
    """Epsilons that make the largest cost smallest, the others raised as far as that is free."""

    def spent(level: float) -> float:
        return worst_sum((part.cost(level) for part in parts), count)

    low, high = _ends(parts)
    level = _root(lambda at: total - spent(at), low, high)
    threshold = sorted((part.cost(level) for part in parts), reverse=True)[count - 1]
    return _raised(parts, level, threshold)


def _cheapest(parts: Sequence[_Part], total: float, count: int) -> dict[str, float]:
    """Epsilons that make the sum of costs smallest."""
    low, high = _ends(parts)

    def spent(level: float) -> float:
        threshold = _threshold(parts, level, total, count)
        costs = (max(part.cost(level), threshold) for part in parts)
        return count * threshold + math.fsum(cost - threshold for cost in costs)

    level = _root(lambda at: total - spent(at), low, high)
    return _raised(parts, level, _threshold(parts, level, total, count))


def _threshold(parts: Sequence[_Part], level: float, total: float, count: int) -> float:
    """The cost that the parts which are not above it all have at a price."""
    if count >= len(parts):
        return 0.0

    def lacking(cost: float) -> float:
        # By which parts of the price those at the threshold hold it down.
        held = (math.exp(min(part.level(cost) - level, 0.0)) for part in parts)
        return count - math.fsum(held)

    return _root(lacking, 0.0, total / count)


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


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function passes 0; the end that is nearer where it does not."""
    if function(low) >= 0:
        return low
    if function(high) <= 0:
        return high
    return float(brentq(function, low, high, xtol=_EXACT, rtol=8.9e-16))
