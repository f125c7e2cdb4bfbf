"""Files with a codebook beside them: used, refused or found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from small_files import BESIDE, WRITTEN, listed, table

from ppworkbench.core.data.attribute import Attribute, Kind, MissingCode
from ppworkbench.core.data.codebook import Codebook, sidecar_path
from ppworkbench.core.data.files import codebook_of, read_table, write_table
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError

pytestmark = pytest.mark.usefixtures("readstat_here")


@pytest.mark.parametrize("suffix", BESIDE)
def test_that_a_codebook_is_not_left_beside_a_file_it_does_not_belong_to(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"x{suffix}"
    write_table(table(), path)
    notes = write_table(table("a", "b"), path, WriteOptions(codebook=False))
    assert listed(tmp_path) == [path.name]
    assert "of the former file was removed" in notes[-1]


@pytest.mark.parametrize("suffix", BESIDE)
def test_that_a_codebook_that_does_not_fit_becomes_a_note(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    write_table(table(), path)
    beside = sidecar_path(path)
    for other, words in (
        (Codebook((Attribute("r", Kind.BINARY, values=("a", "b")),)).to_text(), "columns"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "nested too deeply"),
    ):
        beside.write_text(other, encoding="utf-8")
        found = read_table(path)
        assert found.names == ("q",)
        assert found.rows == 3
        assert any("was not used" in note and words in note for note in found.notes)
    beside.write_bytes(b"\xff\xfe")
    assert any("not UTF-8" in note for note in read_table(path).notes)


def test_that_answers_unknown_to_a_codebook_are_guessed_with_a_note(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write_table(table(), path)
    path.write_text("q\nno\nyes\nperhaps\n")
    found = read_table(path)
    assert set(found["q"].attribute.values) == {"no", "yes", "perhaps"}
    assert any("was not used" in note for note in found.notes)


def test_that_a_spreadsheets_dialect_does_not_lose_the_codebook(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    number = Attribute("x", Kind.CONTINUOUS, domain=(0, 9), label="How much?")
    given = Table((*table().columns, Column(number, np.array([1.5, np.nan, 2.25]))))
    write_table(given, path)
    path.write_text("q;x\r\nno;1,5\r\nyes;\r\nno;2,25\r\n", encoding="utf-8-sig")
    assert read_table(path).equals(given)


def test_that_a_codebook_by_hand_may_have_missing_codes_in_the_cells(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("q\n1\n2\n9\n")
    attribute = Attribute(
        "q",
        Kind.BINARY,
        values=("no", "yes"),
        codes=(1.0, 2.0),
        missing_codes=(MissingCode(9.0, "refused"),),
    )
    sidecar_path(path).write_text(Codebook((attribute,)).to_text(), encoding="utf-8")
    column = read_table(path)["q"]
    assert column.attribute == attribute
    assert column.data.tolist() == [0, 1, -1]
    assert column.why_missing is not None
    assert column.why_missing.tolist() == [0, 0, 1]


def test_that_distorted_numbers_on_a_missing_code_stay_answers(tmp_path: Path) -> None:
    age = Attribute("age", Kind.INTEGER, domain=(0, 120), missing_codes=(MissingCode(99.0),))
    given = Table((Column(age, np.array([99.0, 20.0, np.nan, np.nan]), np.array([0, 0, 1, 0])),))
    for suffix in WRITTEN:
        path = tmp_path / f"x{suffix}"
        write_table(given, path)
        assert read_table(path).equals(given), suffix
        assert read_table(path, schema=given.attributes).equals(given), suffix


def test_that_a_schema_beats_the_codebook(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write_table(table(), path)
    wanted = Attribute("q", Kind.ORDINAL, values=("yes", "no"))
    column = read_table(path, schema=[wanted])["q"]
    assert column.attribute == wanted
    assert column.data.tolist() == [1, 0, 1]
    with pytest.raises(DataError, match="'q'"):
        read_table(path, schema=[Attribute("q", Kind.BINARY, values=("a", "b"))])


def test_that_codebooks_are_found_wherever_they_are(tmp_path: Path) -> None:
    for suffix in WRITTEN:
        path = tmp_path / f"x{suffix}"
        write_table(table(), path, design={"keep": 0.5})
        found = codebook_of(path)
        assert found is not None
        assert (found.attributes, found.design) == (table().attributes, {"keep": 0.5})
    plain = tmp_path / "plain.xlsx"
    pd.DataFrame({"a": [1]}).to_excel(plain, index=False)
    assert codebook_of(plain) is None
    frame = tmp_path / "plain.parquet"
    pd.DataFrame({"a": [1]}).to_parquet(frame)
    assert codebook_of(frame) is None


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".parquet", ".sav"])
def test_that_missing_codes_that_a_person_names_apply_beside_a_codebook(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"t{suffix}"
    write_table(table("yes", "no", "refused"), path)
    (name,) = read_table(path).names
    assert read_table(path)[name].missing_count == 0
    found = read_table(path, ReadOptions(missing_codes=("refused", "never said")))
    assert found[name].to_series().tolist()[:2] == ["yes", "no"]
    assert found[name].missing.tolist() == [False, False, True]
    assert "refused" not in found[name].attribute.values
    assert f"{name!r}: read as missing: 'refused' (1×)." in found.notes


def test_that_a_missing_code_may_be_the_code_of_a_value_in_the_codebook(tmp_path: Path) -> None:
    attribute = Attribute("q", Kind.NOMINAL, ("no", "yes", "refused"), codes=(0.0, 1.0, 9.0))
    path = tmp_path / "t.sav"
    write_table(Table((Column(attribute, np.array([0, 1, 2])),)), path)
    found = read_table(path, ReadOptions(missing_codes=("9",)))["q"]
    assert found.missing.tolist() == [False, False, True]
    assert found.attribute.values == ("no", "yes")


def test_that_a_value_of_a_design_stays_one_and_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    given = table("yes", "no", "refused")
    write_table(given, path)
    found = read_table(path, ReadOptions(missing_codes=("refused",)), given.attributes)
    assert found.equals(given)
    (name,) = given.names
    said = f"{name!r}: 'refused' is a value in the design and was not read as missing."
    assert said in found.notes


def test_that_a_cell_which_is_filled_in_later_has_no_reason_to_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    hours = Attribute("hours", Kind.INTEGER, domain=(0, 24), missing_codes=(MissingCode(-1.0),))
    why = np.array([0, 1, 1], np.int16)
    write_table(Table((Column(hours, np.array([7.0, np.nan, np.nan]), why),)), path)
    path.write_text('hours\n7\n8\n""\n')
    found = read_table(path)["hours"]
    assert found.data[:2].tolist() == [7.0, 8.0]
    assert found.why_missing is not None
    assert found.why_missing.tolist() == [0, 0, 1]
