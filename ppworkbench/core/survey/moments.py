"""Weights of single records whose sum is the number, or the sum of numbers, in a region."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.design.noises.base import domain_of, integer_edges
from ppworkbench.core.survey.asked import Asked, centres
from ppworkbench.core.survey.factors import (
    NOTHING_KEPT,
    SMALLEST_KEEP,
    Codes,
    Factor,
    NumberFactor,
    uninformative,
)
from ppworkbench.core.survey.grids import is_well_conditioned

Numbers = NDArray[np.float64]
Parts = tuple[Numbers, Numbers, tuple[str, ...]]

_FINE = 4096

_EVEN = (
    "There is no simple way to undo what the distortion does to the mean, so it is worked out from "
    "intervals of the number."
)


def moment_weights(factor: Factor, codes: Codes, data: NDArray[Any]) -> Parts | None:
    """Functions a and b of a distorted number with the means ``1_S(x)`` and ``x 1_S(x)``.

    None where only large weights would do, and a smooth estimate should take their place.

    - Without a condition on the number: ``a = 1``, ``b = u(z)`` where a simple u undoes the noise.
    - Retention (and no distortion, p = 1): ``(1_S(z) - (1 - p) g(S)) / p``, and the same with
      ``z 1_S(z)`` and its mean under the replacing density g.
    - Else the weights of the discretised channel, with the middle of each cell for its numbers.
    """
    assert isinstance(factor, NumberFactor)  # noqa: S101 (only numbers have means)
    asked = factor.asked[0]
    if asked.is_exact:
        return (*_exact(asked, data), ())
    if asked.region is None:
        undone = asked.perturbation.unbiased(data, asked.attribute)
        if undone is not None:
            return np.ones(len(data)), undone, ()
    if not is_well_conditioned(factor):
        return None
    look_up = factor.weights.matrix
    low, _ = domain_of(asked.attribute)
    counted = look_up[codes, 0]
    summed = low * counted + (asked.attribute.width or 1.0) * look_up[codes, 1]
    return counted, summed, (_EVEN,)


def _exact(asked: Asked, data: Numbers) -> tuple[Numbers, Numbers]:
    inside: Numbers = np.ones(len(data))
    if asked.region is not None:
        inside = asked.region.contains(data).astype(np.float64)
    keep = asked.perturbation.exact_share
    if keep is None or asked.perturbation.is_identity:
        return inside, inside * data
    if keep < SMALLEST_KEEP:
        raise uninformative(asked.name, NOTHING_KEPT)
    share, mean = _replacing(asked)
    counted = (inside - (1 - keep) * share) / keep
    return counted, (inside * data - (1 - keep) * mean) / keep


def _replacing(asked: Asked) -> tuple[float, float]:
    """The replacing density's mass in the region, and the part of its mean from there."""
    attribute, perturbation = asked.attribute, asked.perturbation
    low, high = domain_of(attribute)
    if attribute.kind == "integer":
        edges = integer_edges(low, high)
    else:
        slices = len(perturbation.slices(attribute)[0]) - 1
        fine = np.linspace(low, high, slices * max(1, _FINE // slices) + 1)
        edges = np.unique(np.concatenate([fine, asked.borders()]))
        edges = edges[edges <= high]
    mass = np.diff(perturbation.replacing_cdf(edges, attribute))
    middle = centres(edges, attribute)
    if asked.region is not None:
        mass = mass * asked.region.contains(middle)
    return float(mass.sum()), float(mass @ middle)
