"""Answers on an ordered scale that move the less the farther, with a finite epsilon."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.matrices.base import MatrixPerturbation, mean_kept
from ppworkbench.core.design.matrices.ordinal import Ordinal
from ppworkbench.core.design.perturbation import (
    EPSILON,
    FreeParameter,
    Perturbation,
    perturbations,
)
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf

ABSORB, NORMALISE = "absorb", "normalise"


@perturbations.register(
    "geometric",
    "Geometric steps",
    short="Geometric",
    rank=25,
    hint="for means and neighbours",
)
@dataclass(frozen=True)
class Geometric(MatrixPerturbation):
    """``α^d`` at a distance of d steps, with ``α = e^(-ε/D)`` and D the largest distance.

    With the loop effect the scale is a ring. Without it noise on all whole numbers is cut: what
    falls beyond an end is reported as that end (``absorb``, Ghosh, Roughgarden, Sundararajan 2009),
    or every column is divided by its sum (``normalise``, the exponential mechanism of McSherry and
    Talwar 2007). Each has exactly the epsilon that it is asked for.

    >>> Geometric(epsilon=1.0).matrix(5)[:, 0].round(5).tolist()
    [0.56218, 0.09685, 0.07542, 0.05874, 0.20681]
    """

    epsilon: Annotated[
        float | None,
        EPSILON,
        Info("Epsilon", "Epsilon between the ends of the scale", item="epsilon"),
    ] = None
    epsilon_step: Annotated[
        float | None,
        EPSILON,
        Info("Epsilon per step", "Epsilon between neighbouring values", in_forms=False),
    ] = None
    loop: Annotated[
        bool, Info("Loop effect", "Whether the lowest and the highest value are neighbours")
    ] = False
    ends: Annotated[
        str, OneOf((ABSORB, NORMALISE)), Info("At the ends", "What happens beyond an end")
    ] = ABSORB

    type_name: ClassVar[str] = "geometric"
    offered_for: ClassVar[frozenset[Kind]] = frozenset({Kind.NOMINAL, Kind.ORDINAL})
    file_version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        """Refuse two epsilons; without any it is 1 over the scale."""
        super().__post_init__()
        if self.epsilon is not None and self.epsilon_step is not None:
            raise ParameterError(
                "Give the epsilon of the scale or of a step, not both.", field="epsilon"
            )
        if self.epsilon is None and self.epsilon_step is None:
            object.__setattr__(self, "epsilon", 1.0)

    def meant_for(self, attribute: Attribute) -> Perturbation:
        if attribute.kind is not Kind.INTEGER:
            return self
        from ppworkbench.core.design.noises.laplace import Laplace

        if self.loop:
            raise DesignError.saying(
                "Attribute {attribute!r}: a number has no loop effect.",
                attribute=attribute.name,
                field="loop",
            )
        epsilon = self.epsilon if self.epsilon is not None else self.step(2) * attribute.width
        is_absorbed = self.ends == ABSORB
        return Laplace(epsilon=epsilon, inside=not is_absorbed, absorb=is_absorbed)

    def farthest(self, k: int) -> int:
        return max(k // 2 if self.loop else k - 1, 1)

    def step(self, k: int) -> float:
        """Epsilon between neighbours among k values."""
        if self.epsilon_step is not None:
            return self.epsilon_step
        assert self.epsilon is not None  # noqa: S101 (one of them is there)
        return self.epsilon / self.farthest(k)

    def check_k(self, k: int) -> None:
        total = self.step(k) * self.farthest(k)
        if total > EPSILON.high:
            raise DesignError.saying(
                "epsilon is {total:.4g} over {k} values; it must be at most {most:g}.",
                total=total,
                k=k,
                most=EPSILON.high,
                field="epsilon_step",
            )

    def build(self, k: int) -> Matrix:
        if k == 1:
            return np.ones((1, 1))
        places = np.arange(k)
        distance = np.abs(places[:, None] - places)
        if self.loop:
            distance = np.minimum(distance, k - distance)
        alpha = math.exp(-self.step(k))
        matrix: Matrix = alpha**distance
        if self.loop or self.ends == NORMALISE:
            return np.asarray(matrix / matrix.sum(axis=0))
        matrix[1:-1] *= (1 - alpha) / (1 + alpha)
        matrix[[0, -1]] /= 1 + alpha
        return matrix

    @classmethod
    def start(cls, attribute: Attribute, before: Matrix | None = None) -> Perturbation:
        keep, k = mean_kept(before), max(attribute.k, 2)
        low, high = EPSILON.low, EPSILON.high
        for _ in range(40):
            middle = math.sqrt(low * high)
            kept = float(np.diag(cls(epsilon=middle).build(k)).mean())
            low, high = (middle, high) if kept < keep else (low, middle)
        return cls(epsilon=max(round(low, 2), 0.01))

    @classmethod
    def why_not(cls, attribute: Attribute) -> str:
        return Ordinal.why_not(attribute)

    def summary(self) -> str:
        loop = Message("on" if self.loop else "off")
        if self.epsilon_step is not None:
            return Message(
                "geometric, epsilon {epsilon:.3g} per step, loop {loop}",
                epsilon=self.epsilon_step,
                loop=loop,
            )
        return Message("geometric, epsilon {epsilon:.3g}, loop {loop}", epsilon=self.epsilon,
                       loop=loop)  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """The perturbation as it stands in a design file; nothing about ends that a ring lacks.

        Unless a choice waits for the ring to be parted again.
        """
        result = super().to_json()
        if self.loop and self.ends == ABSORB:
            del result["ends"]
        return result

    def epsilon_step_of(self, attribute: Attribute) -> float | None:
        """Epsilon between neighbours; sums of columns that differ add to that of a step."""
        if self.loop or self.ends != NORMALISE or attribute.k < 2:
            return self.step(attribute.k)
        return float(np.abs(np.diff(np.log(self.build(attribute.k)), axis=1)).max())

    def turn_loop(self) -> Perturbation:
        return dataclasses.replace(self, loop=not self.loop)

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:
        name = "epsilon" if self.epsilon_step is None else "epsilon_step"
        most = EPSILON.high / (1 if name == "epsilon" else self.farthest(attribute.k))

        def put(value: float) -> Perturbation:
            given: dict[str, Any] = {name: value}
            return dataclasses.replace(self, **given)

        now = float(getattr(self, name))
        return (FreeParameter(name, most, EPSILON.low, put, scale="log", now=now),)
