"""A table as delimited text: UTF-8, a line of names, an empty cell for missing.

Fields are separated by commas; in a file whose name ends in ``.tsv`` or ``.tab``, by tabs.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.formulas import escape_formula
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent

_ROWS = 1 << 18
_TABBED = (".tsv", ".tab")
_NEEDS_MARKS = {
    ",": re.compile(r'[",\r\n]|^\s|\s$|^$'),
    # A comma in a file of tabs would do no harm, but whoever guesses separators may trip on it.
    "\t": re.compile(r'["\t,\r\n]|^\s|\s$|^$'),
}
_MISSING_WORDS = ("NA", "?", "N/A", "NULL", "n/d", "b.d.")


def separator_of(path: Path) -> str:
    r"""What stands between the fields of a file of that name.

    >>> separator_of(Path("answers.csv")), separator_of(Path("answers.TSV"))
    (',', '\t')
    """
    return "\t" if path.suffix.lower() in _TABBED else ","


def write_csv(
    table: Table,
    path: Path,
    options: WriteOptions = WriteOptions(),  # noqa: B008 (frozen)
    progress: Progress = silent,
) -> None:
    """Write a table; numbers are written so that they are read back exactly.

    A missing answer is an empty cell; in a column where the empty text is an answer it is
    ``NA`` or another word that is none of the answers.
    """
    separator = separator_of(Path(path))
    with Path(path).open("wb") as file:
        write_names(table, file, options, separator)
        for start in range(0, table.rows, _ROWS):
            progress(start / table.rows, Message("Writing {file}", file=Path(path).name))
            write_rows(table.take(slice(start, start + _ROWS)), file, options, separator)
    progress(1.0, Message("Wrote {file}", file=Path(path).name))


def written_names(table: Table, options: WriteOptions) -> list[str]:
    return list(map(escape_formula, table.names) if options.escape_formulas else table.names)


def write_names(table: Table, file: BinaryIO, options: WriteOptions, separator: str) -> None:
    names = written_names(table, options)
    _check_text(names, "The names of the columns", None)
    file.write((separator.join(map(_quoted_name, names)) + "\n").encode())


def write_rows(table: Table, file: BinaryIO, options: WriteOptions, separator: str) -> None:
    from pyarrow import csv

    cells = {str(i): _cells(column, options) for i, column in enumerate(table)}
    arrow = pa.table(cells)
    has_blank_line = len(table.columns) == 1 and table.columns[0].missing_count > 0
    if has_blank_line:
        # Many programs skip an empty line, so the only cell of a record is marked as empty.
        arrow = pa.table({"0": arrow.column(0).cast(pa.string()).fill_null("")})
    marks = has_blank_line or any(_needs_marks(column, options, separator) for column in table)
    buffer = io.BytesIO()
    dialect = csv.WriteOptions(
        include_header=False, delimiter=separator, quoting_style="needed" if marks else "none"
    )
    csv.write_csv(arrow, buffer, dialect)
    file.write(buffer.getbuffer())


def _cells(column: Column, options: WriteOptions) -> pa.Array:
    attribute = column.attribute
    if column.is_set:
        return _set_cells(column, options)
    if not column.is_categorical:
        numbers = pa.array(column.data, mask=column.missing)
        return numbers.cast(pa.int64()) if are_whole(column) else numbers
    values = _written(column, options)
    missing = missing_word(column)
    data = column.data.astype(np.int32)
    if missing is not None:
        data = np.where(data < 0, len(values), data).astype(np.int32)
        values = [*values, missing]
    indices = pa.array(data, mask=data < 0)
    _check_text(
        values,
        Message("The values of attribute {attribute!r}", attribute=attribute.name),
        attribute.name,
    )
    # Arrow writes no dictionaries, only their texts.
    return pa.DictionaryArray.from_arrays(indices, pa.array(values, pa.string())).cast(pa.string())


def _set_cells(column: Column, options: WriteOptions) -> pa.Array:
    values = list(column.attribute.values)
    whose = Message("The values of attribute {attribute!r}", attribute=column.name)
    _check_text(values, whose, column.name)
    texts = sets.to_texts(column.data, values)
    if options.escape_formulas:
        texts = [None if text is None else escape_formula(text) for text in texts]
    return pa.array(texts, pa.string())


def are_whole(column: Column) -> bool:
    # Whole numbers are exact in doubles up to 2^53.
    if column.attribute.kind is not Kind.INTEGER:
        return False
    present = column.data[~column.missing]
    return bool(((present == np.rint(present)) & (np.abs(present) <= 2.0**53)).all())


def _written(column: Column, options: WriteOptions) -> list[str]:
    values = list(column.attribute.values)
    if not options.escape_formulas:
        return values
    written = [escape_formula(value) for value in values]
    if len(set(written)) < len(written):
        twice = next(value for value in written if written.count(value) > 1)
        raise DataError.saying(
            "Attribute {attribute!r}: two values would both be written as {twice!r}; "
            "rename one of them.",
            twice=twice,
            attribute=column.name,
        )
    return written


def missing_word(column: Column) -> str | None:
    """What is written for a missing answer where the empty text is an answer."""
    values = column.attribute.values
    if column.missing_count == 0 or not any(not value.strip() for value in values):
        return None
    return next((word for word in _MISSING_WORDS if word not in values), None)


def _needs_marks(column: Column, options: WriteOptions, separator: str) -> bool:
    if column.attribute.kind.is_numeric:
        return False
    return any(_NEEDS_MARKS[separator].search(value) for value in _written(column, options))


def _quoted_name(name: str) -> str:
    # A line of numbers would be taken for data, other separators for ours, and a mark of the byte
    # order for that of the file, unless they stand in quotation marks.
    if _NEEDS_MARKS["\t"].search(name) or re.search(r"[;|]|^[-+.,\d\ufeff]", name):
        doubled = name.replace('"', '""')
        return f'"{doubled}"'
    return name


def _check_text(texts: list[str], whose: str, attribute: str | None) -> None:
    for text in texts:
        if "\0" in text or not _is_encodable(text):
            raise DataError.saying(
                "{whose} contain a character that no text file can store ({text!r}); rename it.",
                whose=whose,
                text=text[:40],
                attribute=attribute,
            )


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
