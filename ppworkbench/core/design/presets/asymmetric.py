"""Designs that treat the two groups of respondents differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.design.matrices import Binary, MatrixPerturbation
from ppworkbench.core.design.presets.base import Preset, percent, presets, same
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within


@presets.register("mangat", "Mangat")
@dataclass(frozen=True)
class Mangat(Preset):
    """Who has the sensitive trait says so; all others use Warner's device."""

    p: Annotated[
        float, Within(0, 1), Info("p", "Probability of the question about the trait itself")
    ] = 0.7

    two_values: ClassVar[bool] = True
    reference: ClassVar[str] = "Mangat 1994"

    def fill(self, values: tuple[str, ...]) -> MatrixPerturbation:  # noqa: ARG002 (always two)
        return Binary(keep_one=1.0, keep_zero=self.p)

    def recipe(self, values: tuple[str, ...]) -> str:
        return Message(
            "If your answer is {yes!r}, report it. If not, draw a card that nobody else "
            "sees: {share} of the cards tell you to report {no!r}, the others {yes!r}.",
            yes=values[1],
            share=percent(self.p),
            no=values[0],
        )

    @classmethod
    def recognise(cls, matrix: Matrix) -> Self | None:
        if len(matrix) == 2 and same(matrix[1, 1], 1):
            return cls(p=float(matrix[0, 0]))
        return None


@presets.register("kuk", "Kuk (disguised answers)")
@dataclass(frozen=True)
class Kuk(Preset):
    """Two decks of red and black cards; the respondent names a colour, never an answer."""

    red_yes: Annotated[
        float,
        Within(0, 1),
        Info("Red if yes", "Share of red cards in the first deck (sensitive answer)"),
    ] = 0.8
    red_no: Annotated[
        float,
        Within(0, 1),
        Info("Red if no", "Share of red cards in the second deck (other answer)"),
    ] = 0.2

    two_values: ClassVar[bool] = True
    reference: ClassVar[str] = "Kuk 1990"

    def fill(self, values: tuple[str, ...]) -> MatrixPerturbation:  # noqa: ARG002 (always two)
        return Binary(keep_one=self.red_yes, keep_zero=1 - self.red_no)

    def recipe(self, values: tuple[str, ...]) -> str:
        return Message(
            "Draw a card from each of two decks. If your answer is {values!r}, name "
            "the colour of the first deck's card ({red_yes} are red), otherwise that "
            "of the second's ({red_no} are red). Red is recorded as {values!r}.",
            values=values[1],
            red_yes=percent(self.red_yes),
            red_no=percent(self.red_no),
        )

    @classmethod
    def recognise(cls, matrix: Matrix) -> Self | None:
        if len(matrix) == 2:
            return cls(red_yes=float(matrix[1, 1]), red_no=float(matrix[1, 0]))
        return None


@presets.register("triangular", "Triangular")
@dataclass(frozen=True)
class Triangular(Preset):
    """One joint answer: no to both questions, or yes to at least one."""

    p: Annotated[
        float,
        Within(0, 1),
        Info("p", "Share of people who answer yes to the harmless question"),
    ] = 0.25

    two_values: ClassVar[bool] = True
    reference: ClassVar[str] = "Yu, Tian and Tang 2008"

    def fill(self, values: tuple[str, ...]) -> MatrixPerturbation:  # noqa: ARG002 (always two)
        """Ones are always kept, zeros with 1 - p."""
        return Binary(keep_one=1.0, keep_zero=1 - self.p)

    def recipe(self, values: tuple[str, ...]) -> str:
        return Message(
            "Think of a harmless question that {p} of people answer with yes. Report "
            "{values!r} only if you would answer no to it and {values!r} to the "
            "sensitive question; report {values2!r} in every other case.",
            p=percent(self.p),
            values=values[0],
            values2=values[1],
        )

    @classmethod
    def recognise(cls, matrix: Matrix) -> Self | None:
        if len(matrix) == 2 and same(matrix[1, 1], 1):
            return cls(p=1 - float(matrix[0, 0]))
        return None
