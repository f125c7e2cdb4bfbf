"""SPSS files: labels, missing codes, measure levels, names and limits."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from ppworkbench.core.data.attribute import FROM_DATA, Attribute, Kind, MissingCode
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.formats.spss import plan_missing, read_spss
from ppworkbench.core.data.formats.stored import SPSS_NAMES
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import silent

ALONE = WriteOptions(codebook=False)
pytestmark = pytest.mark.usefixtures("readstat_here")


def made(tmp_path: Path, frame: pd.DataFrame, **settings: Any) -> Path:
    path = tmp_path / "made.sav"
    pyreadstat.write_sav(frame, path, **settings)
    return path


def answers(*data: int, **fields: Any) -> Column:
    why = fields.pop("why", None)
    attribute = Attribute(**{"name": "q", "kind": Kind.NOMINAL, "values": ("a", "b", "c")} | fields)
    return Column(attribute, np.array(data), None if why is None else np.array(why, np.int16))


def written(tmp_path: Path, *columns: Column) -> tuple[Path, tuple[str, ...]]:
    path = tmp_path / "written.sav"
    return path, write_table(Table(columns), path, ALONE)


def test_that_what_spss_holds_survives_without_any_codebook(tmp_path: Path) -> None:
    given = answers(
        0, 1, 2, -1, -1, -1,
        label="Pracująca matka",
        kind=Kind.ORDINAL,
        values=("zgadzam się", "nie wiem", "3"),
        codes=(1.0, 2.0, 3.0),
        missing_codes=(MissingCode(8.0, "trudno powiedzieć"), MissingCode(9.0)),
        measure="ordinal",
        # The code 3 has no label, so the file's own list is not all of it.
        domain_source=FROM_DATA,
        why=[0, 0, 0, 1, 2, 0],
    )  # fmt: skip
    path, notes = written(tmp_path, given)
    assert notes == ()
    back = read_table(path)["q"]
    assert back.attribute.with_(reason="") == given.attribute
    assert back.data.tolist() == given.data.tolist()
    assert back.why_missing is not None
    assert back.why_missing.tolist() == [0, 0, 0, 1, 2, 0]


def test_that_a_title_is_the_label_of_a_variable_without_a_question(tmp_path: Path) -> None:
    path, _ = written(tmp_path, answers(0, 1, 2, title="Rode without a ticket"))
    back = read_table(path)["q"].attribute
    assert (back.label, back.shown) == ("Rode without a ticket", "Rode without a ticket")


def test_that_a_label_for_only_some_codes_stays_one(tmp_path: Path) -> None:
    path, _ = written(tmp_path, answers(0, 1, 2, codes=(1.0, 2.0, 3.0), values=("low", "2", "3")))
    _, meta = pyreadstat.read_sav(path)
    assert meta.variable_value_labels == {"q": {1.0: "low"}}


def test_that_codes_are_counted_from_1_where_there_are_none(tmp_path: Path) -> None:
    column = answers(0, 1, 2, -1, missing_codes=(MissingCode(2.0),), why=[0, 0, 0, 1])
    path, _ = written(tmp_path, column)
    frame, meta = pyreadstat.read_sav(path, user_missing=True)
    assert frame["q"].tolist() == [1.0, 3.0, 4.0, 2.0]
    assert meta.variable_value_labels["q"] == {1.0: "a", 3.0: "b", 4.0: "c"}
    assert meta.variable_measure["q"] == "nominal"


def test_that_values_that_are_numbers_are_their_own_codes(tmp_path: Path) -> None:
    path, _ = written(tmp_path, answers(0, 1, 0, kind=Kind.BINARY, values=("0", "1")))
    frame, meta = pyreadstat.read_sav(path)
    assert frame["q"].tolist() == [0.0, 1.0, 0.0]
    assert meta.variable_value_labels == {}


def test_that_text_codes_stay_text(tmp_path: Path) -> None:
    column = answers(
        0, 1, -1, -1,
        values=("male", "f"),
        codes=("M", "f"),
        missing_codes=(MissingCode("U", "unknown"),),
        why=[0, 0, 1, 0],
    )  # fmt: skip
    path, _ = written(tmp_path, column)
    raw = read_spss(path, ReadOptions(), silent).columns[0]
    assert raw.data.to_pylist() == ["M", "f", "U", None]
    assert dict(raw.value_labels) == {"M": "male"}
    assert raw.missing_codes == (MissingCode("U", "unknown"),)


def test_that_text_codes_that_would_not_fit_become_numbers_with_a_sentence(tmp_path: Path) -> None:
    column = answers(0, 0, values=("x", "yes"), codes=("x", "żółć"))
    path = tmp_path / "t.sav"
    notes = write_table(Table((column,)), path)
    assert notes == ("The codes of 'q' are written as 1, 2, 3, ....",)
    assert read_table(path)["q"].equals(column)


def test_that_ranges_and_the_codes_met_in_them_are_listed(tmp_path: Path) -> None:
    path = made(
        tmp_path,
        pd.DataFrame({"x": [1.0, 97.0, 99.0, np.nan, -5.0]}),
        missing_ranges={"x": [{"lo": 97, "hi": 99}, -5]},
        variable_value_labels={"x": {98: "refused", 1: "one"}},
    )
    raw = read_spss(path, ReadOptions(), silent).columns[0]
    assert raw.missing_ranges == ((97.0, 99.0),)
    assert [m.code for m in raw.missing_codes] == [-5.0, 97.0, 98.0, 99.0]
    assert {m.code: m.label for m in raw.missing_codes}[98.0] == "refused"
    assert dict(raw.value_labels) == {1.0: "one"}
    column = read_table(path)["x"]
    assert column.missing_count == 4
    assert column.why_missing is not None
    held = [column.attribute.missing_codes[w - 1].code if w else None for w in column.why_missing]
    assert held == [None, 97.0, 99.0, None, -5.0]


def test_that_an_open_range_is_kept(tmp_path: Path) -> None:
    column = Column(
        Attribute(
            "x",
            Kind.CONTINUOUS,
            domain=(0, 10),
            missing_codes=(MissingCode(-2.0),),
            missing_ranges=((-np.inf, -1.0),),
        ),
        np.array([1.5, np.nan]),
        np.array([0, 1], np.int16),
    )
    path, _ = written(tmp_path, column)
    raw = read_spss(path, ReadOptions(), silent).columns[0]
    assert raw.missing_ranges == ((-np.inf, -1.0),)
    assert raw.data.to_pylist() == [1.5, -2.0]


@pytest.mark.parametrize(
    ("codes", "answers_", "expected"),
    [
        ((7.0, 8.0, 9.0), [1.0, 2.0], ((7.0, 8.0, 9.0), (7.0, 8.0, 9.0))),
        ((6.0, 7.0, 8.0, 9.0), [1.0], ((6.0, 7.0, 8.0, 9.0), ({"lo": 6.0, "hi": 9.0},))),
        (
            (-1.0, 7.0, 8.0, 9.0),
            [1.0],
            ((-1.0, 7.0, 8.0, 9.0), ({"lo": 7.0, "hi": 9.0}, -1.0)),
        ),
        ((".a", 9.0), [0.0, 5.0], ((-1.0, -2.0), (-2.0, -1.0))),
        ((9.0,), [9.0, -4.5], ((-6.0,), (-6.0,))),
        ((-5.0, 0.5, 5.0, 9.0), [0.0, 3.0, 7.0], ((-1.0, -2.0, -3.0, -4.0), None)),
    ],
)
def test_that_missing_codes_get_numbers_that_no_answer_has(
    codes: tuple[Any, ...], answers_: list[float], expected: tuple[Any, Any]
) -> None:
    attribute = Attribute(
        "x", Kind.CONTINUOUS, domain=(-9, 9), missing_codes=tuple(map(MissingCode, codes))
    )
    plan = plan_missing(attribute, np.array(answers_))
    assert plan.codes == expected[0]
    if expected[1] is not None:
        assert plan.declared == expected[1]
    assert bool(plan.notes) == (plan.codes != codes)


def test_that_a_range_in_which_answers_lie_is_not_declared() -> None:
    attribute = Attribute("x", Kind.CONTINUOUS, domain=(0, 9), missing_ranges=((5.0, 8.0),))
    plan = plan_missing(attribute, np.array([6.0]))
    assert plan.declared == ()
    assert "contain answers" in plan.notes[0]


def test_that_distorted_answers_on_a_missing_code_stay_answers(tmp_path: Path) -> None:
    age = Attribute("age", Kind.INTEGER, domain=(0, 120), missing_codes=(MissingCode(99.0),))
    column = Column(age, np.array([99.0, 20.0, np.nan]), np.array([0, 0, 1], np.int16))
    path = tmp_path / "t.sav"
    write_table(Table((column,)), path)
    assert read_table(path)["age"].equals(column)
    write_table(Table((column,)), path, ALONE)
    assert read_table(path)["age"].data[:2].tolist() == [99.0, 20.0]


def test_that_names_spss_does_not_allow_are_changed_with_a_sentence(tmp_path: Path) -> None:
    names = ["age", "Age", "1st choice", "with", "a" * 70, "ż" * 40, "_x", "end.", "q.1", "a-b"]
    columns = [answers(0, name=name, label="" if i % 2 else "L") for i, name in enumerate(names)]
    path = tmp_path / "t.sav"
    notes = write_table(Table(tuple(columns)), path)
    frame, meta = pyreadstat.read_sav(path)
    stored = list(frame.columns)
    assert stored[:4] == ["age", "Age_2", "V1st_choice", "with_"]
    assert all(len(name.encode()) <= 64 for name in stored)
    assert len({name.casefold() for name in stored}) == len(names)
    assert "SPSS does not allow some names" in notes[0]
    assert meta.column_names_to_labels["Age_2"] == "Age"
    assert read_table(path).names == tuple(names)


@pytest.mark.parametrize("name", ["x", "Ala", "ż1", "a.b", "a$b#c@d", "漢字", "x" * 64])
def test_that_good_names_stay(name: str) -> None:
    assert SPSS_NAMES.fit([name]) == (name,)


def test_that_long_labels_are_cut_with_a_sentence_and_whole_in_the_codebook(tmp_path: Path) -> None:
    long = "ż" * 100
    column = answers(0, 1, values=(long, long + "2"), label="q" * 300)
    path = tmp_path / "t.sav"
    notes = write_table(Table((column,)), path)
    assert notes == ("Labels too long for SPSS were cut: q.",)
    _, meta = pyreadstat.read_sav(path)
    assert meta.variable_value_labels["q"][1.0] == "ż" * 60
    assert len(meta.column_labels[0]) == 256
    assert read_table(path)["q"].equals(column)


def test_that_dates_become_iso_text_and_say_so(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "day": [0.0, 13736131200.0, np.nan],
            "moment": [13736131200.5, 1e300, 86400.0],
            "clock": [36610.0, -5.0, 90000.0],
            "quarter": [13736131200.0] * 3,
        }
    )
    formats = {"day": "DATE11", "moment": "DATETIME20", "clock": "TIME8", "quarter": "QYR8"}
    raw = read_spss(made(tmp_path, frame, variable_format=formats), ReadOptions(), silent)
    cells = {column.name: column.data.to_pylist() for column in raw.columns}
    assert cells["day"] == ["1582-10-14", "2018-01-24", None]
    assert cells["moment"] == ["2018-01-24T00:00:00.500", None, "1582-10-15T00:00:00.000"]
    assert cells["clock"] == ["10:10:10", "-00:00:05", "25:00:00"]
    assert cells["quarter"] == ["2018-Q1"] * 3
    assert "kept as text: day, moment, clock, quarter" in raw.notes[0]
    assert "1 cells with impossible dates" in raw.notes[1]


def test_that_undecodable_text_is_tried_as_windows_1250_with_a_note(tmp_path: Path) -> None:
    frame = pd.DataFrame({"q": [1.0, 2.0]})
    label = "Zażółć gęślą jaźń bez łez"
    path = made(
        tmp_path, frame, column_labels={"q": label}, variable_value_labels={"q": {1: label}}
    )
    content = path.read_bytes()
    fitted = label.encode("cp1250").ljust(len(label.encode()))
    assert content.count(label.encode()) == 2
    path.write_bytes(content.replace(label.encode(), fitted))
    raw = read_spss(path, ReadOptions(), silent)
    assert raw.columns[0].label.rstrip() == label
    assert "was read as windows-1250" in raw.notes[0]
    asked = read_spss(path, ReadOptions(encoding="windows-1250"), silent)
    assert asked.columns[0].label.rstrip() == label
    assert asked.notes == ()


def test_that_long_text_survives(tmp_path: Path) -> None:
    long = "słowo " * 200
    path = made(tmp_path, pd.DataFrame({"t": [long + "x", "", "b"]}))
    raw = read_spss(path, ReadOptions(), silent)
    assert raw.columns[0].data.to_pylist() == [long + "x", None, "b"]


def test_that_numbers_beyond_spss_are_refused(tmp_path: Path) -> None:
    attribute = Attribute("x", Kind.CONTINUOUS, domain=(0, 1e100))
    column = Column(attribute, np.array([1.7976931348623157e308]))
    with pytest.raises(DataError, match="'x' has numbers that SPSS cannot store"):
        write_table(Table((column,)), tmp_path / "t.sav")


def test_that_portable_files_are_only_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="only read"):
        write_table(Table((answers(0),)), tmp_path / "t.por")
    path = tmp_path / "t.por"
    pyreadstat.write_por(pd.DataFrame({"Q": [1.0, 2.5]}), path)
    raw = read_spss(path, ReadOptions(), silent)
    assert raw.columns[0].data.to_pylist() == [1.0, 2.5]


def test_that_a_header_that_promises_too_much_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path, pd.DataFrame({"x": [1.0, 2.0]}))
    content = bytearray(path.read_bytes())
    # The number of cases stands in the header and, with 64 bits, in a record of subtype 16.
    counts = content.find(struct.pack("<4i", 7, 16, 8, 2)) + 24
    content[80:84] = struct.pack("<i", 1_000_000)
    content[counts : counts + 8] = struct.pack("<q", 1_000_000)
    path.write_bytes(content)
    with pytest.raises(DataError, match="declares 1000000 rows"):
        read_table(path)


def test_that_a_variable_whose_name_is_lost_gets_one(tmp_path: Path) -> None:
    path = tmp_path / "x.sav"
    attributes = [Attribute(name, Kind.CONTINUOUS, domain=(0, 9)) for name in ("age", "income")]
    write_table(Table(tuple(Column(one, np.array([1.5, 2.5])) for one in attributes)), path)
    path.write_bytes(path.read_bytes().replace(b"INCOME", b"\0" * 6, 1))
    assert read_table(path).names == ("age", "column_2")
