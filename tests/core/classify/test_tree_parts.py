"""Parts of the tree against the plain way to compute the same."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ppworkbench.core.classify.tree.division import (
    apportion_rows,
    best_subsets,
    best_thresholds,
    choose_records,
    count_records,
    first_taken,
    histograms,
    moved_counts,
    moves,
    ordered_counts,
    purity,
)
from ppworkbench.core.classify.tree.estimates import em_rows, estimate
from ppworkbench.core.classify.tree.families import System, families_of
from ppworkbench.core.classify.tree.flat import LEAF, FlatTree
from ppworkbench.core.classify.tree.forest import prune
from ppworkbench.core.design import Uniform
from ppworkbench.core.reconstruct.assign import apportion, assign_intervals, assign_values
from ppworkbench.core.reconstruct.estimator import iterate
from ppworkbench.core.reconstruct.stopping import Converged, Fixed, Published, StopRule

SEEDS = st.integers(0, 10_000)


def gini_split(left: np.ndarray, right: np.ndarray) -> float:
    """The definition, for one division."""
    n = left.sum() + right.sum()
    parts = (part for part in (left, right) if part.sum())
    return float(sum(p.sum() / n * (1 - ((p / p.sum()) ** 2).sum()) for p in parts))


@given(SEEDS, st.integers(2, 4))
def test_that_the_best_threshold_has_the_smallest_gini_index(seed: int, classes: int) -> None:
    counts = np.random.default_rng(seed).integers(0, 6, (1, 6, classes)).astype(float)
    found, meets = best_thresholds(counts)
    total = counts[0].sum(axis=0)
    lefts = [counts[0, :t].sum(axis=0) for t in range(1, 6)]
    possible = [gini_split(x, total - x) for x in lefts if x.sum() and (total - x).sum()]
    assume(possible)
    assert 1 - found[0] / total.sum() == pytest.approx(min(possible))
    left = counts[0][meets[0]].sum(axis=0)
    assert gini_split(left, total - left) == pytest.approx(min(possible))


@given(SEEDS, st.integers(2, 4))
def test_that_the_best_subset_has_the_smallest_gini_index_of_all_subsets(
    seed: int, classes: int
) -> None:
    counts = np.random.default_rng(seed).integers(0, 6, (1, 5, classes)).astype(float)
    found, meets = best_subsets(counts, np.array([5]))
    total = counts[0].sum(axis=0)
    lefts = (
        counts[0, list(chosen)].sum(axis=0)
        for size in (1, 2)
        for chosen in itertools.combinations(range(5), size)
    )
    possible = [gini_split(x, total - x) for x in lefts if x.sum() and (total - x).sum()]
    assume(possible)
    assert 1 - found[0] / total.sum() == pytest.approx(min(possible))
    assert 1 <= meets[0].sum() <= 2


def test_that_records_of_one_value_cannot_be_divided() -> None:
    counts = np.zeros((1, 5, 2))
    counts[0, 2] = (3, 4)
    assert best_thresholds(counts)[0][0] == -np.inf
    assert best_subsets(counts, np.array([5]))[0][0] == -np.inf


def test_that_many_values_and_classes_are_divided_by_runs() -> None:
    counts = np.zeros((1, 30, 3))
    counts[0, np.arange(30), np.arange(30) % 3] = 5
    found, meets = best_subsets(counts, np.array([30]))
    assert meets[0].sum() == 10
    assert len({int(value) % 3 for value in np.flatnonzero(meets[0])}) == 1
    assert found[0] == purity(np.array([[50.0, 0, 0]]), np.array([[50.0, 50, 50]]))[0]


@given(SEEDS)
def test_that_records_are_shared_out_as_in_the_reconstruction(seed: int) -> None:
    rng = np.random.default_rng(seed)
    share, n = rng.dirichlet(np.ones(5), 3), rng.integers(0, 40, 3)
    rows = apportion_rows(share, n)
    assert rows.tolist() == [apportion(share[r], int(n[r])).tolist() for r in range(3)]


@given(SEEDS, st.sampled_from([0.3, 0.5, 0.8]), st.booleans())
def test_that_values_move_as_in_the_assignment_of_records(
    seed: int, keep: float, tested: bool
) -> None:
    rng = np.random.default_rng(seed)
    matrix = Uniform(keep=keep).matrix(4)
    codes, share = rng.integers(0, 4, 60), rng.dirichlet(np.ones(4))
    test = np.array([True, False, True, False]) if tested else None
    assigned = assign_values(codes, share, matrix, test=test)
    expected = np.zeros((4, 4), int)
    np.add.at(expected, (codes, assigned), 1)
    counts = np.bincount(codes, minlength=4)[None]
    quotas = apportion_rows(share[None], np.array([60]))
    moved = moves(counts, quotas, matrix, None if test is None else test[None])
    assert moved[0].tolist() == expected.tolist()


@given(SEEDS)
def test_that_numbers_go_to_the_child_of_their_assigned_interval(seed: int) -> None:
    rng = np.random.default_rng(seed)
    numbers, share = rng.normal(size=50), rng.dirichlet(np.ones(4))
    expected = assign_intervals(numbers, share) < 2
    cells = np.clip(np.floor(numbers * 2).astype(int) + 6, 0, 11)
    counts = np.bincount(cells, minlength=12)[None]
    quotas = apportion_rows(share[None], np.array([50]))
    taken = first_taken(counts, quotas[:, :2].sum(axis=1))
    met = choose_records(
        np.zeros(50, np.intp), cells, taken, counts, lambda at: (np.zeros(len(at)), numbers[at])
    )
    assert met.tolist() == expected.tolist()


@given(SEEDS)
def test_that_class_counts_of_all_classes_together_keep_classes_and_quotas(seed: int) -> None:
    rng = np.random.default_rng(seed)
    by_class, share = rng.integers(0, 9, (2, 3, 4)), rng.dirichlet(np.ones(4), 2)
    by_class[:, 0, 0] += 1
    n = by_class.sum(axis=(1, 2))
    for found in (
        ordered_counts(by_class, share),
        moved_counts(by_class, share, Uniform(keep=0.6).matrix(4)),
    ):
        assert np.allclose(found.sum(axis=1), by_class.sum(axis=2))
    assert np.allclose(ordered_counts(by_class, share).sum(axis=2), n[:, None] * share)


@pytest.mark.slow
@pytest.mark.parametrize("rule", [Published(), Converged(1e-4, 500), Fixed(7)])
def test_that_many_rows_are_iterated_as_each_would_be_alone(rule: StopRule) -> None:
    rng = np.random.default_rng(4)
    systems = [System(Uniform(keep=0.5).matrix(k), rng.integers(0, k, 9), False) for k in (3, 5)]
    (family,) = families_of(systems, 2)
    counts = rng.integers(0, 30, (2, 6, 5))
    counts[0, :, 3:] = 0
    alone = {
        (a, r): iterate(systems[a].matrix, counts[a, r, :k].astype(float), rule, counts[a, r].sum())
        for a, k in enumerate((3, 5))
        for r in range(6)
    }
    kept, em_rows.compiled = em_rows.compiled, None
    try:
        plain = estimate(family, counts, rule, np.ones((2, 6), bool))
        em_rows.compile()
        compiled = estimate(family, counts, rule, np.ones((2, 6), bool))
    finally:
        em_rows.compiled = kept
    assert np.allclose(plain, compiled, atol=1e-10)
    for (a, r), found in alone.items():
        k = systems[a].k
        if rule.name != "converged":
            assert np.allclose(plain[a, r, :k], found.probability, atol=1e-9)
        assert plain[a, r].sum() == pytest.approx(1)
        assert not plain[a, r, k:].any()


@pytest.mark.slow
def test_that_compiled_and_plain_histograms_agree() -> None:
    rng = np.random.default_rng(5)
    rows, nodes = rng.integers(0, 50, 80), rng.integers(0, 3, 80)
    codes, classes = rng.integers(0, 6, (50, 4)).astype(np.int32), rng.integers(0, 2, 50)
    kept, count_records.compiled = count_records.compiled, None
    try:
        plain = histograms(rows, nodes, codes, classes, (3, 2, 6))
        count_records.compile()
        compiled = histograms(rows, nodes, codes, classes, (3, 2, 6))
    finally:
        count_records.compiled = kept
    assert plain.tolist() == compiled.tolist()
    assert plain.sum() == 320


def _small_tree(counts: list[list[int]]) -> FlatTree:
    """A root with two children, the first of which has two more."""
    place, left = np.array([0, 1, LEAF, LEAF, LEAF]), np.array([1, 3, LEAF, LEAF, LEAF])
    level = np.array([0, 1, 1, 2, 2])
    cells = np.zeros((5, 2))
    meets = np.tile([True, False], (5, 1))
    return FlatTree(place, meets, left, np.array(counts), cells, level, np.zeros(5, int))


def test_that_a_branch_is_cut_where_it_costs_more_than_its_errors() -> None:
    # Node 1 as a leaf costs 1 + 2; as a branch 1 + 1 + (1 + 0) + (1 + 0) = 4 on numbers.
    tree = _small_tree([[12, 10], [12, 2], [0, 8], [12, 0], [0, 2]])
    assert len(prune(tree, np.array([True, True]))) == 3
    # On values the only test on an attribute is free: 1 + 0 + 1 + 1 = 3 is not more than 3.
    assert len(prune(tree, np.array([False, False]))) == 5


def test_that_a_tree_is_cut_to_its_root_where_nothing_pays() -> None:
    tree = _small_tree([[20, 2], [15, 1], [5, 1], [14, 1], [1, 0]])
    cut = prune(tree, np.array([True, True]))
    assert len(cut) == 1
    assert cut.is_leaf.all()


def test_that_an_empty_leaf_foretells_as_its_parent() -> None:
    tree = _small_tree([[4, 9], [4, 9], [0, 0], [4, 0], [0, 9]])
    assert tree.shares[2].tolist() == tree.shares[0].tolist()
