"""Folds of records, and the measures of what was foretold in them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.errors import DataError
from ppworkbench.core.experiment.experiment import stratified_folds
from ppworkbench.core.experiment.results import MEASURES, Metrics, confusion


@given(
    sizes=st.lists(st.integers(0, 30), min_size=1, max_size=5).filter(lambda s: sum(s) >= 2),
    folds=st.integers(2, 12),
    seed=st.integers(0, 99),
)
def test_that_folds_and_the_classes_in_them_differ_by_one_record_at_most(sizes, folds, seed):
    classes = np.repeat(np.arange(len(sizes)), sizes)
    generator = np.random.default_rng(seed)
    if len(classes) < folds:
        with pytest.raises(DataError, match="Use fewer folds"):
            stratified_folds(classes, folds, generator)
        return
    dealt = stratified_folds(classes, folds, generator)
    for part in (slice(None), *(classes == c for c in range(len(sizes)))):
        found = np.bincount(dealt[part], minlength=folds)
        assert found.max() - found.min() <= 1


def test_that_other_generators_give_other_folds():
    classes = np.zeros(40, np.intp)
    one, other = (stratified_folds(classes, 4, np.random.default_rng(s)) for s in (1, 2))
    assert (one != other).any()


def test_that_measures_are_those_of_scikit_learn():
    from sklearn import metrics

    source = np.random.default_rng(3)
    true, predicted = source.integers(0, 4, 200), source.integers(0, 4, 200)
    found = Metrics.of(confusion(true, predicted, 4))
    assert float(found.accuracy) == pytest.approx(metrics.accuracy_score(true, predicted))
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(true, predicted)
    np.testing.assert_allclose(found.precision, precision)
    np.testing.assert_allclose(found.sensitivity, recall)
    np.testing.assert_allclose(found.f1, f1)
    np.testing.assert_allclose(
        found.specificity[1], metrics.recall_score(true != 1, predicted != 1)
    )
    assert float(found.macro("f1")) == pytest.approx(f1.mean())


def test_that_what_cannot_be_told_is_left_out_of_the_macro_mean():
    found = Metrics.of(np.array([[5, 1, 0], [2, 2, 0], [0, 0, 0]]))
    assert np.isnan(found.sensitivity[2])
    assert np.isnan(found.f1[2])
    assert float(found.macro("sensitivity")) == pytest.approx((5 / 6 + 2 / 4) / 2)


def test_that_a_class_that_is_never_recognised_has_precision_zero():
    found = Metrics.of(np.array([[5, 0], [3, 0]]))
    assert found.precision[1] == 0
    assert found.f1[1] == 0


def test_that_nothing_tested_is_nothing_told():
    found = Metrics.of(np.zeros((2, 2), np.int64))
    assert np.isnan(found.accuracy)
    assert all(np.isnan(found.macro(name)) for name in MEASURES)


def test_that_many_matrices_are_measured_at_once():
    source = np.random.default_rng(5)
    matrices = source.integers(0, 9, (7, 3, 3))
    together = Metrics.of(matrices)
    for place, matrix in enumerate(matrices):
        alone = Metrics.of(matrix)
        for name in ("accuracy", *MEASURES):
            np.testing.assert_array_equal(getattr(together, name)[place], getattr(alone, name))
