"""True and published answers together: what every measure of an attack is computed from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy.special import entr

from ppworkbench.core.arrays import Matrix, Numbers

_BITS = 1 / np.log(2)


@dataclass(frozen=True, eq=False)
class Joint:
    """``joint[r, c] = P[r, c] * prior[c]``: the true answer is c and r is published.

    Measures share one such object, so that each of its parts is computed once.

    >>> seen = Joint.of(np.array([[0.9, 0.2], [0.1, 0.8]]), np.array([0.75, 0.25]))
    >>> seen.published.round(3).tolist()
    [0.725, 0.275]
    """

    matrix: Matrix
    prior: Numbers
    joint: Matrix

    @classmethod
    def of(cls, matrix: Matrix, prior: Numbers) -> Self:
        """From a P-matrix (columns are true answers) and the prior of the true answers."""
        return cls(matrix, prior, matrix * prior)

    @cached_property
    def published(self) -> Numbers:
        """The distribution of the published answer, ``z = P x``."""
        return np.asarray(self.joint.sum(axis=1))

    @cached_property
    def posterior(self) -> Matrix:
        """``posterior[r, c] = Pr(true c | published r)``; 0 in rows that are never published."""
        z = self.published
        return np.asarray(self.joint / np.where(z > 0, z, 1.0)[:, None])

    @cached_property
    def prior_bits(self) -> float:
        """H(X)."""
        return bits(self.prior)

    @cached_property
    def published_bits(self) -> float:
        """H(Z)."""
        return bits(self.published)

    @cached_property
    def information(self) -> float:
        """The mutual information ``I(X;Z) = H(X) + H(Z) - H(X,Z)`` in bits."""
        most = min(self.prior_bits, self.published_bits)
        found = self.prior_bits + self.published_bits - bits(self.joint)
        # Rounding leaves an independent pair a few ulps on either side of zero.
        return 0.0 if found < 1e-12 else min(found, most)


def bits(probabilities: Numbers) -> float:
    """The entropy ``-Σ p log2 p``, with nothing added for impossible outcomes.

    >>> round(bits(np.array([0.5, 0.25, 0.25, 0.0])), 6)
    1.5
    """
    return float(entr(probabilities).sum() * _BITS)
