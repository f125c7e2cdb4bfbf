"""Designs that turn the answer over with one probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.design.matrices import MatrixPerturbation, Related
from ppworkbench.core.design.presets.base import Preset, percent, presets, same
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within


@dataclass(frozen=True)
class _Mirrored(Preset):
    """The answer is turned over with one probability; "the same" stands for the second value."""

    p: float

    two_values: ClassVar[bool] = True

    def fill(self, values: tuple[str, ...]) -> MatrixPerturbation:  # noqa: ARG002 (always two)
        return Related(theta=self.p)

    @classmethod
    def recognise(cls, matrix: Matrix) -> Self | None:
        if len(matrix) == 2 and same(matrix[0, 0], matrix[1, 1]):
            return cls(p=float(matrix[0, 0]))
        return None


@presets.register("warner", "Warner (mirrored question)")
@dataclass(frozen=True)
class Warner(_Mirrored):
    """A spinner picks the statement "I belong to A" or its opposite."""

    p: Annotated[
        float, Within(0, 1), Info("p", "Probability that the spinner picks the statement itself")
    ] = 0.7

    reference: ClassVar[str] = "Warner 1965"

    def recipe(self, values: tuple[str, ...]) -> str:
        return Message(
            "Spin a pointer that nobody else sees. In {p} of spins it asks: is your "
            "answer {values!r}? Otherwise it asks the opposite: is your answer "
            "{values2!r}? Answer only yes or no; yes is recorded as {values!r}.",
            p=percent(self.p),
            values=values[1],
            values2=values[0],
        )


@presets.register("crosswise", "Crosswise")
@dataclass(frozen=True)
class Crosswise(_Mirrored):
    """Two questions, one joint answer: the same to both, or different (Yu, Tian and Tang 2008)."""

    p: Annotated[
        float,
        Within(0, 1),
        Info("p", "Share of people who answer yes to the harmless question"),
    ] = 0.25

    reference: ClassVar[str] = "Yu, Tian and Tang 2008"

    def recipe(self, values: tuple[str, ...]) -> str:
        return Message(
            "Think of a harmless question that {p} of people answer with yes, such "
            "as a birthday in certain months. Answer it and the sensitive question "
            "in your head. Report {values!r} if both answers are the same and "
            "{values2!r} if they differ.",
            p=percent(self.p),
            values=values[1],
            values2=values[0],
        )
