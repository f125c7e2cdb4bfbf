"""Naive Bayes on reconstructed distributions, plain and weighted."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from learnable import (
    CLASS,
    class_column,
    distorted,
    mixed_table,
    moderate_design,
    open_design,
)
from sklearn.naive_bayes import CategoricalNB

from ppworkbench.core.classify import NaiveBayes, WeightedBayes
from ppworkbench.core.classify.binning import smoothed_em
from ppworkbench.core.classify.class_distributions import undo_class
from ppworkbench.core.classify.inputs import original_codes
from ppworkbench.core.classify.weighted_bayes import shared_weights
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Uniform

TABLE = mixed_table(600, seed=3)


def test_that_without_distortion_it_is_scikit_learns_naive_bayes_on_the_same_intervals() -> None:
    ours = NaiveBayes(design=open_design(TABLE), laplace=0.5).fit(TABLE)
    codes = original_codes(TABLE.select([n for n in TABLE.names if n != CLASS]), ours.predictors_)
    sizes = [p.k for p in ours.predictors_]
    theirs = CategoricalNB(alpha=0.5, min_categories=sizes).fit(codes, TABLE[CLASS].data)
    assert np.allclose(ours.predict_proba(TABLE), theirs.predict_proba(codes))


def test_that_reconstruction_beats_taking_distorted_answers_for_the_truth() -> None:
    big = mixed_table(6000, seed=5)
    train, test = big.take(slice(0, 4000)), big.take(slice(4000, 6000))
    design = moderate_design(big)
    seen = distorted(train, design)
    honest = NaiveBayes(design=design).fit(seen).score(test)
    original = NaiveBayes().fit(train).score(test)
    blind = NaiveBayes().fit(seen).score(test)
    # Standard error of a difference of accuracies on 2000 records is at most 0.016.
    assert honest > original - 0.05
    assert honest > blind - 0.016


def test_that_smoothed_em_without_smoothing_reaches_the_solution_of_the_equations() -> None:
    matrix = Uniform(keep=0.7).matrix(4)
    true = np.array([[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]])
    found = smoothed_em(matrix, 1000 * true @ matrix.T, iterations=500)
    assert np.allclose(found, true, atol=1e-6)


def test_that_an_empty_class_gets_the_prior() -> None:
    prior = np.array([0.2, 0.8])
    matrix = Uniform(keep=0.9).matrix(2)
    found = smoothed_em(matrix, np.zeros((1, 2)), pull=1.0, prior=prior)
    assert np.allclose(found[0], prior)


def test_that_smoothing_keeps_the_sum_and_flattens_peaks() -> None:
    counts = np.array([[0.0, 0.0, 90.0, 0.0, 0.0]])
    found = smoothed_em(np.eye(5), counts, iterations=1, smoothing=0.5)
    assert found.sum() == pytest.approx(1.0)
    assert found[0].tolist() == pytest.approx([0, 0.25, 0.5, 0.25, 0])


def test_that_a_distorted_class_is_undone() -> None:
    matrix = Uniform(keep=0.8).matrix(2)
    true = np.array([[30.0, 50.0], [15.0, 5.0]])
    assert np.allclose(undo_class(matrix @ true, matrix), true)


def test_that_a_design_may_distort_the_class() -> None:
    big = mixed_table(5000, seed=2)
    plain = open_design(big)
    designed = tuple(
        dataclasses.replace(d, perturbation=Uniform(keep=0.8)) if d.name == CLASS else d
        for d in plain
    )
    design = dataclasses.replace(plain, attributes=designed)
    seen = distorted(big, design)
    score = NaiveBayes(design=design).fit(seen).score(big)
    assert score > NaiveBayes().fit(big).score(big) - 0.05


def test_that_weights_are_near_one_for_attributes_that_tell_much_and_small_for_noise() -> None:
    big = mixed_table(3000, seed=7)
    design = moderate_design(big)
    model = WeightedBayes(design=design, correlations=False).fit(distorted(big, design))
    weight = dict(zip(model.feature_names_in_, model.weights_[0], strict=True))
    assert max(weight.values()) == pytest.approx(1.0)
    # Mood has nothing to do with the vote.
    assert weight["mood"] < 0.6
    assert weight["mood"] == min(weight.values())


def test_that_without_caution_and_correlations_the_weights_are_those_of_naive_bayes() -> None:
    design = moderate_design(TABLE)
    seen = distorted(TABLE, design)
    weighted = WeightedBayes(design=design, caution=0.0, correlations=False).fit(seen)
    alike = {"bins": weighted.bins, "smoothing": weighted.smoothing, "laplace": weighted.laplace}
    assert np.array_equal(weighted.weights_, np.ones_like(weighted.weights_))
    plain = NaiveBayes(design=design, **alike).fit(seen)
    assert np.allclose(weighted.predict_proba(TABLE), plain.predict_proba(TABLE))


def with_copies(table: Table, name: str, copies: int) -> Table:
    """The table with an attribute repeated as if people were asked again."""
    column = table[name]
    more = [
        dataclasses.replace(
            column, attribute=dataclasses.replace(column.attribute, name=f"{name} {number}")
        )
        for number in range(1, copies)
    ]
    return table.with_(columns=(*table.columns, *more))


def independent_answers(rows: int, seed: int) -> Table:
    """Three numbers that tell the class equally well and nothing about each other within it."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, rows)
    numbers = [
        Column(
            Attribute(name, Kind.CONTINUOUS, domain=(-5, 6)),
            (rng.normal(size=rows) + codes).clip(-5, 6),
        )
        for name in ("age", "income", "height")
    ]
    return Table((*numbers, class_column(codes)), CLASS)


