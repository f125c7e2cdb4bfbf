"""Baskets in text files: numbers, names, separators and limits."""

from __future__ import annotations

from pathlib import Path

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.formats import baskets as module
from ppworkbench.core.data.formats import read_transactions
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import DataError


def written(tmp_path: Path, text: str, name: str = "x.basket") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def sets(path: Path, **options: str) -> list[set[str]]:
    found = read_transactions(path, ReadOptions(**options))
    pieces = zip(found.indptr[:-1], found.indptr[1:], strict=True)
    return [{found.items[i] for i in found.indices[a:b]} for a, b in pieces]


@pytest.mark.parametrize(
    "text",
    [
        "whole milk,rye bread\nbeer\n\nwhole milk,beer\n",
        "whole milk\trye bread\nbeer\n\nwhole milk\tbeer\n",
        '"whole milk", "rye bread"\nbeer\n\n"whole milk",beer,beer\n',
        "whole milk;rye bread\r\nbeer\r\n\r\nwhole milk;beer",
    ],
    ids=["commas", "tabs", "quotes", "semicolons"],
)
def test_that_names_are_found_under_any_separator(tmp_path: Path, text: str) -> None:
    milk, bread, beer = "whole milk", "rye bread", "beer"
    assert sets(written(tmp_path, text)) == [{milk, bread}, {beer}, set(), {milk, beer}]


def test_that_numbers_are_separated_by_spaces_and_sorted_as_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, "10 2 \n2\n1 10 2\n", "x.dat")
    assert sets(path) == [{"10", "2"}, {"2"}, {"1", "10", "2"}]
    assert read_transactions(path).items == ("1", "2", "10")


def test_that_a_separator_can_be_named(tmp_path: Path) -> None:
    path = written(tmp_path, "a b|c\nc\n")
    assert sets(path, separator="|") == [{"a b", "c"}, {"c"}]


@examples(1.25)
@given(st.lists(st.sets(st.integers(0, 30), min_size=1), min_size=1, max_size=20))
def test_that_baskets_of_numbers_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, baskets: list[set[int]]
) -> None:
    lines = "".join(" ".join(map(str, sorted(basket))) + "\n" for basket in baskets)
    path = written(tmp_path_factory.mktemp("baskets"), lines, "x.dat")
    assert sets(path) == [{str(item) for item in basket} for basket in baskets]


def test_that_items_become_binary_attributes(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "milk,rye\nbeer\n\n"))
    assert table.names == ("milk", "rye", "beer")
    assert {a.kind for a in table.attributes} == {Kind.BINARY}
    assert {a.values for a in table.attributes} == {("0", "1")}
    assert [column.data.tolist() for column in table] == [[1, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert "3 baskets of 3 items" in table.notes[0]


def test_that_an_item_of_every_basket_is_binary_too(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "milk,rye\nmilk\n"))
    assert table["milk"].attribute.values == ("0", "1")
    assert table["milk"].data.tolist() == [1, 1]


def test_that_very_many_items_are_refused_as_columns_but_not_as_transactions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ITEMS", 3)
    path = written(tmp_path, "1 2 3 4\n", "x.dat")
    with pytest.raises(DataError, match="has 4 distinct items in 1 baskets, too many"):
        read_table(path)
    assert len(read_transactions(path).items) == 4


def test_that_a_file_without_items_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no items"):
        read_table(written(tmp_path, "\n\n"))


def test_that_an_open_quote_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"x\.basket, line 2: .*quotes must be closed"):
        read_table(written(tmp_path, 'a,b\nc,"d\n'))
