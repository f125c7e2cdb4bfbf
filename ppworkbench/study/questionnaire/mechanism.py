"""Perturbations as the page's script understands them.

The script knows a few elementary draws; every family is brought into one of them with all its
parameters worked out, so that the page and the workbench cannot disagree about a formula. See
``resources/questionnaire/mechanisms.js``.
"""

from __future__ import annotations

from typing import Any

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Design
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.matrices.base import column_steps

Mechanism = dict[str, Any]


def mechanism_of(design: Design, name: str) -> Mechanism:
    """How the script distorts an attribute of a publishable design."""
    group = design.group_of(name)
    attribute = design[name].attribute
    if group is not None:
        return _member(group, design.groups.index(group), attribute)
    return design[name].perturbation.page_draw(attribute)


def _member(group: Group, place: int, attribute: Attribute) -> Mechanism:
    # With theta 0 the marginal is what happens when the coin says "not the truth".
    personal = tuple(pair for pair in group.personal if pair[0] == attribute.name)
    other = Group((attribute.name,), group.type, 0.0, personal).marginal(attribute.name)
    matrix = other.matrix(attribute.k)
    return {"type": "coin", "theta": group.theta, "group": place, "other": column_steps(matrix)}
