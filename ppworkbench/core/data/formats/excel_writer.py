"""Tables as workbooks: a sheet of answers, a codebook, and why answers are missing."""

from __future__ import annotations

import datetime as dt
import io
import math
import shutil
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Code, Kind
from ppworkbench.core.data.codebook import Enclosure, Stored
from ppworkbench.core.data.formats.excel_cells import (
    CODEBOOK_SHEET,
    DATA_SHEET,
    ERRORS,
    MISSING_SHEET,
    MOST_COLUMNS,
    MOST_ROWS,
    codebook_rows,
    safe_texts,
)
from ppworkbench.core.data.formats.format import Written
from ppworkbench.core.data.formats.stored import own_numbers
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.data.table import Column, Table, shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.formulas import escape_formula
from ppworkbench.core.kernels import library_lock
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress

_ROWS = 1000


def write_excel(
    table: Table,
    path: Path,
    options: WriteOptions,
    progress: Progress,
    enclosure: Enclosure,
) -> Written:
    """Write a workbook; no cell of it is ever a formula."""
    with library_lock:
        import openpyxl

    if path.suffix.lower() != ".xlsx":
        raise DataError("Only new workbooks are written; choose a name that ends in .xlsx.")
    _check_limits(table)
    names = safe_texts(table.names, escape=options.escape_formulas)
    stored = tuple(
        Stored(name, _stored_values(column, options))
        for name, column in zip(names, table, strict=True)
    )
    notes = _notes(table, names, stored)
    book = openpyxl.Workbook(write_only=True)
    try:
        sheet = _Sheet(book.create_sheet(DATA_SHEET))
        sheet.write(list(names))
        cells = [_cells_of(column, s, options) for column, s in zip(table, stored, strict=True)]
        _write_rows(sheet, cells, table.rows, progress)
        if options.codebook:
            codebook = enclosure.codebook(table, stored, notes)
            sheet = _Sheet(book.create_sheet(CODEBOOK_SHEET))
            for row in codebook_rows(codebook, table.rows, escape=options.escape_formulas):
                sheet.write([text or None for text in row])
            _write_missing(book, table, names, progress)
        progress(0.9, Message("Saving {file}", file=path.name))
        save_workbook(book, path)
    finally:
        # An error leaves sheets half written in temporary files; closing them is quiet.
        for made in book.worksheets:
            if not made.closed:
                made.close()
    return Written(notes)


class _DatelessArchive(zipfile.ZipFile):
    """An archive whose members do not tell when they were written."""

    def writestr(self, name: Any, data: Any, *_: Any, **__: Any) -> None:  # type: ignore[override]
        super().writestr(_member(str(name)), data)

    def write(self, filename: Any, arcname: Any = None, *_: Any, **__: Any) -> None:
        member = _member(str(arcname or filename))
        with self.open(member, "w", force_zip64=True) as packed, Path(filename).open("rb") as plain:
            shutil.copyfileobj(plain, packed, 1 << 20)


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name)
    member.compress_type = zipfile.ZIP_DEFLATED
    return member


def save_workbook(book: Any, target: Path | BinaryIO) -> None:
    """Save a workbook that tells the day on which it was written, but no time of day.

    The second of a release tells which of many it is, and whose answers came just before.
    """
    with library_lock:
        from openpyxl.writer.excel import ExcelWriter

    today = dt.datetime.combine(dt.datetime.now().astimezone().date(), dt.time())
    book.properties.created = book.properties.modified = today
    ExcelWriter(book, _DatelessArchive(target, "w", zipfile.ZIP_DEFLATED)).save()


def workbook_bytes(sheets: Mapping[str, Iterable[Sequence[str]]]) -> bytes:
    """A workbook of sheets of texts, none of which is a formula."""
    with library_lock:
        import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for place, row in enumerate(rows, 1):
            for across, text in enumerate(row, 1):
                if text:
                    cell = sheet.cell(place, across)
                    cell.value = text
                    # One that begins with "=" is no formula.
                    cell.data_type = "s"
    buffer = io.BytesIO()
    save_workbook(book, buffer)
    return buffer.getvalue()


