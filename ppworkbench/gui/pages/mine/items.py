"""Which values of a study can be items, and which are mined before anybody chooses."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind
from ppworkbench.core.data.transactions import ABSENT_PRESENT
from ppworkbench.core.design import Design
from ppworkbench.core.design.matrices.base import condition_number
from ppworkbench.core.design.noises import Discretise
from ppworkbench.core.itemsets.items import ItemOptions
from ppworkbench.gui.language.text import told, tr
from ppworkbench.study.study import Study

SUGGESTED = 100
"""More items than these are mined only when somebody asks for them."""

_YES = frozenset({"yes", "true", "1", "y", "t"})
_NO = frozenset({"no", "false", "0", "n", "f"})


@dataclass(frozen=True)
class Choosable:
    """A value of an attribute as an item, and what people call it."""

    attribute: str
    value: str
    words: str

    @property
    def key(self) -> tuple[str, str]:
        """What the item is, without its words."""
        return self.attribute, self.value


@dataclass(frozen=True, eq=False)
class Offer:
    """All items of a study, and attributes that cannot be items with the reasons."""

    items: tuple[Choosable, ...] = ()
    usual: tuple[Choosable, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()

    @cached_property
    def by_key(self) -> dict[tuple[str, str], Choosable]:
        """Items by attribute and value."""
        return {item.key: item for item in self.items}

    def pick(self, keys: Iterable[tuple[str, str]]) -> tuple[Choosable, ...]:
        """The items of some keys that there still are, in the order of the study."""
        wanted = set(keys)
        return tuple(item for item in self.items if item.key in wanted)


def offer_of(study: Study) -> Offer:
    """What a study has to mine."""
    items: list[Choosable] = []
    refused: list[tuple[str, str]] = []
    singular: dict[object, bool] = {}
    for designed in study.design:
        why = _refusal(study.design, designed.name, singular)
        if why:
            refused.append((designed.name, why))
            continue
        own = _items_of(_as_values(study.design, designed.name))
        items += own if designed.attribute.kind.is_categorical else [_interval(one) for one in own]
    return Offer(tuple(items), tuple(_usual(study.design, items)), tuple(refused))


def _as_values(design: Design, name: str) -> Attribute:
    """The attribute as its items see it: a number is cut into intervals."""
    attribute, perturbation = design[name].attribute, design.perturbation(name)
    if attribute.kind.is_categorical:
        return attribute
    if perturbation.interval_edges(attribute) is not None:
        return perturbation.distorted(attribute)
    return Discretise(intervals=ItemOptions().bins).distorted(attribute)


def _refusal(design: Design, name: str, singular: dict[object, bool]) -> str:
    """Why the values of an attribute cannot be items; empty if they can."""
    attribute, perturbation = design[name].attribute, design.perturbation(name)
    if attribute.kind.is_categorical:
        if attribute.k < 1:
            return tr("it has no values")
        if perturbation.is_identity:
            return ""
        key = perturbation, attribute.k
        if key not in singular:
            condition = condition_number(perturbation.matrix(attribute.k))
            singular[key] = not math.isfinite(condition)
        return tr("its matrix cannot be undone") if singular[key] else ""
    exact = perturbation.exact_share is not None
    if exact or perturbation.interval_edges(attribute) is not None:
        return "" if attribute.width > 0 else tr("it has only one possible number")
    return tr("it is a number under noise")


def _items_of(attribute: Attribute) -> list[Choosable]:
    is_basket = attribute.kind is Kind.BINARY and set(attribute.values) == set(ABSENT_PRESENT)
    return [
        Choosable(attribute.name, value, _words(attribute, value))
        for value in attribute.values
        if not (is_basket and value == "0")
    ]


def _interval(item: Choosable) -> Choosable:
    """An item that is an interval of a number; its value is worded by the core."""
    return dataclasses.replace(item, words=f"{item.attribute}: {told(item.value)}")


def _words(attribute: Attribute, value: str) -> str:
    """What people call an item.

    >>> car = Attribute("car", Kind.BINARY, ("no", "yes"))
    >>> _words(car, "yes"), _words(car, "no")
    ('car', 'no car')
    """
    if is_yes_no(attribute):
        return attribute.name if value.lower() in _YES else tr("no %s") % attribute.name
    return f"{attribute.name}: {value}"


def is_yes_no(attribute: Attribute) -> bool:
    """Whether the two values of an attribute say yes and no."""
    if attribute.kind is not Kind.BINARY:
        return False
    first, second = (value.lower() for value in attribute.values)
    return (first in _NO and second in _YES) or (first in _YES and second in _NO)


def _usual(design: Design, items: list[Choosable]) -> list[Choosable]:
    """Binary and nominal attributes without the class; of yes and no only the yes."""
    found: list[Choosable] = []
    by_attribute: dict[str, list[Choosable]] = {}
    for item in items:
        by_attribute.setdefault(item.attribute, []).append(item)
    for name, own in by_attribute.items():
        attribute = design[name].attribute
        if attribute.kind not in (Kind.BINARY, Kind.NOMINAL) or name == design.class_name:
            continue
        yes_only = is_yes_no(attribute)
        wanted = [
            item
            for item in own
            if item.value != MISSING_VALUE and (not yes_only or item.value.lower() in _YES)
        ]
        if len(found) + len(wanted) > SUGGESTED:
            break
        found += wanted
    if found:
        return found
    # Only ordinal attributes or intervals: those are better than nothing.
    others = [item for item in items if item.attribute != design.class_name]
    return others[:SUGGESTED]


def kept_shares(design: Design, items: Iterable[Choosable]) -> tuple[tuple[float, float], ...]:
    """How likely each item stays, and how likely its absence does if all others are alike."""
    known: dict[tuple[str, str], tuple[float, float]] = {}
    found = []
    for item in items:
        if item.key not in known:
            known.update(_shares_of(design, item.attribute))
        found.append(known.get(item.key, (1.0, 1.0)))
    return tuple(found)


def _shares_of(design: Design, name: str) -> dict[tuple[str, str], tuple[float, float]]:
    attribute, perturbation = design[name].attribute, design.perturbation(name)
    if not attribute.kind.is_categorical or perturbation.is_identity:
        return {}
    matrix = perturbation.matrix(attribute.k)
    found = {}
    for place, value in enumerate(attribute.values):
        stays = float(matrix[place, place])
        others = attribute.k - 1
        appears = (float(matrix[place].sum()) - stays) / others if others else 0.0
        found[name, value] = (stays, 1.0 - appears)
    return found
