"""What a questionnaire is planned for: limits of its questions, a test, and circumstances."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Params, Within
from ppworkbench.core.planning.power import TestPlan, check_positive
from ppworkbench.core.privacy.utility.noncompliance import NonCompliance


@dataclass(frozen=True)
class Limits(Params):
    """What counts for a question; a limit that is not set does not count.

    Power and the value to test against belong to the test of the plan: a question may want others.
    """

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
    power: Annotated[
        float | None,
        Within(0, 1, open_low=True, open_high=True),
        Info("Power", "Power of the test"),
    ] = None
    against: Annotated[
        float | None, Within(0, 1), Info("Against", "Share under the null hypothesis")
    ] = None

    @property
    def are_private(self) -> bool:
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
    untested
        The questions that the test leaves out.
    n
        How many people are asked; as many as are needed if not given.
    design_effect
        How many times more people the way of sampling needs.
    underreport
        How many points too few a direct question finds, as is suspected.
    costs
        Of a direct and of a randomised interview.
    budget
        What all interviews may cost; without n it decides how many people are asked.
    needed
        How many people other aims ask for, by question.
    """

    limits: Limits = dataclasses.field(default_factory=Limits)
    own_limits: Mapping[str, Limits] = dataclasses.field(
        default_factory=lambda: MappingProxyType({})
    )
    test: TestPlan | None = None
    untested: frozenset[str] = frozenset()
    n: int | None = None
    noncompliance: NonCompliance | None = None
    design_effect: float = 1.0
    underreport: float | None = None
    costs: tuple[float, float] | None = None
    budget: float | None = None
    needed: Mapping[str, float] = dataclasses.field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
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
        return self.own_limits.get(name, self.limits)

    def test_of(self, name: str) -> TestPlan | None:
        """The test of one question, with its own power and value; None where there is none."""
        if self.test is None or name in self.untested:
            return None
        limits = self.limits_of(name)
        power = self.test.power if limits.power is None else limits.power
        against = self.test.against
        if against is not None and limits.against is not None:
            against = limits.against
        return dataclasses.replace(self.test, power=power, against=against)

    @property
    def people(self) -> int | None:
        """How many are asked: those that were named, or that the budget pays for."""
        if self.n is not None or self.budget is None or self.costs is None:
            return self.n
        return max(1, math.floor(self.budget / self.costs[1]))

    @property
    def spent(self) -> float | None:
        """What randomised interviews cost: the budget, or the price of as many people as named."""
        if self.costs is None or self.budget is None:
            return None
        return self.budget if self.n is None else self.n * self.costs[1]

    def overspending(self) -> Message | None:
        """What is said where more people are named than the budget pays for."""
        spent = self.spent
        if spent is None or self.budget is None or self.costs is None or self.n is None:
            return None
        if spent <= self.budget * (1 + 1e-12):
            return None
        return Message(
            "{n:,} randomised interviews cost {spent:,.10g} in the currency of the costs; the "
            "budget of {budget:,.10g} pays for {paid:,} of them.",
            n=self.n,
            spent=spent,
            budget=self.budget,
            paid=math.floor(self.budget / self.costs[1]),
        )


def pays_sentence(budget: float, cost: float) -> Message:
    """From which budget on randomising pays, and how many interviews at this cost that is.

    >>> print(pays_sentence(4650.0, 30.0))
    Randomising is worth it above a budget of 4,650 (155 interviews), in the currency of the costs.
    """
    # Rounding must not add a unit to a whole number.
    return Message(
        "Randomising is worth it above a budget of {budget:,} ({n:,} interviews), in the "
        "currency of the costs.",
        budget=math.ceil(round(budget, 6)),
        n=max(1, math.ceil(round(budget / cost, 6))),
    )
