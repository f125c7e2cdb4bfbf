"""Goal seeking: the value of one parameter that gives a measure the wanted value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy import optimize

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Params, Within
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.estimator import Vector
from ppworkbench.core.privacy.utility.goal_seek.free_parameter import FreeParameter, free_parameter
from ppworkbench.core.privacy.utility.goal_seek.measures import MEASURES, Question, measured
from ppworkbench.core.privacy.utility.noncompliance import NonCompliance
from ppworkbench.core.progress import Progress, silent

_SAMPLES = 97
_CLOSE = 1e-9
_FAR = 800.0
"""Stands for the logarithm of infinity, beyond that of any double."""


@dataclass(frozen=True)
class Target(Params):
    """The value that a measure shall have.

    ``error`` is the standard error for which ``respondents`` are counted.
    """

    measure: Annotated[str, OneOf(tuple(MEASURES)), Info("Measure", "What is aimed at")]
    value: Annotated[float, Within(0), Info("Value", "The value it shall have")]
    error: Annotated[
        float,
        Within(0, open_low=True),
        Info("Error", "Standard error for which respondents are counted"),
    ] = 0.02


def seek(  # noqa: PLR0913 (settings by keyword)
    attribute: Attribute,
    perturbation: Perturbation,
    parameter: str,
    target: Target,
    prior: Prior | None = None,
    n: int = 1000,
    progress: Progress = silent,
    *,
    noncompliance: NonCompliance | None = None,
) -> Perturbation:
    """The perturbation with one parameter changed so that the measure has the target's value.

    The parameter's range is walked from the truthful end; the first place where the measure
    passes the target is refined by Brent's method. Of several solutions this is the one that keeps
    the truth most often. Where a parameter takes whole numbers only, the nearest value is taken.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Uniform
    >>> asked = Attribute("smokes", Kind.BINARY, ("no", "yes"))
    >>> found = seek(asked, Uniform(), "keep", Target("epsilon", math.log(3)))
    >>> round(found.keep, 6)
    0.75

    Raises
    ------
    ParameterError
        When the target cannot be reached; the sentence states the reachable range.
    """
    free = free_parameter(perturbation, attribute, parameter)
    aim = _Aim(free, target, Question(attribute, prior, n, target.error, noncompliance))
    positions = np.linspace(free.position(free.truthful), free.position(free.private), _SAMPLES)
    if free.whole:
        positions = _whole_positions(free, positions)
    before: float | None = None
    for i, position in enumerate(positions.tolist()):
        progress(i / len(positions), Message("trying {parameter}", parameter=parameter))
        gap = aim.gap(position)
        if gap is not None and abs(gap) < _CLOSE:
            return free.put(free.value(position))
        if _passes(before, gap):
            return _refined(aim, float(positions[i - 1]), position)
        before = gap
    raise _unreachable(aim, positions)


def _whole_positions(free: FreeParameter, positions: Vector) -> Vector:
    values = dict.fromkeys(free.value(position) for position in positions.tolist())
    return np.array([free.position(value) for value in values])


@dataclass(frozen=True)
class _Aim:
    """A target seen from a place on the scale of a free parameter."""

    free: FreeParameter
    target: Target
    question: Question

    def measure(self, position: float) -> float | None:
        try:
            changed = self.free.put(self.free.value(position))
            changed.check(self.question.attribute)
        except (DesignError, ParameterError):
            return None  # For example a level of range privacy that no noise reaches.
        return measured(self.target.measure, self.question, changed)

    def gap(self, position: float) -> float | None:
        """How far the measure is above the target, on a log scale where there is one."""
        value = self.measure(position)
        if value is None:
            return None
        if self.target.value == 0:
            return min(value, _FAR)
        return _log(value) - _log(self.target.value)


def _log(value: float) -> float:
    if value <= 0:
        return -_FAR
    return _FAR if math.isinf(value) else math.log(value)


def _passes(before: float | None, after: float | None) -> bool:
    return before is not None and after is not None and before * after <= 0


def _refined(aim: _Aim, truthful: float, private: float) -> Perturbation:
    free = aim.free
    if not free.whole:
        found = optimize.brentq(
            lambda position: aim.gap(position) or 0.0, truthful, private, xtol=1e-15, rtol=1e-15
        )
        gap = aim.gap(found)
        if gap is not None and abs(gap) < 1e-7:
            return free.put(free.value(found))
    # The measure jumps over the target: close in on the jump and take the nearer side.
    start = aim.gap(truthful)
    for _ in range(200):
        middle = (truthful + private) / 2
        if free.value(middle) in (free.value(truthful), free.value(private)):
            break
        if _passes(start, aim.gap(middle)):
            private = middle
        else:
            truthful = middle
    return free.put(free.value(min((truthful, private), key=lambda at: abs(aim.gap(at) or 0.0))))


def _unreachable(aim: _Aim, positions: Vector) -> ParameterError:
    free, name = aim.free, aim.question.attribute.name
    label = Message(MEASURES[aim.target.measure].label)
    values = [v for v in map(aim.measure, positions.tolist()) if v is not None]
    low, high = sorted((free.truthful, free.private))
    if not values:
        reach = Message("no value in that range fits the attribute")
    elif min(values) == max(values):
        reach = Message("it is {value} whatever {name} is", value=_shown(values[0]), name=free.name)
    else:
        reach = Message(
            "it can be from {low} to {high}", low=_shown(min(values)), high=_shown(max(values))
        )
    return ParameterError(
        Message(
            "Attribute {attribute!r}: no {name} between {low:.4g} and {high:.4g} "
            "gives the {label} the value {value}; {reach}.",
            attribute=name,
            name=free.name,
            low=low,
            high=high,
            label=label,
            value=_shown(aim.target.value),
            reach=reach,
        ),
        attribute=name,
        field=free.name,
    )


def _shown(value: float) -> Message:
    return Message("infinity") if math.isinf(value) else Message("{value:.4g}", value=value)
