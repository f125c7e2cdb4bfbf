"""Answers that questionnaire pages sent or saved: many small files with one row or many each.

Anybody can send anything to an address, so a row counts only if the design could have produced it.
Whatever else a row carries, such as the time of its arrival, is not kept, nor is the order.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ppworkbench.core.data import sets
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_digest
from ppworkbench.core.design.linked_waves import without_linking
from ppworkbench.core.design.shuffle import shuffled
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import read_limited
from ppworkbench.core.json_values import JsonError, parse_json
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.rng import SecureStreams
from ppworkbench.fieldwork.collector.control import is_database, open_collection
from ppworkbench.fieldwork.collector.store import place_name
from ppworkbench.fieldwork.row_fitter import Cells, RowFitter
from ppworkbench.study.files.grid import only_member

SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".txt")
_LARGEST = 2**30
_LINE_END = re.compile(r"\r\n|\r|\n")
_SEPARATORS = ",;\t"


def read_collected(
    paths: Sequence[str | Path], design: Design, progress: Progress = silent
) -> Table:
    """All rows of the files as one table of distorted answers, in random order.

    Rows that the design cannot have produced are left out, and a note says how many and why.
    """
    fitter, known = RowFitter(design), set[str]()
    for place, path in enumerate(paths):
        progress(place / len(paths), Message("Reading {file}", file=place_name(path)))
        for row in _any_rows(path, design, known):
            fitter.take(row)
    if not fitter.rows:
        why = next(iter(fitter.refused), Message("there are none"))
        raise DataError.saying(
            "No row of {paths} fits the design: {why}.", paths=_files(paths), why=why, file=paths[0]
        )
    progress(1.0, Message("{rows} rows", rows=len(fitter.rows)))
    return shuffled(fitter.table(), SecureStreams().stream("shuffle", "rows"))


def _any_rows(path: str | Path, design: Design, known: set[str]) -> Iterator[Cells | str]:
    if not is_database(path):
        yield from collected_rows(Path(path), design, known)
        return
    with open_collection(path, design) as collection:
        table = collection.table()
    columns = [column_texts(column) for column in table]
    for cells in zip(*columns, strict=True):
        yield dict(zip(table.names, cells, strict=True))


def column_texts(column: Column) -> list[str]:
    """The answers of a column as texts; missing ones are empty."""
    if column.is_set:
        return [one or "" for one in sets.to_texts(column.data, column.attribute.values)]
    if column.is_categorical:
        return ["" if code < 0 else column.attribute.values[code] for code in column.data]
    return ["" if math.isnan(cell) else f"{cell:.12g}" for cell in column.data]


def _files(paths: Sequence[str | Path]) -> str:
    return (
        place_name(paths[0]) if len(paths) == 1 else Message("the {count} files", count=len(paths))
    )


def collected_rows(
    path: Path, design: Design, known: set[str] | None = None
) -> Iterator[Cells | str]:
    """The rows of a file as cells by name; a text says why one is none.

    ``known`` are the ids of rows that files before had, and gets those of this one.
    """
    content = read_limited(path, _LARGEST, "{file} is too large; split it.")
    if content.startswith(b"PK\x03\x04"):
        content = only_member(path, _LARGEST)[1]
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError.saying("{file} is not text in UTF-8.", file=path) from None
    if text.lstrip()[:1] in ("{", "["):
        digest, met = design_digest(design), set[str]() if known is None else known
        return (_unwrapped(row, digest, met) for row in _json_rows(text))
    return _csv_rows(text, without_linking(design).names, path)


def _json_rows(text: str) -> Iterator[Cells | str]:
    # Split at line feeds only: other line ends of Unicode may stand inside of an answer.
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            found = parse_json(line)
        except JsonError:
            yield Message("a line is not valid JSON")
            continue
        for row in found if isinstance(found, list) else [found]:
            yield row if isinstance(row, dict) else Message("a line is not an object of answers")


def _unwrapped(row: Cells | str, digest: str, known: set[str]) -> Cells | str:
    """The answers of a row as a page sends it, with an id that tells whether it comes twice."""
    if isinstance(row, str) or not isinstance(row.get("row"), dict):
        return row
    if row.get("design") != digest:
        return Message("a row is of another design")
    own = str(row.get("id"))
    if own in known:
        return Message("a row has arrived twice")
    known.add(own)
    answers: Cells = row["row"]
    return answers


def _csv_rows(text: str, names: Sequence[str], path: Path) -> Iterator[Cells | str]:
    """Rows under a header; files that were joined have it again and again."""
    head = _LINE_END.split(text.lstrip(), 1)[0]
    separator = max(_SEPARATORS, key=lambda mark: len(set(_split(head, mark)) & set(names)))
    header = _split(head, separator)
    if not set(names) <= set(header):
        absent = next(name for name in names if name not in header)
        raise DataError.saying(
            "{file} has no column {absent!r} in its first line, which the design distorts.",
            absent=absent,
            file=path,
            attribute=absent,
        )
    return _under(header, csv.reader(io.StringIO(text, newline=""), delimiter=separator))


def _under(header: list[str], lines: Iterable[list[str]]) -> Iterator[Cells | str]:
    for cells in lines:
        if not cells or cells == header:
            continue
        if len(cells) != len(header):
            yield Message("a row has more or fewer fields than the first line")
        else:
            yield dict(zip(header, cells, strict=True))


def _split(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator), [])
