"""Baskets in the manner of IBM's generator: sizes, names and rules."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from examples import sweep
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.generators.quest import QuestParams, make_patterns, quest_baskets
from ppworkbench.core.data.transactions import Transactions
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import Cancelled, StoppableProgress
from ppworkbench.core.rng import SeededStreams

LARGE = QuestParams(transactions=70_000, items=200, length=8, pattern=3)


@pytest.fixture(scope="module")
def large_baskets() -> Transactions:
    return quest_baskets(LARGE, seed=5)


sizes = st.builds(
    QuestParams,
    transactions=st.integers(1, 10**8),
    items=st.integers(1, 10**6),
    length=st.one_of(st.integers(1, 10_000), st.floats(1, 10_000)),
    pattern=st.one_of(st.integers(1, 1_000), st.floats(1, 1_000)),
    patterns=st.integers(1, 100_000),
)


@given(sizes)
def test_that_a_name_gives_back_the_sizes_it_was_made_of(params: QuestParams) -> None:
    assert QuestParams.parse(str(params)) == params
    assert QuestParams.names(str(params))


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("T10.I8.D100k.N100", "T10.I8.D100k.N100"),
        ("T10I8D100kN100", "T10.I8.D100k.N100"),
        ("T20I16D50kN200", "T20.I16.D50k.N200"),
        ("T10.I4.D100K", "T10.I4.D100k.N1k"),
        ("T2.5.I1.5.D1.5k.N50", "T2.5.I1.5.D1500.N50"),
        ("T5.I2.D1m.N1k.L500", "T5.I2.D1m.N1k.L500"),
    ],
)
def test_that_names_are_read_in_the_ways_people_write_them(name: str, printed: str) -> None:
    assert str(QuestParams.parse(name)) == printed


@pytest.mark.parametrize("name", ["", "T10", "T10.I4", "T10.I8.D100x", "T10.I8.D0", "T10.I8.D1.5"])
def test_that_a_name_that_is_none_is_refused_with_a_sentence(name: str) -> None:
    with pytest.raises(ParameterError) as caught:
        QuestParams.parse(name)
    assert caught.value.message.endswith(".")


@pytest.mark.slow
def test_that_all_baskets_are_there_and_none_is_empty(large_baskets: Transactions) -> None:
    assert len(large_baskets) == LARGE.transactions
    assert len(large_baskets.items) == LARGE.items
    assert large_baskets.lengths.min() >= 1


def test_that_a_basket_lists_its_items_once_and_in_order(large_baskets: Transactions) -> None:
    steps = np.diff(large_baskets.indices)
    starts = large_baskets.indptr[1:-1] - 1
    inside = np.delete(steps, starts)
    assert (inside > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "T6.I2.D20k.N500",
        pytest.param("T10.I4.D20k.N1k", marks=pytest.mark.slow),
        pytest.param("T20.I4.D20k.N1k", marks=pytest.mark.slow),
    ],
)
def test_that_baskets_have_the_asked_average_length_where_patterns_are_short(name: str) -> None:
    params = QuestParams.parse(name)
    lengths = quest_baskets(params, seed=3).lengths
    # The rules for patterns that do not fit shift the mean by a few percent of T by themselves:
    # IBM's own T10.I4.D100K has 10.1 items in a basket.
    error = lengths.std() / math.sqrt(len(lengths))
    assert lengths.mean() == pytest.approx(params.length, abs=0.04 * params.length + 4 * error)


@pytest.mark.slow
def test_that_single_items_come_at_exactly_the_asked_length() -> None:
    # Patterns of one item always fit, so that a basket stops at its target.
    params = QuestParams(transactions=20_000, items=500, length=5, pattern=1)
    lengths = quest_baskets(params, seed=2).lengths
    error = math.sqrt(4 / len(lengths))
    assert lengths.mean() == pytest.approx(5, abs=4 * error)
    assert lengths.var() == pytest.approx(4, abs=4 * 4 * math.sqrt(2.25 / len(lengths)))


@pytest.mark.slow
def test_that_patterns_have_the_asked_length_and_share_items_with_the_one_before() -> None:
    params = QuestParams(items=5_000, pattern=6, patterns=4_000)
    pool = make_patterns(params, SeededStreams(1).generator("test"))
    error = math.sqrt(5 / params.patterns)
    assert pool.sizes.mean() == pytest.approx(6, abs=4 * error)
    sets = [set(row[row >= 0].tolist()) for row in pool.items]
    assert [len(one) for one in sets] == pool.sizes.tolist()
    shared = [len(a & b) / len(b) for a, b in itertools.pairwise(sets)]
    # An exponential share with mean 1/2 that is cut at 1 has mean (1 - exp(-2)) / 2 = 0.43;
    # a pattern that is longer than the one before cannot inherit all it would.
    assert 0.35 < np.mean(shared) < 0.45
    assert pool.cumulative[-1] == pytest.approx(1)
    assert pool.corruption.min() >= 0
    assert pool.corruption.max() <= 1
    # Clipping a normal(0.5, 0.1) to [0, 1] keeps its mean by symmetry.
    assert pool.corruption.mean() == pytest.approx(0.5, abs=4 * math.sqrt(0.1 / params.patterns))


@pytest.mark.slow
def test_that_items_are_unevenly_popular_only_if_wanted(large_baskets: Transactions) -> None:
    even = quest_baskets(QuestParams(5_000, 50, uneven=False), seed=1).supports
    uneven = quest_baskets(QuestParams(5_000, 50), seed=1).supports
    assert uneven.std() / uneven.mean() > 3 * even.std() / even.mean()


def test_that_items_of_a_pattern_are_bought_together_more_often_than_by_chance() -> None:
    params = QuestParams(transactions=20_000, items=100, length=5, pattern=3, patterns=20)
    baskets = quest_baskets(params, seed=1)
    held = np.column_stack([column.data for column in baskets.to_table()]).astype(float)
    share = held.mean(axis=0)
    together = held.T @ held / len(held)
    lift = together / np.maximum(np.outer(share, share), 1e-12)
    np.fill_diagonal(lift, 0)
    assert lift[together > 0.005].max() > 3


def test_that_uncorrupted_patterns_lie_whole_in_baskets() -> None:
    params = QuestParams(
        transactions=500, items=1_000, length=1, pattern=4, patterns=1, corruption=0,
        corruption_variance=0,
    )  # fmt: skip
    baskets = quest_baskets(params, seed=1)
    # There is one pattern; whatever the target, it goes in as a whole.
    assert len(set(baskets.lengths.tolist())) == 1


@pytest.mark.parametrize(
    "params",
    sweep(
        [
            QuestParams(transactions=50, items=1, length=5, pattern=5),
            QuestParams(transactions=50, items=3, length=20, pattern=2),
            QuestParams(transactions=50, items=100, length=30, pattern=2, patterns=1),
            QuestParams(transactions=1, items=10),
        ],
        quick=2,
    ),
)
def test_that_baskets_close_when_nothing_new_can_get_in(params: QuestParams) -> None:
    baskets = quest_baskets(params, seed=1)
    assert len(baskets) == params.transactions
    assert baskets.lengths.max() <= params.items


@pytest.mark.slow
def test_that_wholly_corrupted_patterns_leave_baskets_empty() -> None:
    params = QuestParams(transactions=20, items=10, corruption=1, corruption_variance=0)
    assert quest_baskets(params).lengths.tolist() == [0] * 20


@pytest.mark.slow
def test_that_baskets_repeat_by_seed_and_whole_blocks_by_number(
    large_baskets: Transactions,
) -> None:
    assert quest_baskets(LARGE, seed=5).equals(large_baskets)
    fewer = quest_baskets(QuestParams(65_536, 200, 8, 3), seed=5)
    end = large_baskets.indptr[65_536]
    assert np.array_equal(fewer.indices, large_baskets.indices[:end])
    other = quest_baskets(LARGE, seed=6)
    assert not other.equals(large_baskets)


def test_that_a_stop_takes_effect_between_blocks_of_baskets() -> None:
    progress = StoppableProgress(lambda done, _message: progress.stop() if done > 0 else None)
    with pytest.raises(Cancelled):
        quest_baskets(QuestParams(200_000, 20, 2, 1), progress=progress)
