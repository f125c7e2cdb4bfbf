"""Accuracies of what is learnt from deniable tables, by the minimum that is asked for."""

from __future__ import annotations

import numpy as np
import pytest
from publish_tables import DISTRICT, INCOME, MOOD, SMOKES, smokers

from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Cancelled, StoppableProgress
from ppworkbench.core.publish import (
    AccuracyTally,
    CurveOptions,
    DeniabilityOptions,
    learners,
    measure_accuracy,
)
from ppworkbench.core.publish.accuracy_curve import PREDICTED, feature_matrix

FEW = CurveOptions(minimums=(0.0, 0.3, 0.6), folds=3, learners=("tree",))


def test_that_all_minimums_are_predicted_and_measured_in_every_fold():
    tally = measure_accuracy(smokers(600), "smokes", tally=AccuracyTally(FEW))
    assert tally.done == tally.wanted == 9
    for name in (PREDICTED, "tree"):
        minimums, means, spread = tally.curve(name)
        assert minimums.tolist() == [0.0, 0.3, 0.6]
        assert ((means > 0.4) & (means < 0.9)).all()
        assert (spread < 0.1).all()
    assert len(tally.original["tree"]) == 3
    told = tally.to_json()
    assert told["curves"]["tree"]["minimum"] == [0.0, 0.3, 0.6]
    assert set(told["original"]) == {"tree"}


@pytest.mark.parametrize("entry", list(learners), ids=lambda entry: entry.name)
def test_that_a_learner_finds_what_is_there_and_can_be_stopped(entry):
    generator = np.random.default_rng(1)
    x = generator.random((300, 2))
    y = (x[:, 0] > 0.5).astype(np.intp)
    told: list[float] = []
    found = entry.item(x[:200], y[:200], x[200:], 1, lambda done, message="": told.append(done))
    assert (found == y[200:]).mean() > 0.85
    assert told
    progress = StoppableProgress()
    progress.stop()
    with pytest.raises(Cancelled):
        entry.item(x, y, x, 1, progress)


def test_that_a_stop_keeps_what_was_found():
    tally = AccuracyTally(FEW)
    progress = StoppableProgress(lambda done, _: progress.stop() if tally.done >= 4 else None)
    with pytest.raises(Cancelled):
        measure_accuracy(smokers(600), "smokes", tally=tally, progress=progress)
    assert 4 <= tally.done < tally.wanted
    minimums, means, _ = tally.curve(PREDICTED)
    assert minimums.tolist() == [0.0, 0.3, 0.6]
    assert len(means) == 3


def test_that_minimums_beyond_the_table_are_left_out():
    answer = np.array([0] * 90 + [1] * 10)
    table = Table((Column(INCOME, np.arange(100.0)), Column(SMOKES, answer)))
    tally = AccuracyTally(CurveOptions(minimums=(0.1, 0.9), folds=2, learners=()))
    measure_accuracy(table, "smokes", tally=tally)
    assert tally.minimums == (0.1,)
    assert tally.curve(PREDICTED)[0].tolist() == [0.1]


def test_that_a_higher_minimum_is_only_measured_anew_where_it_changes_the_groups():
    table = smokers(600)
    options = DeniabilityOptions(manner="shuffle")
    alone = AccuracyTally(CurveOptions(minimums=(0.4,), folds=2, learners=("tree",)))
    after = AccuracyTally(CurveOptions(minimums=(0.1, 0.4), folds=2, learners=("tree",)))
    for tally in (alone, after):
        measure_accuracy(table, "smokes", options, tally, seed=3)
    for name in (PREDICTED, "tree"):
        assert alone.found[name, 0.4] == after.found[name, 0.4]


def test_that_a_long_table_is_shortened_and_a_short_one_refused():
    tally = AccuracyTally(CurveOptions(minimums=(0.1,), folds=2, learners=(), most_people=50))
    assert measure_accuracy(smokers(400), "smokes", tally=tally).people == 50
    with pytest.raises(DataError, match="10 folds need at least 20 records"):
        measure_accuracy(smokers(12), "smokes")
    with pytest.raises(DataError, match="at least one other attribute"):
        measure_accuracy(smokers(400).select(["smokes"]), "smokes")


def test_that_features_become_numbers_between_0_and_1():
    columns = [
        Column(DISTRICT, np.array([0, 2, -1])),
        Column(MOOD, np.array([0, 1, 2])),
        Column(INCOME, np.array([10.0, np.nan, 30.0])),
    ]
    matrix = feature_matrix(columns)
    assert matrix.tolist() == [
        [1, 0, 0, 0, 0.0, 0.0, 0],
        [0, 0, 1, 0, 0.5, 0.5, 1],
        [0, 0, 0, 1, 1.0, 1.0, 0],
    ]


def test_that_accuracies_are_told_while_others_are_added():
    tally = AccuracyTally(FEW)

    class Measured(list[float]):
        """Somebody else measures on while these are looked at."""

        def __array__(self, *_: object, **__: object) -> np.ndarray:
            tally.original["forest"] = []
            return np.array(list(self))

    tally.original["tree"] = Measured([0.5, 0.7])
    assert tally.to_json()["original"] == {"tree": pytest.approx(0.6)}
    # Nothing has been measured of it yet.
    assert tally.original["forest"] == []
    assert set(tally.to_json()["original"]) == {"tree"}


@pytest.mark.slow
@pytest.mark.parametrize("merge", [False, True], ids=["as published", "merged"])
def test_that_on_nursery_the_prediction_falls_and_is_near_the_measured_tree(shared_data, merge):
    # Two folds of ten: the whole table of minimums is a matter of a minute.
    table = read_table(shared_data / "nursery.csv")
    options = DeniabilityOptions(merge_values=merge)
    minimums = (0.1, 0.4) if merge else (0.0, 0.1, 0.4)
    wanted = CurveOptions(minimums=minimums, folds=2, learners=("tree",))
    tally = measure_accuracy(table, "class", options, AccuracyTally(wanted))
    _, predicted, _ = tally.curve(PREDICTED)
    _, measured, _ = tally.curve("tree")
    # A fold has 6480 people: a standard error of at most 0.6 points each, and two folds.
    assert (np.diff(predicted) < 0.005).all()
    assert predicted[0] > predicted[-1] + (0.03 if merge else 0.3)
    assert np.abs(predicted - measured).max() < 0.03
    assert np.mean(tally.original["tree"]) > 0.98
