"""What mechanisms share that report several values of a question instead of one."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.channels import SetChannel, ValueChannel
from ppworkbench.core.design.matrices.base import MAX_VALUES, of_100
from ppworkbench.core.design.perturbation import (
    CATEGORICAL,
    EPSILON,
    FreeParameter,
    Perturbation,
)
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info

NO_MATRIX = Message(
    "Reports are sets of values here, so there is no transition matrix; choose another mechanism."
)
FEWEST_VALUES = 3
"""Of two values a set would be a single answer."""


@dataclass(frozen=True)
class SetPerturbation(Perturbation, ValueChannel, SetChannel):
    """A mechanism whose report names values, the true one more often than others.

    A set is ``e^ε`` times as likely for a value that it names as for one that it does not, so that
    all that an analyst needs are the probabilities g and h with which the true value and any other
    one is named: ``(share named - h) / (g - h)`` estimates a share without bias.
    """

    epsilon: Annotated[
        float, EPSILON, Info("Epsilon", "Epsilon between any two answers", item="epsilon")
    ] = 1.0

    kinds: ClassVar[frozenset[Kind]] = CATEGORICAL
    file_version: ClassVar[int] = 2

    def check(self, attribute: Attribute) -> None:
        """Refuse an attribute of too few or too many values."""
        super().check(attribute)
        if not FEWEST_VALUES <= attribute.k <= MAX_VALUES:
            raise DesignError.saying(
                "Attribute {attribute!r} has {k} values; sets are reported of {fewest} to {most}. "
                "Choose another mechanism.",
                k=attribute.k,
                fewest=FEWEST_VALUES,
                most=MAX_VALUES,
                attribute=attribute.name,
                field="type",
            )

    def matrix(self, k: int) -> Numbers:  # noqa: ARG002 (the interface of all perturbations)
        raise DesignError(NO_MATRIX, field="type")

    def distorted(self, attribute: Attribute) -> Attribute:
        return attribute.with_(kind=Kind.SET, set_size=self.naming(attribute.k).size)

    @classmethod
    def start(cls, attribute: Attribute, before: Numbers | None = None) -> Perturbation:  # noqa: ARG003
        """The epsilon of the matrix before, if it is finite."""
        if before is None or before.min() <= 0:
            return cls()
        epsilon = math.log(float((before.max(axis=1) / before.min(axis=1)).max()))
        return cls(epsilon=min(max(round(epsilon, 2), 0.01), EPSILON.high))

    @classmethod
    def why_not(cls, attribute: Attribute) -> str:
        if attribute.k >= FEWEST_VALUES:
            return ""
        return Message("A set of answers needs a question with at least 3 values.")

    def in_words(self, attribute: Attribute) -> str:
        """How often the true value is among those named, and another one."""
        naming = self.naming(attribute.k)
        if naming.size is None:
            return Message(
                "Every report is a set of values: it names the true one with {g:.3g} %, every "
                "other one with {h:.3g} %.",
                g=100 * naming.g,
                h=100 * naming.h,
            )
        return Message(
            "Every report is a set of {size} of {k} values: it names the true one with {g:.3g} %, "
            "every other one with {h:.3g} %.",
            size=naming.size,
            k=attribute.k,
            g=100 * naming.g,
            h=100 * naming.h,
        )

    def page_words(self, attribute: Attribute) -> tuple[str, Mapping[str, float | str]]:
        """How often the true answer is among those that are sent."""
        naming = self.naming(attribute.k)
        told: dict[str, float | str] = {"true": of_100(naming.g), "other": of_100(naming.h)}
        if naming.size is None:
            return "how_set", told
        return "how_subset", {**told, "size": naming.size, "all": attribute.k}

    def how_to_undo(self) -> str:
        return Message("share = (share of sets that name the value − h) / (g − h)")

    def epsilon_of(self, attribute: Attribute) -> float:
        """The epsilon of what is drawn, in whole numbers."""
        return math.log(self.naming(attribute.k).odds)

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:  # noqa: ARG002
        def put(value: float) -> Perturbation:
            return dataclasses.replace(self, epsilon=value)

        most, least = EPSILON.high, EPSILON.low
        return (FreeParameter("epsilon", most, least, put, scale="log", now=self.epsilon),)