def _check_limits(table: Table) -> None:
    if not table.columns:
        raise DataError("The table has no columns to write.")
    if table.rows >= MOST_ROWS or len(table.columns) > MOST_COLUMNS:
        raise DataError.saying(
            "A sheet can have at most {most_rows} records of {most_columns} columns; "
            "write CSV or Parquet instead.",
            most_rows=MOST_ROWS - 1,
            most_columns=MOST_COLUMNS,
        )
    for column in table:
        if not column.is_categorical and np.isinf(column.data).any():
            raise DataError.saying(
                "Attribute {attribute!r} has infinite numbers, which a sheet cannot store.",
                attribute=column.name,
            )


def _stored_values(column: Column, options: WriteOptions) -> tuple[Code, ...]:
    if column.is_set:
        return ()
    values = column.attribute.values
    return own_numbers(values) or safe_texts(values, escape=options.escape_formulas)


def _cells_of(
    column: Column, stored: Stored, options: WriteOptions
) -> Callable[[slice], Iterable[Any]]:
    if column.is_set:
        texts = sets.to_texts(column.data, column.attribute.values)
        escape = escape_formula if options.escape_formulas else str
        safe = [None if text is None else escape(text) for text in texts]
        return lambda rows: safe[rows]
    if column.is_categorical:
        words = np.array([*map(_whole, stored.codes), None], dtype=object)
        return lambda rows: words[column.data[rows]].tolist()
    is_integer = column.attribute.kind is Kind.INTEGER
    return lambda rows: [_number(number, is_integer) for number in column.data[rows].tolist()]


def _write_rows(
    sheet: _Sheet, cells: list[Callable[[slice], Iterable[Any]]], rows: int, progress: Progress
) -> None:
    for start in range(0, rows, _ROWS):
        progress(0.7 * start / rows, Message("Row {start} of {rows}", start=start, rows=rows))
        some = slice(start, start + _ROWS)
        for row in zip(*(column(some) for column in cells), strict=True):
            sheet.write(row)


def _write_missing(book: Any, table: Table, names: tuple[str, ...], progress: Progress) -> None:
    """A sheet of the same shape: the place of the missing code that a blank cell held."""
    held = {
        name: np.where(column.missing, column.why_missing, 0)
        for name, column in zip(names, table, strict=True)
        if column.why_missing is not None
    }
    if not held:
        return
    sheet = _Sheet(book.create_sheet(MISSING_SHEET))
    sheet.write(list(held))
    progress(0.8, "Writing missing codes")
    for row in zip(*(why.tolist() for why in held.values()), strict=True):
        sheet.write([place or None for place in row])


class _Sheet:
    """Appends rows in which text is text, whatever it looks like, and doubles are exact."""

    def __init__(self, sheet: Any) -> None:
        with library_lock:
            from openpyxl.cell import WriteOnlyCell

        self._sheet = sheet
        self._cell = WriteOnlyCell

    def write(self, row: Iterable[Any]) -> None:
        self._sheet.append([self._safe(cell) for cell in row])

    def _safe(self, value: Any) -> Any:
        if isinstance(value, str):
            # openpyxl would make a formula or an error of these.
            is_special = value.startswith("=") or value in ERRORS
            return self._forced(value, "s") if is_special else value
        if isinstance(value, float | int) and float(f"{value:.16g}") != value:
            # openpyxl writes 16 digits; some doubles need 17.
            return self._forced(repr(value), "n")
        return value

    def _forced(self, text: str, kind: str) -> Any:
        cell = self._cell(self._sheet, text)
        cell.data_type = kind
        return cell


def _whole(code: float | str) -> float | int | str:
    return int(code) if isinstance(code, float) and code.is_integer() else code


def _number(number: float, is_integer: bool) -> float | int | None:
    if math.isnan(number):
        return None
    return int(number) if is_integer and number.is_integer() else number


def _notes(table: Table, names: tuple[str, ...], stored: tuple[Stored, ...]) -> tuple[str, ...]:
    changed = [
        column.name
        for column, name, s in zip(table, names, stored, strict=True)
        if name != column.name
        or any(
            isinstance(c, str) and c != v
            for c, v in zip(s.codes, column.attribute.values, strict=not column.is_set)
        )
    ]
    if not changed:
        return ()
    return (
        Message(
            "Text that a sheet cannot store was changed in {changed}.",
            changed=shorten(changed),
        ),
    )
