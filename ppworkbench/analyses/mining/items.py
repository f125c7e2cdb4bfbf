"""The items that are mined: chosen ones, those of parts, and records that count by their weight."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.errors import DataError
from ppworkbench.core.itemsets import ItemData, item_data
from ppworkbench.core.itemsets.items import ItemOptions
from ppworkbench.core.message import Message
from ppworkbench.core.sampling.sample import SampleReader

if TYPE_CHECKING:
    from ppworkbench.core.survey.parted import PartedAnswers

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

    if sampling is not None and attributes is None:
        # Columns that tell how people were drawn are no items.
        attributes = [name for name in design.names if name not in sampling.columns]
    if sampling is not None and sampling.weight is not None:
        table = answers.rows(design, attributes or design.names, sampling)
        found = item_data(table, None if uncorrected else design, attributes, options)
        return weigh_items(found, table, sampling)
    found = parted_items(
        answers.parts, design, answers.engine, attributes, options, reading=answers.options,
        uncorrected=uncorrected, progress=answers.progress,
    )  # fmt: skip
    return found if sampling is None else found.weighted(None, _ONLY_WEIGHTS)


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
