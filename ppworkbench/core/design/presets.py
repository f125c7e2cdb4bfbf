"""Named designs: the mechanisms of the literature under their own parameter names.

A preset fills a P-matrix and says its recipe in the words of coins, dice and cards.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.design.matrices import (
    Binary,
    Custom,
    Forced,
    MatrixPerturbation,
    Ordinal,
    Related,
    Uniform,
    Unrelated,
)
from ppworkbench.core.design.matrices.base import Theta
from ppworkbench.core.design.matrices.forced import ForcedAnswers, Truth
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Params, Within
from ppworkbench.core.registry import Entry, Registry

presets: Registry[type[Preset]] = Registry("named design")

HarmlessShare = Annotated[
    float, Within(0, 1), Info("p", "Share of people who answer yes to the harmless question")
]
SAME = 1e-9
"""How far two probabilities may lie apart and still be called the same."""


@dataclass(frozen=True)
class Preset(Params, ABC):
    """A named mechanism with the parameters that its authors gave it."""

    two_values: ClassVar[bool] = False
    reference: ClassVar[str] = ""

    @abstractmethod
    def fill(self, values: tuple[str, ...]) -> MatrixPerturbation:
        """The perturbation for attributes with these values."""

    @abstractmethod
    def recipe(self, values: tuple[str, ...]) -> str:
        """What the respondent does, with a coin, a die, cards or a computer."""

    @classmethod
    @abstractmethod
    def recognise(cls, matrix: Matrix) -> Self | None:
        """The parameters with which this mechanism gives the matrix, if there are any."""

    @classmethod
    def from_perturbation(cls, perturbation: Perturbation, k: int) -> Self | None:
        """The parameters with which this mechanism is the perturbation, if there are any.

        Mechanisms whose parameters do not all show in the matrix read them off the perturbation.
        """
        return cls.recognise(perturbation.values.matrix(k))

    def perturbation(self, values: tuple[str, ...]) -> MatrixPerturbation:
        """The perturbation under this name, refused when the number of values does not fit."""
        if self.two_values and len(values) != 2:
            raise DesignError.saying(
                "The {name} design needs questions with 2 answers, not {count}.",
                name=type(self).__name__,
                count=len(values),
            )
        filled = self.fill(values)
        name = next((entry.name for entry in presets if entry.item is type(self)), None)
        if name == filled.own_design:
            return filled
        return dataclasses.replace(filled, named_design=name)


def same(first: float, second: float) -> bool:
    """Whether two probabilities are equal up to rounding."""
    return abs(first - second) <= SAME


def percent(probability: float) -> Message:
    """A probability for a recipe.

    >>> percent(0.25), percent(1 / 3)
    ('25 %', '33.3 %')
    """
    return Message("{percent:.3g} %", percent=100 * probability)


@dataclass(frozen=True)
class Conversion:
    """A named design with the parameters that reproduce a given mechanism."""

    name: str
    label: str
    preset: Preset
    recipe: str


def convert(perturbation: MatrixPerturbation, values: tuple[str, ...]) -> tuple[Conversion, ...]:
    """All named designs that distort exactly as this perturbation does.

    >>> from ppworkbench.core.design.matrices import Related
    >>> [c.name for c in convert(Related(theta=0.7), ("no", "yes"))][:3]
    ['kuk', 'warner', 'crosswise']
    """
    matrix = perturbation.matrix(len(values))
    found = [_conversion(entry, entry.item.recognise(matrix), values) for entry in presets]
    return tuple(conversion for conversion in found if conversion is not None)


def named_design(perturbation: Perturbation, values: tuple[str, ...]) -> Conversion | None:
    """The named design that was chosen for a perturbation; None where none was, or none fits.

    >>> from ppworkbench.core.design.matrices import Forced, Uniform
    >>> named_design(Forced(p_truth=0.5), ("no", "yes")).name
    'forced-response'
    >>> named_design(Uniform(keep=0.7), ("no", "yes"))
    """
    name = perturbation.design_name
    if name is None or name not in presets:
        return None
    entry, k = presets.entry(name), len(values)
    if entry.item.two_values and k != 2:
        return None
    return _conversion(entry, entry.item.from_perturbation(perturbation, k), values)


def _conversion(
    entry: Entry[type[Preset]], preset: Preset | None, values: tuple[str, ...]
) -> Conversion | None:
    if preset is None:
        return None
    return Conversion(entry.name, entry.label, preset, preset.recipe(values))


@dataclass(frozen=True)
class _TwoAnswers(Preset):
    """A design of yes/no questions, told by how often each of the two answers is kept."""

    two_values: ClassVar[bool] = True

    @classmethod
    def of_kept(cls, zero: float, one: float) -> Self | None:  # noqa: ARG003
        """The parameters with which the first and the second value are kept so often."""
        return None

    @classmethod
    def recognise(cls, matrix: Matrix) -> Self | None:
        return cls.of_kept(float(matrix[0, 0]), float(matrix[1, 1])) if len(matrix) == 2 else None


@presets.register("mangat", "Mangat")
@dataclass(frozen=True)
class Mangat(_TwoAnswers):
    """Who has the sensitive trait says so; all others use Warner's device."""

    p: Annotated[
        float, Within(0, 1), Info("p", "Probability of the question about the trait itself")
    ] = 0.7

    reference: ClassVar[str] = "Mangat 1994"

    def fill(self, values: tuple[str, ...]) -> MatrixPerturbation:  # noqa: ARG002 (always two)
        return Binary(keep_one=1.0, keep_zero=self.p)

    def recipe(self, values: tuple[str, ...]) -> str:
        return Message(
            "If your answer is {yes!r}, report it. If not, draw a card that nobody else "
            "sees: {share} of the cards tell you to report {no!r}, the others {yes!r}.",
            yes=values[1],
            share=percent(self.p),
            no=values[0],
        )

    @classmethod
    def of_kept(cls, zero: float, one: float) -> Self | None:
        return cls(p=zero) if same(one, 1) else None


