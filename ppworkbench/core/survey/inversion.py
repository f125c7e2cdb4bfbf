"""Weights that undo a channel in expectation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_TOLERANCE = 1e-7


@dataclass(frozen=True, eq=False)
class Weights:
    """One weight per cell of the distorted answer and per target.

    Parameters
    ----------
    matrix
        ``H[s, r]``, with ``E[H[Z, r] | X in cell p] = B[p, r]``.
    inflation
        The root mean square weight over that of the target itself, when true answers have the
        given shares; the largest among the targets. So many times larger is the standard error
        than it would be without distortion, about.
    holds
        Whether the expectation holds. It cannot where the channel maps different true answers to
        the same distorted ones.
    """

    matrix: Numbers
    inflation: float
    holds: bool


def inverse_weights(channel: Numbers, targets: Numbers, true_share: Numbers) -> Weights:
    """Weights H with ``A' H = B``, of the smallest mean square.

    For a square, regular channel there is only ``H = A^{-T} B``. Where Z has more cells than X many
    H are right; the one that minimises ``sum_s q_s H_s^2`` gives the smallest standard error when Z
    is distributed as ``q = A x``, with x the given share of true answers. It is the weighted
    pseudo-inverse ``H = Q^{-1/2} (A' Q^{-1/2})^+ B``. As x does not depend on the data, the weights
    are unbiased whatever it is.

    >>> P = np.array([[0.6, 0.4], [0.4, 0.6]])
    >>> inverse_weights(P, np.array([[1.0], [0.0]]), np.full(2, 0.5)).matrix.round(6).tolist()
    [[3.0], [-2.0]]
    """
    q = channel @ true_share
    reached = q > 0
    root = np.sqrt(q[reached])
    scaled = channel[reached].T / root
    weights = np.zeros((len(q), targets.shape[1]))
    weights[reached] = np.linalg.pinv(scaled, rcond=1e-12) @ targets / root[:, None]
    off = np.abs(channel.T @ weights - targets).max(initial=0.0)
    undistorted = true_share @ targets**2
    asked = undistorted > 0
    squares = (q @ weights**2)[asked] / undistorted[asked]
    inflation = float(np.sqrt(squares.max(initial=0.0)))
    return Weights(weights, inflation, bool(off <= _TOLERANCE))


def even_weights(channel: Numbers, targets: Numbers, true_share: Numbers) -> Weights:
    """Weights for published intervals: the share of the interval that each target takes up."""
    mass = channel * true_share
    total = mass.sum(axis=1, keepdims=True)
    weights = np.divide(mass, total, out=np.zeros_like(mass), where=total > 0) @ targets
    off = np.abs(channel.T @ weights - targets).max(initial=0.0)
    return Weights(weights, 1.0, bool(off <= _TOLERANCE))
