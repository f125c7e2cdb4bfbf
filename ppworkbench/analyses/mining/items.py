"""Items: those that a study offers, chosen ones, those of parts, and records with weights."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling, role_columns
from ppworkbench.core.data.table import Table
from ppworkbench.core.data.transactions import ABSENT_PRESENT
from ppworkbench.core.design import Design
from ppworkbench.core.design.matrices.base import condition_number
from ppworkbench.core.design.noises import Discretise
from ppworkbench.core.errors import DataError
from ppworkbench.core.itemsets import ItemData, item_data
from ppworkbench.core.itemsets.items import ItemOptions
from ppworkbench.core.message import Message
from ppworkbench.core.sampling.sample import SampleReader

if TYPE_CHECKING:
    from ppworkbench.core.survey.parted import PartedAnswers
    from ppworkbench.study.study import Study

Key = tuple[str, str]
"""An item: attribute and value."""
_ONLY_WEIGHTS = Message(
    "Strata and clusters are not used here: the intervals hold for records drawn one by one.",
    code="only-weights",
)


def weigh_items(data: ItemData, table: Table, sampling: Sampling | None) -> ItemData:
    """Items of records that count as often as they weigh; a note says what is used and what not.

    Parameters
    ----------
    table
        The records of the items with the columns that have roles.
    """
    if sampling is None:
        return data
    name = sampling.weight
    others = (_ONLY_WEIGHTS,) if sampling != Sampling(weight=name) else ()
    if name is None:
        return data.weighted(None, *others)
    reader = SampleReader(Sampling(weight=name))
    weights = reader.read(table).weights
    # What a whole sample cannot be is told by its frame.
    reader.frame()
    used = Message("Every record counts by its weight {name!r}.", code="weights", name=name)
    return data.weighted(weights, used, *others)


def items_of_parts(
    answers: PartedAnswers,
    design: Design,
    attributes: Sequence[str] | None = None,
    sampling: Sampling | None = None,
    options: ItemOptions | None = None,
    *,
    uncorrected: bool = False,
) -> ItemData:
    """The items of a folder of parts, whose candidates are counted where the records lie.

    Weights take the rows of the parts, as many as are put together.
    """
    from ppworkbench.core.itemsets.parted import parted_items

    if attributes is None:
        # Columns that tell how people were drawn are no items.
        attributes = [name for name in design.names if name not in role_columns(sampling)]
    if (sampling or Sampling()).weight is not None:
        table = answers.rows(design, attributes or design.names, sampling)
        found = item_data(table, None if uncorrected else design, attributes, options)
        return weigh_items(found, table, sampling)
    found = parted_items(
        answers.parts, design, answers.engine, attributes, options, reading=answers.options,
        uncorrected=uncorrected, progress=answers.progress,
    )  # fmt: skip
    return found.weighted(None, _ONLY_WEIGHTS) if sampling else found


def only_items(data: ItemData, keys: tuple[tuple[str, str], ...]) -> ItemData:
    wanted = set(keys)
    chosen = np.array(
        [i for i, item in enumerate(data.items) if (item.attribute, item.value) in wanted], np.intp
    )
    if not len(chosen):
        raise DataError("This study no longer has the chosen items; choose again.")
    if len(chosen) == len(data.items):
        return data
    graded = data.graded
    if graded is not None:
        graded = dataclasses.replace(
            graded, column=graded.column[chosen], weights=graded.weights[chosen]
        )
    return dataclasses.replace(
        data,
        items=tuple(data.items[i] for i in chosen.tolist()),
        bits=np.ascontiguousarray(data.bits[chosen]),
        present=data.present[chosen],
        absent=data.absent[chosen],
        blocks=data.blocks[chosen],
        graded=graded,
        counter=None if data.counter is None else data.counter.only(chosen),
    )


# What a study offers

Say = Callable[[str], str]
"""Says a text of the program in the language of whoever reads it."""
SUGGESTED = 100
"""More items than these are mined only when somebody asks for them."""

_YES = frozenset({"yes", "true", "1", "y", "t"})
_NO = frozenset({"no", "false", "0", "n", "f"})


@dataclass(frozen=True)
class ItemOption:
    """A value of an attribute as an item, and what people call it and the attribute."""

    attribute: str
    value: str
    words: str
    title: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.attribute, self.value


@dataclass(frozen=True, eq=False)
class AvailableItems:
    """All items of a study, and attributes that cannot be items with the reasons."""

    items: tuple[ItemOption, ...] = ()
    usual: tuple[ItemOption, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()

    @cached_property
    def by_key(self) -> dict[tuple[str, str], ItemOption]:
        return {item.key: item for item in self.items}

    @cached_property
    def words(self) -> dict[str, str]:
        """What people call the items, by the names that results have for them."""
        things = {i.attribute: i.words for i in self.items if i.value == ABSENT_PRESENT[1]}
        return things | {f"{i.attribute}={i.value}": i.words for i in self.items}

    def pick(self, keys: Iterable[tuple[str, str]]) -> tuple[ItemOption, ...]:
        """The items of some keys that there still are, in the order of the study."""
        wanted = set(keys)
        return tuple(item for item in self.items if item.key in wanted)


def available_items(study: Study, say: Say = str) -> AvailableItems:
    """What a study has to mine; with arms nothing, because itemsets need one version for all."""
    if study.design.has_arms:
        return AvailableItems()
    items: list[ItemOption] = []
    refused: list[tuple[str, str]] = []
    singular: dict[object, bool] = {}
    for designed in study.design:
        why = _refusal(study.design, designed.name, singular)
        if why:
            refused.append((study.shown(designed.name), say(why)))
            continue
        as_values = _as_values(study.design, designed.name)
        own = _items_of(as_values.with_(title=study.shown(designed.name)), say)
        is_listed = designed.attribute.kind.is_categorical
        items += own if is_listed else [_interval(one, say) for one in own]
    return AvailableItems(tuple(items), tuple(_usual(study.design, items)), tuple(refused))


def _as_values(design: Design, name: str) -> Attribute:
    """The attribute as its items see it: a number is cut into intervals."""
    attribute, perturbation = design[name].attribute, design.perturbation(name)
    if attribute.kind.is_categorical:
        return attribute
    if perturbation.numbers.interval_edges(attribute) is not None:
        return perturbation.distorted(attribute)
    return Discretise(intervals=ItemOptions().bins).distorted(attribute)


def _refusal(design: Design, name: str, singular: dict[object, bool]) -> str:
    """Why the values of an attribute cannot be items; empty if they can."""
    attribute, perturbation = design[name].attribute, design.perturbation(name)
    if attribute.kind.is_categorical:
        if attribute.k < 1:
            return Message("it has no values")
        if perturbation.is_identity:
            return ""
        matrix = perturbation.matrix_for(attribute)
        if matrix is None:
            return Message("its reports are sets of values")
        key = perturbation, attribute.k
        if key not in singular:
            singular[key] = not math.isfinite(condition_number(matrix))
        return Message("its matrix is singular") if singular[key] else ""
    exact = perturbation.numbers.exact_share is not None
    if exact or perturbation.numbers.interval_edges(attribute) is not None:
        return "" if attribute.width > 0 else Message("it has only 1 possible number")
    return Message("it is a number with noise")


def _items_of(attribute: Attribute, say: Say) -> list[ItemOption]:
    is_basket = attribute.kind is Kind.BINARY and set(attribute.values) == set(ABSENT_PRESENT)
    return [
        ItemOption(attribute.name, value, _words(attribute, value, say), attribute.shown)
        for value in attribute.values
        if not (is_basket and value == "0")
    ]


def _interval(item: ItemOption, say: Say) -> ItemOption:
    """An item that is an interval of a number; its value is worded by the core."""
    return dataclasses.replace(item, words=f"{item.title}: {say(item.value)}")


def _words(attribute: Attribute, value: str, say: Say = str) -> str:
    """What people call an item.

    >>> car = Attribute("car", Kind.BINARY, ("no", "yes"))
    >>> _words(car, "yes"), _words(car, "no")
    ('car', 'no car')
    >>> _words(car.with_(title="Has a car"), "no")
    'Has a car: no'
    """
    shown = attribute.shown
    if is_yes_no(attribute) and value.lower() in _YES:
        return shown
    if is_yes_no(attribute) and shown == attribute.name:
        return say(Message("no {attribute}", attribute=shown))
    return f"{shown}: {value}"


def is_yes_no(attribute: Attribute) -> bool:
    """Whether the two values of an attribute say yes and no."""
    if attribute.kind is not Kind.BINARY:
        return False
    first, second = (value.lower() for value in attribute.values)
    return (first in _NO and second in _YES) or (first in _YES and second in _NO)


def _usual(design: Design, items: list[ItemOption]) -> list[ItemOption]:
    """Binary and nominal attributes without the class; of yes and no only the yes."""
    found: list[ItemOption] = []
    by_attribute: dict[str, list[ItemOption]] = {}
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


def kept_shares(design: Design, items: Iterable[ItemOption]) -> tuple[tuple[float, float], ...]:
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
    matrix = None if perturbation.is_identity else perturbation.matrix_for(attribute)
    if matrix is None:
        return {}
    found = {}
    for place, value in enumerate(attribute.values):
        stays = float(matrix[place, place])
        others = attribute.k - 1
        appears = (float(matrix[place].sum()) - stays) / others if others else 0.0
        found[name, value] = (stays, 1.0 - appears)
    return found
