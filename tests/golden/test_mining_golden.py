"""Worked examples of P. Andruszkiewicz, Ph.D. thesis, 2011, sections 3.6.1 and 4.3."""

import numpy as np
import pytest
from mask_patterns import distortion_matrix, invert_patterns
from shopping import binary_items

from ppworkbench.core.itemsets import SetList, supports
from ppworkbench.core.itemsets.choosing import choose_transactions, pattern_order
from ppworkbench.core.mining import Mask, Mmask, mine


def baskets(full, only_a, only_b, neither):
    """Distorted baskets of the items a and b, shuffled."""
    patterns = np.repeat([3, 2, 1, 0], [full, only_a, only_b, neither])
    patterns = np.random.default_rng(1).permutation(patterns)
    return np.stack([patterns >> 1 & 1, patterns & 1]).astype(bool)


def test_that_the_example_of_one_item_is_distorted_and_estimated_as_printed():
    matrix = distortion_matrix([0.4], [0.96])
    assert matrix @ [1900, 100] == pytest.approx([1884, 116])
    assert invert_patterns([1884, 116], [0.4], [0.96]) == pytest.approx([1900, 100])
    shown = np.arange(2000)[None, :] < 116
    data = binary_items(shown, 0.4, 0.96)
    sets = SetList.of(data.items, [(0,)])
    assert supports(data, sets).raw * 2000 == pytest.approx([100])
    assert mine(data, Mask(min_support=0.05)).itemsets.raw * 2000 == pytest.approx([100])


def test_that_transition_probabilities_multiply_as_printed():
    """m_{1,2} of two items with the same p on both sides is (1 - p)^2."""
    assert distortion_matrix([0.8, 0.8], [0.8, 0.8])[1, 2] == pytest.approx(0.04)


def test_that_too_many_supporting_transactions_are_cut_to_the_first():
    """172 show {a, b}, 168 are wanted."""
    shown = baskets(172, 20, 9, 300)
    data = binary_items(shown, 0.8, 0.9)
    items = np.array([0, 1], np.int32)
    chosen = choose_transactions(data.bits, data.rows, items, data.keep_one, 168)
    assert chosen.tolist() == np.flatnonzero(shown.all(axis=0))[:168].tolist()


def test_that_too_few_are_filled_up_by_the_next_probable_patterns():
    """172 show {a, b}, 191 are wanted: all 9 that show b alone, then the first 10 with a alone."""
    shown = baskets(172, 20, 9, 300)
    data = binary_items(shown, [0.8, 0.8], 0.9)
    items = np.array([0, 1], np.int32)
    chosen = choose_transactions(data.bits, data.rows, items, data.keep_one, 191)
    expected = np.concatenate(
        [
            np.flatnonzero(shown[0] & shown[1]),
            np.flatnonzero(~shown[0] & shown[1]),
            np.flatnonzero(shown[0] & ~shown[1])[:10],
        ]
    )
    assert chosen.tolist() == expected.tolist()


def test_that_the_more_probable_pattern_comes_first_where_items_differ():
    """b stays more often than a, so a full set rather loses a: the pattern that shows b alone."""
    assert pattern_order(np.array([0.6, 0.9])).tolist() == [3, 1, 2, 0]
    assert pattern_order(np.array([0.9, 0.6])).tolist() == [3, 2, 1, 0]


def test_that_reductions_happen_at_the_published_lengths():
    """Threshold 3: relaxation grows at length 4 and 7 (tables 4.8 and 4.9)."""
    miner = Mmask(min_support=0.005, r_threshold=3, r_relax=0.05)
    assert [miner.relaxation(length) for length in range(1, 9)] == pytest.approx(
        [0, 0, 0, 0.05, 0.05, 0.05, 0.1, 0.1]
    )
