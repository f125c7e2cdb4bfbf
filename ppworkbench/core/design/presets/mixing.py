"""Designs that mix the true answer with one from a known distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.design.matrices import Custom, Forced, MatrixPerturbation, Uniform, Unrelated
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.design.presets.base import Preset, percent, presets
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within


def _mixture(matrix: Matrix) -> tuple[float, tuple[float, ...]] | None:
    """The parts of ``theta I + (1 - theta) w 1'`` if the matrix has that form."""
    k = len(matrix)
    if k < 2:
        return None
    # Off the diagonal every row is constant; each row's excess on the diagonal is theta.
    base = np.array([matrix[r, (r + 1) % k] for r in range(k)])
    theta = float(matrix[0, 0] - base[0])
    if not 0 <= theta < 1:
        return None
    other = np.clip(base / (1 - theta), 0, 1)
    built = theta * np.eye(k) + (1 - theta) * np.outer(other, np.ones(k))
    if abs(other.sum() - 1) > 1e-9 or not np.allclose(built, matrix, atol=1e-9):
        return None
    return theta, tuple((other / other.sum()).tolist())


def _shares(weights: tuple[float, ...], values: tuple[str, ...]) -> tuple[Message, ...]:
    return tuple(
        Message("{value!r} {share}", value=value, share=percent(weight))
        for value, weight in zip(values, weights, strict=True)
    )


def _even(weights: tuple[float, ...] | None, k: int) -> tuple[float, ...]:
    return weights if weights is not None else (1 / k,) * k


@presets.register("forced-response", "Forced response")
@dataclass(frozen=True)
class ForcedResponse(Preset):
    """A die decides between the truth and an answer that it dictates."""

    p_truth: Annotated[float, Within(0, 1), Info("Truth", "Probability of the true answer")] = 0.75
    forced: Annotated[
        tuple[float, ...] | None,
        Within(0, 1),
        Info("Forced answers", "Distribution of the forced answer; uniform if not set"),
    ] = None

    reference: ClassVar[str] = "Boruch 1971"

    def fill(self, values: tuple[str, ...]) -> MatrixPerturbation:  # noqa: ARG002
        return Forced(p_truth=self.p_truth, forced=self.forced)

    def recipe(self, values: tuple[str, ...]) -> str:
        shares = _shares(_even(self.forced, len(values)), values)
        return Message(
            "Roll a die that nobody else sees. In {p_truth} of rolls answer truthfully; "
            "otherwise the die decides the answer ({shares}).",
            p_truth=percent(self.p_truth),
            shares=shares,
        )

    @classmethod
    def recognise(cls, matrix: Matrix) -> Self | None:
        parts = _mixture(matrix)
        return None if parts is None else cls(p_truth=parts[0], forced=parts[1])

    @classmethod
    def from_perturbation(cls, perturbation: Perturbation, k: int) -> Self | None:
        """The same parameters; the matrix does not show dictated answers that never come."""
        coin = perturbation.values.coin
        if coin is not None and coin.question == "forced":
            return cls(p_truth=coin.theta, forced=coin.other)
        return super().from_perturbation(perturbation, k)


@presets.register("unrelated-question", "Unrelated question")
@dataclass(frozen=True)
class UnrelatedQuestion(Preset):
    """A coin decides between the private question and a harmless one."""

    theta: Annotated[
        float, Within(0, 1), Info("Theta", "Probability of the sensitive question")
    ] = 0.7
    personal: Annotated[
        tuple[float, ...] | None,
        Within(0, 1),
        Info("Harmless answers", "Distribution of the harmless answer; uniform if not set"),
    ] = None

    reference: ClassVar[str] = "Greenberg, Abul-Ela, Simmons and Horvitz 1969"

    def fill(self, values: tuple[str, ...]) -> MatrixPerturbation:  # noqa: ARG002
        return Unrelated(theta=self.theta, personal=self.personal)

    def recipe(self, values: tuple[str, ...]) -> str:
        shares = _shares(_even(self.personal, len(values)), values)
        return Message(
            "Toss a coin that nobody else sees and that comes up heads in {theta} of "
            "tosses. Heads: answer the sensitive question. Tails: answer the harmless "
            "one, whose answers are {shares}.",
            theta=percent(self.theta),
            shares=shares,
        )

    @classmethod
    def recognise(cls, matrix: Matrix) -> Self | None:
        parts = _mixture(matrix)
        return None if parts is None else cls(theta=parts[0], personal=parts[1])

    @classmethod
    def from_perturbation(cls, perturbation: Perturbation, k: int) -> Self | None:
        """The same parameters; the matrix does not show a harmless question nobody is asked."""
        coin = perturbation.values.coin
        if coin is not None and coin.question == "unrelated":
            return cls(theta=coin.theta, personal=coin.other)
        return super().from_perturbation(perturbation, k)


