"""ARFF, the format of Weka: nominal declarations, quoted values, sparse rows, ``?`` missing."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.codebook import Enclosure, Stored
from ppworkbench.core.data.delimited.text import find_encoding
from ppworkbench.core.data.formats.format import Format, Written
from ppworkbench.core.data.formats.stored import unique_names
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.restore import pack_held
from ppworkbench.core.data.sampling_roles import WEIGHTS
from ppworkbench.core.data.table import Column, Table, shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_DECLARATION = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{}}]+)(?:\s+|(?={{))(.+)", re.IGNORECASE)
_VALUE = re.compile(rf"\s*({_QUOTED}|[^,'\"]*)\s*(,|$)")
# A blank inside a cell must be quoted. Possessive, so that no row takes quadratic time.
_CELL = re.compile(rf"\s*+({_QUOTED}|[^,\s'\"{{}}]*+)\s*+(,|$)")
_SPARSE_CELL = re.compile(rf"\s*+(\d{{1,9}})\s++({_QUOTED}|[^,\s'\"{{}}]++)\s*+(,|$)")
_PLAIN = re.compile(r"[\w.+\-/]+")
_ESCAPES = {"\\": "\\\\", "'": "\\'", '"': '\\"', "%": "\\%", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MEANINGS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


@dataclass(frozen=True)
class Declaration:
    """One attribute: its name and its type, or its values when it is nominal."""

    name: str
    type: str
    values: tuple[str, ...] = ()


def parse_declaration(line: str) -> Declaration:
    """Read one ``@attribute`` line.

    >>> parse_declaration("@attribute 'my age' {young, 'very old'}")
    Declaration(name='my age', type='nominal', values=('young', 'very old'))
    """
    found = _DECLARATION.fullmatch(line)
    if found is None:
        raise DataError("an attribute needs a name and a type")
    name, declared = unquote(found[1]), found[2].strip()
    if declared.startswith("{"):
        return Declaration(name, "nominal", _parse_values(declared, name))
    word = declared.split()[0].lower()
    if word in ("numeric", "real", "integer", "string", "date"):
        return Declaration(name, word)
    if word == "relational":
        raise DataError.saying(
            "the relational attribute {attribute!r} cannot be a column of a table", attribute=name
        )
    raise DataError.saying(
        "the type {word!r} of attribute {attribute!r} is not known", word=word, attribute=name
    )


def _parse_values(declared: str, name: str) -> tuple[str, ...]:
    inside = re.fullmatch(r"\{(.*)\}\s*(?:%.*)?", declared)
    if inside is None:
        raise DataError.saying(
            "the values of attribute {attribute!r} are not closed by a brace", attribute=name
        )
    text, values, place = inside[1], [], 0
    while place < len(text):
        found = _VALUE.match(text, place)
        if found is None:
            raise DataError.saying(
                "the values of attribute {attribute!r} are not separated by commas", attribute=name
            )
        values.append(unquote(found[1].strip()))
        place = found.end()
    # A value that is listed twice is still one value.
    return tuple(dict.fromkeys(values))


def split_row(row: str) -> list[str | None]:
    """Take the cells of a dense row apart; None is a missing one.

    >>> split_row("1, 'two, three', ?,")
    ['1', 'two, three', None, None]
    """
    return [_cell(found[1]) for found in _matches(_CELL, row)]


def split_sparse_row(row: str) -> dict[int, str | None]:
    """Take a sparse row apart: the cells that it gives, by the number of their column.

    >>> split_sparse_row("{0 yes, 3 ?}")
    {0: 'yes', 3: None}
    """
    if not row.startswith("{") or not row.endswith("}"):
        raise DataError("a sparse row needs braces")
    inside = row[1:-1]
    if not inside.strip():
        return {}
    return {int(found[1]): _cell(found[2]) for found in _matches(_SPARSE_CELL, inside)}


def _matches(pattern: re.Pattern[str], row: str) -> Iterator[re.Match[str]]:
    place, separator = 0, ","
    while separator:
        found = pattern.match(row, place)
        if found is None:
            raise DataError("cells are separated by commas")
        yield found
        place, separator = found.end(), found[found.re.groups]


def _cell(word: str) -> str | None:
    return None if word in ("?", "") else unquote(word)


def unquote(word: str) -> str:
    r"""What a quoted or plain word means.

    >>> unquote(r"'don\'t'")
    "don't"
    """
    if word[:1] not in ("'", '"'):
        return word
    return re.sub(r"\\([0-7]{1,3}|u[0-9a-fA-F]{4}|.)", _meaning, word[1:-1], flags=re.DOTALL)


def quote(word: str) -> str:
    r"""Write a word so that every reader finds its end.

    >>> quote("plain"), quote("two words"), quote("?")
    ('plain', "'two words'", "'?'")
    """
    if _PLAIN.fullmatch(word):
        return word
    return f"'{''.join(_escape(character) for character in word)}'"


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return f"\\{ord(character):03o}" if ord(character) < 32 else character


def _meaning(found: re.Match[str]) -> str:
    text = found[1]
    if text[0] in "01234567":
        return chr(int(text, 8))
    return chr(int(text[1:], 16)) if len(text) > 1 else _MEANINGS.get(text, text)


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
        return DataError.saying(
            "{file}, line {number}: {what}.",
            number=self.number,
            what=what,
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
        numbers = pa.chunked_array([pa.array(weights.numbers)])
        columns = (*columns, RawColumn(name, numbers, measure="scale", kind=Kind.CONTINUOUS))
        notes = (
            *notes,
            Message(
                "The weights of the records were read as the column {attribute!r}.",
                code=WEIGHTS,
                attribute=name,
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
            raise lines.error(Message("{row!r} is not a declaration of an ARFF file", row=row[:40]))
    raise lines.error(Message("the file ends before its data begin; there must be a line '@data'"))


def _read_cells(
    lines: _Lines, rows: Iterator[str], declarations: list[Declaration]
) -> list[list[str | None]]:
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
    enclosure: Enclosure,
) -> Written:
    """Write a dense ARFF file; labels and order go into the codebook beside it."""
    if not table.columns:
        raise DataError("The table has no columns to write.")
    columns = [_cells_of(column) for column in table]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f"@relation {quote(enclosure.title or 'table')}\n\n")
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
