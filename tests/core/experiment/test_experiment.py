"""What an experiment does, whatever the engine."""

from __future__ import annotations

import json

import numpy as np
import pytest
from experiments import make_experiment, make_records, run

from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.experiment import (
    ResultsTable,
    Setting,
    Sweep,
    summarise,
    train,
)
from ppworkbench.core.progress import Cancelled, StoppableProgress


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


@pytest.mark.slow
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
    with pytest.raises(ParameterError, match="no classifier called 'guess'"):
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
