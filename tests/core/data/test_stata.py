"""Stata files: labels, lettered missing values, names and limits."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind, MissingCode
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.formats.stata import read_stata
from ppworkbench.core.data.formats.stored import STATA_NAMES
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import silent

ALONE = WriteOptions(codebook=False)
pytestmark = pytest.mark.usefixtures("readstat_here")


def answers(*data: int, **fields: Any) -> Column:
    why = fields.pop("why", None)
    attribute = Attribute(**{"name": "q", "kind": Kind.NOMINAL, "values": ("a", "b", "c")} | fields)
    return Column(attribute, np.array(data), None if why is None else np.array(why, np.int16))


def test_that_letters_and_their_labels_survive_without_any_codebook(tmp_path: Path) -> None:
    given = answers(
        0, 1, 2, -1, -1, -1,
        label="Trust",
        codes=(1.0, 2.0, 3.0),
        missing_codes=(MissingCode(".a", "refused"), MissingCode(".c")),
        why=[0, 0, 0, 1, 2, 0],
    )  # fmt: skip
    path = tmp_path / "t.dta"
    assert write_table(Table((given,)), path, ALONE) == ()
    back = read_table(path)["q"]
    assert back.attribute.with_(reason="") == given.attribute
    assert back.data.tolist() == given.data.tolist()
    assert back.why_missing is not None
    assert back.why_missing.tolist() == [0, 0, 0, 1, 2, 0]


def test_that_a_plain_missing_cell_after_a_letter_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "t.dta"
    cells = pd.Series([1, "a", None, None, 2], dtype=object)
    pyreadstat.write_dta(pd.DataFrame({"x": cells}), path, missing_user_values={"x": ["a"]})
    raw = read_stata(path, ReadOptions(), silent).columns[0]
    assert raw.data.to_pylist() == [1.0, None, None, None, 2.0]
    assert raw.why_missing is not None
    assert raw.why_missing.tolist() == [0, 1, 0, 0, 0]


def test_that_numbered_missing_codes_become_letters_with_a_sentence(tmp_path: Path) -> None:
    given = answers(
        0, -1, -1,
        missing_codes=(MissingCode(8.0, "don't know"), MissingCode(".a"), MissingCode(9.0)),
        why=[0, 1, 3],
    )  # fmt: skip
    path = tmp_path / "t.dta"
    notes = write_table(Table((given,)), path)
    assert notes == ("Stata has missing codes of 'q': 8 as .b, 9 as .c.",)
    raw = read_stata(path, ReadOptions(), silent).columns[0]
    assert raw.missing_codes == (MissingCode(".b", "don't know"), MissingCode(".c"))
    assert read_table(path)["q"].equals(given)


def test_that_more_codes_than_letters_are_told_of(tmp_path: Path) -> None:
    codes = tuple(MissingCode(float(i)) for i in range(100, 130))
    why = list(range(1, 31))
    given = answers(*[-1] * 30, missing_codes=codes, why=why)
    path = tmp_path / "t.dta"
    write_table(Table((given,)), path)
    back = read_table(path)["q"]
    assert back.missing_count == 30
    assert back.why_missing is not None
    assert back.why_missing.tolist() == [*range(1, 27), 0, 0, 0, 0]


def test_that_codes_without_whole_numbers_are_counted_with_a_sentence(tmp_path: Path) -> None:
    halves = answers(0, 1, 2, codes=(1.5, 2.0, 3.0))
    path = tmp_path / "t.dta"
    notes = write_table(Table((halves,)), path)
    assert notes == ("The codes of 'q' are written as 1, 2, 3, ....",)
    frame, meta = pyreadstat.read_dta(path)
    assert frame["q"].tolist() == [1, 2, 3]
    assert meta.variable_value_labels["q"] == {1: "a", 2: "b", 3: "c"}
    assert read_table(path)["q"].equals(halves)


def test_that_text_stays_text_where_it_needs_no_labels(tmp_path: Path) -> None:
    path = tmp_path / "t.dta"
    write_table(Table((answers(0, 2, -1, codes=("a", "b", "c")),)), path)
    frame, _ = pyreadstat.read_dta(path)
    assert frame["q"].tolist() == ["a", "c", ""]


def test_that_labels_of_single_numbers_stay_and_others_are_told_of(tmp_path: Path) -> None:
    attribute = Attribute(
        "age",
        Kind.CONTINUOUS,
        domain=(0, 99),
        number_labels=((89.0, "89 or older"), (0.5, "half")),
    )
    column = Column(attribute, np.array([0.25, 89.0, np.nan]))
    path = tmp_path / "t.dta"
    assert write_table(Table((column,)), path) == ("Stata cannot label 0.5 of 'age'.",)
    raw = read_stata(path, ReadOptions(), silent).columns[0]
    assert dict(raw.value_labels) == {89.0: "89 or older"}
    assert raw.data.to_pylist() == [0.25, 89.0, None]


def test_that_names_stata_does_not_allow_are_changed_with_a_sentence(tmp_path: Path) -> None:
    names = ["age", "Age", "q.1", "with", "str8", "_n", "a" * 40, "ż" * 20, "2x"]
    path = tmp_path / "t.dta"
    notes = write_table(Table(tuple(answers(0, name=name) for name in names)), path)
    frame, meta = pyreadstat.read_dta(path)
    stored = list(frame.columns)
    assert stored[:6] == ["age", "Age", "q_1", "with_", "str8_", "_n_"]
    assert all(len(name.encode()) <= 32 for name in stored)
    assert meta.column_names_to_labels["q_1"] == "q.1"
    assert "Stata does not allow some names" in notes[0]
    assert read_table(path).names == tuple(names)


@pytest.mark.parametrize("name", ["x", "_x", "Ala_1", "żółw", "x" * 32])
def test_that_good_names_stay(name: str) -> None:
    assert STATA_NAMES.fit([name]) == (name,)


def test_that_long_labels_are_cut_with_a_sentence(tmp_path: Path) -> None:
    column = answers(0, label="ż" * 100)
    path = tmp_path / "t.dta"
    assert write_table(Table((column,)), path) == ("Labels too long for Stata were cut: q.",)
    _, meta = pyreadstat.read_dta(path)
    assert meta.column_labels == ["ż" * 80]
    assert read_table(path)["q"].equals(column)


def test_that_whole_numbers_are_stored_as_such(tmp_path: Path) -> None:
    attribute = Attribute("n", Kind.INTEGER, domain=(-5, 5_000_000_000))
    small = Column(attribute, np.array([1.0, np.nan, -5.0]))
    large = Column(attribute.with_(name="big"), np.array([5e9, np.nan, -5.0]))
    path = tmp_path / "t.dta"
    write_table(Table((small, large)), path)
    _, meta = pyreadstat.read_dta(path)
    assert meta.readstat_variable_types == {"n": "int32", "big": "double"}
    assert read_table(path).equals(Table((small, large)))


def test_that_dates_become_iso_text(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "d": [0.0, 21207.0, np.nan],
            "m": [0.0, -1.0, 13.0],
            "q": [0.0, 1.0, 232.0],
            "h": [0.0, 1.0, -1.0],
            "w": [0.0, 52.0, 53.0],
            "c": [1000.0, 0.0, np.nan],
            "y": [1999.0, 2000.0, 2001.0],
        }
    )
    formats = {"d": "%tdDD/NN/CCYY", "m": "%tm", "q": "%tq", "h": "%th", "w": "%tw", "c": "%tc"}
    path = tmp_path / "t.dta"
    pyreadstat.write_dta(frame, path, variable_format=formats | {"y": "%ty"})
    raw = read_stata(path, ReadOptions(), silent)
    cells = {column.name: column.data.to_pylist() for column in raw.columns}
    assert cells["d"] == ["1960-01-01", "2018-01-23", None]
    assert cells["m"] == ["1960-01", "1959-12", "1961-02"]
    assert cells["q"] == ["1960-Q1", "1960-Q2", "2018-Q1"]
    assert cells["h"] == ["1960-H1", "1960-H2", "1959-H2"]
    assert cells["w"] == ["1960-01-01", "1961-01-01", "1961-01-08"]
    assert cells["c"] == ["1960-01-01T00:00:01", "1960-01-01T00:00:00", None]
    assert cells["y"] == [1999.0, 2000.0, 2001.0]


def test_that_old_files_in_windows_1250_are_read_with_the_encoding_asked_for(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.dta"
    pyreadstat.write_dta(pd.DataFrame({"s": ["XXXX"]}), path, version=10)
    path.write_bytes(path.read_bytes().replace(b"XXXX", "łąka".encode("cp1250")))
    raw = read_stata(path, ReadOptions(encoding="windows-1250"), silent)
    assert raw.columns[0].data.to_pylist() == ["łąka"]


def test_that_numbers_beyond_stata_are_refused(tmp_path: Path) -> None:
    attribute = Attribute("x", Kind.CONTINUOUS, domain=(0, 1e100))
    with pytest.raises(DataError, match="'x' has numbers that Stata cannot store"):
        write_table(Table((Column(attribute, np.array([1e308])),)), tmp_path / "t.dta")


def test_that_a_header_that_promises_too_much_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.dta"
    pyreadstat.write_dta(pd.DataFrame({"x": [1.0, 2.0]}), path, version=14)
    content = path.read_bytes()
    rows = content.find(b"<N>") + 3
    path.write_bytes(content[:rows] + struct.pack("<Q", 2_000_000_000) + content[rows + 8 :])
    with pytest.raises(DataError, match="declares 2000000000 rows"):
        read_table(path)
