"""Local differential privacy: how far a published answer can shift the odds of true answers.

``ε = ln max_r max_{c,c'} P[r,c] / P[r,c']``, infinite when a row mixes zero and non-zero
(Evfimievski, Gehrke and Srikant 2003; Kasiviswanathan et al. 2011). It needs no prior. Laplace
noise on a bounded domain has ``range / b``. Small means more private.

Questions that share one coin are taken together. In the unrelated model their joint channel is
``θ I + (1-θ) w 1'`` over all combinations of answers, with w the product of the personal
distributions. So ``ε = ln(1 + θ / ((1-θ) Π_j min w_j))``. In the related model two or more reversed
answers leave only a combination and its mirror image possible: every other one is ruled out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.design import Group
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.reading import BOUNDLESS, Reading, plain

LABEL = "Epsilon (local differential privacy)"
AMPLIFICATION_LABEL = "Amplification"


def amplification(matrix: NDArray[np.float64]) -> float:
    """``γ = e^ε``, the largest ratio within a row; rows that never come do not count.

    >>> amplification(np.array([[0.75, 0.25], [0.25, 0.75]]))
    3.0
    """
    largest = matrix.max(axis=1)
    smallest = matrix.min(axis=1)
    possible = largest > 0
    if (smallest[possible] == 0).any():
        return math.inf
    ratio = float((largest[possible] / smallest[possible]).max())
    # Cells that were computed in two ways from equal parameters differ by rounding only.
    return 1.0 if ratio < 1 + 1e-12 else ratio


def epsilon(matrix: NDArray[np.float64]) -> float:
    """ε of a P-matrix.

    >>> round(epsilon(np.array([[0.75, 0.25], [0.25, 0.75]])), 4)
    1.0986
    >>> epsilon(np.eye(2))
    inf
    """
    ratio = amplification(matrix)
    return math.log(ratio)


def reading(value: float) -> Reading:
    if math.isinf(value):
        sentence = Message(
            "∞ (some answers are ruled out): nothing bounds what one answer discloses."
        )
    elif value == 0:
        sentence = Message("The reported answer is independent of the true one.")
    else:
        sentence = (
            Message(
                "A reported answer changes the odds between two true answers at most "
                "{factor}-fold (smaller is more private).",
                factor=plain(math.exp(value)),
            )
            if value < BOUNDLESS
            else Message(
                "A reported answer can change the odds between two true answers more than "
                "100 million-fold, which is practically no bound."
            )
        )
    return Reading("epsilon", LABEL, value, sentence)


def number_reading(value: float) -> Reading:
    """What an epsilon says about noise, which may rule out without ever reaching zero."""
    if math.isinf(value):
        sentence = Message(
            "∞ (some numbers are practically ruled out): nothing bounds what one number discloses."
        )
        return Reading("epsilon", LABEL, value, sentence)
    return reading(value)


def amplification_reading(value: float) -> Reading:
    if math.isinf(value):
        sentence = Message("∞ (some answers are ruled out).")
    else:
        sentence = Message(
            "Each reported answer is at most {value} times as likely under one true "
            "answer as under another.",
            value=plain(value),
        )
    return Reading("amplification", AMPLIFICATION_LABEL, value, sentence)


def joint_epsilon(group: Group, values: Mapping[str, int]) -> float:
    """ε of the joint answer of a group; ``values`` is k of every attribute.

    >>> pair = Group(("a", "b"), "unrelated", 0.7)
    >>> round(joint_epsilon(pair, {"a": 2, "b": 2}), 3)
    2.335
    """
    theta = group.theta
    if group.type == "related":
        if len(group.attributes) > 1:
            # Half a coin leaves each answer open, but never one answer without the other.
            return math.inf
        if theta in (0.0, 1.0):
            return math.inf
        return abs(math.log(theta / (1 - theta)))
    personal = dict(group.personal)
    combinations, least = 1, 1.0
    for name in group.attributes:
        k = values[name]
        combinations *= k
        weights = personal.get(name)
        least *= 1 / k if weights is None else min(weights)
    if theta == 0 or combinations == 1:
        return 0.0
    other = (1 - theta) * least
    return math.log1p(theta / other) if other > 0 else math.inf


def group_reading(value: float, count: int) -> Reading:
    if math.isinf(value):
        sentence = Message("∞ (some combinations of answers are ruled out).")
    else:
        sentence = (
            Message(
                "Together, the {count} reported answers change the odds between two sets of "
                "true answers at most {factor}-fold (smaller is more private).",
                count=count,
                factor=plain(math.exp(value)),
            )
            if value < BOUNDLESS
            else Message(
                "Together, the {count} reported answers can change the odds between two sets of "
                "true answers more than 100 million-fold, which is practically no bound.",
                count=count,
            )
        )
    return Reading("epsilon", LABEL, value, sentence)
