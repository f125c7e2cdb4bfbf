"""EM: the iteration for numbers under noise, and as EM/AS for values under a P-matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES, CountedChannel
from ppworkbench.core.reconstruct.estimator import IteratedEstimator, estimators
from ppworkbench.core.reconstruct.stopping import Auto, Converged, StopRule


@estimators.register("em", "EM, iterated", short="EM", hint="exact bin probabilities", rank=30)
@dataclass(frozen=True)
class Em(IteratedEstimator):
    """``x_p <- x_p * sum_s z_s A[s, p] / (A x)_s`` with the exact channel A of the noise.

    The published form sums over records: the density of interval p is multiplied by
    ``sum_j Pr(Y in z_j - Omega_p) / f_Z(z_j) / (N w_p)`` with the interval's width w_p. Here Z is
    counted in cells finer than the intervals of X, at a cost that does not depend on N. For
    additive noise each answer is shared between the two borders of its cell according to its
    position, and the sum is taken over borders: exact but for the curvature within a cell.

    References
    ----------
    D. Agrawal and C. C. Aggarwal (2001), "On the design and quantification of privacy preserving
    data mining algorithms", PODS.
    """

    name: ClassVar[str] = "em"
    serves: ClassVar[frozenset[str]] = frozenset({NUMBERS})
    counterpart: ClassVar[str] = "em-as"
    default_stop: ClassVar[StopRule | None] = Auto()

    def system(self, counted: CountedChannel) -> tuple[Numbers, Numbers]:
        """Densities at the borders of cells where positions are known, else the cells."""
        noise, offsets = counted.perturbation.numbers.noise_of(counted.attribute), counted.offsets
        x_edges, z_edges = counted.x_edges, counted.z_edges
        if offsets is None or x_edges is None or z_edges is None or noise is None:
            return counted.matrix, counted.usable
        shared = np.append(counted.counts - offsets, 0.0)
        shared[1:] += offsets
        return noise.density(x_edges, z_edges), np.maximum(shared, 0.0)


@estimators.register("em-as", "EM/AS, iterated", short="EM/AS", hint="uniform start", rank=20)
@dataclass(frozen=True)
class EmAs(IteratedEstimator):
    """``x_p <- x_p * sum_s z_s P[s, p] / (P x)_s`` from the uniform distribution.

    Its limit is the maximum-likelihood estimate. With the published stop it ends long before that
    when answers are seldom kept; the loss that was blamed on the algorithm comes from the stop.

    References
    ----------
    P. Andruszkiewicz (2008), "Privacy preserving classification for continuous and nominal
    attributes", IIS; (2011), doctoral thesis, section 3.7.2.
    """

    name: ClassVar[str] = "em-as"
    serves: ClassVar[frozenset[str]] = frozenset({VALUES})
    counterpart: ClassVar[str] = "em"
    default_stop: ClassVar[StopRule | None] = Converged()
