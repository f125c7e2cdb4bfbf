"""A look at a file before it is opened: its format, its sheets, first lines and first records."""

from __future__ import annotations

import shutil
from pathlib import Path

from ppworkbench.core.data.codebook import find_sidecar
from ppworkbench.core.data.delimited.text import detect_charset
from ppworkbench.core.data.files import read_table, sentences
from ppworkbench.core.data.formats import Format, resolve_format
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.files import check_file, open_private, temporary_folder
from ppworkbench.core.progress import Progress, silent
from ppworkbench.study.files.grid import read_grid

ROWS = 50
"""Records that are shown of a table."""
HEAD = 1 << 18
"""Bytes that are read of a long text file."""
_LINES = 12
_BETWEEN = " · "
LARGEST_WHOLE = 16 << 20
"""Files that can only be read as a whole are not read for a look when they are longer."""


class PreviewError(DataError):
    """A file that can be read, but not for a look."""


def file_format(path: Path, options: ReadOptions) -> Format:
    check_file(path)
    with sentences(path, "read"), path.open("rb") as file:
        return resolve_format(path, file.read(4096), options.format)[0]


def sheet_names(path: Path) -> tuple[str, ...]:
    from ppworkbench.core.data.formats.excel_cells import open_workbook

    with sentences(path, "read"), open_workbook(path) as book:
        return tuple(sheet.title for sheet in book.worksheets)


def read_lines(path: Path, sheet: str | None = None) -> tuple[str, ...]:
    """The first rows of a text file or workbook as they stand there, names and titles and all.

    There are none where the file cannot be read so; the preview says why.
    """
    try:
        rows = read_grid(path, _LINES, sheet).rows
    except WorkbenchError:
        return ()
    return tuple(_BETWEEN.join(cell for cell in row if cell) for row in rows)


def read_head(path: Path, options: ReadOptions, progress: Progress = silent) -> Table:
    chosen = file_format(path, options)
    size = path.stat().st_size
    if chosen.name == "csv" and size > HEAD:
        return _read_cut(path, options, progress)
    if size > LARGEST_WHOLE:
        raise PreviewError.saying(
            "{file} is too long for a preview; the settings still apply.", file=path
        )
    return read_table(path, options, progress=progress).take(slice(0, ROWS))


def _read_cut(path: Path, options: ReadOptions, progress: Progress) -> Table:
    with path.open("rb") as file:
        head = file.read(HEAD)
    with temporary_folder() as folder:
        copy = folder / path.name
        with open_private(copy) as file:
            file.write(_whole_records(head))
        beside = find_sidecar(path)
        if beside is not None:
            shutil.copy(beside, copy.parent / beside.name)
        table = read_table(copy, options, progress=progress)
        return table.take(slice(0, ROWS)).with_(source=str(path))


def _whole_records(head: bytes) -> bytes:
    """The bytes up to the end of the last line that is not inside quotation marks."""
    charset = detect_charset(head[: len(head) // 4 * 4])
    name = "utf-8" if charset is None else charset.name
    newline, quote = (sign.encode(name.removesuffix("-sig")) for sign in ("\n", '"'))
    end = head.rfind(newline)
    while end > 0:
        if len(newline) == 1 or end % len(newline) == 0:
            cut = end + len(newline)
            if head.count(quote, 0, cut) % 2 == 0:
                return head[:cut]
        end = head.rfind(newline, 0, end)
    return head
