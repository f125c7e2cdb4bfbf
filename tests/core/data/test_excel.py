"""Workbooks as people make them, as strangers make them, and as we write them."""

from __future__ import annotations

import datetime as dt
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from workbooks import made, read

from ppworkbench.core.data.attribute import Attribute, Kind, MissingCode
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.formats.excel_cells import safe_texts
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.data.raw import RawTable
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError

RISKY = ("=1+1", "+1+1", "-x", "@cmd", "plain", "#N/A")


def cells(raw: RawTable) -> dict[str, list[Any]]:
    return {column.name: column.data.to_pylist() for column in raw.columns}


def test_that_a_plain_sheet_is_read(tmp_path: Path) -> None:
    raw = read(made(tmp_path, [["age", "sex"], [30, "f"], [None, "m"], [41.5, None]]))
    assert cells(raw) == {"age": [30.0, None, 41.5], "sex": ["f", "m", None]}
    assert raw.notes == ()


def test_that_numbers_stored_as_text_and_booleans_are_recognised(tmp_path: Path) -> None:
    rows = [["a", "b", "c"], ["1", True, 1], ["2", False, "x"], [3, True, 2.5]]
    raw = read(made(tmp_path, rows))
    assert cells(raw) == {"a": ["1", "2", "3"], "b": [True, False, True], "c": ["1", "x", "2.5"]}


def test_that_numbers_stored_as_text_are_numbers_in_the_table(tmp_path: Path) -> None:
    rows = [["age", "share"], *([str(20 + i), f"{i},5"] for i in range(40))]
    table = read_table(made(tmp_path, rows))
    assert table["age"].attribute.kind is Kind.INTEGER
    assert table["share"].data.tolist() == [i + 0.5 for i in range(40)]


@pytest.mark.parametrize("suffix", [".xls", ".xlsm"])
def test_that_other_kinds_of_workbooks_are_not_written(tmp_path: Path, suffix: str) -> None:
    column = Column(Attribute("q", Kind.BINARY, values=("no", "yes")), np.array([0, 1]))
    with pytest.raises(DataError, match=r"ends in \.xlsx"):
        write_table(Table((column,)), tmp_path / f"t{suffix}")


def test_that_empty_rows_and_columns_around_the_table_do_not_count(tmp_path: Path) -> None:
    rows: list[list[Any]] = [[], [], [None, None, "a", None, "b"], [None, None, 1, None, 2]]
    raw = read(made(tmp_path, [*rows, [], [None, None, 3, None, 4], [], [None, " "]]))
    assert cells(raw) == {"a": [1, 3], "b": [2, 4]}
    assert raw.notes == ("1 blank rows of the sheet were ignored.",)


def test_that_lines_above_a_table_are_taken_for_its_title(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["A survey of 1999"], [], ["a", "b"], [1, 2], [3, 4]]
    raw = read(made(tmp_path, rows))
    assert cells(raw) == {"a": [1, 3], "b": [2, 4]}
    assert "'A survey of 1999'" in raw.notes[0]


def test_that_a_single_column_is_not_taken_for_a_title(tmp_path: Path) -> None:
    assert cells(read(made(tmp_path, [["a"], [1], [2]]))) == {"a": [1, 2]}


def test_that_dates_become_iso_text(tmp_path: Path) -> None:
    day, moment = dt.date(2020, 1, 31), dt.datetime(2020, 1, 31, 10, 30)  # noqa: DTZ001
    raw = read(made(tmp_path, [["d", "m", "t"], [day, moment, dt.time(8, 5)], [day, day, None]]))
    assert cells(raw) == {
        "d": ["2020-01-31", "2020-01-31"],
        "m": ["2020-01-31T10:30:00", "2020-01-31T00:00:00"],
        "t": ["08:05:00", None],
    }
    assert raw.notes == ("Dates and times are kept as text: d, m, t.",)


def test_that_error_cells_are_missing_with_a_note(tmp_path: Path) -> None:
    raw = read(made(tmp_path, [["a", "b"], ["#N/A", 1], ["#DIV/0!", 2], [5, 3]]))
    assert cells(raw)["a"] == [None, None, 5]
    assert raw.notes == ("2 cells with errors such as #N/A are missing.",)


def test_that_formulas_give_their_last_value_and_others_are_told_of(tmp_path: Path) -> None:
    path = made(tmp_path, [["a", "b"], [1, "=A2*2"], [2, "=A3*2"]])
    changed = tmp_path / "changed.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith("sheet1.xml"):
                content = content.replace(b"<f>A2*2</f><v />", b"<f>A2*2</f><v>2</v>")
                content = content.replace(b"<f>A2*2</f><v></v>", b"<f>A2*2</f><v>2</v>")
                assert b"<v>2</v>" in content
            new.writestr(name, content)
    raw = read(changed)
    assert cells(raw) == {"a": [1, 2], "b": [2, None]}
    assert "1 formulas have no computed value" in raw.notes[0]


def test_that_merged_header_cells_name_all_columns_below_them(tmp_path: Path) -> None:
    path = tmp_path / "merged.xlsx"
    book = openpyxl.Workbook()
    sheet = book.active
    for row in ([None] * 3, ["id", "income", None], [None, 2019, 2020], [1, 10, 20], [2, 30, 40]):
        sheet.append(row)
    sheet.merge_cells("A2:A3")
    sheet.merge_cells("B2:C2")
    book.save(path)
    assert cells(read(path)) == {"id": [1, 2], "income / 2019": [10, 30], "income / 2020": [20, 40]}