def weights_of(table: Table) -> dict[str, float]:
    model = WeightedBayes(caution=0.0).fit(table)
    return dict(zip(model.feature_names_in_, model.weights_[0], strict=True))


def test_that_copies_of_an_attribute_count_once_beside_others() -> None:
    table = independent_answers(4000, seed=3)
    alone, both = weights_of(table), weights_of(with_copies(table, "age", 2))
    assert alone["age"] == pytest.approx(alone["income"], rel=0.05)
    assert both["age"] == pytest.approx(both["age 1"])
    # Within the classes the copies correlate by 1, which is cut to .95, and others by 0 with an
    # error of .016: both copies together count 2 / 1.95 of one independent attribute.
    assert (both["age"] + both["age 1"]) / both["income"] == pytest.approx(2 / 1.95, abs=0.1)


def test_that_a_repeated_attribute_counts_less_with_correlations() -> None:
    # Age and income correlate by -.2 within the classes, so that age alone would have counted 1.3
    # were it not for the cut at 1; its copies share that, and all are raised by the same factor.
    before, after = weights_of(TABLE), weights_of(with_copies(TABLE, "age", 2))
    others = after["income"] / before["income"]
    assert after["age"] == pytest.approx(after["age 1"])
    assert after["age"] / before["age"] < 0.75 * others
    assert after["region"] / before["region"] == pytest.approx(others)


@pytest.mark.parametrize("copies", [1, 2, 3, 6])
def test_that_weights_follow_their_formula_where_it_can_be_solved_by_hand(copies: int) -> None:
    rho, d = 0.95, np.array([1.0] * copies + [0.8, 0.5])
    correlation = np.eye(copies + 2)
    correlation[:copies, :copies] = np.where(np.eye(copies), 1.0, rho)
    trust = np.array([0.9] * copies + [1.0, 0.6])
    # The minimum of s'Rs/2 - s'(trust d): each copy gets its share of one, others their trust.
    s = trust * d
    s[:copies] /= 1 + (copies - 1) * rho
    weights = np.minimum(s / d, 1.0)
    raised = min((trust @ d**2) / (weights @ d**2), 2.0)
    found = shared_weights(correlation, d, trust)
    assert found == pytest.approx(raised * weights)
    if raised < 2:
        assert found @ d**2 == pytest.approx(trust @ d**2)
    else:
        assert found[0] / found[-1] == pytest.approx(weights[0] / weights[-1])
