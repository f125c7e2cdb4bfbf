"""Two mechanisms as somebody would add them: nothing but their own declaration."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ppworkbench.core.arrays import Matrix, Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.matrices.base import MatrixPerturbation, mixture
from ppworkbench.core.design.noises.base import NoisePerturbation, domain_of
from ppworkbench.core.design.perturbation import Perturbation, perturbations
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.rng import Stream


@dataclass(frozen=True)
class Shy(MatrixPerturbation):
    """Keep the answer, else say the first value."""

    keep: Annotated[float, Within(0, 1), Info("Keep", "Probability of the true answer")] = 0.8

    type_name: ClassVar[str] = "shy"

    def build(self, k: int) -> Matrix:
        """The P-matrix for k values."""
        return mixture(self.keep, np.eye(k)[0])

    def summary(self) -> str:
        """The mechanism in a few words."""
        return Message("shy, keep {keep:.3g}", keep=self.keep)


@dataclass(frozen=True)
class Dice(NoisePerturbation):
    """Two dice are thrown and their sum is added, less its mean."""

    side: Annotated[float, Within(0.1, 1_000), Info("Side", "How far one die reaches")] = 400.0

    type_name: ClassVar[str] = "dice"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})

    def draw(self, data: Numbers, attribute: Attribute, stream: Stream) -> Numbers:
        """Add two uniform numbers."""
        n = len(data)
        return data + self.side * (stream.random(n) + stream.random(n) - 1)

    def conditional_cdf(self, z: Numbers, x: Numbers, attribute: Attribute) -> Numbers:
        """The cdf of a triangle."""
        t = np.clip((z - x) / self.side, -1.0, 1.0)
        return np.where(t < 0, (1 + t) ** 2 / 2, 1 - (1 - t) ** 2 / 2)

    def support(self, attribute: Attribute) -> tuple[float, float]:
        """The domain, widened by the dice."""
        low, high = domain_of(attribute)
        return low - self.side, high + self.side

    def summary(self) -> str:
        """The mechanism in a few words."""
        return Message("dice, side {side:.4g}", side=self.side)


NEW: tuple[type[Perturbation], ...] = (Shy, Dice)


@contextmanager
def registered() -> Iterator[None]:
    """Register the new mechanisms for a while."""
    perturbations.register(Shy.type_name, "Shy answers", short="Shy")(Shy)
    perturbations.register(Dice.type_name, "Two dice", short="Dice")(Dice)
    try:
        yield
    finally:
        for kind in NEW:
            perturbations.remove(kind.type_name)
