"""AS: the published approximation for numbers under noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.reconstruct.channel import NUMBERS, CountedChannel
from ppworkbench.core.reconstruct.estimator import IteratedEstimator, estimators
from ppworkbench.core.reconstruct.stopping import Auto, StopRule


@estimators.register(
    "as", "AS, iterated on midpoints", short="AS", hint="midpoint approximation", rank=40
)
@dataclass(frozen=True)
class AsNoise(IteratedEstimator):
    """``x_p <- sum_s z_s f_Y(m_s - m_p) x_p / sum_t f_Y(m_s - m_t) x_t`` over mid-points m.

    Z is counted in intervals as wide as those of X, and all distances are taken between the middles
    of intervals. EM has no such error and costs the same here; AS is kept for comparison. Where the
    noise is not simply added, the density is replaced by Pr(Z in I_s | X = m_p).

    References
    ----------
    R. Agrawal and R. Srikant (2000), "Privacy-preserving data mining", SIGMOD;
    P. Andruszkiewicz (2011), doctoral thesis, equation 3.20.
    """

    name: ClassVar[str] = "as"
    serves: ClassVar[frozenset[str]] = frozenset({NUMBERS})
    counterpart: ClassVar[str] = "em-as"
    default_stop: ClassVar[StopRule | None] = Auto()

    def charge(self, n: float) -> float:
        """Schwarz's, which grows with the answers: many would teach the error of mid-points."""
        return max(1.0, 0.5 * math.log(max(n, 1.0)))

    def cells(self, counted: CountedChannel) -> tuple[Numbers, Numbers]:
        return self.system(counted)

    def system(self, counted: CountedChannel) -> tuple[Numbers, Numbers]:
        """Densities at the distances of mid-points, and counts in intervals of X's width."""
        matrix, place = self.placed_system(counted)
        return matrix, np.bincount(place, counted.usable, len(matrix)).astype(np.float64)

    def placed_system(self, counted: CountedChannel) -> tuple[Numbers, NDArray[np.intp]]:
        """Densities at the distances of mid-points, and the interval of every cell of Z.

        A cell that the noise cannot reach belongs to an interval as well: the nearest one.
        """
        perturbation, attribute = counted.perturbation, counted.attribute
        x_edges, z_edges = counted.x_edges, counted.z_edges
        itself = np.arange(len(counted.matrix))
        if perturbation.is_identity or counted.k == 1:
            return counted.matrix, itself
        if x_edges is None or z_edges is None:
            return counted.matrix, itself
        if np.diff(z_edges).min() > np.diff(x_edges).max():
            coarse, place = z_edges, itself
        elif perturbation.is_factor and attribute.kind is Kind.CONTINUOUS:
            lowest = np.log(np.maximum(z_edges, x_edges[0] * 1e-9))
            coarse, place = _coarse(np.log(x_edges), lowest, counted.usable)
            coarse = np.exp(coarse)
        else:
            coarse, place = _coarse(x_edges, z_edges, counted.usable)
        x = (x_edges[:-1] + x_edges[1:]) / 2
        z = (coarse[:-1] + coarse[1:]) / 2
        noise = perturbation.numbers.added_noise(attribute)
        if attribute.kind is Kind.CONTINUOUS and noise is not None:
            distance, hair = z[:, None] - x[None, :], 1e-9 * (x[1] - x[0])
            # Where uniform noise ends, rounding must not decide: half of the density is taken.
            density = (noise.pdf(distance - hair) + noise.pdf(distance + hair)) / 2
            return density * np.diff(coarse)[:, None], place
        if attribute.kind is Kind.INTEGER:
            x = np.rint(x)
        below = perturbation.numbers.conditional_cdf(coarse[:, None], x[None, :], attribute)
        return np.diff(below, axis=0), place


def _coarse(
    x_edges: Numbers, z_edges: Numbers, counts: Numbers
) -> tuple[Numbers, NDArray[np.intp]]:
    """Intervals as wide as those of X over all counts of Z, and the interval of every cell."""
    before = x_edges[1] - x_edges[0]
    after = x_edges[-1] - x_edges[-2]
    seen = np.flatnonzero(counts)
    low, high = (z_edges[seen[0]], z_edges[seen[-1] + 1]) if len(seen) else (x_edges[0],) * 2
    below = max(0, int(np.ceil((x_edges[0] - low) / before - 1e-6)))
    above = max(0, int(np.ceil((high - x_edges[-1]) / after - 1e-6)))
    coarse = np.concatenate(
        [
            x_edges[0] - before * np.arange(below, 0, -1),
            x_edges,
            x_edges[-1] + after * np.arange(1, above + 1),
        ]
    )
    middles = (z_edges[:-1] + z_edges[1:]) / 2
    place = np.clip(np.searchsorted(coarse, middles, side="right") - 1, 0, len(coarse) - 2)
    return coarse, place