@presets.register("invariant-pram", "Invariant PRAM")
@dataclass(frozen=True)
class InvariantPram(Preset):
    """PRAM in two stages, such that the shares stay the same in expectation.

    The first stage is the uniform matrix P, the second draws from the posterior
    ``Q[c, r] = P[r, c] pi_c / z_r``. Their product R = Q P has R pi = pi.
    """

    keep: Annotated[
        float, Within(0, 1), Info("Keep", "Probability of keeping in the first stage")
    ] = 0.8
    shares: Annotated[
        tuple[float, ...] | None,
        Within(0, 1),
        Info("Shares", "Distribution to preserve; uniform if not set"),
    ] = None

    reference: ClassVar[str] = "Gouweleeuw, Kooiman, Willenborg and de Wolf 1998"

    def fill(self, values: tuple[str, ...]) -> MatrixPerturbation:
        k = len(values)
        shares = np.array(_even(self.shares, k))
        if len(shares) != k:
            raise DesignError.saying(
                "{count} shares do not fit {k} values.", count=len(shares), k=k, field="shares"
            )
        return Custom.of(invariant_matrix(Uniform(keep=self.keep).matrix(k), shares))

    def recipe(self, values: tuple[str, ...]) -> str:
        shares = _shares(_even(self.shares, len(values)), values)
        return Message(
            "The data owner keeps each answer with probability {keep}, otherwise "
            "replaces it at random, then draws a true answer that could have led to it. "
            "The shares ({shares}) stay the same on average.",
            keep=percent(self.keep),
            shares=shares,
        )

    @classmethod
    def recognise(cls, matrix: Matrix) -> Self | None:
        """The shares that stay, and the first stage whose product the matrix is."""
        k = len(matrix)
        if k < 2:
            return None
        if np.allclose(matrix, np.eye(k), atol=1e-12):
            return cls(keep=1.0)
        shares = _stationary(matrix)
        if shares is None:
            return None
        even = np.allclose(shares, 1 / k, atol=1e-9)
        for low, high in ((1 / k, 1.0), (1 / k, 0.0)):
            keep = _first_stage(float(matrix[0, 0]), shares, low, high)
            built = invariant_matrix(Uniform(keep=keep).matrix(k), shares)
            if np.allclose(built, matrix, atol=1e-9):
                return cls(keep=keep, shares=None if even else tuple(shares.tolist()))
        return None


def _stationary(matrix: Matrix) -> NDArray[np.float64] | None:
    """The shares that the matrix leaves as they are, if there is only one such distribution."""
    k = len(matrix)
    equations = np.vstack([matrix - np.eye(k), np.ones(k)])
    found, _, rank, _ = np.linalg.lstsq(equations, np.append(np.zeros(k), 1.0), rcond=1e-12)
    if rank < k or found.min() < -1e-9:
        return None
    shares = np.clip(found, 0.0, 1.0)
    return np.asarray(shares / shares.sum())


def _first_stage(kept: float, shares: NDArray[np.float64], low: float, high: float) -> float:
    """The keep probability whose product leaves the first answer with ``kept``, by bisection.

    That probability is smallest at ``low``, where the first stage tells nothing, and rises
    towards ``high``.
    """
    k = len(shares)
    for _ in range(60):
        middle = (low + high) / 2
        first = np.full(k, (1 - middle) / (k - 1))
        first[0] = middle
        seen = middle * shares + (1 - middle) / (k - 1) * (1 - shares)
        product = float(np.sum(first**2 * shares[0] / np.where(seen > 0, seen, 1.0)))
        low, high = (middle, high) if product < kept else (low, middle)
    return (low + high) / 2


def invariant_matrix(matrix: Matrix, shares: NDArray[np.float64]) -> Matrix:
    """``Q P`` with Q the posterior of the true answer under these shares.

    >>> shares = np.array([0.7, 0.2, 0.1])
    >>> (invariant_matrix(Uniform(keep=0.8).matrix(3), shares) @ shares).round(12).tolist()
    [0.7, 0.2, 0.1]
    """
    joint = matrix * shares
    seen = joint.sum(axis=1)
    # A report that never comes has no posterior; any column will do.
    posterior = np.where(seen > 0, joint.T / np.where(seen > 0, seen, 1.0), 1 / len(matrix))
    product: Matrix = posterior @ matrix
    product /= product.sum(axis=0)
    return product
