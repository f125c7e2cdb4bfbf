"""Sparse baskets and the tables they become."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.generators.weather import weather_table
from ppworkbench.core.data.transactions import Transactions
from ppworkbench.core.errors import DataError


@examples(1.25)
@given(st.lists(st.sets(st.integers(0, 5)), max_size=12))
def test_that_baskets_survive_the_way_through_a_table(baskets: list[set[int]]) -> None:
    rows = np.array([t for t, basket in enumerate(baskets) for _ in basket], np.int64)
    indices = np.array([item for basket in baskets for item in basket], np.int64)
    given = Transactions.from_pairs(tuple("abcdef"), len(baskets), rows, indices)
    assert given.lengths.tolist() == [len(basket) for basket in baskets]
    assert Transactions.from_table(given.to_table()).equals(given)
    held = [column.data.sum() for column in given.to_table()]
    assert given.supports.tolist() == held


def test_that_a_table_of_other_answers_is_refused_as_baskets() -> None:
    with pytest.raises(DataError, match="'outlook' is not an item"):
        Transactions.from_table(weather_table())


def test_that_baskets_with_unknown_items_or_wrong_borders_are_refused() -> None:
    with pytest.raises(DataError, match="outside the 1 known"):
        Transactions(("a",), np.array([0, 1]), np.array([1]))
    with pytest.raises(DataError, match="boundaries"):
        Transactions(("a",), np.array([0, 2]), np.array([0]))


def test_that_missing_answers_are_refused_as_baskets() -> None:
    table = Transactions(("a",), np.array([0, 1, 1]), np.array([0])).to_table()
    gap = table.replace(table["a"].with_(data=np.array([1, -1])))
    with pytest.raises(DataError, match="'a' has missing answers"):
        Transactions.from_table(gap)


def test_that_present_is_told_by_the_value_and_not_by_its_place() -> None:
    table = Transactions(("a",), np.array([0, 1, 1]), np.array([0])).to_table()
    turned = table["a"].attribute.with_(values=("1", "0"))
    backwards = table.replace(table["a"].with_(attribute=turned, data=np.array([0, 1])))
    assert Transactions.from_table(backwards).lengths.tolist() == [1, 0]


@examples(1.25)
@given(st.lists(st.text(min_size=1).filter(lambda t: t == t.strip()), min_size=1, unique=True))
def test_that_lines_give_back_the_names_whatever_is_in_them(names: list[str]) -> None:
    count = len(names)
    baskets = Transactions(tuple(names), np.array([0, count]), np.arange(count))
    (fields,) = csv.reader(io.StringIO("".join(baskets.lines()), newline=""), strict=True)
    assert fields == names
