"""The entropy h(Z|X) that a published number has when the true one is known."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Multiplicative, NoisePerturbation
from ppworkbench.core.design.noises.base import domain_of
from ppworkbench.core.design.noises.distribution import UniformNoise
from ppworkbench.core.privacy.entropy import noise_entropy_privacy

Numbers = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)


def conditional_noise_bits(
    perturbation: NoisePerturbation, attribute: Attribute, edges: Numbers, mass: Numbers
) -> float | None:
    """h(Z|X) in bits, the true number spread evenly within cells; None where no formula is known.

    An integer attribute is taken to have so wide a domain that its steps of 1 do not matter.

    >>> score = Attribute("score", Kind.CONTINUOUS, domain=(0, 10))
    >>> noise = Additive(noise="uniform", half_width=4)
    >>> conditional_noise_bits(noise, score, np.array([0.0, 10.0]), np.ones(1))
    3.0
    """
    if isinstance(perturbation, Additive):
        if not perturbation.truncate:
            return math.log2(noise_entropy_privacy(perturbation, attribute) or 1.0)
        found = float(mass @ _truncated_bits(perturbation, attribute, edges))
    elif isinstance(perturbation, Multiplicative):
        # Z = X M: given x, the factor's entropy is stretched by x.
        low, high = domain_of(attribute)
        factor = perturbation.entropy_privacy(attribute) / ((low + high) / 2)
        found = math.log2(factor) + float(mass @ _mean_log2(edges))
    else:
        return None
    # Of a whole number even the narrowest noise leaves no less than one possible outcome.
    return max(found, 0.0) if attribute.kind is Kind.INTEGER else found


def _truncated_bits(perturbation: Additive, attribute: Attribute, edges: Numbers) -> Numbers:
    """h(Z | X = x) at the middle of each cell, the noise being cut at the ends of the domain."""
    noise = perturbation.noise_of(attribute)
    low, high = domain_of(attribute)
    x = (edges[1:] + edges[:-1]) / 2
    start, end = noise.cdf(low - x), noise.cdf(high - x)
    inside = end - start
    if isinstance(noise, UniformNoise):
        return np.log2(2 * noise.scale * inside)
    u = start[:, None] + inside[:, None] * (1 + _NODES) / 2
    density = np.maximum(noise.pdf(noise.ppf(u)), 1e-300)
    return np.asarray(np.log2(inside) - np.log2(density) @ _WEIGHTS / 2)


def _mean_log2(edges: Numbers) -> Numbers:
    """The mean of log2 x for x spread evenly over each cell of positive numbers."""
    integral = edges * (np.log(edges) - 1)
    return np.asarray(np.diff(integral) / np.diff(edges) / math.log(2))
