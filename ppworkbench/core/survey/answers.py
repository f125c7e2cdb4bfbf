"""The records that answered every attribute of a statistic, in the terms of the design.

Distorted answers are also taken at their word here, for the figures beside an estimate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.table import Table, list_attributes, shorten
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.design.identity import Identity
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.survey.regions import Region


@dataclass(frozen=True, eq=False)
class Answers:
    """Complete cases: who left one of the attributes unanswered is left out.

    Parameters
    ----------
    data
        Codes or numbers of every attribute, of complete records only.
    rows
        The positions of these records in the table.
    total
        The number of all records in the table.
    """

    data: dict[str, NDArray[Any]]
    rows: NDArray[np.int64]
    total: int

    @property
    def n(self) -> int:
        """The number of complete records."""
        return len(self.rows)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is said about missing answers."""
        lacking = self.total - self.n
        if not lacking:
            return ()
        names = list_attributes(self.data, quoted=True)
        return (
            Message(
                "{lacking:,} of {total:,} records have no answer to {names} and are excluded.",
                lacking=lacking,
                total=self.total,
                names=names,
            ),
        )

    def keep(self, chosen: NDArray[np.bool_]) -> Answers:
        """Only the chosen ones of the complete records."""
        data = {name: column[chosen] for name, column in self.data.items()}
        return Answers(data, self.rows[chosen], self.total)


def distorted_answers(table: Table, design: Design, names: Iterable[str]) -> Answers:
    """The complete distorted answers to some attributes; an error where there are none."""
    published = {name: _published(design[name]) for name in names}
    answers = _answers(table, published)
    if not answers.n:
        if not table.rows:
            raise DataError("The data have no records; nothing can be estimated.")
        listed = list_attributes(published, quoted=True)
        raise DataError(
            Message(
                "No record has an answer to {listed}; nothing can be estimated.",
                listed=listed,
            )
        )
    return answers


def original_answers(table: Table, design: Design, names: Iterable[str]) -> Answers:
    """The complete original answers to some attributes."""
    return _answers(table, {name: design[name] for name in names})


def _published(designed: DesignedAttribute) -> DesignedAttribute:
    return DesignedAttribute(designed.distorted, Identity(), designed.missing_is_value)


def _answers(table: Table, expected: dict[str, DesignedAttribute]) -> Answers:
    data: dict[str, NDArray[Any]] = {}
    complete = np.ones(table.rows, np.bool_)
    for name, designed in expected.items():
        if name not in table:
            raise DataError(
                Message(
                    "The data have no column {attribute!r}; they have {names}.",
                    attribute=name,
                    names=shorten(table.names),
                ),
                attribute=name,
            )
        try:
            found = fit_column(table[name], designed)
        except DesignError as error:
            # What does not fit is the table: the design is what it was collected with.
            raise DataError(error.message, attribute=name, row=error.row) from None
        data[name] = found
        complete &= found >= 0 if designed.attribute.kind.is_categorical else ~np.isnan(found)
    rows = np.flatnonzero(complete)
    if len(rows) < table.rows:
        data = {name: column[rows] for name, column in data.items()}
    return Answers(data, rows, table.rows)


def taken_for_true(name: str, answers: Answers, design: Design) -> NDArray[Any]:
    """Distorted answers as if they were original ones; an interval stands for its middle."""
    data = answers.data[name]
    edges = design.perturbation(name).interval_edges(design[name].attribute)
    if edges is None:
        return data
    return np.asarray(((edges[:-1] + edges[1:]) / 2)[data])


def naive_data(answers: Answers, design: Design) -> dict[str, NDArray[Any]]:
    """All distorted answers as if they were original ones."""
    return {name: taken_for_true(name, answers, design) for name in answers.data}


def true_data(
    original: Table | None, design: Design, names: tuple[str, ...]
) -> dict[str, NDArray[Any]] | None:
    """The original answers of complete records, where there are any."""
    return None if original is None else original_answers(original, design, names).data


def meeting(
    data: Mapping[str, NDArray[Any]], regions: Mapping[str, Region], n: int
) -> NDArray[np.bool_]:
    """Which of n records lie in all regions."""
    rows = len(data[next(iter(regions))]) if regions else n
    inside = np.ones(rows, np.bool_)
    for name, region in regions.items():
        inside &= region.contains(data[name])
    return inside