@presets.register("kuk", "Kuk (disguised answers)")
@dataclass(frozen=True)
class Kuk(_TwoAnswers):
    """Two decks of red and black cards; the respondent names a colour, never an answer."""

    red_yes: Annotated[
        float,
        Within(0, 1),
        Info("Red if yes", "Share of red cards in the first deck (sensitive answer)"),
    ] = 0.8
    red_no: Annotated[
        float,
        Within(0, 1),
        Info("Red if no", "Share of red cards in the second deck (other answer)"),
    ] = 0.2

    reference: ClassVar[str] = "Kuk 1990"

    def fill(self, values: tuple[str, ...]) -> MatrixPerturbation:  # noqa: ARG002 (always two)
        return Binary(keep_one=self.red_yes, keep_zero=1 - self.red_no)

    def recipe(self, values: tuple[str, ...]) -> str:
        return Message(
            "Draw a card from each of two decks. If your answer is {values!r}, name "
            "the colour of the first deck's card ({red_yes} are red), otherwise that "
            "of the second's ({red_no} are red). Red is recorded as {values!r}.",
            values=values[1],
            red_yes=percent(self.red_yes),
            red_no=percent(self.red_no),
        )

    @classmethod
    def recognise(cls, matrix: Matrix) -> Self | None:
        if len(matrix) == 2:
            return cls(red_yes=float(matrix[1, 1]), red_no=float(matrix[1, 0]))
        return None


@presets.register("triangular", "Triangular")
@dataclass(frozen=True)
class Triangular(_TwoAnswers):
    """One joint answer: no to both questions, or yes to at least one."""

    p: HarmlessShare = 0.25

    reference: ClassVar[str] = "Yu, Tian and Tang 2008"

    def fill(self, values: tuple[str, ...]) -> MatrixPerturbation:  # noqa: ARG002 (always two)
        """Ones are always kept, zeros with 1 - p."""
        return Binary(keep_one=1.0, keep_zero=1 - self.p)

    def recipe(self, values: tuple[str, ...]) -> str:
        return Message(
            "Think of a harmless question that {p} of people answer with yes. Report "
            "{values!r} only if you would answer no to it and {values!r} to the "
            "sensitive question; report {values2!r} in every other case.",
            p=percent(self.p),
            values=values[0],
            values2=values[1],
        )

    @classmethod
    def of_kept(cls, zero: float, one: float) -> Self | None:
        return cls(p=1 - zero) if same(one, 1) else None


@dataclass(frozen=True)
class _Mirrored(_TwoAnswers):
    """The answer is turned over with one probability; "the same" stands for the second value."""

    p: float

    def fill(self, values: tuple[str, ...]) -> MatrixPerturbation:  # noqa: ARG002 (always two)
        return Related(theta=self.p)

    @classmethod
    def of_kept(cls, zero: float, one: float) -> Self | None:
        return cls(p=zero) if same(zero, one) else None


