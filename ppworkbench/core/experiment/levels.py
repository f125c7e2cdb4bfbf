"""A design scaled to a level of privacy."""

from __future__ import annotations

import dataclasses

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import (
    Additive,
    Design,
    Identity,
    Perturbation,
    Uniform,
)
from ppworkbench.core.design.group import Group


def design_at(design: Design, level: float, values: str = "retain") -> Design:
    r"""The design with everything that it distorts brought to one level of privacy.

    With :math:`t = 1 / (1 + L / 100)` for a level of L percent:

    - additive noise gets a range privacy of L % and keeps its form; multiplicative noise becomes
      normal noise of that range privacy; intervals are as wide as L % of the range, at most all of
      it; retention replacement retains with t;
    - a P-matrix of k values becomes uniform: with ``retain`` the answer stays with t and is else
      drawn from all values, so that :math:`p = t + (1 - t) / k`; with ``keep`` it is
      :math:`p = t`. The second is how published comparisons are read here (0.5, 0.4, 0.33 at 100,
      150, 200 %); it tells nothing at all where :math:`p = 1 / k`, and more again beyond;
    - an unrelated group answers truly with :math:`\theta = t`, a related one with
      :math:`\theta = (1 + t) / 2`.

    What the design does not distort stays undistorted, unless it distorts nothing but perhaps the
    class: then every other attribute is brought to the level, numbers with uniform noise. The class
    is left as it is. Level 0 is no distortion.

    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import DesignedAttribute
    >>> town = Attribute("town", Kind.NOMINAL, ("a", "b", "c", "d"))
    >>> asked = Design((DesignedAttribute(town, Uniform(keep=0.9)),))
    >>> design_at(asked, 100)["town"].perturbation
    Uniform(keep=0.625)
    >>> design_at(asked, 100, values="keep")["town"].perturbation
    Uniform(keep=0.5)
    """
    retained = 1 / (1 + level / 100)
    grouped = {name for group in design.groups for name in group.attributes}
    others = [d for d in design if d.name != design.class_name]
    touched = [d for d in others if not d.perturbation.is_identity or d.name in grouped]
    chosen = {d.name for d in touched or others} - grouped
    listed = tuple(
        dataclasses.replace(d, perturbation=_at(d.perturbation, d.attribute, level, values))
        if d.name in chosen
        else d
        for d in design
    )
    groups = tuple(_group_at(group, retained) for group in design.groups)
    return dataclasses.replace(design, attributes=listed, groups=groups)


def _at(
    perturbation: Perturbation, attribute: Attribute, level: float, values: str
) -> Perturbation:
    retained = 1 / (1 + level / 100)
    if level == 0:
        return Identity()
    if attribute.kind.is_categorical:
        k = max(attribute.k, 1)
        keep = retained if values == "keep" else retained + (1 - retained) / k
        return Uniform(keep=keep)
    if attribute.width == 0:
        # A single possible number has no range to take percents of, and nothing to hide.
        return Identity()
    noise = "uniform" if perturbation.is_identity else "normal"
    return perturbation.at_level(level) or Additive(noise=noise, range_privacy=level)


def _group_at(group: Group, retained: float) -> Group:
    theta = retained if group.type == "unrelated" else (1 + retained) / 2
    return dataclasses.replace(group, theta=theta)
