"""Numbers cut into cells for groups of people."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.publish.options import DeniabilityOptions
from ppworkbench.core.publish.ratings import best_segments, cells_of, distances
from ppworkbench.core.publish.tree import SLACK, deniabilities


def brute_force(cells, shares, people, options):
    """The best gain over all ways to cut, or minus infinity."""
    count, best = len(cells), -np.inf
    for chosen in itertools.product([False, True], repeat=count - 1):
        borders = [0, *(i + 1 for i, cut in enumerate(chosen) if cut), count]
        total = 0.0
        for first, last in itertools.pairwise(borders):
            held = cells[first:last].sum(axis=0)
            size = held.sum()
            low = deniabilities(held, len(held)) < options.min_deniability - SLACK
            if low or size < options.smallest_group:
                total = -np.inf
                break
            away = distances[options.distance](shares, held / size)
            total += size / people * float(away)
        best = max(best, total)
    return best


@examples(1.5)
@given(
    cells=st.lists(
        st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any), min_size=1, max_size=8
    ),
    minimum=st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.8, 1.0]),
    smallest=st.sampled_from([1, 4, 9]),
    distance=st.sampled_from(["squared", "cosine", "hellinger"]),
)
def test_that_the_dynamic_programme_finds_what_trying_all_cuts_finds(
    cells, minimum, smallest, distance
):
    counts = np.array(cells)
    people = counts.sum() + 2  # two people whose number is missing
    shares = np.add(counts.sum(axis=0), (1, 1, 0)) / people
    options = DeniabilityOptions(
        min_deniability=minimum, smallest_group=smallest, distance=distance
    )
    found = best_segments(counts, shares, people, 3, options)
    assert found.gain == pytest.approx(brute_force(counts, shares, people, options))


def test_that_a_suffix_that_cannot_be_cut_is_not_worth_nothing():
    # The last cell is pure: counted as 0, the first one alone would look like a whole solution.
    cells = np.array([[5, 5], [9, 1], [10, 0]])
    options = DeniabilityOptions(min_deniability=0.3, smallest_group=1)
    found = best_segments(cells, np.array([24, 6]) / 30, 30, 2, options)
    assert found.starts.tolist() == []
    assert found.gain == pytest.approx(0.0)
    impossible = DeniabilityOptions(min_deniability=0.99, smallest_group=1)
    assert best_segments(cells, np.array([24, 6]) / 30, 30, 2, impossible).gain == -np.inf


@examples(1.25)
@given(
    codes=st.lists(st.integers(0, 40), min_size=1, max_size=120), most=st.sampled_from([1, 5, 200])
)
def test_that_equal_numbers_are_never_parted_and_cells_are_few(codes, most):
    codes = np.array(codes)
    outcome = codes % 2
    cells, lowest, highest = cells_of(codes, outcome, 2, most)
    assert len(cells) <= most + 1
    assert (highest[:-1] < lowest[1:]).all()
    assert (lowest <= highest).all()
    for held, low, high in zip(cells, lowest, highest, strict=True):
        own = outcome[(codes >= low) & (codes <= high)]
        assert held.tolist() == [int((own == 0).sum()), int((own == 1).sum())]
    assert cells.sum() == len(codes)


def test_that_cells_of_many_numbers_hold_about_equally_many_people():
    codes = np.arange(1000)
    cells, *_ = cells_of(codes, codes % 2, 2, 9)
    assert cells.sum(axis=1).tolist() == [100] * 10
