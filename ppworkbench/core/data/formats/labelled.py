"""What SPSS and Stata files share: variables as raw columns, and columns as variables.

Dates and times of statistics programs, which are numbers there, as ISO 8601 text.

SPSS counts seconds from 14 October 1582, Stata milliseconds, days, weeks, months, quarters or
half-years from the beginning of 1960.
"""

from __future__ import annotations

import dataclasses
import errno
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.codebook import Stored
from ppworkbench.core.data.formats.format import Written
from ppworkbench.core.data.formats.readstat import Parsed, Variable
from ppworkbench.core.data.formats.stored import (
    LabelCutter,
    NameRules,
    fitted_names,
    variable_label,
)
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.table import Column, Table, list_attributes
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress

Writer = Callable[[Numbers], NDArray[Any]]

_FARTHEST = 10_000 * 366 * 86_400_000.0
"""Milliseconds of ten thousand years: beyond it a number is no date of a survey."""

_SPSS = {
    "date": "DATE ADATE EDATE JDATE SDATE WKYR",
    "datetime": "DATETIME YMDHMS",
    "time": "TIME DTIME MTIME",
    "month": "MOYR",
    "quarter": "QYR",
}


def spss_dates(print_format: str | None) -> Writer | None:
    """What writes the numbers of an SPSS format as text; None when they are plain numbers.

    >>> spss_dates("DATE11")(np.array([13736131200.0])).tolist()
    ['2018-01-24']
    """
    word = re.match(r"[A-Z]+", print_format or "")
    style = next((s for s, words in _SPSS.items() if word and word[0] in words.split()), None)
    if style is None:
        return None
    return lambda seconds: _from_milliseconds(seconds * 1000.0, "1582-10-14", style)


def stata_dates(display_format: str | None) -> Writer | None:
    """What writes the numbers of a Stata format as text; None when they are plain numbers.

    >>> stata_dates("%td")(np.array([0.0, 21207.0])).tolist()
    ['1960-01-01', '2018-01-23']
    """
    found = re.match(r"%-?(d|t[cCdwmqh])", display_format or "")
    if found is None:
        return None
    unit = found[1][-1]
    if unit in "cC":
        clock = "HH" in str(display_format) and not re.search("[DdYyNn]", str(display_format)[3:])
        style = "time" if clock else "datetime"
        return lambda milliseconds: _from_milliseconds(milliseconds, "1960-01-01", style)
    if unit == "d":
        return lambda days: _from_milliseconds(days * 86_400_000.0, "1960-01-01", "date")
    if unit == "w":
        return _from_weeks
    months = {"m": 1, "q": 3, "h": 6}[unit]
    style = {"m": "month", "q": "quarter", "h": "half"}[unit]
    return lambda periods: _from_months(periods * months, style)


def dates_to_text(numbers: Numbers, write: Writer) -> tuple[pa.ChunkedArray, int]:
    present = np.isfinite(numbers)
    distinct, inverse = np.unique(numbers[present], return_inverse=True)
    texts = write(distinct)
    empty = texts == ""
    codes = np.full(len(numbers), -1, np.int32)
    codes[present] = np.where(empty, -1, np.cumsum(~empty) - 1)[inverse]
    lost = int(np.count_nonzero(codes[present] < 0))
    indices = pa.array(codes, mask=codes < 0)
    words = pa.array(texts[~empty].tolist(), pa.string())
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, words)]), lost


def _from_milliseconds(milliseconds: Numbers, epoch: str, style: str) -> NDArray[Any]:
    good = np.abs(milliseconds) < _FARTHEST
    whole = np.rint(np.where(good, milliseconds, 0.0)).astype(np.int64)
    if style == "time":
        texts = np.array([_clock(one) for one in whole.tolist()], dtype=object)
    else:
        moments = np.datetime64(epoch, "ms") + whole.astype("timedelta64[ms]")
        texts = _moment_texts(moments, style)
    return np.where(good, texts, "")


def _moment_texts(moments: NDArray[np.datetime64], style: str) -> NDArray[Any]:
    if style in ("month", "quarter"):
        months = moments.astype("datetime64[M]").astype(np.float64) + 120.0
        return _from_months(np.asarray(months, np.float64), style)
    if style == "date":
        return np.datetime_as_string(moments, unit="D").astype(object)
    whole = not (moments.astype(np.int64) % 1000).any()
    return np.datetime_as_string(moments, unit="s" if whole else "ms").astype(object)


