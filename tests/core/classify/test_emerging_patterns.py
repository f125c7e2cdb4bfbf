"""Emerging patterns: weights of items, mining, compact scores, matches, both scenarios."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learnable import CLASS, design_by, distorted, mixed_table, moderate_design

from ppworkbench.core.classify import EagerPatterns, LazyPatterns
from ppworkbench.core.classify.binarisation import binarise
from ppworkbench.core.classify.eager_patterns import mine_classes
from ppworkbench.core.classify.lazy_patterns import CompactScorer, match_tables
from ppworkbench.core.classify.pattern_items import binary_transform, unbiased_transform
from ppworkbench.core.design import Custom, Identity, Retention, Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.rng import SeededStreams

TABLE = mixed_table(500, seed=11)


@given(st.integers(2, 7), st.floats(0.05, 0.95))
def test_that_the_unbiased_transform_turns_the_channel_round(k: int, keep: float) -> None:
    if abs(keep - 1 / k) < 0.05:
        return
    channel = Uniform(keep=keep).matrix(k)
    prior = np.arange(1, k + 1) / (k * (k + 1) / 2)
    found = unbiased_transform(channel, prior, np.arange(k))
    assert np.allclose(channel.T @ found, np.eye(k), atol=1e-6)


def test_that_item_parameters_of_a_uniform_matrix_are_p_and_the_corrected_q() -> None:
    k, p = 4, 0.7
    q = (k - 2 + p) / (k - 1)
    found = binary_transform(Uniform(keep=p).matrix(k), np.full(k, 1 / k), np.arange(k))
    assert found[0, 0] == pytest.approx((1 - (1 - q)) / (p + q - 1))
    assert found[1, 0] == pytest.approx(-(1 - q) / (p + q - 1))


def test_that_a_channel_that_tells_nothing_gives_weights_that_tell_nothing() -> None:
    channel = Uniform(keep=0.5).matrix(2)
    for transform in (unbiased_transform, binary_transform):
        found = transform(channel, np.array([0.5, 0.5]), np.arange(2))
        assert np.isfinite(found).all()
        assert np.allclose(found[0], found[1])


def test_that_estimated_supports_are_unbiased() -> None:
    rng = np.random.default_rng(4)
    true = rng.random((4000, 3)) < 0.5
    true[:, 1] |= true[:, 0]
    matrix = Custom(((0.8, 0.3), (0.2, 0.7))).matrix(2)
    seen = np.where(rng.random(true.shape) < matrix[1, true.astype(int)], 1, 0)
    transform = unbiased_transform(matrix, np.array([0.5, 0.5]), np.arange(2))[:, 1]
    classes = np.zeros(4000, np.intp)
    mined = mine_classes(
        transform[seen], np.arange(3), classes, np.array([4000]), minimum=0.01, longest=3
    )
    sets = {
        tuple(members): support[0]
        for level in range(3)
        for members, support in zip(
            mined.members(level).tolist(), mined.levels[level].supports, strict=True
        )
    }
    for size in (1, 2, 3):
        for items in itertools.combinations(range(3), size):
            expected = true[:, items].all(axis=1).mean()
            # A weight is at most 1.6 in size; six standard errors of the mean of a product.
            assert sets[items] == pytest.approx(expected, abs=6 * 1.6**size / np.sqrt(4000))


def test_that_mining_finds_what_counting_every_set_finds() -> None:
    rng = np.random.default_rng(8)
    codes = rng.integers(0, 3, (200, 4))
    codes[:, 1] = np.where(rng.random(200) < 0.7, codes[:, 0], codes[:, 1])
    classes = (codes[:, 0] + rng.integers(0, 2, 200) > 1).astype(np.intp)
    weights = np.concatenate([np.eye(3)[codes[:, a]] for a in range(4)], axis=1)
    attribute = np.repeat(np.arange(4), 3)
    counts = np.bincount(classes)
    mined = mine_classes(weights, attribute, classes, counts, minimum=0.1, longest=3)
    found = {
        (c, tuple(members))
        for level in range(len(mined.levels))
        for members, frequent in zip(
            mined.members(level).tolist(), mined.levels[level].frequent, strict=True
        )
        for c in np.flatnonzero(frequent)
    }
    expected = {
        (c, items)
        for size in (1, 2, 3)
        for items in itertools.combinations(range(12), size)
        if len({attribute[i] for i in items}) == size
        for c in (0, 1)
        if weights[classes == c][:, items].all(axis=1).mean() >= 0.1
    }
    assert found == expected


def test_that_too_many_patterns_are_refused_in_one_sentence() -> None:
    weights = np.ones((4, 200))
    with pytest.raises(ParameterError, match="raise the minimum support"):
        mine_classes(
            weights,
            np.arange(200),
            np.zeros(4, np.intp),
            np.array([4]),
            minimum=0.1,
            longest=4,
        )


@pytest.mark.parametrize("growth", [np.inf, 2.0])
def test_that_compact_scores_are_those_of_a_search_through_all_subsets(growth: float) -> None:
    rng = np.random.default_rng(5)
    classes = rng.integers(0, 3, 80)
    bits = rng.random((4, 80)) < 0.5
    counts = np.bincount(classes)
    scorer = CompactScorer(classes, counts, attributes=4, minimum=0.1, growth=growth, longest=4)
    expected = np.zeros(3)
    for c in range(3):
        has = np.zeros(80, bool)
        for size in range(1, 5):
            for subset in itertools.combinations(range(4), size):
                contained = bits[list(subset)].all(axis=0)
                inside, rest = contained[classes == c].mean(), contained[classes != c].mean()
                if inside >= 0.1 and inside > 0 and (rest < 0.1 or inside >= growth * rest):
                    has |= contained
        expected[c] = has[classes == c].mean()
    assert np.allclose(scorer.score(bits), expected)
    assert scorer._sets is None
    wide = np.concatenate([bits, np.zeros((12, 80), bool)])
    many = CompactScorer(classes, counts, attributes=16, minimum=0.1, growth=growth, longest=4)
    assert np.allclose(many.score(wide), expected)


def test_that_the_two_matches_for_retention_are_the_two_formulas() -> None:
    table = TABLE.select(["income", CLASS])
    design = design_by(table, lambda a: Identity() if a.name == CLASS else Retention(keep=0.4))
    model = LazyPatterns(design=design, binning="equal-width", bins=4).fit(distorted(table, design))
    predictor = model.predictors_[0]
    counts = 100 * np.array([[40.0, 30, 20, 10], [10, 10, 10, 10]])
    published = match_tables(predictor, counts, "published")
    assert published[0] == pytest.approx(0.4 * np.eye(4) + 0.6 * 0.25)
    bayes = match_tables(predictor, counts, "bayes")
    assert bayes.sum(axis=2) == pytest.approx(1.0)
    # In a class that fills all cells alike, both agree: prior and replacing density are the same.
    assert bayes[1] == pytest.approx(published[1], abs=0.02)
    assert bayes[0, 0, 0] > published[0, 0, 0]


def test_that_undistorted_records_match_where_they_are_equal() -> None:
    model = LazyPatterns().fit(TABLE)
    region = list(model.feature_names_in_).index("region")
    expected = TABLE["region"].data[:, None] == np.arange(4)
    assert np.array_equal(model.matched_[region], expected)


@pytest.mark.parametrize("estimate", ["unbiased", "binary", "posterior", "auto"])
def test_that_all_estimates_are_counts_without_distortion(estimate: str) -> None:
    counted = EagerPatterns().fit(TABLE)
    found = EagerPatterns(estimate=estimate).fit(TABLE)
    assert np.allclose(found.predict_proba(TABLE), counted.predict_proba(TABLE))


def test_that_patterns_learn_from_distorted_records() -> None:
    big = mixed_table(3000, seed=2)
    design = moderate_design(big)
    seen = distorted(big.take(slice(0, 2000)), design)
    test = big.take(slice(2000, 3000))
    for name in (EagerPatterns, LazyPatterns):
        # Half of the records are of either class; six standard errors above a guess.
        assert name(design=design).fit(seen).score(test) > 0.5 + 6 * 0.5 / np.sqrt(1000)


def test_that_the_first_scenario_asks_before_it_distorts() -> None:
    questions = binarise(TABLE, bins=3)
    asked = questions.apply(TABLE)
    region = [name for name in asked.names if name.startswith("region = ")]
    assert len(region) == 4
    assert np.array_equal(sum(asked[name].data for name in region), np.ones(TABLE.rows))
    assert len([name for name in asked.names if name.startswith("age = ")]) == 3
    design = questions.design(0.9, 0.9)
    seen = distort(asked, design, SeededStreams(2))
    model = EagerPatterns(design=design, present_only=True).fit(seen)
    assert all(name.endswith("= yes") for p in model.patterns() for name in p.items)
    assert model.score(asked) > 0.65
