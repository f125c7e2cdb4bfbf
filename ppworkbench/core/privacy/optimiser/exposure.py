"""Privacy measures of a frontier: their value, and the constraint that keeps them at a level.

Each is written as inequalities ``g(P, m) >= 0`` that are linear in P where possible, with helping
variables m for the largest or smallest entry of a row. A linear constraint is exact and
easy; a maximum would have kinks at just the matrices that are looked for.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.attack import attack_success
from ppworkbench.core.privacy.belief import meant_places
from ppworkbench.core.privacy.conditional import conditional_privacy
from ppworkbench.core.privacy.epsilon import epsilon
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.posterior import worst_posterior
from ppworkbench.core.privacy.utility.channel import Vector


class Exposure(ABC):
    """One privacy measure for a fixed distribution of true answers."""

    name: ClassVar[str]
    label: ClassVar[str]
    sign: ClassVar[int] = 1
    """1 where a larger value is less private, -1 where it is more private."""

    def __init__(self, shares: Vector) -> None:
        self.shares = shares
        self.k = len(shares)

    @classmethod
    def of(cls, attribute: Attribute, shares: Vector) -> Exposure:  # noqa: ARG003 (most need none)
        return cls(shares)

    @abstractmethod
    def value(self, matrix: Matrix) -> float:
        """The measure of a P-matrix."""

    def holds(self, matrix: Matrix, level: float) -> bool:
        """Whether a P-matrix is at least as private as the level, up to rounding."""
        return self.sign * (self.value(matrix) - level) <= 1e-9 * max(1.0, abs(level))

    @property
    def most_private(self) -> float:
        """The measure when the published answer tells nothing."""
        return self.value(np.full((self.k, self.k), 1 / self.k))

    @property
    def least_private(self) -> float:
        """The measure when the answer is published as it is."""
        return self.value(np.eye(self.k))

    def levels(self, points: int) -> Vector:
        """Levels from more to less private for a frontier of so many points."""
        return np.linspace(self.most_private, self.least_private, points + 1)[1:]

    def helpers(self, matrix: Matrix) -> Vector:  # noqa: ARG002 (most need none)
        """The helping variables that fit a P-matrix."""
        return np.empty(0)

    @abstractmethod
    def slack(self, matrix: Matrix, helpers: Vector, level: float) -> Vector:
        """What must not be negative."""

    @abstractmethod
    def slopes(self, matrix: Matrix, level: float) -> tuple[Matrix, Matrix]:
        """How the slack changes with the entries of P (row by row) and with the helpers."""


class AttackExposure(Exposure):
    """``Σ_r m_r <= t`` with ``m_r >= P[r, c] x_c``."""

    name = "attack_success"
    label = Message("attack success")

    def value(self, matrix: Matrix) -> float:
        return attack_success(Joint.of(matrix, self.shares)).success

    def helpers(self, matrix: Matrix) -> Vector:
        return np.asarray((matrix * self.shares).max(axis=1))

    def slack(self, matrix: Matrix, helpers: Vector, level: float) -> Vector:
        room = helpers[:, None] - matrix * self.shares
        return np.append(room.ravel(), level - helpers.sum())

    def slopes(self, matrix: Matrix, level: float) -> tuple[Matrix, Matrix]:  # noqa: ARG002
        k = self.k
        by_entry = np.vstack([-np.diag(np.tile(self.shares, k)), np.zeros((1, k * k))])
        by_helper = np.vstack([np.repeat(np.eye(k), k, axis=0), -np.ones((1, k))])
        return by_entry, by_helper


class PosteriorExposure(Exposure):
    """``P[r, c] x_c <= t z_r``."""

    name = "worst_posterior"
    label = Message("highest posterior")

    def value(self, matrix: Matrix) -> float:
        return worst_posterior(Joint.of(matrix, self.shares)).after

    def slack(self, matrix: Matrix, helpers: Vector, level: float) -> Vector:  # noqa: ARG002
        z = matrix @ self.shares
        return np.asarray((level * z[:, None] - matrix * self.shares).ravel())

    def slopes(self, matrix: Matrix, level: float) -> tuple[Matrix, Matrix]:  # noqa: ARG002
        k = self.k
        row = level * np.tile(self.shares, (k, 1)) - np.diag(self.shares)
        return np.asarray(np.kron(np.eye(k), row), np.float64), np.zeros((k * k, 0))


class BeliefExposure(Exposure):
    """``Σ_{c in S} P[r, c] x_c <= t z_r`` for the sensitive answers S."""

    name = "belief"
    label = Message("belief in the sensitive answer")

    def __init__(self, shares: Vector, places: Sequence[int]) -> None:
        super().__init__(shares)
        self._meant = np.isin(np.arange(self.k), places)

    @classmethod
    def of(cls, attribute: Attribute, shares: Vector) -> Exposure:
        return cls(shares, meant_places(attribute, shares))

    def value(self, matrix: Matrix) -> float:
        joint = Joint.of(matrix, self.shares)
        return float(joint.posterior[:, self._meant].sum(axis=1).max())

    def slack(self, matrix: Matrix, helpers: Vector, level: float) -> Vector:  # noqa: ARG002
        return np.asarray(matrix @ (self.shares * (level - self._meant)))

    def slopes(self, matrix: Matrix, level: float) -> tuple[Matrix, Matrix]:  # noqa: ARG002
        row = (self.shares * (level - self._meant))[None, :]
        return np.asarray(np.kron(np.eye(self.k), row), np.float64), np.zeros((self.k, 0))


class EpsilonExposure(Exposure):
    """``m_r <= P[r, c] <= e^t m_r``."""

    name = "epsilon"
    label = "epsilon"

    def value(self, matrix: Matrix) -> float:
        return epsilon(matrix)

    def levels(self, points: int) -> Vector:
        """From a quarter to 5: beyond that an answer is hardly distorted."""
        return np.linspace(0.25, 5.0, points)

    def helpers(self, matrix: Matrix) -> Vector:
        return np.asarray(matrix.min(axis=1))

    def slack(self, matrix: Matrix, helpers: Vector, level: float) -> Vector:
        above = matrix - helpers[:, None]
        below = math.exp(level) * helpers[:, None] - matrix
        return np.concatenate([above.ravel(), below.ravel()])

    def slopes(self, matrix: Matrix, level: float) -> tuple[Matrix, Matrix]:  # noqa: ARG002
        k = self.k
        each = np.repeat(np.eye(k), k, axis=0)
        by_entry = np.vstack([np.eye(k * k), -np.eye(k * k)])
        return by_entry, np.vstack([-each, math.exp(level) * each])


class ConditionalExposure(Exposure):
    """``H(X|Z) >= log2 t``: one smooth constraint."""

    name = "conditional"
    label = Message("conditional privacy")
    sign = -1

    def value(self, matrix: Matrix) -> float:
        return conditional_privacy(Joint.of(matrix, self.shares)).after

    def slack(self, matrix: Matrix, helpers: Vector, level: float) -> Vector:  # noqa: ARG002
        seen = Joint.of(matrix, self.shares)
        return np.array([seen.prior_bits - seen.information - math.log2(level)])

    def slopes(self, matrix: Matrix, level: float) -> tuple[Matrix, Matrix]:  # noqa: ARG002
        """``∂H(X|Z)/∂P[r, c] = -x_c log2(P[r, c] / z_r)`` up to what columns of sum 1 keep."""
        z = np.maximum(matrix @ self.shares, 1e-12)
        ratio = np.maximum(matrix, 1e-12) / z[:, None]
        return -(self.shares * np.log2(ratio)).reshape(1, -1), np.zeros((1, 0))


EXPOSURES: dict[str, type[Exposure]] = {
    one.name: one
    for one in (
        AttackExposure,
        BeliefExposure,
        PosteriorExposure,
        EpsilonExposure,
        ConditionalExposure,
    )
}


def exposure_of(name: str, attribute: Attribute, shares: Vector) -> Exposure:
    ParameterError.unless_known(
        "There is no frontier for {name!r}; known are {known}.", name, EXPOSURES, field="privacy"
    )
    return EXPOSURES[name].of(attribute, shares)
