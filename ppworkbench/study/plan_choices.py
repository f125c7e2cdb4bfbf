"""What somebody chose for the plan of a survey; the study keeps it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

HALF_WIDTH, POWER = "half_width", "power"
AIMS = (HALF_WIDTH, POWER)
AGAINST, DIFFERENCE = "against", "difference"
TESTS = (AGAINST, DIFFERENCE)
LIMITS = ("belief", "epsilon", HALF_WIDTH, POWER, AGAINST)
"""What a question may have of its own."""
SKIPPED = "skipped"
"""How a question is called that many leave unanswered, among what it has of its own."""
MOST_SKIPPED = 0.95
LEAST_RESPONSE = 0.001

OwnLimits = Mapping[str, float | None]
"""Limits of one question by name; None where one does not count."""


@dataclass(frozen=True)
class PlanChoices:
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

    aim: str = HALF_WIDTH
    has_epsilon: bool = False
    test: str = AGAINST
    power: float = 0.8
    against: float = 0.1
    groups: tuple[float, float] = (0.3, 0.2)
    alpha: float = 0.05
    sides: str = "2"
    underreport: float = 0.05
    cost_direct: float | None = None
    cost_randomised: float | None = None
    budget: float | None = None
    design_effect: float = 1.0
    skipped: float = 0.0
    response_rate: float = 1.0
    own: Mapping[str, OwnLimits] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def costs(self) -> tuple[float, float] | None:
        """Of a direct and of a randomised interview; None unless both are known."""
        if self.cost_direct is None or self.cost_randomised is None:
            return None
        return self.cost_direct, self.cost_randomised

    def skip_of(self, name: str) -> float:
        """The share of respondents who are expected to skip a question."""
        own = self.own.get(name, {}).get(SKIPPED)
        return self.skipped if own is None else own

    def with_(self, **changes: Any) -> PlanChoices:
        """The same choices but for some."""
        return dataclasses.replace(self, **changes)

    def with_limit(self, name: str, limit: str, value: float | None) -> PlanChoices:
        """The same choices with a limit of one question; None where it does not count."""
        return self._with_own(name, {**self.own.get(name, {}), limit: value})

    def without_limit(self, name: str, limit: str | None = None) -> PlanChoices:
        """The same choices with a limit of one question, or all of them, as the study has it."""
        own = self.own.get(name, {})
        return self._with_own(name, {key: own[key] for key in own if limit and key != limit})

    def _with_own(self, name: str, own: OwnLimits) -> PlanChoices:
        kept = {key: value for key, value in self.own.items() if key != name}
        if own:
            kept[name] = MappingProxyType(dict(own))
        return self.with_(own=MappingProxyType(kept))

    def renamed(self, call: Callable[[str], str]) -> PlanChoices:
        """The same choices where attributes are called something else."""
        return self.with_(
            own=MappingProxyType({call(name): limits for name, limits in self.own.items()})
        )

    def to_json(self) -> dict[str, Any]:
        """What differs from the usual choices, as plain JSON values."""
        usual = PlanChoices()
        document: dict[str, Any] = {}
        for one in dataclasses.fields(self):
            value = getattr(self, one.name)
            if value != getattr(usual, one.name):
                document[one.name] = list(value) if isinstance(value, tuple) else value
        if self.own:
            document["own"] = {name: dict(limits) for name, limits in self.own.items()}
        return document

    @classmethod
    def from_json(cls, given: object) -> PlanChoices:
        """The choices among what a file holds; what cannot be one is as usual."""
        kept: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        found: dict[str, Any] = {
            name: kept[name]
            for name, known in (("aim", AIMS), ("test", TESTS), ("sides", ("1", "2")))
            if kept.get(name) in known
        }
        if isinstance(kept.get("has_epsilon"), bool):
            found["has_epsilon"] = kept["has_epsilon"]
        for name in ("power", "alpha", "against", "underreport"):
            if _is_share(kept.get(name), is_open=name in ("power", "alpha")):
                found[name] = float(kept[name])
        for name in ("cost_direct", "cost_randomised", "budget", "design_effect"):
            if _is_number(kept.get(name)) and kept[name] > 0:
                found[name] = float(kept[name])
        for name, low, high in ((SKIPPED, 0, MOST_SKIPPED), ("response_rate", LEAST_RESPONSE, 1)):
            if _is_number(kept.get(name)) and low <= kept[name] <= high:
                found[name] = float(kept[name])
        found |= _groups(kept.get("groups"))
        own = kept.get("own")
        if isinstance(own, Mapping):
            read = {str(name): _own_limits(limits) for name, limits in own.items()}
            found["own"] = MappingProxyType({name: some for name, some in read.items() if some})
        if found.get("power", cls.power) <= found.get("alpha", cls.alpha):
            # Such a test shows nothing.
            found = {name: value for name, value in found.items() if name not in ("power", "alpha")}
        return cls(**found)


def _groups(given: object) -> dict[str, tuple[float, ...]]:
    """The shares of two groups that differ, or nothing."""
    groups = _pair(given)
    is_test = groups and all(_is_share(one) for one in groups) and groups[0] != groups[1]
    return {"groups": groups} if is_test else {}


def _own_limits(given: object) -> OwnLimits:
    kept = given if isinstance(given, Mapping) else {}
    return MappingProxyType(
        {
            name: None if kept[name] is None else float(kept[name])
            for name in (*LIMITS, SKIPPED)
            if name in kept and (kept[name] is None or is_limit(name, kept[name]))
        }
    )


def is_limit(limit: str, value: Any) -> bool:
    """Whether a number can be such a limit of a question."""
    if limit == SKIPPED:
        return _is_share(value) and bool(value <= MOST_SKIPPED)
    if limit == "epsilon":
        return _is_number(value) and bool(value > 0)
    if limit == HALF_WIDTH:
        return _is_share(value) and bool(value)
    return _is_share(value, is_open=limit != AGAINST)


def _is_number(value: Any) -> bool:
    is_one = isinstance(value, int | float) and not isinstance(value, bool)
    return is_one and math.isfinite(value)


def _is_share(value: Any, *, is_open: bool = False) -> bool:
    return _is_number(value) and (0 < value < 1 if is_open else 0 <= value <= 1)


def _pair(value: Any) -> tuple[float, ...]:
    """Two numbers, or nothing."""
    is_pair = isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_number, value))
    return tuple(map(float, value)) if is_pair else ()
