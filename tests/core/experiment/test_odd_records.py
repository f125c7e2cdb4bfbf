"""Experiments on odd records, other classes and other tests."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from examples import sweep
from experiments import AGE, BUYS, DESIGN, TOWN, make_experiment, make_records, run

from ppworkbench.core.classify import classifiers
from ppworkbench.core.classify.binning import BinningParams
from ppworkbench.core.classify.training import prepare
from ppworkbench.core.classify.tree.families import system_of
from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Identity,
    Uniform,
    Unrelated,
)
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.experiment import Experiment, Plan, Setting, run_task, summarise, train
from ppworkbench.core.rng import SeededStreams


def odd_records(classes, rows=None):
    records = make_records(len(classes))
    return records.replace(Column(BUYS, np.array(classes)))


def test_that_a_class_with_one_record_is_tested_once():
    found = summarise(run(make_experiment(table=odd_records([1] + [0] * 40))))
    assert len(found) == 2
    for summary in found.values():
        assert summary.failed == 0
        assert summary.confusion.sum(axis=1).tolist() == [40, 1]


def test_that_a_single_class_is_always_foretold():
    found = summarise(run(make_experiment(table=odd_records([1] * 20))))
    assert len(found) == 2
    for summary in found.values():
        assert summary.accuracy.mean == 1
        assert summary.failed == 0


def test_that_constant_attributes_and_identical_records_can_be_learnt_from():
    rows = 30
    table = Table(
        (
            Column(TOWN, np.zeros(rows, int)),
            Column(AGE, np.full(rows, 50.0)),
            Column(BUYS, np.arange(rows) % 3 % 2),
        ),
        "buys",
    )
    found = summarise(run(make_experiment(table=table)))
    assert [summary.failed for summary in found.values()] == [0, 0]


def test_that_two_hundred_categories_can_be_learnt_from():
    source = np.random.default_rng(2)
    names = Attribute("name", Kind.NOMINAL, tuple(f"v{i}" for i in range(200)))
    table = Table(
        (Column(names, source.integers(0, 200, 90)), Column(BUYS, source.integers(0, 2, 90))),
        "buys",
    )
    design = Design(
        (DesignedAttribute(names, Uniform(keep=0.7)), DesignedAttribute(BUYS, Identity())), "buys"
    )
    settings = (Setting.of("naive-bayes"), Setting.of("tree"))
    experiment = Experiment.of(table, design, settings, plan=Plan(folds=2))
    assert [summary.failed for summary in summarise(run(experiment)).values()] == [0, 0]


def test_that_records_without_a_class_are_left_out_and_missing_answers_filled_in():
    records = make_records(40)
    codes = records["buys"].data.astype(int).copy()
    codes[:5] = -1
    age = records["age"].data.copy()
    age[7] = np.nan
    impute = AGE.with_(missing=MissingPolicy.IMPUTE)
    table = records.replace(Column(BUYS, codes), Column(impute, age))
    experiment = make_experiment(table=table)
    assert experiment.table.rows == 35
    assert "5 records without a class were excluded." in experiment.notes
    assert any("mean" in note for note in experiment.notes)
    assert [summary.failed for summary in summarise(run(experiment)).values()] == [0, 0]


def test_that_missing_answers_are_imputed_from_training_records_alone():
    records = make_records(60)
    age, town = records["age"].data.copy(), records["town"].data.copy()
    age[[3, 20]], town[[5, 21]] = np.nan, -1
    # One person of great age moves the mean of those folds only that learn from her.
    age[40] = 100.0
    impute = MissingPolicy.IMPUTE
    table = records.replace(
        Column(AGE.with_(missing=impute), age), Column(TOWN.with_(missing=impute), town)
    )
    experiment = make_experiment((Setting.of("tree", undistorted=True),), table=table)
    dealt = experiment.folds(0)
    for task in experiment.tasks:
        trained = train(experiment, task)
        learnt = dealt != task.fold
        mean = np.nanmean(age[learnt])
        mode = np.bincount(town[learnt & (town >= 0)]).argmax()
        for rows, part in ((learnt, trained.training), (~learnt, trained.test)):
            expected = np.where(np.isnan(age), mean, age)[rows]
            assert part["age"].data == pytest.approx(expected)
            assert part["town"].data.tolist() == np.where(town < 0, mode, town)[rows].tolist()


def test_that_left_and_imputed_answers_are_different_experiments():
    age = make_records(40)["age"].data.copy()
    age[3] = np.nan
    policies = (MissingPolicy.LEAVE, MissingPolicy.IMPUTE)
    columns = [Column(AGE.with_(missing=policy), age) for policy in policies]
    left, imputed = (make_experiment(table=make_records(40).replace(one)) for one in columns)
    assert left.fingerprint != imputed.fingerprint


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"class_name": "age"}, "is continuous"),
        ({"class_name": "nobody"}, "no attribute 'nobody'"),
        ({"plan": Plan(folds=200)}, "Use fewer folds"),
        ({"settings": ()}, "choose at least one"),
        ({"design": Design((DesignedAttribute(TOWN, Identity()),))}, "not in the design"),
        (
            {"design": Design((DesignedAttribute(BUYS, Identity()),), "buys")},
            "nothing|no attribute",
        ),
        ({"table": make_records().select(["town", "buys"])}, "no column 'age'"),
    ],
)
def test_that_what_cannot_be_is_said_in_a_sentence(change, sentence):
    given = {"table": make_records(), "design": DESIGN, "settings": (Setting.of("tree"),)} | change
    with pytest.raises((DataError, DesignError, ParameterError), match=sentence) as caught:
        Experiment.of(**given)
    assert "\n" not in caught.value.message


def test_that_no_class_at_all_is_said():
    design = dataclasses.replace(DESIGN, class_name=None)
    with pytest.raises(DataError, match="No attribute is marked as the class"):
        Experiment.of(make_records().with_(class_name=None), design, (Setting.of("tree"),))


def test_that_another_class_may_be_foretold_and_the_distorted_class_is_judged_by_the_truth():
    experiment = Experiment.of(
        make_records(), DESIGN, (Setting.of("naive-bayes"),), class_name="town", plan=Plan(folds=2)
    )
    assert experiment.class_values == ("a", "b", "c")
    found = next(iter(summarise(run(experiment)).values()))
    np.testing.assert_allclose(found.confusion.sum(axis=1), experiment.table["town"].counts)


def test_that_accuracy_can_be_estimated_on_randomised_records():
    asked = Attribute("asked", Kind.BINARY, ("no", "yes"))
    source = np.random.default_rng(4)
    truth = source.integers(0, 2, 400)
    table = Table((Column(asked, truth), Column(BUYS, truth)), "buys")
    design = Design(
        (DesignedAttribute(asked, Unrelated(theta=0.7)), DesignedAttribute(BUYS, Identity())),
        "buys",
    )
    settings = (Setting.of("naive-bayes"),)
    plan = Plan(folds=2, test_on="estimated")
    experiment = Experiment.of(table, design, settings, plan=plan)
    row = run_task(experiment, experiment.tasks[0])
    # All 200 true records are classified rightly; the estimate's standard error is about 0.04.
    assert row.estimate == pytest.approx(1.0, abs=0.15)
    found = next(iter(summarise([row]).values()))
    assert found.accuracy.mean == row.estimate
    assert found.to_json(("no", "yes"))["classes"] == {}


def test_that_distorted_records_can_be_tested_where_the_classifier_reads_them():
    experiment = make_experiment((Setting.of("tree"),), test_on="distorted")
    assert [row.error for row in run(experiment)] == [""] * 3


def test_that_classifiers_that_cannot_read_distorted_records_are_refused_before_they_run():
    settings = (Setting.of("tree"), Setting.of("naive-bayes"), Setting.of("lazy-ep"))
    with pytest.raises(ParameterError, match="naive-bayes, lazy-ep") as caught:
        make_experiment(settings, test_on="distorted")
    assert caught.value.field == "test_on"
    # What learns from undistorted records is tested on such, whatever it is.
    undistorted = (Setting.of("tree"), Setting.of("naive-bayes", undistorted=True))
    make_experiment((*undistorted, Setting.of("sklearn-knn")), test_on="distorted")


QUICK = [entry for entry in classifiers.ranked if entry.name not in ("meta", "sklearn-forest")]


@pytest.mark.parametrize(
    "entry", sweep(classifiers.ranked, quick=QUICK), ids=lambda entry: entry.name
)
def test_that_what_is_not_refused_can_be_tested_on_distorted_records(entry):
    setting = Setting.of(entry.name)
    try:
        experiment = make_experiment((setting,), test_on="distorted", folds=2)
    except ParameterError:
        model = setting.make(design=DESIGN)
        model.fit(distort(make_records(30), DESIGN, SeededStreams(1)))
        with pytest.raises(ParameterError):
            model.predict(make_records(5), distorted=True)
    else:
        assert run_task(experiment, experiment.tasks[0]).error == ""


def test_that_designs_without_an_estimable_accuracy_are_refused_before_anything_is_trained():
    with pytest.raises(DesignError, match="estimable"):
        make_experiment((Setting.of("naive-bayes"),), test_on="estimated")


def test_that_no_two_variants_share_a_label():
    settings = (
        Setting.of("tree"),
        Setting.of("tree", bins=7),
        Setting.of("tree", bins=7, reconstruction="by-class"),
        Setting.of("tree", bins=7, undistorted=True),
        Setting.of("naive-bayes", laplace=0.5),
        Setting.of("naive-bayes", laplace=0.50001),
        Setting.of("sklearn-tree"),
    )
    labels = make_experiment(settings).labels
    assert len(set(labels.values())) == len(settings)
    assert labels[settings[3].key] == "Decision tree (undistorted)"
    assert labels[settings[5].key] == "Naive Bayes, reconstructed (laplace=0.50001)"


def test_that_numbers_at_the_far_end_of_the_noise_lose_no_fold():
    # Of the 12,500 numbers in an interval the channel looks at 128, so that the last cell of the
    # distorted numbers, which only the largest can reach, seems out of reach.
    gain = Attribute("gain", Kind.INTEGER, domain=(0, 99_999))
    noise = Additive(noise="uniform", range_privacy=50.0, integer="staircase")
    design = Design((DesignedAttribute(gain, noise),))
    farthest = noise.support(gain)[1]
    table = Table((Column(noise.distorted(gain), np.full(20, farthest)),))
    training = prepare(table, design, np.zeros(20, int), ("no", "yes"), BinningParams())
    for algorithm in ("as", "em"):
        system = system_of(training, 0, algorithm)
        assert (system.matrix[system.codes].max(axis=1) > 0).all()
        assert not system.matrix[system.codes.max() + 1 :].any()


def test_that_an_accuracy_of_some_folds_is_marked(monkeypatch):
    experiment = make_experiment((Setting.of("naive-bayes"),))
    kind, calls = type(Setting.of("naive-bayes").make()), []
    whole = kind._fit

    def fails_once(*given):
        calls.append(1)
        return 1 / 0 if len(calls) == 2 else whole(*given)

    monkeypatch.setattr(kind, "_fit", fails_once)
    (found,) = summarise(run(experiment)).values()
    assert (found.done, found.failed, found.is_partial) == (2, 1, True)
    assert found.to_json(("no", "yes"))["partial"] is True
