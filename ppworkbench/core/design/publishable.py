"""Designs whose published numbers give nothing away in their last digits."""

from __future__ import annotations

import dataclasses

from ppworkbench.core.design.design import Design


def publishable(design: Design) -> Design:
    """The design with a grid for every continuous attribute that has none.

    A distorted double in full length can betray the original by its low bits (Mironov 2012), and a
    kept number among replaced ones by its number of digits. On a grid both look alike. The grid is
    chosen from the design alone, so that it says nothing about the data, and published with it.
    """
    listed = tuple(
        dataclasses.replace(d, perturbation=d.perturbation.on_grid(d.attribute)) for d in design
    )
    return dataclasses.replace(design, attributes=listed)
