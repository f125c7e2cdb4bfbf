"""Designs whose published numbers give nothing away in their last digits."""

from __future__ import annotations

import dataclasses
import math

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.noises import Additive, Multiplicative, Retention
from ppworkbench.core.design.perturbation import Perturbation


def publishable(design: Design) -> Design:
    """The design with a grid for every continuous attribute that has none.

    A distorted double in full length can betray the original by its low bits (Mironov 2012), and a
    kept number among replaced ones by its number of digits. On a grid both look alike. The grid is
    chosen from the design alone, so that it says nothing about the data, and published with it.
    """
    listed = tuple(
        dataclasses.replace(d, perturbation=_with_grid(d.perturbation, d.attribute)) for d in design
    )
    return dataclasses.replace(design, attributes=listed)


def _with_grid(perturbation: Perturbation, attribute: Attribute) -> Perturbation:
    if attribute.kind is not Kind.CONTINUOUS:
        return perturbation
    if not isinstance(perturbation, Additive | Multiplicative | Retention):
        return perturbation
    if perturbation.grid is not None:
        return perturbation
    return dataclasses.replace(perturbation, grid=grid_for(perturbation, attribute))


def grid_for(perturbation: Additive | Multiplicative | Retention, attribute: Attribute) -> float:
    """A power of ten at or below a thousandth of the noise, or a ten-thousandth of the range.

    >>> salary = Attribute("salary", Kind.CONTINUOUS, domain=(0, 10_000))
    >>> grid_for(Additive(noise="normal", sigma=2_500.0), salary)
    1.0
    >>> grid_for(Additive(noise="normal", sigma=30.0), salary)
    0.01
    """
    if isinstance(perturbation, Additive):
        fine = perturbation.noise_of(attribute).scale / 1_000
    else:
        fine = attribute.width / 10_000
    return 10.0 ** math.floor(math.log10(fine)) if fine > 0 else 1.0
