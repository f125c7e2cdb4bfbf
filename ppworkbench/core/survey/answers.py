"""The records that answered every attribute of a statistic, in the terms of the design."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.table import Table, shorten
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.design.identity import Identity
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.message import Message


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
        names = shorten([repr(name) for name in self.data])
        return (
            Message(
                "{lacking:,} of {total:,} records lack an answer to {names} and are left out.",
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
            raise DataError("The data have no records, so there is nothing to estimate from.")
        listed = shorten([repr(name) for name in published])
        raise DataError(
            Message(
                "The data have no record with an answer to {listed}, so there is nothing "
                "to estimate from.",
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
