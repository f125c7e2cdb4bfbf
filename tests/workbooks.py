"""Small workbooks, and what is read from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl

from ppworkbench.core.data.formats.excel import read_excel
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.raw import RawTable
from ppworkbench.core.progress import silent


def made(tmp_path: Path, rows: list[list[Any]], title: str = "answers") -> Path:
    """A workbook of one sheet."""
    path = tmp_path / "made.xlsx"
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = title
    for row in rows:
        sheet.append(row)
    book.save(path)
    return path


def read(path: Path, **options: Any) -> RawTable:
    """The workbook as it is, before kinds are guessed."""
    return read_excel(path, ReadOptions(**options), silent)
