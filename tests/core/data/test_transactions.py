"""Sparse baskets and the tables they become."""

from __future__ import annotations

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.transactions import Transactions
from ppworkbench.core.errors import DataError


@examples(1.25)
@given(st.lists(st.sets(st.integers(0, 5)), max_size=12))
def test_that_baskets_become_a_table_of_what_they_hold(baskets: list[set[int]]) -> None:
    rows = np.array([t for t, basket in enumerate(baskets) for _ in basket], np.int64)
    indices = np.array([item for basket in baskets for item in basket], np.int64)
    given = Transactions.from_pairs(tuple("abcdef"), len(baskets), rows, indices)
    assert given.lengths.tolist() == [len(basket) for basket in baskets]
    table = given.to_table()
    held = [{c.name for c in table if c.data[place]} for place in range(table.rows)]
    assert held == [{"abcdef"[item] for item in basket} for basket in baskets]
    assert given.supports.tolist() == [column.data.sum() for column in table]


def test_that_baskets_with_unknown_items_or_wrong_borders_are_refused() -> None:
    with pytest.raises(DataError, match="outside the 1 known"):
        Transactions(("a",), np.array([0, 1]), np.array([1]))
    with pytest.raises(DataError, match="boundaries"):
        Transactions(("a",), np.array([0, 2]), np.array([0]))
