"""Tables of itemsets and rules: sorted and filtered."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mining_studies import WORDS, small_sets

from ppworkbench.analyses.mining.tables import (
    CONFIDENCE,
    NAME,
    SIZE,
    SUPPORT,
    TRUE,
    ItemsetTable,
    TableQuery,
    empty_table,
    order_rows,
)


def names(listing, wish):
    return [listing.name(place) for place in order_rows(listing, wish).rows.tolist()]


def test_that_rows_are_sorted_by_a_number_and_ties_keep_their_order():
    found = names(small_sets(), TableQuery(column=SUPPORT))
    assert found == ["car", "Bus + apple", "apple + bus lane", "Bus + car + bus lane"]
    assert (
        names(small_sets(), TableQuery(column=SUPPORT, descending=False))[0]
        == "Bus + car + bus lane"
    )


def test_that_names_are_sorted_without_regard_to_capitals_and_the_shorter_first():
    found = names(small_sets(), TableQuery(column=NAME, descending=False))
    assert found == ["apple + bus lane", "Bus + apple", "Bus + car + bus lane", "car"]


def test_that_unknown_numbers_stand_last_in_either_direction():
    listing = small_sets(**{TRUE: np.array([np.nan, 0.3, 0.1, np.nan])})
    for descending in (True, False):
        found = names(listing, TableQuery(column=TRUE, descending=descending))
        assert found[2:] == ["Bus + apple", "apple + bus lane"]


def test_that_every_word_of_the_filter_has_to_occur_in_some_item():
    assert names(small_sets(), TableQuery("bus apple", column=NAME, descending=False)) == [
        "apple + bus lane",
        "Bus + apple",
    ]
    assert names(small_sets(), TableQuery("lane car")) == ["Bus + car + bus lane"]
    assert names(small_sets(), TableQuery("tram")) == []


def test_that_sizes_are_bounded_on_both_sides():
    assert names(small_sets(), TableQuery(least=2)) == ["Bus + apple", "Bus + car + bus lane",
                                             "apple + bus lane"]  # fmt: skip
    assert names(small_sets(), TableQuery(least=1, most=1)) == ["car"]


def test_that_a_rule_is_found_by_the_items_of_both_sides():
    listing = ItemsetTable(
        WORDS,
        np.array([[0], [2]], np.int32),
        CONFIDENCE,
        {SUPPORT: np.array([0.1, 0.2]), CONFIDENCE: np.array([0.6, 0.7])},
        np.full(2, np.nan),
        np.full(2, np.nan),
        heads=np.array([[1], [3]], np.int32),
    )
    assert names(listing, TableQuery("apple")) == ["Bus → apple"]
    assert names(listing, TableQuery("car")) == ["car → bus lane"]
    assert listing.size.tolist() == [2, 2]
    assert SIZE not in listing.columns


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1)), max_size=30), st.booleans())
def test_that_arranging_gives_each_wanted_row_once_and_in_order(rows, descending):
    members = np.array([[item] for item, _ in rows], np.int32).reshape(-1, 1)
    support = np.array([value for _, value in rows], float)
    listing = ItemsetTable(WORDS, members, SUPPORT, {SUPPORT: support}, support, support)
    order = order_rows(listing, TableQuery("b", column=SUPPORT, descending=descending)).rows
    wanted = [i for i, (item, _) in enumerate(rows) if "b" in WORDS[item].lower()]
    assert sorted(order.tolist()) == wanted
    steps = np.diff(support[order])
    assert np.all(steps <= 0 if descending else steps >= 0)


def test_that_the_scale_of_the_bars_follows_the_sizes_but_not_the_words():
    assert order_rows(small_sets(), TableQuery(least=1)).reach == pytest.approx(0.52)
    assert order_rows(small_sets(), TableQuery(least=2)).reach == pytest.approx(0.22)
    assert order_rows(small_sets(), TableQuery("lane", least=2)).reach == pytest.approx(0.22)


def test_that_a_listing_of_nothing_can_be_arranged():
    assert order_rows(empty_table(), TableQuery("x", 2, 3, NAME)).rows.tolist() == []
