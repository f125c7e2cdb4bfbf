"""What somebody chose for the plan of a survey; the study keeps it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.params import (
    Annotated,
    Declaration,
    OneOf,
    Params,
    Read,
    Within,
    declarations,
)

HALF_WIDTH, POWER = "half_width", "power"
AGAINST, DIFFERENCE = "against", "difference"
SKIPPED = "skipped"
"""How a question is called that many leave unanswered, among what it has of its own."""
MOST_SKIPPED = 0.95
LEAST_RESPONSE = 0.001

OwnLimits = Mapping[str, float | None]
"""Limits of one question by name; None where one does not count."""
_SHARE, _CHANCE = Within(0, 1), Within(0, 1, open_low=True, open_high=True)
_POSITIVE = Within(0, open_low=True)


def _own_of_all(given: object) -> Mapping[str, OwnLimits]:
    """What single questions have of their own; what is no limit is left out."""
    kept = given if isinstance(given, Mapping) else {}
    read = {str(name): _own_of_one(limits) for name, limits in kept.items()}
    return MappingProxyType({name: own for name, own in read.items() if own})


def _own_of_one(given: object) -> OwnLimits:
    kept = given if isinstance(given, Mapping) else {}
    return MappingProxyType(
        {
            name: None if kept[name] is None else float(kept[name])
            for name in (*_limits(), SKIPPED)
            if name in kept and (kept[name] is None or is_limit(name, kept[name]))
        }
    )


@dataclass(frozen=True)
class PlanChoices(Params):
    """What the survey aims at, what interviews cost, and which questions have their own limits.

    Limits of all questions are the study's goals; those of single questions are here.

    Parameters
    ----------
    aim
        Whether the half-width of an interval counts, or the power of a test.
    has_epsilon
        Whether the goal of epsilon counts beside that of belief.
    test
        Against one value, or the difference of two groups.
    cost_direct, cost_randomised
        Of an interview of each kind.
    underreport
        How many points too few a direct question is suspected to find, as a share.
    budget
        What all interviews may cost.
    skipped
        The share of respondents who are expected to leave a question unanswered.
    response_rate
        The share of the people invited who are expected to answer.
    own
        Limits of single questions, by their names, and how many skip them.
    """

    aim: Annotated[str, OneOf((HALF_WIDTH, POWER))] = HALF_WIDTH
    has_epsilon: bool = False
    test: Annotated[str, OneOf((AGAINST, DIFFERENCE))] = AGAINST
    power: Annotated[float, _CHANCE] = 0.8
    against: Annotated[float, _SHARE] = 0.1
    groups: Annotated[tuple[float, float], _SHARE] = (0.3, 0.2)
    alpha: Annotated[float, _CHANCE] = 0.05
    sides: Annotated[str, OneOf(("1", "2"))] = "2"
    underreport: Annotated[float, _SHARE] = 0.05
    cost_direct: Annotated[float | None, _POSITIVE] = None
    cost_randomised: Annotated[float | None, _POSITIVE] = None
    budget: Annotated[float | None, _POSITIVE] = None
    design_effect: Annotated[float, _POSITIVE] = 1.0
    skipped: Annotated[float, Within(0, MOST_SKIPPED)] = 0.0
    response_rate: Annotated[float, Within(LEAST_RESPONSE, 1)] = 1.0
    own: Annotated[
        Mapping[str, OwnLimits],
        Read(_own_of_all, lambda own: {name: dict(limits) for name, limits in own.items()}),
    ] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def costs(self) -> tuple[float, float] | None:
        """Of a direct and of a randomised interview; None unless both are known."""
        if self.cost_direct is None or self.cost_randomised is None:
            return None
        return self.cost_direct, self.cost_randomised

    def skip_of(self, name: str) -> float:
        own = self.own.get(name, {}).get(SKIPPED)
        return self.skipped if own is None else own

    def with_(self, **changes: Any) -> PlanChoices:
        """The same choices but for some."""
        return dataclasses.replace(self, **changes)

    def with_limit(self, name: str, limit: str, value: float | None) -> PlanChoices:
        """The same choices with a limit of one question; None where it does not count."""
        return self.with_(own={**self.own, name: {**self.own.get(name, {}), limit: value}})

    def without_limit(self, name: str, limit: str | None = None) -> PlanChoices:
        own = self.own.get(name, {})
        rest = {key: own[key] for key in own if limit and key != limit}
        return self.with_(own={**self.own, name: rest})

    def renamed(self, call: Callable[[str], str]) -> PlanChoices:
        return self.with_(own={call(name): limits for name, limits in self.own.items()})

    def to_json(self) -> dict[str, Any]:
        """What differs from the usual choices, as plain JSON values."""
        return self.changed()

    @classmethod
    def from_json(cls, given: object) -> PlanChoices:
        """The choices among what a file holds; what cannot be one is as usual."""
        kept: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        found: dict[str, Any] = {}
        for one in declarations(cls):
            if kept.get(one.name) is not None:
                try:
                    found[one.name] = one.check(kept[one.name])
                except ParameterError:
                    continue
        groups = found.get("groups", cls.groups)
        if len(groups) != 2 or groups[0] == groups[1]:
            # No test tells the same share apart.
            del found["groups"]
        if found.get("power", cls.power) <= found.get("alpha", cls.alpha):
            # Such a test shows nothing.
            found = {name: value for name, value in found.items() if name not in ("power", "alpha")}
        return cls(**found)


def _limits() -> dict[str, Declaration]:
    """What a question may have of its own: the limits of a plan."""
    from ppworkbench.core.planning.settings import Limits

    return {one.name: one for one in declarations(Limits)}


def is_limit(limit: str, value: Any) -> bool:
    if limit == SKIPPED:
        known = next(one for one in declarations(PlanChoices) if one.name == SKIPPED)
    else:
        known = _limits()[limit]
    try:
        known.check(value)
    except ParameterError:
        return False
    return value is not None
