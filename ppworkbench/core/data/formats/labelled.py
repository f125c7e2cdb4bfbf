"""What the readers of SPSS and Stata files share: variables as raw columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Code, MissingCode
from ppworkbench.core.data.formats.dates import Writer, dates_to_text
from ppworkbench.core.data.formats.readstat import Parsed, Variable
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.table import shorten
from ppworkbench.core.message import Message

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Declared:
    """What a file says about one variable besides its cells."""

    name: str
    label: str
    value_labels: Mapping[Code, str]
    missing_codes: tuple[MissingCode, ...] = ()
    missing_ranges: tuple[tuple[float, float], ...] = ()
    measure: str = ""


@dataclass
class DateLog:
    """Which variables held dates, and how many of their cells were none."""

    names: list[str] = field(default_factory=list)
    lost: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about dates, if there were any."""
        notes: tuple[str, ...] = ()
        if self.names:
            notes += (
                Message("Dates and times are kept as text: {dates}.", dates=shorten(self.names)),
            )
        if self.lost:
            notes += (Message("{lost} cells with impossible dates are missing.", lost=self.lost),)
        return notes


def labelled_table(
    path: Path, parsed: Parsed, read: Callable[[Variable, DateLog], RawColumn]
) -> RawTable:
    """Turn variables into columns and say what there is to say about them."""
    dates = DateLog()
    columns = tuple(read(variable, dates) for variable in parsed.variables)
    return RawTable(columns, source=str(path), notes=parsed.notes + dates.notes)


def text_column(declared: Declared, texts: pa.Array) -> RawColumn:
    """A variable of text; a blank cell is missing unless the file has a label for it."""
    data = pa.chunked_array([texts])
    if "" not in declared.value_labels and all(m.code != "" for m in declared.missing_codes):
        data = pc.if_else(pc.equal(data, ""), pa.scalar(None, pa.string()), data)
    return _raw(declared, data)


def number_column(
    declared: Declared, numbers: Numbers, why: NDArray[np.int16] | None = None
) -> RawColumn:
    """A variable of numbers; NaN is a missing cell, ``why`` says which code it held."""
    return _raw(declared, pa.chunked_array([pa.array(numbers, from_pandas=True)]), why)


def date_column(
    declared: Declared,
    numbers: Numbers,
    write: Writer,
    dates: DateLog,
    why: NDArray[np.int16] | None = None,
) -> RawColumn:
    """A variable of dates as ISO text."""
    texts, lost = dates_to_text(numbers, write)
    dates.names.append(declared.name)
    dates.lost += lost
    codes = declared.missing_codes
    plain = Declared(declared.name, declared.label, {}, codes, (), declared.measure)
    return _raw(plain, texts, why)


def _raw(
    declared: Declared, data: pa.ChunkedArray, why: NDArray[np.int16] | None = None
) -> RawColumn:
    return RawColumn(
        name=declared.name,
        data=data,
        label=declared.label,
        value_labels=declared.value_labels,
        missing_codes=declared.missing_codes,
        missing_ranges=declared.missing_ranges,
        measure=declared.measure,
        why_missing=why,
    )
