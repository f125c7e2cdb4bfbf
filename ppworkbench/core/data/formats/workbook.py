"""Opening workbooks of strangers: what is in the archive is looked at before it is unpacked."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ppworkbench.core.errors import DataError
from ppworkbench.core.library_lock import library_lock
from ppworkbench.core.message import Message

MOST_MEMBERS = 10_000
MOST_BYTES = 2 << 30
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
"""The limits of Excel itself."""
_HARMLESS = 8 << 20
_HIGHEST_RATIO = 200
"""Sheets of real answers are packed to a tenth or so, those of equal answers to a fiftieth."""
_CHUNK = 1 << 20
_MERGE = re.compile(rb'<(?:\w+:)?mergeCell\s+ref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")


@dataclass(frozen=True)
class Merge:
    """Cells that were joined into one; rows and columns count from 0, ends included."""

    top: int
    left: int
    bottom: int
    right: int


@contextmanager
def open_workbook(path: Path, *, values: bool = True) -> Iterator[Any]:
    """Open a workbook for reading row by row, with values in place of formulas."""
    with library_lock:
        import openpyxl

    check_archive(path)
    with path.open("rb") as file:
        book = openpyxl.load_workbook(file, read_only=True, data_only=values, keep_links=False)
        try:
            yield book
        finally:
            book.close()


def check_archive(path: Path) -> None:
    """Refuse what is no workbook, and archives that unpack to far more than they seem."""
    with path.open("rb") as file:
        head = file.read(8)
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        raise DataError(
            Message(
                "{file} is an old Excel workbook (.xls) or protected by a password; open "
                "it in Excel or LibreOffice and save it as .xlsx.",
                file=path.name,
            ),
            file=path,
        )
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise DataError(
            Message(
                "{file} is not a workbook, or it is damaged ({error}).", file=path.name, error=error
            ),
            file=path,
        ) from None
    unpacked = sum(member.file_size for member in members)
    packed = max(sum(member.compress_size for member in members), 1)
    too_dense = unpacked > _HARMLESS and unpacked > _HIGHEST_RATIO * packed
    if len(members) > MOST_MEMBERS or unpacked > MOST_BYTES or too_dense:
        raise DataError(
            Message(
                "{file} would unpack to {unpacked} MB in {count} parts, more than a "
                "sheet of answers needs, and is not opened; save the sheet as CSV.",
                file=path.name,
                unpacked=unpacked >> 20,
                count=len(members),
            ),
            file=path,
        )
    names = {member.filename for member in members}
    if "xl/workbook.bin" in names or "content.xml" in names:
        raise DataError(
            Message("{file} is a spreadsheet in another format; save it as .xlsx.", file=path.name),
            file=path,
        )
    if not any(name.endswith(".rels") for name in names):
        raise DataError(
            Message("{file} is an archive but not a workbook.", file=path.name), file=path
        )


def scan_sheet(path: Path, sheet: Any) -> tuple[bool, list[Merge]]:
    """Whether a sheet has formulas, and which cells are merged; the row reader tells neither."""
    member = str(sheet._worksheet_path).lstrip("/")  # noqa: SLF001 (not told otherwise)
    has_formulas = False
    merges: list[Merge] = []
    rest = b""
    with zipfile.ZipFile(path) as archive, archive.open(member) as file:
        while chunk := file.read(_CHUNK):
            text = rest + chunk
            has_formulas = has_formulas or _FORMULA.search(text) is not None
            end = 0
            for found in _MERGE.finditer(text):
                end = found.end()
                merges.append(
                    Merge(
                        int(found[2]) - 1, _column(found[1]), int(found[4]) - 1, _column(found[3])
                    )
                )
            # A match may lie across two pieces.
            rest = text[max(end, len(text) - 200) :]
            if len(merges) > 100_000:
                break
    return has_formulas, merges


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters[:4]:
        number = number * 26 + letter - 64
    return number - 1
