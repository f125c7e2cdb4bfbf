"""Answers that move to near neighbours on an ordered scale."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from ppworkbench.core.arrays import Matrix, Places
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.matrices.base import MatrixPerturbation, mean_kept
from ppworkbench.core.design.matrices.custom import Custom
from ppworkbench.core.design.perturbation import (
    WEIGHT,
    FreeParameter,
    Perturbation,
    perturbations,
)
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info


def mixing_share(matrix: Matrix, epsilon: float) -> float:
    """The largest λ for which ``λ P + (1 - λ) / k`` has at most an epsilon.

    A row with the largest entry M and the smallest m reaches it where
    ``λ (M - e^ε m) = (1 - λ) (e^ε - 1) / k``; the row that does so first decides.

    Parameters
    ----------
    matrix
        A square P-matrix.
    epsilon
        The epsilon that is wanted, above 0.

    Examples
    --------
    >>> from ppworkbench.core.design.matrices.ordinal import Ordinal
    >>> neighbours = Ordinal(weights=(0.6, 0.2)).matrix(5)
    >>> round(mixing_share(neighbours, 1.0), 5), round(mixing_share(neighbours, 2.0), 5)
    (0.31423, 0.63014)
    """
    even = math.expm1(epsilon) / len(matrix)
    beyond = matrix.max(axis=1) - math.exp(epsilon) * matrix.min(axis=1)
    worst = float(beyond.max())
    return 1.0 if worst <= 0 else even / (even + worst)


def mixed_matrix(matrix: Matrix, epsilon: float) -> Matrix:
    """The mixture that has this epsilon; the matrix itself where its own is not larger."""
    share = mixing_share(matrix, epsilon)
    return np.asarray(share * matrix + (1 - share) / len(matrix))


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
        super().__post_init__()
        if sum(self.weights) <= 0:
            raise ParameterError(
                "Weights are all 0; at least one must be positive.", field="weights"
            )

    @property
    def reach(self) -> int:
        return len(self.weights) - 1

    def check_k(self, k: int) -> None:
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
        weights = np.zeros(max(k, len(self.weights)))
        weights[: len(self.weights)] = self.weights
        matrix: Matrix = weights[_steps_between(k, self.loop)]
        # Of very unlike weights the sum is exact only beside the largest.
        matrix /= matrix.max(axis=0)
        matrix /= matrix.sum(axis=0)
        return matrix

    @classmethod
    def start(cls, attribute: Attribute, before: Matrix | None = None) -> Perturbation:  # noqa: ARG003
        keep = mean_kept(before)
        return cls(weights=(round(keep, 3), round((1 - keep) / 2, 4)), loop=False)

    @classmethod
    def why_not(cls, attribute: Attribute) -> str:
        if attribute.kind is not Kind.ORDINAL:
            return "Neighbours need ordered values; make the attribute ordinal."
        return "" if attribute.k >= 3 else "Neighbours need at least 3 values."

    def summary(self) -> str:
        loop = Message("on" if self.loop else "off")
        return Message("neighbours {weights:.3g}, loop {loop}", weights=self.shares, loop=loop)

    def turn_loop(self) -> Perturbation:
        return Ordinal(weights=self.weights, loop=not self.loop)

    def made_finite(self, k: int, epsilon: float) -> Perturbation | None:
        matrix = self.matrix(k)
        return Custom.of(mixed_matrix(matrix, epsilon)) if matrix.min() <= 0 else None

    def end_weight(self) -> float | None:
        """The sum of the shares that people see, whatever the weights in a file sum to.

        >>> Ordinal(weights=(0.6, 0.2)).end_weight(), Ordinal(weights=(1.8, 0.6)).end_weight()
        (0.8, 0.8)
        """
        return None if self.loop else round(sum(self.shares), _DIGITS)

    @property
    def shares(self) -> tuple[float, ...]:
        """The weights as parts of those of an inner answer: keep + 2 * neighbours = 1."""
        whole = self.weights[0] + 2 * sum(self.weights[1:])
        return tuple(round(weight / whole, _DIGITS) for weight in self.weights)

    def balanced(self, step: int, share: float) -> Ordinal:
        """Set the share of a step and fit the others; far steps that come to nothing are left out.

        >>> Ordinal(weights=(0.7, 0.15)).balanced(0, 0.6).weights
        (0.6, 0.2)
        >>> Ordinal(weights=(0.7, 0.15)).balanced(2, 0.05).weights
        (0.6, 0.15, 0.05)
        """
        kept, *near = self.shares
        near += [0.0] * (max(step, 1) - len(near))
        if step == 0:
            rest, room, kept = sum(near), (1 - share) / 2, share
            near = [w * room / rest for w in near] if rest > 0 else [room, *near[1:]]
        else:
            near[step - 1] = 0.0
            others, room = sum(near), 0.5 - share
            near = [w * min(room / others, 1.0) if others else 0.0 for w in near]
            near[step - 1] = share
            kept = 1 - 2 * sum(near)
        weights = [round(max(weight, 0.0), _DIGITS) for weight in (kept, *near)]
        while len(weights) > 2 and not weights[-1]:
            weights.pop()
        return dataclasses.replace(self, weights=tuple(weights))

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:  # noqa: ARG002
        steps = range(len(self.weights) if self.reach else 0)
        return tuple(self._free_share(step) for step in steps)

    def _free_share(self, step: int) -> FreeParameter:
        # At the ends of the scale more is kept: it is a weight, no probability.
        label = Message("Weight {step}", step=step) if step else Message("Weight of the truth")
        return FreeParameter(
            f"r{step}", *((0.0, 0.5) if step else (1.0, 0.0)),
            lambda share: self.balanced(step, share), now=self.shares[step], label=label,
        )  # fmt: skip


_DIGITS = 12
"""Of a share: fewer would be seen by solvers, more would be rounding errors."""


@lru_cache(maxsize=64)
def _steps_between(k: int, loop: bool) -> Places:
    places = np.arange(k)
    steps: Places = np.abs(places[:, None] - places)
    if loop:
        steps = np.minimum(steps, k - steps)
    steps.flags.writeable = False
    return steps
