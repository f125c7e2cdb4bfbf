"""Answers that move to near neighbours on an ordered scale."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from ppworkbench.core.arrays import Matrix, Places
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.matrices.base import MatrixPerturbation, mean_kept
from ppworkbench.core.design.matrices.custom import Custom
from ppworkbench.core.design.matrices.finite import mixed_matrix
from ppworkbench.core.design.perturbation import (
    HUGE_ODDS,
    WEIGHT,
    FreeParameter,
    Perturbation,
    perturbations,
)
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info


@perturbations.register(
    "ordinal",
    "Ordinal neighbours",
    short="Neighbours",
    rank=20,
    hint="for teaching: near answers only",
)
@dataclass(frozen=True)
class Ordinal(MatrixPerturbation):
    """Weight r_s for every neighbour s steps away; then each column is normalised to 1.

    With the loop effect the scale is a ring: the lowest and the highest value are
    neighbours. Without it a step beyond an end does not exist, and what is left of the
    column is normalised (Andruszkiewicz 2011, chapter 5; the printed loops need ``s <= l``).

    >>> Ordinal(weights=(0.7, 0.15), loop=False).matrix(5)[:, 0].round(5).tolist()
    [0.82353, 0.17647, 0.0, 0.0, 0.0]
    >>> Ordinal(weights=(0.7, 0.15), loop=True).matrix(5)[:, 0].round(5).tolist()
    [0.7, 0.15, 0.0, 0.0, 0.15]
    """

    weights: Annotated[
        tuple[float, ...],
        WEIGHT,
        Info(
            "Weights", "Weight of the true answer, then of the 1st, 2nd, … neighbour", item="Weight"
        ),
    ] = (0.6, 0.2)
    loop: Annotated[
        bool, Info("Loop effect", "Whether the lowest and the highest value are neighbours")
    ] = False

    type_name: ClassVar[str] = "ordinal"
    offered_for: ClassVar[frozenset[Kind]] = frozenset({Kind.NOMINAL, Kind.ORDINAL})
    moves_to_neighbours: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse weights from which no column can be made."""
        super().__post_init__()
        if sum(self.weights) <= 0:
            raise ParameterError(
                "Weights are all 0; at least one must be positive.", field="weights"
            )

    @property
    def reach(self) -> int:
        """How many steps away an answer may move."""
        return len(self.weights) - 1

    def check_k(self, k: int) -> None:
        """Refuse so many weights that two of them would reach the same value."""
        if 2 * self.reach >= k:
            raise DesignError.saying(
                "{count} weights reach {reach} steps each side, which needs at least "
                "{reach2} values; there are {k}.",
                count=len(self.weights),
                reach=self.reach,
                reach2=2 * self.reach + 1,
                k=k,
                field="weights",
            )

    def build(self, k: int) -> Matrix:
        """The P-matrix for k values in order."""
        weights = np.zeros(max(k, len(self.weights)))
        weights[: len(self.weights)] = self.weights
        matrix: Matrix = weights[_steps_between(k, self.loop)]
        # Of very unlike weights the sum is exact only beside the largest.
        matrix /= matrix.max(axis=0)
        matrix /= matrix.sum(axis=0)
        return matrix

    @classmethod
    def start(cls, attribute: Attribute, before: Matrix | None = None) -> Perturbation:  # noqa: ARG003
        """As many answers kept as before, the others moved one step."""
        keep = mean_kept(before)
        return cls(weights=(round(keep, 3), round((1 - keep) / 2, 4)), loop=False)

    @classmethod
    def why_not(cls, attribute: Attribute) -> str:
        """Neighbours need an order, and ends that are not next to each other."""
        if attribute.kind is not Kind.ORDINAL:
            return "Neighbours need ordered values; make the attribute ordinal."
        return "" if attribute.k >= 3 else "Neighbours need at least 3 values."

    def summary(self) -> str:
        """The mechanism in a few words."""
        loop = Message("on" if self.loop else "off")
        return Message(
            "neighbours {weights:.3g}, loop {loop}", weights=tuple(self.weights), loop=loop
        )

    def turn_loop(self) -> Perturbation:
        """The same weights with the ends of the scale joined or parted."""
        return Ordinal(weights=self.weights, loop=not self.loop)

    def made_finite(self, k: int, epsilon: float) -> Perturbation | None:
        """A mixture with the even answer, where far answers are ruled out."""
        matrix = self.matrix(k)
        return Custom.of(mixed_matrix(matrix, epsilon)) if matrix.min() <= 0 else None

    def end_weights(self) -> tuple[float, float] | None:
        """The sums of weights in an end column and in an inner one; None on a ring."""
        if self.loop:
            return None
        return sum(self.weights), self.weights[0] + 2 * sum(self.weights[1:])

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:  # noqa: ARG002
        """Every weight."""
        return tuple(self._free_weight(step) for step in range(len(self.weights)))

    def _free_weight(self, step: int) -> FreeParameter:
        weights = self.weights
        others = sum(w if s == 0 else 2 * w for s, w in enumerate(weights) if s != step)
        # With nothing beside it any weight means the same.
        others = others if others > 0 else 1.0

        def put(value: float) -> Perturbation:
            changed = (*weights[:step], value, *weights[step + 1 :])
            return dataclasses.replace(self, weights=changed)

        most = others * HUGE_ODDS
        ends = (most, 0.0) if step == 0 else (0.0, most)
        # A weight means something beside the others only: it is no probability.
        label = Message("Weight {step}", step=step) if step else Message("Weight of the truth")
        return FreeParameter(
            f"r{step}", *ends, put, scale="odds", others=others, now=weights[step], label=label
        )


@lru_cache(maxsize=64)
def _steps_between(k: int, loop: bool) -> Places:
    """How many steps each report is away from each true value."""
    places = np.arange(k)
    steps: Places = np.abs(places[:, None] - places)
    if loop:
        steps = np.minimum(steps, k - steps)
    steps.flags.writeable = False
    return steps
