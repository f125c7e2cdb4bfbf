"""ARFF files: declarations, quotes, sparse rows, dates and damage."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.formats.arff import parse_declaration, quote, read_arff, unquote
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.raw import RawTable
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Cancelled, silent

WEATHER = """% a comment
@RELATION\t'the weather'

@attribute outlook {sunny, 'over cast' , "rainy"}
@attribute\t'temperature, in °C'\tREAL
@ATTRIBUTE windy {TRUE,FALSE}
@attribute day DATE "yyyy-MM-dd"
@attribute remark string
@attribute class {yes,no}

@DATA
% another comment
sunny, 28.5, TRUE, 2020-01-31, 'it''s, hot', yes
'over cast',?,FALSE,?,"fine",no

rainy,-3e1,?,"2020-02-01",?,?
"""


def read(tmp_path: Path, text: str, **options: Any) -> RawTable:
    path = tmp_path / "x.arff"
    path.write_text(text, encoding="utf-8")
    return read_arff(path, ReadOptions(**options), silent)


def cells(raw: RawTable) -> dict[str, list[Any]]:
    return {column.name: column.data.to_pylist() for column in raw.columns}


def test_that_declarations_quotes_comments_and_missing_cells_are_understood(
    tmp_path: Path,
) -> None:
    raw = read(tmp_path, WEATHER.replace("it''s", "it\\'s"))
    assert cells(raw) == {
        "outlook": ["sunny", "over cast", "rainy"],
        "temperature, in °C": [28.5, None, -30.0],
        "windy": ["TRUE", "FALSE", None],
        "day": ["2020-01-31", None, "2020-02-01"],
        "remark": ["it's, hot", "fine", None],
        "class": ["yes", "no", None],
    }
    assert raw.columns[0].values == ("sunny", "over cast", "rainy")
    assert raw.class_name == "class"
    assert raw.notes == ("Dates and times are kept as text: day.",)


def test_that_sparse_rows_are_filled_up(tmp_path: Path) -> None:
    header = "@relation s\n@attribute a {x,y}\n@attribute n numeric\n@attribute m numeric\n@data\n"
    raw = read(tmp_path, header + "{0 y, 2 3.5}\n{}\n{1 ?}\n")
    assert cells(raw) == {"a": ["y", "x", "x"], "n": [0, 0, None], "m": [3.5, 0, 0]}


def test_that_escapes_and_empty_cells_of_rows_are_understood(tmp_path: Path) -> None:
    header = "@relation s\n@attribute a string\n@attribute b string\n@data\n"
    rows = "'\\u0105\\101\\t\\\\', \"it's\"\n,'?'\n'',\n"
    raw = read(tmp_path, header + rows)
    assert cells(raw) == {"a": ["ąA\t\\", None, ""], "b": ["it's", "?", None]}


@pytest.mark.parametrize("row", ["x" + " " * 50_000 + "y", "'" * 50_001, "{0 " + " " * 50_000])
def test_that_a_long_broken_row_is_refused(tmp_path: Path, row: str) -> None:
    with pytest.raises(DataError, match="line 4: there must be 1 values"):
        read(tmp_path, "@relation s\n@attribute a string\n@data\n" + row + "\n")


def test_that_a_file_without_records_is_a_table_of_none(tmp_path: Path) -> None:
    assert cells(read(tmp_path, "@relation s\n@attribute a {x,y}\n@data\n")) == {"a": []}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("@relation s\n@attribute a\n@data\n", "line 2: an attribute needs a name and a type"),
        ("@relation s\n@attribute a {x\n@data\n", "line 2: .* not closed by a brace"),
        ("@relation s\n@attribute a {'x' 'y'}\n@data\n", "line 2: .* separated by commas"),
        ("@relation s\n@attribute a blob\n@data\n", "line 2: the type 'blob' .* is not known"),
        ("@relation s\n@attribute a relational\n", "line 2: the relational attribute 'a'"),
        ("@relation s\n@attribute a real\n@attribute a real\n@data\n", "line 3: .* declared twice"),
        ("@relation s\n@data\n1\n", "line 2: the data begin before any attribute"),
        ("@relation s\n@attribute a real\n1,2\n", "line 3: '1,2' is not a declaration"),
        ("@relation s\n@attribute a real\n", "line 2: the file ends before its data begin"),
        ("@relation s\n@attribute a real\n@data\n1\n1,2\n", "line 5: there must be 1 values"),
        ("@relation s\n@attribute a {x}\n@data\nx\ny\n", "the value 'y' in record 2 is not among"),
        ("@relation s\n@attribute a real\n@data\n1\nx\n", "'a' is real but record 2 has 'x'"),
        ("@relation s\n@attribute a real\n@data\n'x\n", "line 4"),
        ("@relation s\n@attribute a real\n@data\n{0 1}\n{7 1}\n", "line 5"),
    ],
)
def test_that_faults_are_told_with_their_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(DataError, match=words) as caught:
        read(tmp_path, text)
    assert caught.value.file is not None


@pytest.mark.parametrize("tail", ["", " b c", "'x' 'y'}", "'"])
def test_that_a_long_broken_declaration_is_refused(tmp_path: Path, tail: str) -> None:
    text = "@relation s\n@attribute a {" + "v," * 5000 + tail + "\n@data\n"
    with pytest.raises(DataError):
        read(tmp_path, text)


@pytest.mark.parametrize(
    "word", ["plain", "two words", "", "?", "it's", '"', "\\", "%", "a,b", "{x}", "\n\r\t\x07", "ż"]
)
def test_that_every_word_survives_its_quotes(word: str) -> None:
    assert unquote(quote(word)) == word
    declared = parse_declaration(f"@attribute {quote(word)} {{{quote(word)},other}}")
    assert (declared.name, declared.values) == (word, (word, "other"))


def test_that_other_encodings_are_found(tmp_path: Path) -> None:
    path = tmp_path / "x.arff"
    text = "@relation s\n@attribute kolor {żółty,ładny,wąski}\n@data\nżółty\nwąski\n"
    path.write_bytes(text.encode("cp1250"))
    raw = read_arff(path, ReadOptions(), silent)
    assert raw.columns[0].data.to_pylist() == ["żółty", "wąski"]
    assert "was read as cp1250" in raw.notes[0]


def test_that_what_is_written_without_a_codebook_keeps_values_and_numbers(tmp_path: Path) -> None:
    table = Table(
        (
            Column(
                Attribute("it's {odd}", Kind.NOMINAL, values=("a b", "?", "", "c%")),
                np.array([0, 1, 2, 3, -1]),
            ),
            Column(
                Attribute("x", Kind.CONTINUOUS, domain=(-1e9, 1e9)),
                np.array([0.1, -1e-7, 12345678.9, np.nan, 3.0]),
            ),
        )
    )
    path = tmp_path / "t.arff"
    write_table(table, path, WriteOptions(codebook=False))
    raw = read_arff(path, ReadOptions(), silent)
    assert [column.name for column in raw.columns] == ["it's {odd}", "x"]
    assert raw.columns[0].values == ("a b", "?", "", "c%")
    assert raw.columns[0].data.to_pylist() == ["a b", "?", "", "c%", None]
    assert raw.columns[1].data.to_pylist() == [0.1, -1e-7, 12345678.9, None, 3.0]


def test_that_reading_can_be_stopped(tmp_path: Path) -> None:
    path = tmp_path / "x.arff"
    path.write_text("@relation s\n@attribute a real\n@data\n" + "1\n" * 20_000, encoding="utf-8")

    def stop(done: float, message: str = "") -> None:
        if re.match("Reading", message):
            raise Cancelled

    with pytest.raises(Cancelled):
        read_table(path, progress=stop)


def test_that_a_table_is_called_like_its_file_and_not_like_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "age of people.arff"
    column = Column(Attribute("age", Kind.INTEGER, domain=(0, 9)), np.array([1.0, 2.0]))
    for _ in range(2):
        write_table(Table((column,), source="/home/somebody/secret.arff"), path)
        assert path.read_text(encoding="utf-8").startswith("@relation 'age of people'\n")
