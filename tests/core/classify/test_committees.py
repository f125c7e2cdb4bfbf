"""Bagging, boosting and the combined meta-learner."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config
from learnable import design_by, distorted, mixed_table, moderate_design, open_design

from ppworkbench.core.classify import Bagging, Boosting, DecisionTree, MetaLearner
from ppworkbench.core.classify.binning import BinningParams
from ppworkbench.core.classify.meta import MetaParams
from ppworkbench.core.classify.resampling import _alpha, boosted
from ppworkbench.core.classify.training import Training, prepare
from ppworkbench.core.classify.tree.forest import Forest
from ppworkbench.core.classify.tree.params import ALGORITHMS, TreeParams
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Additive, Uniform
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import Cancelled, StoppableProgress

TABLE = mixed_table(200)
DESIGN = moderate_design(TABLE)
RECORDS = distorted(TABLE, DESIGN)


def training_of(table: Table, records: Table | None = None) -> Training:
    design = DESIGN if records is not None else open_design(table)
    predictors = (records or table).select([n for n in table.names if n != "vote"])
    return prepare(predictors, design, table["vote"].data.astype(int), ["A", "B"], BinningParams())


def test_that_alpha_is_the_published_weight_and_never_infinite() -> None:
    assert _alpha(0.2, 100, 2) == pytest.approx(0.5 * math.log(0.8 / 0.2))
    assert _alpha(0.0, 100, 2) == pytest.approx(0.5 * math.log(0.995 / 0.005))
    assert _alpha(0.5, 100, 2) == 0
    assert _alpha(1.0, 100, 2) < 0
    # Among four classes a guess is wrong three times out of four.
    assert _alpha(0.75, 100, 4) == pytest.approx(0)


def test_that_members_without_error_vote_with_finite_weight() -> None:
    table = TABLE.select(["region", "vote"])
    table = table.replace(table["vote"].with_(data=(table["region"].data > 1).astype(np.int8)))
    model = Boosting(members=3).fit(table)
    assert all(0 < member.weight < 10 for member in model.members_)
    assert model.score(table) == 1.0


def test_that_boosting_ends_where_nothing_is_better_than_a_guess() -> None:
    training = training_of(TABLE)
    guess = np.random.default_rng(1).integers(0, 2, training.rows)
    hopeless = replace(training, classes=guess)
    forest = Forest(hopeless, TreeParams(depth=1), 0)
    # The worst: every record is classified wrongly.
    forest.classify_training = lambda tree: 1 - guess  # type: ignore[method-assign]
    members = boosted(forest, 3, np.random.default_rng(2))
    assert len(members) == 3
    assert all(0 < member.weight <= 1 / training.rows for member in members)


def test_that_weights_of_boosted_trees_come_from_distorted_records() -> None:
    training = training_of(TABLE, RECORDS)
    forest = Forest(training, TreeParams(), 3)
    generator = np.random.default_rng(4)
    first = boosted(forest, 1, generator)[0]
    wrong = np.mean(forest.classify_training(first.tree) != training.classes)
    assert first.weight == pytest.approx(0.5 * math.log((1 - wrong) / wrong))


def test_that_bagged_votes_weigh_one_each_and_make_up_the_probability() -> None:
    model = Bagging(design=DESIGN, members=4).fit(RECORDS)
    assert [member.weight for member in model.members_] == [1.0] * 4
    found = model.predict_proba(TABLE)
    assert set(np.unique(found)) <= {0.0, 0.25, 0.5, 0.75, 1.0}


def test_that_a_committee_has_members_of_every_setting() -> None:
    model = MetaLearner(design=DESIGN, bagged=2, boosted=1).fit(RECORDS)
    settings = [member.setting for member in model.members_]
    assert len(settings) == 2 * 4 * 3
    assert {tuple(name.split()) for name in settings} == {
        (kind, pair) for kind in ("local", "by-class") for pair in ALGORITHMS
    }
    assert any(member.weight != 1 for member in model.members_)
    simple = MetaLearner(design=DESIGN, bagged=1, boosted=1, voting="simple").fit(RECORDS)
    assert all(member.weight == 1 for member in simple.members_)


def test_that_the_number_of_workers_does_not_change_the_result() -> None:
    few = {"algorithms": ("AS.EA", "EM.EQ"), "bagged": 1, "boosted": 1, "design": DESIGN}
    alone = MetaLearner(**few).fit(RECORDS)
    with parallel_config(backend="threading"):
        shared = MetaLearner(**few, n_jobs=2).fit(RECORDS)
    assert np.array_equal(alone.predict_proba(TABLE), shared.predict_proba(TABLE))


def test_that_a_committee_errs_less_than_a_single_tree_under_noise() -> None:
    table, fresh = mixed_table(1_500, seed=11), mixed_table(4_000, seed=12)
    design = design_by(
        table,
        lambda a: Uniform(keep=0.5) if a.kind.is_categorical else Additive(range_privacy=150.0),
    )
    records = distorted(table, design)
    tree = DecisionTree(design=design).fit(records).score(fresh)
    committee = Bagging(design=design, members=15).fit(records).score(fresh)
    # The standard error of a score on 4,000 records is below 0.008.
    assert committee > tree - 0.01


def test_that_a_stop_ends_the_training_between_members() -> None:
    calls: list[float] = []

    def report(done: float, message: str) -> None:
        calls.append(done)
        if len(calls) == 30:
            progress.stop()

    progress = StoppableProgress(report)
    with pytest.raises(Cancelled):
        MetaLearner(design=DESIGN).fit(RECORDS, progress=progress)
    assert len(calls) == 30
    assert calls == sorted(calls)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"bagged": 0, "boosted": 0}, "bagged"),
        ({"algorithms": ()}, "algorithms"),
        ({"reconstructions": ()}, "reconstructions"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"algorithms": ("AS.XX",)}, "algorithms"),
    ],
)
def test_that_an_empty_committee_is_refused(changes: dict[str, object], field: str) -> None:
    with pytest.raises(ParameterError) as caught:
        MetaParams(**changes)  # type: ignore[arg-type]
    assert caught.value.field == field
