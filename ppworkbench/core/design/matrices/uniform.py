"""Keep the answer with one probability, else any other value alike."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.matrices.base import MatrixPerturbation, mean_kept
from ppworkbench.core.design.perturbation import (
    EVEN,
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


@perturbations.register("uniform", "Uniform", rank=10, hint="best shares of short lists")
@dataclass(frozen=True)
class Uniform(MatrixPerturbation):
    """``p`` on the diagonal, ``(1 - p) / (k - 1)`` elsewhere.

    >>> Uniform(keep=0.6).matrix(3).round(2).tolist()
    [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    """

    keep: Annotated[
        float, Within(0, 1), Info("Keep", "Probability that the true answer is kept")
    ] = 0.6

    type_name: ClassVar[str] = "uniform"

    def build(self, k: int) -> Matrix:
        if k == 1:
            return np.ones((1, 1))
        other = (1 - self.keep) / (k - 1)
        matrix = np.full((k, k), other)
        np.fill_diagonal(matrix, self.keep)
        return matrix

    @classmethod
    def start(cls, attribute: Attribute, before: Matrix | None = None) -> Perturbation:  # noqa: ARG003
        return cls(keep=round(mean_kept(before), 3))

    def summary(self) -> str:
        return Message("keep {keep:.3g}", keep=self.keep)

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:
        k = max(attribute.k, 1)
        keep = free_probability(self, "keep", 1 / k)
        return (replace(keep, at_epsilon=lambda epsilon: 1 / (1 + (k - 1) * math.exp(-epsilon))),)

    def device_use(self, attribute: Attribute) -> DeviceUse | None:
        k = attribute.k
        if k == 2:
            return single_chance(self, "warner", "keep", 0.5)
        # What is kept is told truly, or forced by chance although it is true.
        truth = (k * self.keep - 1) / (k - 1) if k > 2 else 0.0
        return forced_use(attribute.values, truth, (1 / k,) * k, self._put_truth)

    def _put_truth(self, truth: float, forced: tuple[float, ...]) -> Perturbation:
        if max(forced) - min(forced) > EVEN:
            raise DesignError("Every answer must be forced alike.", field="device")
        return replace(self, keep=truth + (1 - truth) / len(forced))

    def invertible_above(self, k: int) -> float | None:
        return 1 / k
