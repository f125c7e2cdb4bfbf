"""A design to start from, before anybody has decided anything."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind, MissingPolicy
from ppworkbench.core.data.sampling_roles import Sampling, role_columns
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.arms import ONE_VERSION, Arms
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.design.matrices import MAX_VALUES, Uniform
from ppworkbench.core.design.noises import Additive, SquareWave, why_not_domain
from ppworkbench.core.design.perturbation import Identity, Perturbation
from ppworkbench.core.design.sets import Subset
from ppworkbench.core.errors import DesignError

MOST_VALUES = 200
"""Beyond this, values are names or free text rather than answers to a question."""


EPSILON_EACH = 1.0
"""What one answer may disclose to begin with: odds change at most 2.7-fold."""


def starting_design(
    table: Table,
    sampling: Sampling | None = None,
    epsilon: float | None = None,
    *,
    single: bool = False,
) -> Design:
    """What is marked as sensitive is randomised, everything where nothing is marked.

    With an ``epsilon`` every attribute gets that one. Columns with a role are not distorted.
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
    epsilon: float | None = None,
    *,
    single: bool = False,
    is_marked: bool | None = None,
) -> tuple[DesignedAttribute, ...]:
    """The attributes of a design to start from; ``is_marked`` if others of it are sensitive."""
    roles, listed = role_columns(sampling), tuple(attributes)
    if is_marked is None:
        is_marked = has_sensitive(listed)

    def start(attribute: Attribute) -> Perturbation:
        is_open = epsilon is None and is_marked and not attribute.sensitive
        if attribute.name in roles or is_open:
            return Identity()
        return starting_perturbation(answered(attribute), epsilon, single=single)

    return tuple(
        DesignedAttribute(answered(attribute), start(attribute), missing_counts(attribute))
        for attribute in listed
        if attribute.name in roles
        # Names, free text and record numbers are no answers, and would be published with the rest.
        or (_is_question(attribute) and not attribute.may_name_people)
    )


def has_sensitive(attributes: Iterable[Attribute]) -> bool:
    """Whether any answer is marked as sensitive."""
    return any(attribute.sensitive for attribute in attributes)


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


_YES_NO = 0.75
"""What two coins give: one of four outcomes switches the answer."""
_STEPS = (6, 10, 20, 100)
"""Outcomes of a die, a ten-sided die, a deck of cards and a spinner."""
_NEAR = 0.03
"""So far from the share that epsilon allows answers may be kept by a simpler device."""


def _handy_keep(keep: float, k: int) -> float:
    """The share of kept answers nearest to another that a coin, die, card or spinner gives.

    Some outcomes let people tell the truth, as many of the others force every answer.

    >>> [round(_handy_keep(math.e / (math.e + k - 1), k), 3) for k in (2, 3, 4, 5, 6)]
    [0.75, 0.6, 0.5, 0.4, 0.35]
    """
    if k <= 1:
        return keep
    if k == 2:
        return _YES_NO
    truth = (k * keep - 1) / (k - 1)
    for steps in _STEPS:
        forced = round((1 - truth) * steps / k)
        share = 1 - k * forced / steps
        handy = share + (1 - share) / k
        if share > 0 and abs(handy - keep) <= _NEAR:
            return handy
    return keep


def starting_perturbation(
    attribute: Attribute, epsilon: float | None = None, *, single: bool = False
) -> Perturbation:
    """The perturbation that the starting design gives to one attribute.

    Without an ``epsilon`` it is about 1, and values are kept as a coin, die or card gives it.
    Values, ordered ones too, are kept with ``e^ε / (e^ε + k - 1)`` or replaced by any other:
    at equal epsilon this gives better shares than mechanisms that prefer neighbours. Of a long list
    (``k > 3 e^ε + 2``) a set of values is reported, which tells more about shares, unless what
    follows needs ``single`` answers. Numbers are reported by a square wave, from which their whole
    distribution can be rebuilt.

    >>> round(starting_perturbation(Attribute("q", Kind.BINARY, ("no", "yes"))).keep, 4)
    0.75
    >>> round(starting_perturbation(Attribute("q", Kind.BINARY, ("no", "yes")), 1.0).keep, 4)
    0.7311
    """
    is_handy = epsilon is None
    epsilon = EPSILON_EACH if epsilon is None else epsilon
    if attribute.kind.is_categorical:
        odds = math.exp(epsilon)
        if attribute.k > 3 * odds + 2 and not single:
            return Subset(epsilon=epsilon)
        keep = odds / (odds + max(attribute.k, 1) - 1)
        return Uniform(keep=_handy_keep(keep, attribute.k) if is_handy else keep)
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


