"""The three channels that reports of a question can come through: values, numbers and sets.

A mechanism is a channel of each kind that it serves. What it does not serve it has as one that
knows nothing special, so that nobody has to ask first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute

if TYPE_CHECKING:
    from ppworkbench.core.design.noises.distribution import Noise, SteppedNoise


class ValueChannel:
    """From values to values, by a P-matrix."""

    def matrix_parts(self, k: int) -> tuple[Numbers, Numbers | None]:
        """``P = A + t B`` with t the unknown parameter; None for B where nothing is unknown."""
        return self.matrix(k), None

    def matrix(self, k: int) -> Numbers:
        """The P-matrix over k values: ``P[r, c] = Pr(published r | true c)``."""
        raise NotImplementedError

    def drawn_matrix(self, k: int) -> Numbers:
        """What reports are drawn from: P to the last digit of the program that draws them."""
        return self.matrix(k)

    @property
    def coin(self) -> Coin | None:
        """The coin that decides between the truth and another answer, if there is one."""
        return None

    @property
    def reach(self) -> int:
        """How many steps away on the scale of values an answer may move; 0 if that is no limit."""
        return 0

    def end_weight(self) -> float | None:
        """The sum of an end column before it is scaled to 1, where an inner one has that sum."""
        return None

    def invertible_above(self, k: int) -> float | None:  # noqa: ARG002
        """The probability of keeping above which the matrix can be inverted, if there is one."""
        return None


class NumberChannel:
    """From numbers to numbers, or to the intervals that they lie in."""

    def conditional_cdf(self, z: Numbers, x: Numbers, attribute: Attribute) -> Numbers:
        """Pr(Z <= z | X = x), broadcast over both."""
        raise NotImplementedError

    def channel(self, x_edges: Numbers, z_edges: Numbers, attribute: Attribute) -> Numbers:
        """``A[s, p] = Pr(Z in cell s | X in cell p)``, X spread evenly over its cell."""
        raise NotImplementedError

    @property
    def has_exact_channel(self) -> bool:
        """Whether the channel comes from a formula that holds for cells of any width."""
        return False

    def support(self, attribute: Attribute) -> tuple[float, float]:
        """Where distorted numbers can lie, up to a negligible probability."""
        raise NotImplementedError

    def report_ranges(self, attribute: Attribute) -> tuple[tuple[float, float], ...]:
        """Ranges in which every number of the grid can be reported, both ends included.

        A range of a single number is that number, be it on the grid or not.
        """
        return (self.support(attribute),)

    def unbiased(self, z: Numbers, attribute: Attribute) -> Numbers | None:  # noqa: ARG002
        """A function u with E[u(Z) | X = x] = x; None where there is no simple one."""
        return None

    def unbiased_variance(self, attribute: Attribute, mean: float, square: float) -> float | None:  # noqa: ARG002
        """The variance of u(Z) for an X of that mean and mean square; None without a formula."""
        return None

    def why_only_mean(self, attribute: Attribute) -> str:  # noqa: ARG002
        """Why reports tell the mean of a number and no more of its distribution; mostly empty."""
        return ""

    @property
    def exact_share(self) -> float | None:
        """The share of numbers published exactly, others being replaced; None for noise."""
        return None

    def slices(self, attribute: Attribute) -> tuple[Numbers, Numbers]:
        """Edges between which a replacing number is evenly spread, and its cdf at each."""
        raise NotImplementedError

    def replacing_cdf(self, z: Numbers, attribute: Attribute) -> Numbers:
        """Pr(a replacing number <= z), where numbers are kept or replaced."""
        raise NotImplementedError

    def interval_edges(self, attribute: Attribute) -> Numbers | None:  # noqa: ARG002
        """The borders of the intervals that are published instead of numbers, if there are any."""
        return None

    def noise_of(self, attribute: Attribute) -> Noise | None:  # noqa: ARG002
        """The noise that is drawn to be added, if any is."""
        return None

    def added_noise(self, attribute: Attribute) -> Noise | None:  # noqa: ARG002
        """The distribution of Z - X where it is the same for every number."""
        return None

    def steps_of(self, attribute: Attribute) -> SteppedNoise | None:  # noqa: ARG002
        """Added noise as a number of steps, where values lie on a grid."""
        return None

    @property
    def published_step(self) -> float | None:
        """The step of the grid on which real numbers are published, if it is set."""
        return None

    def entropy_privacy(self, attribute: Attribute) -> float | None:  # noqa: ARG002
        """Two to the entropy of the noise, where there is such a thing."""
        return None

    def conditional_bits(
        self,
        attribute: Attribute,  # noqa: ARG002
        edges: Numbers,  # noqa: ARG002
        mass: Numbers,  # noqa: ARG002
    ) -> float | None:
        """h(Z|X) in bits, X spread evenly within cells of that mass; None without a formula."""
        return None

    @property
    def is_cut(self) -> bool:
        """Whether noise is cut at the ends of the domain, so that it depends on the number."""
        return False

    def cut_width(
        self,
        confidence: float,  # noqa: ARG002
        attribute: Attribute,  # noqa: ARG002
        edges: Numbers,  # noqa: ARG002
        mass: Numbers,  # noqa: ARG002
    ) -> float | None:
        """The mean width of the shortest interval with that share of cut reports, X as given."""
        return None

    def interval_width(self, confidence: float, attribute: Attribute) -> float | None:  # noqa: ARG002
        """Width of the interval that holds the original with that confidence (Agrawal, Srikant)."""
        return None


class SetChannel:
    """From a value to a set of values, which names the true one more often than others."""

    def naming(self, k: int) -> Naming:
        """How often a set names the true one of k values, and any other."""
        raise NotImplementedError


NO_VALUES, NO_NUMBERS, NO_SETS = ValueChannel(), NumberChannel(), SetChannel()
"""The channels of mechanisms that do not serve them."""


@dataclass(frozen=True)
class Naming:
    """How sets name the values of a question, whichever of them is true.

    Parameters
    ----------
    g, h
        The probability that the true value is named, and that any other one is.
    size
        How many values each set names; None where that differs.
    g_pair, h_pair
        The probability that the true value and a certain other one are both named, and that two
        others are.
    odds
        How much likelier a set is for a value that it names than for one that it does not.
    """

    g: float
    h: float
    size: int | None
    g_pair: float
    h_pair: float
    odds: float

    @property
    def gap(self) -> float:
        """How much more often the true value is named than another."""
        return self.g - self.h

    def share(self, named: Numbers | float) -> Numbers:
        """The unbiased estimate of a true share from the share of sets that name the value."""
        return (np.asarray(named, np.float64) - self.h) / self.gap

    def named(self, share: Numbers | float) -> Numbers:
        """The expected share of sets that name a value of that true share."""
        return self.h + np.asarray(share, np.float64) * self.gap

    def variance(self, share: Numbers | float) -> Numbers:
        """The variance of an estimated share for one respondent, sampling included.

        ``μ (1 - μ) / (g - h)²`` with μ the share of sets that name the value.
        """
        expected = self.named(share)
        return np.asarray(expected * (1 - expected) / self.gap**2)

    def covariance(self, shares: Numbers) -> Numbers:
        """The covariances of the estimated shares of all values, for one respondent."""
        expected = self.named(shares)
        one_of_two = shares[:, None] + shares
        both = one_of_two * self.g_pair + (1 - one_of_two) * self.h_pair
        np.fill_diagonal(both, expected)
        return np.asarray((both - np.outer(expected, expected)) / self.gap**2)


@dataclass(frozen=True)
class Coin:
    """What decides between the truth and another answer.

    ``other`` is the distribution of the other answer, None for all values alike; ``question`` what
    that answer is to: an ``unrelated`` question, the ``related`` one, or none, it being ``forced``.
    """

    theta: float
    question: str
    other: tuple[float, ...] | None = None

    @property
    def is_blind(self) -> bool:
        """Whether the other answer has nothing to do with the true one."""
        return self.question != "related"
