"""Excel workbooks (.xlsx, .xlsm)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ppworkbench.core.data.codebook import Codebook
from ppworkbench.core.data.formats.excel_cells import (
    CODEBOOK_SHEET,
    DATA_SHEET,
    ERRORS,
    MISSING_SHEET,
    MOST_COLUMNS,
    MOST_ROWS,
    Merge,
    SheetCodebook,
    cell_text,
    column_array,
    holds_dates,
    open_workbook,
    read_codebook_rows,
    scan_sheet,
)
from ppworkbench.core.data.formats.excel_writer import write_excel
from ppworkbench.core.data.formats.format import Format
from ppworkbench.core.data.formats.stored import unique_names
from ppworkbench.core.data.header import (
    is_sparse,
    looks_like_record,
    no_header_note,
    remarks_note,
    title_note,
    title_rows,
)
from ppworkbench.core.data.numerals import TextColumn
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.restore import restore
from ppworkbench.core.data.table import shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent

Row = tuple[Any, ...]
_ROWS = 1000
_MOST_CELLS = 100_000_000
_LOOK = 100
"""Rows that tell where the names stand."""


def read_excel(path: Path, options: ReadOptions, progress: Progress) -> RawTable:
    notes: tuple[str, ...] = ()
    with open_workbook(path) as book:
        names = [sheet.title for sheet in book.worksheets]
        if not names:
            raise DataError.saying("{file} has no sheet with cells.", file=path)
        if options.sheet in (None, DATA_SHEET) and {DATA_SHEET, CODEBOOK_SHEET} <= {*names}:
            try:
                found = read_codebook_rows(_rows(book[CODEBOOK_SHEET], path, progress))
                if found is not None:
                    return _read_own(book, path, found, progress)
            except DataError as error:
                notes = (
                    Message(
                        "The codebook inside {file} was not used: {error}",
                        file=path.name,
                        error=error.message,
                    ),
                )
        sheet = book[_choose(names, options.sheet, path)]
        rows = list(_rows(sheet, path, progress))
        has_formulas, merges = scan_sheet(path, sheet)
        title = sheet.title
    others = [name for name in names if name != title]
    if others and options.sheet is None:
        notes = (
            *notes,
            Message(
                "Sheet {title!r} was read; there are also {others}.",
                code="unsure-reading",
                title=title,
                others=shorten(others),
            ),
        )
    if has_formulas:
        notes += _formulas_without_values(path, title, rows, progress)
    return _table(rows, merges, path, title, notes, options)


def workbook_codebook(path: Path) -> Codebook | None:
    with open_workbook(path) as book:
        if CODEBOOK_SHEET not in book.sheetnames:
            return None
        found = read_codebook_rows(_rows(book[CODEBOOK_SHEET], path, silent))
    return None if found is None else found.codebook


def _choose(names: list[str], asked: str | None, path: Path) -> str:
    if asked is None:
        return names[0]
    if asked not in names:
        raise DataError.saying(
            "{file} has no sheet {asked!r}; there are {names}.",
            asked=asked,
            names=shorten(names),
            file=path,
            field="sheet",
        )
    return asked


def _rows(sheet: Any, path: Path, progress: Progress) -> Iterator[Row]:
    """The rows of a sheet as they come, whatever size the sheet claims to have."""
    expected = min(sheet.max_row or MOST_ROWS, MOST_ROWS)
    sheet.reset_dimensions()
    cells = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True)):
        cells += len(row)
        if number >= MOST_ROWS or len(row) > MOST_COLUMNS or cells > _MOST_CELLS:
            raise DataError.saying(
                "Sheet {title!r} of {file} is too large for a workbook; save it as CSV.",
                title=sheet.title,
                file=path,
            )
        if number % _ROWS == 0:
            progress(min(0.8 * number / expected, 0.8), Message("Row {number}", number=number))
        yield row


def _read_own(book: Any, path: Path, found: SheetCodebook, progress: Progress) -> RawTable:
    expected = [stored.name for stored in found.codebook.stored]
    rows = list(_rows(book[DATA_SHEET], path, progress))
    if not rows or list(rows[0]) != expected or any(map(_is_full, rows[found.rows + 1 :])):
        raise DataError("its sheet of data has other columns or more rows.")
    columns = _columns(expected, rows[1 : found.rows + 1], found.rows)
    raw = restore(RawTable(tuple(columns), str(path)), found.codebook)
    if MISSING_SHEET not in book.sheetnames:
        return raw
    header, *places = [*_rows(book[MISSING_SHEET], path, progress)] or [()]
    held = dict(zip(header, _cells(places, len(header), found.rows), strict=True))
    columns = []
    for name, column in zip(expected, raw.columns, strict=True):
        if name not in held:
            columns.append(column)
            continue
        most = len(column.missing_codes)
        places_of = [p if isinstance(p, int) and 0 < p <= most else 0 for p in held[name]]
        why = np.array(places_of, np.int16)
        columns.append(dataclasses.replace(column, why_missing=why))
    return dataclasses.replace(raw, columns=tuple(columns))


def _table(
    rows: list[Row],
    merges: list[Merge],
    path: Path,
    title: str,
    notes: tuple[str, ...],
    options: ReadOptions,
) -> RawTable:
    top = next((i for i, row in enumerate(rows) if _is_full(row)), None)
    if top is None:
        raise DataError.saying("Sheet {title!r} of {file} is empty.", title=title, file=path)
    width = max(map(_width, rows))
    top, said = _find_header(rows, top, path, options)
    names, height = _header(rows, top, width, merges)
    has_names = options.has_header
    if has_names is None:
        texts = [_texts(row, width) for row in rows[top : top + _LOOK]]
        has_names = height > 1 or not looks_like_record(texts[0], texts[1:])
    if not has_names:
        names, height = [_unnamed(i) for i in range(width)], 0
        said += () if options.header else (no_header_note(names),)
    body, more = _without_remarks(rows[top + height :], top + height, width, options)
    said += more
    kept = [row for row in body if _is_full(row)]
    # Blank rows at the end are no rows; those between others are worth a word.
    last = max((i for i, row in enumerate(body) if _is_full(row)), default=-1)
    if last + 1 > len(kept):
        said += (
            Message("{last} blank rows of the sheet were ignored.", last=last + 1 - len(kept)),
        )
    cells = _cells(kept, width, len(kept))
    used = [i for i in range(width) if names[i] or any(c is not None for c in cells[i])]
    unnamed = [i for i in used if not names[i]]
    final = unique_names([names[i] or _unnamed(i) for i in used])
    if unnamed or final != [names[i] for i in used]:
        said += ("Columns without a name were named or numbered.",)
    errors = sum(isinstance(c, str) and c in ERRORS for i in used for c in cells[i])
    if errors:
        said += (Message("{errors} cells with errors such as #N/A are missing.", errors=errors),)
    dates = [name for name, i in zip(final, used, strict=True) if holds_dates(cells[i])]
    if dates:
        said += (Message("Dates and times are kept as text: {dates}.", dates=shorten(dates)),)
    columns = tuple(
        _raw_column(name, [None if _is_error(c) else c for c in cells[i]])
        for name, i in zip(final, used, strict=True)
    )
    return RawTable(columns, str(path), notes=notes + said)


def _without_remarks(
    body: list[Row], above: int, width: int, options: ReadOptions
) -> tuple[list[Row], tuple[str, ...]]:
    """Records without what stands below an empty row and has few cells, and a sentence."""
    if options.keep_remarks or width < 2:
        return body, ()
    filled = [sum(map(_is_cell, row)) for row in body]
    full = max((i for i, count in enumerate(filled) if not is_sparse(count, width)), default=None)
    if full is None:
        return body, ()
    gap = next((i for i in range(full + 1, len(body)) if not filled[i]), len(body))
    below = [i for i in range(gap, len(body)) if filled[i]]
    if not below:
        return body, ()
    words = next(cell_text(cell) for cell in body[below[0]] if _is_cell(cell))
    return body[:gap], (remarks_note(str(words), above + below[0] + 1, len(below)),)


def _raw_column(name: str, cells: list[Any]) -> RawColumn:
    data = column_array(cells)
    # Numbers stored as text are common in sheets and still numbers.
    return TextColumn(name, data) if pa.types.is_string(data.type) else RawColumn(name, data)


def _find_header(
    rows: list[Row], top: int, path: Path, options: ReadOptions
) -> tuple[int, tuple[str, ...]]:
    if options.header_row is not None:
        if options.header_row >= len(rows) or not _is_full(rows[options.header_row]):
            raise DataError.saying(
                "{file} has no line {header} for the column names.",
                header=options.header,
                file=path,
                field="header",
            )
        return options.header_row, ()
    if options.header is not None:
        return top, ()
    width = max(map(_width, rows))
    above = title_rows([_texts(row, width) for row in rows[top : top + _LOOK]])
    if above:
        words = next(cell_text(cell) for cell in rows[top] if _is_cell(cell))
        return top + above, (title_note(str(words), top + above + 1),)
    return _skip_title(rows, top)


def _texts(row: Row, width: int) -> list[str]:
    cells = [*row, *(None,) * (width - len(row))]
    return [str(cell_text(cell)) if _is_cell(cell) else "" for cell in cells[:width]]


def _skip_title(rows: list[Row], top: int) -> tuple[int, tuple[str, ...]]:
    """Lines of a single cell above a wider table are its title."""
    first = next((i for i in range(top, len(rows)) if sum(map(_is_cell, rows[i])) > 1), top)
    if first == top:
        return top, ()
    # One wide row far below is no header of what stands above it.
    above = [row for row in rows[top:first] if _is_full(row)]
    if len(above) > 5 or sum(_is_full(row) for row in rows[first:]) < 2:
        return top, ()
    words = next(cell_text(cell) for cell in rows[top] if _is_cell(cell))
    return first, (title_note(str(words), first + 1),)


def _header(rows: list[Row], top: int, width: int, merges: list[Merge]) -> tuple[list[str], int]:
    """The names of the columns; merged cells lend their text to all columns below them."""
    inside = [m for m in merges if m.top == top and m.left < width]
    height = max((m.bottom - m.top + 1 for m in inside), default=1)
    height = height if height <= 5 else 1
    lines = [
        list(rows[i]) + [None] * (width - len(rows[i]))
        for i in range(top, min(top + height, len(rows)))
    ]
    for merge in merges:
        line = merge.top - top
        if 0 <= line < len(lines):
            right = min(merge.right, width - 1)
            text = lines[line][merge.left] if merge.left < width else None
            lines[line][merge.left : right + 1] = [text] * (right + 1 - merge.left)
    parts = [[_name(line[i]) for line in lines if _is_cell(line[i])] for i in range(width)]
    return [" / ".join(dict.fromkeys(part)).strip() for part in parts], len(lines)


def _columns(names: list[str], rows: list[Row], count: int) -> list[RawColumn]:
    cells = _cells(rows, len(names), count)
    return [
        RawColumn(name, column_array(column)) for name, column in zip(names, cells, strict=True)
    ]


def _cells(rows: list[Row], width: int, count: int) -> list[list[Any]]:
    """Columns of cells; short rows and rows that were not written at the end are blank."""
    full = [row if len(row) >= width else (*row, *(None,) * (width - len(row))) for row in rows]
    full += [(None,) * width] * (count - len(full))
    return [list(column) for column in zip(*full, strict=False)][:width] or [
        [] for _ in range(width)
    ]


def _formulas_without_values(
    path: Path, title: str, values: list[Row], progress: Progress
) -> tuple[str, ...]:
    with open_workbook(path, values=False) as book:
        formulas = _rows(book[title], path, progress)
        empty = sum(
            value is None and isinstance(formula, str) and formula.startswith("=")
            for value_row, formula_row in zip(values, formulas, strict=False)
            for value, formula in zip(value_row, formula_row, strict=False)
        )
    if not empty:
        return ()
    note = Message(
        "{empty} formulas have no computed value and are missing; open and save the "
        "workbook in a spreadsheet program.",
        empty=empty,
    )
    return (note,)


def _is_cell(cell: Any) -> bool:
    return cell is not None and not (isinstance(cell, str) and not cell.strip())


def _is_error(cell: Any) -> bool:
    return isinstance(cell, str) and cell in ERRORS


def _is_full(row: Row) -> bool:
    return any(map(_is_cell, row))


def _width(row: Row) -> int:
    return max((i + 1 for i, cell in enumerate(row) if _is_cell(cell)), default=0)


def _name(cell: Any) -> str:
    return " ".join(str(cell_text(cell, days=True)).split())


def _unnamed(index: int) -> str:
    from openpyxl.utils import get_column_letter

    return Message("column {i}", i=get_column_letter(index + 1))


def is_workbook(head: bytes) -> bool:
    return head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0"))


EXCEL = Format(
    "excel",
    "Excel",
    (".xlsx", ".xlsm", ".xls"),
    read_excel,
    write_excel,
    is_workbook,
    holds_codebook=True,
    holds_sets=True,
)
