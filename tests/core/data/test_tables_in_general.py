"""Tables as people save them: titles above, remarks below, blanks, no names, weights of records.

Whatever is guessed is said with its row, and can be chosen otherwise.
"""

from __future__ import annotations

import openpyxl
import pytest

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.chunks import read_chunks
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.sampling_roles import stated_sampling

TABLE = "name,age,town\nAnn,31,Oslo\nBob,44,Rome\nEve,52,Oslo\n"
REMARKS = "\nSource: own survey\nAnn is not her name\n"


def write(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "data.csv"
    path.write_bytes(text.encode(encoding))
    return path


def said(table, words):
    """The note that says something."""
    (found,) = [note for note in table.notes if words in note]
    return found


@pytest.mark.parametrize(
    "remarks",
    [
        REMARKS,
        "\n\nSource: own survey\n\nAnn is not her name",
        ",,\nSource: own survey,,\nAnn is not her name,,\n",
        '\n"Source: own survey"\n"Ann is not, as we said, her name"\n',
    ],
)
def test_that_remarks_below_an_empty_row_are_left_out_and_told(tmp_path, remarks):
    table = read_table(write(tmp_path, TABLE + remarks))
    assert table.rows == 3
    assert table.names == ("name", "age", "town")
    assert table["age"].attribute.kind.is_numeric
    note = said(table, "remarks")
    assert note.args["count"] == 2
    assert note.args["row"] == 5 + remarks.split("Source")[0].replace('"', "").count("\n")
    assert note.args["words"] == "Source: own survey"


@pytest.mark.parametrize("encoding", ["cp1250", "utf-16", "utf-8-sig"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_that_remarks_are_found_in_every_encoding(tmp_path, encoding, ends):
    text = (TABLE.replace("Ann", "Żółć") + REMARKS).replace("\n", ends)
    table = read_table(write(tmp_path, text, encoding))
    assert table.rows == 3
    assert said(table, "remarks").args["row"] == 6


def test_that_remarks_can_be_kept(tmp_path):
    path = write(tmp_path, TABLE + ",,\nSource: own survey,,\n")
    table = read_table(path, ReadOptions(keep_remarks=True))
    assert table.rows == 5
    assert not any("remarks" in note for note in table.notes)


@pytest.mark.parametrize(
    "text",
    [
        # A record below an empty line is a record.
        TABLE + "\nIda,60,Rome\n",
        # Sparse records without an empty row above them.
        TABLE + "Ida,,\n",
        # An empty line inside of an answer.
        TABLE + 'Ida,60,"Rome\n\nor near it"\n',
        # A single column has none.
        "answer\nyes\n\nno\n",
    ],
)
def test_that_records_are_no_remarks(tmp_path, text):
    table = read_table(write(tmp_path, text))
    assert not any("remarks" in note for note in table.notes)
    assert table.rows == (3 if text.startswith("answer") else 4)


def test_that_a_long_file_loses_its_remarks_in_chunks_too(tmp_path):
    path = write(tmp_path, "name,age,town\n" + "Ann,31,Oslo\nBob,44,Rome\n" * 9000 + REMARKS)
    chunks = list(read_chunks(path, rows=5000, whole_up_to=0))
    assert sum(chunk.rows for chunk in chunks) == 18_000
    assert any("remarks" in note and "18003" in note for note in chunks[0].notes)


def test_that_a_workbook_has_a_title_and_remarks(tmp_path):
    book = openpyxl.Workbook()
    rows = [["Survey of 2020"], [], ["name", "age", "town"], ["Ann", 31, "Oslo"],
            ["Bob", 44, "Rome"], [], ["Source: own survey"], ["n = 2"]]  # fmt: skip
    for row in rows:
        book.active.append(row)
    path = tmp_path / "data.xlsx"
    book.save(path)
    table = read_table(path)
    assert table.rows == 2
    assert said(table, "title").args["row"] == 3
    note = said(table, "remarks")
    assert (note.args["row"], note.args["count"]) == (7, 2)
    assert read_table(path, ReadOptions(keep_remarks=True)).rows == 4


def test_that_title_lines_are_told_with_the_row_of_the_names(tmp_path):
    table = read_table(write(tmp_path, "Survey of 2020\nprinted in May\n\n" + TABLE))
    assert said(table, "title").args["row"] == 4


def test_that_blanks_after_separators_are_told_and_can_be_kept(tmp_path):
    path = write(tmp_path, "name, age, town\nAnn, 31, Oslo\nBob, 44, Rome\nEve, 52, Oslo\n")
    table = read_table(path)
    assert table["town"].attribute.values == ("Oslo", "Rome")
    assert said(table, "Spaces after").args["row"] == 2
    kept = read_table(path, ReadOptions(keep_blanks=True))
    assert kept["town"].attribute.values == (" Oslo", " Rome")


def test_that_weights_of_arff_records_are_numbers_with_a_role(tmp_path):
    path = tmp_path / "data.arff"
    path.write_text(
        "@relation r\n@attribute smokes {yes,no}\n@data\nyes,{2.0}\nno\nyes,{1.0}\n",
        encoding="utf-8",
    )
    table = read_table(path)
    assert table["weight"].attribute.kind is Kind.CONTINUOUS
    assert table["weight"].data.tolist() == [2.0, 1.0, 1.0]
    assert stated_sampling(table.notes).weight == "weight"
