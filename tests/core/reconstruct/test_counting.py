"""Distorted answers counted in cells, in pieces and with weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Additive, Discretise, Identity, Uniform
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Cancelled
from ppworkbench.core.reconstruct import ColumnCounter, count_column, reconstruct
from ppworkbench.core.rng import SeededStreams

COLOUR = Attribute("colour", Kind.NOMINAL, ("a", "b", "c"))
SALARY = Attribute("salary", Kind.CONTINUOUS, domain=(0, 100))
NOISE = Additive(noise="normal", sigma=10)


def salaries(n, seed=1):
    drawn = np.random.default_rng(seed).beta(2, 5, n) * 100
    return NOISE.distort(drawn, SALARY, SeededStreams(seed).stream("salary"))


@given(pieces=st.lists(st.lists(st.integers(-1, 2), max_size=20), max_size=6))
def test_that_pieces_count_as_the_whole(pieces):
    counter = ColumnCounter(COLOUR, Uniform(keep=0.6))
    for piece in pieces:
        counter.add(Column(COLOUR, np.array(piece, int)))
    whole = np.array([code for piece in pieces for code in piece], int)
    counted = counter.counted()
    assert counted.counts.tolist() == np.bincount(whole[whole >= 0], minlength=3).tolist()
    assert (counted.rows, counted.missing) == (sum(whole >= 0), sum(whole < 0))


def test_that_numbers_in_pieces_count_as_the_whole():
    told = salaries(5000)
    told[7] = np.nan
    counter = ColumnCounter(SALARY, NOISE, 15)
    for start in range(0, 5000, 700):
        counter.add(Column(SALARY, told[start : start + 700]))
    pieces, whole = counter.counted(), count_column(Column(SALARY, told), SALARY, NOISE, 15)
    assert np.array_equal(pieces.counts, whole.counts)
    assert np.array_equal(pieces.matrix, whole.matrix)
    assert (pieces.rows, pieces.missing) == (4999, 1)


def test_that_cells_are_trimmed_to_the_data_without_losing_probability():
    counted = count_column(Column(SALARY, salaries(300)), SALARY, NOISE, 10)
    assert counted.counts.sum() == 300
    np.testing.assert_allclose(counted.matrix.sum(axis=0), 1, atol=1e-9)
    assert len(counted.z_edges) == len(counted.counts) + 1
    occupied = np.flatnonzero(counted.counts)
    assert occupied[0] <= 1
    assert occupied[-1] >= len(counted.counts) - 2


def test_that_weights_are_added_up_with_their_squares():
    counter = ColumnCounter(COLOUR, Uniform(keep=0.6))
    counter.add(Column(COLOUR, np.array([0, 0, 1])))
    counter.add(Column(COLOUR, np.array([1, 2, -1])), np.array([2.0, 0.5, 9.0]))
    counted = counter.counted()
    assert counted.counts.tolist() == [2, 3, 0.5]
    assert counted.squares.tolist() == [2, 5, 0.25]
    assert counted.size == pytest.approx(5.5**2 / 7.25)
    assert counted.rows == 5


def test_that_equal_weights_give_the_covariance_of_no_weights():
    codes = np.array([0, 0, 1, 2, 2, 2])
    plain = count_column(Column(COLOUR, codes), COLOUR, Identity())
    weighted = count_column(Column(COLOUR, codes), COLOUR, Identity(), weights=np.full(6, 3.0))
    np.testing.assert_allclose(weighted.spread, plain.spread, atol=1e-15)
    assert weighted.size == pytest.approx(6)


def test_that_the_weighted_covariance_is_that_of_a_weighted_mean():
    generator = np.random.default_rng(3)
    codes, weights = generator.integers(0, 3, 50), generator.uniform(0.2, 3, 50)
    counted = count_column(Column(COLOUR, codes), COLOUR, Identity(), weights=weights)
    share = weights / weights.sum()
    centred = np.eye(3)[codes] - counted.shares
    np.testing.assert_allclose(counted.spread, (centred.T * share**2) @ centred, atol=1e-15)


def test_that_numbers_out_of_reach_are_told_and_left_out():
    noise = Additive(noise="uniform", half_width=5)
    told = np.array([50.0, 60.0, 500.0, -80.0])
    result = reconstruct(Column(SALARY, told), SALARY, noise)
    assert result.rows == 2
    assert any("2 answers are impossible under this mechanism" in w for w in result.warnings)


def test_that_intervals_are_counted_by_their_codes():
    cut = Discretise(intervals=4)
    told = cut.distort(np.array([1.0, 30.0, 99.0, np.nan]), SALARY, SeededStreams(1).stream("s"))
    counted = count_column(Column(cut.distorted(SALARY), told), SALARY, cut)
    assert counted.counts.tolist() == [1, 1, 0, 1]
    assert counted.missing == 1


def test_that_a_column_of_another_kind_is_refused():
    with pytest.raises(DataError, match="is nominal in the data but"):
        count_column(Column(COLOUR, np.array([0])), SALARY, NOISE)
    other = COLOUR.with_(values=("a", "c", "b"))
    with pytest.raises(DataError, match="other values in the data"):
        count_column(Column(other, np.array([0])), COLOUR, Uniform(keep=0.5))


def test_that_counting_can_be_cancelled():
    def stop(done, message=""):
        raise Cancelled

    with pytest.raises(Cancelled):
        count_column(Column(COLOUR, np.array([0])), COLOUR, Uniform(), progress=stop)


def test_that_merged_cells_keep_counts_and_probability():
    counted = count_column(Column(SALARY, salaries(1000)), SALARY, NOISE, 10)
    small = counted.merged(30)
    assert len(small.counts) <= 30
    assert small.counts.sum() == 1000
    np.testing.assert_allclose(small.matrix.sum(axis=0), 1, atol=1e-9)
    assert small.z_edges[0] == counted.z_edges[0]
    assert small.z_edges[-1] == counted.z_edges[-1]
