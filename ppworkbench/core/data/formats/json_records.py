"""JSON: a list of records, one record per line, or a list of answers per column."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa

from ppworkbench.core.data.delimited.text import find_encoding
from ppworkbench.core.data.formats.format import Format
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.errors import DataError
from ppworkbench.core.json_values import JsonError, parse_json
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress

Columns = dict[str, list[Any]]
_ROWS = 10_000


def read_json(path: Path, options: ReadOptions, progress: Progress) -> RawTable:
    encoding = find_encoding(path, options.encoding)
    progress(0.0, Message("Reading {file}", file=path.name))
    text = path.read_text(encoding=encoding.name)
    document = _document(text, path)
    progress(0.4, "Checking records")
    is_object = isinstance(document, dict) and bool(document)
    if is_object and all(isinstance(cells, list) for cells in document.values()):
        columns = _from_columns(document, path)
    elif isinstance(document, dict):
        columns = _from_records(iter([document]), path, progress)
    else:
        columns = _from_records(iter(document), path, progress)
    if not columns:
        raise DataError.saying("{file} has no records with named answers.", file=path)
    raw = tuple(RawColumn(name, _array(name, cells, path)) for name, cells in columns.items())
    return RawTable(raw, str(path), notes=encoding.notes)


def _document(text: str, path: Path) -> Any:
    try:
        document = parse_json(text, may_hold_nan=True)
    except JsonError as error:
        if error.line is None:
            raise DataError.saying(
                "{file} cannot be read: {strerror}.", strerror=error.reason, file=path
            ) from None
        first = next((line for line in text.splitlines() if line.strip()), "")
        if not first.lstrip().startswith("{") or not first.rstrip().endswith("}"):
            raise _invalid(path, error.line, error) from None
        return list(_lines(text, path))
    if not isinstance(document, list | dict):
        raise DataError.saying("{file} has neither records nor columns.", file=path)
    return document


def _lines(text: str, path: Path) -> Iterator[Any]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield parse_json(line, may_hold_nan=True)
        except JsonError as error:
            raise _invalid(path, number, error) from None


def _invalid(path: Path, line: int, error: JsonError) -> DataError:
    return DataError.saying(
        "{file}, line {number}: this is not valid JSON ({why}).",
        number=line,
        why=error.reason,
        file=path,
        row=line,
    )


def _from_records(records: Iterator[Any], path: Path, progress: Progress) -> Columns:
    columns: Columns = {}
    count = 0
    for record in records:
        if not isinstance(record, dict):
            raise DataError.saying(
                "{file}: record {count} is not an object with named answers.",
                count=count + 1,
                file=path,
                row=count,
            )
        for name, value in record.items():
            if isinstance(value, list | dict):
                _refuse_nested(name, count, path)
            cells = columns.setdefault(name, [])
            # Records may leave names out; those cells are missing.
            cells.extend([None] * (count - len(cells)))
            cells.append(value)
        count += 1
        if count % _ROWS == 0:
            progress(0.5, Message("{done} records", done=count))
    for cells in columns.values():
        cells.extend([None] * (count - len(cells)))
    return columns


def _from_columns(document: dict[str, list[Any]], path: Path) -> Columns:
    lengths = {name: len(cells) for name, cells in document.items()}
    if len(set(lengths.values())) > 1:
        first, other = next((a, b) for a in lengths for b in lengths if lengths[a] != lengths[b])
        raise DataError.saying(
            "{file}: column {first!r} has {count} answers but {other!r} has {other_count}.",
            first=first,
            count=lengths[first],
            other=other,
            other_count=lengths[other],
            file=path,
            attribute=other,
        )
    for name, cells in document.items():
        nested = next((i for i, cell in enumerate(cells) if isinstance(cell, list | dict)), None)
        if nested is not None:
            _refuse_nested(name, nested, path)
    return document


def _array(name: str, cells: list[Any], path: Path) -> pa.ChunkedArray:
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds <= {bool}:
        return pa.chunked_array([pa.array(cells, pa.bool_() if kinds else pa.string())])
    if kinds <= {int, float}:
        if kinds == {int} and all(cell is None or abs(cell) < 2**63 for cell in cells):
            return pa.chunked_array([pa.array(cells, pa.int64())])
        if not any(isinstance(cell, int) and abs(cell) > 2**53 for cell in cells):
            return pa.chunked_array([pa.array(cells, pa.float64(), from_pandas=True)])
    try:
        return pa.chunked_array([pa.array([_text(cell) for cell in cells], pa.string())])
    except (UnicodeEncodeError, pa.ArrowException):
        raise DataError.saying(
            "{file}: column {attribute!r} contains half a character (a lone surrogate).",
            file=path,
            attribute=name,
        ) from None


def _text(cell: Any) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, float) and math.isnan(cell):
        return None
    return json.dumps(cell)


def _refuse_nested(name: str, row: int, path: Path) -> NoReturn:
    raise DataError(
        Message(
            "{file}: {name!r} of record {row} is a list or an object instead of one answer.",
            file=path.name,
            name=name,
            row=row + 1,
        ),
        file=path,
        attribute=name,
        row=row,
    )


JSON = Format("json", "JSON records", (".json", ".jsonl", ".ndjson"), read_json)
