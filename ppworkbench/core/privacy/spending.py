"""What all randomised answers of one person disclose together: who is asked what, and how often.

Epsilon adds up over independent devices, exactly: the worst reports of all questions can occur
together. A group with one coin counts once. Where each person is asked m parts of a questionnaire,
which ones is public, so that the worst m of them count. Waves with fresh coins add up; where the
same true answer gives the same report, only different true answers do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design
from ppworkbench.core.design.budget import DesignBudget, Parts
from ppworkbench.core.privacy import epsilon


def epsilon_of(design: Design, name: str) -> float:
    """Epsilon of one attribute as the design distorts it; infinite where there is no bound."""
    attribute, perturbation = design[name].attribute, design.perturbation(name)
    if perturbation.is_identity:
        return math.inf
    if perturbation.matrix_for(attribute) is None:
        return perturbation.epsilon_of(attribute)
    return epsilon.epsilon(perturbation.values.drawn_matrix(attribute.k))


def count_answers(attribute: Attribute) -> int | None:
    """How many different true answers there are; None where a number is not whole."""
    if not attribute.kind.is_numeric:
        return attribute.k
    if attribute.domain is None or attribute.kind is not Kind.INTEGER:
        return None
    low, high = attribute.domain
    return int(high - low) + 1


def report_times(design: Design, name: str) -> int:
    """How many reports on one question may add up over all waves."""
    budget = design.budget or DesignBudget()
    return budget.times(count_answers(design[name].attribute))


def part_epsilons(
    design: Design, known: Mapping[str, float] | None = None, *, waves: bool = True
) -> dict[tuple[str, ...], float]:
    """Epsilon of every part of a questionnaire at most, in all waves or in one of them.

    ``known`` are those of single questions, where they have been worked out.
    """
    known, budget = known or {}, design.budget or DesignBudget()
    costs: dict[str, float] = {}
    for name in design.randomised:
        if design.group_of(name) is None:
            alone = known[name] if name in known else epsilon_of(design, name)
            costs[name] = alone * (report_times(design, name) if waves else 1)
    for group in design.groups:
        values = {name: design[name].attribute.k for name in group.attributes}
        times = budget.times(math.prod(values.values())) if waves else 1
        together = epsilon.joint_epsilon(group, values) * times
        # The whole group counts once, at the first of its questions.
        costs |= dict.fromkeys(group.attributes, 0.0) | {group.attributes[0]: together}
    return {part: math.fsum(costs[name] for name in part) for part in design.parts}


def distorted_epsilon(
    design: Design, known: Mapping[str, float] | None = None, *, waves: bool = True
) -> float:
    """Epsilon of all randomised answers of one person together: of the worst parts to be asked.

    >>> from ppworkbench.core.design import DesignedAttribute, Geometric
    >>> asked = [Attribute(name, Kind.BINARY, ("no", "yes")) for name in "abc"]
    >>> listed = (DesignedAttribute(one, Geometric(epsilon=e)) for one, e in zip(asked, (1, 2, 3)))
    >>> round(distorted_epsilon(Design(tuple(listed), budget=DesignBudget(ask=2))), 9)
    5.0
    """
    return worst_sum(part_epsilons(design, known, waves=waves).values(), design.ask)


def worst_sum(costs: Iterable[float], ask: int | None) -> float:
    """The sum of the ``ask`` largest, or of all."""
    return math.fsum(sorted(costs, reverse=True)[:ask])


def never_together(design: Design, names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    if design.ask != 1:
        return ()
    part = part_of(design.parts)
    listed = [name for name in names if name in part]
    return tuple(pair for pair in combinations(listed, 2) if part[pair[0]] != part[pair[1]])


def share_asked(design: Design, names: Iterable[str]) -> float:
    """The share of the people who are asked all of these questions.

    >>> from ppworkbench.core.design import DesignedAttribute, Uniform
    >>> asked = [Attribute(name, Kind.BINARY, ("no", "yes")) for name in "abcdefgh"]
    >>> listed = tuple(DesignedAttribute(one, Uniform()) for one in asked)
    >>> design = Design(listed, budget=DesignBudget(ask=2))
    >>> share_asked(design, ["a"]), round(1 / share_asked(design, ["a", "b"]), 9)
    (0.25, 28.0)
    """
    ask, parts = design.ask, design.parts
    if ask is None:
        return 1.0
    part = part_of(parts)
    needed = len({part[name] for name in names if name in part})
    chances = ((ask - place) / (len(parts) - place) for place in range(needed))
    return max(0.0, math.prod(chances))


def part_of(parts: Parts) -> dict[str, tuple[str, ...]]:
    return {name: part for part in parts for name in part}
