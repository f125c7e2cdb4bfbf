"""Workbooks that are none, too large, or made to do harm."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from workbooks import made, read

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.formats import excel_cells
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xd0\xcf\x11\xe0" + bytes(600), "save it as .xlsx"),
        (b"PK\x03\x04" + bytes(100), "not a workbook, or it is damaged"),
        (b"just text", "not in the format Excel"),
    ],
)
def test_that_what_is_no_workbook_is_refused_with_advice(
    tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "x.xlsx"
    path.write_bytes(content)
    with pytest.raises(DataError, match=re.escape(words)):
        read_table(path)


def test_that_old_workbooks_are_told_from_new_ones(tmp_path: Path) -> None:
    path = tmp_path / "old.xls"
    path.write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))
    with pytest.raises(DataError, match=r"old Excel workbook \(\.xls\)"):
        read_table(path)


@pytest.mark.parametrize("member", ["xl/workbook.bin", "content.xml"])
def test_that_other_spreadsheets_are_refused_with_advice(tmp_path: Path, member: str) -> None:
    path = tmp_path / "x.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, "x")
    with pytest.raises(DataError, match=r"in another format; save it as \.xlsx"):
        read_table(path)


@pytest.mark.slow
def test_that_a_zip_bomb_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/_rels/workbook.xml.rels", "x")
        archive.writestr("xl/worksheets/sheet1.xml", bytes(80 << 20))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(DataError, match="would unpack to 80 MB"):
        read_table(path)


def test_that_an_archive_of_very_many_parts_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(excel_cells, "MOST_MEMBERS", 5)
    path = made(tmp_path, [["a"], [1]])
    with pytest.raises(DataError, match="is not opened"):
        read_table(path)


def test_that_a_cell_far_away_does_not_hang_the_reader(tmp_path: Path) -> None:
    path = made(tmp_path, [["a"], [1]])
    far = tmp_path / "far.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(far, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith("sheet1.xml"):
                content = content.replace(b'r="2"', b'r="900000000"').replace(b"A2", b"A900000000")
            new.writestr(name, content)
    with pytest.raises(DataError, match="too large for a workbook"):
        read_table(far)


def test_that_an_empty_sheet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Sheet 'answers' of made\.xlsx is empty"):
        read(made(tmp_path, []))


def test_that_a_table_too_large_for_a_sheet_is_refused(tmp_path: Path) -> None:
    column = Column(
        Attribute("x", Kind.BINARY, values=("0", "1")), np.zeros(excel_cells.MOST_ROWS, np.int8)
    )
    with pytest.raises(DataError, match="write CSV or Parquet instead"):
        write_table(Table((column,)), tmp_path / "t.xlsx")
    assert list(tmp_path.iterdir()) == []
