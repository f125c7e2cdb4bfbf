"""Naive Bayes on reconstructed distributions, plain and weighted."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from learnable import CLASS, distorted, mixed_table, moderate_design, open_design
from sklearn.naive_bayes import CategoricalNB

from ppworkbench.core.classify import NaiveBayes, WeightedBayes
from ppworkbench.core.classify.class_distributions import undo_class
from ppworkbench.core.classify.inputs import original_codes
from ppworkbench.core.classify.smoothed_em import smoothed_em
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


def test_that_a_repeated_attribute_counts_less_with_correlations() -> None:
    twice = dataclasses.replace(TABLE["age"].attribute, name="age again")
    table = TABLE.with_(
        columns=(dataclasses.replace(TABLE["age"], attribute=twice), *TABLE.columns)
    )
    alone = WeightedBayes(caution=0.0).fit(TABLE)
    both = WeightedBayes(caution=0.0).fit(table)
    weight = dict(zip(both.feature_names_in_, both.weights_[0], strict=True))
    before = dict(zip(alone.feature_names_in_, alone.weights_[0], strict=True))
    assert weight["age"] == pytest.approx(weight["age again"])
    others = weight["income"] / before["income"]
    assert weight["age"] / before["age"] < 0.8 * others
