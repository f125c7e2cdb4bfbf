"""Ones and zeros kept with different probabilities."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import ClassVar

import numpy as np

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.matrices.base import MatrixPerturbation
from ppworkbench.core.design.perturbation import (
    DeviceUse,
    FreeParameter,
    Perturbation,
    forced_use,
    free_probability,
    perturbations,
    single_chance,
)
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within


@perturbations.register(
    "binary",
    "Binary p, q",
    short="p and q",
    rank=20,
    hint="two chances for two answers",
)
@dataclass(frozen=True)
class Binary(MatrixPerturbation):
    """The second value ("one") is kept with p, the first ("zero") with q.

    >>> Binary(keep_one=0.5, keep_zero=0.87).matrix(2).round(2).tolist()
    [[0.87, 0.5], [0.13, 0.5]]
    """

    keep_one: Annotated[
        float, Within(0, 1), Info("Keep one", "Probability that the second value is kept")
    ] = 0.5
    keep_zero: Annotated[
        float, Within(0, 1), Info("Keep zero", "Probability that the first value is kept")
    ] = 0.87

    type_name: ClassVar[str] = "binary"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.BINARY})

    def check_k(self, k: int) -> None:
        if k != 2:
            raise DesignError.saying(
                "the binary mechanism needs 2 values, not {k}.", k=k, field="type"
            )

    def build(self, k: int) -> Matrix:  # noqa: ARG002 (always 2)
        p, q = self.keep_one, self.keep_zero
        return np.array([[q, 1 - p], [1 - q, p]])

    @classmethod
    def start(cls, attribute: Attribute, before: Matrix | None = None) -> Perturbation:  # noqa: ARG003
        if before is None:
            return cls()
        one, zero = float(before[-1, -1]), float(before[0, 0])
        return cls(keep_one=round(one, 3), keep_zero=round(zero, 3))

    def summary(self) -> str:
        return Message(
            "keep ones {keep_one:.3g}, zeros {keep_zero:.3g}",
            keep_one=self.keep_one,
            keep_zero=self.keep_zero,
        )

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:  # noqa: ARG002
        return (
            free_probability(self, "keep_one", 1 - self.keep_zero),
            free_probability(self, "keep_zero", 1 - self.keep_one),
        )

    def device_use(self, attribute: Attribute) -> DeviceUse | None:
        if self.named_design == "mangat":
            return single_chance(self, "mangat", "keep_zero", 0.0)
        if self.named_design == "triangular":
            harmless = (("truth", 1 - self.keep_zero),)
            return DeviceUse("triangular", harmless, 1.0, self._put_harmless)
        if self.named_design == "kuk":
            no, yes = attribute.values
            decks = ((yes, self.keep_one), (no, 1 - self.keep_zero))
            put = partial(self._put_decks, yes, no)
            return DeviceUse("kuk", decks, decks[1][1], put, is_separate=True)
        truth = self.keep_one + self.keep_zero - 1
        if truth >= 1:
            return None
        forced = ((1 - self.keep_one) / (1 - truth), (1 - self.keep_zero) / (1 - truth))
        return forced_use(attribute.values, truth, forced, self._put_forced)

    def _put_forced(self, truth: float, forced: tuple[float, ...]) -> Perturbation:
        no, yes = forced
        return dataclasses.replace(
            self, keep_one=truth + (1 - truth) * yes, keep_zero=truth + (1 - truth) * no
        )

    def _put_harmless(self, chances: Mapping[str, Fraction]) -> Perturbation:
        return dataclasses.replace(self, keep_zero=float(1 - chances["truth"]))

    def _put_decks(self, yes: str, no: str, chances: Mapping[str, Fraction]) -> Perturbation:
        return dataclasses.replace(
            self, keep_one=float(chances[yes]), keep_zero=float(1 - chances[no])
        )

    def invertible_above(self, k: int) -> float | None:
        return 1 / k
