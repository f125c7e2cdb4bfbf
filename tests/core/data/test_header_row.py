"""Where the names of the columns stand: found, told, and chosen otherwise."""

from __future__ import annotations

import csv

import openpyxl
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.chunks import read_chunks
from ppworkbench.core.data.delimited.reader import read_csv
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import DataError, ParameterError

ADULT = """39, State-gov, 77516, Bachelors
50, Self-emp, 83311, Bachelors
38, Private, 215646, HS-grad
53, ?, 234721, 11th
"""
WEATHER = "sunny,hot,no\nsunny,mild,no\nrain,mild,yes\nrain,hot,yes\n"
TITLED = "Survey of 2020, second wave\nprinted 5 May\n\nname,age,town\nAnn,31,Oslo\nBob,44,Rome\n"
PLAIN = "name,age,town\nAnn,31,Oslo\nBob,44,Rome\n"


def read(tmp_path, text, **options):
    path = tmp_path / "data.csv"
    path.write_text(text, encoding="utf-8")
    return read_table(path, ReadOptions(**options))


@pytest.mark.parametrize(
    "text",
    [
        ADULT,
        WEATHER,
        "1,2\n3,4\n",
        "1987,2020\n1990,2010\n1985,2011\n",
        "2019,2020\n4.5,7\n",
        "2019,2020\n3.5,4\n,5\n",
        "a,1\nb,2\nc,3\n",
        "x,\nx,y\nz,y\nx,w\n",
    ],
)
def test_that_a_file_without_names_keeps_its_first_record_and_says_so(tmp_path, text):
    table = read(tmp_path, text)
    assert table.rows == text.count("\n")
    assert table.names[0] == "column_1"
    assert any("looks like a record" in note for note in table.notes)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        "town,2019,2020\nOslo,3.5,4\nRome,2,5\n",
        "2019,2020\nmuch,little\nnothing,little\n",
        "who,1,2,3\nAnn,4,5,4\nBob,2,2,1\n",
        "yes,no\nyes indeed,not at all\nno,perhaps\n",
        "name,age\nAnn,3\nname,age\nBob,4\n",
        "a,b\n,\n,\n",
        '"1","2"\n3,4\n5,6\n',
        "id,smokes\n1,yes\n2,no\n3,yes\n",
        "answer\nyes, sure\nno, never\nyes, often\n",
    ],
)
def test_that_a_line_of_names_is_taken_as_one_without_a_word(tmp_path, text):
    table = read(tmp_path, text)
    assert table.names == tuple(next(csv.reader([text.split("\n")[0]])))
    assert not any("record and was read as one" in n or "title" in n for n in table.notes)


def test_that_a_record_is_taken_for_names_only_when_somebody_says_so(tmp_path):
    assert read(tmp_path, WEATHER, header="1").names == ("sunny", "hot", "no")
    table = read(tmp_path, PLAIN, header="none")
    assert table.rows == 3
    assert table.names == ("column_1", "column_2", "column_3")
    assert not any("looks like" in note for note in table.notes)


@pytest.mark.parametrize(
    "above",
    [
        "Survey of 2020, second wave\nprinted 5 May\n\n",
        "Survey of 2020\n",
        "Survey of 2020,,\n,,\n",
        "Survey of 2020\r\n\r\n",
        " , \n\n",
        "sep=,\nSurvey of 2020\n",
    ],
)
def test_that_title_lines_are_left_out_and_told(tmp_path, above):
    table = read(tmp_path, above + PLAIN)
    assert table.names == ("name", "age", "town")
    assert table["age"].data.tolist() == [31.0, 44.0]
    assert any("read as its title" in note for note in table.notes)


def test_that_the_header_row_is_the_line_an_editor_shows(tmp_path):
    for line in ("4",):
        assert read(tmp_path, TITLED, header=line).names == ("name", "age", "town")
    table = read(tmp_path, TITLED, header="5")
    assert table.names == ("Ann", "31", "Oslo")
    assert table.rows == 1
    with pytest.raises(DataError, match="no line 99"):
        read(tmp_path, TITLED, header="99")


@pytest.mark.parametrize("header", ["0", "-1", "two", "", "1.5", "9" * 5000, "²"])
def test_that_only_a_line_can_be_the_header_row(header):
    with pytest.raises(ParameterError, match="Header row is"):
        ReadOptions(header=header)


def test_that_blanks_after_separators_are_no_part_of_the_answers(tmp_path):
    table = read(tmp_path, ADULT)
    assert table["column_2"].attribute.values == ("Private", "Self-emp", "State-gov")
    assert table["column_2"].missing_count == 1
    assert any("Spaces after the separators" in note for note in table.notes)
    quoted = read(tmp_path, 'a, b\n1, "x y"\n2, "z"\n3, "z"\n')
    assert quoted["b"].attribute.values == ("x y", "z")


