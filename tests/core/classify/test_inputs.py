"""Tables, frames and arrays; missing answers, labels, intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from learnable import distorted, mixed_table, moderate_design
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from ppworkbench.core.classify import DecisionTree
from ppworkbench.core.classify.binning import EQUAL_FREQUENCY, BinningParams, borders
from ppworkbench.core.classify.inputs import read_labels
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Additive, Discretise, Identity, Multiplicative, Retention
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.errors import DataError

TABLE = mixed_table(150)
NUMBERS = np.random.default_rng(2).random((60, 3))
LABELS = (NUMBERS[:, 0] > 0.5).astype(int)


def test_that_plain_arrays_are_classified_without_a_design() -> None:
    tree = DecisionTree(smallest=2).fit(NUMBERS, LABELS)
    assert tree.score(NUMBERS, LABELS) > 0.9
    assert tree.classes_.tolist() == [0, 1]
    assert tree.predict(NUMBERS).dtype == LABELS.dtype


def test_that_scikit_learn_can_drive_a_classifier() -> None:
    assert cross_val_score(DecisionTree(), NUMBERS, LABELS, cv=3).min() > 0.6
    assert make_pipeline(DecisionTree()).fit(NUMBERS, LABELS).predict(NUMBERS[:2]).shape == (2,)


def test_that_frames_with_texts_and_labels_are_understood() -> None:
    frame = pd.DataFrame({"colour": ["red", "blue"] * 20, "size": np.arange(40.0)})
    labels = np.where(frame["colour"] == "red", "warm", "cold")
    tree = DecisionTree().fit(frame, labels)
    assert tree.score(frame, labels) == 1.0
    assert tree.predict(pd.DataFrame({"size": [3.0], "colour": ["red"]})).tolist() == ["warm"]


def test_that_a_value_nobody_had_in_training_counts_as_missing() -> None:
    frame = pd.DataFrame({"colour": ["red"] * 30 + ["blue"] * 10})
    labels = ["warm"] * 30 + ["cold"] * 10
    tree = DecisionTree().fit(frame, labels)
    assert tree.predict(pd.DataFrame({"colour": ["green"]})).tolist() == ["warm"]


def test_that_records_without_a_class_teach_nothing() -> None:
    codes = TABLE["vote"].data.copy()
    codes[:20] = -1
    gappy = TABLE.replace(Column(TABLE["vote"].attribute, codes))
    whole = TABLE.take(np.arange(20, TABLE.rows))
    assert DecisionTree().fit(gappy).to_text() == DecisionTree().fit(whole).to_text()


@pytest.mark.parametrize(
    ("records", "labels", "words"),
    [
        (NUMBERS[0], LABELS, "two dimensions"),
        (NUMBERS, LABELS[:5], "60 records but 5 class labels"),
        (NUMBERS, None, "needs the class"),
        (np.empty((0, 3)), np.empty(0, int), "at least one label"),
        (np.empty((4, 0)), LABELS[:4], "no attributes"),
        (NUMBERS, NUMBERS[:, 0], "continuous numbers are not classes"),
        (np.where(NUMBERS > 0.9, np.inf, NUMBERS), LABELS, "infinite"),
        (np.where([[True, False, False]], np.nan, NUMBERS), LABELS, "no answers to learn from"),
    ],
)
def test_that_what_cannot_be_learnt_from_is_refused(
    records: object, labels: object, words: str
) -> None:
    with pytest.raises(DataError, match=words):
        DecisionTree().fit(records, labels)


def test_that_records_of_another_shape_or_without_a_column_are_refused() -> None:
    with pytest.raises(NotFittedError):
        DecisionTree().predict(NUMBERS)
    tree = DecisionTree().fit(NUMBERS, LABELS)
    with pytest.raises(DataError, match="2 columns; 3 are expected"):
        tree.predict(NUMBERS[:, :2])
    with pytest.raises(DataError, match="no column 'age'"):
        DecisionTree().fit(TABLE).predict(TABLE.select(["mood", "smokes", "region", "income"]))


def test_that_arrays_of_codes_follow_the_design() -> None:
    design = moderate_design(TABLE)
    records = distorted(TABLE, design)
    names = [name for name in design.names if name != "vote"]
    array = np.column_stack([records[name].data.astype(float) for name in names])
    labels = np.array(["A", "B"], object)[records["vote"].data]
    codes = pd.DataFrame(array, columns=names).astype({"region": int, "mood": int, "smokes": int})
    by_table = DecisionTree(design=design).fit(records)
    assert DecisionTree(design=design).fit(codes, labels).to_text() == by_table.to_text()


def test_that_labels_keep_the_order_of_a_columns_values() -> None:
    size = Attribute("size", Kind.ORDINAL, ("small", "medium", "large"))
    labels = read_labels(Column(size, np.array([2, 0, -1, 2])))
    assert labels.names == ("small", "large")
    assert labels.codes.tolist() == [1, 0, -1, 1]


AMOUNT = Attribute("amount", Kind.CONTINUOUS, domain=(1, 100))
COUNT = Attribute("count", Kind.INTEGER, domain=(0, 9))


@pytest.mark.parametrize("binning", ["equal-width", EQUAL_FREQUENCY])
@pytest.mark.parametrize(
    ("attribute", "perturbation"),
    [
        (AMOUNT, Identity()),
        (AMOUNT, Additive(noise="normal", sigma=10)),
        (AMOUNT, Multiplicative(sigma=0.2)),
        (AMOUNT, Retention(keep=0.5)),
        (AMOUNT, Discretise(intervals=5)),
        (COUNT, Identity()),
        (COUNT, Additive(noise="uniform", half_width=2, integer="staircase")),
    ],
)
def test_that_intervals_cover_the_domain(
    attribute: Attribute, perturbation: Perturbation, binning: str
) -> None:
    rng = np.random.default_rng(1)
    low, high = attribute.domain or (0, 1)
    data = np.clip(np.rint(rng.gamma(2.0, high / 8, 500)), low, high)
    edges = borders(attribute, perturbation, data, BinningParams(bins=6, binning=binning))
    assert edges is not None
    assert np.all(np.diff(edges) > 0)
    assert edges[0] <= low < high <= edges[-1]
    assert len(edges) <= 7


def test_that_equally_frequent_intervals_hold_equally_many_original_answers() -> None:
    rng = np.random.default_rng(4)
    x = rng.beta(2, 5, 20_000) * 99 + 1
    noise = Additive(noise="uniform", half_width=20)
    params = BinningParams(bins=5, binning=EQUAL_FREQUENCY)
    for perturbation, data in ((Identity(), x), (noise, x + rng.uniform(-20, 20, len(x)))):
        edges = borders(AMOUNT, perturbation, data, params)
        assert edges is not None
        shares = np.histogram(x, edges)[0] / len(x)
        assert np.abs(shares - 0.2).max() < 0.03
