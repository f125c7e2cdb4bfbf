"""Reasons to take a mechanism for a question, by its figures at an epsilon."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ppworkbench.core.arrays import Matrix, Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Geometric, Perturbation, Uniform, perturbations
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.privacy.utility.channel import factor
from ppworkbench.core.privacy.utility.standard_errors import Z95

USUAL_EPSILON = 1.0
"""What is compared where the mechanism of now has no finite epsilon."""
_LEAST, _MOST = 0.05, 10.0
"""Epsilons outside make all mechanisms alike: useless, or hardly random."""


@dataclass(frozen=True)
class MechanismFigures:
    """What a mechanism of ordered answers promises.

    Parameters
    ----------
    title
        What the mechanism is called.
    share
        Half of the 95 % interval of a share, the root mean square over the values.
    mean
        Half of the 95 % interval of the mean score, the values being counted 1, 2, 3, …
    is_current
        Whether the question has this mechanism.
    """

    perturbation: Perturbation
    title: str
    share: float
    mean: float
    is_current: bool


@dataclass(frozen=True)
class MechanismAdvice:
    """What helps to choose the mechanism of a question.

    Parameters
    ----------
    epsilon
        The epsilon at which mechanisms are compared.
    compared
        Mechanisms of ordered answers, for pressing; empty for other questions.
    finite
        The mechanism of now made finite, where it rules answers out.
    """

    epsilon: float
    compared: tuple[MechanismFigures, ...] = ()
    finite: Perturbation | None = None


def keep_for(epsilon: float, k: int) -> float:
    """How often k-ary randomised response keeps an answer.

    >>> round(keep_for(1.0, 5), 4)
    0.4046
    """
    return math.exp(epsilon) / (math.exp(epsilon) + k - 1)


def matrix_before(attribute: Attribute, perturbation: Perturbation) -> Matrix:
    """The P-matrix that another mechanism takes the place of.

    Sets have none; what comes after them begins with k-RR of the same epsilon.
    """
    matrix = perturbation.matrix_for(attribute)
    if matrix is None:
        keep = keep_for(perturbation.epsilon_of(attribute), attribute.k)
        return Uniform(keep=keep).matrix(attribute.k)
    return matrix


def advise(report: AttributeReport) -> MechanismAdvice:
    """What helps to choose the mechanism of the question that a report is about."""
    attribute, perturbation = report.attribute, report.perturbation
    found = report.privacy["epsilon"].value if "epsilon" in report.privacy else math.inf
    epsilon = USUAL_EPSILON
    if _LEAST <= found <= _MOST:
        epsilon = found
    is_ordered = attribute.kind is Kind.ORDINAL and attribute.k >= 3
    if not is_ordered or perturbation.is_identity:
        return MechanismAdvice(epsilon)
    return MechanismAdvice(
        epsilon,
        compare_ordered(perturbation, report.prior.probabilities, report.utility.n, epsilon),
        perturbation.made_finite(attribute.k, epsilon),
    )


def compare_ordered(
    current: Perturbation, shares: Numbers, n: int, epsilon: float
) -> tuple[MechanismFigures, ...]:
    """k-RR, better for shares, and geometric steps, better for means, at an epsilon."""
    keep = round(keep_for(epsilon, len(shares)), 4)
    # Whoever has chosen what happens at the ends of a scale keeps it, and the ring with it.
    ends = getattr(current, "ends", None)
    loop = ends is not None and bool(getattr(current, "loop", False))
    steps = Geometric(epsilon=round(epsilon, 4), loop=loop, ends=ends or Geometric.ends)
    offered = (Uniform(keep=keep), steps)
    return tuple(_figures(one, current, shares, n) for one in offered)


def _figures(
    offered: Perturbation, current: Perturbation, shares: Numbers, n: int
) -> MechanismFigures:
    own = current.type_name == offered.type_name
    shown = current if own else offered
    share, mean = unit_variances(shown.values.matrix(len(shares)), shares)
    entry = perturbations.entry(shown.type_name)
    half = Z95 / math.sqrt(n)
    return MechanismFigures(
        shown, entry.title, half * math.sqrt(share), half * math.sqrt(mean), own
    )


def unit_variances(matrix: Matrix, shares: Numbers) -> tuple[float, float]:
    """N times the variance of a share, the mean over all values, and of the mean score.

    Estimates are those of ``P⁻¹``; sampling is included.

    >>> even = np.full(5, 0.2)
    >>> [round(one, 3) for one in unit_variances(Uniform(keep=keep_for(1.0, 5)).matrix(5), even)]
    [2.446, 30.574]
    """
    covariance = factor(matrix).covariance(shares)
    if covariance is None:
        return math.inf, math.inf
    scores = np.arange(1.0, len(shares) + 1)
    return float(np.trace(covariance)) / len(shares), float(scores @ covariance @ scores)


@dataclass(frozen=True)
class SetsAdvice:
    """From how many values on a set would be better; ``is_due`` where the question has so many."""

    words: str = ""
    is_due: bool = False


def sets_advice(report: AttributeReport) -> SetsAdvice:
    """Whether a set would be better than k-RR, by the variances; empty words for others."""
    attribute, perturbation = report.attribute, report.perturbation
    keep = getattr(perturbation, "keep", None)
    if keep is None or attribute.kind.is_numeric or perturbation.unnamed() != Uniform(keep=keep):
        return SetsAdvice()
    epsilon = report.privacy["epsilon"].value
    if not _LEAST <= epsilon <= _MOST:
        return SetsAdvice()
    epsilon = round(epsilon, 3)
    subset, unary = (sets_pay_from(epsilon, name) for name in ("subset", "oue"))
    if subset is None:
        return SetsAdvice()
    if attribute.k < subset:
        words = Message("At this epsilon a set would be better from {k} values on.", k=subset)
        return SetsAdvice(words)
    if unary is None or attribute.k < unary:
        words = Message(
            "This question has {count} values: from {k} values on a subset is more accurate "
            "at the same epsilon.",
            count=attribute.k,
            k=subset,
        )
        return SetsAdvice(words, is_due=True)
    words = Message(
        "This question has {count} values: at the same epsilon a subset is more accurate from {k} "
        "values on, unary encoding from {other} values on.",
        count=attribute.k,
        k=subset,
        other=unary,
    )
    return SetsAdvice(words, is_due=True)


@lru_cache(maxsize=64)
def sets_pay_from(epsilon: float, name: str, most: int = 1000) -> int | None:
    """From how many values on a mechanism of sets knows rare values better than k-RR does.

    By the exact variances at a share of 0; None where that is not so up to ``most`` values.
    """
    sets = perturbations[name].from_json({"epsilon": epsilon})
    odds = math.exp(epsilon)
    low, high = 3, most

    def is_better(k: int) -> bool:
        alone = (odds + k - 2) / (odds - 1) ** 2
        return float(sets.sets.naming(k).variance(0.0)) < alone * (1 - 1e-12)

    if not is_better(high):
        return None
    # The gain grows with the number of values.
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_better(middle) else (middle + 1, high)
    return low
