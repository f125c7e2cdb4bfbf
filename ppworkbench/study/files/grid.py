"""Files of survey platforms as grids of text: header rows and all, before anybody guesses."""

from __future__ import annotations

import codecs
import csv
import dataclasses
import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from ppworkbench.core.data.delimited.dialect import find_charset, sniff, take_sample
from ppworkbench.core.data.formats import resolve_format
from ppworkbench.core.data.formats.excel_cells import cell_text, open_workbook
from ppworkbench.core.data.numerals import code_text
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import temporary_folder
from ppworkbench.core.progress import silent

LARGEST = 2**30
_LOOKED_AT = 2**26
_MOST_CELLS = 50_000_000


@dataclass(frozen=True)
class Grid:
    """The cells of a file by row; all rows have the same width.

    Parameters
    ----------
    sheets
        Other sheets of the workbook that hold cells.
    labels
        Labels of codes by column, where a labelled format has them.
    wording
        The question of each column, where a labelled format has it.
    """

    file: str
    rows: tuple[tuple[str, ...], ...]
    sheets: tuple[str, ...] = ()
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    wording: tuple[str, ...] = ()

    @property
    def header(self) -> tuple[str, ...]:
        return self.rows[0]


def read_grid(
    path: Path,
    most: int | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
) -> Grid:
    """All cells of a file, or those of its first rows; an archive is opened if it holds one file.

    The separator is that of the names and the rows below them, whatever stands above.
    """
    head = take_sample(path, 0).head[:4096]
    size = path.stat().st_size
    if most is None and size > LARGEST:
        raise DataError.saying("{file} is too large; split it.", file=path)
    if head.startswith(b"PK\x03\x04") and not _is_workbook(path):
        return _zipped(path, most, header_row)
    found, _ = resolve_format(path, head, None)
    if found.name == "excel":
        grid = _workbook(path, most, sheet)
    elif found.name in ("csv", "baskets"):
        grid = _text(path, most, header_row)
    elif most is not None and size > _LOOKED_AT:
        # These are read as a whole, which is too much for a look.
        raise DataError.saying("{file} is too large; split it.", file=path)
    else:
        grid = _labelled(path, found.name, most)
    if not grid.rows:
        raise DataError.saying("{file} is empty.", file=path)
    return grid


def _is_workbook(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return "[Content_Types].xml" in archive.namelist()
    except (zipfile.BadZipFile, OSError):
        return False


def _zipped(path: Path, most: int | None, header_row: int | None) -> Grid:
    name, content = only_member(path, LARGEST)
    with temporary_folder() as folder:
        inside = folder / name
        inside.write_bytes(content)
        if content.startswith(b"PK\x03\x04") and not _is_workbook(inside):
            raise DataError.saying("{file} holds another archive; unpack it.", file=path)
        return dataclasses.replace(read_grid(inside, most, header_row=header_row), file=path.name)


def _text(path: Path, most: int | None, header_row: int | None) -> Grid:
    header = None if header_row is None else str(header_row) if header_row else "none"
    options = ReadOptions(header=header)
    sample = take_sample(path)
    charset = find_charset(path, sample, options)
    dialect = sniff(path, options, sample, charset)
    try:
        if most is None:
            text = path.read_bytes()[charset.bom :].decode(charset.name)
        else:
            decoder = codecs.getincrementaldecoder(charset.name)()
            text = decoder.decode(sample.head[charset.bom :], final=sample.is_whole)
    except UnicodeDecodeError:
        raise DataError.saying(
            "{file} is not text in {name}.", name=charset.name, file=path
        ) from None
    lines = csv.reader(
        io.StringIO(text, newline=""), delimiter=dialect.delimiter, quotechar=dialect.quote
    )
    try:
        return Grid(path.name, _even(islice(map(tuple, lines), most), path))
    except csv.Error:
        raise DataError.saying(
            "{file} cannot be read as delimited text; export it again.", file=path
        ) from None


def _workbook(path: Path, most: int | None, only: str | None) -> Grid:
    with open_workbook(path) as book:
        filled = {}
        for sheet in book.worksheets if only is None else [book[only]]:
            sheet.reset_dimensions()
            rows = (tuple(_cell(cell) for cell in row) for row in sheet.iter_rows(values_only=True))
            cells = _even(islice(rows, most), path)
            if cells:
                filled[sheet.title] = cells
    if not filled:
        raise DataError.saying("{file} has no sheet with cells.", file=path)
    first, *others = filled
    return Grid(path.name, filled[first], tuple(others))


def _cell(cell: object) -> str:
    return str(cell_text(cell) or "").strip() if cell is not None else ""


def _even(rows: Iterator[tuple[str, ...]], path: Path) -> tuple[tuple[str, ...], ...]:
    """Rows of one width without the empty ones at both ends."""
    kept, cells = [], 0
    for row in rows:
        cells += len(row)
        if cells > _MOST_CELLS:
            raise DataError.saying("{file} is too large; split it.", file=path)
        kept.append(row)
    while kept and not any(cell.strip() for cell in kept[-1]):
        kept.pop()
    width = max((len(row) for row in kept), default=0)
    return tuple((*row, *("",) * (width - len(row))) for row in kept)


def _labelled(path: Path, name: str, most: int | None) -> Grid:
    from ppworkbench.core.data.formats import formats

    raw = formats[name].read(path, ReadOptions(), silent)
    columns = [
        ["" if cell is None else _code(cell) for cell in column.data[:most].to_pylist()]
        for column in raw.columns
    ]
    header = tuple(column.name for column in raw.columns)
    labels = {
        column.name: {_code(code): label for code, label in column.value_labels.items()}
        for column in raw.columns
        if column.value_labels
    }
    wording = tuple(column.label for column in raw.columns)
    return Grid(path.name, (header, *zip(*columns, strict=True)), labels=labels, wording=wording)


def _code(cell: object) -> str:
    if isinstance(cell, bool):
        return "1" if cell else "0"
    return code_text(float(cell)) if isinstance(cell, int | float) else str(cell).strip()


def only_member(path: Path, most: int) -> tuple[str, bytes]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()]
            tables = [one for one in members if not Path(one.filename).name.startswith(".")]
            if len(tables) != 1:
                raise DataError.saying(
                    "{file} holds {count} files; unpack it and choose the table.",
                    count=len(tables),
                    file=path,
                )
            if tables[0].file_size > most:
                raise DataError.saying("{file} is too large; split it.", file=path)
            return Path(tables[0].filename).name, archive.read(tables[0])
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError):
        raise DataError.saying(
            "{file} is a damaged or locked archive; unpack it yourself.", file=path
        ) from None
