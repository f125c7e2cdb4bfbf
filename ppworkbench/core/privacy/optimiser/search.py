"""The search for the least lossy matrix at one privacy level after the other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation, Uniform
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.optimiser.exposure import Exposure, exposure_of
from ppworkbench.core.privacy.optimiser.loss import information_loss
from ppworkbench.core.privacy.optimiser.one_thread import one_thread
from ppworkbench.core.privacy.optimiser.shapes import shapes_of
from ppworkbench.core.privacy.optimiser.solve import is_member, solve
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.channel import share_channel
from ppworkbench.core.privacy.utility.estimator import Matrix, Vector
from ppworkbench.core.privacy.utility.standard_errors import checked_n
from ppworkbench.core.progress import Progress, part, silent

FAMILIES = ("symmetric", "ordinal", "any", "uniform")
MOST_VALUES = 40
HOPELESS = 1e3
"""An expected information loss beyond which the published answers as good as tell nothing."""

_GAIN = 1e-6
"""Relative gain below which the simpler matrix is kept."""


@dataclass(frozen=True)
class FrontierPoint:
    """The least lossy perturbation found that is at least as private as ``level``.

    ``uniform`` is the uniform perturbation of the same level, for comparison.
    """

    level: float
    privacy: float
    information_loss: float
    perturbation: Perturbation
    uniform: Uniform
    uniform_loss: float


class Search:
    """A search through one family; each level begins where the last one ended."""

    def __init__(self, attribute: Attribute, exposure: Exposure, family: str, n: int) -> None:
        self.attribute = attribute
        self.exposure = exposure
        self.family = family
        self.n = n
        self._shapes = shapes_of(family, attribute.k)
        self._last: dict[int, Vector] = {}
        # Chance only picks starts, always the same ones: a frontier must be repeatable.
        self._chance = np.random.default_rng(2008)

    @classmethod
    def of(
        cls, attribute: Attribute, prior: Prior | None, n: int, privacy: str, family: str
    ) -> Search:
        """A search, refused where there is nothing to search for."""
        if family not in FAMILIES:
            raise ParameterError(
                Message(
                    "There is no family {family!r}; known are {families}.",
                    family=family,
                    families=", ".join(FAMILIES),
                ),
                field="family",
            )
        if not attribute.kind.is_categorical or not 2 <= attribute.k <= MOST_VALUES:
            what = (
                Message("{k} values", k=attribute.k)
                if attribute.kind.is_categorical
                else attribute.kind
            )
            raise DesignError(
                Message(
                    "Attribute {attribute!r} ({what}) has no frontier of P-matrices; it "
                    "takes an attribute of 2 to {most_values} values.",
                    attribute=attribute.name,
                    what=what,
                    most_values=MOST_VALUES,
                ),
                attribute=attribute.name,
            )
        shares = share_channel(attribute, Uniform(), prior).shares
        return cls(attribute, exposure_of(privacy, shares), family, checked_n(n))

    def point(
        self, level: float, progress: Progress = silent, *, afresh: bool = True
    ) -> FrontierPoint:
        """The least lossy perturbation found at a level.

        ``afresh`` also starts from the uniform matrix and around it, not only from where the last
        level ended.
        """
        with one_thread():
            return self._point(level, progress, afresh)

    def _point(self, level: float, progress: Progress, afresh: bool) -> FrontierPoint:
        uniform = Uniform(keep=self._uniform_keep(level))
        matrix: Matrix = uniform.matrix(self.attribute.k)
        uniform_loss = self._loss(matrix)
        loss: float = uniform_loss
        perturbation: Perturbation = uniform
        for i, shape in enumerate(self._shapes):
            step = part(progress, i / len(self._shapes), (i + 1) / len(self._shapes))
            anchor = shape.like_uniform(uniform.keep)
            if math.isinf(self.exposure.value(shape.matrix(anchor))) and uniform.keep < 1:
                continue  # The zeros of this shape rule answers out, whatever its numbers are.
            starts = [anchor, *self._starts(i, anchor, matrix, afresh)]
            theta = self._best(i, level, starts, step)
            found = math.inf if theta is None else self._loss(shape.matrix(theta))
            if theta is not None and found < loss * (1 - _GAIN):
                loss, matrix = found, shape.matrix(theta)
                perturbation = shape.perturbation(theta, self.attribute)
        reached = self.exposure.value(matrix)
        return FrontierPoint(level, reached, loss, perturbation, uniform, uniform_loss)

    def _starts(self, number: int, anchor: Vector, known: Matrix, afresh: bool) -> list[Vector]:
        shape = self._shapes[number]
        starts = [self._last[number]] if number in self._last else []
        same = shape.like(known)
        if same is not None:
            starts.append(same)
        return [*starts, *self._far_starts(anchor)] if afresh else starts

    def _far_starts(self, anchor: Vector) -> list[Vector]:
        """Starts here and there: the loss has many valleys, one search ends in the nearest.

        Where a search is quick, more valleys are looked into. Half of the starts move only some
        values, and those far: the best matrices often exchange a few values and leave the rest.
        """
        size, chance = len(anchor), self._chance
        count = 2 if size <= 2 else max(1, min(8, 40 // size))
        around = [anchor * chance.uniform(0.0, 2.0, size) for _ in range(count)]
        some = [(chance.random(size) < 0.3) * chance.random(size) for _ in range(count)]
        return [anchor * chance.uniform(0.6, 1.2, size), *around, *some]

    def _best(
        self, number: int, level: float, starts: list[Vector], progress: Progress
    ) -> Vector | None:
        shape, anchor = self._shapes[number], starts[0]
        best: tuple[float, Vector] | None = None
        for i, start in enumerate(starts):
            check = partial(progress, i / len(starts), Message("searching matrices"))
            solved = solve(shape, self.exposure, level, start, anchor, check)
            for theta in (start, solved):
                if theta is None or not is_member(shape, self.exposure, level, theta):
                    continue
                loss = self._loss(shape.matrix(theta))
                if best is None or loss < best[0]:
                    best = loss, theta
        if best is None:
            return None
        self._last[number] = best[1]
        return best[1]

    def _uniform_keep(self, level: float) -> float:
        """The largest probability of keeping the answer that is private enough."""
        k = self.attribute.k
        low, high = 1 / k, 1.0
        if self.exposure.holds(np.eye(k), level):
            return 1.0
        for _ in range(60):
            middle = (low + high) / 2
            if self.exposure.holds(Uniform(keep=middle).build(k), level):
                low = middle
            else:
                high = middle
        return low

    def _loss(self, matrix: Matrix) -> float:
        return information_loss(matrix, self.exposure.shares, self.n)
