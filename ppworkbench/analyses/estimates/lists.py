"""Lists of a study: making one of a question, asking about it, and telling what was found."""

from __future__ import annotations

import dataclasses

from ppworkbench.analyses.estimates.list_item import ListItem
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.design import DesignedAttribute
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.design.starting import starting_perturbation
from ppworkbench.study.study import Study

SHORT_ARM, LONG_ARM = "short", "long"
"""Names of the arms that are made with a list where there are none."""


# Making a list


def can_be_list(attribute: Attribute) -> bool:
    """Whether a question can be an item of a list: it has two answers."""
    return attribute.kind is Kind.BINARY and attribute.k == 2


def free_name(wanted: str, study: Study) -> str:
    """A name like this that no column has."""
    taken = {*study.design.names, *(one.name for one in study.attributes)}
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name


def list_arms(study: Study) -> Arms:
    """The arms that can hear a list: those of the design, else two halves to be made."""
    if study.design.has_arms:
        return study.design.versions
    column = free_name("version", study)
    return Arms(column, (DesignArm(SHORT_ARM, 0.5), DesignArm(LONG_ARM, 0.5)))


def proposed_list(study: Study, name: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """A column for the counts, and which arms hear the short and the long list at first."""
    names = list_arms(study).names
    half = max(len(names) // 2, 1)
    return free_name(f"{name}_count", study), names[:half], names[half:]


def with_list(study: Study, question: ListQuestion) -> Study:
    """The same study with a question asked by a list, in place of its list of before.

    Neither the question nor an item with a column of its own is published beside the count:
    together they would tell the answer. A design without arms gets two.

    Raises
    ------
    DesignError
        Where the list is none; its field says what.
    """
    design = study.design
    before = {one.name: one for one in design.lists}
    gone = {question.name, *question.items}
    if question.name in before and before[question.name].count != question.count:
        gone.add(before[question.name].count)
    gone |= {question.count} if question.name in before else set()
    arms = list_arms(study)
    kept = tuple(
        one
        for one in design
        if one.name not in gone or (one.name in design.roles or one.name == arms.column)
    )
    groups = study.without_groups_of(gone).design.groups
    others = tuple(one for one in design.lists if one.name != question.name)
    changed = design.among(kept, groups=groups, arms=arms.without(gone), lists=(*others, question))
    return study.with_(design=changed)


def without_list(study: Study, name: str) -> Study:
    """The same study with the question of a list asked by itself again."""
    design, question = study.design, study.design.list_of(name)
    attribute = question.attribute
    if study.original is not None and name in study.original:
        attribute = study.original[name].attribute
    asked = DesignedAttribute(attribute, starting_perturbation(attribute))
    kept = tuple(one for one in design if one.name != question.count)
    arms = design.versions.without({question.count})
    lists = tuple(one for one in design.lists if one.name != name)
    return study.with_(design=design.among((*kept, asked), arms=arms, lists=lists))


# Asking


def list_title(question: ListQuestion, study: Study) -> str:
    """What people call the question behind a list."""
    shown = study.shown(question.name)
    return question.attribute.title or shown if shown == question.name else shown


def first_inquiry(study: Study) -> ListItem | None:
    """What is asked first: the first list."""
    lists = study.design.lists
    return ListItem(attribute=lists[0].name) if lists else None


def predictors_for(study: Study) -> tuple[str, ...]:
    """The attributes that may go together with the item of a list: not randomised ones."""
    design = study.design
    drawn = set(design.drawn_columns)
    return tuple(
        name for name in design.names
        if name not in drawn and design.perturbation(name).is_identity
    )  # fmt: skip


def fitting_inquiry(inquiry: ListItem | None, study: Study) -> ListItem | None:
    """The same inquiry where the study still has its list; else the first that there is."""
    known = {one.name for one in study.design.lists}
    if inquiry is None or inquiry.attribute not in known:
        return first_inquiry(study)
    offered = predictors_for(study)
    kept = tuple(name for name in inquiry.predictors if name in offered)
    return inquiry if kept == inquiry.predictors else dataclasses.replace(inquiry, predictors=kept)
