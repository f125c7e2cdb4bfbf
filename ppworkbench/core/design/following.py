"""Designs for attributes that were edited, renamed, added or removed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.arms import ONE_VERSION, Arms
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.identity import Identity
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.design.starting import (
    answered,
    missing_counts,
    starting_attributes,
    starting_perturbation,
)
from ppworkbench.core.errors import DesignError


def follow(design: Design, attributes: Sequence[Attribute], class_name: str | None) -> Design:
    """A design for these attributes that keeps every perturbation which still fits."""
    # Only what changed is designed anew, because a table may have thousands of attributes.
    same = {a.name for a in attributes if a.name in design and _fits(design[a.name], a)}
    others = [attribute for attribute in attributes if attribute.name not in same]
    single = class_name is not None
    fresh = {d.name: d for d in starting_attributes(others, design.sampling, single=single)}
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
    following = Design(
        tuple(designed), class_name if class_name in names else None, before.groups,
        design.sampling, arms, lists, design.anchors_among(designed),
    )  # fmt: skip
    return design.budget_among(following)


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
    """Whether an arm can have a device of its own that publishes the same answers."""
    try:
        own = dataclasses.replace(usual, perturbation=device, device=None)
    except DesignError:
        return False
    return own.distorted == usual.distorted


def _fits(designed: DesignedAttribute, attribute: Attribute) -> bool:
    """Whether an attribute is for the design what it was."""
    before, now = designed.attribute, answered(attribute)
    same_kind = before.kind is now.kind and before.domain == now.domain
    same_missing = designed.missing_is_value == missing_counts(attribute)
    return same_kind and same_missing and before.values == now.values


def _described(designed: DesignedAttribute, attribute: Attribute) -> DesignedAttribute:
    """The designed attribute with the marks and words of the one of the data."""
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
