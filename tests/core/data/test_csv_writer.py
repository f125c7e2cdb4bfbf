"""Tables into delimited text, and back under their schema."""

from __future__ import annotations

import csv
import dataclasses
import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.build import build_table
from ppworkbench.core.data.delimited.reader import read_csv
from ppworkbench.core.data.delimited.writer import write_csv
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError

EVERY_WAY = (1 << 24, 0)
"""Files are read as text at once, or with columns of numbers parsed straight away."""


def written(table: Table, folder: Path, **options: bool) -> str:
    path = folder / "out.csv"
    write_csv(table, path, WriteOptions(**options))
    return path.read_bytes().decode()


def words(name: str, values: tuple[str, ...], data: list[int]) -> Column:
    return Column(Attribute(name, Kind.NOMINAL, values), np.array(data))


def test_that_numbers_are_written_shortest_and_whole_ones_without_a_point(tmp_path: Path) -> None:
    whole = Column(Attribute("n", Kind.INTEGER, domain=(0, 9)), np.array([3.0, np.nan, -7.0]))
    real = Column(Attribute("x", Kind.CONTINUOUS, domain=(0, 1)), np.array([0.1 + 0.2, 5.0, 1e-7]))
    found = written(Table((whole, real)), tmp_path)
    assert found == "n,x\n3,0.30000000000000004\n,5\n-7,1e-7\n"


def test_that_texts_are_quoted_where_needed(tmp_path: Path) -> None:
    column = words("say, what", ('he said "no"', "a,b", "two\nlines", "plain"), [0, 1, 2, 3, -1])
    other = words("w", ("x",), [0, 0, 0, 0, -1])
    found = written(Table((column, other)), tmp_path)
    rows = list(csv.reader(io.StringIO(found, newline="")))
    assert rows[0] == ["say, what", "w"]
    assert [row[0] for row in rows[1:]] == ['he said "no"', "a,b", "two\nlines", "plain", ""]


@pytest.mark.parametrize("name", ["out.tsv", "OUT.TAB"])
def test_that_a_name_of_tabs_is_written_with_tabs(name: str, tmp_path: Path) -> None:
    column = words("say\twhat", ("a,b", "a\tb", "plain"), [0, 1, 2, -1])
    other = Column(Attribute("n", Kind.INTEGER, domain=(0, 9)), np.array([1.0, 2.0, np.nan, 4.0]))
    table = Table((column, other))
    write_table(table, tmp_path / name)
    with (tmp_path / name).open(newline="") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    assert rows == [["say\twhat", "n"], ["a,b", "1"], ["a\tb", "2"], ["plain", ""], ["", "4"]]
    back = read_table(tmp_path / name)
    assert back.names == table.names
    assert back["say\twhat"].data.tolist() == [0, 1, 2, -1]


def test_that_plain_texts_stay_unquoted_between_tabs(tmp_path: Path) -> None:
    write_csv(Table((words("q", ("no",), [0]), words("r", ("so",), [0]))), tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_bytes() == b"q\tr\nno\tso\n"


def test_that_formulas_are_made_harmless(tmp_path: Path) -> None:
    values = ("=1+1", "@SUM(A1)", "+48 123", "-5", "\t=2", "\rx", "plain")
    column = words("=name", values, [0, 1, 2, 3, 4, 5, 6])
    number = Column(Attribute("n", Kind.INTEGER, domain=(-9, 9)), np.full(7, -5.0))
    found = written(Table((column, number)), tmp_path, escape_formulas=True)
    rows = list(csv.reader(io.StringIO(found, newline="")))
    assert rows[0] == ["'=name", "n"]
    assert [row[0] for row in rows[1:]] == [
        "'=1+1", "'@SUM(A1)", "'+48 123", "-5", "'\t=2", "'\rx", "plain",
    ]  # fmt: skip
    assert {row[1] for row in rows[1:]} == {"-5"}


def test_that_two_values_never_become_one_by_escaping(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="both be written"):
        written(Table((words("q", ("=1", "'=1"), [0, 1]),)), tmp_path, escape_formulas=True)


def test_that_a_missing_answer_differs_from_an_empty_one(tmp_path: Path) -> None:
    column = words("q", ("", "NA", "x"), [0, 1, -1, 2])
    other = words("w", ("y",), [0, 0, 0, 0])
    table = Table((column, other))
    path = tmp_path / "out.csv"
    write_csv(table, path)
    back = build_table(read_csv(path), schema=table.attributes)
    assert back["q"].data.tolist() == [0, 1, -1, 2]


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_that_characters_no_file_can_hold_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="character that no text file"):
        written(Table((words("q", (text, "x"), [0, 1]),)), tmp_path)


TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12)
NUMBERS = st.floats(allow_nan=True, allow_infinity=False)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    rows = draw(st.integers(0, 12))
    names = draw(st.lists(TEXTS.filter(str.strip), min_size=1, max_size=4, unique=True))
    columns = []
    for name in names:
        if draw(st.booleans()):
            odd = st.sampled_from(["NA", "", " x", "x ", "1", "1.0", "01", 'a"b', "a,b", "a\r\nb"])
            values = draw(st.lists(TEXTS | odd, min_size=1, max_size=6, unique=True))
            codes = draw(st.lists(st.integers(-1, len(values) - 1), min_size=rows, max_size=rows))
            columns.append(words(name, tuple(values), codes))
        else:
            numbers = np.array(draw(st.lists(NUMBERS, min_size=rows, max_size=rows)), float)
            attribute = Attribute(name, Kind.CONTINUOUS, domain=(-1.0, 1.0))
            columns.append(Column(attribute, numbers))
    return Table(tuple(columns))


@examples(1.25)
@given(tables(), st.booleans(), st.sampled_from(EVERY_WAY), st.sampled_from(["x.csv", "x.tsv"]))
def test_that_what_is_written_is_read_back_under_its_schema(
    table: Table, escape: bool, whole_up_to: int, name: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        # Values that begin with an apostrophe themselves are another test's.
        plain = not any(v.startswith("'") for c in table for v in c.attribute.values)
        escape = escape and plain
        write_csv(table, path, WriteOptions(escape_formulas=escape))
        # Any text can be a name here, so that a line of names may look like a record.
        raw = read_csv(path, ReadOptions(header="1"), whole_up_to=whole_up_to)
        assert len(raw.columns) == len(table.columns)
        columns = tuple(
            dataclasses.replace(column, name=name)
            for column, name in zip(raw.columns, table.names, strict=True)
        )
        # While the file is there: a column of numbers may have to be read again as text.
        back = build_table(dataclasses.replace(raw, columns=columns), schema=table.attributes)
    for before, after in zip(table, back, strict=True):
        assert np.array_equal(before.data, after.data, equal_nan=not before.is_categorical)


def test_that_a_name_which_begins_with_a_mark_of_the_byte_order_comes_back(tmp_path):
    path = tmp_path / "x.csv"
    answers = Column(Attribute("\ufeffa", Kind.BINARY, ("no", "yes")), np.array([0, 1]))
    write_table(Table((answers,)), path)
    assert read_table(path).names == ("\ufeffa",)
