"""Numbers of any length and size: a table, or one sentence; never an error of Python's own."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.cli.main import main
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.chunks import read_chunks
from ppworkbench.core.data.codebook import Codebook, read_codebook
from ppworkbench.core.data.files import read_table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Ordinal
from ppworkbench.core.design.design_file import design_to_json, read_design
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.json_values import JsonError, parse_json
from ppworkbench.study.files.recent import read_recent
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.study import Study

FAR = {
    "400 digits": "7" * 400,
    "5000 digits": "3" * 5000,
    "minus 5000 digits": "-" + "3" * 5000,
    "exponent": "1e999",
    "long exponent": "1e" + "9" * 400,
    "infinity": "Infinity",
    "not a number": "NaN",
}
far = pytest.mark.parametrize("number", FAR.values(), ids=FAR.keys())

AGE = Attribute("age", Kind.INTEGER, domain=(0, 120))
MOOD = Attribute("mood", Kind.ORDINAL, ("bad", "fair", "good"))
DESIGN = Design(
    (
        DesignedAttribute(AGE, Additive(noise="normal", sigma=4.5)),
        DesignedAttribute(MOOD, Ordinal((0.6, 0.2))),
    )
)


@far
@pytest.mark.parametrize("place", ["4.5", "120", "0.2"])
def test_that_a_design_with_a_far_number_is_refused_in_a_sentence(tmp_path, number, place):
    path = tmp_path / "design.json"
    path.write_text(json.dumps(design_to_json(DESIGN)).replace(place, number, 1))
    with pytest.raises(DesignError, match=r"design\.json|Attribute"):
        read_design(path)


@far
def test_that_a_codebook_with_a_far_number_is_refused_in_a_sentence(tmp_path, number):
    path = tmp_path / "x.codebook.json"
    path.write_text(Codebook((AGE,)).to_text().replace("120.0", number))
    with pytest.raises(DataError, match=r"x\.codebook\.json: "):
        read_codebook(path)


@far
def test_that_a_study_with_a_far_number_is_refused_in_a_sentence(tmp_path, number):
    path, broken = tmp_path / "a.ppw", tmp_path / "b.ppw"
    save_study(Study(design=DESIGN), path)
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(broken, "w") as other:
        for name in whole.namelist():
            text = whole.read(name).decode()
            other.writestr(name, text.replace("4.5", number))
    with pytest.raises(DataError, match=r"b\.ppw cannot be opened: its part design\.json"):
        open_study(broken)


@far
def test_that_json_records_with_a_far_number_are_refused_in_a_sentence(tmp_path, number):
    path = tmp_path / "records.json"
    path.write_text(f'[{{"age": 1}}, {{"age": {number}}}]')
    if number == "NaN":
        assert read_table(path)["age"].missing_count == 1
        return
    with pytest.raises(DataError, match=r"records\.json cannot be read: "):
        read_table(path)


@far
def test_that_text_files_with_a_far_number_are_read_as_text_or_refused(tmp_path, number):
    csv, arff = tmp_path / "a.csv", tmp_path / "a.arff"
    csv.write_text(f"age,sex\n1,f\n{number},m\n3,f\n")
    found = read_table(csv)["age"]
    assert found.attribute.kind is not Kind.CONTINUOUS
    assert number in found.attribute.values or found.missing_count == 1
    arff.write_text(f"@relation r\n@attribute age numeric\n@data\n1\n{number}\n3\n")
    if number == "NaN":
        assert read_table(arff)["age"].missing_count == 1
        return
    with pytest.raises(DataError, match="attribute 'age' is numeric but record 2 has '"):
        read_table(arff)


@far
def test_that_a_workbook_with_a_far_number_ends_in_a_table_or_a_sentence(tmp_path, number):
    plain, far_one = tmp_path / "a.xlsx", tmp_path / "b.xlsx"
    book = openpyxl.Workbook()
    for row in (["age", "sex"], [1, "f"], [2.5, "m"]):
        book.active.append(row)
    book.save(plain)
    with zipfile.ZipFile(plain) as whole, zipfile.ZipFile(far_one, "w") as other:
        for name in whole.namelist():
            text = whole.read(name)
            other.writestr(name, text.replace(b"<v>2.5</v>", f"<v>{number}</v>".encode()))
    said = ""
    try:
        assert read_table(far_one).rows == 2
    except DataError as error:
        said = error.message
    known = r"b\.xlsx cannot be read: |Attribute 'age': the (domain|number in record 2 is infinite)"
    assert not said or re.match(known, said)
    assert "int_max_str" not in said


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".xlsx"])
@pytest.mark.parametrize("numbers", [[1.5, 2.5, -np.inf], [0.0, 1.0, np.inf]])
def test_that_an_infinite_number_is_told_with_its_column_and_record(tmp_path, suffix, numbers):
    path = tmp_path / f"a{suffix}"
    frame = pd.DataFrame({"sex": ["f", "m", "f"], "pay": numbers})
    if suffix == ".xlsx":
        write_far_sheet(path, frame)
    else:
        (frame.to_parquet if suffix == ".parquet" else frame.to_feather)(path)
    with pytest.raises(DataError, match="the number in record 3 is infinite; correct it") as caught:
        read_table(path)
    assert (caught.value.attribute, caught.value.row) == ("pay", 3)
    assert caught.value.file == str(path)


def write_far_sheet(path: Path, frame: pd.DataFrame) -> None:
    """Write infinity as a sheet may hold it: as a number beyond all doubles."""
    frame.replace([np.inf, -np.inf], 777.25).to_excel(path, index=False)
    with zipfile.ZipFile(path) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    with zipfile.ZipFile(path, "w") as other:
        for name, text in parts.items():
            other.writestr(name, text.replace(b"<v>777.25</v>", b"<v>1e999</v>"))


def test_that_an_infinite_number_of_a_long_file_is_told_with_its_record(tmp_path):
    path = tmp_path / "a.parquet"
    numbers = np.arange(300_000) / 4
    numbers[299_998] = np.inf
    pd.DataFrame({"pay": numbers}).to_parquet(path)
    with pytest.raises(DataError, match="'pay': the number in record 299999 is infinite"):
        next(iter(read_chunks(path, rows=1_000, whole_up_to=0)))


@far
def test_that_a_far_number_in_the_list_of_recent_studies_empties_it(tmp_path, number):
    path = tmp_path / "recent.json"
    path.write_text(f'[{{"path": "a", "title": "b", "summary": "c", "when": {number}}}]')
    assert read_recent(path) == ()


@far
def test_that_a_far_number_on_the_command_line_is_a_matter_of_usage(capsys, tmp_path, number):
    (tmp_path / "a.csv").write_text("x\n1\n2\n")
    words = ["distort", str(tmp_path / "a.csv"), "--out", str(tmp_path / "b.csv")]
    assert main([*words, "--seed", number]) == 2
    said = capsys.readouterr().err
    assert "Internal error" not in said
    assert len(said) < 1000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "the name 'c' occurs twice"),
        ('["\\ud800"]', "half a character"),
        ('{"\\udc00": 1}', "half a character"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ('{"a": "b\n}', "a text contains a line break or a control character in line 1, column 9"),
        ('{"a": "b', "a text is not closed in line 1, column 7"),
        ('{"a" 1}', "a colon is missing in line 1, column 6"),
        ("[1 2]", "a comma is missing in line 1, column 4"),
        ("{a: 1}", "a name in double quotes is missing in line 1, column 2"),
        ("[1, ,]", "a value is missing in line 1, column 5"),
        ('["\\x"]', "a backslash stands before a wrong character in line 1, column 3"),
        ("[1]\n[2]", "something follows the end in line 2, column 1"),
    ],
)
def test_that_what_python_would_take_or_choke_on_is_refused(text, words):
    with pytest.raises(JsonError, match=words):
        parse_json(text)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**290), 10**290)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=12,
)


@given(values, st.booleans())
def test_that_json_of_any_values_comes_back(document, ascii_only):
    assert parse_json(json.dumps(document, ensure_ascii=ascii_only)) == document
