"""The answers of a study as items, kept for the next run."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.errors import DataError
from ppworkbench.core.itemsets import ItemData, item_data
from ppworkbench.core.progress import Progress, part
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.mine.request import Key, Request
from ppworkbench.study.reported import Answers

_Tables = tuple[Table, Table | None]


@dataclass(frozen=True, eq=False)
class Sources:
    """The items of the distorted answers and, where they are known, of the original ones."""

    published: ItemData
    truth: ItemData | None


class SourceKeeper:
    """Makes items of answers; those of the last run are at hand for the next method."""

    def __init__(self) -> None:
        self._last: tuple[_Tables, Design, tuple[Key, ...], Sources] | None = None

    def of(self, answers: Answers, design: Design, request: Request, progress: Progress) -> Sources:
        """The items that a run asks for."""
        tables = answers.distorted, answers.original
        if self._last is not None:
            before, then, items, sources = self._last
            same = all(a is b for a, b in zip(before, tables, strict=True)) and then is design
            if same and items == request.items:
                return sources
        self._last = None
        names = request.attributes
        progress(0.0, tr("Looking at the items"))
        reported = item_data(answers.distorted, design, names, progress=part(progress, 0.0, 0.5))
        published = only_items(reported, request.items)
        progress(0.5, tr("Looking at the items"))
        truth = None
        if answers.original is not None:
            rest = part(progress, 0.5, 1.0)
            whole = item_data(answers.original, design, names, original=True, progress=rest)
            truth = only_items(whole, request.items)
        progress(1.0)
        sources = Sources(published, truth)
        self._last = tables, design, request.items, sources
        return sources

    def forget(self) -> None:
        """Let go of the answers."""
        self._last = None


def only_items(data: ItemData, keys: tuple[Key, ...]) -> ItemData:
    """The data with no other items than these."""
    wanted = set(keys)
    chosen = np.array(
        [i for i, item in enumerate(data.items) if (item.attribute, item.value) in wanted], np.intp
    )
    if not len(chosen):
        raise DataError("None of the chosen items is left in this study; choose items again.")
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
    )