def follow(design: Design, attributes: Sequence[Attribute], class_name: str | None) -> Design:
    """A design for these attributes that keeps every perturbation which still fits."""
    # Only what changed is designed anew, because a table may have thousands of attributes.
    same = {a.name for a in attributes if a.name in design and _fits(design[a.name], a)}
    others = [attribute for attribute in attributes if attribute.name not in same]
    single = class_name is not None
    begun = starting_attributes(
        others, design.sampling, single=single, is_marked=has_sensitive(attributes)
    )
    fresh = {d.name: d for d in begun}
    broken = [group for group in design.groups if not same.issuperset(group.attributes)]
    before = dissolve(design, broken)
    designed = []
    hidden = {one.name for one in design.lists}
    for attribute in attributes:
        name = attribute.name
        if name in hidden:
            # No column publishes the question behind a list.
            continue
        if name in same:
            designed.append(_described(before[name], attribute))
        elif name in fresh and name in before:
            designed.append(_refitted(before[name], attribute, single=single))
        elif name in fresh:
            designed.append(fresh[name])
    told = design.versions.columns
    designed = [
        dataclasses.replace(d, perturbation=Identity()) if d.name in told else d for d in designed
    ]
    arms = _renamed_arms(design, designed)
    lists = _following_lists(design, arms)
    counts = {one.count: one.count_attribute for one in lists}
    designed = [
        DesignedAttribute(counts[d.name], Identity()) if d.name in counts else d for d in designed
    ]
    names = {d.name for d in designed}
    following = design.among(designed, groups=before.groups, arms=arms, lists=lists)
    return dataclasses.replace(following, class_name=class_name if class_name in names else None)


def dissolve(design: Design, dissolved: Sequence[Group]) -> Design:
    """The design without some groups; their members take over what the group did to them."""
    alone = {name: group.marginal(name) for group in dissolved for name in group.attributes}
    listed = tuple(
        dataclasses.replace(d, perturbation=alone[d.name]) if d.name in alone else d for d in design
    )
    groups = tuple(group for group in design.groups if group not in dissolved)
    return dataclasses.replace(design, attributes=listed, groups=groups)


def _following_lists(design: Design, arms: Arms) -> tuple[ListQuestion, ...]:
    """The lists for arms as they are called now; those without both versions go."""
    call = {name: name for name in arms.names}
    if len(arms.names) == len(design.versions.names):
        call |= dict(zip(design.versions.names, arms.names, strict=True))
    found = []
    for one in design.lists:
        short, long = (
            tuple(call.get(name, name) for name in side) for side in (one.short, one.long)
        )
        kept = dataclasses.replace(one, short=short, long=long).only(arms.names)
        if kept is not None:
            found.append(kept)
    return tuple(found)


def _renamed_arms(design: Design, designed: Sequence[DesignedAttribute]) -> Arms:
    """The arms as the column calls them now; those that it knows no more go.

    A value that was renamed keeps its place.
    """
    arms = design.versions
    if not arms.columns:
        return arms
    before = design[arms.column].attribute
    now = next((d.attribute for d in designed if d.name == arms.column), before)
    call = {name: name for name in now.values}
    if len(now.values) == len(before.values):
        pairs = zip(before.values, now.values, strict=True)
        call |= {old: new for old, new in pairs if old not in now.values}
    known = [arm.name for arm in arms.members if arm.name in call]
    if not known:
        return ONE_VERSION
    kept = arms.only(known)
    called = [dataclasses.replace(arm, name=call[arm.name]) for arm in kept.members]
    return fitting_arms(dataclasses.replace(kept, members=tuple(called)), designed)


def fitting_arms(arms: Arms, designed: Iterable[DesignedAttribute]) -> Arms:
    """The arms without questions that are gone, and without devices that do not fit any more.

    A question that only arms which are gone asked is asked by all others.
    """
    known = {d.name: d for d in designed}
    arms = arms.without({name for arm in arms.members for name in arm.named if name not in known})
    unasked = set.intersection(*(set(arm.omit) for arm in arms.members))
    members = []
    for arm in arms.members:
        kept = tuple((n, one) for n, one in arm.perturbations if _can_replace(known[n], one))
        omit = tuple(name for name in arm.omit if name not in unasked)
        members.append(dataclasses.replace(arm, perturbations=kept, omit=omit))
    return dataclasses.replace(arms, members=tuple(members))


def _can_replace(usual: DesignedAttribute, device: Perturbation) -> bool:
    try:
        own = dataclasses.replace(usual, perturbation=device, device=None)
    except DesignError:
        return False
    return own.distorted == usual.distorted


def _fits(designed: DesignedAttribute, attribute: Attribute) -> bool:
    before, now = designed.attribute, answered(attribute)
    same_kind = before.kind is now.kind and before.domain == now.domain
    same_missing = designed.missing_is_value == missing_counts(attribute)
    return same_kind and same_missing and before.values == now.values


def _described(designed: DesignedAttribute, attribute: Attribute) -> DesignedAttribute:
    before = designed.attribute
    now = before.with_(
        sensitive=attribute.sensitive,
        title=attribute.title,
        unit=attribute.unit,
        domain_source=attribute.domain_source,
        outside=attribute.outside,
    )
    return designed if before == now else dataclasses.replace(designed, attribute=now)


def _refitted(
    before: DesignedAttribute, attribute: Attribute, *, single: bool
) -> DesignedAttribute:
    now, missing = answered(attribute), missing_counts(attribute)
    try:
        return DesignedAttribute(now, before.perturbation, missing, before.device)
    except DesignError:
        return DesignedAttribute(now, starting_perturbation(now, single=single), missing)
