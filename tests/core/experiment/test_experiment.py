"""What an experiment does, whatever the engine; and that it survives odd records."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from experiments import AGE, BUYS, DESIGN, TOWN, make_experiment, make_records

from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Identity, Uniform, Unrelated
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.experiment import (
    Experiment,
    Plan,
    ResultsTable,
    Setting,
    Sweep,
    run_experiment,
    run_task,
    summarise,
    train,
)
from ppworkbench.core.experiment.engines import InProcess
from ppworkbench.core.progress import Cancelled, StoppableProgress


def run(experiment, table=None, **more):
    return run_experiment(experiment, table, engine=InProcess(), **more)


def same(one, other):
    """Whether two tables say the same, but for how long it took."""

    def told(table):
        return {row.task: (row.confusion, row.error) for row in table}

    return told(one) == told(other)


def test_that_every_record_is_tested_once_a_repeat_at_every_level():
    experiment = make_experiment(repeats=2, sweep=Sweep(levels=(0, 100)))
    found = summarise(run(experiment))
    assert len(experiment.tasks) == 2 * 3 * (2 + 1)
    assert {level for _, level in found} == {0.0, 100.0, None}
    for summary in found.values():
        assert summary.done == 6
        assert summary.confusion.sum() == pytest.approx(120)
        np.testing.assert_allclose(summary.confusion.sum(axis=1), experiment.table["buys"].counts)


def test_that_training_records_are_distorted_and_tested_ones_are_not():
    experiment = make_experiment()
    trained = train(experiment, experiment.tasks[-1])
    assert trained.training.rows + trained.test.rows == 120
    np.testing.assert_array_equal(
        trained.test["age"].data, experiment.table["age"].data[trained.test_rows]
    )
    kept = np.delete(experiment.table["age"].data, trained.test_rows)
    assert not np.isin(kept, trained.training["age"].data).any()
    left = np.delete(experiment.table["buys"].data, trained.test_rows)
    np.testing.assert_array_equal(left, trained.training["buys"].data)


def test_that_settings_learn_from_the_same_distorted_records():
    settings = (Setting.of("naive-bayes"), Setting.of("naive-bayes", bins=5))
    experiment = make_experiment(settings)
    one, other = (train(experiment, task).training for task in experiment.tasks[:2])
    assert one.equals(other)


def test_that_an_undistorted_setting_learns_from_the_records_as_they_are():
    experiment = make_experiment()
    trained = train(experiment, experiment.tasks[0])
    assert trained.design is None
    assert np.isin(trained.training["age"].data, experiment.table["age"].data).all()


def test_that_less_privacy_means_more_accuracy():
    experiment = make_experiment(
        (Setting.of("naive-bayes"),), table=make_records(600), sweep=Sweep(levels=(0, 10_000))
    )
    found = {level: s.accuracy.mean for (_, level), s in summarise(run(experiment)).items()}
    assert found[0.0] > 0.8
    # 600 records: the standard error of a difference is below 0.03.
    assert found[0.0] > found[10_000.0] + 0.1


def test_that_the_same_seed_gives_the_same_results_and_another_one_others():
    assert same(run(make_experiment()), run(make_experiment()))
    one, other = make_experiment(seed=7), make_experiment(seed=8)
    assert one.fingerprint != other.fingerprint
    assert (one.folds(0) != other.folds(0)).any()


def test_that_a_stopped_experiment_goes_on_where_it_was():
    experiment = make_experiment(repeats=2)
    whole = run(experiment)
    table = ResultsTable(experiment.fingerprint)
    stop = StoppableProgress(lambda done, _: stop.stop() if done > 0.4 else None)
    with pytest.raises(Cancelled):
        run(experiment, table, progress=stop)
    before = len(table)
    assert 0 < before < len(experiment.tasks)
    saved = ResultsTable.from_json(json.loads(json.dumps(table.to_json())))
    seen = []
    run(experiment, saved, progress=lambda done, words="": seen.append((done, words)))
    assert same(saved, whole)
    total = len(experiment.tasks)
    assert seen[0] == (0.0, f"{before} of {total} trainings")
    assert seen == sorted(seen, key=lambda one: one[0])
    assert seen[-1] == (1.0, f"{total} of {total} trainings")


def test_that_more_repeats_settings_or_levels_use_what_is_there():
    small, large = make_experiment(repeats=1), make_experiment(repeats=2)
    assert small.fingerprint == large.fingerprint
    assert set(small.tasks) < set(large.tasks)
    table = run(small)
    assert same(run(large, table), run(large))


def test_that_results_of_another_experiment_are_refused():
    with pytest.raises(ValueError, match="another experiment"):
        run(make_experiment(folds=4), run(make_experiment()))


@pytest.mark.parametrize(
    "given",
    [{}, {"format": "x"}, {"format": "ppworkbench-experiment", "version": 2}, [],
     {"format": "ppworkbench-experiment", "version": 1, "fingerprint": "x",
      "results": [{"setting": "s", "rows": [[None, 0, 0, [[1, 2]], 0, 0, "", None]]}]},
     {"format": "ppworkbench-experiment", "version": 1, "results": []}],
)  # fmt: skip
def test_that_a_damaged_results_table_is_refused(given):
    with pytest.raises(DataError):
        ResultsTable.from_json(given)


def test_that_settings_come_back_from_json():
    for setting in make_experiment().settings:
        assert Setting.from_json(json.loads(json.dumps(setting.to_json()))) == setting
    with pytest.raises(ParameterError, match="no classifier 'guess'"):
        Setting.from_json({"classifier": "guess"})
    with pytest.raises(ParameterError, match="wings"):
        Setting.from_json({"classifier": "tree", "parameters": {"wings": 2}})
    with pytest.raises(ParameterError):
        Setting.from_json([])


def test_that_one_failure_is_a_result_and_not_the_end(monkeypatch):
    experiment = make_experiment((Setting.of("naive-bayes"), Setting.of("tree")))
    kind = type(Setting.of("tree").make())
    monkeypatch.setattr(kind, "_fit", lambda *_: 1 / 0)
    found = summarise(run(experiment))
    tree = found[experiment.settings[1].key, None]
    assert (tree.done, tree.failed) == (0, 3)
    assert "ZeroDivisionError" in tree.error
    assert np.isnan(tree.accuracy.mean)
    assert found[experiment.settings[0].key, None].done == 3


def test_that_failed_tasks_are_tried_again(monkeypatch):
    experiment = make_experiment((Setting.of("tree"),))
    kind = type(Setting.of("tree").make())
    with monkeypatch.context() as broken:
        broken.setattr(kind, "_fit", lambda *_: 1 / 0)
        table = run(experiment)
    assert all(row.error for row in table)
    assert not any(row.error for row in run(experiment, table))


# Odd records


def odd_records(classes, rows=None):
    records = make_records(len(classes))
    return records.replace(Column(BUYS, np.array(classes)))


def test_that_a_class_with_one_record_is_tested_once():
    found = summarise(run(make_experiment(table=odd_records([1] + [0] * 40))))
    for summary in found.values():
        assert summary.failed == 0
        assert summary.confusion.sum(axis=1).tolist() == [40, 1]


def test_that_a_single_class_is_always_foretold():
    found = summarise(run(make_experiment(table=odd_records([1] * 20))))
    for summary in found.values():
        assert summary.accuracy.mean == 1
        assert summary.failed == 0


def test_that_constant_attributes_and_identical_records_work():
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
    assert all(summary.failed == 0 for summary in found.values())


def test_that_two_hundred_categories_work():
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
    assert all(summary.failed == 0 for summary in summarise(run(experiment)).values())


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
    assert "5 records without a class were left out." in experiment.notes
    assert any("mean" in note for note in experiment.notes)
    assert all(summary.failed == 0 for summary in summarise(run(experiment)).values())


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
    assert all(not row.error for row in run(experiment))
