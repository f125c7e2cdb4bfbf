"""Classifiers as scikit-learn checks estimators."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn import __version__ as sklearn_version
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import ppworkbench as pp

NAMES = tuple(name for name in pp.__all__ if pp._PLACES[name] == "ppworkbench.core.classify")
QUICK, REST = "NaiveBayes", [name for name in NAMES if name != "NaiveBayes"]
DO_NOT_APPLY = {
    # Wrong numbers of columns are a ValueError whose sentence names the expected columns; the
    # check wants the words of scikit-learn.
    "check_n_features_in_after_fitting",
    # The same of records without any column.
    "check_estimators_empty_data_messages",
    # A column of classes is taken for what it is, without a warning.
    "check_supervised_y_2d",
}
LEARNS_SLOWLY = {
    # Patterns of two and more items that stand out are few in 300 records of three clusters.
    "EagerPatterns": {"check_classifiers_train"},
}


@pytest.mark.slow
@pytest.mark.skipif(
    tuple(map(int, sklearn_version.split(".")[:2])) < (1, 6), reason="cannot list what failed"
)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name",
    [one if one == "NaiveBayes" else pytest.param(one, marks=pytest.mark.slow) for one in NAMES],
)
def test_that_a_classifier_passes_the_checks_of_scikit_learn(name: str) -> None:
    from sklearn.utils.estimator_checks import check_estimator

    found = check_estimator(getattr(pp, name)(), on_fail=None, on_skip=None)
    failed = {one["check_name"]: one["exception"] for one in found if one["status"] == "failed"}
    unknown = set(failed) - DO_NOT_APPLY - LEARNS_SLOWLY.get(name, set())
    assert {check: failed[check] for check in unknown} == {}
    assert sum(one["status"] == "passed" for one in found) > 40


@pytest.mark.parametrize("name", NAMES)
def test_that_a_constant_number_teaches_nothing_and_breaks_nothing(name: str) -> None:
    X = np.c_[np.full(40, 3e9), np.arange(40.0)]
    y = np.arange(40) >= 20
    assert getattr(pp, name)(random_state=1).fit(X, y).score(X, y) > 0.5


def test_that_a_classifier_works_in_pipelines_and_searches(answers, design) -> None:
    X, y = answers[["sex", "district"]].astype(str), answers["fare_evasion"].astype(str)
    tree = pp.DecisionTree(design=design, random_state=1)
    searched = GridSearchCV(tree, {"random_state": [1, 2]}, cv=2).fit(X, y)
    assert searched.best_params_["random_state"] in (1, 2)
    piped = make_pipeline(FunctionTransformer(), pp.NaiveBayes(design=design))
    assert cross_val_score(piped, X, y, cv=2).min() > 0.3


def test_that_undoing_the_distortion_finds_what_matters() -> None:
    draw = np.random.default_rng(5)
    n = 3000
    truth = pd.DataFrame({"a": draw.choice(["x", "y"], n), "b": draw.choice(["x", "y"], n)})
    y = np.where((truth["a"] == "x") ^ (draw.random(n) < 0.1), "yes", "no")
    design = pp.Design.from_dict(
        {
            "format": "ppworkbench-design",
            "version": 1,
            "attributes": {
                name: {
                    "kind": "binary",
                    "values": ["x", "y"],
                    "perturbation": {"type": "uniform", "keep": 0.7},
                }
                for name in "ab"
            },
        }
    )
    learnt = pp.NaiveBayes(design=design).fit(pp.distort(truth, design, seed=1), y)
    assert learnt.score(truth, y) > 0.85


def test_that_columns_of_frames_of_other_libraries_are_found_by_name(answers, design) -> None:
    records, labels = answers[["sex", "district"]].astype(str), answers["fare_evasion"].astype(str)
    learnt = pp.NaiveBayes(design=design).fit(records, labels)
    turned = pa.Table.from_pandas(records[["district", "sex"]], preserve_index=False)
    assert learnt.predict(turned).tolist() == learnt.predict(records).tolist()
    again = pp.NaiveBayes(design=design).fit(turned, labels)
    assert again.predict_proba(records) == pytest.approx(learnt.predict_proba(records))
