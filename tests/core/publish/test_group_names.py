"""What groups of people are called, how deniable they are and how far apart."""

from __future__ import annotations

import numpy as np
import pytest
from publish_tables import AGE, INCOME, SMOKES, rules
from scipy.stats import entropy

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.publish import (
    Sample,
    deniabilities,
    distances,
    largest_share,
    make_tree,
)


def test_that_parts_of_whole_numbers_are_named_by_what_they_hold():
    age = np.repeat([20.0, 34.0, 35.0, 59.0, 60.0, 80.0], 10)
    answer = np.concatenate([np.arange(20) < 15, np.arange(20) < 10, np.arange(20) < 3])
    table = Table((Column(AGE, age), Column(SMOKES, answer.astype(int))))
    tree = make_tree(Sample.of(table, "smokes"), rules(min_deniability=0.6, smallest_group=20))
    root = tree.root
    names = [root.part_name(part) for part in range(len(root.children))]
    # 34 and 35 are 0.5 apart from the cut, 59 and 60 as well.
    assert root.thresholds == (34.5, 59.5)
    assert names == ["under 35", "35 to 59", "60 and over"]


def test_that_a_part_of_one_whole_number_is_called_by_it():
    kids = Attribute("kids", Kind.INTEGER, domain=(0, 2))
    numbers = np.repeat([0.0, 1.0, 2.0], 20)
    answer = np.concatenate([np.arange(20) < 15, np.arange(20) < 10, np.arange(20) < 3])
    table = Table((Column(kids, numbers), Column(SMOKES, answer.astype(int))))
    root = make_tree(Sample.of(table, "smokes"), rules(smallest_group=20)).root
    assert [root.part_name(part) for part in range(3)] == ["0", "1", "2"]


def test_that_parts_of_numbers_with_fractions_are_named_by_their_borders():
    numbers = np.repeat([0.25, 0.75], 10)
    answer = np.concatenate([np.arange(10) < 8, np.arange(10) < 3]).astype(int)
    table = Table((Column(INCOME, numbers), Column(SMOKES, answer)))
    root = make_tree(Sample.of(table, "smokes"), rules(smallest_group=5)).root
    assert [root.part_name(part) for part in (0, 1)] == ["up to 0.5", "over 0.5"]


def test_that_neighbours_among_doubles_are_told_apart():
    low = 1.0
    high = np.nextafter(low, 2.0)
    numbers = np.repeat([low, high], 10)
    answer = np.concatenate([np.arange(10) < 8, np.arange(10) < 3]).astype(int)
    table = Table((Column(INCOME, numbers), Column(SMOKES, answer)))
    tree = make_tree(Sample.of(table, "smokes"), rules(smallest_group=10))
    assert np.bincount(tree.groups_of(table)).tolist() == [0, 10, 10]


def test_that_deniability_is_the_share_of_the_largest_entropy():
    counts = np.array([[3, 1, 4], [1, 0, 0], [2, 2, 2]])
    one_by_one = [entropy(row, base=3) for row in counts]
    assert deniabilities(counts, 3) == pytest.approx(one_by_one)


@pytest.mark.parametrize("outcomes", [2, 3, 7])
@pytest.mark.parametrize("minimum", [0.1, 0.4, 0.9])
def test_that_no_answer_can_have_a_larger_share_at_that_deniability(outcomes, minimum):
    share = largest_share(minimum, outcomes)
    rest = (1 - share) / (outcomes - 1)
    assert entropy([share, *[rest] * (outcomes - 1)], base=outcomes) == pytest.approx(
        minimum, abs=1e-9
    )
    more = share + 0.01
    rest = (1 - more) / (outcomes - 1)
    assert entropy([more, *[rest] * (outcomes - 1)], base=outcomes) < minimum


@pytest.mark.parametrize("entry", list(distances), ids=lambda entry: entry.name)
def test_that_a_distance_is_nothing_between_equal_shares_and_grows_apart(entry):
    p = np.array([0.5, 0.3, 0.2])
    near, far = np.array([0.4, 0.4, 0.2]), np.array([0.0, 0.0, 1.0])
    assert float(entry.item(p, p)) == pytest.approx(0.0, abs=1e-12)
    assert 0 < float(entry.item(p, near)) < float(entry.item(p, far)) <= 1