def _from_months(months: Numbers, style: str) -> NDArray[Any]:
    good = np.abs(months) < 120_000
    count = np.where(good, np.floor(months), 0).astype(np.int64)
    years, month = (1960 + count // 12).tolist(), (count % 12).tolist()
    if style == "month":
        texts = [f"{y:04d}-{m + 1:02d}" for y, m in zip(years, month, strict=True)]
    elif style == "quarter":
        texts = [f"{y:04d}-Q{m // 3 + 1}" for y, m in zip(years, month, strict=True)]
    else:
        texts = [f"{y:04d}-H{m // 6 + 1}" for y, m in zip(years, month, strict=True)]
    return np.where(good, np.array(texts, dtype=object), "")


def _from_weeks(weeks: Numbers) -> NDArray[Any]:
    # Stata's year has 52 weeks that begin on 1 January; the last one is longer.
    good = np.abs(weeks) < 520_000
    count = np.where(good, np.floor(weeks), 0).astype(np.int64)
    years = (count // 52 - 10).astype("datetime64[Y]").astype("datetime64[D]")
    days = years + (7 * (count % 52)).astype("timedelta64[D]")
    return np.where(good, np.datetime_as_string(days, unit="D").astype(object), "")


def _clock(milliseconds: int) -> str:
    # A duration may be negative or longer than a day.
    sign = "-" if milliseconds < 0 else ""
    seconds, rest = divmod(abs(milliseconds), 1000)
    fraction = f".{rest:03d}" if rest else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"


@dataclass
class DateLog:
    """Which variables held dates, and how many of their cells were none."""

    names: list[str] = field(default_factory=list)
    lost: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        notes: tuple[str, ...] = ()
        if self.names:
            notes += (
                Message(
                    "Dates and times are kept as text: {dates}.", dates=list_attributes(self.names)
                ),
            )
        if self.lost:
            notes += (Message("{lost} cells with impossible dates are missing.", lost=self.lost),)
        return notes


def labelled_table(
    path: Path, parsed: Parsed, read: Callable[[Variable, DateLog], RawColumn]
) -> RawTable:
    dates = DateLog()
    columns = tuple(read(variable, dates) for variable in parsed.variables)
    return RawTable(columns, source=str(path), notes=parsed.notes + dates.notes)


def text_column(column: RawColumn) -> RawColumn:
    """A variable of text; a blank cell is missing unless the file has a label for it."""
    if "" in column.value_labels or any(m.code == "" for m in column.missing_codes):
        return column
    blank = pc.equal(column.data, "")
    data = pc.if_else(blank, pa.scalar(None, pa.string()), column.data)
    return dataclasses.replace(column, data=data)


def date_column(
    column: RawColumn, numbers: Numbers, write: Writer | None, dates: DateLog
) -> RawColumn:
    """A variable of dates as ISO text; of plain numbers where nothing writes them."""
    if write is None:
        return column
    texts, lost = dates_to_text(numbers, write)
    dates.names.append(column.name)
    dates.lost += lost
    return dataclasses.replace(column, data=texts, value_labels={}, missing_ranges=())


@dataclass(frozen=True)
class Plan:
    """How one column goes into a file; ``settings`` are what pyreadstat is told about it."""

    stored: Stored
    cells: Any
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Planned:
    cells: dict[str, Any]
    labels: dict[str, str | None]
    settings: Any
    written: Written


def plan_columns(
    table: Table,
    rules: NameRules,
    cut: LabelCutter,
    plan: Callable[[Column, str, LabelCutter], Plan],
    progress: Progress,
) -> Planned:
    names, notes = fitted_names(table, rules)
    plans: list[Plan] = []
    labels: dict[str, str | None] = {}
    for i, (column, name) in enumerate(zip(table, names, strict=True)):
        progress(0.3 * i / len(names), "Preparing columns")
        labels[name] = cut.question(variable_label(column, name), column.name)
        plans.append(plan(column, name, cut))
        notes += plans[-1].notes
    by_name = dict(zip(names, plans, strict=True))
    settings = {
        key: {name: one.settings[key] for name, one in by_name.items() if one.settings[key]}
        for key in plans[0].settings
    }
    cells = {name: one.cells for name, one in by_name.items()}
    written = Written(notes + cut.notes, tuple(one.stored for one in plans))
    return Planned(cells, labels, settings, written)


def check_whole(
    read: Callable[..., tuple[Any, Any]], path: Path, planned: Planned, rows: int
) -> None:
    """Read the last record and the names back; an OSError if they are not as they were written.

    ReadStat takes a write that failed for one that went well, so that a full disk leaves half a
    file and nobody knows. Every piece that is missing moves the rest, and what was the last record
    is then none, or the file cannot be read at all.
    """
    try:
        frame, about = read(path, row_offset=max(rows - 1, 0), row_limit=1)
        is_whole = list(about.column_names) == list(planned.cells) and len(frame) == min(rows, 1)
    except Exception:
        is_whole = False
    if not is_whole:
        raise OSError(errno.EIO, "the disk did not store all of it; it may be full")
