"""Local differential privacy: how far a published answer can shift the odds of true answers.

``ε = ln max_r max_{c,c'} P[r,c] / P[r,c']``, infinite when a row mixes zero and non-zero
(Evfimievski, Gehrke and Srikant 2003; Kasiviswanathan et al. 2011). It needs no prior. Laplace
noise on a bounded domain has ``range / b``. Small means more private.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

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
    """What an epsilon says."""
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
    """What the amplification says."""
    if math.isinf(value):
        sentence = Message("∞ (some answers are ruled out).")
    else:
        sentence = Message(
            "Each reported answer is at most {value} times as likely under one true "
            "answer as under another.",
            value=plain(value),
        )
    return Reading("amplification", AMPLIFICATION_LABEL, value, sentence)
