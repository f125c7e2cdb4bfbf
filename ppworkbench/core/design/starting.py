"""A design to start from, before anybody has decided anything."""

from __future__ import annotations

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind, MissingPolicy
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.identity import Identity
from ppworkbench.core.design.matrices import MAX_VALUES, Ordinal, Uniform
from ppworkbench.core.design.noises import Additive
from ppworkbench.core.design.perturbation import Perturbation

_MOST_VALUES = 200
"""Beyond this, values are names or free text rather than answers to a question."""


def starting_design(table: Table, sampling: Sampling | None = None) -> Design:
    """Moderate distortion for every attribute, none for the class and columns with a role.

    Columns that look like identifiers or free text are left out, so that they are not published;
    a cluster may look like one and stays.
    """
    roles = () if sampling is None else sampling.columns
    designed = tuple(
        DesignedAttribute(
            answered(attribute),
            Identity()
            if attribute.name in roles
            else starting_perturbation(answered(attribute), table.class_name),
            missing_counts(attribute),
        )
        for attribute in table.attributes
        if attribute.name in roles or _is_question(attribute)
    )
    names = {d.name for d in designed}
    class_name = table.class_name if table.class_name in names else None
    return Design(designed, class_name, sampling=sampling)


def missing_counts(attribute: Attribute) -> bool:
    """Whether a missing answer is one of the answers, distorted with the rest."""
    return attribute.missing is MissingPolicy.VALUE and attribute.kind.is_categorical


def answered(attribute: Attribute) -> Attribute:
    """The attribute as it is distorted: with "missing" among its values where that is wanted.

    >>> asked = Attribute("smokes", Kind.BINARY, ("no", "yes"), missing=MissingPolicy.VALUE)
    >>> answered(asked).values
    ('no', 'yes', 'missing')
    """
    if not missing_counts(attribute) or MISSING_VALUE in attribute.values:
        return attribute
    values = (*attribute.values, MISSING_VALUE)
    return attribute.with_(kind=Kind.NOMINAL, values=values, codes=())


def _is_question(attribute: Attribute) -> bool:
    return attribute.kind.is_numeric or 1 <= attribute.k <= min(_MOST_VALUES, MAX_VALUES)


_NARROWEST = 1e-40
"""Numbers within so small a range are one and the same; no noise is small enough for them."""


def starting_perturbation(attribute: Attribute, class_name: str | None = None) -> Perturbation:
    """The perturbation that the starting design gives to one attribute."""
    if attribute.name == class_name:
        return Identity()
    if attribute.kind.is_categorical:
        scale = [value for value in attribute.values if value != MISSING_VALUE]
        if attribute.kind is Kind.ORDINAL and len(scale) == attribute.k >= 3:
            return Ordinal(weights=(0.6, 0.2), loop=False)
        return Uniform(keep=0.6)
    rule = "staircase" if attribute.kind is Kind.INTEGER else None
    if attribute.width == 0:
        return Additive(noise="uniform", half_width=1.0, integer=rule)
    if attribute.width < _NARROWEST:
        return Identity()
    return Additive(noise="uniform", range_privacy=50.0, integer=rule)
