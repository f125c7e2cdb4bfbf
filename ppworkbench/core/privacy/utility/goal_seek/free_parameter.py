"""The parameters of a perturbation that can be left free, and the ranges in which they make sense.

Every range goes from the truthful end (the answer is published as it is) to the private end (the
published answer tells as little as possible). A probability of the truth below that of a fair
draw is left out: it lies there with the opposite sign, as private but harder to explain.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Binary,
    Discretise,
    Forced,
    Multiplicative,
    Ordinal,
    Perturbation,
    Related,
    Retention,
    Uniform,
    Unrelated,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message

_OWN_SCALE = {"uniform": "half_width", "normal": "sigma", "laplace": "scale"}
_HUGE_ODDS = 1e9


@dataclass(frozen=True)
class FreeParameter:
    """One number of a perturbation that a target may determine.

    Parameters
    ----------
    truthful, private
        The ends of the range.
    scale
        How steps are made between the ends: ``linear``, ``log``, or ``odds`` for a weight beside
        others, whose share is what matters.
    whole
        Whether only whole numbers are possible.
    others
        What a weight competes with.
    put
        The perturbation with the parameter set to a value.
    """

    name: str
    truthful: float
    private: float
    put: Callable[[float], Perturbation]
    scale: str = "linear"
    whole: bool = False
    others: float = 1.0

    def position(self, value: float) -> float:
        """Where a value lies on the scale."""
        if self.scale == "log":
            return math.log(value)
        if self.scale == "odds":
            return value / (value + self.others)
        return value

    def value(self, position: float) -> float:
        """The value at a place on the scale, kept inside the range."""
        value = position
        if self.scale == "log":
            value = math.exp(position)
        elif self.scale == "odds":
            value = self.others * position / max(1 - position, 1 / (2 * _HUGE_ODDS))
        low, high = sorted((self.truthful, self.private))
        value = min(max(value, low), high)
        return float(round(value)) if self.whole else value


def free_parameters(perturbation: Perturbation, attribute: Attribute) -> tuple[FreeParameter, ...]:
    """All parameters of a perturbation that can be left free.

    Examples
    --------
    >>> asked = Attribute("smokes", Kind.BINARY, ("no", "yes"))
    >>> [free.name for free in free_parameters(Binary(), asked)]
    ['keep_one', 'keep_zero']
    """
    if isinstance(perturbation, Binary):
        return (
            _probability(perturbation, "keep_one", 1 - perturbation.keep_zero),
            _probability(perturbation, "keep_zero", 1 - perturbation.keep_one),
        )
    if isinstance(perturbation, Ordinal):
        return tuple(_weight(perturbation, step) for step in range(len(perturbation.weights)))
    if isinstance(perturbation, Discretise):
        return _interval_parameters(perturbation, attribute)
    if isinstance(perturbation, Additive | Multiplicative):
        return _scale_parameters(perturbation, attribute)
    for kind, name, lowest in (
        (Uniform, "keep", 1 / max(attribute.k, 1)),
        (Related, "theta", 0.5),
        (Unrelated, "theta", 0.0),
        (Forced, "p_truth", 0.0),
        (Retention, "keep", 0.0),
    ):
        if isinstance(perturbation, kind):
            return (_probability(perturbation, name, lowest),)
    return ()


def free_parameter(perturbation: Perturbation, attribute: Attribute, name: str) -> FreeParameter:
    """The free parameter of that name; an error that lists the others if there is none."""
    known = {free.name: free for free in free_parameters(perturbation, attribute)}
    if name in known:
        return known[name]
    listed = (
        Message("free are {known}", known=", ".join(known))
        if known
        else Message("it has no parameter that could be free")
    )
    raise ParameterError(
        Message(
            "Attribute {attribute!r}: the perturbation {type_name!r} has no free "
            "parameter {name!r}; {listed}.",
            attribute=attribute.name,
            type_name=perturbation.type_name,
            name=name,
            listed=listed,
        ),
        attribute=attribute.name,
        field="parameter",
    )


def _changed(perturbation: Perturbation, **fields: Any) -> Perturbation:
    return dataclasses.replace(perturbation, **fields)


def _probability(perturbation: Perturbation, name: str, lowest: float) -> FreeParameter:
    def put(value: float) -> Perturbation:
        return _changed(perturbation, **{name: value})

    return FreeParameter(name, 1.0, max(lowest, 0.0), put)


def _weight(perturbation: Ordinal, step: int) -> FreeParameter:
    weights = perturbation.weights
    others = sum(w if s == 0 else 2 * w for s, w in enumerate(weights) if s != step)
    # With nothing beside it any weight means the same.
    others = others if others > 0 else 1.0

    def put(value: float) -> Perturbation:
        changed = (*weights[:step], value, *weights[step + 1 :])
        return dataclasses.replace(perturbation, weights=changed)

    most = others * _HUGE_ODDS
    ends = (most, 0.0) if step == 0 else (0.0, most)
    return FreeParameter(f"r{step}", *ends, put, scale="odds", others=others)


def _scale_parameters(
    perturbation: Additive | Multiplicative, attribute: Attribute
) -> tuple[FreeParameter, ...]:
    multiplies = isinstance(perturbation, Multiplicative)
    own = "sigma" if multiplies else _OWN_SCALE[perturbation.noise]
    width = attribute.width if attribute.width > 0 else 1.0
    truthful, private = (1e-6, 10.0) if multiplies else (1e-6 * width, 1e4 * width)
    whole = (
        isinstance(perturbation, Additive)
        and attribute.kind is Kind.INTEGER
        and perturbation.noise == "uniform"
        and perturbation.integer != "round"
    )
    if whole:
        truthful = 1.0

    def put_own(value: float) -> Perturbation:
        return _changed(perturbation, **{own: value, "range_privacy": None})

    def put_level(value: float) -> Perturbation:
        return _changed(perturbation, **{own: None, "range_privacy": value})

    return (
        FreeParameter(own, truthful, private, put_own, scale="log", whole=whole),
        FreeParameter("range_privacy", 1e-4, 1e6, put_level, scale="log"),
    )


def _interval_parameters(
    perturbation: Discretise, attribute: Attribute
) -> tuple[FreeParameter, ...]:
    def put(value: float) -> Perturbation:
        return dataclasses.replace(
            perturbation, intervals=int(value), edges=None, range_privacy=None
        )

    most = 10_000.0
    if attribute.kind is Kind.INTEGER:
        most = min(most, attribute.width + 1)
    return (FreeParameter("intervals", most, 1.0, put, scale="log", whole=True),)