@presets.register("warner", "Warner (mirrored question)")
@dataclass(frozen=True)
class Warner(_Mirrored):
    """A spinner picks the statement "I belong to A" or its opposite."""

    p: Annotated[
        float, Within(0, 1), Info("p", "Probability that the spinner picks the statement itself")
    ] = 0.7

    reference: ClassVar[str] = "Warner 1965"

    def recipe(self, values: tuple[str, ...]) -> str:
        return Message(
            "Spin a pointer that nobody else sees. In {p} of spins it asks: is your "
            "answer {values!r}? Otherwise it asks the opposite: is your answer "
            "{values2!r}? Answer only yes or no; yes is recorded as {values!r}.",
            p=percent(self.p),
            values=values[1],
            values2=values[0],
        )


@presets.register("crosswise", "Crosswise")
@dataclass(frozen=True)
class Crosswise(_Mirrored):
    """Two questions, one joint answer: the same to both, or different (Yu, Tian and Tang 2008)."""

    p: HarmlessShare = 0.25

    reference: ClassVar[str] = "Yu, Tian and Tang 2008"

    def recipe(self, values: tuple[str, ...]) -> str:
        return Message(
            "Think of a harmless question that {p} of people answer with yes, such "
            "as a birthday in certain months. Answer it and the sensitive question "
            "in your head. Report {values!r} if both answers are the same and "
            "{values2!r} if they differ.",
            p=percent(self.p),
            values=values[1],
            values2=values[0],
        )


def _uniform_keep(matrix: Matrix) -> float | None:
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


@dataclass(frozen=True)
class _Mixture(Preset):
    """The true answer with one probability, otherwise one from a known distribution."""

    device: ClassVar[type[MatrixPerturbation]]
    question: ClassVar[str]
    """What its coin asks for where it does not ask for the truth."""

    def fill(self, values: tuple[str, ...]) -> MatrixPerturbation:  # noqa: ARG002
        return self.device(**vars(self))

    @classmethod
    def recognise(cls, matrix: Matrix) -> Self | None:
        found = _mixture(matrix)
        return None if found is None else cls(*found)  # type: ignore[call-arg]

    @classmethod
    def from_perturbation(cls, perturbation: Perturbation, k: int) -> Self | None:
        """The same parameters; the matrix does not show other answers that never come."""
        coin = perturbation.values.coin
        if coin is not None and coin.question == cls.question:
            return cls(coin.theta, coin.other)  # type: ignore[call-arg]
        return super().from_perturbation(perturbation, k)


@presets.register("forced-response", "Forced response")
@dataclass(frozen=True)
class ForcedResponse(_Mixture):
    """A die decides between the truth and an answer that it dictates."""

    p_truth: Truth = 0.75
    forced: ForcedAnswers = None

    device: ClassVar[type[MatrixPerturbation]] = Forced
    question: ClassVar[str] = "forced"
    reference: ClassVar[str] = "Boruch 1971"

    def recipe(self, values: tuple[str, ...]) -> str:
        shares = _shares(_even(self.forced, len(values)), values)
        return Message(
            "Roll a die that nobody else sees. In {p_truth} of rolls answer truthfully; "
            "otherwise the die decides the answer ({shares}).",
            p_truth=percent(self.p_truth),
            shares=shares,
        )


@presets.register("unrelated-question", "Unrelated question")
@dataclass(frozen=True)
class UnrelatedQuestion(_Mixture):
    """A coin decides between the private question and a harmless one."""

    theta: Theta = 0.7
    personal: Annotated[
        tuple[float, ...] | None,
        Within(0, 1),
        Info("Harmless answers", "Distribution of the harmless answer; uniform if not set"),
    ] = None

    device: ClassVar[type[MatrixPerturbation]] = Unrelated
    question: ClassVar[str] = "unrelated"
    reference: ClassVar[str] = "Greenberg, Abul-Ela, Simmons and Horvitz 1969"

    def recipe(self, values: tuple[str, ...]) -> str:
        shares = _shares(_even(self.personal, len(values)), values)
        return Message(
            "Toss a coin that nobody else sees and that comes up heads in {theta} of "
            "tosses. Heads: answer the sensitive question. Tails: answer the harmless "
            "one, whose answers are {shares}.",
            theta=percent(self.theta),
            shares=shares,
        )


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
