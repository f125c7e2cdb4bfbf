"""Solving a questionnaire: the most accurate parameters within the limits of privacy."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Design, DesignedAttribute, Perturbation
from ppworkbench.core.design.devices import Device, snap
from ppworkbench.core.design.perturbation import FreeParameter
from ppworkbench.core.design.presets import named_design, percent
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.planning.questionnaire import JudgedQuestion
from ppworkbench.core.planning.settings import PlanSettings
from ppworkbench.core.privacy.belief import sensitive_belief
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.progress import Progress, silent

_SAMPLES = 97


@dataclass(frozen=True, eq=False)
class Solution:
    """The most accurate parameter of a question within its limits of privacy.

    ``exact`` is what the limits allow, ``snapped`` what the device makes of it, ``now`` what the
    question has. Where there is no solution, ``reason`` says what can be reached and the question
    stays as it was.
    """

    attribute: str
    parameter: str
    exact: float | None
    snapped: float | None
    reason: Message | None = None
    now: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "parameter": self.parameter,
            "exact": self.exact,
            "snapped": self.snapped,
            "reason": self.reason,
            "before": self.now,
        }


def solve(
    design: Design,
    priors: Mapping[str, Prior] | None,
    settings: PlanSettings,
    only: str | None = None,
    progress: Progress = silent,
) -> tuple[Design, tuple[Solution, ...]]:
    """The design with every question, or only one, as accurate as its limits of privacy allow.

    Families and devices stay. Of two values the odds limit ``R = L/(1-L) · (1-s)/s`` gives a Warner
    probability of R/(1+R) and a forced truth of (R-1)/(R+1); others are searched for.
    """
    known = {} if priors is None else priors
    # Accuracy decides nothing here, so that no test can stand in the way.
    settings = dataclasses.replace(settings, test=None, underreport=None, costs=None, budget=None)
    found = []
    asked = tuple(design) if only is None else (design[only],)
    for place, one in enumerate(asked):
        progress(place / len(asked), one.name)
        limits = settings.limits_of(one.name)
        unrandomised = one.perturbation.is_identity or design.group_of(one.name) is not None
        # Nobody believes in an answer where there are numbers.
        is_limited = limits.are_private if one.attribute.kind.is_categorical else (
            limits.epsilon is not None
        )  # fmt: skip
        if unrandomised or not is_limited:
            continue
        solved = _solve_one(one, known.get(one.name), settings)
        found.append(solved[0])
        if solved[0].reason is None:
            design = design.with_perturbation(one.name, solved[1], solved[2])
    if not found:
        raise ParameterError(
            "There is nothing to solve; give a randomised question a limit of belief or epsilon.",
            field="belief",
        )
    return design, tuple(found)


def _solve_one(
    one: DesignedAttribute, prior: Prior | None, settings: PlanSettings
) -> tuple[Solution, Perturbation, Device | None]:
    attribute = one.attribute

    def judge(perturbation: Perturbation) -> JudgedQuestion:
        changed = dataclasses.replace(one, perturbation=perturbation, device=None)
        return JudgedQuestion(changed, prior, settings)

    best: tuple[float, Solution, Perturbation, Device | None] | None = None
    frees = one.perturbation.free_parameters(attribute)
    reason = Message("it has no free parameter")
    for free in frees:
        exact = _most_truthful(_mirrored(free, attribute), judge)
        if exact is None:
            reason = _reach(free, judge)
            continue
        value, perturbation = exact
        device, snapped = None, value
        if one.device is not None and not one.device.kind.does_anything:
            use = perturbation.device_use(attribute)
            found = None if use is None else snap(use, one.device.kind)
            if found is None:
                reason = Message(
                    "its device reaches nothing on the private side of {value:.4g}", value=value
                )
                continue
            device, snapped = found.device, found.snapped
            perturbation = device.applied(perturbation, attribute)
        judged = judge(perturbation)
        renamed = one.perturbation.design_name is not None and (
            named_design(judged.designed.perturbation, attribute.values) is None
        )
        if renamed:
            continue
        error = _error(judged)
        if best is None or error < best[0]:
            solution = Solution(one.name, free.name, value, snapped, now=free.now)
            best = error, solution, perturbation, device
    if best is not None:
        return best[1:]
    name, now = (frees[0].name, frees[0].now) if frees else ("", None)
    return Solution(one.name, name, None, None, reason, now), one.perturbation, one.device


def _error(judged: JudgedQuestion) -> float:
    technique = judged.technique
    return 0.0 if technique is None else technique.variance(technique.share)


def _mirrored(free: FreeParameter, attribute: Attribute) -> FreeParameter:
    """A crosswise question with a share below one half stays below it."""
    is_below = free.scale == "linear" and free.now is not None and free.now < free.private
    if not is_below or not attribute.kind.is_categorical or attribute.k != 2:
        return free
    return dataclasses.replace(free, truthful=2 * free.private - free.truthful)


def _most_truthful(
    free: FreeParameter, judge: Callable[[Perturbation], JudgedQuestion]
) -> tuple[float, Perturbation] | None:
    """The value nearest to the truth that keeps all limits; None if there is none."""

    def made(position: float) -> Perturbation | None:
        try:
            perturbation = free.put(free.value(position))
            judged = judge(perturbation)
        except (DesignError, ParameterError):
            return None  # For example weights that fit no attribute.
        return None if any(judged.broken()) or judged.is_blind else perturbation

    ends = free.position(free.truthful), free.position(free.private)
    before = None
    for position in np.linspace(*ends, _SAMPLES).tolist():
        found = made(position)
        if found is None:
            before = position
            continue
        outside, inside = before, position
        for _ in range(45 if outside is not None else 0):
            middle = ((outside or 0.0) + inside) / 2
            closer = made(middle)
            if closer is None:
                outside = middle
            else:
                inside, found = middle, closer
        return free.value(inside), found
    return None


def _reach(free: FreeParameter, judge: Callable[[Perturbation], JudgedQuestion]) -> Message:
    beliefs, epsilons = [], []
    ends = free.position(free.truthful), free.position(free.private)
    for position in np.linspace(*ends, _SAMPLES).tolist():
        try:
            judged = judge(free.put(free.value(position)))
        except (DesignError, ParameterError):
            continue
        if judged.is_blind:
            continue
        epsilons.append(judged.epsilon)
        if judged.joint is not None:
            beliefs.append(sensitive_belief(judged.joint, judged.designed.attribute).after)
    reached = []
    if beliefs:
        reached.append(
            Message(
                "belief from {low} to {high}", low=percent(min(beliefs)), high=percent(max(beliefs))
            )
        )
    if epsilons:
        reached.append(
            Message(
                "epsilon from {low} to {high}",
                low=_epsilon_text(min(epsilons)),
                high=_epsilon_text(max(epsilons)),
            )
        )
    return Message(
        "no {name} keeps the limits; it reaches {reached}", name=free.name, reached=tuple(reached)
    )


def _epsilon_text(value: float) -> Message:
    return Message("∞") if math.isinf(value) else Message("{value:.3g}", value=value)
