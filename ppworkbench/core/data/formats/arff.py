"""ARFF, the format of Weka: nominal declarations, quoted values, sparse rows, ``?`` missing."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.codebook import Stored
from ppworkbench.core.data.formats.arff_header import (
    Declaration,
    parse_declaration,
    quote,
    split_row,
    split_sparse_row,
)
from ppworkbench.core.data.formats.decoding import find_encoding
from ppworkbench.core.data.formats.format import Format, Written
from ppworkbench.core.data.formats.names import unique_names
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.restore import pack_held
from ppworkbench.core.data.table import Column, Table, shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress

_WEIGHTED = re.compile(r"(.*\S)\s*,\s*\{\s*([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)\s*\}")
_ROWS = 4096
"""So many rows are read or written between two reports of progress."""


class _Lines:
    """The lines of a file, counted, so that an error can say where it is."""

    def __init__(self, file: TextIO, path: Path, progress: Progress) -> None:
        self.file, self.path, self.progress = file, path, progress
        self.number = 0
        self.size = max(path.stat().st_size, 1)
        self.read = 0

    def __iter__(self) -> Iterator[str]:
        for line in self.file:
            self.number += 1
            self.read += len(line)
            if self.number % _ROWS == 0:
                self.progress(
                    min(self.read / self.size, 0.95), Message("Reading {file}", file=self.path.name)
                )
            stripped = line.strip()
            if stripped and not stripped.startswith("%"):
                yield stripped

    def error(self, what: str) -> DataError:
        return DataError(
            Message(
                "{file}, line {number}: {what}.", file=self.path.name, number=self.number, what=what
            ),
            file=self.path,
            row=self.number,
        )


class _Weights:
    """Takes the weight off the end of rows such as ``yes, 31, {2.5}``; without one it is 1."""

    def __init__(self, rows: Iterator[str]) -> None:
        self._rows = rows
        self.numbers: list[float] = []
        self.found = False

    def __iter__(self) -> Iterator[str]:
        for row in self._rows:
            weighted = _WEIGHTED.fullmatch(row) if "}" in row[-40:] else None
            number = float(weighted[2]) if weighted else 1.0
            if weighted is None or not math.isfinite(number):
                self.numbers.append(1.0)
                yield row
                continue
            self.found = True
            self.numbers.append(number)
            yield weighted[1]


def read_arff(path: Path, options: ReadOptions, progress: Progress) -> RawTable:
    """Read an ARFF file, dense or sparse."""
    encoding = find_encoding(path, options.encoding)
    with path.open(encoding=encoding.name) as file:
        lines = _Lines(file, path, progress)
        rows = iter(lines)
        declarations = _read_header(lines, rows)
        weights = _Weights(rows)
        cells = _read_cells(lines, iter(weights), declarations)
    columns = tuple(
        _column(declaration, texts, path)
        for declaration, texts in zip(declarations, cells, strict=True)
    )
    notes = encoding.notes
    if weights.found:
        name = unique_names([*(d.name for d in declarations), "weight"])[-1]
        columns = (*columns, RawColumn(name, pa.chunked_array([pa.array(weights.numbers)])))
        notes = (
            *notes,
            Message(
                "The weights of the records were read as the column {attribute!r}.", attribute=name
            ),
        )
    dates = [declaration.name for declaration in declarations if declaration.type == "date"]
    if dates:
        notes = (
            *notes,
            Message("Dates and times are kept as text: {dates}.", dates=shorten(dates)),
        )
    named = [d.name for d in declarations if d.name.lower() == "class" and d.values]
    return RawTable(columns, str(path), class_name=named[0] if named else None, notes=notes)


def _read_header(lines: _Lines, rows: Iterator[str]) -> list[Declaration]:
    declarations: list[Declaration] = []
    for row in rows:
        word = row.split(None, 1)[0].lower()
        if word == "@attribute":
            try:
                declarations.append(parse_declaration(row))
            except DataError as error:
                raise lines.error(error.message) from None
            if any(d.name == declarations[-1].name for d in declarations[:-1]):
                raise lines.error(
                    Message(
                        "the attribute {attribute!r} is declared twice",
                        attribute=declarations[-1].name,
                    )
                )
        elif word == "@data":
            if not declarations:
                raise lines.error(Message("the data begin before any attribute was declared"))
            return declarations
        elif word != "@relation":
            raise lines.error(Message("{row!r} is no declaration of an ARFF file", row=row[:40]))
    raise lines.error(Message("the file ends before its data begin; there must be a line '@data'"))


def _read_cells(
    lines: _Lines, rows: Iterator[str], declarations: list[Declaration]
) -> list[list[str | None]]:
    """The cells of each column as text."""
    cells: list[list[str | None]] = [[] for _ in declarations]
    # What a sparse row leaves out is 0, or the first of the declared values.
    left_out = [d.values[0] if d.values else "0" for d in declarations]
    is_sparse = None
    for row in rows:
        if is_sparse is None:
            is_sparse = row.startswith("{")
        try:
            found = _fill_up(split_sparse_row(row), left_out) if is_sparse else split_row(row)
            for column, value in zip(cells, found, strict=True):
                column.append(value)
        except (DataError, IndexError, ValueError) as error:
            wanted = Message(
                "there must be {count} values separated by commas, quoted where needed",
                count=len(cells),
            )
            raise lines.error(wanted) from error
    return cells


def _fill_up(given: Mapping[int, str | None], left_out: list[str]) -> list[str | None]:
    row: list[str | None] = [*left_out]
    for i, value in given.items():
        row[i] = value
    return row


def _column(declaration: Declaration, texts: list[str | None], path: Path) -> RawColumn:
    data = pa.chunked_array([pa.array(texts, pa.string())])
    if declaration.values:
        found = pc.index_in(data, pa.array(declaration.values, pa.string()))
        odd = pc.and_(pc.is_null(found), pc.is_valid(data))
        if pc.any(odd).as_py():
            row = pc.index(odd, True).as_py()
            raise DataError(
                Message(
                    "{file}: the value {value!r} in record {row} is not among the declared "
                    "values of {attribute!r}.",
                    file=path.name,
                    value=data[row].as_py(),
                    row=row + 1,
                    attribute=declaration.name,
                ),
                file=path,
                attribute=declaration.name,
                row=row,
            )
        return RawColumn(declaration.name, data.dictionary_encode(), values=declaration.values)
    if declaration.type in ("numeric", "real", "integer"):
        try:
            data = data.cast(pa.float64())
            is_good = not pc.any(pc.is_inf(data)).as_py()
        except pa.ArrowInvalid:
            is_good = False
        if not is_good:
            row = next(i for i, text in enumerate(texts) if not _is_number(text))
            raise DataError(
                Message(
                    "{file}: attribute {attribute!r} is {kind} but record {row} has {texts!r}.",
                    file=path.name,
                    attribute=declaration.name,
                    kind=declaration.type,
                    row=row + 1,
                    texts=str(texts[row])[:40],
                ),
                file=path,
                attribute=declaration.name,
                row=row,
            )
    return RawColumn(declaration.name, data)


def _is_number(text: str | None) -> bool:
    try:
        number = pa.scalar(text, pa.string()).cast(pa.float64()).as_py()
    except pa.ArrowInvalid:
        return False
    return number is None or not math.isinf(number)


def write_arff(
    table: Table,
    path: Path,
    options: WriteOptions,  # noqa: ARG001 (nothing to choose here)
    progress: Progress,
    design: Mapping[str, Any] | None = None,  # noqa: ARG001 (goes into the codebook beside)
) -> Written:
    """Write a dense ARFF file; labels and order go into the codebook beside it."""
    if not table.columns:
        raise DataError("The table has no columns to write.")
    columns = [_cells_of(column) for column in table]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f"@relation {quote(Path(table.source or path.name).stem or 'table')}\n\n")
        for column in table:
            file.write(f"@attribute {quote(column.name)} {_declared(column)}\n")
        file.write("\n@data\n")
        for start in range(0, table.rows, _ROWS):
            progress(start / table.rows, Message("Writing {file}", file=path.name))
            cells = [cells_of(slice(start, start + _ROWS)) for cells_of in columns]
            file.writelines(",".join(row) + "\n" for row in zip(*cells, strict=True))
    return Written(stored=tuple(Stored(c.name, held=pack_held(c)) for c in table))


def _declared(column: Column) -> str:
    attribute = column.attribute
    if not column.is_categorical:
        return "numeric"
    if not attribute.values:
        return "string"
    return "{" + ",".join(quote(value) for value in attribute.values) + "}"


def _cells_of(column: Column) -> Callable[[slice], Iterable[str]]:
    """What gives the cells of some rows as they stand in the file."""
    if column.is_categorical:
        words = np.array([*map(quote, column.attribute.values), "?"], dtype=object)
        return lambda rows: words[column.data[rows]].tolist()
    is_integer = column.attribute.kind is Kind.INTEGER
    return lambda rows: [_number(number, is_integer) for number in column.data[rows].tolist()]


def _number(number: float, is_integer: bool) -> str:
    if number != number:  # noqa: PLR0124 (the fastest test for NaN)
        return "?"
    return str(int(number)) if is_integer and number.is_integer() else repr(number)


ARFF = Format("arff", "ARFF (Weka)", (".arff",), read_arff, write_arff)