def test_that_blanks_of_some_answers_stay(tmp_path):
    table = read(tmp_path, "a,b\n1, x\n2,x\n3,y\n")
    assert " x" in table["b"].attribute.values
    assert not any("Blanks" in note for note in table.notes)


@pytest.mark.parametrize("text", [ADULT * 40, WEATHER * 40, TITLED, PLAIN])
def test_that_long_files_and_streams_are_read_like_short_ones(tmp_path, text):
    path = tmp_path / "data.csv"
    path.write_text(text, encoding="utf-8")
    whole = read_table(path)
    long = read_csv(path, whole_up_to=0)
    assert [column.name for column in long.columns] == list(whole.names)
    assert len(long.columns[0].data) == whole.rows
    chunks = list(read_chunks(path, rows=7, whole_up_to=0))
    assert sum(chunk.rows for chunk in chunks) == whole.rows
    assert chunks[0].attributes[-1].values == whole.attributes[-1].values


def make_book(path, rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


TABLE = [["name", "age", "town"], ["Ann", 31, "Oslo"], ["Bob", 44, "Rome"], ["Eve", 25, "Oslo"]]


@pytest.mark.parametrize(
    "above",
    [
        [["Survey of 2020"]],
        [["Survey of 2020", None, None], [], ["second wave"]],
        [["Survey of 2020", "printed 5 May"], []],
        [[f"line {i}"] for i in range(8)],
    ],
)
def test_that_the_names_of_a_sheet_are_found_below_its_title(tmp_path, above):
    if len(above[0]) == 2:
        table = [[*row, i, i + 1] for i, row in enumerate(TABLE)]
        table[0][3:] = ["first", "second"]
    else:
        table = TABLE
    found = read_table(make_book(tmp_path / "a.xlsx", above + table))
    assert found.names[:3] == ("name", "age", "town")
    assert found.rows == 3
    assert any("read as its title" in note for note in found.notes)


def test_that_the_header_row_of_a_sheet_can_be_chosen(tmp_path):
    path = make_book(tmp_path / "a.xlsx", [["Survey"], *TABLE])
    assert read_table(path, ReadOptions(header="2")).names == ("name", "age", "town")
    assert read_table(path, ReadOptions(header="3")).names == ("Ann", "31", "Oslo")
    bare = read_table(path, ReadOptions(header="none"))
    assert bare.names == ("column A", "column B", "column C")
    assert bare.rows == 5
    with pytest.raises(DataError, match="no line 40"):
        read_table(path, ReadOptions(header="40"))


def test_that_a_sheet_without_names_keeps_its_first_record(tmp_path):
    found = read_table(make_book(tmp_path / "a.xlsx", TABLE[1:]))
    assert found.rows == 3
    assert found.names == ("column A", "column B", "column C")
    assert any("looks like a record" in note for note in found.notes)


def test_that_weights_of_arff_records_are_a_column(tmp_path):
    path = tmp_path / "a.arff"
    head = "@relation r\n@attribute age numeric\n@attribute sex {f,m}\n@data\n"
    path.write_text(head + "31, f, {2.5}\n44,m\n25,f,{3}\n")
    table = read_table(path)
    assert table.names == ("age", "sex", "weight")
    assert table["weight"].data.tolist() == [2.5, 1.0, 3.0]
    assert any("read as the column 'weight'" in note for note in table.notes)
    path.write_text(head + "{0 31, 1 f}, {2}\n{0 44, 1 m}\n")
    table = read_table(path)
    assert table["age"].attribute.k + table.rows >= 2
    assert table.names == ("age", "sex", "weight")
    path.write_text(head + "31,f\n44,m\n")
    assert read_table(path).names == ("age", "sex")


@pytest.mark.slow
def test_that_the_names_of_real_tables_are_found(shared_data):
    for path in sorted(shared_data.glob("*.csv")):
        with path.open(encoding="utf-8") as file:
            names = next(csv.reader(file))
        found = [column.name for column in read_csv(path, whole_up_to=0).columns]
        assert found == [name.strip() for name in names], path.name


def test_that_names_of_a_design_tell_a_line_of_names_from_a_record(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("yes,no\nno,yes\nyes,yes\nno,no\n", encoding="utf-8")
    assert read_table(path).names == ("column_1", "column_2")
    schema = tuple(Attribute(name, Kind.BINARY, values=("no", "yes")) for name in ("yes", "no"))
    assert read_table(path, schema=schema).names == ("yes", "no")
    assert read_table(path, schema=schema).rows == 3
    chunks = list(read_chunks(path, schema=schema, rows=2, whole_up_to=0))
    assert [chunk.rows for chunk in chunks] == [2, 1]