def test_that_repeated_and_missing_names_are_numbered_with_a_note(tmp_path: Path) -> None:
    raw = read(made(tmp_path, [["a", "a", None, 7], [1, 2, 3, 4], [5, 6, 7, 8]]))
    assert list(cells(raw)) == ["a", "a_2", "column C", "7"]
    assert "named or numbered" in raw.notes[0]


def test_that_sheets_are_chosen_by_name_and_others_are_named(tmp_path: Path) -> None:
    path = tmp_path / "two.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["first"])
    book.active.append([1])
    other = book.create_sheet("more")
    other.append(["second"])
    other.append([2])
    book.save(path)
    assert read(path).notes == ("Sheet 'Sheet' was read; there are also more.",)
    assert cells(read(path, sheet="more")) == {"second": [2]}
    with pytest.raises(DataError, match="no sheet 'none'; there are Sheet, more") as caught:
        read(path, sheet="none")
    assert caught.value.field == "sheet"


@pytest.mark.parametrize("escape", [False, True])
def test_that_no_cell_we_write_is_a_formula(tmp_path: Path, escape: bool) -> None:
    attribute = Attribute("=name", Kind.NOMINAL, values=RISKY, label="=label()")
    table = Table((Column(attribute, np.arange(-1, len(RISKY))),))
    path = tmp_path / "t.xlsx"
    write_table(table, path, WriteOptions(escape_formulas=escape))
    book = openpyxl.load_workbook(path)
    found = [cell for sheet in book for row in sheet for cell in row if cell.value is not None]
    assert {cell.data_type for cell in found} == {"s"}
    shown = [row[0].value for row in book["data"]]
    mark = "'" if escape else ""
    assert shown == [f"{mark}=name", None, *(f"{mark}{v}" for v in RISKY[:4]), *RISKY[4:]]
    if escape:
        texts = [str(cell.value) for cell in found]
        assert not any(text.startswith(("=", "+", "-", "@")) for text in texts)
    assert read_table(path).equals(table)


def test_that_sheets_and_csv_escape_the_same_texts(tmp_path: Path) -> None:
    values = ("-5", "+48 123", "-1e3", "=A1", "plain")
    table = Table((Column(Attribute("q", Kind.NOMINAL, values=values), np.arange(5)),))
    options = WriteOptions(escape_formulas=True)
    write_table(table, tmp_path / "t.xlsx", options)
    write_table(table, tmp_path / "t.csv", options)
    _, *sheet = [row[0].value for row in openpyxl.load_workbook(tmp_path / "t.xlsx")["data"]]
    _, *lines = (tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()
    assert sheet == lines == ["-5", "'+48 123", "-1e3", "'=A1", "plain"]


def test_that_the_codebook_sheet_can_be_read_by_people(tmp_path: Path) -> None:
    attribute = Attribute(
        "q",
        Kind.BINARY,
        values=("no", "yes"),
        label="Do you?",
        codes=(0.0, 1.0),
        missing_codes=(MissingCode(9.0, "refused"),),
    )
    path = tmp_path / "t.xlsx"
    write_table(Table((Column(attribute, np.array([0, 1])),)), path)
    row = next(openpyxl.load_workbook(path)["codebook"].iter_rows(2, 2, values_only=True))
    assert row[:5] == ("q", "binary", "Do you?", "0 = no; 1 = yes", "9 = refused")


def test_that_a_sheet_that_was_edited_is_guessed_with_a_note(tmp_path: Path) -> None:
    column = Column(Attribute("q", Kind.BINARY, values=("no", "yes")), np.array([0, 1]))
    path = tmp_path / "t.xlsx"
    write_table(Table((column,)), path)
    book = openpyxl.load_workbook(path)
    book["data"]["A2"] = "perhaps"
    book.save(path)
    table = read_table(path)
    assert "perhaps" in table["q"].attribute.values
    assert any("was not used" in note for note in table.notes)


def test_that_a_damaged_codebook_sheet_is_no_obstacle(tmp_path: Path) -> None:
    column = Column(Attribute("q", Kind.BINARY, values=("no", "yes")), np.array([0, 1]))
    path = tmp_path / "t.xlsx"
    write_table(Table((column,)), path)
    book = openpyxl.load_workbook(path)
    book["codebook"]["F2"] = '{"name": "q", "kind": "mystery"}'
    book.save(path)
    table = read_table(path)
    assert table["q"].attribute.values == ("no", "yes")
    assert any("'mystery' is not one of" in note for note in table.notes)


def test_that_somebody_elses_codebook_sheet_is_just_a_sheet(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    book = openpyxl.Workbook()
    book.active.title = "data"
    book.active.append(["q", "r"])
    book.active.append([1, 2])
    book.create_sheet("codebook").append(["variable", "meaning"])
    book.save(path)
    raw = read(path)
    assert cells(raw) == {"q": [1], "r": [2]}
    assert raw.notes == ("Sheet 'data' was read; there are also codebook.",)


def test_that_safe_texts_stay_different() -> None:
    given = ["", "(empty)", "a\x07b", "a\ufffdb", "x" * 40_000, "x" * 39_999, "=a", "'=a"]
    safe = safe_texts(given, escape=True)
    assert len(set(safe)) == len(given)
    assert safe[1] == "(empty)"
    assert safe[3] == "a\ufffdb"
    assert safe[7] == "'=a"
    assert max(map(len, safe)) < 32_767
