"""Designs around one probability of keeping the answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.design.matrices import MatrixPerturbation, Ordinal, Uniform
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.design.presets.base import Preset, percent, presets, same
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within


def _uniform_keep(matrix: Matrix) -> float | None:
    """The keep probability if the matrix belongs to the uniform family."""
    k = len(matrix)
    keep = float(matrix[0, 0])
    if k >= 2 and np.allclose(matrix, Uniform(keep=keep).matrix(k), atol=1e-9):
        return keep
    return None


@presets.register("grr", "GRR / k-RR from epsilon")
@dataclass(frozen=True)
class GRR(Preset):
    """Generalised randomised response: ``keep = e^eps / (e^eps + k - 1)``.

    >>> round(GRR(epsilon=1.0).perturbation(("a", "b", "c")).keep, 4)
    0.5761
    """

    epsilon: Annotated[
        float, Within(0, 50), Info("Epsilon", "Local differential privacy; smaller is more private")
    ] = 1.0

    reference: ClassVar[str] = "Kairouz, Oh and Viswanath 2014"

    def fill(self, values: tuple[str, ...]) -> Uniform:
        """The uniform family at the keep probability of this epsilon."""
        return Uniform(keep=1 / (1 + (len(values) - 1) * math.exp(-self.epsilon)))

    def recipe(self, values: tuple[str, ...]) -> str:
        keep = self.fill(values).keep
        return Message(
            "The computer keeps your answer with probability {keep}; otherwise it "
            "reports one of the other {count} answer(s) at random. No report is more "
            "than {exp:.3g} times as likely under one true answer as under another.",
            keep=percent(keep),
            count=len(values) - 1,
            exp=math.exp(self.epsilon),
        )

    @classmethod
    def recognise(cls, matrix: Matrix) -> Self | None:
        """The uniform family with a keep probability at or above chance."""
        keep = _uniform_keep(matrix)
        k = len(matrix)
        if keep is None or not 1 / k <= keep <= 1:
            return None
        # The largest ones give a keep probability that cannot be told from 1.
        epsilon = math.log(keep * (k - 1) / (1 - keep)) if keep < 1 else 50.0
        return cls(epsilon=max(epsilon, 0.0)) if epsilon <= 50 else None


@presets.register("pram", "PRAM")
@dataclass(frozen=True)
class Pram(Preset):
    """Post-randomisation with a keep probability, the others alike."""

    keep: Annotated[
        float, Within(0, 1), Info("Keep", "Probability on the diagonal of the matrix")
    ] = 0.8

    reference: ClassVar[str] = "Gouweleeuw, Kooiman, Willenborg and de Wolf 1998"

    def fill(self, values: tuple[str, ...]) -> MatrixPerturbation:  # noqa: ARG002
        return Uniform(keep=self.keep)

    def recipe(self, values: tuple[str, ...]) -> str:
        return Message(
            "The data owner keeps each answer with probability {keep} and otherwise "
            "replaces it by one of the other {count} answer(s) at random, before the "
            "release.",
            keep=percent(self.keep),
            count=len(values) - 1,
        )

    @classmethod
    def recognise(cls, matrix: Matrix) -> Self | None:
        keep = _uniform_keep(matrix)
        return None if keep is None else cls(keep=keep)


@presets.register("bandwidth", "Ordinal with bandwidth")
@dataclass(frozen=True)
class Bandwidth(Preset):
    """Keep the answer, or move it by at most some steps, all of them alike."""

    keep: Annotated[float, Within(0, 1), Info("Keep", "Weight of the true answer")] = 0.6
    bandwidth: Annotated[int, Within(1, 100), Info("Bandwidth", "Largest number of steps")] = 1
    loop: Annotated[
        bool, Info("Loop effect", "Whether the lowest and the highest value are neighbours")
    ] = False

    reference: ClassVar[str] = "Andruszkiewicz 2011"

    def fill(self, values: tuple[str, ...]) -> MatrixPerturbation:  # noqa: ARG002
        """Ordinal weights: keep, then equal shares of the rest to either side."""
        share = (1 - self.keep) / (2 * self.bandwidth)
        return Ordinal(weights=(self.keep, *[share] * self.bandwidth), loop=self.loop)

    def recipe(self, values: tuple[str, ...]) -> str:
        ends = (
            Message(
                "after {values!r} the scale continues with {values2!r}",
                values=values[-1],
                values2=values[0],
            )
            if self.loop
            else Message("a step past the end of the scale is drawn again")
        )
        return Message(
            "The computer keeps your answer with probability {keep}; otherwise it "
            "reports an answer 1 to {bandwidth} step(s) higher or lower, all equally "
            "likely; {ends}.",
            keep=percent(self.keep),
            bandwidth=self.bandwidth,
            ends=ends,
        )

    @classmethod
    def recognise(cls, matrix: Matrix) -> Self | None:
        """A band of equal off-diagonal weights, as a ring or cut at the ends."""
        k = len(matrix)
        if k < 3:
            return None
        column = matrix[:, k // 2]
        steps = np.abs(np.flatnonzero(column) - k // 2)
        bandwidth = int(steps.max(initial=0))
        if bandwidth < 1 or 2 * bandwidth >= k:
            return None
        for loop in (False, True):
            preset = cls(keep=float(column[k // 2]), bandwidth=bandwidth, loop=loop)
            built = preset.fill(tuple("x" * k)).matrix(k)
            if np.allclose(built, matrix, atol=1e-9) and not same(column[k // 2], 1):
                return preset
        return None

    @classmethod
    def from_perturbation(cls, perturbation: Perturbation, k: int) -> Self | None:
        """Weights alone tell a band whose answers are all kept from a narrower one."""
        if not isinstance(perturbation, Ordinal):
            return super().from_perturbation(perturbation, k)
        keep, *others = perturbation.weights
        if not 1 <= len(others) <= 100 or not 0 <= keep <= 1:
            return None
        preset = cls(keep=keep, bandwidth=len(others), loop=perturbation.loop)
        wanted = (1 - keep) / (2 * len(others))
        return preset if all(same(weight, wanted) for weight in others) else None
