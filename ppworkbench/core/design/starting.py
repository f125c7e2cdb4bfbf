"""A design to start from, before anybody has decided anything."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind, MissingPolicy
from ppworkbench.core.data.sampling_roles import Sampling, role_columns
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.identity import Identity
from ppworkbench.core.design.matrices import MAX_VALUES, Uniform
from ppworkbench.core.design.noises import Additive, SquareWave, why_not_domain
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.design.sets import Subset
from ppworkbench.core.errors import DesignError

MOST_VALUES = 200
"""Beyond this, values are names or free text rather than answers to a question."""


EPSILON_EACH = 1.0
"""What one answer may disclose to begin with: odds change at most 2.7-fold."""


def starting_design(
    table: Table,
    sampling: Sampling | None = None,
    epsilon: float = EPSILON_EACH,
    *,
    single: bool = False,
) -> Design:
    """The same finite epsilon for every attribute; columns with a role are not distorted.

    The class is an answer like any other; where there is one, records are to be learnt from, and
    every report is a single answer, as it is with ``single``. Columns that look like identifiers or
    free text are left out, so that they are not published; a cluster may look like one and stays.
    Sets, which were randomised before, are left out, too.
    """
    single = single or table.class_name is not None
    designed = starting_attributes(table.attributes, sampling, epsilon, single=single)
    names = {d.name for d in designed}
    class_name = table.class_name if table.class_name in names else None
    return Design(designed, class_name, sampling=sampling)


def starting_attributes(
    attributes: Iterable[Attribute],
    sampling: Sampling | None = None,
    epsilon: float = EPSILON_EACH,
    *,
    single: bool = False,
) -> tuple[DesignedAttribute, ...]:
    """The attributes of a design to start from, less those that are no questions."""
    roles = role_columns(sampling)
    return tuple(
        DesignedAttribute(
            answered(attribute),
            Identity()
            if attribute.name in roles
            else starting_perturbation(answered(attribute), epsilon, single=single),
            missing_counts(attribute),
        )
        for attribute in attributes
        if attribute.name in roles or _is_question(attribute)
    )


def open_design(
    attributes: Iterable[Attribute],
    sampling: Sampling | None = None,
    mechanisms: Mapping[str, Perturbation] | None = None,
) -> Design:
    """A design that randomises only what a mechanism is named for, by default nothing.

    Columns that are no questions are left out as in a design to start from, unless they have a role
    or a mechanism.

    >>> asked = [Attribute(name, Kind.BINARY, ("no", "yes")) for name in ("q", "r")]
    >>> open_design(asked, mechanisms={"q": Uniform(keep=0.75)}).randomised
    ('q',)
    """
    named = mechanisms or {}
    kept = {*named, *role_columns(sampling)}
    designed = tuple(
        DesignedAttribute(
            answered(attribute), named.get(attribute.name, Identity()), missing_counts(attribute)
        )
        for attribute in attributes
        if attribute.name in kept or _is_question(attribute)
    )
    return Design(designed, sampling=sampling)


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
    # Sets are reports, which were randomised before.
    if attribute.kind is Kind.SET:
        return False
    if attribute.kind.is_categorical and attribute.may_name_people:
        # Its list of values would be published with the design.
        return False
    return attribute.kind.is_numeric or 1 <= attribute.k <= min(MOST_VALUES, MAX_VALUES)


def starting_perturbation(
    attribute: Attribute, epsilon: float = EPSILON_EACH, *, single: bool = False
) -> Perturbation:
    """The perturbation that the starting design gives to one attribute.

    Values, ordered ones too, are kept with ``e^ε / (e^ε + k - 1)`` or replaced by any other:
    at equal epsilon this gives better shares than mechanisms that prefer neighbours. Of a long list
    (``k > 3 e^ε + 2``) a set of values is reported, which tells more about shares, unless what
    follows needs ``single`` answers. Numbers are reported by a square wave, from which their whole
    distribution can be rebuilt.

    >>> round(starting_perturbation(Attribute("q", Kind.BINARY, ("no", "yes"))).keep, 4)
    0.7311
    """
    if attribute.kind.is_categorical:
        odds = math.exp(epsilon)
        if attribute.k > 3 * odds + 2 and not single:
            return Subset(epsilon=epsilon)
        return Uniform(keep=odds / (odds + max(attribute.k, 1) - 1))
    rule = "staircase" if attribute.kind is Kind.INTEGER else None
    if why_not_domain(attribute) is not None:
        # No noise has digits that would hide such numbers; whoever widens the domain can choose.
        return Identity()
    wave = SquareWave(epsilon=epsilon)
    try:
        wave.check(attribute)
    except DesignError:
        # The whole numbers of a very wide range are too many for a window; one number is too few.
        return Additive(noise="laplace", scale=attribute.width / epsilon or 1.0, integer=rule)
    return wave
