"""The four attacks: what they are called, and why one cannot be carried out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ppworkbench.core.attacks.filtering import filterable
from ppworkbench.core.design import DesignedAttribute
from ppworkbench.gui.language.text import tr
from ppworkbench.study.study import Study

GUESS, REPEAT, FILTER, LINK = "guess", "repeat", "filter", "link"
ATTACKS = (GUESS, REPEAT, FILTER, LINK)
OF_ONE = (GUESS, REPEAT)
"""The attacks on a single attribute."""

_LINKED = 5
"""Attributes that somebody is taken to know unless others are ticked."""


@dataclass(frozen=True)
class Attack:
    """An attack in the list; ``reason`` says why it cannot be carried out, if it cannot."""

    key: str
    title: str
    hint: str
    reason: str = ""


def attacks_on(study: Study, name: str | None) -> tuple[Attack, ...]:
    """The attacks on a study, in order."""
    words = {
        GUESS: (tr("Best guess"), tr("What does one reported answer give away?")),
        REPEAT: (tr("Asking again"), tr("What if the same person is asked many times?")),
        FILTER: (tr("Noise filtering"), tr("Do correlated numbers betray the noise?")),
        LINK: (tr("Linkage"), tr("Can people with rare answers be found again?")),
    }
    return tuple(Attack(key, *words[key], why_not(study, key, name)) for key in ATTACKS)


def why_not(study: Study, key: str, name: str | None) -> str:
    """Why an attack cannot be carried out; empty if it can."""
    if study.original is None:
        return tr("These answers came distorted; without the true ones nobody can tell a hit.")
    if key in OF_ONE:
        if name is None or name not in study.original or name not in study.design:
            return tr("Choose an attribute that is part of the design.")
    elif key == FILTER:
        count = len(filterable(study.design))
        if count < 2:
            return tr("Needs two or more numbers under additive noise; this design has %s.") % count
    elif not linkable(study):
        return tr("The design has no attribute to link by.")
    return ""


def linkable(study: Study) -> tuple[str, ...]:
    """The attributes that an attacker may know."""
    table = study.original
    return tuple(name for name in study.design.names if table is not None and name in table)


def usual_links(study: Study) -> tuple[str, ...]:
    """The attributes that are ticked at the start: the first ones, where surveys ask who one is."""
    return linkable(study)[:_LINKED]


def designed_as(study: Study, name: str) -> DesignedAttribute:
    """An attribute with the perturbation in effect, that of its group where it is in one."""
    return replace(study.design[name], perturbation=study.design.perturbation(name))
