"""Reconstructed values given to single records."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.reconstruct.assign import apportion, assign_intervals, assign_values

weights = st.lists(st.floats(0, 1), min_size=1, max_size=8).filter(lambda w: sum(w) > 1e-6)


def uniform(k, keep):
    matrix = np.full((k, k), (1 - keep) / max(k - 1, 1))
    np.fill_diagonal(matrix, keep)
    return matrix


@given(weights, st.integers(0, 1000))
def test_that_apportioned_numbers_sum_to_n_and_lie_within_one_of_their_quota(given_weights, n):
    share = np.array(given_weights) / sum(given_weights)
    counts = apportion(np.array(given_weights), n)
    assert counts.sum() == n
    assert np.all(np.abs(counts - n * share) < 1 + 1e-6)
    assert np.all(counts >= 0)


def test_that_the_largest_remainders_are_rounded_up():
    # Quotas 3.5, 2.1, 1.4: the two whole records left over go to .5 and .4.
    assert apportion(np.array([0.5, 0.3, 0.2]), 7).tolist() == [4, 2, 1]


@pytest.mark.parametrize("bad", [[-0.2, 1.2], [0.0, 0.0], [np.nan, 1.0], []])
def test_that_what_is_no_distribution_cannot_be_apportioned(bad):
    with pytest.raises(ParameterError):
        apportion(np.array(bad), 5)


@given(st.data())
def test_that_assigned_values_have_the_apportioned_counts_and_as_few_moves_as_possible(data):
    k = data.draw(st.integers(1, 6))
    codes = np.array(data.draw(st.lists(st.integers(-1, k - 1), max_size=60)), np.int64)
    wish = data.draw(st.lists(st.floats(0, 1), min_size=k, max_size=k))
    wish = np.array(wish) + 1e-3
    keep = data.draw(st.floats(0.1, 0.9))
    first = data.draw(st.booleans())
    test = np.array(data.draw(st.lists(st.booleans(), min_size=k, max_size=k)))
    test = test if data.draw(st.booleans()) else None
    assigned = assign_values(codes, wish, uniform(k, keep), first=first, test=test)
    present = codes >= 0
    n_z = np.bincount(codes[present], minlength=k)
    n_x = apportion(wish, int(present.sum()))
    assert np.bincount(assigned[present], minlength=k).tolist() == n_x.tolist()
    assert np.count_nonzero(assigned != codes) == np.maximum(n_z - n_x, 0).sum()
    assert np.all(assigned[~present] == -1)


def test_that_records_move_where_the_matrix_makes_it_most_likely():
    # Value 0 is over-full by 3, value 1 and 2 lack 1 and 2; P[0, 2] > P[0, 1].
    matrix = np.array([[0.6, 0.1, 0.3], [0.3, 0.8, 0.1], [0.1, 0.1, 0.6]])
    codes = np.array([0, 0, 0, 0, 1, 2])
    assigned = assign_values(codes, np.array([1, 2, 3]) / 6, matrix, first=True)
    assert assigned.tolist() == [2, 2, 1, 0, 1, 2]


def test_that_the_first_records_move_when_asked_as_in_the_papers():
    # The consultation example: 2 distorted F, 3 reconstructed; the first M becomes F.
    sex = np.array([1, 1, 1, 0, 1, 0, 1])
    assigned = assign_values(sex, np.array([3, 4]) / 7, uniform(2, 0.6), first=True)
    assert np.flatnonzero(assigned == 0).tolist() == [0, 3, 5]


def test_that_the_seed_decides_which_records_move():
    codes = np.zeros(200, np.int64)
    share = np.array([0.5, 0.5])
    one, again, other = (assign_values(codes, share, uniform(2, 0.6), seed=s) for s in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert not np.array_equal(one, assign_values(codes, share, uniform(2, 0.6), first=True))


@pytest.mark.parametrize(("keep", "expected"), [(0.6, 1), (0.4, 2), (0.5, 2)])
def test_that_a_test_prefers_its_own_side_above_one_half_and_the_other_below(keep, expected):
    # From value 0 the matrix prefers value 2; the test puts 0 and 1 on one side.
    matrix = np.array([[keep, 0.1, 0.2], [0, 0.9, 0], [1 - keep, 0, 0.8]])
    test = np.array([True, True, False])
    codes = np.array([0, 0])
    assigned = assign_values(codes, np.array([0.5, 0.25, 0.25]), matrix, first=True, test=test)
    # One record moves by the apportionment [1, 1, 0]; only under-full values are open to it.
    assert assigned.tolist() == [1, 0]
    codes = np.zeros(3, np.int64)
    moved = assign_values(codes, np.ones(3) / 3, matrix, first=True, test=test)
    assert moved[0] == expected


def test_that_a_test_must_speak_of_every_value():
    with pytest.raises(ParameterError, match="each of 2 values"):
        assign_values(np.zeros(3), np.ones(2) / 2, uniform(2, 0.6), test=np.array([True]))


@given(
    st.lists(st.floats(-1e6, 1e6) | st.just(float("nan")), max_size=60),
    weights,
    st.booleans(),
)
def test_that_intervals_are_filled_in_the_order_of_the_numbers(numbers, share, first):
    data = np.array(numbers, np.float64)
    assigned = assign_intervals(data, np.array(share), first=first)
    present = ~np.isnan(data)
    counts = np.bincount(assigned[present], minlength=len(share))
    assert counts.tolist() == apportion(np.array(share), int(present.sum())).tolist()
    assert np.all(assigned[~present] == -1)
    order = np.argsort(data[present], kind="stable")
    lowest = [data[present][assigned[present] == i] for i in range(len(share)) if counts[i]]
    assert all(a.max() <= b.min() for a, b in itertools.pairwise(lowest))
    if first:
        assert np.all(np.diff(assigned[present][order]) >= 0)


def test_that_every_class_has_its_own_distribution():
    codes = np.array([0, 0, 0, 0, 0, 0, 0, 0, 1])
    classes = np.array([0, 0, 0, 0, 1, 1, 1, 1, -1])
    share = np.array([[0.75, 0.25], [0.25, 0.75]])
    assigned = assign_values(codes, share, uniform(2, 0.6), classes=classes)
    assert [int(assigned[classes == c].sum()) for c in (0, 1)] == [1, 3]
    assert assigned[-1] == -1
    numbers = np.arange(9.0)
    intervals = assign_intervals(numbers, share, classes=classes)
    assert intervals.tolist() == [0, 0, 0, 1, 0, 1, 1, 1, -1]
    with pytest.raises(ParameterError, match="class of every record"):
        assign_values(codes, share, uniform(2, 0.6))


def test_that_no_records_get_no_values():
    assert assign_values(np.array([], np.int64), np.ones(2), uniform(2, 0.6)).tolist() == []
    assert assign_intervals(np.array([]), np.ones(2)).tolist() == []
